"""Statistics of the training text's tokens: formulas of the papers, on cases worked by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiny import installed, tiny_run
from tokbench.api import Learned, Learner, Segmenter, Size, Vocabulary
from tokbench.api.arrays import Timeline
from tokbench.api.component import Use
from tokbench.cut import BoundSegmenter, BrokenPromiseError
from tokbench.cut.training import by_class, training_counts
from tokbench.run_folder.tables import SizeStatistics, cells, columns
from tokbench.sizes.statistics import (
    class_imbalance,
    entropy,
    frequency_95,
    mean_length,
    rare,
    size_statistics,
)

WORDS = {"ab": 4, "abc": 2, "b": 1, "c": 1}


def build(kind: Any, name: str, **options: Any) -> Any:
    return installed().build(kind, Use.model_validate({"use": name, **options}))


def cuts(vocabulary: Vocabulary, *sizes: int) -> dict[str, Vocabulary]:
    return {str(size): vocabulary.cut(Size(total=size)) for size in sizes}


class Anew(Segmenter):
    """Segments as another does, but without its timeline."""

    wrapped: Segmenter

    def prepare(self, vocabulary: Vocabulary) -> Any:
        return self.wrapped.prepare(vocabulary)

    def segment(self, word: str, prepared: Any) -> Sequence[Any]:
        return self.wrapped.segment(word, prepared)


class Cut(Segmenter):
    """Segments each word as a table says."""

    table: dict[str, list[Any]]

    def segment(self, word: str, prepared: Any) -> Sequence[Any]:
        return self.table[word]


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([5, 5, 5, 5], 0),
        ([2, 1, 1], 1 / 6),  # (1/2 - 1/3 + 1/3 - 1/4 + 1/3 - 1/4) / 2
        ([4, 0], 1 / 2),  # a token that never occurs is a class too
        ([9, 0, 0, 0, 0], 4 / 5),
        ([7], 0),
        ([0, 0], None),
    ],
)
def test_class_imbalance(counts: list[int], expected: float | None) -> None:
    imbalance = class_imbalance(np.array(counts))
    assert imbalance == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        (range(1, 21), 2),  # 19 of 20 classes: all but the one that occurs once
        (range(1, 41), 3),  # 38 of 40
        (range(1, 22), 2),  # 95 % of 21 are 19.95: 20 classes
        ([8, 3, 5], 3),  # fewer than 20 classes: all of them
        ([8, 0, 5], 0),
        ([0, 0], None),
    ],
)
def test_the_frequency_that_95_percent_of_classes_reach(
    counts: Sequence[int], expected: int | None
) -> None:
    assert frequency_95(np.array(counts)) == expected


@given(st.lists(st.integers(0, 50), min_size=1, max_size=200).filter(any))
def test_the_frequency_is_the_greatest_that_95_percent_reach(counts: list[int]) -> None:
    reached = [f for f in range(51) if 100 * sum(c >= f for c in counts) >= 95 * len(counts)]
    assert frequency_95(np.array(counts)) == max(reached)


def test_entropy_is_in_nats_per_character_of_the_mean_token() -> None:
    assert entropy(np.array([1, 1]), 2.0) == pytest.approx(log(2) / 2)
    expected = (0.5 * log(2) + 2 * 0.25 * log(4)) / 1.5
    assert entropy(np.array([2, 1, 0, 1]), 1.5) == pytest.approx(expected)
    assert entropy(np.array([0, 0]), 2.0) is None
    assert entropy(np.array([1, 1]), None) is None
    assert entropy(np.array([1, 1]), 0.0) is None, "all tokens are bare marks"


def test_the_mean_length_counts_characters_of_produced_tokens_only() -> None:
    """a, est with a mark, a bare mark, a byte: 1, 3, 0 and 1; special and unknown left out."""
    tokens = ("[PAD]", "<unk>", "a", "est\ufdd1", "\ufdd1", "<0xEC>")
    vocabulary = Vocabulary(tokens, special=(0,), unknown=1, bytes={5: 0xEC})
    assert mean_length(vocabulary) == 5 / 4
    assert mean_length(Vocabulary(("[PAD]",), special=(0,))) is None


def test_the_worked_example() -> None:
    """a, b, c; then ab; then abc, over ab 4, abc 2, b 1, c 1.

    As letters: a 6, b 7, c 3 of 16. With ab: ab 6, b 1, c 3 of 10. With abc: ab 4, abc 2, b 1, c 1.
    """
    vocabulary = build("learner", "bpe", eow="absent").learn(WORDS, Size(total=5))
    at_sizes = cuts(vocabulary, 3, 4, 5)
    counts = training_counts(WORDS, BoundSegmenter(build("segmenter", "bpe"), vocabulary), at_sizes)
    assert {size: by_id.tolist() for size, by_id in counts.items()} == {
        "3": [6, 7, 3, 0],
        "4": [0, 1, 3, 6, 0],
        "5": [0, 1, 1, 4, 2, 0],
    }
    backwards = [(size, at_sizes[size], counts[size]) for size in ("5", "4", "3")]
    small, middle, large = size_statistics("bpe", backwards)
    assert [row.size for row in (small, middle, large)] == ["3", "4", "5"]
    assert [row.tokens for row in (small, middle, large)] == [16, 10, 8]
    assert [row.token_length for row in (small, middle, large)] == [1, 5 / 4, 8 / 5]
    assert middle.class_imbalance == pytest.approx((1 / 4 + 3 / 20 + 1 / 20 + 7 / 20) / 2)
    assert (small.frequency_95, middle.frequency_95, large.frequency_95) == (3, 0, 0)
    before = -(6 * log(6 / 16) + 7 * log(7 / 16) + 3 * log(3 / 16)) / 16
    after = -(6 * log(6 / 10) + 1 * log(1 / 10) + 3 * log(3 / 10)) / 10 / 1.25
    assert (small.entropy, middle.entropy) == (pytest.approx(before), pytest.approx(after))
    assert small.muv is None
    assert middle.muv == pytest.approx(-(after - before) / 1)
    assert dict(zip(columns(SizeStatistics), cells(small), strict=True)) == {
        "system": "bpe",
        "size": "3",
        "vocabulary-size": "3",
        "tokens": "16",
        "class-imbalance": "0.145833333333",
        "frequency-95": "3",
        "token-length": "1",
        "entropy": format(before, ".12g"),
        "muv": "",
        "rare": "",
    }


def test_rare_tokens_are_learned_ones_that_no_longer_token_holds() -> None:
    """Of ab, abc (which holds ab), cd and ef the last three count; a byte, a letter do not."""
    vocabulary = Vocabulary(
        tokens=("<unk>", "a", "b", "c", "d", "e", "f", "ab", "abc", "cd", "ef", "<0x41>"),
        alphabet=("a", "b", "c", "d", "e", "f"),
        learned=(
            Learned(("a", "b")), Learned(("ab", "c")), Learned(("c", "d")), Learned(("e", "f")),
        ),
        unknown=0,
        bytes={11: 0x41},
    )  # fmt: skip
    counts = np.array([0, 0, 0, 0, 0, 0, 0, 3, 9, 10, 0, 0, 5])
    assert rare(vocabulary, counts) == pytest.approx(2 / 3)


def test_muv_is_per_token_that_was_added() -> None:
    two, four = Vocabulary(("a", "b")), Vocabulary(("a", "b", "ab", "ba"))
    even, sole = np.array([1, 1, 0]), np.array([0, 0, 5, 0, 0])
    _, after, again = size_statistics("x", [("2", two, even), ("4", four, sole), ("9", four, sole)])
    assert after.muv == pytest.approx(log(2) / 2)
    assert again.muv is None, "the training text allowed no more tokens"


def test_what_is_not_known_is_one_class_more() -> None:
    vocabulary = Vocabulary(("[PAD]", "<unk>", "a", "b"), special=(0,), unknown=1)
    assert by_class(vocabulary, np.array([0, 0, 3, 4, 0])).tolist() == [3, 4]
    assert by_class(vocabulary, np.array([1, 5, 3, 4, 2])).tolist() == [3, 4, 8]
    word = build("learner", "word").learn(WORDS, Size(total=2))
    bound = BoundSegmenter(build("segmenter", "word"), word)
    assert training_counts(WORDS, bound, {"2": word})["2"].tolist() == [4, 2, 2]


def test_pairs_count_and_dropped_text_does_not() -> None:
    table = {"ab": [("a", 1), (None, 1)], "abc": ["a", ("x", 1), "c"], "b": [("b", 1)], "c": ["c"]}
    vocabulary = Vocabulary(("a", "b", "c"))
    bound = BoundSegmenter(Cut(table=table), vocabulary)
    counts = training_counts(WORDS, bound, {"3": vocabulary})["3"]
    assert counts.tolist() == [6, 1, 3, 2], "the four b of `ab` are dropped, the x is not known"


def test_many_words_are_counted_some_at_a_time() -> None:
    """40,000 words are more than one batch; each is one unknown token, or b and one."""
    vocabulary = Vocabulary(("b",), segmenter={"use": "char"})
    words = {"b" * (1 + number % 2) + chr(0x4E00 + number // 2): 1 for number in range(40_000)}
    bound = BoundSegmenter(build("segmenter", "char"), vocabulary)
    assert training_counts(words, bound, {"1": vocabulary})["1"].tolist() == [60_000, 40_000]


class Backwards(Learner):
    """Returns the ids of learned tokens in reverse, so that a cut renumbers all of them."""

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        items = (Learned(("a", "b")), Learned(("ab", "c")))
        return Vocabulary(
            ("abc", "ab", "a", "b", "c"), ("a", "b", "c"), items, segmenter={"use": "bpe"}
        )


def test_a_vocabulary_whose_cuts_have_other_ids_is_segmented_anew() -> None:
    vocabulary = Backwards().learn(WORDS, Size(total=5))
    by_size = training_counts(
        WORDS, BoundSegmenter(build("segmenter", "bpe"), vocabulary), cuts(vocabulary, 3, 4, 5)
    )
    counts = [by_id.tolist() for by_id in by_size.values()]
    assert counts == [[6, 7, 3, 0], [6, 0, 1, 3, 0], [2, 4, 0, 1, 1, 0]]


BAD = """
from tokbench.api import Learner, Segmenter, Vocabulary, hookimpl

class Silent(Learner):
    "Names no segmenter."
    def learn(self, words, size):
        return Vocabulary(tuple(words)[:size.number])

class Picky(Segmenter):
    "Cannot cut a word that stands in the training text alone."
    def segment(self, word, prepared):
        if word == "b":
            raise ValueError("no b, please")
        return [word]

@hookimpl
def tokbench_learners():
    return {"silent": Silent}

@hookimpl
def tokbench_segmenters():
    return {"picky": Picky}
"""


def test_what_fails_on_the_training_text_costs_only_that(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, BAD, systems="[{learner: word, segmenter: picky}]", sizes="[2, 3]")
    (failure,) = run.failures
    where = "system word+picky: tokens of the training text"
    assert failure == f"{where}: ValueError: no b, please (plugin.py:13)"
    assert run.sizes == ()
    assert {row.size for row in run.rows} == {"2", "3"}


def test_a_size_that_could_not_be_scored_is_not_looked_at_again(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, BAD, systems="[silent]", sizes="[2, 3]")
    assert [failure.partition(": ")[0] for failure in run.record.failures] == [
        "system silent at size 2",
        "system silent at size 3",
    ]


def test_a_timeline_that_is_wrong_on_the_training_text_is_refused() -> None:
    vocabulary = build("learner", "bpe", eow="absent").learn(WORDS, Size(total=5))
    right = build("segmenter", "bpe")

    class Wrong(Anew):
        def timeline(self, words: Sequence[str], prepared: Any, since: int = 0) -> Timeline:
            states = right.timeline(words, prepared, since)
            return replace(states, ids=states.ids + 1)

    bound = BoundSegmenter(Wrong(wrapped=right), vocabulary)
    with pytest.raises(BrokenPromiseError, match="hold an id that its vocabulary does not"):
        training_counts(WORDS, bound, cuts(vocabulary, 3, 5))


texts = st.dictionaries(
    st.text(st.sampled_from("abc\u0301가\x00\ud800"), min_size=1, max_size=8),
    st.integers(1, 9),
    min_size=1,
    max_size=12,
)


@given(texts, st.sampled_from(["absent", "fused", "separate", "fenced"]), st.booleans())
def test_a_timeline_gives_the_counts_of_segmenting_each_cut(
    words: dict[str, int], eow: str, longest: bool
) -> None:
    vocabulary = build("learner", "bpe", eow=eow).learn(words, Size(learned=9))
    segmenter = build("segmenter", "longest-match" if longest else "bpe")
    sizes = {str(m): vocabulary.cut(Size(learned=m)) for m in (7, 0, 2)}
    assert segmenter.timeline(tuple(words), segmenter.prepare(vocabulary)) is not None
    replayed = training_counts(words, BoundSegmenter(segmenter, vocabulary), sizes)
    anew = training_counts(words, BoundSegmenter(Anew(wrapped=segmenter), vocabulary), sizes)
    assert {m: counts.tolist() for m, counts in replayed.items()} == {
        m: counts.tolist() for m, counts in anew.items()
    }
