"""Whether a word comes back: told without decoding only where decoding could say nothing else."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cutting import Fixed, cut, fixed, made
from tests.tiny import FEWER_EXAMPLES
from tokbench.api import Token, Vocabulary
from tokbench.api.text import EOW

VOCABULARY = Vocabulary(
    ("<unk>", "a", "ab", "한", "\ufffd", "b" + EOW, EOW, "<0xED>", "\ud800"),
    unknown=0,
    bytes={7: 0xED},
)
TOKENS = st.sampled_from([*VOCABULARY.tokens, "x", None])


class Asked(Fixed):
    """Says at each decoding that it was asked."""

    asked: ClassVar[list[Any]]

    def decode(self, ids: Sequence[int], vocabulary: Vocabulary) -> str:
        self.asked.append(list(ids))
        return super().decode(ids, vocabulary)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("decoding")


@st.composite
def cuts(draw: st.DrawFn) -> dict[str, list[Token]]:
    """Cut words anywhere into tokens that may stand for other text, be unknown, or drop it."""
    # Many words at once, since most of the time is that of the run.
    text = st.text("ab한\ufffd", min_size=1, max_size=4)
    tokens: dict[str, list[Token]] = {}
    for word in draw(st.lists(text, min_size=8, max_size=24, unique=True)):
        size = len(word.encode())
        inner = draw(st.frozensets(st.integers(1, size - 1))) if size > 1 else ()
        edges = [0, *sorted(inner), size]
        tokens[word] = [(draw(TOKENS), b - a) for a, b in pairwise(edges)]
        if draw(st.booleans()):
            tokens[word].append((draw(TOKENS), 0))
    return tokens


@FEWER_EXAMPLES
@given(cuts())
def test_what_is_reported_is_what_decoding_gives(
    folder: Path, tokens: dict[str, list[Token]]
) -> None:
    segmenter = fixed(tokens)
    segmentation = cut(folder, VOCABULARY, segmenter, [" ".join(tokens)])
    assert segmentation.words.text == (*tokens,)
    for number, word in enumerate(segmentation.words.text):
        ids = segmentation.ids[segmentation.row[number] : segmentation.row[number + 1]].tolist()
        assert segmentation.round_trip[number] == (segmenter().decode(ids, VOCABULARY) == word), (
            tokens
        )


@pytest.mark.parametrize(
    ("word", "tokens", "right"),
    [
        ("ab", ["a", "b" + EOW], True),
        ("\ufffd", [("x", 3)], True),
        ("\ufffda", [("<unk>", 4)], False),
        ("한", [("<0xED>", 1), ("x", 2)], False),
    ],
)
def test_by_hand(folder: Path, word: str, tokens: list[Token], right: bool) -> None:
    segmentation = cut(folder, VOCABULARY, fixed({word: tokens}), [word])
    assert segmentation.round_trip.tolist() == [right]


def test_a_segmenter_that_decodes_otherwise_is_asked_for_each_word(folder: Path) -> None:
    segmenter = made(Asked, cuts={"a": ["a"], "x": ["x"]}, asked=[])
    cut(folder, VOCABULARY, segmenter, ["a x"])
    assert segmenter.asked == [[1], [-1]]


def test_words_of_many_bytes_are_compared_to_their_last(folder: Path) -> None:
    """Of 4 MB in all; each third token says what another word is, each fifth ends otherwise."""
    words = [f"{number:04}{'x' * 9_990}{number:04}" for number in range(400)]
    says = [words[n - n % 3] if n % 5 else word[:-1] + "." for n, word in enumerate(words)]
    tokens = dict(zip(words, ([(token, len(token))] for token in says), strict=True))
    segmentation = cut(folder, Vocabulary(tuple(dict.fromkeys(says))), fixed(tokens), [*words])
    assert segmentation.round_trip.tolist() == [a == b for a, b in zip(words, says, strict=True)]
