"""How a tokenizer.json spells tokens, finds words, and joins tokens again."""

import re
from collections.abc import Mapping
from typing import Any

from tokbench.api import InputError, Marks, Vocabulary
from tokbench_formats.carried import own_split, spell_all
from tokbench_formats.gpt2 import to_letters

HfDocument = dict[str, Any]
Patterns = Mapping[str, str]
"""The regular expressions of splitters, by name."""


def spelling(vocabulary: Vocabulary, form: str) -> list[str]:
    """Spell all tokens in id order; raises InputError for one that would be read as another."""
    if vocabulary.units == "characters":
        marks = vocabulary.marks
        space = marks.bow.text if spaced(marks) else " "
        return spell_all(vocabulary, form, lambda token: read(token, marks), space=space)
    unproduced = vocabulary.unproduced
    spelled = [t if i in unproduced else to_letters(t) for i, t in enumerate(vocabulary.tokens)]
    if len({*spelled}) < len(spelled):
        raise InputError(f"{form} cannot carry a special token that is spelled as another token")
    return spelled


def read(spelled: str, marks: Marks) -> str:
    """Read a token of characters; inside, the sign of a separate begin mark is a space."""
    token = marks.read(spelled)
    return token.replace(marks.bow.text, " ") if spaced(marks) else token


def spaced(marks: Marks) -> bool:
    """Return whether the pre-tokenizer writes a sign before each word."""
    return marks.bow.kind == "separate"


def pre_tokenizer(
    vocabulary: Vocabulary, split: str | None, patterns: Patterns
) -> HfDocument | None:
    """Describe how words are found, and how their begins are marked."""
    in_bytes, marks = vocabulary.units == "bytes", vocabulary.marks
    split = split or own_split(vocabulary) or "words"
    if split == "gpt2" and not in_bytes:
        raise InputError("hf: words are split as GPT-2 splits them for vocabularies of bytes only")
    if split not in ("gpt2", "none", *patterns):
        raise InputError(f"hf: the split {split!r} has no form here: give --split gpt2 or none")
    steps: list[HfDocument] = []
    if split in patterns:
        pattern = {"Regex": patterns[split]}
        steps.append({"type": "Split", "pattern": pattern, "behavior": "Removed", "invert": True})
    if in_bytes:
        steps.append(_byte_level(use_regex=split == "gpt2"))
    if spaced(marks):
        steps.append(_metaspace(marks))
    if len(steps) > 1:
        return {"type": "Sequence", "pretokenizers": steps}
    return steps[0] if steps else None


def decoder(vocabulary: Vocabulary) -> HfDocument:
    """Describe how tokens are joined to text; without marks nothing separates words."""
    marks = vocabulary.marks
    if vocabulary.units == "bytes":
        return _byte_level(use_regex=True)
    if spaced(marks):
        return _metaspace(marks)
    prefix, suffix = re.escape(marks.continuation.text), re.escape(marks.eow.text)
    if marks.continuation.kind == "fused" and marks.eow.kind == "absent":
        return {"type": "WordPiece", "prefix": marks.continuation.text, "cleanup": False}
    steps: list[HfDocument] = []
    if marks.continuation.kind == "fused":
        steps.append({"type": "Replace", "pattern": {"Regex": f"^{prefix}"}, "content": ""})
    if marks.eow.kind == "fused":
        steps.append({"type": "Replace", "pattern": {"Regex": f"{suffix}$"}, "content": " "})
    steps.append({"type": "Fuse"})
    if marks.eow.kind == "fused":
        steps.append({"type": "Strip", "content": " ", "start": 0, "stop": 1})
    return {"type": "Sequence", "decoders": steps} if len(steps) > 1 else steps[0]


def _byte_level(use_regex: bool) -> HfDocument:
    options = {"add_prefix_space": False, "trim_offsets": False, "use_regex": use_regex}
    return {"type": "ByteLevel", **options}


def _metaspace(marks: Marks) -> HfDocument:
    if len(marks.bow.text) != 1:
        raise InputError(f"hf writes one character before a word, not {marks.bow.text!r}")
    sign = {"replacement": marks.bow.text}
    return {"type": "Metaspace", **sign, "prepend_scheme": "always", "split": False}
