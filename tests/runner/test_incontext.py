"""Words cut in context: their states by hand, and every metric by going through running words."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.incontext import Matching, Tokens, Told, running
from tokbench.api import (
    BOW,
    AdditiveMetric,
    BeginMark,
    LineTokens,
    Marks,
    Segmentation,
    TextSegmenter,
    Vocabulary,
    WholeMetric,
)
from tokbench.api.segmentation import HEAD, TAIL, WHOLE, WIDE, Context
from tokbench.config import NamedMetric
from tokbench.corpora.load import TestCorpus
from tokbench.metrics import tokbench_metrics
from tokbench.runner import incontext
from tokbench.runner.bench import Bench
from tokbench.runner.failures import Failures
from tokbench.runner.incontext import portions, segment_alone, segment_in_context
from tokbench.runner.promises import BrokenPromiseError
from tokbench.runner.scoring import score
from tokbench.runner.segmenting import segment
from tokbench.stats import MOST_UNITS

ARRAYS = ("word", "row", "ids", "starts", "ends", "restored")


def cut(
    vocabulary: Vocabulary, segmenter: TextSegmenter, *lines: str, **of_words: Any
) -> Segmentation:
    """Cut lines in context."""
    words, text = running(*lines, **of_words)
    return segment_in_context(words, text, vocabulary, segmenter, segmenter.prepare(vocabulary))


def context_of(segmentation: Segmentation) -> Context:
    assert segmentation.context is not None
    return segmentation.context


def test_states_by_hand() -> None:
    """` cat` and `cat` are two states of cat; the space of `a cat` stands outside."""
    vocabulary = Vocabulary(("the", " cat", "cat", "a", " "))
    tokens: Mapping[str, Tokens] = {
        "the cat": [(0, 0, 3), (1, 3, 7)],
        "a cat": [(3, 0, 1), (4, 1, 2), (2, 2, 5)],
        "cat": [(2, 0, 3)],
    }
    found = cut(vocabulary, Told(tokens=tokens), "the cat", "a cat", "cat")
    assert found.words.text == ("the", "cat", "a")
    assert found.word.tolist() == [0, 1, 1, 2]
    assert found.row.tolist() == [0, 1, 2, 3, 4]
    assert found.ids.tolist() == [0, 1, 2, 3]
    assert found.starts.tolist() == [0, 0, 0, 0]
    assert found.ends.tolist() == [3, 3, 3, 1]
    assert found.restored.tolist() == [True] * 4
    assert context_of(found).order.tolist() == [0, 1, 3, 2, 2]
    assert context_of(found).part.tolist() == [WHOLE, WIDE, WHOLE, WHOLE]
    assert context_of(found).outside.tolist() == [0, 1, 0]
    assert found.count.tolist() == [1, 1, 2, 1]
    assert found.line_tokens.tolist() == [2, 3, 1]
    assert found.kept_whole.tolist() == [True] * 4


def test_a_token_of_two_words_by_hand() -> None:
    """`New York` is one token, then `er`; alone, York is another state."""
    vocabulary = Vocabulary(("New York", "er", "York", " "))
    tokens: Mapping[str, Tokens] = {
        "New Yorker": [(0, 0, 8), (1, 8, 10)],
        "York": [(2, 0, 4)],
        " York": [(3, 0, 1), (2, 1, 5)],
    }
    found = cut(vocabulary, Told(tokens=tokens), "New Yorker", "York", " York")
    assert found.words.text == ("New", "Yorker", "York")
    assert found.ids.tolist() == [0, 0, 1, 2]
    assert context_of(found).part.tolist() == [HEAD, TAIL, WHOLE, WHOLE]
    assert found.tokens.tolist() == [1, 1, 1]
    assert found.rows.tolist() == [1, 2, 1]
    assert found.shared.tolist() == [True, True, False, False]
    assert found.kept_whole.tolist() == [False, False, True]
    assert found.restored.tolist() == [True, True, True]
    assert found.oov.tolist() == [False] * 3
    assert found.boundaries(1) == {4}
    assert found.line_tokens.tolist() == [2, 1, 2]
    assert found.histogram.toarray().tolist() == [
        [1, 0, 0, 0, 0],
        [0, 1, 0, 0, 0],
        [0, 0, 1, 0, 0],
    ]


def test_dropped_bytes_and_unknown_tokens() -> None:
    """The é is under no token, the x under one that is not known."""
    vocabulary = Vocabulary(("<unk>", "a", "b"), unknown=0)
    tokens: Mapping[str, Tokens] = {
        "aéb": [(1, 0, 1), (2, 3, 4)],
        "axb": [(1, 0, 1), (0, 1, 2), (2, 2, 3)],
        "ab": [(1, 0, 1), (-1, 1, 2)],
    }
    found = cut(vocabulary, Told(tokens=tokens), *tokens)
    assert found.dropped.tolist() == [2, 0, 0]
    assert found.unknown_tokens.tolist() == [0, 1, 1]
    assert found.unknown_chars.tolist() == [1, 1, 1]
    assert found.oov.tolist() == [True] * 3
    assert found.restored.tolist() == [False] * 3


def test_a_character_shared_by_tokens_is_whole() -> None:
    """The bytes of 안 as three tokens that each cover all of it, as some libraries say."""
    vocabulary = Vocabulary(("\xec", "\x95", "\x88", " a"), units="bytes")
    tokens: Mapping[str, Tokens] = {"안 a": [(0, 0, 3), (1, 0, 3), (2, 0, 3), (3, 3, 5)]}
    found = cut(vocabulary, Told(tokens=tokens), "안 a")
    assert found.tokens.tolist() == [3, 1]
    assert found.dropped.tolist() == [0, 0]
    assert found.unknown_chars.tolist() == [0, 0]
    assert found.restored.tolist() == [True, True]
    assert found.boundaries(0) == frozenset()


def test_a_token_that_begins_inside_a_character() -> None:
    vocabulary = Vocabulary(("a\xec", "\x95\x88"), units="bytes")
    tokens: Mapping[str, Tokens] = {"a안": [(0, 0, 2), (1, 2, 4)], "a": [(-1, 0, 1)]}
    found = cut(vocabulary, Told(tokens=tokens), "a안", "a")
    assert found.restored.tolist() == [True, False]
    assert found.unknown_chars.tolist() == [0, 1]
    assert found.boundaries(0) == {2}


def test_marks_are_no_text() -> None:
    """A begin mark alone stands before its word, as SentencePiece writes it."""
    marks = Marks(bow=BeginMark(kind="separate"))
    vocabulary = Vocabulary((BOW, f"{BOW}low", "er"), marks=marks)
    tokens: Mapping[str, Tokens] = {
        "lower low": [(1, 0, 3), (2, 3, 5), (1, 5, 9)],
        "er": [(0, 0, 0), (2, 0, 2)],
    }
    found = cut(vocabulary, Told(tokens=tokens), *tokens)
    assert found.restored.tolist() == [True, True, True]
    assert found.tokens.tolist() == [2, 1, 2]
    assert found.kept_whole.tolist() == [False, True, True]


def test_a_token_that_says_something_else_restores_nothing() -> None:
    vocabulary = Vocabulary(("low", "LOW", "New York", "no work"))
    tokens: Mapping[str, Tokens] = {
        "LOW low": [(0, 0, 3), (0, 4, 7)],
        "New York": [(2, 0, 8)],
        "no York": [(3, 0, 7)],
    }
    found = cut(vocabulary, Told(tokens=tokens), *tokens)
    # York is cut in two ways: in `New York`, and in what is read as `no work`.
    assert found.words.text == ("LOW", "low", "New", "York", "no")
    assert found.word.tolist() == [0, 1, 2, 3, 3, 4]
    assert found.restored.tolist() == [False, True, True, True, False, True]


def test_what_stands_around_a_word_is_no_loss() -> None:
    """A tab before `low`, brackets that a splitter leaves out around it, a line separator after."""
    vocabulary = Vocabulary(("\tlow", "(low)", "low\u2028", "x"))
    tokens: Mapping[str, Tokens] = {
        "\tlow": [(0, 0, 4)],
        "low\u2028": [(2, 0, 6)],
        "x low": [(3, 0, 1), (0, 1, 5)],
    }
    found = cut(vocabulary, Told(tokens=tokens), *tokens)
    assert found.words.text == ("low", "x")
    assert found.restored.all()


def test_more_than_the_word_restores_it_only_where_another_word_shares_the_token() -> None:
    """` b` ends the last of three tokens that share 안; nothing but b stands where abc is said."""
    vocabulary = Vocabulary(("\xec", "\x95", "\x88 b", "abc"), units="bytes")
    tokens: Mapping[str, Tokens] = {"안 b": [(0, 0, 3), (1, 0, 3), (2, 0, 5)], "c b": [(3, 2, 3)]}
    found = cut(vocabulary, Told(tokens=tokens), *tokens)
    assert found.words.text == ("안", "b", "c")
    assert context_of(found).part.tolist() == [WHOLE, WHOLE, HEAD, TAIL, WHOLE]
    assert found.restored.tolist() == [True, True, False, False]


def test_words_alone_are_lines_of_their_own() -> None:
    vocabulary = Vocabulary((" cat", "cat", "s"))
    tokens: Mapping[str, Tokens] = {
        "a cat": [(-1, 0, 1), (0, 1, 5)],
        "a": [(-1, 0, 1)],
        "cat": [(1, 0, 3)],
    }
    words, _ = running("a cat", "cat")
    found = segment_alone(words, vocabulary, Told(tokens=tokens), None)
    assert found.context is None
    assert found.ids.tolist() == [-1, 1]
    assert found.restored.tolist() == [False, True]
    assert found.outside.tolist() == [0, 0]
    again = segment(words, vocabulary, Told(tokens=tokens), None)
    assert all(np.array_equal(getattr(found, name), getattr(again, name)) for name in ARRAYS)


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
def test_wrong_offsets_are_refused(case: str) -> None:
    tokens, message = WRONG[case]
    given: Mapping[str, Tokens] = {"a": [(0, 0, 1)], "the cat": tokens}
    with pytest.raises(BrokenPromiseError) as caught:
        cut(Vocabulary(("the",)), Told(tokens=given), "a", "the cat")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "segment_lines gave list, not LineTokens"),
        ({"row": [0, 1]}, "its tokens' `row` does not fit 2 lines"),
        ({"row": [1, 1, 2]}, "its tokens' `row` does not fit 2 lines"),
        ({"row": [0, 1, 1]}, "its tokens' `row` does not fit 2 lines"),
        ({"row": [0, 3, 2]}, "its tokens' `row` does not fit 2 lines"),
        ({"starts": [0]}, "its tokens' arrays do not fit together"),
        ({"ends": [1, 1, 1]}, "its tokens' arrays do not fit together"),
        ({"ids": [0.5, 1.0]}, "its tokens' `ids` is no array of whole numbers"),
        ({"starts": [[0, 0]]}, "its tokens' `starts` is no array of whole numbers"),
        ({"row": None}, "its tokens' `row` is no array of whole numbers"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(given: Any, message: str) -> None:
    right = {"row": [0, 1, 2], "ids": [0, 0], "starts": [0, 0], "ends": [1, 1]}

    class Wrong(TextSegmenter):
        def segment_lines(self, lines: Any, prepared: Any) -> Any:
            return LineTokens(**{**right, **given}) if isinstance(given, dict) else given

    with pytest.raises(BrokenPromiseError) as caught:
        cut(Vocabulary(("a",)), Wrong(), "a", "a")
    assert message in str(caught.value)


def test_portions_hold_whole_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    def of(*sizes: int) -> list[tuple[int, int]]:
        return [*portions(np.array(sizes, dtype=np.int64))]

    assert of(3, 4, 5) == [(0, 3)]
    monkeypatch.setattr(incontext, "_BYTES_AT_A_TIME", 6)
    assert of(3, 4, 5, 1) == [(0, 1), (1, 2), (2, 4)]
    assert of(100) == [(0, 1)]
    assert of(2, 100, 2) == [(0, 1), (1, 3)]
    for sizes in ((1,), (7, 1, 1, 1, 1, 1, 1, 1), (6, 6, 6)):
        found = of(*sizes)
        assert (found[0][0], found[-1][1]) == (0, len(sizes))
        assert all(begin < end for begin, end in found)
        assert all(end == begin for (_, end), (begin, _) in pairwise(found))


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
    LINE.map("".join).filter(lambda line: bool(line.strip(" "))), min_size=1, max_size=25
)
TRAIN = {"a": 3, "ab": 1, "b": 2}


def brute(whole: Segmentation, patterns: str, lines: list[str]) -> Segmentation:
    """Give each running word a state of its own, cut line by line, byte by byte."""
    segmenter = Matching(pattern=patterns)
    states: list[tuple[int, int, list[tuple[int, int, int, int]]]] = []
    outside, number = [], 0
    for line, (first, last) in zip(lines, pairwise(whole.words.lines.tolist()), strict=True):
        found = segmenter.segment_lines([line], VOCABULARY)
        spans = [*zip(found.ids.tolist(), found.starts.tolist(), found.ends.tolist(), strict=True)]
        rows: dict[int, list[tuple[int, int, int, int]]] = {w: [] for w in range(first, last)}
        places, at = {}, 0
        raw = line.encode()
        for place in range(first, last):
            word = whole.words.text[whole.words.order[place]].encode()
            begin = raw.index(word, at)
            at = begin + len(word)
            places[place] = (begin, at)
        beside = 0
        for i, start, end in spans:
            inside = [
                place for place, (begin, stop) in places.items() if start < stop and begin < end
            ]
            beside += not inside
            for nth, place in enumerate(inside):
                begin, stop = places[place]
                part = WHOLE if len(inside) == 1 else TAIL if nth else HEAD
                part = WIDE if part == WHOLE and (start < begin or end > stop) else part
                clipped = (max(start, begin) - begin, min(end, stop) - begin)
                rows[place].append((i, *clipped, part))
        outside.append(beside)
        for place in range(first, last):
            states.append((int(whole.words.order[place]), number, rows[place]))
            number += 1
    # States stand by word, as those of all segmentations do.
    states.sort(key=lambda state: state[0])
    flat = [row for _, _, rows in states for row in rows]
    ids, starts, ends, part = np.array(flat, dtype=np.int64).reshape(-1, 4).T
    order = np.empty(number, dtype=np.uint32)
    order[[running for _, running, _ in states]] = np.arange(number)
    return Segmentation(
        words=whole.words,
        vocabulary=VOCABULARY,
        word=np.array([word for word, _, _ in states], dtype=np.int64),
        row=np.cumsum([0, *(len(rows) for _, _, rows in states)]),
        ids=ids,
        starts=starts,
        ends=ends,
        restored=whole.restored[context_of(whole).order][
            np.array([running for _, running, _ in states])
        ],
        context=Context(order, part.astype(np.int8), np.array(outside, dtype=np.int64)),
    )


def told(segmentation: Segmentation) -> list[list[tuple[int, ...]]]:
    """Give the rows of each running word, in the order of the text."""
    part = context_of(segmentation).part
    columns = (segmentation.ids, segmentation.starts, segmentation.ends, part)
    rows = [*zip(*(column.tolist() for column in columns), strict=True)]
    row = segmentation.row.tolist()
    return [rows[row[s] : row[s + 1]] for s in context_of(segmentation).order.tolist()]


@settings(max_examples=150, deadline=None)
@given(LINES, st.sampled_from(PATTERNS))
def test_every_running_word_has_its_own_cut(lines: list[str], pattern: str) -> None:
    found = cut(VOCABULARY, Matching(pattern=pattern), *lines)
    right = brute(found, pattern, lines)
    assert told(found) == told(right)
    assert context_of(found).outside.tolist() == context_of(right).outside.tolist()
    assert found.words.order.tolist() == found.word[context_of(found).order].tolist()
    states = [
        (int(found.word[s]), tuple(told(found)[i]))
        for i, s in enumerate(context_of(found).order.tolist())
    ]
    assert len(set(states)) == len(found), "each way to cut a word is one state"
    everything = Matching(pattern=pattern).segment_lines(lines, VOCABULARY)
    assert int(found.line_tokens.sum()) == len(everything.ids), "each token is counted once"


@settings(max_examples=50, deadline=None)
@given(LINES, st.sampled_from(PATTERNS), st.integers(1, 12))
def test_portions_change_nothing(lines: list[str], pattern: str, at_a_time: int) -> None:
    segmenter = Matching(pattern=pattern)
    whole = cut(VOCABULARY, segmenter, *lines)
    alone = segment_alone(whole.words, VOCABULARY, segmenter, VOCABULARY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(incontext, "_BYTES_AT_A_TIME", at_a_time)
        parts = cut(VOCABULARY, segmenter, *lines)
        alone_in_parts = segment_alone(whole.words, VOCABULARY, segmenter, VOCABULARY)
    for one, other in ((whole, parts), (alone, alone_in_parts)):
        assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ARRAYS)
    for name, values in vars(context_of(whole)).items():
        assert np.array_equal(values, getattr(context_of(parts), name))


class MostFrequent(AdditiveMetric):
    """The share of the most frequent token of distinct words, from a histogram."""

    formula, range, unit, denominator = "max / sum", (0, 1), "word", "bins"

    def count(self, segmentation: Segmentation) -> Mapping[str, Any]:
        return {"bins": segmentation.histogram}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        return np.max(sums["bins"], axis=-1) / np.sum(sums["bins"], axis=-1)


METRICS = {
    "most-frequent": MostFrequent(),
} | {
    name: metric()
    for name, metric in tokbench_metrics().items()
    if not any(field.is_required() for field in metric.model_fields.values())
}


def scored(
    segmentation: Segmentation, resamples: int = 3, most: int = MOST_UNITS
) -> tuple[Bench, Mapping[tuple[str, str], Any]]:
    corpus = TestCorpus("t", "text", segmentation.words, "0" * 64, "whitespace")
    bench = Bench.prepare(corpus, resamples=resamples, seed=0, most=most)
    failures = Failures()
    named = [NamedMetric(name, metric) for name, metric in METRICS.items()]
    found = score(bench, named, segmentation, failures)
    assert not failures.failures
    return bench, found


def by_running_words(metric: Any, right: Segmentation, subset: np.ndarray, weights: Any) -> float:
    """Go through running words, or through the mean of each distinct word, weighted by unit.

    `right` has one state for each running word; `weights` has a number for each line or word.
    """
    if isinstance(metric, WholeMetric):
        return float(metric.measure(right))
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


@settings(max_examples=20, deadline=None)
@given(LINES, st.sampled_from(PATTERNS))
def test_every_metric_by_going_through_running_words(lines: list[str], pattern: str) -> None:
    """With unit line sums over what occurs, with unit word means over how each word occurs."""
    found = cut(VOCABULARY, Matching(pattern=pattern), *lines, train=TRAIN)
    right = brute(found, pattern, lines)
    bench, estimates = scored(found)
    assert {name for name, _ in estimates} == {
        name for name, metric in METRICS.items() if "gold" not in metric.needs
    }
    for (name, subset), estimate in estimates.items():
        metric = METRICS[name]
        units = len(found.words.lines) - 1 if metric.unit == "line" else len(found.words)
        value = by_running_words(metric, right, bench.subsets[subset], np.ones(units))
        assert estimate.value == pytest.approx(value, nan_ok=True, rel=1e-12), (name, subset)


def test_every_resample_by_going_through_running_words() -> None:
    """Of fifty lines, and of as many lines in blocks of two or three."""
    lines = ["ab bc a", "b c ab", "a安 b", " ab c a q", "bc bc", "é c a"] * 5
    lines += [f"{letter * 3} {letter}b c" for letter in "abcdefghijklmnopqrstuvw"]
    pattern = PATTERNS[0]
    found = cut(VOCABULARY, Matching(pattern=pattern), *lines, train=TRAIN)
    right = brute(found, pattern, lines)
    assert len(found) > len(found.words), "some words are cut in several ways"
    bench, estimates = scored(found)
    sampled = 0
    for (name, subset), estimate in estimates.items():
        metric = METRICS[name]
        units = len(lines) if metric.unit == "line" else len(found.words)
        value = by_running_words(metric, right, bench.subsets[subset], np.ones(units))
        assert estimate.value == pytest.approx(value, nan_ok=True, rel=1e-12), name
        if estimate.samples is None:
            continue
        drawn = np.concatenate(list(bench.weights[metric.unit].chunks(1)))
        values = [by_running_words(metric, right, bench.subsets[subset], row) for row in drawn]
        assert estimate.samples.tolist() == pytest.approx(values, nan_ok=True, rel=1e-12), name
        sampled += 1
    assert sampled > 15
    blocked, in_blocks = scored(found, most=23)
    ends = blocked.blocks["line"]
    drawn = np.concatenate(list(blocked.weights["line"].chunks(1)))
    by_line = np.repeat(drawn, np.diff(ends), axis=1)
    fertility = METRICS["fertility"]
    values = [by_running_words(fertility, right, blocked.subsets["all"], row) for row in by_line]
    assert in_blocks["fertility", "all"].samples.tolist() == pytest.approx(values)


@settings(max_examples=20, deadline=None)
@given(LINES, st.sampled_from([r"[^ ]", r"[abc]+|é", r"ab|[^ ]"]))
def test_without_an_effect_of_context_every_metric_is_as_of_words_alone(
    lines: list[str], pattern: str
) -> None:
    segmenter = Matching(pattern=pattern)
    found = cut(VOCABULARY, segmenter, *lines, train=TRAIN)
    alone = segment_alone(found.words, VOCABULARY, segmenter, VOCABULARY)
    for name in ARRAYS:
        assert np.array_equal(getattr(found, name), getattr(alone, name)), name
    (_, in_context), (_, isolated) = scored(found), scored(alone)
    # Only what is about context has no value without one.
    of_context = {name for name, metric in METRICS.items() if "context" in metric.needs}
    assert {name for name, _ in in_context.keys() - isolated.keys()} <= of_context
    for key, estimate in isolated.items():
        other = in_context[key]
        assert isinstance(METRICS[key[0]], AdditiveMetric | WholeMetric)
        assert (estimate.value, estimate.n) == pytest.approx(
            (other.value, other.n), nan_ok=True, rel=1e-12
        ), key
        if estimate.samples is not None:
            assert other.samples.tolist() == pytest.approx(estimate.samples.tolist(), nan_ok=True)


def test_the_same_lines_give_the_same_twice() -> None:
    lines = ["ab bc a", "b c ab", "é c a"] * 4
    one, other = (cut(VOCABULARY, Matching(pattern=PATTERNS[0]), *lines) for _ in range(2))
    for name in ARRAYS:
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()
    for name, values in vars(context_of(one)).items():
        assert values.tobytes() == getattr(context_of(other), name).tobytes()
