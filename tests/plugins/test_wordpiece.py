"""WordPiece: the course's worked figures, slow but plain learning, and what is promised."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError
from tokbench_wordpiece.learner import WordPiece
from tokbench_wordpiece.segmenter import WordPieceMatch

from tokbench.api import Learned, Marks, Size, SizeError, Vocabulary

from ..timelines import by_cutting

HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
COURSE = {"ties": "first", "alphabet": {"forms": "seen"}}


def learn(words: Mapping[str, int], size: Size, **options: Any) -> Vocabulary:
    return WordPiece.configure(**options).learn(words, size)


def shown(vocabulary: Vocabulary, tokens: Sequence[str]) -> str:
    return " ".join(map(vocabulary.marks.show, tokens))


def segment(word: str, vocabulary: Vocabulary, **options: Any) -> str:
    """Spell the tokens of a word; one that is given up is [UNK]."""
    segmenter = WordPieceMatch.configure(**options)
    tokens = segmenter.segment(word, segmenter.prepare(vocabulary))
    names = [token if isinstance(token, str) else "[UNK]" for token in tokens]
    return shown(vocabulary, names)


# Hugging Face course, chapter 6.6, first example; "pugs" is its exercise.
def test_hugging_face_course_hug() -> None:
    vocabulary = learn(HUG, Size(learned=3), **COURSE)
    assert shown(vocabulary, vocabulary.tokens) == "b h p ##g ##n ##s ##u ##gs hu hugs"
    assert [(shown(vocabulary, item.parts), item.count) for item in vocabulary.learned] == [
        *(("##g ##s", 5), ("h ##u", 15), ("hu ##gs", 5))
    ]
    assert segment("hugs", vocabulary) == "hugs"
    assert segment("bugs", vocabulary) == "b ##u ##gs"
    assert segment("pugs", vocabulary) == "p ##u ##gs"
    assert segment("mug", vocabulary) == segment("bum", vocabulary) == "[UNK]"
    assert segment("bum", vocabulary, **{"whole-word-unknown": False}) == "b ##u ##m"


def test_hugging_face_course_hug_scores() -> None:
    learner = WordPiece.configure(**COURSE)
    _, *steps = learner.trace(HUG, Size(learned=3))
    show = learner.marks.show
    scores = [{" ".join(map(show, p)): s for p, s in step.candidates.items()} for step in steps]
    chosen = [scores[i][" ".join(map(show, step.chosen))] for i, step in enumerate(steps)]
    assert chosen == [1 / 20, 1 / 36, 1 / 15]
    # The most frequent pair scores only 20 / (36 * 20).
    assert scores[0]["##u ##g"] == 1 / 36
    assert [max(step_scores.values()) for step_scores in scores] == chosen
    assert list(steps[-1].words) == [
        *(("hu", "\ufdd2g"), ("p", "\ufdd2u", "\ufdd2g"), ("p", "\ufdd2u", "\ufdd2n")),
        *(("b", "\ufdd2u", "\ufdd2n"), ("hugs",)),
    ]


def test_golden_course_corpus(golden: dict[str, Any]) -> None:
    case = golden["hf-course-wordpiece-corpus"]
    size = Size(total=case["input"]["vocab_size"] - len(case["input"]["special"]))
    vocabulary = learn(case["input"]["word_freqs"], size, **COURSE)
    products = [shown(vocabulary, [token]) for token in vocabulary.products]
    assert products == case["expected"]["new_tokens"]
    for text, tokens in case["expected"]["encode"].items():
        words = re.findall(r"\w+|[^\w\s]", text)
        assert " ".join(segment(word, vocabulary) for word in words).split() == tokens


def slow(
    words: Mapping[str, int], number: int, learner: WordPiece, alphabet: Sequence[str]
) -> list[tuple[tuple[str, str], int]]:
    """Learn as the course does: count everything anew before each merge, in fractions."""
    marks, ties, minimum = learner.marks, learner.ties, learner.min_pair_count
    rows = {word: marks.spell(word) for word in words}
    used = {symbol for row in rows.values() for symbol in row}
    blocked = marks.fenced | used - set(alphabet)
    merges: list[tuple[tuple[str, str], int]] = []
    while len(merges) < number:
        counts: Counter[str] = Counter()
        pairs: dict[tuple[str, str], int] = {}
        for word, row in rows.items():
            for symbol in row:
                counts[symbol] += words[word]
            for pair in pairwise(row):
                if blocked.isdisjoint(pair):
                    pairs[pair] = pairs.get(pair, 0) + words[word]
        pairs = {pair: count for pair, count in pairs.items() if count >= minimum}
        if not pairs:
            break
        scores = {p: Fraction(n, counts[p[0]] * counts[p[1]]) for p, n in pairs.items()}
        best = max(scores.values())
        equals = [pair for pair, score in scores.items() if score == best]
        spelled = {pair: (*map(marks.show, pair), *pair) for pair in equals}
        chosen = equals[0]
        if ties != "first":
            chosen = {"greatest": max, "smallest": min}[ties](equals, key=spelled.__getitem__)
        merges.append((chosen, pairs[chosen]))
        for row in rows.values():
            i = 0
            while i + 1 < len(row):
                if (row[i], row[i + 1]) == chosen:
                    row[i : i + 2] = [Marks.join(chosen)]
                i += 1
    return merges


# Letters of one to four bytes, lone surrogates, marks as text; few, so that they repeat.
LETTERS = ["a", "b", "#", "\0", "\u0301", "\ud800", "가", "\u200d", "👩", "ש"]
words_of_few = st.dictionaries(
    st.one_of(st.text("ab", min_size=1, max_size=9), st.text(LETTERS, min_size=1, max_size=5)),
    st.integers(1, 2**40) | st.integers(0, 3),
    max_size=7,
)
kinds = st.sampled_from(["absent", "fused", "separate", "fenced"])


# After ab is merged, bc scores 1/4 as before, but xy stands first.
@example({"abc": 2, "xy": 4, "bc": 2}, {"continuation": "absent"}, "first", 1)
@given(
    words_of_few,
    st.builds(dict, bow=kinds, eow=kinds, continuation=st.sampled_from(["fused", "absent"])),
    st.sampled_from(["greatest", "smallest", "first"]),
    st.sampled_from([1, 2, 4]),
)
def test_learns_as_counting_everything_anew_does(
    words: dict[str, int], marks: dict[str, str], ties: str, minimum: int
) -> None:
    learner = WordPiece.configure(**marks, ties=ties, **{"min-pair-count": minimum})
    vocabulary = learner.learn(words, Size(learned=25))
    expected = slow(words, 25, learner, vocabulary.alphabet)
    assert [(item.parts, item.count) for item in vocabulary.learned] == expected


def test_scores_are_compared_without_rounding() -> None:
    # Doubles cannot tell the scores 1/n apart, where n is near 2^60; `smallest` would take ab.
    words = {"ab": 1, "cd": 1, "a": 2**60, "c": 2**60 - 1, "z": 2**60 - 3}
    (merge, *_) = learn(words, Size(learned=1), ties="smallest").learned
    assert merge == Learned(("c", "\ufdd2d"), 1)
    assert 1 / (2**60 + 1) == 1 / 2**60


def test_sizes() -> None:
    both_forms = 2 * len("bghnpsu")
    assert len(learn(HUG, Size(total=both_forms + 2)).tokens) == both_forms + 2
    assert learn(HUG, Size(total=both_forms)).learned == ()
    with pytest.raises(SizeError, match="size 13 is below the alphabet of 14 symbols") as caught:
        learn(HUG, Size(total=13))
    assert caught.value.minimum == 14
    most = learn(HUG, Size(total=1000))
    assert most.size == both_forms + len(most.learned) < 1000


def test_an_unknown_token_is_there_only_where_asked_for() -> None:
    assert learn(HUG, Size(total=16)).unknown is None
    vocabulary = learn(HUG, Size(total=16), unknown="[UNK]")
    assert (vocabulary.tokens[0], vocabulary.unknown, vocabulary.size) == ("[UNK]", 0, 16)
    assert vocabulary.learned == learn(HUG, Size(total=16)).learned
    segmenter = WordPieceMatch()
    assert segmenter.segment("안녕", segmenter.prepare(vocabulary)) == [("[UNK]", 6)]


def test_no_merge_spells_the_unknown_token() -> None:
    assert "hu" in learn(HUG, Size(learned=99)).products
    assert "hu" not in learn(HUG, Size(learned=99), unknown="hu").products


@pytest.mark.parametrize(
    "options", [{"unknown": "x"}, {"min-pair-count": 0}, {"ties": "last"}, {"merge": "list"}]
)
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=next(iter(options))):
        WordPiece.configure(**options)


HARD = [
    *("\ud800", "a\udfffb", "\0", "e\u0301", "\U0001f469\u200d\U0001f467", "שָׁלוֹם", "##ing"),
    *("▁low", "low</w>", "[UNK]", "\uffff", "\U0010ffff", "ab" * 60),
]


@given(
    words_of_few,
    st.lists(st.text(LETTERS, min_size=1, max_size=7), max_size=5),
    st.booleans(),
    st.sampled_from([None, 1, 3, 100]),
    st.sampled_from([None, "[UNK]"]),
)
def test_the_timeline_is_what_every_cut_gives(
    words: dict[str, int],
    unseen: list[str],
    whole_word: bool,
    most: int | None,
    unknown: str | None,
) -> None:
    vocabulary = learn(words, Size(learned=12), unknown=unknown)
    segmenter = WordPieceMatch.configure(
        **{"whole-word-unknown": whole_word, "max-characters": most}
    )
    texts = list(dict.fromkeys([*words, *unseen, *HARD]))
    states = segmenter.timeline(texts, segmenter.prepare(vocabulary))
    expected = by_cutting(segmenter, texts, vocabulary)
    for name, column in vars(expected).items():
        assert getattr(states, name).tolist() == column.tolist(), name


@pytest.mark.parametrize("whole_word", [True, False])
def test_bytes_are_units_too(whole_word: bool) -> None:
    learned = [Learned(("u", "g")), Learned(("h", "ug"))]
    vocabulary = Vocabulary.build("hugsbnÃ", learned, units="bytes")  # Ã is the first byte of é
    segmenter = WordPieceMatch.configure(**{"whole-word-unknown": whole_word})
    prepared = segmenter.prepare(vocabulary)
    texts = ["hugs", "bun", "hugé", "안", *HARD]
    states = segmenter.timeline(texts, prepared)
    expected = by_cutting(segmenter, texts, vocabulary)
    for name, column in vars(expected).items():
        assert getattr(states, name).tolist() == column.tolist(), name
    tokens = [*segmenter.segment("hugs", prepared)]
    assert all(name in vocabulary.ids for name, _ in tokens)
    # hug, Ã, and a byte that is unknown
    assert len(segmenter.segment("hugé", prepared)) == (1 if whole_word else 3)


def test_longer_words_than_asked_for_are_given_up() -> None:
    vocabulary = learn({"a" * 9: 1}, Size(learned=99))
    assert segment("aaa", vocabulary, **{"max-characters": 3}) == "aaa"
    assert segment("aaaa", vocabulary, **{"max-characters": 3}) == "[UNK]"
    long = "a" * 101
    assert segment(long, vocabulary) == "[UNK]"
    assert len(segment(long, vocabulary, **{"max-characters": None}).split()) == 1 + 101 - 9


def test_a_letter_that_is_a_special_token_is_given_up() -> None:
    vocabulary = Vocabulary(("a", "b", "c"), special=(1,), bytes={2: 0x63})
    segmenter = WordPieceMatch()
    texts = ["a", "ab", "cb", "aa"]
    assert [segment(text, vocabulary) for text in texts] == ["a", "[UNK]", "[UNK]", "a a"]
    states = segmenter.timeline(texts, segmenter.prepare(vocabulary))
    assert (states.ids.tolist(), states.ends.tolist()) == ([0, -1, -1, 0, 0], [1, 2, 2, 1, 2])
