"""Read the files of an import: text, lines, JSON, tables of token ids."""

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from tokbench.api import InputError, SourceFile

Item = TypeVar("Item", bound=Hashable)


def text_of(source: SourceFile) -> str:
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


def lines_of(source: SourceFile) -> Iterator[tuple[str, str]]:
    """Split a file into lines: the place and the text of each, up to the last that is not empty.

    A line ends with a newline, a carriage return before it left out; nothing else ends one.
    """
    lines = text_of(source).rstrip("\r\n").split("\n")
    for number, line in enumerate(lines, start=1):
        yield f"{source.where}:{number}", line.removesuffix("\r")


def document_of(source: SourceFile) -> Any:
    """Read a JSON file; raises InputError if it is none (naming the line) or repeats a key."""
    try:
        return json.loads(text_of(source), object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise InputError(f"{source.where}:{error.lineno}: not JSON: {error.msg}") from None
    except ValueError as error:
        raise InputError(f"{source.where}: {error}") from None
    except RecursionError:
        raise InputError(f"{source.where}: nested too deeply") from None


def tokens_of(ids: object, where: str) -> list[str]:
    """Return the tokens of a {token: id} object in id order.

    Raises InputError where it is none, or its ids are not 0, 1, 2 and so on, each once.
    """
    if not isinstance(ids, Mapping) or not all(type(i) is int for i in ids.values()):
        raise InputError(f"{where}: found {ids!r:.60}, expected an object of token: id")
    tokens: dict[int, str] = {}
    for token, i in ids.items():
        if i in tokens:
            raise InputError(f"{where}: id {i} stands for both {tokens[i]!r} and {token!r}")
        tokens[i] = token
    missing = next((i for i in range(len(tokens)) if i not in tokens), None)
    if missing is not None:
        raise InputError(
            f"{where}: none of {len(tokens)} tokens has the id {missing}: ids must be 0, 1, 2, ..."
        )
    return [tokens[i] for i in range(len(tokens))]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique: dict[str, Any] = {}
    for name, value in pairs:
        if name in unique:
            raise ValueError(f"{name!r} stands twice")
        unique[name] = value
    return unique


def first_repeated(items: Iterable[Item]) -> Item | None:
    """Return the first item that occurs a second time, or None."""
    seen: set[Item] = set()
    for item in items:
        if item in seen:
            return item
        seen.add(item)
    return None
