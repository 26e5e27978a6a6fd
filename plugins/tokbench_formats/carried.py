"""Check what a format can carry. The rest is refused, never changed."""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from math import isfinite
from typing import cast, get_args

from tokbench_bytes.patterns import PatternName, compiled

from tokbench.api import InputError, Marks, Vocabulary
from tokbench_formats.reading import first_repeated

BYTE_BPE = ("bpe", "byte-bpe")
"""The segmenters that merge bytes: of words, and of the pieces of lines."""

OWN_PATTERN = "regex: "
"""How the name of a split by a pattern of one's own begins."""

Carried = Mapping[str, Mapping[str, str | None]]
"""By mark, the kinds that a format carries, each with the only text that it may have, if any."""

LINE_ENDS = "\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"
"""The characters that one program or another takes for the end of a line."""


def check_marks(marks: Marks, form: str, carried: Carried) -> None:
    """Raise InputError for a mark that a format cannot carry; absent ones always can be."""
    for edge in Marks.model_fields:
        mark = getattr(marks, edge)
        kinds = carried.get(edge, {})
        if mark.kind == "absent" and edge not in carried:
            continue
        if mark.kind in kinds and kinds[mark.kind] in (None, mark.text):
            continue
        right = [_spell(kind, text) for kind, text in kinds.items()] or ["absent"]
        raise InputError(
            f"{form} cannot carry the mark {edge}: {_spell(mark.kind, mark.text)}; it can carry"
            f" {edge}: {' or '.join(right)}"
        )


def check_segmenter(vocabulary: Vocabulary, form: str, uses: Collection[str]) -> None:
    """Raise InputError where a format's program would cut otherwise than the segmenter does."""
    use = vocabulary.segmenter.get("use")
    if use not in uses:
        named = f"is cut by the segmenter {use!r}" if use else "names no segmenter"
        raise InputError(
            f"{form} carries vocabularies of the segmenter {' or '.join(uses)}; this one {named}"
        )


def own_split(vocabulary: Vocabulary) -> str | None:
    """Return the split of a segmenter of whole lines; None for segmenters of words.

    Of one with a pattern of its own it is `regex: PATTERN`.
    """
    segmenter = vocabulary.segmenter
    if segmenter.get("use") != "byte-bpe":
        return None
    split: str | Mapping[str, str] = segmenter.get("split", "gpt2")
    return OWN_PATTERN + split["regex"] if isinstance(split, Mapping) else split


def notes_on_split(vocabulary: Vocabulary, split: str | None) -> list[str]:
    """Return a note on the tokens that a split into pieces cuts, so that no text gives them."""
    if vocabulary.units != "bytes" or split not in get_args(PatternName):
        return []
    pieces, tokens = compiled(cast(PatternName, split)), vocabulary.products
    across = 0
    for token in tokens:
        with suppress(UnicodeDecodeError):  # how a part of a character is split is not known
            across += len(pieces.findall(token.encode("latin-1").decode())) > 1
    if not across or own_split(vocabulary) == split:
        return []
    return [
        f"the split {split!r} cuts {across:,} of {len(tokens):,} learned tokens, so that no text"
        " gives them: they were learned with another"
    ]


def check_pairs(vocabulary: Vocabulary, form: str) -> None:
    """Raise InputError for a learned item that does not join two parts."""
    for item in vocabulary.learned:
        if len(item.parts) != 2:
            shown = [vocabulary.show(part) for part in item.parts]
            raise InputError(f"{form} carries merges of two parts, not {shown!r}")


def check_characters(vocabulary: Vocabulary, form: str) -> None:
    """Raise InputError for tokens that are bytes."""
    if vocabulary.units == "bytes":
        raise InputError(
            f"{form} carries tokens of characters, and this vocabulary's are bytes: "
            "export it to gpt2, tiktoken or hf"
        )


def check_bytes(vocabulary: Vocabulary, form: str) -> None:
    """Raise InputError for a vocabulary of characters."""
    if vocabulary.units != "bytes":
        raise InputError(
            f"{form} carries tokens of bytes, and this vocabulary's are characters: learn it with"
            " a byte-level learner, or export it to another format"
        )


def check_parts(vocabulary: Vocabulary, form: str) -> None:
    """Raise InputError for a merge of what is no token: the format's programs would refuse it."""
    for item in vocabulary.learned:
        if part := next((part for part in item.parts if part not in vocabulary.ids), None):
            shown = vocabulary.show(part)
            raise InputError(f"{form} cannot carry a merge of {shown!r}, which is no token")


def scores_of(vocabulary: Vocabulary, form: str) -> list[float] | None:
    """Return each token's score, 0 where it has none; None for a vocabulary without scores.

    Raises InputError for a score that is no finite number.
    """
    scores = vocabulary.extra.get("scores")
    if not isinstance(scores, Mapping):
        return None
    numbers = [scores.get(token, 0) for token in vocabulary.tokens]
    for token, score in zip(vocabulary.tokens, numbers, strict=True):
        if not isinstance(score, int | float) or not isfinite(score):
            shown = vocabulary.show(token)
            raise InputError(
                f"{form}: the score of {shown!r:.80} is {score!r:.80}, expected a number"
            )
    return [float(score) for score in numbers]


def spell(
    token: str,
    form: str,
    marks: Marks,
    read: Callable[[str], str],
    refused: str,
    space: str = " ",
) -> str:
    """Spell a token as a format writes it.

    `read` is how the format is read, `refused` are the characters that would break it, and `space`
    is what it writes for a space. Raises InputError for a token that would come back as another.
    """
    shown = marks.show(token).replace(" ", space)
    why = _fault(shown, refused)
    if why is None and read(shown) != token:
        why = "it would be read back as another token"
    if why is not None:
        raise InputError(f"{form} cannot carry the token {marks.show(token)!r:.80}: {why}")
    return shown


def spell_all(
    vocabulary: Vocabulary,
    form: str,
    read: Callable[[str], str],
    refused: str = "",
    space: str = " ",
) -> list[str]:
    """Spell all tokens, in id order; raises InputError where one cannot be carried.

    Special tokens and `unknown` have no marks and are written as they are.
    """
    unproduced, marks = vocabulary.unproduced, vocabulary.marks
    spelled = [
        spell(token, form, marks, str, refused)
        if i in unproduced
        else spell(token, form, marks, read, refused, space)
        for i, token in enumerate(vocabulary.tokens)
    ]
    if (twice := first_repeated(spelled)) is not None:
        raise InputError(f"{form} cannot carry two tokens that are both spelled {twice!r:.80}")
    return spelled


def with_unknown(vocabulary: Vocabulary, form: str, name: str) -> Vocabulary:
    """Add an unknown token of this name, as the last one."""
    if name in vocabulary.ids:
        raise InputError(f"{form} needs {name!r} for what is unknown, and it is a learned token")
    return replace(vocabulary, tokens=(*vocabulary.tokens, name), unknown=len(vocabulary.tokens))


def left_out(vocabulary: Vocabulary) -> list[str]:
    """Return the note on the special and unknown tokens, for which a file has no place."""
    ids = [*vocabulary.special, *([] if vocabulary.unknown is None else [vocabulary.unknown])]
    if not ids:
        return []
    shown = ", ".join(repr(vocabulary.tokens[i]) for i in sorted(ids)[:5])
    return [f"the file has no place for special and unknown tokens: {shown} left out"]


def _fault(shown: str, refused: str) -> str | None:
    if not shown:
        return "it is empty"
    if letter := next((letter for letter in shown if letter in refused), None):
        return f"{letter!r} has a meaning of its own there"
    if any("\ud800" <= letter <= "\udfff" for letter in shown):
        return "a lone surrogate has no UTF-8"
    return None


def _spell(kind: str, text: str | None) -> str:
    return kind if text is None or kind == "absent" else f"{{kind: {kind}, text: {text!r}}}"
