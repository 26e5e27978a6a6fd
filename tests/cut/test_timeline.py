"""One replay gives every size: the same arrays as cutting the vocabulary and segmenting anew."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_bpe.learner import Bpe

from tests.cutting import CORPUS, SYSTEM, Halves, cut, made, run_with
from tests.offered import offered
from tests.timelines import Cutting, NoTimeline, same
from tests.tiny import FEWER_EXAMPLES, TinyRun, steps
from tokbench.api import Learned, Segmenter, Size, Splitter, Token, Vocabulary
from tokbench.api.arrays import Segmentation, Timeline
from tokbench.cut import bound
from tokbench.errors import TokbenchError

NAMES = ("bpe", "bpe-learned-order", "longest-match", "fewest-tokens", "char", "word")
SEGMENTERS = {name: offered("segmenter")[name] for name in NAMES}
MARKS = (
    {},
    {"eow": "absent"},
    {"eow": "separate", "bow": "fenced"},
    {"eow": "absent", "continuation": "fused", "alphabet": {"forms": "seen"}},
)
LETTERS = st.text("ab한\u0301😀\ufffd", min_size=1, max_size=6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("timeline")


def at(run: TinyRun, size: int, system: str = SYSTEM) -> Segmentation:
    return run.segmentation(system, CORPUS, f"merges:{size}")


def segmented(run: TinyRun, system: str = SYSTEM) -> list[str]:
    """Return the sizes that were segmented one by one; all at once have no size."""
    return [size for name, step, size in steps(run) if (name, step) == (system, "segment")]


@FEWER_EXAMPLES
@given(
    st.lists(LETTERS, min_size=1, max_size=8),
    st.lists(LETTERS, min_size=1, max_size=6),
    st.sampled_from(MARKS),
    st.sampled_from(sorted(SEGMENTERS)),
    st.sampled_from([None, Halves]),
    st.integers(0, 4),
)
def test_every_size_is_what_cutting_and_segmenting_gives(
    folder: Path,
    training: list[str],
    tested: list[str],
    marks: dict[str, Any],
    name: str,
    split: type[Splitter] | None,
    since: int,
) -> None:
    vocabulary = Bpe.configure(**marks).learn(Counter(training), Size(learned=7))
    last = len(vocabulary.learned)
    sizes = range(min(since, last), last + 1)
    segmenter = SEGMENTERS[name]
    # Whatever timeline the plugin has or has not, that of the oracle must do.
    others = {"oracle": Cutting, "anew": NoTimeline}
    run = run_with(
        folder, vocabulary, segmenter, [" ".join(tested)], train=" ".join(training), split=split,
        merges=str([*sizes]), others={n: made(c, wrapped=segmenter()) for n, c in others.items()},
    )  # fmt: skip
    assert run.failures == ()
    assert segmented(run, "oracle") == [""]
    assert segmented(run, "anew") == [f"merges:{m}" for m in sizes]
    for m in sizes:
        right = at(run, m, "anew")
        for system in (SYSTEM, "oracle"):
            assert same(at(run, m, system), right), (system, m)
            assert at(run, m, system).vocabulary == vocabulary.cut(Size(learned=m))


@pytest.fixture
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a few words be cut as many are."""
    monkeypatch.setattr(bound, "FEW_WORDS", 0)


@pytest.mark.usefixtures("few_are_many")
def test_whole_vocabularies_are_segmented_at_once(folder: Path) -> None:
    """A segmenter that has a timeline is not asked word by word."""

    class AtOnce(Cutting):
        def segment(self, word: str, prepared: Any) -> Sequence[Token]:
            raise AssertionError

    vocabulary = Vocabulary.build(("a", "b", "c"), [Learned(("a", "b"))])
    cuts = cut(folder, vocabulary, made(AtOnce, wrapped=SEGMENTERS["bpe"]()), ["ab abc c"])
    assert cuts.ids.tolist() == [3, 3, 2, 2]
    assert cuts.row.tolist() == [0, 1, 3, 4]


VOCABULARY = Vocabulary.build(
    ("a", "b", "한"), [Learned(("a", "b")), Learned(("ab", "ab")), Learned(("ab", "한"))]
)
RIGHT = Timeline(
    word=np.array([0, 0, 1]),
    row=np.array([0, 2, 3, 4]),
    ids=np.array([0, 1, 3, -1]),
    ends=np.array([1, 2, 2, 3]),
    since=np.array([0, 1, 0]),
    until=np.array([1, 4, 4]),
)
COVER = "in its timeline the tokens of {} do not cover it"


class Given(Segmenter):
    """Returns the states that a test wants, of the words ab and 국."""

    states: ClassVar[Any]

    def segment(self, word: str, prepared: Any) -> Sequence[Token]:
        raise AssertionError

    def timeline(self, words: Sequence[str], prepared: Any, since: int = 0) -> Any:
        return self.states


def replayed(folder: Path, states: Any) -> TinyRun:
    """Run a segmenter that gives these states of the words ab and 국, the same in training."""
    return run_with(
        folder, VOCABULARY, made(Given, states=states), ["ab 국"], train="ab 국",
        merges="[0, 1, 2, 3]",
    )  # fmt: skip


def test_right_states_are_taken(folder: Path) -> None:
    run = replayed(folder, RIGHT)
    assert run.failures == ()
    assert [at(run, m).starts.tolist() for m in range(4)] == [[0, 1, 0], *[[0, 0]] * 3]
    assert [at(run, m).round_trip.tolist() for m in range(4)] == [[True, False]] * 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"since": [0, 2, 0]}, "the states of 'ab' leave a gap between 0 and 3 learned"),
        ({"until": [1, 4, 5]}, "the states of '국' leave a gap between 0 and 3 learned"),
        ({"until": [0, 4, 4]}, "the states of 'ab' leave a gap between 0 and 3 learned"),
        ({"word": [0, 1, 0]}, "its timeline does not hold 2 words in order"),
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
        ({"ends": [-1, 2, 2, 3]}, COVER.format("'ab'")),
        ({"row": [0, 3, 3, 4], "ids": [0, 1, 1, -1]}, COVER.format("'ab'")),
        ({"ends": [1.0, 2.0, 2.0, 3.0]}, "its timeline's `ends` is no array of whole numbers"),
        ({"ids": [[0, 1, 3, -1]]}, "its timeline's `ids` is no array of whole numbers"),
    ],
)
def test_wrong_states_are_refused(folder: Path, change: dict[str, Any], message: str) -> None:
    run = replayed(
        folder, replace(RIGHT, **{name: np.array(values) for name, values in change.items()})
    )
    (failure,) = run.failures
    assert failure.startswith("system s: ")
    assert message in failure


def test_what_is_no_timeline_is_refused(folder: Path) -> None:
    assert replayed(folder, []).failures == ("system s: its timeline is list, not Timeline",)


def served(folder: Path, vocabulary: Vocabulary, merges: str) -> TinyRun:
    """Run a segmenter that has a timeline."""
    segmenter = made(Cutting, wrapped=SEGMENTERS["longest-match"]())
    return run_with(folder, vocabulary, segmenter, ["ab ba"], train="ab", merges=merges)


def test_tokens_grow_with_what_is_learned(folder: Path) -> None:
    """A product that is a token already adds none."""
    items = [Learned(("a", "b")), Learned(("a", "b")), Learned(("ab", "a"))]
    vocabulary = Vocabulary.build(("a", "b"), items)
    run = served(folder, vocabulary, "[0, 1, 2, 3]")
    assert segmented(run) == [""]
    sizes = [len(run.vocabulary(SYSTEM, f"merges:{m}").tokens) for m in range(4)]
    assert sizes == [2, 3, 3, 4]


@pytest.mark.parametrize(
    ("tokens", "products", "unknown"),
    [
        (("ab", "a", "b"), ["ab"], None),
        (("a", "b", "ab", "<unk>"), ["ab"], None),
        (("a", "b", "aba", "ab"), ["ab", "aba"], None),
        (("a", "b"), ["ab"], None),
        (("a", "b", "ab"), ["ab"], 2),
    ],
)
def test_tokens_that_do_not_grow_at_the_end(
    folder: Path, tokens: tuple[str, ...], products: list[str], unknown: int | None
) -> None:
    items = tuple(Learned((product,)) for product in products)
    vocabulary = Vocabulary(tokens, ("a", "b"), items, unknown=unknown)
    run = served(folder, vocabulary, f"[0, {len(items)}]")
    assert run.failures == ()
    assert segmented(run) == ["merges:0", f"merges:{len(items)}"]


def test_an_unknown_token_before_all_others_grows_at_the_end(folder: Path) -> None:
    vocabulary = Vocabulary(("?", "a", "b", "ab"), ("a", "b"), (Learned(("a", "b")),), unknown=0)
    assert segmented(served(folder, vocabulary, "[1]")) == [""]


@pytest.mark.usefixtures("few_are_many")
def test_bytes_of_a_character_can_be_known(folder: Path) -> None:
    """Three byte tokens cover 한; decoded by default they give it back."""
    vocabulary = Vocabulary(("<0xED>", "<0x95>", "<0x9C>"), bytes={0: 0xED, 1: 0x95, 2: 0x9C})

    def round_trip(ids: list[int], ends: list[int]) -> list[bool]:
        word, row = np.array([0]), np.array([0, len(ids)])
        states = Timeline(word, row, np.array(ids), np.array(ends), word, word + 1)
        restored: list[bool] = cut(
            folder, vocabulary, made(Given, states=states), ["한"]
        ).round_trip.tolist()
        return restored

    assert round_trip([0, 1, 2], [1, 2, 3]) == [True]
    assert round_trip([0, -1], [1, 3]) == [False]
    with pytest.raises(TokbenchError, match="the tokens of '한' do not cover it"):
        round_trip([0, 2, 1], [1, 2, 3])
