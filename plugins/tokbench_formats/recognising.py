"""Recognise files by their content, as formats do for `VocabularyFormat.recognise`."""

import json
import re
from collections.abc import Callable
from typing import Any

from tokbench.api import Recognised

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
