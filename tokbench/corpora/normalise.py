"""Normalisation: what is done to each line or entry before its words are found."""

import unicodedata
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import regex

from tokbench.corpora.source import Remove, TextForm
from tokbench.errors import InputError, cropped

Normalise = Callable[[str], str]

PATTERN_SECONDS = 20
"""How long a pattern may take on one line; a right one takes a moment."""


def normaliser(steps: Sequence[TextForm | Remove]) -> Normalise:
    """Build the function that takes all steps in order."""
    functions = [_function(step) for step in steps]

    def normalise(text: str) -> str:
        for function in functions:
            text = function(text)
        return text

    return normalise


def _function(step: TextForm | Remove) -> Normalise:
    if isinstance(step, Remove):
        return _remover(step.remove)
    if step == "lowercase":
        return str.lower
    form: Any = step.upper()
    return partial(unicodedata.normalize, form)


def _remover(pattern: str) -> Normalise:
    """Build the function that removes what a pattern matches.

    It raises InputError for a text that takes too long: some patterns try all ways to match.
    """
    compiled = regex.compile(pattern)
    # Looking at the clock takes as long as removing, and only repeats and choices may need it.
    seconds = PATTERN_SECONDS if set(pattern) & set("*+?{|(") else None

    def remove(text: str) -> str:
        try:
            return compiled.sub("", text, timeout=seconds)
        except TimeoutError:
            what = f"the pattern {pattern!r} of `normalise` takes more than {PATTERN_SECONDS} s"
            raise InputError(
                f"{what} on {cropped(text)}: write it without nested repeats"
            ) from None

    return remove
