"""Arrays on disk: without pickle they give back words and tokens, and depend on nothing else."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokbench_char import CharSegmenter

from tests.runner.conftest import MakeWords
from tokbench.api import Learned, Segmentation, Vocabulary, Words
from tokbench.api.segmentation import InContext
from tokbench.cut import BoundSegmenter, segment
from tokbench.errors import InputError
from tokbench.run_folder.arrays import (
    Arrays,
    opened,
    read_segmentation,
    read_words,
    save,
    segmentation_arrays,
    words_arrays,
)

VOCABULARY = Vocabulary(tokens=("a", "b", "한"), alphabet=("a", "b", "한"))


def segmented(make_words: MakeWords, *lines: str) -> Segmentation:
    return segment(BoundSegmenter(CharSegmenter(), VOCABULARY), make_words(*lines))


def words(*text: str, **more: object) -> Words:
    """One line with each word once."""
    count = len(text)
    return Words(
        text=text,
        order=np.arange(count, dtype=np.uint32),
        lines=np.array([0, count]),
        documents=np.zeros(1, dtype=np.int32),
        train_count=np.arange(count),
        **more,
    )


def kept(path: Path, arrays: dict[str, Any]) -> Arrays:
    """Write arrays and open them again."""
    save(path / "a.npz", arrays)
    return opened(path / "a.npz")


@pytest.mark.parametrize("text", [("a", "한글", ""), ("\ud800", "e\u0301", "\x00"), ("", "é")])
def test_words_come_back_whatever_they_are(tmp_path: Path, text: tuple[str, ...]) -> None:
    given = words(*text)
    for arrays in (words_arrays("t", given), kept(tmp_path, words_arrays("t", given))):
        found = read_words(arrays, "t")
        assert found.text == text
        assert (found.gold, found.category, found.numbers) == (None, None, None)
        for name in ("order", "lines", "documents", "train_count", "count"):
            known, read = getattr(given, name), getattr(found, name)
            assert (read.dtype, read.tolist()) == (known.dtype, known.tolist())


def test_gold_categories_and_line_numbers_come_back(tmp_path: Path) -> None:
    gold = ((), ((),), ((1,), (1, 2)))
    numbers = np.array([7], dtype=np.int32)
    given = words("ab", "c", "abc", gold=gold, category=("", "x", "한"), numbers=numbers)
    found = read_words(kept(tmp_path, words_arrays("t", given)), "t")
    assert (found.gold, found.category) == (gold, ("", "x", "한"))
    assert found.numbers is not None
    assert found.numbers.tolist() == [7]


def test_words_are_stored_with_their_order_and_pointers(make_words: MakeWords) -> None:
    given = make_words("a 한b a", "한b", train={"a": 3})
    arrays = words_arrays("t", replace(given, numbers=np.array([1, 3])))
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
        "t/500/word": [0, 1],
        "t/500/row": [0, 2, 3],
        "t/500/ids": [2, 1, -1],
        "t/500/starts": [0, 3, 0],
        "t/500/ends": [3, 4, 1],
        "t/500/round_trip": [True, False],
    }


def test_a_segmentation_comes_back(tmp_path: Path, make_words: MakeWords) -> None:
    given = segmented(make_words, "한b x", "b")
    context = InContext(
        np.array([0, 1, 2], dtype=np.uint32),
        np.array([0, 0, 0, 0], dtype=np.int8),
        np.array([2, 0]),
    )
    for one in (given, replace(given, context=context)):
        arrays = kept(tmp_path, segmentation_arrays("t", one))
        found = read_segmentation(arrays, "t", given.words, VOCABULARY)
        for name in ("word", "row", "ids", "starts", "ends", "round_trip", "since", "until"):
            known, read = getattr(one, name), getattr(found, name)
            assert (read.dtype, read.tolist()) == (known.dtype, known.tolist()), name
        assert (found.context is None) == (one.context is None)
    assert found.context is not None
    for name, values in vars(context).items():
        read = getattr(found.context, name)
        assert (read.dtype, read.tolist()) == (values.dtype, values.tolist())


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
    names = ("word", "row", "ids", "starts", "ends", "round_trip", "since", "until")
    assert list(arrays) == [f"t/{name}" for name in names]
    learned = tuple(Learned(("a", "b")) for _ in range(5))
    for number, expected in ((4, [1]), (5, [2])):
        cut = replace(VOCABULARY, learned=learned[:number])
        assert read_segmentation(arrays, "t", both.words, cut).ids.tolist() == expected


def test_numbers_take_four_bytes_where_they_fit(tmp_path: Path, make_words: MakeWords) -> None:
    seg = segmented(make_words, "ab")
    large = replace(seg, ends=np.array([2**31 - 1, 2**31]))
    small, wide = (kept(tmp_path, segmentation_arrays("t", one))["t/ends"] for one in (seg, large))
    assert (small.dtype, wide.dtype) == (np.int32, np.int64)
    assert wide.tolist() == [2**31 - 1, 2**31]


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip", None])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "a.npz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"a\.npz: (damaged|cannot be read): ") as caught:
        opened(path)
    assert "\n" not in str(caught.value)


def test_an_array_that_is_damaged_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    save(path, {"t": np.arange(1000)})
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    path.write_bytes(raw)
    with pytest.raises(InputError, match=r"a\.npz: damaged: t: "):
        opened(path)["t"]


def test_a_file_is_read_without_pickle_and_holds_no_more(tmp_path: Path) -> None:
    arrays = {
        "t/order": np.array([1, 2], dtype=np.uint32),
        "한/empty": np.array([], dtype=np.int64),
    }
    save(tmp_path / "a.npz", arrays)
    with np.load(tmp_path / "a.npz", allow_pickle=False) as found:
        assert sorted(found) == sorted(arrays)
        assert [(found[n].dtype, found[n].tolist()) for n in arrays] == [
            (np.uint32, [1, 2]),
            (np.int32, []),
        ]


WRONG_WORDS = [
    ("words-utf8", None, "missing"),
    ("words-utf8", [97, 0xC3, 97], "'utf-8' codec can't decode byte 0xc3"),
    ("words-utf8", [97], "it does not rise to 1"),
    ("words-ends", [1.0, 3.0], "found float64 in 1 dimensions"),
    ("words-ends", [[1, 3]], "found int32 in 2 dimensions"),
    ("words-ends", [3, 1], "it does not rise to 3"),
    ("words-ends", [-1, 3], "-1 is below 0"),
    ("order", None, "missing"),
    ("order", [0, 2], "2 is above 1"),
    ("lines", [], "it does not begin with 0"),
    ("lines", [1, 2], "it does not begin with 0"),
    ("lines", [0, 3], "it does not rise to 2"),
    ("documents", [0, 0], "2 numbers, where 1 are due"),
    ("train-count", [0], "1 numbers, where 2 are due"),
    ("numbers", [], "0 numbers, where 1 are due"),
    ("gold-first", [0, 1], "2 numbers, where 3 are due"),
    ("gold-row", None, "missing"),
    ("gold-row", [0, 9], "it does not rise to 1"),
    ("category-utf8", None, "missing"),
    ("category-ends", [1], "1 numbers, where 2 are due"),
]


@pytest.mark.parametrize(("name", "values", "message"), WRONG_WORDS)
def test_words_that_are_damaged(
    tmp_path: Path, name: str, values: list[Any] | None, message: str
) -> None:
    given = words(
        "a", "bc", gold=(((),), ((1,),)), category=("x", "y"), numbers=np.array([1], dtype=np.int32)
    )
    arrays = words_arrays("t", given)
    assert read_words(kept(tmp_path, arrays), "t").text == given.text
    found = kept(tmp_path, changed(arrays, f"t/{name}", values))
    with pytest.raises(InputError) as caught:
        read_words(found, "t")
    assert str(caught.value).startswith(f"{tmp_path / 'a.npz'}: t/")
    assert f": damaged: {message}" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("word", None, "missing"),
        ("word", [0, 2], "2 is above 1"),
        ("word", [0, 0], "not each word has its state"),
        ("row", [0, 2], "2 numbers, where 3 are due"),
        ("row", [1, 2, 3], "it does not begin with 0"),
        ("row", [0, 9, 3], "it does not rise to 3"),
        ("row", [0, 2, 2], "it does not rise to 3"),
        ("ids", [0, 1, -2], "-2 is below -1"),
        ("ids", [0, 1, 3], "the vocabulary has no token 3"),
        ("ids", ["a", "b", "c"], "found <U1 in 1 dimensions"),
        ("starts", [0], "1 numbers, where 3 are due"),
        ("ends", [3, 4, 2], "a token is not inside its word"),
        ("ends", [3, 2, 1], "a token is not inside its word"),
        ("round_trip", [1, 1], "found int32 in 1 dimensions"),
        ("round_trip", [True], "1 numbers, where 2 are due"),
        ("order", [0, 1], "2 numbers, where 3 are due"),
        ("order", [0, 1, 2], "2 is above 1"),
        ("part", [0, 0, 4], "4 is above 3"),
        ("outside", [0], "1 numbers, where 2 are due"),
        ("since", [0], "1 numbers, where 2 are due"),
        ("until", None, "missing"),
        ("until", [0, 1], "not each word has its state"),
    ],
)
def test_a_segmentation_that_is_damaged(
    tmp_path: Path, make_words: MakeWords, name: str, values: list[Any] | None, message: str
) -> None:
    given = segmented(make_words, "한b x", "x")
    in_context = name in ("order", "part", "outside")
    context = InContext(
        np.array([0, 1, 1], dtype=np.uint32), np.zeros(3, dtype=np.int8), np.array([2, 0])
    )
    whole = replace(given, context=context if in_context else None)
    arrays = segmentation_arrays("t", whole, timeline=name in ("since", "until"))
    assert len(read_segmentation(kept(tmp_path, arrays), "t", given.words, VOCABULARY)) == 2
    found = kept(tmp_path, changed(arrays, f"t/{name}", values))
    with pytest.raises(InputError) as caught:
        read_segmentation(found, "t", given.words, VOCABULARY)
    assert str(caught.value).startswith(f"{tmp_path / 'a.npz'}: t/")
    assert str(caught.value).endswith(f": damaged: {message}")


def changed(arrays: Arrays, name: str, values: list[Any] | None) -> dict[str, Any]:
    """Replace one array, or leave it out."""
    rest = {key: array for key, array in arrays.items() if key != name}
    return (
        rest
        if values is None
        else {**rest, name: np.array(values, dtype=None if values else np.int64)}
    )


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
