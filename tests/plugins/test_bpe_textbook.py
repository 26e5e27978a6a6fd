"""The worked examples of textbooks and tutorials, merges and intermediate states."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from tokbench_bpe.learner import Bpe
from tokbench_bpe.segmenters import BpeLearnedOrder, BpeRank

from tests.cutting import of_merges
from tokbench.api import Marks, Segmenter, Size, Step, Vocabulary
from tokbench.api.text import EOW

LOW = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
VARIANTS = ("indexed", "list", "regex", "replace")
SEPARATE = {"kind": "separate", "text": "</w>"}


def learn(words: Mapping[str, int], merges: int, **options: Any) -> Vocabulary:
    return Bpe.configure(**options).learn(words, Size(learned=merges))


def spelled(vocabulary: Vocabulary) -> list[str]:
    """Spell each merge as its two parts with a space between."""
    return [" ".join(map(vocabulary.marks.show, item.parts)) for item in vocabulary.learned]


def counts(vocabulary: Vocabulary) -> list[int | None]:
    return [item.count for item in vocabulary.learned]


def segment(segmenter: Segmenter, word: str, vocabulary: Vocabulary) -> str:
    tokens = segmenter.segment(word, segmenter.prepare(vocabulary))
    shown = [vocabulary.marks.show(str(token)) for token in tokens]
    return " ".join(vocabulary.marks.show_display(shown))


def state(step: Step, marks: Marks) -> dict[str, int]:
    """Spell the words after a step as tutorials print them."""
    return {" ".join(map(marks.show, word)): count for word, count in step.words.items()}


def printed(block: str) -> dict[str, int]:
    """Read a printed table: symbols and a number, entries between bars or line ends."""
    entries = (entry.rsplit(" ", 1) for entry in re.split(r"[|\n]", block.strip()))
    return {symbols: int(count) for symbols, count in entries}


# Jurafsky and Martin, Speech and Language Processing, section 2.4 (the segmenter's results also
# stand in the lecture notes "1_5 Byte Pair Encoding"): `_` is a symbol of its own.
SLP = {"low": 5, "lowest": 2, "newer": 6, "wider": 3, "new": 2}
SLP_MARKS = {"eow": {"kind": "separate", "text": "_"}, "ties": "first"}


@pytest.mark.parametrize("merge", VARIANTS)
def test_speech_and_language_processing(merge: str) -> None:
    vocabulary = learn(SLP, 8, merge=merge, **SLP_MARKS)
    assert spelled(vocabulary) == [
        *("e r", "er _", "n e", "ne w", "l o", "lo w", "new er_", "low _")
    ]
    assert counts(vocabulary) == [9, 9, 8, 8, 7, 7, 6, 5]


@pytest.mark.parametrize("segmenter", [BpeRank(), BpeLearnedOrder()])
def test_speech_and_language_processing_segments(segmenter: Segmenter) -> None:
    vocabulary = learn(SLP, 8, **SLP_MARKS)
    assert segment(segmenter, "newer", vocabulary) == "newer_"
    assert segment(segmenter, "lower", vocabulary) == "low er_"


# The tutorial "BPE Deep Dive", sections 2.2 to 2.4: it shows `</w>` but never merges it. Its table
# prints six of the counts.
@pytest.mark.parametrize("ties", ["first", "smallest"])
@pytest.mark.parametrize("merge", VARIANTS)
def test_deep_dive_walk_through(merge: str, ties: str) -> None:
    learner = Bpe.configure(merge=merge, ties=ties, eow="fenced")
    before, *steps = learner.trace(LOW, Size(learned=5))
    letters = ["l o w </w>", "l o w e r </w>", "n e w e s t </w>", "w i d e s t </w>"]
    assert [*state(before, learner.marks)] == letters
    assert [step.chosen for step in steps] == [
        *(("e", "s"), ("es", "t"), ("l", "o"), ("lo", "w")),
        ("n", "e") if ties == "first" else ("e", "w"),
    ]
    first, second = steps[0].candidates, steps[1].candidates
    assert (first["e", "s"], first["s", "t"], first["l", "o"], first["o", "w"]) == (9, 9, 7, 7)
    assert (second["es", "t"], second["l", "o"], second["o", "w"]) == (9, 7, 7)
    assert not any(EOW in pair for step in steps for pair in step.candidates)
    assert [list(state(step, learner.marks)) for step in steps[:4]] == [
        ["l o w </w>", "l o w e r </w>", "n e w es t </w>", "w i d es t </w>"],
        ["l o w </w>", "l o w e r </w>", "n e w est </w>", "w i d est </w>"],
        ["lo w </w>", "lo w e r </w>", "n e w est </w>", "w i d est </w>"],
        ["low </w>", "low e r </w>", "n e w est </w>", "w i d est </w>"],
    ]
    assert list(state(steps[3], learner.marks).values()) == [5, 2, 6, 3]


def test_deep_dive_encodes_lowest() -> None:
    vocabulary = learn(LOW, 4, eow="fenced", ties="first")
    assert segment(BpeLearnedOrder(), "lowest", vocabulary) == "low est </w>"


# The notebook "Subword Tokenizer": it prints the pair counts before, and the dictionary after,
# each of ten merges. Its first word is `1ow`, with the digit.
NOTEBOOK = {"1ow": 5, "lower": 2, "newest": 6, "widest": 3}
NOTEBOOK_RUN = [
    ("e s", "1 o w </w>, l o w e r </w>, n e w es t </w>, w i d es t </w>"),
    ("es t", "1 o w </w>, l o w e r </w>, n e w est </w>, w i d est </w>"),
    ("est </w>", "1 o w </w>, l o w e r </w>, n e w est</w>, w i d est</w>"),
    ("o w", "1 ow </w>, l ow e r </w>, n e w est</w>, w i d est</w>"),
    ("n e", "1 ow </w>, l ow e r </w>, ne w est</w>, w i d est</w>"),
    ("ne w", "1 ow </w>, l ow e r </w>, new est</w>, w i d est</w>"),
    ("new est</w>", "1 ow </w>, l ow e r </w>, newest</w>, w i d est</w>"),
    ("1 ow", "1ow </w>, l ow e r </w>, newest</w>, w i d est</w>"),
    ("1ow </w>", "1ow</w>, l ow e r </w>, newest</w>, w i d est</w>"),
    ("w i", "1ow</w>, l ow e r </w>, newest</w>, wi d est</w>"),
]


@pytest.mark.parametrize("merge", VARIANTS)
def test_notebook_iterations(merge: str) -> None:
    learner = Bpe.configure(merge=merge, eow=SEPARATE, ties="first")
    show = learner.marks.show
    _, *steps = learner.trace(NOTEBOOK, Size(learned=10))
    assert [step.number for step in steps] == list(range(1, 11))
    assert [
        (" ".join(map(show, step.chosen)), ", ".join(state(step, learner.marks))) for step in steps
    ] == NOTEBOOK_RUN
    # In the order in which they were met, as printed before the eighth merge.
    pairs = [f"{' '.join(map(show, pair))}: {n}" for pair, n in steps[7].candidates.items()]
    assert ", ".join(pairs) == (
        "1 ow: 5, ow </w>: 5, l ow: 2, ow e: 2, e r: 2, r </w>: 2, w i: 3, i d: 3, d est</w>: 3"
    )
    assert all(list(step.words.values()) == [5, 2, 6, 3] for step in steps)


# The table that the notebook encodes with is left over from several runs: ranks repeat.
NOTEBOOK_TABLE = """
wi d 0|wid est</w> 1|l ow 2|low e 3|lowe r 4|lower </w> 5|e s 0|es t 1|est </w> 2|o w 3|n e 4
ne w 5|new est</w> 6|1 ow 7|1ow </w> 8|w i 9
"""


@pytest.mark.parametrize(
    ("word", "expected"),
    [("best", "b est</w>"), ("lowing", "low i n g </w>"), ("highinh", "h i g h i n h </w>")],
)
def test_notebook_encodes_with_its_mixed_table(word: str, expected: str) -> None:
    marks = Marks.model_validate({"eow": SEPARATE})
    ranks = printed(NOTEBOOK_TABLE)
    merges = [pair.split() for pair in sorted(ranks, key=lambda pair: ranks[pair])]
    assert segment(BpeRank(), word, of_merges(merges, marks)) == expected


# Wikipedia's example, also in the notebook and the tutorial: Z=aa, Y=ab, X=ZY gives XdXac.
@pytest.mark.parametrize("merge", VARIANTS)
@pytest.mark.parametrize(
    ("ties", "merges"),
    [("smallest", ["a a", "a b", "aa ab"]), ("first", ["a a", "aa a", "aaa b"])],
)
def test_wikipedia(merge: str, ties: str, merges: list[str]) -> None:
    vocabulary = learn({"aaabdaaabac": 1}, 3, merge=merge, ties=ties, eow="absent")
    assert spelled(vocabulary) == merges
    assert counts(vocabulary) == [4, 2, 2]
    assert segment(BpeRank(), "aaabdaaabac", vocabulary) == "aaab d aaab a c"


# Hugging Face course, chapter 6.5, first example; [UNK] there is a token outside the vocabulary.
@pytest.mark.parametrize("merge", VARIANTS)
@pytest.mark.parametrize("ties", ["first", "greatest", "smallest"])
def test_hugging_face_course_hug(merge: str, ties: str) -> None:
    words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    vocabulary = learn(words, 3, merge=merge, ties=ties, eow="absent")
    assert spelled(vocabulary) == ["u g", "u n", "h ug"]
    assert counts(vocabulary) == [20, 16, 15]
    assert vocabulary.tokens == ("b", "g", "h", "n", "p", "s", "u", "ug", "un", "hug")
    assert segment(BpeRank(), "bug", vocabulary) == "b ug"
    assert segment(BpeRank(), "unhug", vocabulary) == "un hug"
    assert segment(BpeRank(), "mug", vocabulary) == "m ug"
    assert segment(BpeRank(), "thug", vocabulary) == "t hug"
    assert not {"m", "t"} & set(vocabulary.tokens)


@pytest.mark.parametrize("merge", VARIANTS)
def test_hugging_face_course_corpus(merge: str, golden: dict[str, Any]) -> None:
    case = golden["hf-course-bpe-corpus"]
    learner = Bpe.configure(merge=merge, eow="absent", ties="first")
    vocabulary = learner.learn(case["input"]["word_freqs"], Size(total=49))
    assert [list(item.parts) for item in vocabulary.learned] == case["expected"]["merges"]
    assert len(vocabulary.tokens) == 49
    for text, tokens in case["expected"]["encode"].items():
        words = re.findall(r"\w+|[^\w\s]", text.replace(" ", "Ġ"))
        words = [word for w in words for word in re.split("(?=Ġ)", w) if word]
        assert " ".join(segment(BpeRank(), w, vocabulary) for w in words).split(" ") == tokens


# Gukwon Koo's tutorial "Byte Pair Encoding": the dictionary printed in section 3.4, after 20
# merges.
KOO_DICTIONARY = """
이</w> 1|영화를</w> 1|영화관에서</w> 1|직접</w> 1|보 지</w> 1|못 한</w> 1|것 을</w> 1
평 생 </w> 1|후 회 할</w> 1|것 </w> 1|같 다</w> 1|보는</w> 2|내내</w> 2|감 탄 을</w> 1
자 아 냈 고 </w> 1|절 대 </w> 1|잊 지</w> 1|못 할</w> 1|여 운 으 로</w> 1|남 을</w> 1
것 이 다</w> 1|평 점 이</w> 1|이 해 되 지</w> 1|않 는 다</w> 1|최 소 </w> 1|점 은 </w> 1
받 아 야 </w> 1|한 다</w> 1|반 전 이</w> 1|정 말 </w> 1|끝 내 준 다</w> 1|말 로</w> 1
표 현 할</w> 1|수 </w> 1|없 다</w> 1|완 벽 한</w> 1|영화 </w> 1|소 름 이</w> 1|돋 았 다</w> 1
"""


@pytest.mark.parametrize("merge", VARIANTS)
def test_koo_after_twenty_merges(merge: str, golden: dict[str, Any]) -> None:
    case = golden["seed001-korean"]
    text = re.sub(case["input"]["remove"], "", "\n".join(case["input"]["corpus"]))
    learner = Bpe.configure(merge=merge, eow=SEPARATE, ties="first")
    words = Counter(text.split())
    learned = learner.learn(words, Size(learned=20)).learned
    shown = [list(map(learner.marks.show, item.parts)) for item in learned]
    assert shown == case["expected"]["merges"]
    *_, last = learner.trace(words, Size(learned=20))
    assert state(last, learner.marks) == printed(KOO_DICTIONARY)
