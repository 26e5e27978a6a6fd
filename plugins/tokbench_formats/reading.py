"""Read the files of other programs, and recognise them by their content."""

import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from tokbench.api import InputError, Recognised, SourceFile

Item = TypeVar("Item", bound=Hashable)

HEAD = 1 << 16
"""Bytes from the beginning of a file that are looked at."""
ENOUGH = 20
"""Merges after which one without a mark at the end of a word is taken for GPT-2's."""
DAMAGED = Recognised("damaged JSON", ("hf", "gpt2"), "look whether it is whole")
CODES = Recognised("the merges of subword-nmt", ("subword-nmt", "gpt2"))
MERGES = Recognised(
    "the merges of GPT-2 (vocab.bpe, merges.txt)",
    ("gpt2",),
    readers=("{use: hf, kind: gpt2, merges: ...}", "{use: hf, kind: roberta, merges: ...}"),
)


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


def shown(line: str) -> str:
    """Quote a line for a message; an empty one is called so."""
    return f"{line!r:.80}" if line else "an empty line"


def parts_of(line: str, place: str) -> tuple[str, str]:
    """Read the two parts of a merge; raises InputError for anything else."""
    parts = line.split(" ")
    if len(parts) != 2 or not all(parts):
        raise InputError(f"{place}: found {shown(line)}, expected the two parts of a merge")
    return parts[0], parts[1]


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


def head_of(data: bytes) -> str:
    """Decode the beginning of a file, whatever it is."""
    return data[:HEAD].decode("utf-8", "replace").removeprefix("\ufeff").lstrip()


def head_lines(data: bytes) -> list[str]:
    """Split the beginning of a file into lines; the last one may be cut, or empty."""
    return head_of(data).replace("\r\n", "\n").split("\n")


def each_line_is(pattern: re.Pattern[str], data: bytes) -> bool:
    """Return whether the first lines all have a form, and there is one."""
    lines = head_lines(data)
    some = lines[:50] if len(lines) > 50 else [line for line in lines if line]
    return bool(some) and all(map(pattern.fullmatch, some))


def recognise_json(
    data: bytes, is_right: Callable[[dict[str, Any]], bool], right: Recognised
) -> Recognised | None:
    """Return `right` for a JSON object that passes a test, and `DAMAGED` for half of one."""
    if not re.match(r'\{\s*"', head_of(data)):
        return None
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return DAMAGED
    return right if is_right(document) else None


def recognise_merges(data: bytes) -> Recognised | None:
    """Recognise merges with a version line, which GPT-2 and subword-nmt write alike."""
    lines = head_lines(data)
    if not lines[0].startswith("#version:"):
        return None
    table = "".join(lines)
    # In so many merges of subword-nmt one would end a word.
    of_gpt2 = "Ġ" in table and "</w>" not in table and len(lines) > ENOUGH
    return MERGES if of_gpt2 else CODES
