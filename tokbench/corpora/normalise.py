"""Normalisation: what is done to each line or entry before its words are found."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal

import regex

from tokbench.corpora.removal import CharacterRemover, is_of_characters
from tokbench.corpora.source import Form, Remove

_FORMS: Mapping[Form, Literal["NFC", "NFD", "NFKC", "NFKD"]] = {
    "nfc": "NFC",
    "nfd": "NFD",
    "nfkc": "NFKC",
    "nfkd": "NFKD",
}

Normalise = Callable[[str], str]


def normaliser(steps: Sequence[Form | Remove]) -> Normalise:
    """Give the function that takes all steps in order."""
    return _composed([_function(step) for step in steps])


def joint_normaliser(steps: Sequence[Form | Remove]) -> Normalise | None:
    """Give a function that does to joined lines what all steps do to each; None if there is none.

    A line end, like other ASCII white space, is a starter that composes with nothing in Unicode's
    forms, and neither cased nor ignorable for the last sigma of a Greek word. So only a pattern to
    remove may look beyond its line, unless it is of single characters.
    """
    patterns = [step.remove for step in steps if isinstance(step, Remove)]
    if not all(map(is_of_characters, patterns)):
        return None
    return _composed([_joint_function(step) for step in steps])


def _composed(functions: Sequence[Normalise]) -> Normalise:
    def normalise(text: str) -> str:
        for function in functions:
            text = function(text)
        return text

    return normalise


def _joint_function(step: Form | Remove) -> Normalise:
    return CharacterRemover(step.remove) if isinstance(step, Remove) else _function(step)


def _function(step: Form | Remove) -> Normalise:
    if isinstance(step, Remove):
        return partial(regex.compile(step.remove).sub, "")
    if step == "lowercase":
        return str.lower
    return partial(unicodedata.normalize, _FORMS[step])
