"""The tokens of one vocabulary by what becomes of them; loads NumPy."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from tokbench.api import BOW, CONTINUATION, EOW, UsedVocabulary

NEIGHBOURS = 10
"""An unreachable token is looked for beside so many characters."""

LONGEST_TRIED = 50
"""Longer tokens are not tried, and not called unreachable: each would be a long text 111 times."""

AT_ONCE = 2_000

MARKS = BOW + EOW + CONTINUATION

Flags = NDArray[np.bool_]
"""Which of the tokens, by id."""


@dataclass(frozen=True, eq=False)
class TokenFates:
    """The tokens of a vocabulary: by kind, and those that never come or stand for the same."""

    kinds: Mapping[str, Flags]
    never_training: Flags
    never_test: Flags
    unreachable: Flags
    near_duplicates: Flags
    cutting: Flags

    @classmethod
    def of(cls, used: UsedVocabulary) -> "TokenFates":
        """Look at each token of a vocabulary."""
        vocabulary, none = used.vocabulary, np.zeros(len(used.vocabulary.tokens), np.bool_)
        bare = [token.strip(MARKS) for token in vocabulary.tokens]
        short = np.array([*map(len, bare)]) == 1
        special = _flags(none, vocabulary.unproduced)
        single = _flags(none, vocabulary.bytes)
        single = (single | short if vocabulary.units == "bytes" else single) & ~special
        letters = _flags(none, (vocabulary.ids[letter] for letter in vocabulary.alphabet))
        letters = (letters | short) & ~(special | single)
        learned = ~(special | single | letters)
        spelled = _texts(used, bare)
        cutting = np.array([text is None for text in spelled], np.bool_) & ~special
        texts = [text or "" for text in spelled]
        test = ~none if used.test is None else used.test[:-1] == 0
        training = ~none if used.training is None else used.training[:-1] == 0
        return cls(
            kinds={"learned": learned, "alphabet": letters, "byte": single, "special": special},
            never_training=none if used.training is None else training,
            never_test=test,
            unreachable=_unreachable(used, texts, test & training & ~(special | cutting)),
            near_duplicates=_near_duplicates(used, texts, learned),
            cutting=cutting,
        )


def _flags(none: Flags, ids: Iterable[int]) -> Flags:
    """Return flags of some ids."""
    flags = none.copy()
    flags[[*ids]] = True
    return flags


def _texts(used: UsedVocabulary, bare: Sequence[str]) -> Sequence[str | None]:
    """Return the texts of tokens without marks; None if one begins or ends inside a character."""
    vocabulary = used.vocabulary
    texts: list[str | None] = [*bare]
    if vocabulary.units == "bytes":
        texts = [_of_bytes(token, used.in_context) for token in vocabulary.tokens]
    for i, byte in vocabulary.bytes.items():
        texts[i] = chr(byte) if byte < 0x80 else None
    return texts


def _of_bytes(token: str, in_context: bool) -> str | None:
    try:
        text = token.encode("latin-1").decode("utf-8", "surrogatepass")
    except UnicodeError:  # a special token may hold what is no byte
        return None
    return text if in_context else text.removeprefix(" ")


def _near_duplicates(used: UsedVocabulary, texts: Sequence[str], learned: Flags) -> Flags:
    """Return the tokens that differ from one before them by case or by a space at the beginning."""
    first: dict[str, int] = {}
    found = []
    for i in np.flatnonzero(learned).tolist():
        end = used.vocabulary.tokens[i][-1:]
        edge = end if end in (EOW, CONTINUATION) else ""
        plain = texts[i].lstrip(" ▁").casefold() + edge
        if plain != edge and first.setdefault(plain, i) != i:
            found.append(i)
    return _flags(np.zeros_like(learned), found)


def _unreachable(used: UsedVocabulary, texts: Sequence[str], wanted: Flags) -> Flags:
    """Return the wanted tokens that come from none of the places where their text may stand."""
    left = wanted & (np.array([*map(len, texts)]) <= LONGEST_TRIED)
    for fitting, places in _places(used):
        ids = np.flatnonzero(left & fitting)
        step = max(AT_ONCE // len(places), 1)
        # What is reached meanwhile is cut in vain.
        for begin in range(0, len(ids), step):
            some = ids[begin : begin + step]
            tried = [texts[i] for i in some.tolist()]
            placed = [before + text + behind for before, behind in places for text in tried]
            allowed = [_can_be_cut(text, used.in_context) for text in placed]
            if any(allowed):
                cut = used.cut([*compress(placed, allowed)])
                number = np.repeat(np.tile(some, len(places))[allowed], np.diff(cut.row))
                left[number[cut.ids == number]] = False
    return left


def _places(used: UsedVocabulary) -> Iterator[tuple[Flags, Sequence[tuple[str, str]]]]:
    """Return what stands before and behind a text: where it may, and of which tokens."""
    tokens, around = used.vocabulary.tokens, used.characters[:NEIGHBOURS]
    anywhere = np.ones(len(tokens), np.bool_)
    yield anywhere, [("", "")]
    if used.in_context:
        yield anywhere, [(" ", "")]
    if around:
        # In bytes a space at the beginning marks a word that is cut alone.
        spaced = used.vocabulary.units == "bytes" and not used.in_context
        open_before = [BOW not in t and not (spaced and t.startswith(" ")) for t in tokens]
        open_behind = [EOW not in t for t in tokens]
        before, behind = np.array([open_before, open_behind], np.bool_)
        yield before, [(char, "") for char in around]
        yield behind, [("", char) for char in around]
        yield before & behind, [(left, right) for left in around for right in around]


def _can_be_cut(text: str, in_context: bool) -> bool:
    """Return whether a text is a line, or a word, which holds no white space."""
    return bool(text) if in_context else text.split() == [text]
