"""Arrays on disk: without pickle they give back words and tokens, and depend on nothing else."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tokbench_char import CharSegmenter

from tokbench.api import Segmentation, Vocabulary
from tokbench.corpora.load import TestCorpus
from tokbench.runner.arrays import (
    save,
    segmentation_arrays,
    strings,
    timeline_arrays,
    words_arrays,
)
from tokbench.runner.segmenting import segment

from .conftest import MakeWords

VOCABULARY = Vocabulary(tokens=("a", "b", "한"), alphabet=("a", "b", "한"))


def read_strings(utf8: NDArray[np.uint8], ends: NDArray[np.int64]) -> list[str]:
    starts = [0, *ends[:-1].tolist()]
    raw = utf8.tobytes()
    return [
        raw[a:b].decode("utf-8", "surrogatepass")
        for a, b in zip(starts, ends.tolist(), strict=True)
    ]


def segmented(make_words: MakeWords, *lines: str) -> Segmentation:
    return segment(make_words(*lines), VOCABULARY, CharSegmenter(), VOCABULARY)


@pytest.mark.parametrize("values", [["a", "한글", ""], ["\ud800", "e\u0301", "\x00"], ["", ""]])
def test_strings_come_back_from_their_bytes(values: list[str]) -> None:
    arrays = strings("words", values)
    assert list(arrays) == ["words-utf8", "words-ends"]
    assert arrays["words-utf8"].dtype == np.uint8
    assert read_strings(arrays["words-utf8"], arrays["words-ends"]) == values


def test_words_are_stored_with_their_order_and_pointers(make_words: MakeWords) -> None:
    words = make_words("a 한b a", "한b", train={"a": 3})
    arrays = words_arrays([TestCorpus("t", "text", words, "0" * 64, "words")])
    assert {name: array.tolist() for name, array in arrays.items()} == {
        "t/words-utf8": list("a한b".encode()),
        "t/words-ends": [1, 5],
        "t/order": [0, 1, 0, 1],
        "t/lines": [0, 3, 4],
        "t/documents": [0, 0],
        "t/train-count": [3, 0],
    }


def test_states_are_stored_by_corpus_and_size(make_words: MakeWords) -> None:
    seg = segmented(make_words, "한b x")
    arrays = segmentation_arrays({"500": {"t": seg}, "merges:9": {"t": seg}})
    prefixes = list(dict.fromkeys(name.rpartition("/")[0] for name in arrays))
    assert prefixes == ["t/500", "t/merges:9"]
    names = ("word", "row", "ids", "starts", "ends", "restored")
    assert {name: arrays[f"t/500/{name}"].tolist() for name in names} == {
        "word": [0, 1],
        "row": [0, 2, 3],
        "ids": [2, 1, -1],
        "starts": [0, 3, 0],
        "ends": [3, 4, 1],
        "restored": [True, False],
    }


def test_without_a_size_the_corpus_alone_names_the_states(make_words: MakeWords) -> None:
    assert "t/ids" in segmentation_arrays({"": {"t": segmented(make_words, "a")}})


def test_states_of_all_sizes_are_stored_once_with_their_lives(make_words: MakeWords) -> None:
    seg = replace(segmented(make_words, "b"), since=np.array([2]), until=np.array([5]))
    arrays = timeline_arrays({"t": seg, "other": seg})
    names = ("word", "row", "ids", "starts", "ends", "restored", "since", "until")
    assert list(arrays) == [f"{corpus}/{name}" for corpus in ("t", "other") for name in names]
    assert (arrays["t/since"].tolist(), arrays["t/until"].tolist()) == ([2], [5])
    assert arrays["t/since"].dtype == np.int32


def test_numbers_take_four_bytes_where_they_fit(make_words: MakeWords) -> None:
    seg = segmented(make_words, "ab")
    large = replace(seg, ends=np.array([2**31 - 1, 2**31]))
    small, wide = (segmentation_arrays({"": {"t": one}})["t/ends"] for one in (seg, large))
    assert (small.dtype, wide.dtype) == (np.int32, np.int64)
    assert wide.tolist() == [2**31 - 1, 2**31]


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
            (np.int64, []),
        ]


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
