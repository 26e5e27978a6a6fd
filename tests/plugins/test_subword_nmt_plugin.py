"""The learner and segmenter `subword-nmt` do what the program does, and what `bpe` does."""

import io
import re
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe
from tokbench_bpe.learner import Bpe
from tokbench_bpe.segmenters import BpeRank
from tokbench_subword_nmt.learner import SubwordNmt
from tokbench_subword_nmt.segmenter import SubwordNmtSegmenter
from tokbench_subword_nmt.spelling import WHITESPACE, hidden
from tokbench_word import WordLearner

from tokbench.api import InputError, Learned, Marks, Size, SizeError, Vocabulary
from tokbench.api.text import EOW

BPE_AS_HERE = Bpe.configure(**{"alphabet": {"forms": "seen"}, "min-pair-count": 2})
LOW = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


def pairs(vocabulary: Vocabulary) -> list[tuple[str, ...]]:
    return [item.parts for item in vocabulary.learned]


def cut(vocabulary: Vocabulary, words: list[str]) -> list[list[str]]:
    segmenter = SubwordNmtSegmenter()
    prepared = segmenter.prepare(vocabulary)
    return [list(segmenter.segment(word, prepared)) for word in words]


def by_bpe(vocabulary: Vocabulary, words: list[str]) -> list[list[str]]:
    segmenter = BpeRank()
    prepared = segmenter.prepare(vocabulary)
    return [list(segmenter.segment(word, prepared)) for word in words]


def count(path: Path, most: int) -> dict[str, int]:
    words = [word for word in path.read_text("utf-8").split() if word]
    return Counter(words[:most])


@pytest.mark.parametrize("language", ["english", "korean"])
def test_as_the_program_itself(root: Path, language: str) -> None:
    words = count(root / "corpora" / f"{language}.train.txt", 1000)
    held_out = list(count(root / "corpora" / f"{language}.test.txt", 500))
    codes = io.StringIO()
    counted = "".join(f"{word} {n}\n" for word, n in words.items())
    learn_bpe(io.StringIO(counted), codes, 300, min_frequency=3, is_dict=True)
    learner = SubwordNmt.configure(**{"min-frequency": 3})
    vocabulary = learner.learn(words, Size(learned=300))
    show = vocabulary.marks.show
    lines = [" ".join(map(show, item.parts)) for item in vocabulary.learned]
    assert "\n".join(["#version: 0.2", *lines, ""]) == codes.getvalue()
    bpe = BPE(codes)
    theirs = [bpe.segment(word).split(" ") for word in held_out]
    # Its `@@` says that a word goes on, our mark that it ends.
    ours = [
        [*(f"{token}@@" for token in before), last.removesuffix(EOW)]
        for *before, last in cut(vocabulary, held_out)
    ]
    assert ours == theirs


@pytest.mark.parametrize("size", [Size(learned=2000), Size(learned=0), Size(total=400)])
def test_as_the_learner_bpe(root: Path, size: Size) -> None:
    words = count(root / "corpora" / "english.train.txt", 1000)
    ours, bpe = SubwordNmt().learn(words, size), BPE_AS_HERE.learn(words, size)
    assert ours.tokens == bpe.tokens
    assert pairs(ours) == pairs(bpe)
    assert (ours.alphabet, ours.marks) == (bpe.alphabet, bpe.marks)
    held_out = list(count(root / "corpora" / "english.test.txt", 500))
    assert cut(ours, held_out) == by_bpe(ours, held_out) == by_bpe(bpe, held_out)


HARD = "ab@</w>\\1#▁\u0301\u200d\U0001f600한\x00\ud800\udfff\ufffe"
MISREAD = "ab</w> \u2028\x85\n\r\t\u3000\U0010f000\U0010f01d"


@given(
    st.dictionaries(st.text(HARD, min_size=1, max_size=6), st.integers(1, 5), max_size=9),
    st.lists(st.text(HARD + MISREAD + "z", min_size=1, max_size=9)),
    st.integers(0, 40),
)
def test_hard_words_as_bpe(words: dict[str, int], held_out: list[str], merges: int) -> None:
    # Where `<` has to be hidden it sorts elsewhere.
    words = {word: n for word, n in words.items() if "</w>" not in word}
    ours = SubwordNmt().learn(words, Size(learned=merges))
    assert pairs(ours) == pairs(BPE_AS_HERE.learn(words, Size(learned=merges)))
    assert cut(ours, [*words, *held_out]) == by_bpe(ours, [*words, *held_out])


@given(
    st.dictionaries(st.text(MISREAD, min_size=1, max_size=7), st.integers(1, 5), max_size=9),
    st.lists(st.text(MISREAD, min_size=1, max_size=9)),
)
def test_what_the_program_misreads(words: dict[str, int], held_out: list[str]) -> None:
    ours = SubwordNmt().learn({**words, "a</w>": 2, "a": 1}, Size(learned=30))
    assert cut(ours, held_out) == by_bpe(ours, held_out)
    for item in ours.learned:
        assert item.parts[0]
        assert Marks.join(item.parts) in ours.ids


def test_every_whitespace_character_is_hidden() -> None:
    spaces = "".join(chr(c) for c in range(sys.maxunicode + 1) if chr(c).isspace())
    # Python's `\s`, which the program splits at, is `str.isspace`.
    assert sorted(WHITESPACE) == sorted(spaces)
    text = f"{spaces}<\U0010f000\U0010f01d한"
    assert not re.search(r"\s|<", hidden(f"{spaces}<"))
    assert hidden(hidden(text)) == text
    assert hidden(hidden(text, mark=False), mark=False) == text
    assert hidden("</w>", mark=False) == "</w>"


def test_a_whole_size_counts_letters_by_their_place() -> None:
    # Inside: l o w e n s i d; at the end: w r t.
    vocabulary = SubwordNmt().learn(LOW, Size(total=15))
    assert len(vocabulary.alphabet) == 11
    assert (vocabulary.size, len(vocabulary.learned)) == (15, 4)
    assert pairs(vocabulary)[0] == ("s", "t" + EOW)
    with pytest.raises(SizeError, match="size 10 is below the alphabet of 11 symbols") as caught:
        SubwordNmt().learn(LOW, Size(total=10))
    assert caught.value.minimum == 11


@pytest.mark.parametrize("words", [{"a": 3, "한": 1}, {}, {"ab": 1}])
def test_nothing_to_merge(words: dict[str, int]) -> None:
    vocabulary = SubwordNmt().learn(words, Size(learned=5))
    assert vocabulary.learned == ()
    assert cut(vocabulary, ["a", "ab"]) == [["a" + EOW], ["a", "b" + EOW]]


def test_vocabularies_that_it_cannot_apply() -> None:
    segmenter = SubwordNmtSegmenter()
    for options in ({"eow": "absent"}, {"eow": "separate"}, {"bow": "fused"}):
        with pytest.raises(InputError, match="it needs `eow: fused` and no others"):
            segmenter.prepare(Bpe.configure(**options).learn(LOW, Size(learned=1)))
    with pytest.raises(InputError, match="it needs `eow: fused`"):
        segmenter.prepare(WordLearner().learn(LOW, Size(total=2)))
    marks = BPE_AS_HERE.marks
    with pytest.raises(InputError, match="'low' is no pair; it needs a vocabulary of merges"):
        segmenter.prepare(Vocabulary.build((), [Learned(("low",))], marks=marks))
