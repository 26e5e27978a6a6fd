"""One replay gives every size: the same arrays as cutting the vocabulary and segmenting anew."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokbench_bpe import tokbench_learners, tokbench_segmenters
from tokbench_char import CharSegmenter
from tokbench_word import WordSegmenter

from tests.timelines import Cutting, NoTimeline, by_cutting, one_by_one, same
from tokbench.api import Learned, Segmenter, Size, Splitter, States, Token, Vocabulary, Words
from tokbench.corpora.words import WordsBuilder
from tokbench.runner.promises import BrokenPromiseError
from tokbench.runner.segmenting import segment
from tokbench.runner.timeline import Replay, grown, grows_at_the_end

from .conftest import MakeWords

Bpe = tokbench_learners()["bpe"]
SEGMENTERS = {**tokbench_segmenters(), "char": CharSegmenter, "word": WordSegmenter}
MARKS = (
    {},
    {"eow": "absent"},
    {"eow": "separate", "bow": "fenced"},
    {"eow": "absent", "continuation": "fused", "alphabet": {"forms": "seen"}},
)
LETTERS = st.text("ab한\u0301😀\ufffd\ud800", min_size=1, max_size=6)


class Halves(Splitter):
    """Finds the letters b, so that what stands before belongs to the piece before."""

    def split(self, text: str) -> list[tuple[int, int]]:
        return [(i, i + 1) for i, letter in enumerate(text) if letter == "b"]


def words_of(texts: Sequence[str]) -> Words:
    builder = WordsBuilder()
    builder.add(list(texts), 0)
    return builder.build({})


@settings(max_examples=60, deadline=None)
@given(
    st.lists(LETTERS, min_size=1, max_size=8),
    st.lists(LETTERS, min_size=1, max_size=6),
    st.sampled_from(MARKS),
    st.sampled_from(sorted(SEGMENTERS)),
    st.sampled_from([None, Halves()]),
    st.integers(0, 4),
)
def test_every_size_is_what_cutting_and_segmenting_gives(
    training: list[str],
    tested: list[str],
    marks: dict[str, Any],
    name: str,
    splitter: Splitter | None,
    since: int,
) -> None:
    vocabulary = Bpe.configure(**marks).learn(Counter(training), Size(learned=12))
    since = min(since, len(vocabulary.learned))
    words, segmenter = words_of(tested), SEGMENTERS[name]()
    # Whatever timeline the plugin has or has not, that of the oracle must do.
    for one in (segmenter, Cutting(other=segmenter)):
        prepared = one.prepare(vocabulary)
        whole = Replay(vocabulary, one, prepared, splitter)(words, since)
        if whole is None:
            continue
        for m in range(since, len(vocabulary.learned) + 1):
            cut = vocabulary.cut(Size(learned=m))
            found, right = whole.at(m, cut), one_by_one(words, cut, segmenter, splitter)
            assert same(found, right), (m, found.ids, right.ids)
            assert found.vocabulary == cut
            assert set(found.since.tolist()) == {0}
            assert set(found.until.tolist()) == {m + 1}


def test_whole_vocabularies_are_segmented_at_once(make_words: MakeWords) -> None:
    """A segmenter that has a timeline is not asked word by word."""

    class AtOnce(Cutting):
        def segment(self, word: str, prepared: Any) -> Sequence[Token]:
            raise AssertionError

    words = make_words("ab abc c")
    vocabulary = Vocabulary.build(("a", "b", "c"), [Learned(("a", "b"))])
    found = segment(words, vocabulary, AtOnce(other=SEGMENTERS["bpe"]()), vocabulary)
    assert found.ids.tolist() == [3, 3, 2, 2]
    assert found.row.tolist() == [0, 1, 3, 4]


def test_states_by_hand(make_words: MakeWords) -> None:
    """Ab is joined first, then abc; the unknown d stays unknown."""
    vocabulary = Vocabulary.build(
        ("a", "b", "c"), [Learned(("a", "b")), Learned(("ab", "c"))], segmenter={"use": "bpe"}
    )
    segmenter = Cutting(other=SEGMENTERS["bpe"]())
    whole = Replay(vocabulary, segmenter, vocabulary)(make_words("abc abd"), 0)
    assert whole is not None
    assert whole.word.tolist() == [0, 0, 0, 1, 1]
    assert list(zip(whole.since.tolist(), whole.until.tolist(), strict=True)) == [
        (0, 1),
        (1, 2),
        (2, 3),
        (0, 1),
        (1, 3),
    ]
    assert whole.tokens.tolist() == [3, 2, 1, 3, 2]
    assert whole.unknown_tokens.tolist() == [0, 0, 0, 1, 1]
    assert whole.unknown_chars.tolist() == [0, 0, 0, 1, 1]
    assert whole.kept_whole.tolist() == [False, False, True, False, False]
    assert whole.restored.tolist() == [True, True, True, False, False]


def test_a_segmenter_without_a_timeline_has_none(make_words: MakeWords) -> None:
    segmenter = NoTimeline(other=CharSegmenter())
    assert Replay(Vocabulary(("a",)), segmenter, None)(make_words("ab"), 0) is None


VOCABULARY = Vocabulary.build(
    ("a", "b", "한"), [Learned(("a", "b")), Learned(("ab", "ab")), Learned(("ab", "한"))]
)
RIGHT = States(
    word=np.array([0, 0, 1]),
    row=np.array([0, 2, 3, 4]),
    ids=np.array([0, 1, 3, -1]),
    ends=np.array([1, 2, 2, 3]),
    since=np.array([0, 1, 0]),
    until=np.array([1, 4, 4]),
)
COVER = "in its timeline the tokens of {} do not cover it"


class Given(Segmenter):
    """Gives the states that a test wants, of the words ab and 국."""

    given: Any

    def segment(self, word: str, prepared: Any) -> Sequence[Token]:
        raise AssertionError

    def timeline(self, words: Sequence[str], prepared: Any, since: int = 0) -> Any:
        return self.given


def test_right_states_are_taken(make_words: MakeWords) -> None:
    found = Replay(VOCABULARY, Given(given=RIGHT), None)(make_words("ab 국"), 0)
    assert found is not None
    assert found.starts.tolist() == [0, 1, 0, 0]
    assert found.restored.tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"since": [0, 2, 0]}, "the states of 'ab' leave a gap between 0 and 3 learned"),
        ({"since": [1, 1, 0]}, "the states of 'ab' leave a gap between 0 and 3 learned"),
        ({"until": [1, 4, 3]}, "the states of '국' leave a gap between 0 and 3 learned"),
        ({"until": [1, 4, 5]}, "the states of '국' leave a gap between 0 and 3 learned"),
        ({"until": [0, 4, 4]}, "the states of 'ab' leave a gap between 0 and 3 learned"),
        ({"word": [0, 0, 0]}, "its timeline does not hold 2 words in order"),
        ({"word": [0, 1, 0]}, "its timeline does not hold 2 words in order"),
        ({"word": [1, 1, 1]}, "its timeline does not hold 2 words in order"),
        ({"word": [0, 0, 2]}, "its timeline does not hold 2 words in order"),
        ({"word": [0, 0, 1, 1]}, "its timeline's arrays do not fit together"),
        ({"ends": [1, 2, 2]}, "its timeline's arrays do not fit together"),
        ({"row": [0, 2, 3, 3]}, "`row` does not rise from 0 to the last token"),
        ({"row": [0, 3, 2, 4]}, "`row` does not rise from 0 to the last token"),
        ({"ids": [0, 1, 6, -1]}, "the tokens of 'ab' hold an id that its vocabulary does not"),
        ({"ids": [0, 1, 3, -2]}, "the tokens of '국' hold an id that its vocabulary does not"),
        # With one learned item there are four tokens, although the vocabulary holds six.
        ({"ids": [0, 1, 4, -1]}, "the tokens of 'ab' hold an id that its vocabulary does not"),
        ({"ids": [1, 0, 3, -1]}, COVER.format("'ab'")),
        ({"ids": [0, 1, 3, 2]}, COVER.format("'국'")),
        ({"ends": [1, 2, 2, 2]}, COVER.format("'국'")),
        ({"ends": [3, 2, 2, 3]}, COVER.format("'ab'")),
        ({"ends": [-1, 2, 2, 3]}, COVER.format("'ab'")),
        ({"row": [0, 3, 3, 4], "ids": [0, 1, 1, -1]}, COVER.format("'ab'")),
        ({"ends": [1.0, 2.0, 2.0, 3.0]}, "its timeline's `ends` is no array of whole numbers"),
        ({"ids": [[0, 1, 3, -1]]}, "its timeline's `ids` is no array of whole numbers"),
    ],
)
def test_wrong_states_are_refused(
    make_words: MakeWords, change: dict[str, Any], message: str
) -> None:
    given = replace(RIGHT, **{name: np.array(values) for name, values in change.items()})
    with pytest.raises(BrokenPromiseError) as caught:
        Replay(VOCABULARY, Given(given=given), None)(make_words("ab 국"), 0)
    assert message in str(caught.value)


def test_what_is_no_timeline_is_refused(make_words: MakeWords) -> None:
    with pytest.raises(BrokenPromiseError, match="its timeline is list, not States"):
        Replay(VOCABULARY, Given(given=[]), None)(make_words("ab"), 0)


def test_tokens_grow_with_what_is_learned() -> None:
    """A product that is a token already adds none."""
    items = [Learned(("a", "b")), Learned(("a", "b")), Learned(("ab", "a"))]
    vocabulary = Vocabulary.build(("a", "b"), items)
    assert grown(vocabulary).tolist() == [2, 3, 3, 4]
    sizes = [len(vocabulary.cut(Size(learned=m)).tokens) for m in range(4)]
    assert grown(vocabulary).tolist() == sizes
    assert grows_at_the_end(vocabulary)


@pytest.mark.parametrize(
    ("tokens", "products"),
    [
        (("ab", "a", "b"), ["ab"]),
        (("a", "b", "ab", "<unk>"), ["ab"]),
        (("a", "b", "aba", "ab"), ["ab", "aba"]),
        (("a", "b"), ["ab"]),
    ],
)
def test_tokens_that_do_not_grow_at_the_end(tokens: tuple[str, ...], products: list[str]) -> None:
    items = tuple(Learned((product,)) for product in products)
    assert not grows_at_the_end(Vocabulary(tokens, ("a", "b"), items))


def test_an_unknown_token_that_is_learned_cannot_be_cut() -> None:
    items = (Learned(("a", "b")),)
    assert not grows_at_the_end(Vocabulary(("a", "b", "ab"), ("a", "b"), items, unknown=2))
    assert grows_at_the_end(Vocabulary(("?", "a", "b", "ab"), ("a", "b"), items, unknown=0))


def test_bytes_of_a_character_can_be_known() -> None:
    """Three byte tokens cover 한; decoded by default they give it back."""
    vocabulary = Vocabulary(("<0xED>", "<0x95>", "<0x9C>"), bytes={0: 0xED, 1: 0x95, 2: 0x9C})
    states = States(
        word=np.array([0]),
        row=np.array([0, 3]),
        ids=np.array([0, 1, 2]),
        ends=np.array([1, 2, 3]),
        since=np.array([0]),
        until=np.array([1]),
    )
    found = Replay(vocabulary, Given(given=states), None)(words_of(["한"]), 0)
    assert found is not None
    assert found.restored.tolist() == [True]
    part = replace(states, row=np.array([0, 2]), ids=np.array([0, -1]), ends=np.array([1, 3]))
    lost = Replay(vocabulary, Given(given=part), None)(words_of(["한"]), 0)
    assert lost is not None
    assert lost.restored.tolist() == [False]
    wrong = replace(states, ids=np.array([0, 2, 1]))
    with pytest.raises(BrokenPromiseError, match="the tokens of '한' do not cover it"):
        Replay(vocabulary, Given(given=wrong), None)(words_of(["한"]), 0)


def test_the_oracle_by_hand() -> None:
    found = by_cutting(CharSegmenter(), ["ab"], VOCABULARY, since=1)
    assert {name: values.tolist() for name, values in vars(found).items()} == {
        "word": [0],
        "row": [0, 2],
        "ids": [0, 1],
        "ends": [1, 2],
        "since": [1],
        "until": [4],
    }
