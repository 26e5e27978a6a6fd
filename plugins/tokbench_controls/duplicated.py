"""The control `duplicated`: several tokens that say the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pydantic import Field
from tokbench_bpe.learner import Bpe
from tokbench_bpe.merging import Merges
from tokbench_bpe.segmenters import BpeRank

from tokbench.api import (
    CONTINUATION,
    BeginMark,
    Decision,
    EndMark,
    Explanation,
    Learner,
    Marks,
    Size,
    SizeError,
    TextSegmenter,
    Vocabulary,
    byte_length,
)
from tokbench_controls.drawing import drawn

if TYPE_CHECKING:
    from tokbench.api import LineTokens


class Duplicated(Learner):
    """Byte pair encoding in context of whose tokens there are several copies, used at random.

    Which copy stands at a place is a hash of the seed, the line and the place, so it says nothing.
    The text takes as many tokens as with one copy of each. All copies count in |V|. Source:
    Cognetta and others (2024), Two Counterexamples to Tokenization and the Noiseless Channel, who
    raise Rényi efficiency in this way while models get worse.
    """

    copies: int = Field(2, ge=1, description="how many tokens there are of each")
    seed: int = Field(0, description="the seed that draws which copy stands where")

    @property
    def order_free(self) -> bool:
        """Counts alone decide."""
        return True

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Learn as many tokens as there is room for with all their copies.

        Raises SizeError where a total size is below the copies of the alphabet.
        """
        part = size
        if size.total is not None:
            part = Size(total=size.total // self.copies)
        try:
            base = Bpe(eow=EndMark(kind="absent"), bow=BeginMark(kind="fused")).learn(words, part)
        except SizeError as error:
            least = error.minimum * self.copies
            raise SizeError(f"{least} tokens are {self.copies} of each letter", least) from None
        copied = (token + CONTINUATION * k for k in range(self.copies) for token in base.tokens)
        return replace(
            base,
            tokens=tuple(copied),
            segmenter={"use": "duplicated", "copies": self.copies, "seed": self.seed},
        )


@dataclass(frozen=True, eq=False)
class Copies:
    """A vocabulary of copies, and the tokens of each word as byte pair encoding cuts it.

    A token of a word is an id of the first copy, -1 if it is unknown, and its UTF-8 bytes.
    """

    base: int
    merges: Merges
    words: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def cut(self, word: str) -> list[tuple[int, int]]:
        """Cut a word, once."""
        found = self.words.get(word)
        if found is None:
            ids = self.merges.vocabulary.ids
            tokens = map(str, BpeRank().segment(word, self.merges))
            found = [(ids.get(token, -1), byte_length(Marks.strip(token))) for token in tokens]
            self.words[word] = found
        return found


class DuplicatedSegmenter(TextSegmenter):
    """Cut lines at their spaces, each word by byte pair encoding, and draw the copy of each token.

    The first token of a word writes the space before it too.
    """

    copies: int = Field(2, ge=1, description="how many tokens there are of each")
    seed: int = Field(0, description="the seed that draws which copy stands where")

    def prepare(self, vocabulary: Vocabulary) -> Copies:
        """Take the first copy of each token; raises InputError where there are no merges."""
        many = len(vocabulary.tokens) // self.copies
        base = replace(vocabulary, tokens=vocabulary.tokens[:many])
        return Copies(many, BpeRank().prepare(base))

    def segment_lines(self, lines: Sequence[str], prepared: Copies) -> "LineTokens":
        """Cut lines; spaces beyond the one before a word are in no token."""
        import numpy as np

        from tokbench.api import LineTokens

        row, ids, starts, ends = [0], list[int](), list[int](), list[int]()
        for line in lines:
            at = 0
            for number, word in enumerate(line.split(" ")):
                begin = at - 1 if number else at
                for token, size in prepared.cut(word) if word else ():
                    copy = drawn(self.seed, line, len(ids) - row[-1]) % self.copies
                    ids.append(token if token < 0 else token + copy * prepared.base)
                    at += size
                    starts.append(begin)
                    ends.append(at)
                    begin = at
                at += 1
            row.append(len(ids))
        arrays = (np.array(values, dtype=np.int64) for values in (row, ids, starts, ends))
        return LineTokens(*arrays)

    def explain(self, word: str, prepared: Copies) -> Explanation:
        """Show which copy of each token was drawn, the first one as number 1."""
        tokens, names = self.segment(word, prepared), prepared.merges.vocabulary.tokens
        found: list[dict[str, object]] = []
        for token in tokens:
            number = token[0] if isinstance(token, tuple) else token
            if isinstance(number, int) and number >= 0:
                copy, of = divmod(number, prepared.base)
                found.append({"token": (names[of],), "copy": copy + 1})
            else:  # an unknown one has no copies
                found.append({"token": None, "copy": None})
        why = "a hash of the seed, the line and the place draws the copy"
        return Explanation([Decision("copies", found, range(len(found)), why)], tokens)
