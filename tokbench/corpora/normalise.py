"""Normalisation: what is done to each line or entry before its words are found."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import regex

from tokbench.corpora.source import Remove, TextForm
from tokbench.errors import InputError, cropped

Normalise = Callable[[str], str]

# One set, such as [^a-z\s], or one class, such as \p{P}. Nothing in it has a second meaning in any
# version of the `regex` library: no nested sets, no operators of sets, no names of classes in
# [: :], no ^ or - but where they stand for themselves.
_CLASS = r"\\(?:[dDsSwW]|[pP]\{\w+\})"
_ESCAPED = r"\\(?:[tnrfv!-/:-@\[-`{-~]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})"
_LITERAL = r"[^\[\]\\^&|~:-]"
_ITEM = rf"{_CLASS}|{_LITERAL}-{_LITERAL}|{_ESCAPED}|{_LITERAL}"
_OF_CHARACTERS = re.compile(rf"(?:{_CLASS}|\[\^?(?:{_ITEM})+-?\])\+?", re.ASCII)

PATTERN_SECONDS = 20
"""How long a pattern may take on one line; a right one takes a moment."""

_CODEC = "utf-8", "surrogatepass"  # a changed word may hold a lone surrogate
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")


def normaliser(steps: Sequence[TextForm | Remove]) -> Normalise:
    """Build the function that takes all steps in order."""
    functions = [_function(step) for step in steps]

    def normalise(text: str) -> str:
        for function in functions:
            text = function(text)
        return text

    return normalise


def is_joint(steps: Sequence[TextForm | Remove]) -> bool:
    """Return whether the steps do to joined lines what they do to each line by itself.

    A line end, like other ASCII white space, is a starter that composes with nothing in Unicode's
    forms, and neither cased nor ignorable for the last sigma of a Greek word. So only a pattern to
    remove may look beyond its line, unless it is of single characters.
    """
    return all(is_of_characters(step.remove) for step in steps if isinstance(step, Remove))


def _function(step: TextForm | Remove) -> Normalise:
    if isinstance(step, Remove):
        of_characters = is_of_characters(step.remove)
        return _character_remover(step.remove) if of_characters else _remover(step.remove)
    if step == "lowercase":
        return str.lower
    form: Any = step.upper()
    return partial(unicodedata.normalize, form)


def _remover(pattern: str) -> Normalise:
    """Build the function that removes what a pattern matches.

    It raises InputError for a text that takes too long: some patterns try all ways to match.
    """
    compiled = regex.compile(pattern)

    def remove(text: str) -> str:
        try:
            return compiled.sub("", text, timeout=PATTERN_SECONDS)
        except TimeoutError:
            what = f"the pattern {pattern!r} of `normalise` takes more than {PATTERN_SECONDS} s"
            raise InputError(
                f"{what} on {cropped(text)}: write it without nested repeats"
            ) from None

    return remove


def is_of_characters(pattern: str) -> bool:
    r"""Return whether a pattern surely matches single characters, or runs of them, and no more.

    >>> is_of_characters(r"[^a-z\s]"), is_of_characters(r"^[a-z]")
    (True, False)
    """
    return _OF_CHARACTERS.fullmatch(pattern) is not None


def _character_remover(pattern: str) -> Normalise:
    """Build the function that removes the characters that a pattern matches, except line ends."""
    match = regex.compile(pattern).match
    table = _Asked(lambda character: character != "\n" and match(character) is not None)
    removed = bytes(code for code in range(128) if table[code] is None)

    def remove(text: str) -> str:
        left = text.encode(*_CODEC).translate(None, removed)
        if not left.isascii():
            left = _BEYOND_ASCII.sub(
                lambda run: run[0].decode(*_CODEC).translate(table).encode(*_CODEC), left
            )
        return left.decode(*_CODEC)

    return remove


class _Asked(dict[int, int | None]):
    """A table for `str.translate` that asks once for each character."""

    def __init__(self, removes: Callable[[str], bool]) -> None:
        self._removes = removes

    def __missing__(self, code: int) -> int | None:
        self[code] = None if self._removes(chr(code)) else code
        return self[code]
