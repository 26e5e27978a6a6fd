"""Whether a word comes back: told without decoding only where decoding could say nothing else."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokbench.api import EOW, Segmenter, Token, Vocabulary, Words
from tokbench.corpora.words import WordsBuilder
from tokbench.runner import decoding
from tokbench.runner.segmenting import segment

VOCABULARY = Vocabulary(
    ("<unk>", "a", "ab", "한", "\ufffd", "b" + EOW, EOW, "<0xED>", "\ud800"),
    unknown=0,
    bytes={7: 0xED},
)
TOKENS = st.sampled_from([*VOCABULARY.tokens, "x", None])


class Fixed(Segmenter):
    """Gives the tokens that a test wants."""

    cuts: dict[str, Any]

    def segment(self, word: str, prepared: Any) -> Sequence[Token]:
        return self.cuts[word]


class Asked(Fixed):
    """Says at each decoding that it was asked."""

    asked: list[Any]

    def decode(self, ids: Sequence[int], vocabulary: Vocabulary) -> str:
        self.asked.append(list(ids))
        return super().decode(ids, vocabulary)


def words_of(texts: Sequence[str]) -> Words:
    builder = WordsBuilder()
    builder.add(list(texts), 0)
    return builder.build({})


@st.composite
def cuts(draw: st.DrawFn) -> dict[str, list[Token]]:
    """Cut words anywhere into tokens that may stand for other text, be unknown, or drop it."""
    words = draw(st.lists(st.text("ab한\ufffd\ud800", min_size=1, max_size=4), unique=True))
    found: dict[str, list[Token]] = {}
    for word in words or ["a"]:
        size = len(word.encode("utf-8", "surrogatepass"))
        inner = draw(st.frozensets(st.integers(1, size - 1))) if size > 1 else ()
        edges = [0, *sorted(inner), size]
        found[word] = [(draw(TOKENS), b - a) for a, b in pairwise(edges)]
        if draw(st.booleans()):
            found[word].append((draw(TOKENS), 0))
    return found


@settings(max_examples=300, deadline=None)
@given(cuts())
def test_what_is_told_is_what_decoding_gives(tokens: dict[str, list[Token]]) -> None:
    words = words_of(list(tokens))
    segmenter = Fixed(cuts=tokens)
    found = segment(words, VOCABULARY, segmenter, None)
    for number, word in enumerate(words.text):
        ids = found.ids[found.row[number] : found.row[number + 1]].tolist()
        assert found.restored[number] == (segmenter.decode(ids, VOCABULARY) == word), tokens


@pytest.mark.parametrize(
    ("word", "tokens", "right"),
    [
        ("ab", ["ab"], True),
        ("ab", ["a", "b" + EOW], True),
        ("x", ["x"], False),
        ("\ufffd", [("<unk>", 3)], True),
        ("\ufffd", [("x", 3)], True),
        ("\ufffda", [("<unk>", 4)], False),
        ("\ud800a", ["\ud800", "a"], True),
        ("한", [("<0xED>", 1), ("x", 2)], False),
    ],
)
def test_by_hand(word: str, tokens: list[Token], right: bool) -> None:
    found = segment(words_of([word]), VOCABULARY, Fixed(cuts={word: tokens}), None)
    assert found.restored.tolist() == [right]


def test_a_segmenter_that_decodes_otherwise_is_asked_for_each_word() -> None:
    segmenter = Asked(cuts={"a": ["a"], "x": ["x"]}, asked=[])
    segment(words_of(["a", "x"]), VOCABULARY, segmenter, None)
    assert segmenter.asked == [[1], [-1]]


def test_chunks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens: dict[str, list[Token]] = {
        "ab": ["ab"],
        "한a": [("a", 3), ("a", 1)],
        "aab": ["a", "a", "b" + EOW],
        "a": [("한", 1)],
    }
    words = words_of(list(tokens))
    whole = segment(words, VOCABULARY, Fixed(cuts=tokens), None)
    found = []
    for size in (1, 2, 3):
        monkeypatch.setattr(decoding, "_CHUNK_BYTES", size)
        again = decoding.spelled(whole, decoding.Spelling.of(VOCABULARY))
        found.append(again.tolist())
    assert found == [[True, False, True, True, True, True, False]] * 3
    assert np.array_equal(whole.restored, [True, False, True, False])
