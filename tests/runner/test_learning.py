"""Learning runs: which words and sizes a learner is given, and what it may give back."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from tokbench.api import Learner, Reads, Size, Splitter, Vocabulary
from tokbench.config import Span, System
from tokbench.errors import SizeError, TokbenchError
from tokbench.runner.learning import TrainingText, learn, learning_runs, training_words

TEXT = TrainingText(training_words({"ab": 2}, None), ["ab ab"])
SIZES = (Size(total=500), Size(total=2000), Size(total=1000))


class Toy(Learner):
    """Gives what a test wants."""

    prefix: bool = True
    takes_size: bool = True
    gives: Any = None

    @property
    def sized(self) -> bool:
        return self.takes_size

    @property
    def prefix_closed(self) -> bool:
        return self.prefix

    def learn(self, words: Mapping[str, int], size: Size) -> Any:
        return Vocabulary((f"{size}", *words)) if self.gives is None else self.gives


class Letters(Splitter):
    """Finds the letters b only, so that what stands around them is in gaps."""

    def split(self, text: str) -> list[tuple[int, int]]:
        return [(i, i + 1) for i, letter in enumerate(text) if letter == "b"]


def system(sizes: tuple[Size, ...] = SIZES, **options: Any) -> System:
    return System("toy", "toy", Toy(**options), None, None, None, None, sizes)


def test_words_are_learned_whole_without_a_splitter() -> None:
    assert list(training_words({"ab": 2, "b": 1}, None).items()) == [("ab", 2), ("b", 1)]


@pytest.mark.parametrize("splitter", [None, Letters()])
def test_no_learner_can_change_the_words_of_the_next(splitter: Splitter | None) -> None:
    words: Any = training_words({"ab": 2}, splitter)
    with pytest.raises(TypeError):
        words["c"] = 1


def test_pieces_are_counted_in_the_order_in_which_they_come_up() -> None:
    """aab is aa|b, since a gap before the first piece is a piece; babb is ba|b|b."""
    counted = training_words({"aab": 3, "babb": 2, "aa": 5}, Letters())
    assert list(counted.items()) == [("aa", 8), ("b", 3 + 2 * 2), ("ba", 2)]


def test_a_splitter_that_fails_says_at_which_word() -> None:
    class Wrong(Splitter):
        def split(self, text: str) -> list[tuple[int, int]]:
            return [(0, 99)]

    with pytest.raises(TokbenchError, match=r"its splitter failed at 'aab': it gave a word that"):
        training_words({"aab": 1}, Wrong())


def test_one_run_at_the_largest_size_serves_what_can_be_cut() -> None:
    assert list(learning_runs(system())) == [Size(total=2000)]
    merges = (Size(learned=0), Size(learned=7))
    assert list(learning_runs(system(merges))) == [Size(learned=7)]


def test_what_cannot_be_cut_is_learned_once_a_size_in_their_order() -> None:
    assert list(learning_runs(system(prefix=False))) == list(SIZES)


@pytest.mark.parametrize("prefix", [True, False])
def test_a_learner_that_takes_no_size_runs_once(prefix: bool) -> None:
    assert list(learning_runs(system((), takes_size=False, prefix=prefix))) == [None]


def test_the_learner_is_given_the_words_and_the_size() -> None:
    assert learn(system(), TEXT, Size(total=7)).tokens == ("7", "ab")
    assert learn(system(), TEXT, None).tokens == ("0", "ab")


def test_a_learner_is_given_what_it_reads() -> None:
    """Lines instead of words, or nothing, for the same training text."""

    class Reader(Toy):
        what: Reads

        @property
        def reads(self) -> Reads:
            return self.what

        def learn_lines(self, lines: Iterable[str], size: Size) -> Any:
            return Vocabulary((f"{size} lines", *lines))

        def load(self) -> Any:
            return Vocabulary(("loaded",))

    def tokens(what: Reads) -> tuple[str, ...]:
        return learn(replace(system(), learner=Reader(what=what)), TEXT, Size(total=7)).tokens

    assert tokens("words") == ("7", "ab")
    assert tokens("lines") == ("7 lines", "ab ab")
    assert tokens("nothing") == ("loaded",)


def test_anything_but_a_vocabulary_is_refused() -> None:
    with pytest.raises(TokbenchError, match=r"^learn gave list, not a Vocabulary$"):
        learn(system(gives=["ab"]), TEXT, Size(total=7))


def test_a_size_that_does_not_exist_passes() -> None:
    class Small(Toy):
        def learn(self, words: Mapping[str, int], size: Size) -> Any:
            raise SizeError("size 7 is below the alphabet of 20", 20)

    small = System("toy", "toy", Small(), None, None, None, None, SIZES)
    with pytest.raises(SizeError) as caught:
        learn(small, TEXT, Size(total=7))
    assert caught.value.minimum == 20


@pytest.mark.parametrize(("to", "run"), [(900, 2000), (3000, 3000)])
def test_the_end_of_a_range_is_learned_where_all_sizes_can_be_cut(to: int, run: int) -> None:
    span = Span(Size(total=500), Size(total=to), curve=False)
    assert [*learning_runs(replace(system(), span=span))] == [Size(total=run)]
    assert [*learning_runs(replace(system(prefix=False), span=span))] == [*SIZES]


class Reader(Toy):
    """Reads what a test says, and gives what it was given for tokens."""

    what: Reads

    @property
    def reads(self) -> Reads:
        return self.what

    def learn_lines(self, lines: Iterable[str], size: Size) -> Any:
        return Vocabulary((f"lines {size}", *dict.fromkeys(lines)))

    def load(self) -> Any:
        return Vocabulary(("ready-made",)) if self.gives is None else self.gives


def test_what_is_loaded_must_be_a_vocabulary_too() -> None:
    toy = System("toy", "toy", Reader(what="nothing", gives=[]), None, None, None, None, ())
    with pytest.raises(TokbenchError, match=r"^learn gave list, not a Vocabulary$"):
        learn(toy, TEXT, None)


@pytest.mark.parametrize(
    ("defined", "message"),
    [
        ("words", "learns from words"),
        ("lines", "learns from lines"),
        ("nothing", "loads no ready-made vocabulary"),
    ],
)
def test_a_learner_without_the_method_says_so(defined: Reads, message: str) -> None:
    class Without(Learner):
        @property
        def reads(self) -> Reads:
            return defined

    without = System("toy", "toy", Without(), None, None, None, None, ())
    with pytest.raises(NotImplementedError, match=message.replace("learns", "does not learn")):
        learn(without, TEXT, None)


def test_what_is_ready_made_takes_no_size() -> None:
    class Ready(Learner):
        @property
        def reads(self) -> Reads:
            return "nothing"

    assert not Ready().sized
    assert Toy().reads == "words"
