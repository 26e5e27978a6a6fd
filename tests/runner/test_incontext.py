"""Words cut in context: their states by hand, and every metric by going through running words."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cutting import CORPUS, SYSTEM, boundaries, made, run_with
from tests.cutting import cut as cut_in
from tests.incontext import (
    SHARED_FIRST,
    SHARED_REST,
    WHOLE,
    GivenTokens,
    InContext,
    Matching,
    Tokens,
)
from tests.offered import offered
from tests.timelines import same
from tests.tiny import FEWER_EXAMPLES, TinyRun, bounds, tiny_run
from tokbench.api import BeginMark, Marks, Metric, TextSegmenter, Vocabulary
from tokbench.api.arrays import LineTokens, Segmentation
from tokbench.api.text import BOW
from tokbench.cut.timeline import batches_of_bytes
from tokbench.errors import TokbenchError
from tokbench.score.resample import draw, interval

Cut = Callable[..., Segmentation]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("in-context")


@pytest.fixture(scope="module")
def cut(folder: Path) -> Cut:
    """Cut lines in context."""
    return lambda vocabulary, segmenter, *lines: cut_in(folder, vocabulary, segmenter, lines)


def segmenter_of(tokens: Mapping[str, Tokens]) -> type[GivenTokens]:
    return made(GivenTokens, tokens=tokens)


def matching(pattern: str) -> type[Matching]:
    return made(Matching, pattern=pattern)


def context_of(segmentation: Segmentation) -> InContext:
    assert segmentation.context is not None
    return segmentation.context


def test_states_by_hand(cut: Cut) -> None:
    """` cat` and `cat` are two states of cat; the space of `a cat` stands outside."""
    vocabulary = Vocabulary(("the", " cat", "cat", "a", " "))
    tokens: Mapping[str, Tokens] = {
        "the cat": [(0, 0, 3), (1, 3, 7)],
        "a cat": [(3, 0, 1), (4, 1, 2), (2, 2, 5)],
        "cat": [(2, 0, 3)],
    }
    cuts = cut(vocabulary, segmenter_of(tokens), "the cat", "a cat", "cat")
    assert cuts.words.text == ("the", "cat", "a")
    assert cuts.word.tolist() == [0, 1, 1, 2]
    assert cuts.row.tolist() == [0, 1, 2, 3, 4]
    assert cuts.ids.tolist() == [0, 1, 2, 3]
    assert cuts.starts.tolist() == [0, 0, 0, 0]
    assert cuts.ends.tolist() == [3, 3, 3, 1]
    assert cuts.round_trip.tolist() == [True] * 4
    assert context_of(cuts).order.tolist() == [0, 1, 3, 2, 2]
    assert context_of(cuts).part.tolist() == [WHOLE] * 4
    assert context_of(cuts).outside.tolist() == [0, 1, 0]
    assert cuts.count.tolist() == [1, 1, 2, 1]
    assert cuts.line_tokens.tolist() == [2, 3, 1]
    assert cuts.kept_whole.tolist() == [True] * 4


def test_a_token_of_two_words_by_hand(cut: Cut) -> None:
    """`New York` is one token, then `er`; alone, York is another state."""
    vocabulary = Vocabulary(("New York", "er", "York", " "))
    tokens: Mapping[str, Tokens] = {
        "New Yorker": [(0, 0, 8), (1, 8, 10)],
        "York": [(2, 0, 4)],
        " York": [(3, 0, 1), (2, 1, 5)],
    }
    cuts = cut(vocabulary, segmenter_of(tokens), "New Yorker", "York", " York")
    assert cuts.words.text == ("New", "Yorker", "York")
    assert cuts.ids.tolist() == [0, 0, 1, 2]
    assert context_of(cuts).part.tolist() == [SHARED_FIRST, SHARED_REST, WHOLE, WHOLE]
    assert cuts.tokens.tolist() == [1, 1, 1]
    assert cuts.rows.tolist() == [1, 2, 1]
    assert cuts.shared.tolist() == [True, True, False, False]
    assert cuts.kept_whole.tolist() == [False, False, True]
    assert cuts.round_trip.tolist() == [True, True, True]
    assert cuts.oov.tolist() == [False] * 3
    assert boundaries(cuts, 1) == {4}
    assert cuts.line_tokens.tolist() == [2, 1, 2]
    assert cuts.histogram.toarray().tolist() == [
        [1, 0, 0, 0, 0],
        [0, 1, 0, 0, 0],
        [0, 0, 1, 0, 0],
    ]


def test_dropped_bytes_and_unknown_tokens(cut: Cut) -> None:
    """The é is under no token, the x under one that is not known."""
    vocabulary = Vocabulary(("<unk>", "a", "b"), unknown=0)
    tokens: Mapping[str, Tokens] = {
        "aéb": [(1, 0, 1), (2, 3, 4)],
        "axb": [(1, 0, 1), (0, 1, 2), (2, 2, 3)],
        "ab": [(1, 0, 1), (-1, 1, 2)],
    }
    cuts = cut(vocabulary, segmenter_of(tokens), *tokens)
    assert cuts.dropped.tolist() == [2, 0, 0]
    assert cuts.unknown_tokens.tolist() == [0, 1, 1]
    assert cuts.unknown_chars.tolist() == [1, 1, 1]
    assert cuts.oov.tolist() == [True] * 3
    assert cuts.round_trip.tolist() == [False] * 3


def test_a_character_shared_by_tokens_is_whole(cut: Cut) -> None:
    """The bytes of 안 as three tokens that each cover all of it, as some libraries say."""
    vocabulary = Vocabulary(("\xec", "\x95", "\x88", " a"), units="bytes")
    tokens: Mapping[str, Tokens] = {"안 a": [(0, 0, 3), (1, 0, 3), (2, 0, 3), (3, 3, 5)]}
    cuts = cut(vocabulary, segmenter_of(tokens), "안 a")
    assert cuts.tokens.tolist() == [3, 1]
    assert cuts.dropped.tolist() == [0, 0]
    assert cuts.unknown_chars.tolist() == [0, 0]
    assert cuts.round_trip.tolist() == [True, True]
    assert boundaries(cuts, 0) == frozenset()


def test_a_token_that_begins_inside_a_character(cut: Cut) -> None:
    vocabulary = Vocabulary(("a\xec", "\x95\x88"), units="bytes")
    tokens: Mapping[str, Tokens] = {"a안": [(0, 0, 2), (1, 2, 4)], "a": [(-1, 0, 1)]}
    cuts = cut(vocabulary, segmenter_of(tokens), "a안", "a")
    assert cuts.round_trip.tolist() == [True, False]
    assert cuts.unknown_chars.tolist() == [0, 1]
    assert boundaries(cuts, 0) == {2}


def test_marks_are_no_text(cut: Cut) -> None:
    """A begin mark alone, as SentencePiece writes it before a word, is outside the word."""
    marks = Marks(bow=BeginMark(kind="separate"))
    vocabulary = Vocabulary((BOW, f"{BOW}low", "er"), marks=marks)
    tokens: Mapping[str, Tokens] = {
        "lower low": [(1, 0, 3), (2, 3, 5), (1, 5, 9)],
        "er": [(0, 0, 0), (2, 0, 2)],
    }
    cuts = cut(vocabulary, segmenter_of(tokens), *tokens)
    assert cuts.round_trip.tolist() == [True, True, True]
    assert cuts.tokens.tolist() == [2, 1, 1]
    assert cuts.outside.tolist() == [0, 1]
    assert cuts.kept_whole.tolist() == [False, True, True]


def test_a_token_that_says_something_else_restores_nothing(cut: Cut) -> None:
    vocabulary = Vocabulary(("low", "LOW", "New York", "no work"))
    tokens: Mapping[str, Tokens] = {
        "LOW low": [(0, 0, 3), (0, 4, 7)],
        "New York": [(2, 0, 8)],
        "no York": [(3, 0, 7)],
    }
    cuts = cut(vocabulary, segmenter_of(tokens), *tokens)
    # York is cut in two ways: in `New York`, and in what is read as `no work`.
    assert cuts.words.text == ("LOW", "low", "New", "York", "no")
    assert cuts.word.tolist() == [0, 1, 2, 3, 3, 4]
    assert cuts.round_trip.tolist() == [False, True, True, True, False, True]


def test_what_stands_around_a_word_is_no_loss(cut: Cut) -> None:
    """A tab before `low`, brackets that a splitter leaves out around it, a line separator after."""
    vocabulary = Vocabulary(("\tlow", "(low)", "low\u2028", "x"))
    tokens: Mapping[str, Tokens] = {
        "\tlow": [(0, 0, 4)],
        "low\u2028": [(2, 0, 6)],
        "x low": [(3, 0, 1), (0, 1, 5)],
    }
    cuts = cut(vocabulary, segmenter_of(tokens), *tokens)
    assert cuts.words.text == ("low", "x")
    assert cuts.round_trip.all()


def test_more_than_the_word_restores_it_only_where_another_word_shares_the_token(cut: Cut) -> None:
    """` b` ends the last of three tokens that share 안; nothing but b stands where abc is said."""
    vocabulary = Vocabulary(("\xec", "\x95", "\x88 b", "abc"), units="bytes")
    tokens: Mapping[str, Tokens] = {"안 b": [(0, 0, 3), (1, 0, 3), (2, 0, 5)], "c b": [(3, 2, 3)]}
    cuts = cut(vocabulary, segmenter_of(tokens), *tokens)
    assert cuts.words.text == ("안", "b", "c")
    assert context_of(cuts).part.tolist() == [WHOLE, WHOLE, SHARED_FIRST, SHARED_REST, WHOLE]
    assert cuts.round_trip.tolist() == [True, True, False, False]


def test_words_alone_are_lines_of_their_own(folder: Path) -> None:
    vocabulary = Vocabulary((" cat", "cat", "s"))
    tokens: Mapping[str, Tokens] = {"a": [(-1, 0, 1)], "cat": [(1, 0, 3)]}
    lines = ["a cat", "cat"]
    cuts = cut_in(folder, vocabulary, segmenter_of(tokens), lines, options=", context: isolated")
    assert cuts.context is None
    assert cuts.ids.tolist() == [-1, 1]
    assert cuts.round_trip.tolist() == [False, True]
    assert cuts.outside.tolist() == [0, 0]


WRONG: Mapping[str, tuple[Any, str]] = {
    "beyond the line": ([(0, 0, 8)], "the token (id, start, end) (0, 0, 8) of 'the cat' lies out"),
    "before the line": ([(0, -1, 3)], "(0, -1, 3) of 'the cat' lies outside it"),
    "turned": ([(0, 3, 2)], "(0, 3, 2) of 'the cat' lies outside it"),
    "starts that fall": ([(0, 4, 5), (0, 3, 6)], "(0, 3, 6) of 'the cat' lies outside it, before"),
    "ends that fall": ([(0, 0, 5), (0, 1, 4)], "(0, 1, 4) of 'the cat' lies outside it, before"),
    "no such id": ([(1, 0, 3)], "(1, 0, 3) of 'the cat' lies outside it, before another, or has"),
    "a negative id": ([(-2, 0, 3)], "(-2, 0, 3) of 'the cat'"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_offsets_are_refused(cut: Cut, case: str) -> None:
    tokens, message = WRONG[case]
    tokens_of_lines: Mapping[str, Tokens] = {"a": [(0, 0, 1)], "the cat": tokens}
    with pytest.raises(TokbenchError) as caught:
        cut(Vocabulary(("the",)), segmenter_of(tokens_of_lines), "a", "the cat")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ([], "segment_lines gave list, not LineTokens"),
        ({"row": [0, 1]}, "its tokens' `row` does not fit 2 lines"),
        ({"row": [1, 1, 2]}, "its tokens' `row` does not fit 2 lines"),
        ({"row": [0, 3, 2]}, "its tokens' `row` does not fit 2 lines"),
        ({"starts": [0]}, "its tokens' arrays do not fit together"),
        ({"ids": [0.5, 1.0]}, "its tokens' `ids` is no array of whole numbers"),
        ({"starts": [[0, 0]]}, "its tokens' `starts` is no array of whole numbers"),
        ({"row": None}, "its tokens' `row` is no array of whole numbers"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(cut: Cut, broken: Any, message: str) -> None:
    right = {"row": [0, 1, 2], "ids": [0, 0], "starts": [0, 0], "ends": [1, 1]}

    class Wrong(TextSegmenter):
        def segment_lines(self, lines: Any, prepared: Any) -> Any:
            return LineTokens(**{**right, **broken}) if isinstance(broken, dict) else broken

    with pytest.raises(TokbenchError) as caught:
        cut(Vocabulary(("a",)), Wrong, "a", "a")
    assert message in str(caught.value)


@contextmanager
def in_portions(most: int) -> Iterator[None]:
    """Give segmenters lines, and words as lines, of so many bytes at once."""
    small = partial(batches_of_bytes, at_once=most)
    with (
        patch("tokbench.cut.words.batches_of_bytes", small),
        patch("tokbench.cut.bound.batches_of_bytes", small),
    ):
        yield


class Remembering(Matching):
    """Remembers how many lines it was given at once."""

    portions: ClassVar[list[int]]

    def segment_lines(self, lines: Sequence[str], prepared: Vocabulary) -> LineTokens:
        self.portions.append(len(lines))
        return super().segment_lines(lines, prepared)


def test_long_texts_are_given_in_portions_of_whole_lines(cut: Cut) -> None:
    """A line of its own, before and after, tells whether a space is put before lines."""
    segmenter = made(Remembering, pattern="[^ ]", portions=[])
    with in_portions(10):
        cuts = cut(VOCABULARY, segmenter, "ab cd", "cd ab", "ab", "cd", "a c d ab c")
    assert segmenter.portions == [1, 1, 3, 1, 1]
    assert cuts.line_tokens.tolist() == [4, 4, 2, 2, 6]


VOCABULARY = Vocabulary(
    ("<unk>", "a", "b", "c", " a", " b", "ab", "b c", " ", "é", "안", "c a", "bc", " ab"), unknown=0
)
PATTERNS = (
    r"b c| ?ab| ?[ab]|bc|[^ ]| ",  # spaces before words, and tokens of two words
    r"c a|b c|[^ ]",  # tokens of two words; spaces under none
    r"[abc]+|é",  # as words, what else there is dropped
    r" ?[^ ]| +",
    r"(?s:.)",
)
LINE = st.lists(st.sampled_from(["a", "b", "c", "ab", "bc", "é", "안", "q", " ", " "]), max_size=8)
LINES = st.lists(
    LINE.map("".join).filter(lambda line: bool(line.strip(" "))), min_size=1, max_size=12
)
TRAIN = "a a a ab b b"


def brute(cuts: Segmentation, pattern: str, lines: list[str]) -> Segmentation:
    """Return each running word a state of its own, cut line by line, byte by byte."""
    segmenter = matching(pattern)()
    states: list[tuple[int, int, list[tuple[int, int, int, int]]]] = []
    outside, number = [], 0
    for line, (first, last) in zip(lines, pairwise(cuts.words.lines.tolist()), strict=True):
        tokens = segmenter.segment_lines([line], VOCABULARY)
        spans = [
            *zip(tokens.ids.tolist(), tokens.starts.tolist(), tokens.ends.tolist(), strict=True)
        ]
        rows: dict[int, list[tuple[int, int, int, int]]] = {w: [] for w in range(first, last)}
        places, at = {}, 0
        raw = line.encode()
        for place in range(first, last):
            word = cuts.words.text[cuts.words.order[place]].encode()
            begin = raw.index(word, at)
            at = begin + len(word)
            places[place] = (begin, at)
        isolated_copy = 0
        for i, start, end in spans:
            inside = [
                place for place, (begin, stop) in places.items() if start < stop and begin < end
            ]
            isolated_copy += not inside
            for nth, place in enumerate(inside):
                begin, stop = places[place]
                part = WHOLE if len(inside) == 1 else SHARED_REST if nth else SHARED_FIRST
                clipped = (max(start, begin) - begin, min(end, stop) - begin)
                rows[place].append((i, *clipped, part))
        outside.append(isolated_copy)
        for place in range(first, last):
            states.append((int(cuts.words.order[place]), number, rows[place]))
            number += 1
    # States stand by word, as those of all segmentations do.
    states.sort(key=lambda state: state[0])
    flat = [row for _, _, rows in states for row in rows]
    ids, starts, ends, part = np.array(flat, dtype=np.int64).reshape(-1, 4).T
    order = np.empty(number, dtype=np.uint32)
    order[[running for _, running, _ in states]] = np.arange(number)
    return Segmentation(
        words=cuts.words,
        vocabulary=VOCABULARY,
        word=np.array([word for word, _, _ in states], dtype=np.int64),
        row=np.cumsum([0, *(len(rows) for _, _, rows in states)]),
        ids=ids,
        starts=starts,
        ends=ends,
        round_trip=cuts.round_trip[context_of(cuts).order][
            np.array([running for _, running, _ in states])
        ],
        context=replace(
            context_of(cuts),
            order=order,
            part=part.astype(np.int8),
            outside=np.array(outside, dtype=np.int64),
        ),
    )


class MostFrequent(Metric):
    """The share of the most frequent token of distinct words, from a histogram."""

    formula, range, unit, denominator = "max / sum", (0, 1), "word", "bins"

    def count(self, segmentation: Segmentation) -> Mapping[str, Any]:
        return {"bins": segmentation.histogram}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        return np.max(sums["bins"], axis=-1) / np.sum(sums["bins"], axis=-1)


METRICS = {"most-frequent": MostFrequent()} | {
    name: metric()
    for name, metric in offered("metric").items()
    if metric.needs.isdisjoint({"gold", "pairs", "training-lines"})
    and not any(field.is_required() for field in metric.model_fields.values())
}


def scored(folder: Path, pattern: str, lines: Sequence[str], **keys: Any) -> TinyRun:
    run = run_with(
        folder, VOCABULARY, matching(pattern), lines, train=TRAIN,
        components={"most_frequent": MostFrequent},
        **{"metrics": f"[{', '.join(METRICS)}]", **keys},
    )  # fmt: skip
    assert run.failures == ()
    return run


def numbers(row: Any) -> list[float]:
    """Return value, n and interval; what is not defined is NaN."""
    values = (row.value, row.n, row.low, row.high)
    return [float("nan") if number is None else number for number in values]


def chosen(segmentation: Segmentation, subset: str) -> np.ndarray:
    unseen: np.ndarray = segmentation.words.train_count == 0
    return (
        np.ones_like(unseen) if subset == "all" else segmentation.words.groups.get(subset, unseen)
    )


def by_running_words(metric: Any, right: Segmentation, subset: np.ndarray, weights: Any) -> float:
    """Go through running words, or through the mean of each distinct word, weighted by unit.

    `right` has one state for each running word; `weights` has a number for each line or word.
    """
    columns = {
        n: c.toarray() if hasattr(c, "toarray") else c for n, c in metric.count(right).items()
    }
    line = np.repeat(np.arange(len(right.words.lines) - 1), np.diff(right.words.lines))
    sums = {}
    for name, column in columns.items():
        if metric.per == "line":
            sums[name] = sum(weights[i] * column[i] for i in range(len(column)))
            continue
        total: Any = 0.0
        for place, state in enumerate(context_of(right).order.tolist()):
            word = right.word[state]
            share = (
                weights[line[place]]
                if metric.unit == "line"
                else weights[word] / right.words.count[word]
            )
            total = total + share * subset[word] * np.asarray(column[state], dtype=float)
        sums[name] = total
    with np.errstate(all="ignore"):
        value = float(metric.score(sums, right.vocabulary.size))
    return value if np.isfinite(value) else float("nan")


@FEWER_EXAMPLES
@given(LINES, st.sampled_from(PATTERNS))
def test_every_metric_by_going_through_running_words(
    folder: Path, lines: list[str], pattern: str
) -> None:
    """With unit line sums over what occurs, with unit word means over how each word occurs."""
    run = scored(folder, pattern, lines)
    cuts = run.segmentation(SYSTEM, CORPUS)
    right = brute(cuts, pattern, lines)
    assert {row.metric for row in run.rows} == {*METRICS}
    for row in run.rows:
        metric = METRICS[row.metric]
        units = len(lines) if metric.unit == "line" else len(cuts.words)
        value = by_running_words(metric, right, chosen(cuts, row.subset), np.ones(units))
        assert numbers(row)[0] == pytest.approx(value, nan_ok=True, rel=1e-11), (
            row.metric,
            row.subset,
        )


def test_every_interval_by_going_through_running_words(folder: Path) -> None:
    lines = ["ab bc a", "b c ab", "a안 b", " ab c a q", "bc bc", "é c a"] * 5
    lines += [f"{letter * 3} {letter}b c" for letter in "abcdefghijklmnopqrstuvw"]
    pattern = PATTERNS[0]
    run = scored(folder, pattern, lines, resamples="3", **{"resample-by": "line"})
    cuts = run.segmentation(SYSTEM, CORPUS)
    right = brute(cuts, pattern, lines)
    assert len(cuts) > len(cuts.words), "some words are cut in several ways"
    units = {"line": len(lines), "word": len(cuts.words)}
    sampled = 0
    for row in run.rows:
        metric = METRICS[row.metric]
        subset = chosen(cuts, row.subset)
        value = by_running_words(metric, right, subset, np.ones(units[metric.unit]))
        assert numbers(row)[0] == pytest.approx(value, nan_ok=True, rel=1e-11), row.metric
        if row.low is None:
            continue
        drawn = draw(units[metric.unit], 3, 0, f"{CORPUS}/{metric.unit}")[1:].astype(float)
        ends = interval(np.array([by_running_words(metric, right, subset, row) for row in drawn]))
        assert (row.low, row.high) == bounds(*ends), row.metric
        sampled += 1
    assert sampled > 15


@pytest.mark.ci
@FEWER_EXAMPLES
@given(LINES, st.sampled_from([r"[^ ]", r"[abc]+|é", r"ab|[^ ]"]))
def test_without_an_effect_of_context_every_metric_is_as_of_words_alone(
    folder: Path, lines: list[str], pattern: str
) -> None:
    with in_portions(9):
        run = scored(folder, pattern, lines, options=", context: both")
    cuts, alone = (
        run.segmentation(SYSTEM, CORPUS, context=context) for context in ("in-context", "isolated")
    )
    assert same(cuts, alone)
    rows = {(row.context, row.metric, row.subset): row for row in run.rows}
    in_context, isolated = (
        {key[1:]: row for key, row in rows.items() if key[0] == context}
        for context in ("in-context", "isolated")
    )
    attention = in_context.pop(("attention-cost", "all"))
    del isolated[("attention-cost", "all")]
    squares = (cuts.line_tokens**2).sum() / sum(len(line) ** 2 for line in lines)
    assert attention.value == pytest.approx(squares, rel=1e-11), "the whole line on both sides"
    # Only what is about context has no value without one.
    of_context = {name for name, metric in METRICS.items() if "context" in metric.needs}
    assert {name for name, _ in in_context.keys() - isolated.keys()} <= of_context
    for key, row in isolated.items():
        assert numbers(row) == pytest.approx(numbers(in_context[key]), rel=1e-11, nan_ok=True), key


@pytest.mark.parametrize("lines", ["apart", "joined"])
def test_soft_hyphens_and_bidi_marks_belong_to_the_tokens_of_their_words(
    tmp_path: Path, lines: str
) -> None:
    """Five words of 22 letters, with 10 bytes of marks inside; a soft hyphen alone is no word."""
    text = "Zu\u00adcker und Zi\u00admt\n\u200fZucker\u200f gut \u00ad\n"
    run = tiny_run(
        tmp_path,
        texts={"train": "Zucker und Zimt\ngut\n", "test": text},
        corpora=f"{{train: train.txt, test: {{held-out: {{path: test.txt, lines: {lines}}}}}}}",
        systems="[utf8-bytes, char]",
        metrics="[fertility, round-trip, unseen-words-running, kept-whole-running]",
    )
    values = {(row.system, row.metric): row.value for row in run.rows if row.subset == "all"}
    assert values["utf8-bytes", "fertility"] == pytest.approx((22 + 10) / 5)
    assert values["char", "fertility"] == pytest.approx(22 / 5)
    for system in ("utf8-bytes", "char"):
        assert values[system, "round-trip"] == 1
        assert values[system, "unseen-words-running"] == 0
