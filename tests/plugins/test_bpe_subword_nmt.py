"""The same merges and the same tokens as subword-nmt, learned and applied on the same text."""

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe
from tokbench_bpe.learner import Bpe
from tokbench_bpe.segmenters import BpeRank

from tokbench.api import Size, Vocabulary

OURS = Bpe.configure(**{"alphabet": {"forms": "seen"}, "min-pair-count": 2})
END = "</w>"


def their_codes(words: Mapping[str, int], merges: int) -> str:
    counted = io.StringIO("".join(f"{word} {count}\n" for word, count in words.items()))
    codes = io.StringIO()
    learn_bpe(counted, codes, merges, is_dict=True)
    return codes.getvalue()


def our_codes(vocabulary: Vocabulary) -> str:
    show = vocabulary.marks.show
    lines = [" ".join(map(show, item.parts)) for item in vocabulary.learned]
    return "\n".join(["#version: 0.2", *lines, ""])


def their_tokens(codes: str, words: Iterable[str]) -> Iterator[list[str]]:
    bpe = BPE(io.StringIO(codes))
    for word in words:
        yield [token.removesuffix("@@") for token in bpe.segment_tokens([word])]


def our_tokens(vocabulary: Vocabulary, words: Iterable[str]) -> Iterator[list[str]]:
    segmenter = BpeRank()
    for tokens in segmenter.segment_many(words, segmenter.prepare(vocabulary)):
        shown = [vocabulary.marks.show(str(token)) for token in tokens]
        yield [text for token in shown if (text := token.removesuffix(END))]


def check(words: Mapping[str, int], merges: int, held_out: Iterable[str]) -> None:
    codes = their_codes(words, merges)
    vocabulary = OURS.learn(words, Size(learned=merges))
    assert our_codes(vocabulary) == codes
    if not vocabulary.learned:
        return  # subword-nmt cannot read a table without merges
    unseen = list(held_out)
    assert list(our_tokens(vocabulary, unseen)) == list(their_tokens(codes, unseen))


def count(path: Path) -> Counter[str]:
    # subword-nmt reads words between plain spaces.
    lines = path.read_text("utf-8").split("\n")
    return Counter(word for line in lines for word in line.split(" ") if word)


# Few letters, so that they repeat and the tie rule decides nearly every merge.
repeated = st.text("ab", min_size=2, max_size=12)


scripts = st.text("né한글\U0001f600\u0301\ue000", min_size=2, max_size=6)


@given(
    st.dictionaries(repeated | scripts, st.integers(1, 4), min_size=1, max_size=9),
    st.lists(st.text("abcé한\u0301", min_size=1, max_size=12), max_size=5),
)
def test_any_words(words: dict[str, int], held_out: list[str]) -> None:
    check(words, 30, [*held_out, *(word[::-1] for word in words)])


@pytest.mark.parametrize(
    ("language", "merges"), [("korean", 300), pytest.param("english", 2000, marks=pytest.mark.ci)]
)
def test_shipped_texts(root: Path, language: str, merges: int) -> None:
    words = count(root / "corpora" / f"{language}.train.txt")
    check(words, merges, count(root / "corpora" / f"{language}.test.txt"))
