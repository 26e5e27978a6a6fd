"""Words and tokens as arrays: in memory and on disk they come back as they were."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokbench_char import CharSegmenter

from tests.runner.conftest import MakeWords
from tokbench.api import Vocabulary
from tokbench.api.arrays import Segmentation, Words
from tokbench.api.segmentation import InContext
from tokbench.cut import BoundSegmenter, segment
from tokbench.run_folder.arrays import (
    Arrays,
    save,
    segmentation_arrays,
    states_of,
    words_arrays,
    words_of,
)

VOCABULARY = Vocabulary(tokens=("a", "b", "한"), alphabet=("a", "b", "한"))


def segmented(make_words: MakeWords, *lines: str) -> Segmentation:
    return segment(BoundSegmenter(CharSegmenter(), VOCABULARY), make_words(*lines))


def words(*text: str, **fields: object) -> Words:
    """One line with each word once."""
    count = len(text)
    return Words(
        text=text,
        order=np.arange(count, dtype=np.uint32),
        lines=np.array([0, count]),
        documents=np.zeros(1, dtype=np.int32),
        train_count=np.arange(count),
        **fields,
    )


def kept(path: Path, arrays: dict[str, Any]) -> Arrays:
    """Write arrays and open them again."""
    save(path / "a.npz", arrays)
    with np.load(path / "a.npz", allow_pickle=False) as file:
        return dict(file)


@pytest.mark.parametrize("text", [("a", "한글", ""), ("\ud800", "e\u0301", "\x00"), ("", "é")])
def test_words_come_back_whatever_they_are(tmp_path: Path, text: tuple[str, ...]) -> None:
    original = words(*text)
    for arrays in (words_arrays("t", original), kept(tmp_path, words_arrays("t", original))):
        restored = words_of(arrays, "t")
        assert restored.text == text
        assert (restored.gold, restored.category, restored.numbers) == (None, None, None)
        for name in ("order", "lines", "documents", "train_count", "count"):
            expected, actual = getattr(original, name), getattr(restored, name)
            assert (actual.dtype, actual.tolist()) == (expected.dtype, expected.tolist())


def test_gold_categories_and_line_numbers_come_back(tmp_path: Path) -> None:
    gold = ((), ((),), ((1,), (1, 2)))
    numbers = np.array([7], dtype=np.int32)
    original = words("ab", "c", "abc", gold=gold, category=("", "x", "한"), numbers=numbers)
    restored = words_of(kept(tmp_path, words_arrays("t", original)), "t")
    assert (restored.gold, restored.category) == (gold, ("", "x", "한"))
    assert restored.numbers is not None
    assert restored.numbers.tolist() == [7]


def test_words_are_stored_with_their_order_and_pointers(make_words: MakeWords) -> None:
    original = make_words("a 한b a", "한b", train={"a": 3})
    arrays = words_arrays("t", replace(original, numbers=np.array([1, 3])))
    assert {name: array.tolist() for name, array in arrays.items()} == {
        "t/words-utf8": list("a한b".encode()),
        "t/words-ends": [1, 5],
        "t/order": [0, 1, 0, 1],
        "t/lines": [0, 3, 4],
        "t/documents": [0, 0],
        "t/train-count": [3, 0],
        "t/numbers": [1, 3],
    }


def test_states_are_stored_below_their_prefix(make_words: MakeWords) -> None:
    arrays = segmentation_arrays("t/500", segmented(make_words, "한b x"))
    assert {name: values.tolist() for name, values in arrays.items()} == {
        "t/500/states": [1, 1],
        "t/500/tokens": [2, 1],
        "t/500/ids": [2, 1, -1],
        "t/500/gaps": [0, 0, 0],
        "t/500/lengths": [3, 1, 1],
        "t/500/round_trip": [True, False],
    }


def test_a_segmentation_comes_back(tmp_path: Path, make_words: MakeWords) -> None:
    segmentation = segmented(make_words, "한b x", "b")
    context = InContext(
        np.array([0, 1, 2], dtype=np.uint32),
        np.array([0, 0, 0, 0], dtype=np.int8),
        np.array([2, 0]),
        np.array([5, 1]),
        np.array([7, 1]),
        np.array([True, False]),
    )
    for stored in (segmentation, replace(segmentation, context=context)):
        arrays = kept(tmp_path, segmentation_arrays("t", stored))
        restored = states_of(arrays, "t", segmentation.words, VOCABULARY)
        for name in ("word", "row", "ids", "starts", "ends", "round_trip", "since", "until"):
            expected, actual = getattr(stored, name), getattr(restored, name)
            assert (actual.dtype, actual.tolist()) == (expected.dtype, expected.tolist()), name
        assert (restored.context is None) == (stored.context is None)
    assert restored.context is not None
    for name, values in vars(context).items():
        actual = getattr(restored.context, name)
        assert (actual.dtype, actual.tolist()) == (values.dtype, values.tolist())


def test_lines_that_come_back_are_unknown_in_runs_without_them(make_words: MakeWords) -> None:
    segmentation = segmented(make_words, "한b x", "b")
    order, part = np.array([0, 1, 2], dtype=np.uint32), np.zeros(4, dtype=np.int8)
    context = InContext(order, part, np.array([2, 0]), np.array([5, 1]), np.array([7, 1]))
    arrays = segmentation_arrays("t", replace(segmentation, context=context))
    del arrays["t/returned"]
    restored = states_of(arrays, "t", segmentation.words, VOCABULARY)
    assert restored.context is not None
    assert restored.context.returned.tolist() == []


def test_states_of_all_sizes_are_stored_once_with_their_lives(make_words: MakeWords) -> None:
    """b, written as b up to 4 learned items and from 5 on as another token."""
    both = Segmentation(
        words=make_words("b"),
        vocabulary=VOCABULARY,
        word=np.array([0, 0]),
        row=np.array([0, 1, 2]),
        ids=np.array([1, 2]),
        starts=np.array([0, 0]),
        ends=np.array([1, 1]),
        round_trip=np.array([True, True]),
        since=np.array([2, 5]),
        until=np.array([5, 9]),
    )
    arrays = segmentation_arrays("t", both, timeline=True)
    names = ("states", "tokens", "ids", "gaps", "lengths", "round_trip", "since", "until")
    assert list(arrays) == [f"t/{name}" for name in names]
    restored = states_of(arrays, "t", both.words, VOCABULARY)
    for number, expected in ((4, [1]), (5, [2])):
        assert restored.at(number, VOCABULARY).ids.tolist() == expected


@pytest.mark.parametrize(
    ("values", "size"),
    [
        ([], 1), ([-128, 127], 1), ([128], 2), ([-129], 2), ([2**15 - 1], 2), ([2**15], 4),
        ([-(2**31), 2**31 - 1], 4), ([2**31], 8), ([-(2**31) - 1, 0], 8),
    ],
)  # fmt: skip
def test_numbers_take_as_few_bytes_as_they_fit_in(
    values: list[int], size: int, tmp_path: Path
) -> None:
    stored = kept(tmp_path, {"t/ids": np.array(values, dtype=np.int64)})["t/ids"]
    assert (stored.dtype, stored.tolist()) == (np.dtype(f"i{size}"), values)


def test_objects_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="allow_pickle"):
        save(tmp_path / "a.npz", {"t": np.array(["a", 1], dtype=object)})


def test_the_same_arrays_give_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrays = {"t": np.arange(1000)}
    save(tmp_path / "a.npz", arrays)
    monkeypatch.setattr("time.time", lambda: 2e9)
    monkeypatch.setattr("time.localtime", lambda *_: (2033, 5, 18, 0, 0, 0, 0, 0, 0))
    save(tmp_path / "b.npz", arrays)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert (tmp_path / "a.npz").stat().st_size < arrays["t"].nbytes
