"""The bytes of a text that each token writes, and whether they add up to the text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from tokbench.api import BOW, EOW, LineTokens
from tokbench.api.segmentation import covered_bytes, ends_before
from tokbench.api.words import Ints, byte_lengths
from tokbench.cut.bound import BoundSegmenter

OPEN = -1
"""Stands for the bytes of a token that the text decides: the unknown one."""

SPACE = "▁"
"""How the space after a word is spelled, where it is a part of the text and no mere mark."""


class DifferentToken(NamedTuple):
    """A token of a text that does not write as many bytes as it covers; `text` is its place."""

    id: int
    text: str
    covers: int
    writes: int


class TextBytes(NamedTuple):
    """The bytes of a text, those that its tokens write, and those that no token covers."""

    size: int
    written: int
    uncovered: int
    different: tuple[DifferentToken, ...]

    @property
    def adds_up(self) -> bool:
        """Whether every token writes as much as it covers, and all of the text is covered."""
        return self.size == self.written and not self.different


@dataclass(frozen=True, eq=False)
class WrittenBytes:
    """The bytes of text that each token of a vocabulary writes, by id.

    A mark writes none where words are cut alone. Where lines are cut, a mark at the beginning of a
    word, such as ▁, writes the space that it stands for. But many tokenizers put a space of their
    own before (or after) each line. Then the token at this `edge` of a line writes the bytes
    `at_edge`, one less if it has that space. Special tokens, which are never produced, write none.
    The unknown token has OPEN.
    """

    bound: BoundSegmenter
    inside: Ints
    at_edge: Ints
    edge: Literal["beginning", "end", "none"]

    @classmethod
    def of(cls, bound: BoundSegmenter) -> "WrittenBytes":
        """Find the bytes of all tokens; raises BrokenPromiseError as cutting a line does."""
        vocabulary = bound.vocabulary
        tokens, texts = vocabulary.tokens, vocabulary.raws()
        inside = np.array([*map(len, texts)], dtype=np.int64)
        first, last = np.zeros((2, len(texts)), dtype=bool)
        if bound.cuts_lines:
            first[:] = [token.startswith((BOW, " ")) for token in tokens]
            inside += [token.startswith(BOW) for token in tokens]
            if vocabulary.marks.eow.text == SPACE:
                last[:] = [token.endswith(EOW) for token in tokens]
                inside += last
        unproduced = [*vocabulary.unproduced]
        inside[unproduced], first[unproduced], last[unproduced] = 0, False, False
        if vocabulary.unknown is not None:
            inside[vocabulary.unknown] = OPEN
        edge: Literal["beginning", "end", "none"] = "end" if last.any() else "none"
        if _puts_space_before(bound, first, texts):
            edge = "beginning"
        own = {"beginning": first, "end": last, "none": np.zeros_like(first)}[edge]
        return cls(bound, inside, inside - own, edge)

    def account(self, texts: Sequence[str]) -> Iterator[TextBytes]:
        """Cut lines, or words that each stand alone, and account for the bytes of each."""
        bound = self.bound
        found = bound.alone(texts)
        sizes = byte_lengths(texts).tolist()
        covers = covered_bytes(found.row, found.starts, found.ends)
        # Tokens that overlap the token before them form a group with it.
        group = np.cumsum(found.starts >= ends_before(found.row, found.ends))
        writes = self._writes(found, covers)
        # Where tokens share a character, nobody knows which of its bytes each has.
        together = np.bincount(group, weights=writes - covers, minlength=1)
        different = (writes != covers) & (together[group] != 0)
        for number, text in enumerate(texts):
            rows = slice(found.row[number], found.row[number + 1])
            utf8 = text.encode("utf-8", "surrogatepass")
            yield TextBytes(
                size=sizes[number],
                written=int(writes[rows].sum()),
                uncovered=sizes[number] - int(covers[rows].sum()),
                different=tuple(
                    DifferentToken(
                        id=int(found.ids[row]),
                        text=utf8[found.starts[row] : found.ends[row]].decode("utf-8", "replace"),
                        covers=int(covers[row]),
                        writes=int(writes[row]),
                    )
                    for row in (np.flatnonzero(different[rows]) + rows.start).tolist()
                ),
            )

    def _writes(self, found: LineTokens, covers: Ints) -> Ints:
        """Return the bytes that each token of lines writes; what is not known writes none.

        Some tokenizers put no space before a line that begins with one: the token covers it then.
        """
        known = found.ids >= 0
        writes = np.where(known, self.inside[found.ids], 0)
        if self.edge != "none":
            row = found.row[:-1] if self.edge == "beginning" else found.row[1:] - 1
            at = row[np.diff(found.row) > 0]
            own = known[at] & (covers[at] != writes[at])
            writes[at] = np.where(own, self.at_edge[found.ids[at]], writes[at])
        return np.maximum(writes, 0)


def _puts_space_before(bound: BoundSegmenter, spaced: Ints, texts: Sequence[bytes]) -> bool:
    """Cut a line that begins with no space, and see whether its first token has one."""
    for i in np.flatnonzero(spaced).tolist():
        if line := texts[i].decode("utf-8", "replace").strip():
            ids = bound.lines([line]).ids
            return len(ids) > 0 and ids[0] >= 0 and bool(spaced[ids[0]])
    return False
