"""The text that tokens write: its bytes, the edges of its words, its lines."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
import regex

from tokbench.api import Segmenter, ToldEdge, Vocabulary
from tokbench.api.arrays import LineTokens, Segmentation
from tokbench.api.segmentation import covered_bytes, ends_before
from tokbench.api.text import BOW, CONTINUATION, EOW, decoded
from tokbench.api.tokenizer import REPLACEMENT
from tokbench.api.words import Flags, Ints, byte_lengths
from tokbench.cut.bound import BoundSegmenter

OPEN = -1
"""The number of bytes of the unknown token, which stands for text of any length."""

SPACE = "▁"
"""The spelling of a mark that stands for a space of the text."""


MERGED_SHARE = 0.01
"""Of the tokens of a text: from here on its tokenizer is said to merge across words."""

_TWO_WORDS = regex.compile(rf"[\p{{L}}\p{{N}}][\s{SPACE}]+[\p{{L}}\p{{N}}]")


class DifferentToken(NamedTuple):
    """A token that does not write as many bytes as it covers; `text` is what it covers."""

    id: int
    text: str
    covers: int
    writes: int


class TextBytes(NamedTuple):
    """The number of bytes of a text, that its tokens write, and that no token covers."""

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
    """The number of bytes of text that each token of a vocabulary writes, by id.

    If words are cut alone, marks write nothing. If lines are cut, a mark at the beginning of a
    word, such as ▁, writes the space that it stands for. But many tokenizers add a space of their
    own before (or after) each line: then the token at this `edge` of a line writes the bytes
    `at_edge`, one less if it has that space; any other writes those `inside`. Special tokens, which
    are never produced, write nothing. The unknown token has OPEN.
    """

    bound: BoundSegmenter
    inside: Ints
    at_edge: Ints
    edge: Literal["beginning", "end", "none"]

    @classmethod
    def of(cls, bound: BoundSegmenter) -> "WrittenBytes":
        """Find the bytes of all tokens; raise BrokenPromiseError as cutting a line does."""
        vocabulary = bound.vocabulary
        tokens, texts = vocabulary.tokens, vocabulary.raws
        inside = np.array([*map(len, texts)], dtype=np.int64)
        spaced, ended = np.zeros((2, len(texts)), dtype=bool)
        if bound.cuts_lines:
            spaced[:] = [token.startswith((BOW, " ")) for token in tokens]
            inside += [token.startswith(BOW) for token in tokens]
            if vocabulary.marks.eow.text == SPACE:
                ended[:] = [token.endswith(EOW) for token in tokens]
                inside += ended
        unproduced = [*vocabulary.unproduced]
        inside[unproduced], spaced[unproduced], ended[unproduced] = 0, False, False
        if vocabulary.unknown is not None:
            inside[vocabulary.unknown] = OPEN
        edge: Literal["beginning", "end", "none"] = "end" if ended.any() else "none"
        if bound.cuts_lines and _puts_space_before(bound):
            edge = "beginning"
        added = {"beginning": spaced, "end": ended, "none": np.zeros_like(spaced)}[edge]
        return cls(bound, inside, inside - added, edge)

    def account(self, texts: Sequence[str]) -> Iterator[TextBytes]:
        """Cut lines, or words that each stand alone, and account for the bytes of each."""
        bound = self.bound
        tokens = bound.alone(texts)
        sizes = byte_lengths(texts).tolist()
        covers = covered_bytes(tokens.row, tokens.starts, tokens.ends)
        writes = self._writes(tokens, covers)
        # Nobody knows which bytes of a shared character each token has: compare their sums.
        group = np.cumsum(tokens.starts >= ends_before(tokens.row, tokens.ends))
        together = np.bincount(group, weights=writes - covers, minlength=1)
        different = (writes != covers) & (together[group] != 0)
        for number, text in enumerate(texts):
            rows = slice(tokens.row[number], tokens.row[number + 1])
            utf8 = text.encode("utf-8", "surrogatepass")
            yield TextBytes(
                size=sizes[number],
                written=int(writes[rows].sum()),
                uncovered=sizes[number] - int(covers[rows].sum()),
                different=tuple(
                    DifferentToken(
                        id=int(tokens.ids[row]),
                        text=utf8[tokens.starts[row] : tokens.ends[row]].decode("utf-8", "replace"),
                        covers=int(covers[row]),
                        writes=int(writes[row]),
                    )
                    for row in (np.flatnonzero(different[rows]) + rows.start).tolist()
                ),
            )

    def _writes(self, tokens: LineTokens, covers: Ints) -> Ints:
        """Return the bytes that each token writes; a token without an id writes none."""
        known = tokens.ids >= 0
        writes = np.where(known, self.inside[tokens.ids], 0)
        if self.edge != "none":
            row = tokens.row[:-1] if self.edge == "beginning" else tokens.row[1:] - 1
            at = row[np.diff(tokens.row) > 0]
            # Some tokenizers add no space to a line that begins with one: the token covers it.
            added = known[at] & (covers[at] != writes[at])
            writes[at] = np.where(added, self.at_edge[tokens.ids[at]], writes[at])
        return np.maximum(writes, 0)


def told_edge(bound: BoundSegmenter, pieces: bool = False) -> ToldEdge:
    """Return the edge of each scored word that its tokens tell where words are cut alone.

    Without one, `forever` and `fore ver` have the same ids. A mark tells an edge, and so does the
    space that a tokenizer of lines puts before each word; where each word is one token, both are
    told. If a splitter cuts words into `pieces`, these have the edges, and words have none.
    """
    if pieces:
        return "none"
    if bound.segmenter.whole_words:
        return "both"
    edge = bound.vocabulary.marks.told_edge
    if not bound.cuts_lines or edge == "end":
        return edge
    if _puts_space_before(bound):
        return "beginning"
    # Without a space before a line, a sign for the space is in no word that is cut alone.
    return edge if bound.vocabulary.marks.bow.kind == "absent" else "none"


def merges_words(vocabulary: Vocabulary, cuts: Iterable[Segmentation]) -> bool:
    """Return whether more than one token in a hundred holds the space between two words.

    A word that shares such a token has no length of its own. Words that are cut alone share none.
    """
    joined = [bool(_TWO_WORDS.search(decoded(raw))) for raw in vocabulary.raws]
    ids = np.flatnonzero(joined)
    if not len(ids):
        return False
    in_context = [cut for cut in cuts if cut.context is not None]
    merged = [cut.count @ cut.sum_tokens(np.isin(cut.ids, ids) & cut.counted) for cut in in_context]
    return bool(sum(merged) > MERGED_SHARE * sum(cut.count @ cut.tokens for cut in in_context))


@dataclass(frozen=True, eq=False)
class WrittenLines:
    """The text that the tokens of whole lines write, spaces included.

    A mark of an edge writes the space between two words; a continuation mark writes none, any
    other token beside such marks writes a space before it. The space that a tokenizer adds at the
    `edge` of each line is left out. `writes` has the bytes of each token by id, and at the end
    those of an unknown one, U+FFFD. A segmenter with a `decode` of its own uses that instead.
    """

    bound: BoundSegmenter
    edge: ToldEdge
    writes: Sequence[bytes]

    @classmethod
    def of(cls, bound: BoundSegmenter) -> "WrittenLines":
        """Find the bytes of all tokens; raise BrokenPromiseError as cutting a line does."""
        vocabulary = bound.vocabulary
        continues = vocabulary.marks.continuation.kind == "fused"
        writes = [
            b" " * (token.startswith(BOW) or (continues and not token.startswith(CONTINUATION)))
            + raw
            + b" " * token.endswith(EOW)
            for token, raw in zip(vocabulary.tokens, vocabulary.raws, strict=True)
        ]
        unknown = REPLACEMENT.encode()
        for i in vocabulary.unproduced:
            writes[i] = unknown
        return cls(bound, told_edge(bound), [*writes, unknown])

    def returned(self, lines: Sequence[str], tokens: LineTokens) -> Flags:
        """Return for each line whether its tokens write exactly this line."""
        written: Iterator[bytes]
        if type(self.bound.segmenter).decode is Segmenter.decode:
            pieces = [self.writes[i] for i in tokens.ids.tolist()]
            written = (b"".join(pieces[a:b]) for a, b in pairwise(tokens.row.tolist()))
        else:
            texts = self.bound.decode(tokens.row, tokens.ids)
            written = (text.encode("utf-8", "surrogatepass") for text in texts)
        before, after = b" " * (self.edge == "beginning"), b" " * (self.edge == "end")
        return np.array(
            [
                text.removeprefix(before).removesuffix(after)
                == line.encode("utf-8", "surrogatepass")
                for text, line in zip(written, lines, strict=True)
            ],
            dtype=bool,
        )


def _puts_space_before(bound: BoundSegmenter) -> bool:
    """Return whether the first token of a line that begins with no space has a space."""
    tokens, raws = bound.vocabulary.tokens, bound.vocabulary.raws
    for token, raw in zip(tokens, raws, strict=True):
        line = raw.decode("utf-8", "replace").strip()
        if line and token.startswith((BOW, " ")):
            ids = bound.lines([line]).ids
            return len(ids) > 0 and ids[0] >= 0 and tokens[ids[0]].startswith((BOW, " "))
    return False
