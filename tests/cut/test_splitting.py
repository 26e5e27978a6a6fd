"""Words that a system cuts in pieces: a word changes when any of its pieces does."""

from pathlib import Path
from typing import Any, ClassVar

from tests.cutting import CORPUS, SYSTEM, Fixed, cut, made, run_with
from tests.tiny import installed
from tokbench.api import Learned, Splitter, Vocabulary

BPE = installed().find("segmenter", "bpe").component


class Dashes(Splitter):
    """Finds what stands between dashes, so that a dash belongs to the piece before."""

    def split(self, text: str) -> list[tuple[int, int]]:
        starts = [0, *(i + 1 for i, letter in enumerate(text[:-1]) if letter == "-")]
        return [(a, a + 1) for a in starts]


class Seen(Fixed):
    """Leaves pieces whole, and remembers which it was given."""

    seen: ClassVar[list[Any]]

    def segment_many(self, words: Any, prepared: Any) -> Any:
        self.seen.append(tuple(words))
        return [[word] for word in words]


def test_each_distinct_piece_is_segmented_once(tmp_path: Path) -> None:
    segmenter = made(Seen, seen=[])
    vocabulary = Vocabulary(("ab-", "c", "c-"))
    cuts = cut(tmp_path, vocabulary, segmenter, ["ab-c c c-ab-c"], split=Dashes)
    assert segmenter.seen == [("ab-", "c", "c-")]
    assert cuts.ids.tolist() == [0, 1, 1, 2, 0, 1]
    assert cuts.row.tolist() == [0, 2, 3, 6]


def test_a_word_changes_when_any_of_its_pieces_does(tmp_path: Path) -> None:
    """한- is joined with 2 learned items and bc with 3; 한-bc has three cuts."""
    learned = [("c", "-"), ("한", "-"), ("b", "c"), ("c", "c")]
    vocabulary = Vocabulary.build(("한", "-", "b", "c"), map(Learned, learned))
    run = run_with(
        tmp_path, vocabulary, BPE, ["한-bc bc 한-b한-"], split=Dashes, merges="[0, 1, 2, 3, 4]"
    )
    assert run.failures == ()
    segmentations = [run.segmentation(SYSTEM, CORPUS, f"merges:{size}") for size in range(5)]
    states = [[seg.pieces(word) for word in range(3)] for seg in segmentations]
    first = [["한", "-", "b", "c"], ["b", "c"], ["한", "-", "b", "한", "-"]]
    second = [["한-", "b", "c"], ["b", "c"], ["한-", "b", "한-"]]
    last = [["한-", "bc"], ["bc"], ["한-", "b", "한-"]]
    assert states == [first, first, second, last, last]
    assert segmentations[3].ids.tolist() == [5, 6, 6, 5, 2, 5]
    assert segmentations[3].ends.tolist() == [4, 6, 2, 4, 5, 9]
