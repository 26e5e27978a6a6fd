"""The fields of a serialised protocol buffer, read strictly.

The library takes a file that was cut short between two pieces for a whole one.
Source: protobuf.dev, Encoding.
"""

from collections.abc import Iterator

Field = tuple[int, int | bytes]
"""The number of a field and its value: a number, or the bytes of all that is none."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_MOST_BITS = 63


def fields(data: bytes) -> Iterator[Field]:
    """Yield the fields of one message; raises ValueError, with the place, where it is damaged."""
    at = 0
    while at < len(data):
        begin = at
        tag, at = _number(data, at)
        number, kind = tag >> 3, tag & 7
        size = {_FIXED64: 8, _FIXED32: 4}.get(kind)
        if kind == _VARINT:
            value, at = _number(data, at)
            yield number, value
            continue
        if kind == _BYTES:
            size, at = _number(data, at)
        if not number or size is None:
            raise ValueError(f"no field at byte {begin}")
        if at + size > len(data):
            raise ValueError(f"the field at byte {begin} needs {at + size - len(data)} more bytes")
        yield number, data[at : at + size]
        at += size


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Read a number of seven bits a byte; give it, and where it ends."""
    value = shift = 0
    while True:
        if at >= len(data) or shift > _MOST_BITS:
            raise ValueError(f"no whole number at byte {at}")
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
