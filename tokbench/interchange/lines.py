"""Files of one entry a line, each with its place."""

from collections.abc import Iterator

from tokbench.api import InputError
from tokbench.interchange.exchange import Source


def text_of(source: Source) -> str:
    """Decode a file; raises InputError for what is not UTF-8, naming the line, or for nothing."""
    try:
        text = source.data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = source.data[: error.start].count(b"\n") + 1
        byte = f"found byte 0x{source.data[error.start]:02x}"
        raise InputError(f"{source.where}:{line}: not valid UTF-8: {byte}") from None
    if not text.strip():
        raise InputError(f"{source.where}: the file is empty")
    return text


def lines_of(source: Source) -> Iterator[tuple[str, str]]:
    """Give the place and the text of each line, up to the last that is not empty.

    A line ends with a newline, a carriage return before it left out; nothing else ends one.
    """
    lines = text_of(source).rstrip("\r\n").split("\n")
    for number, line in enumerate(lines, start=1):
        yield f"{source.where}:{number}", line.removesuffix("\r")
