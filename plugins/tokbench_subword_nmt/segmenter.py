"""The segmenter `subword-nmt`: merges applied by the program's own class."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tokbench_bpe.explaining import explain_merges

from tokbench.api import Explanation, InputError, Learned, Segmenter, Vocabulary
from tokbench.api.text import EOW
from tokbench_subword_nmt import NeedsSubwordNmt
from tokbench_subword_nmt.learner import MARKS
from tokbench_subword_nmt.spelling import hidden

if TYPE_CHECKING:
    from subword_nmt.apply_bpe import BPE

SEPARATOR = "@@"


class SubwordNmtSegmenter(NeedsSubwordNmt, Segmenter):
    """Merge the pair learned first, everywhere in the word, as `subword-nmt apply-bpe` does.

    Works with vocabularies of merges whose end of a word is fused, such as those of the learners
    `subword-nmt` and `bpe`. The program's `@@` is taken off again.
    """

    def prepare(self, vocabulary: Vocabulary) -> BPE | None:
        """Hand the merges to the program; None where there are none, which it cannot read.

        Raises InputError for a vocabulary that has other marks, or learned more than pairs.
        """
        from subword_nmt.apply_bpe import BPE

        marks = vocabulary.marks
        if {marks.bow.kind, marks.continuation.kind} != {"absent"} or marks.eow.kind != "fused":
            raise InputError(
                "segmenter subword-nmt: the vocabulary has other marks than subword-nmt:"
                " it needs `eow: fused` and no others"
            )
        if not vocabulary.learned:
            return None
        lines = map(_line, vocabulary.learned)
        return BPE(io.StringIO("\n".join(["#version: 0.2", *lines, ""])), separator=SEPARATOR)

    def segment(self, word: str, prepared: BPE | None) -> Sequence[str]:
        """Cut one word into symbols as far as they are merged."""
        if prepared is None:
            return MARKS.spell(word)
        *before, last = prepared.segment_tokens([hidden(word)])
        return [*(hidden(token.removesuffix(SEPARATOR)) for token in before), hidden(last) + EOW]

    def explain(self, word: str, prepared: BPE | None) -> Explanation:
        """Show at each step the neighbours with their ranks in the program's own table."""
        codes: Mapping[tuple[str, str], int] = {} if prepared is None else prepared.bpe_codes

        def rank(pair: tuple[str, str], done: int) -> int | None:
            left, right = (MARKS.show(hidden(part)) for part in pair)
            return codes.get((left, right))

        return Explanation(*explain_merges(MARKS.spell(word), rank))


def _line(item: Learned) -> str:
    parts = [MARKS.show(hidden(part)) for part in item.parts]
    if len(parts) != 2 or not all(parts):
        raise InputError(
            f"segmenter subword-nmt: the learned item {' '.join(parts)!r} is no pair; it needs a"
            " vocabulary of merges"
        )
    return " ".join(parts)
