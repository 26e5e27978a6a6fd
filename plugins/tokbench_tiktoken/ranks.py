"""Read a rank file: one token a line, its bytes in base64, a space, and its rank."""

import binascii
from collections.abc import Collection, Mapping

from tokbench.api import InputError, InputFile


def read_ranks(file: InputFile, special: Collection[int] = ()) -> dict[str, int]:
    """Return the rank of each token, spelled as bytes (U+0000 to U+00FF), in the file's order.

    Raises InputError, with the line, for anything but a whole table: what is no base64, a token or
    rank that stands twice, a rank from 0 to the highest that neither a line nor `special` has, or
    a byte without a token, since tiktoken cannot cut a text that holds it.
    """
    ranks: dict[str, int] = {}
    lines: dict[int, int] = {}
    for number, line in enumerate(file.read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            token, rank = _entry(line)
            if token in ranks:
                raise ValueError(f"its token stands in line {lines[ranks[token]]} already")
            if rank in lines:
                raise ValueError(f"rank {rank} stands in line {lines[rank]} already")
        except ValueError as error:
            raise InputError(f"{file.path}:{number}: {error}") from None
        ranks[token], lines[rank] = rank, number
    _check_whole(file, ranks, lines, special)
    return ranks


def _entry(line: bytes) -> tuple[str, int]:
    """Read a line; raises ValueError with what would be right."""
    fields = line.split()
    if len(fields) != 2 or not fields[1].isdigit():
        found = line[:40].decode("utf-8", "replace")
        raise ValueError(f"expected a token in base64, a space and a rank, found {found!r}")
    try:
        token = binascii.a2b_base64(fields[0], strict_mode=True)
    except binascii.Error as error:
        found = fields[0][:40].decode("utf-8", "replace")
        raise ValueError(f"the token {found!r} is no base64: {error}") from None
    if not token:
        raise ValueError("the token is empty")
    return token.decode("latin-1"), int(fields[1])


def _check_whole(
    file: InputFile, ranks: Mapping[str, int], lines: Mapping[int, int], special: Collection[int]
) -> None:
    if not ranks:
        raise InputError(f"{file.path}: holds no ranks, expected lines of a token and its rank")
    expected = 0
    for rank in sorted(lines):
        while expected in special and expected != rank:
            expected += 1
        if rank != expected:
            raise InputError(
                f"{file.path}:{lines[rank]}: rank {rank} comes after {expected - 1} in order of"
                f" rank, expected {expected}: ranks are missing"
            )
        expected += 1
    if missing := [byte for byte in range(256) if chr(byte) not in ranks]:
        raise InputError(
            f"{file.path}: {len(missing)} of the 256 single bytes have no rank,"
            f" 0x{missing[0]:02X} for one"
        )
