"""Normalisation: what is done to each line or entry before its words are found."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal

import regex

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
    functions = [_function(step) for step in steps]

    def normalise(text: str) -> str:
        for function in functions:
            text = function(text)
        return text

    return normalise


def _function(step: Form | Remove) -> Normalise:
    if isinstance(step, Remove):
        return partial(regex.compile(step.remove).sub, "")
    if step == "lowercase":
        return str.lower
    return partial(unicodedata.normalize, _FORMS[step])
