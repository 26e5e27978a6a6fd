"""The words and segmentations of a run as .npz files: flat arrays, no pickle, byte-identical."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
from numpy.lib.format import write_array
from numpy.typing import NDArray

from tokbench.api import Segmentation, Words
from tokbench.corpora.load import TestCorpus

Arrays = dict[str, NDArray[Any]]

STATES = ("word", "row", "ids", "starts", "ends", "restored")


def strings(name: str, values: Iterable[str]) -> Arrays:
    """Store strings as their UTF-8 bytes (surrogatepass) and the byte at which each ends."""
    encoded = [value.encode("utf-8", "surrogatepass") for value in values]
    ends = np.cumsum([len(value) for value in encoded], dtype=np.int64)
    return {f"{name}-utf8": np.frombuffer(b"".join(encoded), dtype=np.uint8), f"{name}-ends": ends}


def words_arrays(tests: Iterable[TestCorpus]) -> Arrays:
    """Give the arrays of words.npz: each corpus's distinct words, order and pointers."""
    arrays: Arrays = {}
    for test in tests:
        arrays.update(_words(test.name, test.words))
    return arrays


def segmentation_arrays(by_size: Mapping[str, Mapping[str, Segmentation]]) -> Arrays:
    """Give one system's states by corpus and size: `held-out/500/ids`.

    Each has the arrays `word`, `row`, `ids`, `starts`, `ends` and `restored` of `Segmentation`;
    in context also `order`, `part` and `outside`.
    """
    arrays: Arrays = {}
    for size, by_corpus in by_size.items():
        for corpus, segmentation in by_corpus.items():
            prefix = "/".join(part for part in (corpus, size) if part)
            arrays.update(_states(prefix, segmentation, STATES))
    return arrays


def timeline_arrays(by_corpus: Mapping[str, Segmentation]) -> Arrays:
    """Give one system's states of all sizes together, by corpus: `held-out/ids`.

    Beside the arrays of `segmentation_arrays` there are `since` and `until`: the state holds for
    vocabularies of `since` to `until - 1` learned items.
    """
    arrays: Arrays = {}
    for corpus, segmentation in by_corpus.items():
        arrays.update(_states(corpus, segmentation, (*STATES, "since", "until")))
    return arrays


def save(path: Path, arrays: Arrays) -> None:
    """Write compressed arrays as `numpy.load` reads them; the file depends on nothing but them."""
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                # Not every version of NumPy's own `savez_compressed` can refuse pickles.
                write_array(file, array, allow_pickle=False)


def _states(prefix: str, segmentation: Segmentation, names: Iterable[str]) -> Arrays:
    found = {f"{prefix}/{name}": _small(getattr(segmentation, name)) for name in names}
    if segmentation.context is not None:
        context = vars(segmentation.context)
        found.update({f"{prefix}/{name}": _small(values) for name, values in context.items()})
    return found


def _words(name: str, words: Words) -> Arrays:
    return {
        **strings(f"{name}/words", words.text),
        f"{name}/order": words.order,
        f"{name}/lines": words.lines,
        f"{name}/documents": words.documents,
        f"{name}/train-count": words.train_count,
    }


def _small(values: NDArray[Any]) -> NDArray[Any]:
    """Store positions and ids in 4 bytes where they fit, as they nearly always do."""
    if values.dtype == np.int64 and (not len(values) or values.max() < 2**31):
        return values.astype(np.int32)
    return values
