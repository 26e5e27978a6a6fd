"""Unigram: the course's worked figures, brute force over all segmentations, and the promises."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import exp, inf, log
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy.special import digamma as digamma_of_scipy
from tokbench_bpe.textbook import Corpus
from tokbench_unigram.lattice import Lattice
from tokbench_unigram.learner import Unigram
from tokbench_unigram.model import Model, digamma
from tokbench_unigram.pieces import seeds
from tokbench_unigram.segmenter import UnigramBest
from tokbench_unigram.training import losses

from tokbench.api import InputError, Marks, Size, SizeError, Vocabulary
from tokbench.api.text import BOW, CONTINUATION, EOW
from tokbench.cut import BoundSegmenter

HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
NEWEST = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
NO_MARKS = Marks()

# Hugging Face course, chapter 6.7: how often each piece of these words occurs.
COURSE = {
    "h": 15, "u": 36, "g": 20, "p": 17, "n": 16, "b": 4, "s": 5,
    "hu": 15, "ug": 20, "pu": 17, "un": 16, "bu": 4, "hug": 15, "gs": 5, "ugs": 5,
}  # fmt: skip


def of_counts(counts: Mapping[str, int], marks: Marks = NO_MARKS) -> Vocabulary:
    """Make a vocabulary in which a token is as probable as it is frequent."""
    total = sum(counts.values())
    scores = {token: log(count / total) for token, count in counts.items()}
    return Vocabulary(tuple(scores), marks=marks, extra={"scores": scores})


def cut(word: str, vocabulary: Vocabulary, **options: Any) -> list[str]:
    segmenter = UnigramBest.configure(**options)
    return [str(token) for token in segmenter.segment(word, segmenter.prepare(vocabulary))]


def probability(word: str, vocabulary: Vocabulary) -> float:
    """Return the probability of the best segmentation of a word."""
    return exp(sum(vocabulary.extra["scores"][token] for token in cut(word, vocabulary)))


def loss(words: Mapping[str, int], vocabulary: Vocabulary) -> float:
    return sum(-count * log(probability(word, vocabulary)) for word, count in words.items())


def without(token: str, vocabulary: Vocabulary) -> Vocabulary:
    tokens = tuple(kept for kept in vocabulary.tokens if kept != token)
    return Vocabulary(tokens, marks=vocabulary.marks, extra=vocabulary.extra)


def test_hugging_face_course_probabilities() -> None:
    vocabulary = of_counts(COURSE)
    assert sum(COURSE.values()) == 210
    # For pug the page prints 0.0022676, with 5 for the 17 of its own table.
    # p+ug and pu+g are equally probable: the longer last token is taken.
    assert cut("pug", vocabulary) == ["p", "ug"]
    assert cut("unhug", vocabulary) == ["un", "hug"]
    printed = {"hug": 0.071428, "pug": 0.007710, "pun": 0.006168, "bun": 0.001451}
    for word, value in {**printed, "hugs": 0.001701, "unhug": 0.005442}.items():
        assert probability(word, vocabulary) == pytest.approx(value, abs=1e-6)


def test_hugging_face_course_loss() -> None:
    vocabulary = of_counts(COURSE)
    full_loss = loss(HUG, vocabulary)
    assert full_loss == pytest.approx(169.80283910873771, abs=1e-9)
    # Without pu nothing changes, since pug is p+ug as well.
    assert loss(HUG, without("pu", vocabulary)) == pytest.approx(full_loss, abs=1e-9)
    rise = loss(HUG, without("hug", vocabulary)) - full_loss
    assert rise == pytest.approx(23.513752571634768, abs=1e-9)


def cuts(symbols: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """Return the places of all segmentations of symbols; of n there are 2 to the n - 1."""
    for bits in range(2 ** (len(symbols) - 1)):
        yield 0, *(i for i in range(1, len(symbols)) if bits >> (i - 1) & 1), len(symbols)


def ways(symbols: Sequence[str]) -> Iterator[list[str]]:
    """Return all segmentations of symbols."""
    for places in cuts(symbols):
        yield [Marks.join(symbols[a:b]) for a, b in pairwise(places)]


LETTERS = ["a", "b", "\0", "\u0301", "\ud800", "가", "▁", "#", "👩", "ש"]
few = st.text("ab", min_size=1, max_size=7) | st.text(LETTERS, min_size=1, max_size=5)
counted = st.dictionaries(few, st.integers(1, 2**40) | st.integers(1, 3), max_size=7)
edge = st.sampled_from(["absent", "fused", "separate"])
some_marks = st.builds(
    lambda bow, eow, continuation: Marks.model_validate(
        {"bow": bow, "eow": eow, "continuation": continuation}
    ),
    edge,
    edge,
    st.sampled_from(["absent", "fused"]),
)
# Eighths add up without rounding, and so few values often give equal sums.
eighths = st.integers(-24, -1).map(lambda n: n / 8)


@given(st.data(), few, some_marks, st.sampled_from(["double", "single"]))
def test_no_segmentation_has_a_higher_sum(
    data: st.DataObject, word: str, marks: Marks, precision: str
) -> None:
    symbols = marks.spell(word)
    pieces = sorted({piece for way in ways(symbols) for piece in way})
    chosen = data.draw(st.lists(st.sampled_from(pieces), unique=True, max_size=8))
    scores = {token: data.draw(eighths) for token in chosen}
    vocabulary = Vocabulary(tuple(scores), marks=marks, extra={"scores": scores})
    lowest = min(scores.values(), default=0) - 10

    def value(way: list[str]) -> float:
        alone = set(symbols)
        return sum(scores.get(token, lowest if token in alone else -inf) for token in way)

    segmentation = cut(word, vocabulary, precision=precision)
    best = max(map(value, ways(symbols)))
    assert value(segmentation) == best
    # Of equals, the longest last token, then the longest before that, and so on.
    places = max(
        (p for p, way in zip(cuts(symbols), ways(symbols), strict=True) if value(way) == best),
        key=lambda places: [b - a for a, b in pairwise(places)][::-1],
    )
    assert segmentation == [Marks.join(symbols[a:b]) for a, b in pairwise(places)]
    if scores.keys() >= set(symbols):
        lattice = Lattice.of([symbols], vocabulary.ids, len(symbols))
        sums, _, tokens = lattice.best(np.array([*scores.values()]))
        assert sums.tolist() == [best]
        assert [vocabulary.tokens[i] for i in tokens[::-1]] == segmentation


@given(st.data(), st.lists(few, unique=True), some_marks, st.sampled_from(["double", "single"]))
def test_the_kernel_cuts_as_the_plain_loop(
    data: st.DataObject, words: list[str], marks: Marks, precision: Literal["double", "single"]
) -> None:
    pieces = sorted({piece for word in words for way in ways(marks.spell(word)) for piece in way})
    tokens = data.draw(st.lists(st.sampled_from(pieces or ["a"]), unique=True, max_size=12))
    special = (0,) if len(tokens) > 10 else ()  # is not looked for, even where it is a letter
    score = eighths | st.floats(-50, 5)
    scores = {token: data.draw(score) for token in tokens}
    vocabulary = Vocabulary(tuple(tokens), marks=marks, special=special, extra={"scores": scores})
    bound = BoundSegmenter(UnigramBest(precision=precision), vocabulary)
    states = bound.states(words, 0)
    if states is None:
        pytest.skip("no kernel was built")
    _, cut = bound.cut(words)
    assert states.row.tolist() == cut.row.tolist()
    assert states.ids.tolist() == cut.ids.tolist()
    assert states.ends.tolist() == cut.ends.tolist()


@given(counted, some_marks, st.integers(1, 6), st.randoms(use_true_random=False))
def test_expected_counts_are_those_over_all_segmentations(
    words: dict[str, int], marks: Marks, longest: int, random: Any
) -> None:
    spelled = [marks.spell(word) for word in words]
    pieces = sorted({piece for symbols in spelled for way in ways(symbols) for piece in way})
    names = [p for p in pieces if random.random() < 0.7]
    numbers = {name: number for number, name in enumerate(names)}
    scores = np.array([-random.random() * 5 for _ in names])
    lattice = Lattice.of(spelled, numbers, longest)
    actual = lattice.expect(scores, np.array([*words.values()], float))
    expected: Counter[str] = Counter()
    for symbols, count in zip(spelled, words.values(), strict=True):
        sizes = {Marks.join(symbols[a:b]): b - a for a in range(len(symbols))
                 for b in range(a + 1, len(symbols) + 1)}  # fmt: skip
        allowed = [
            way
            for way in ways(symbols)
            if all(sizes[t] == 1 or (t in numbers and sizes[t] <= longest) for t in way)
        ]
        weights = [exp(sum(scores[numbers[t]] for t in way if t in numbers)) for way in allowed]
        for way, weight in zip(allowed, weights, strict=True):
            for token in way:
                expected[token] += count * weight / sum(weights)
    assert actual.tolist() == pytest.approx([expected[name] for name in names], rel=1e-9)


def hug_model() -> Model:
    """Begin with the letters of the course's words, and the pieces that occur twice."""
    corpus = Corpus.spell(HUG, NO_MARKS, "bghnpsu")
    return Model.of(corpus, [*"bghnpsu"], seeds(corpus, "all", 16, 2, 999), 16)


def test_a_round_makes_tokens_as_probable_as_they_are_expected() -> None:
    start = hug_model()
    expected = start.words.expect(start.scores, start.counts)
    assert 0 < expected.min() < 0.5
    now = start.improve(1, bayesian=False, threshold=1e-9, fewest=0)
    assert [*now.tokens] == [*start.tokens]
    assert now.scores == pytest.approx(np.log(expected / expected.sum()), abs=2**-24)
    # What is expected less often is dropped, but for letters, which are as if expected so often.
    fewer = start.improve(1, bayesian=False, threshold=5, fewest=0)
    pairs = zip(start.tokens, expected, strict=True)
    assert [*fewer.tokens] == [t for t, count in pairs if count >= 5 or len(t) == 1]


def test_the_prior_makes_rare_tokens_rarer() -> None:
    x = np.array([1e-3, 0.5, 1.0, 2.5, 6.999, 10.0, 1234.5, 1e15])
    assert digamma(x) == pytest.approx(digamma_of_scipy(x), rel=1e-12, abs=1e-12)
    plain, prior = (
        Unigram.configure(bayesian=bayesian).learn(HUG, Size(learned=5)).extra["scores"]
        for bayesian in (False, True)
    )
    assert sum(map(exp, plain.values())) == pytest.approx(1, abs=1e-6)
    assert sum(map(exp, prior.values())) < 1
    assert prior["b"] - prior[BOW + "pun"] < plain["b"] - plain[BOW + "pun"]


def test_the_loss_of_a_token_is_that_of_writing_it_otherwise() -> None:
    now = hug_model().improve(2, True, 0.5, 0)
    scores = dict(zip(now.tokens, now.scores.tolist(), strict=True))
    vocabulary = Vocabulary(tuple(scores), extra={"scores": scores})
    counts: Counter[str] = Counter()
    for word, count in HUG.items():
        for token in cut(word, vocabulary):
            counts[token] += count
    falls = dict(zip(now.tokens, losses(now).tolist(), strict=True))
    total = sum(counts.values())
    assert {token for token, fall in falls.items() if fall == inf} == set("bghnpsu")
    assert "hug" in counts
    for token, fall in falls.items():
        if len(token) > 1 and not counts[token]:
            assert fall == -inf
        elif len(token) > 1:
            parts = cut(token, without(token, vocabulary))
            own, new_total = counts[token], total + counts[token] * (len(parts) - 1)
            instead = sum(log((counts[part] + own) / new_total) for part in parts)
            assert fall == pytest.approx(own * (log(own / total) - instead))


def test_seeds_by_hand() -> None:
    corpus = Corpus.spell({"abc": 2, "abd": 1, "xbc": 1}, NO_MARKS, "abcdx")

    def seeds_of(kind: Any, minimum: int = 1, most: int = 99, longest: int = 9) -> dict[str, int]:
        return {s: text for s, (text, _) in seeds(corpus, kind, longest, minimum, most).items()}

    # xb is always followed by c.
    assert seeds_of("all") == {"abc": 6, "ab": 6, "bc": 6, "abd": 3, "xbc": 3, "bd": 2}
    assert list(seeds_of("all")) == ["ab", "abc", "bc", "abd", "xbc", "bd"]
    assert seeds_of("all", minimum=2) == {"abc": 6, "ab": 6, "bc": 6}
    assert seeds_of("all", most=2) == {"ab": 6, "abc": 6}
    assert seeds_of("all", longest=2) == {"ab": 6, "bc": 6, "xb": 2, "bd": 2}
    # All others end the word wherever they stand.
    assert seeds_of("branching") == {"ab": 6}


@pytest.mark.parametrize(
    ("options", "learned"), [({}, 0), ({"bow": "absent"}, 1), ({"bow": "fused", "eow": "fused"}, 7)]
)
def test_sizes_are_met_exactly(options: dict[str, Any], learned: int) -> None:
    learner = Unigram.configure(**options)
    smallest = len(learner.learn(NEWEST, Size(learned=0)).tokens)
    vocabulary = learner.learn(NEWEST, Size(total=smallest + learned))
    assert vocabulary.size == len(vocabulary.tokens) == smallest + learned
    assert len(vocabulary.learned) == learned
    assert vocabulary == learner.learn(NEWEST, Size(learned=learned))
    with pytest.raises(SizeError, match=f"below the alphabet of {smallest} symbols") as caught:
        learner.learn(NEWEST, Size(total=smallest - 1))
    assert caught.value.minimum == smallest


def test_where_words_hold_no_more_pieces_there_are_fewer() -> None:
    learner = Unigram.configure(bow="absent", **{"min-seed-count": 1})
    assert set(learner.learn({"ab": 3}, Size(total=99)).tokens) == {"a", "b", "ab"}
    assert learner.learn({}, Size(total=99)).tokens == ()


@given(counted, st.integers(0, 9), st.sampled_from(["all", "branching"]), st.booleans())
def test_what_every_vocabulary_keeps(
    words: dict[str, int], size: int, kind: str, bayesian: bool
) -> None:
    learner = Unigram.configure(seeds=kind, bayesian=bayesian)
    vocabulary = learner.learn(words, Size(learned=size))
    assert vocabulary == learner.learn(dict(reversed(words.items())), Size(learned=size))
    assert vocabulary.alphabet == (*sorted({*"".join(words), BOW}),)
    scores = [vocabulary.extra["scores"][token] for token in vocabulary.products]
    assert scores == sorted(scores, reverse=True)
    # Multiples of 2^-24 add up without rounding.
    assert all((score * 2**24).is_integer() for score in vocabulary.extra["scores"].values())
    for word in words:
        assert set(cut(word, vocabulary)) <= set(vocabulary.tokens)


def test_marks_are_symbols_of_tokens() -> None:
    fenced = Unigram.configure(bow="fenced").learn(HUG, Size(learned=9))
    assert BOW in fenced.tokens
    assert not [token for token in fenced.products if BOW in token]
    fused = Unigram.configure(bow="absent", eow="fused", continuation="fused")
    vocabulary = fused.learn(HUG, Size(learned=4))
    assert {"h", "h" + EOW, CONTINUATION + "h", CONTINUATION + "h" + EOW} < set(vocabulary.alphabet)
    assert cut("pun", vocabulary) == ["pun" + EOW]
    assert cut("bug", vocabulary)[0] == "b"


def test_letters_outside_the_alphabet_are_in_no_token() -> None:
    learner = Unigram.configure(alphabet={"coverage": 0.9})
    vocabulary = learner.learn({"aab": 50, "aaz": 2}, Size(learned=9))
    assert not [token for token in vocabulary.tokens if "z" in token]
    assert cut("aaz", vocabulary)[-1] == "z"


def test_an_unknown_symbol_stands_alone() -> None:
    vocabulary = of_counts({"a": 1, "b": 1, "ab": 2})
    assert cut("axxb", vocabulary) == ["a", "x", "x", "b"]
    # ab and the unknown x sum to -1 - (12.5 + 10); a and bx to -12.5 and the score of bx.
    for score, tokens in ((-10.9, ["a", "bx"]), (-11.1, ["ab", "x"])):
        scores = {"ab": -1.0, "a": -12.5, "b": -2.0, "bx": score}
        assert cut("abx", Vocabulary(tuple(scores), extra={"scores": scores})) == tokens


NO_SCORES = "needs the scores of tokens in the vocabulary's `extra`, under `scores`: found nothing"


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({}, NO_SCORES),
        ({"scores": {"b": -1.0}}, "a score for each token: that of 'a' is None, not a number"),
        ({"scores": {"a": "x"}}, "a score for each token: that of 'a' is 'x', not a number"),
    ],
)
def test_a_vocabulary_without_scores_is_refused(extra: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        cut("a", Vocabulary(("a",), extra=extra))


@pytest.mark.parametrize(
    "options",
    [
        *({"shrinking-factor": 1.0}, {"seeds": "some"}, {"max-length": 0}, {"precision": "half"}),
        *({"min-expected-count": 0}, {"sub-iterations": 0}, {"seed-size": 0}),
    ],
)
def test_wrong_options(options: dict[str, Any]) -> None:
    component = UnigramBest if "precision" in options else Unigram
    with pytest.raises(ValidationError, match=next(iter(options))):
        component.configure(**options)


@given(st.dictionaries(st.text("ab\xe9", min_size=1, max_size=3), st.integers(1, 3)), st.data())
def test_words_are_cut_together_as_each_alone(counts: dict[str, int], data: st.DataObject) -> None:
    """Words that begin alike share what is known of their beginning; equal words are there too."""
    vocabulary = of_counts({"a": 1, "b": 1, **counts})
    words = data.draw(st.lists(st.text("ab\xe9c", min_size=1, max_size=7), max_size=8))
    segmenter = UnigramBest()
    prepared = segmenter.prepare(vocabulary)
    together = [*segmenter.segment_many([*words, *words], prepared)]
    assert together == [segmenter.segment(word, prepared) for word in words] * 2


def test_a_long_word_takes_time_in_proportion() -> None:
    segmenter, vocabulary = UnigramBest(), of_counts({"a": 1, "ab": 1, "b": 1})
    assert segmenter.segment("ab" * 50_000, segmenter.prepare(vocabulary)) == ["ab"] * 50_000
