"""Learning runs: which words and sizes a learner is given, and what it may give back."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.cutting import Halves, made
from tests.tiny import TinyRun, learned, offering, tiny_run
from tokbench.api import Learner, Reads, Size, SizeError, Splitter, Vocabulary

SIZES = "[500, 2000, 1000]"


class Toy(Learner):
    """Returns what a test wants, and remembers what it was given."""

    prefix: ClassVar[bool] = True
    takes_size: ClassVar[bool] = True
    what: ClassVar[Reads] = "words"
    gives: ClassVar[Any] = None
    calls: ClassVar[list[tuple[list[Any], Size]]]

    @property
    def sized(self) -> bool:
        return self.takes_size

    @property
    def prefix_closed(self) -> bool:
        return self.prefix

    @property
    def reads(self) -> Reads:
        return self.what

    def learn(self, words: Mapping[str, int], size: Size) -> Any:
        self.calls.append(([*words.items()], size))
        return self.vocabulary(f"words {size}")

    def learn_lines(self, lines: Iterable[str], size: Size) -> Any:
        self.calls.append(([*lines], size))
        return self.vocabulary(f"lines {size}")

    def load(self) -> Any:
        return self.vocabulary("loaded")

    def vocabulary(self, token: str) -> Any:
        own = Vocabulary((token,), segmenter={"use": "word"})
        return own if self.gives is None else self.gives


def run(
    folder: Path,
    toy: type[Learner],
    train: str = "ab ab",
    split: type[Splitter] | None = None,
    **keys: str | None,
) -> TinyRun:
    """Learn from a text with one learner, and then with another that it must not disturb."""
    other = made(Toy, calls=[])
    parts: dict[str, Any] = {"toy": toy, "other": other} | ({"parts": split} if split else {})
    split_option = ", split: parts" if split else ""
    systems = ", ".join(f"{{learner: {name}{split_option}}}" for name in ("toy", "other"))
    done = tiny_run(
        folder, offering(**parts), {"train": f"{train}\n"}, systems=f"[{systems}]",
        **{"sizes": "[7]", **keys},
    )  # fmt: skip
    if split is None:
        words = train.split()
        assert other.calls[0][0] == [(word, words.count(word)) for word in dict.fromkeys(words)]
    return done


def calls_of(folder: Path, toy: type[Any], **options: Any) -> list[tuple[list[Any], Size]]:
    """Return what a learner was given in a run."""
    toy.calls = []
    run(folder, toy, **options)
    return list(toy.calls)


def sizes(folder: Path, sizes: str = SIZES, **constants: Any) -> list[Size]:
    """Return the sizes that a learner was asked for."""
    asked = calls_of(folder, made(Toy, calls=[], **constants), sizes=sizes)
    return [size for _, size in asked]


@pytest.mark.parametrize("split", [None, Halves])
def test_no_learner_can_change_the_words_of_the_next(
    tmp_path: Path, split: type[Splitter] | None
) -> None:
    class Changing(Toy):
        def learn(self, words: Any, size: Size) -> Any:
            words["c"] = 1

    (failure,) = run(tmp_path, Changing, split=split).failures
    assert failure.startswith("system toy at size 7: TypeError: ")


def test_pieces_are_counted_in_the_order_in_which_they_come_up(tmp_path: Path) -> None:
    """aab is aa|b, since a gap before the first piece is a piece; babb is ba|b|b."""
    train = "aab babb aa " + "aab aab babb " + "aa " * 4
    ((words, _),) = calls_of(tmp_path, made(Toy, calls=[]), train=train.strip(), split=Halves)
    assert words == [("aa", 8), ("b", 3 + 2 * 2), ("ba", 2)]


def test_one_run_at_the_largest_size_serves_what_can_be_cut(tmp_path: Path) -> None:
    assert sizes(tmp_path) == [Size(total=2000)]
    asked = calls_of(tmp_path, made(Toy, calls=[]), sizes=None, merges="[0, 7]")
    assert [size for _, size in asked] == [Size(learned=7)]


def test_what_cannot_be_cut_is_learned_once_a_size_in_their_order(tmp_path: Path) -> None:
    asked = sizes(tmp_path, prefix=False)
    assert asked == [Size(total=500), Size(total=2000), Size(total=1000)]


@pytest.mark.parametrize("prefix", [True, False])
def test_a_learner_that_takes_no_size_runs_once(tmp_path: Path, prefix: bool) -> None:
    assert sizes(tmp_path, takes_size=False, prefix=prefix) == [Size(total=0)]


def test_a_learner_is_given_what_it_reads(tmp_path: Path) -> None:
    """Lines instead of words, or nothing, for the same training text."""

    def read(what: Reads) -> tuple[tuple[str, ...], list[Any]]:
        toy = made(Toy, calls=[], what=what, prefix=False, takes_size=what != "nothing")
        done = run(tmp_path, toy)
        name = "toy" if what == "nothing" else "toy@7"
        return learned(done)[name].tokens, [text for text, _ in toy.calls]

    assert read("words") == (("words 7",), [[("ab", 2)]])
    assert read("lines") == (("lines 7",), [["ab ab"]])
    assert read("nothing") == (("loaded",), [])


def test_a_size_that_does_not_exist_is_left_out(tmp_path: Path) -> None:
    class Small(Toy):
        def learn(self, words: Mapping[str, int], size: Size) -> Any:
            raise SizeError("size 7 is below the alphabet of 20", 20)

    done = run(tmp_path, Small)
    assert done.failures == ()
    note = "system toy at size 7: left out: its smallest vocabulary has 20 tokens"
    assert note in done.notes


def test_the_end_of_a_range_is_learned_where_all_sizes_can_be_cut(tmp_path: Path) -> None:
    span = f"{{from: 500, to: 3000, list: {SIZES}}}"
    assert sizes(tmp_path, span) == [Size(total=3000)]
    listed = sizes(tmp_path, span, prefix=False)
    assert listed == [Size(total=500), Size(total=2000), Size(total=1000)]
