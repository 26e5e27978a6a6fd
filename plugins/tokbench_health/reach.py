"""Which tokens come out of texts: shown by a text, or disproved by the segmenter; loads NumPy."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, compress, islice, pairwise, product

import numpy as np
from numpy.typing import NDArray
from tokbench_bpe.apart import is_inside, stranger

from tokbench.api.arrays import UsedVocabulary
from tokbench.api.text import BOW, EOW

NEIGHBOURS = 10
"""A token is looked for beside so many characters on each side."""

CANDIDATES = 1_000
"""The neighbours are chosen among so many characters."""

LONGEST_TRIED = 50
"""Longer tokens are not looked for beside others: each would be a long text 120 times."""

MOST_SQUARES = 100_000_000
"""The longest tokens are not looked for where the squares of all lengths add up to more: this is
the time that plain programs take. A quarter of a million usual tokens have a sixth of it."""

MOST_TEXTS = 200_000
"""The search beside others ends after about so many texts, which take some seconds."""

AT_ONCE = 50_000

Flags = NDArray[np.bool_]
"""Which of the tokens, by id."""

Place = tuple[int | None, int | None]
"""The ranks of the neighbours before and behind a text, None where nothing stands there."""


@dataclass(eq=False)
class Search:
    """A search for texts that yield tokens.

    `texts` holds the tokens without marks. `left` are those that no text yielded so far, and
    `trials` how many texts were cut for each.
    """

    used: UsedVocabulary
    texts: Sequence[str]
    left: Flags
    trials: NDArray[np.int64]

    @classmethod
    def of(cls, used: UsedVocabulary, texts: Sequence[str], wanted: Flags) -> "Search":
        """Begin to search for the wanted tokens."""
        lengths = np.array([*map(len, texts)], np.int64)
        shortest = np.argsort(lengths, kind="stable")
        squares = np.cumsum(np.where(wanted, lengths**2, 0)[shortest])
        left = wanted.copy()
        left[shortest[squares > MOST_SQUARES]] = False
        return cls(used, texts, left, np.zeros(len(texts), np.int64))

    def alone(self) -> None:
        """Cut each token's text, beside a stranger where the token lacks the mark of an edge."""
        vocabulary, ids = self.used.vocabulary, np.flatnonzero(self.left)
        letter, placed = stranger(vocabulary), []
        for i in ids.tolist():
            before, behind = is_inside(vocabulary.tokens[i], vocabulary.marks)
            placed.append(letter * before + self.texts[i] + letter * behind)
        self._cut(ids, placed)
        if self.used.in_context:
            ids = np.flatnonzero(self.left)
            self._cut(ids, [f" {self.texts[i]}" for i in ids.tolist()])

    def disproved(self) -> Flags | None:
        """Cut the words of the segmenter's proofs; take out, and return, what they do not yield.

        Return None where the segmenter proves nothing.
        """
        ids = np.flatnonzero(self.left)
        words = None if self.used.proofs is None else self.used.proofs(ids.tolist())
        if words is None:
            return None
        # Where no word holds white space, what is not cut is disproved too.
        white = self._white_space()
        proofs = {
            i: word
            for i, word in zip(ids.tolist(), words, strict=True)
            if word is not None and (not white or _can_be_cut(word, self.used.in_context, white))
        }
        settled = np.array([*proofs], np.int64)
        self._cut(settled, [*proofs.values()])
        unreachable = np.zeros_like(self.left)
        unreachable[settled] = self.left[settled]
        self.left &= ~unreachable
        return unreachable

    def beside(self) -> None:
        """Cut the texts of tokens beside characters: before, behind, then on both sides.

        Each kind of place is tried at least once, however many tokens are left.
        """
        self.left &= np.array([*map(len, self.texts)]) <= LONGEST_TRIED
        if not self.left.any():
            return
        near, many = self._neighbours(), 0
        for fitting, places in self._places():
            tried = 0
            while tried < len(places):
                ids = np.flatnonzero(self.left & fitting)
                some = places[tried : tried + max(AT_ONCE // max(len(ids), 1), 1)]
                if tried and many + len(ids) * len(some) > MOST_TEXTS:
                    break
                texts = [self.texts[i] for i in ids.tolist()]
                placed = [_placed(text, place, near) for place in some for text in texts]
                self._cut(np.tile(ids, len(some)), placed)
                many, tried = many + len(placed), tried + len(some)

    def _places(self) -> Iterator[tuple[Flags, Sequence[Place]]]:
        """Yield the places of each kind, and which tokens may stand there."""
        tokens, units = self.used.vocabulary.tokens, self.used.vocabulary.units
        # In bytes a space at the beginning marks a word that is cut alone.
        first = (BOW, " ") if units == "bytes" and not self.used.in_context else (BOW,)
        open_before = np.array([not token.startswith(first) for token in tokens], np.bool_)
        open_behind = np.array([not token.endswith(EOW) for token in tokens], np.bool_)
        ranks = range(NEIGHBOURS)
        yield open_before, [(rank, None) for rank in ranks]
        yield open_behind, [(None, rank) for rank in ranks]
        yield open_before & open_behind, [*product(ranks, ranks)]

    def _neighbours(self) -> Callable[[str, bool], str]:
        """Return a function that chooses characters to stand before, or else behind, a letter.

        First come those that no token joins with it; among equals, the more frequent ones.
        """
        joined = set(chain.from_iterable(map(pairwise, self.texts)))
        letters = sorted(text for text in self.texts if len(text) == 1)
        known = filter(str.isalnum, dict.fromkeys(chain(self.used.characters, letters)))
        among = [*islice(known, CANDIDATES)]

        @cache
        def near(letter: str, before: bool) -> str:
            pairs = (((char, letter) if before else (letter, char)) for char in among)
            apart = (char for char, pair in zip(among, pairs, strict=True) if pair not in joined)
            first = islice(apart, NEIGHBOURS)
            return "".join(islice(dict.fromkeys(chain(first, among)), NEIGHBOURS))

        return near

    def _white_space(self) -> str:
        """Return the white space that words hold: a splitter such as cl100k's keeps some."""
        return "".join(filter(str.isspace, self.used.characters))

    def _cut(self, ids: NDArray[np.int64], texts: Sequence[str]) -> None:
        """Cut a text for each of some tokens; those that come out are left no more."""
        white = self._white_space()
        for begin in range(0, len(ids), AT_ONCE):
            some, tried = ids[begin : begin + AT_ONCE], texts[begin : begin + AT_ONCE]
            allowed = [_can_be_cut(text, self.used.in_context, white) for text in tried]
            if any(allowed):
                cut = self.used.cut([*compress(tried, allowed)])
                number = np.repeat(some[allowed], np.diff(cut.row))
                self.left[number[cut.ids == number]] = False
                np.add.at(self.trials, some[allowed], 1)


def _placed(text: str, place: Place, near: Callable[[str, bool], str]) -> str:
    """Put neighbours beside a text; return no text where there are not so many."""
    before, behind = place
    left = "" if before is None else near(text[:1], True)[before : before + 1]
    right = "" if behind is None else near(text[-1:], False)[behind : behind + 1]
    wanted = (before is not None) + (behind is not None)
    return left + text + right if len(left + right) == wanted else ""


def _can_be_cut(text: str, in_context: bool, white: str) -> bool:
    """Return whether a text is a line, or a word, which holds no other space than `white`."""
    if in_context or not text:
        return bool(text)
    bare = text.translate(dict.fromkeys(map(ord, white)))
    return bare.split() == [bare]
