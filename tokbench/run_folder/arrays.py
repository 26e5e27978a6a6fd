"""Words and segmentations as flat arrays, and as .npz files: no pickle, byte-identical."""

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

import numpy as np
from numpy.lib.format import write_array
from numpy.typing import NDArray

from tokbench.api import Segmentation, Vocabulary, Words
from tokbench.api.segmentation import InContext
from tokbench.errors import InputError

Arrays = Mapping[str, NDArray[Any]]
V = TypeVar("V")

# All that NumPy and zipfile raise for a damaged file.
DAMAGE = (BadZipFile, EOFError, OSError, ValueError, zlib.error)
STATES = ("word", "row", "ids", "starts", "ends", "round_trip")
ALIVE = ("since", "until")
IN_CONTEXT = ("order", "part", "outside")


class Lazy(Mapping[str, V]):
    """Values by name, each made when it is first asked for."""

    def __init__(self, names: Iterable[str], make: Callable[[str], V]) -> None:
        self._names = dict.fromkeys(names)
        self._make = cache(make)

    def __getitem__(self, name: str) -> V:
        """Return the value of a name."""
        if name not in self._names:
            raise KeyError(name)
        return self._make(name)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._names)

    def __len__(self) -> int:
        """Count the names."""
        return len(self._names)


def words_arrays(name: str, words: Words) -> dict[str, NDArray[Any]]:
    """Return the arrays of a corpus's words, as words.npz holds them: `held-out/order`.

    They are the distinct words, the numbers of the running words, where lines begin, their
    documents and their numbers in the file; training counts; and gold and categories where there
    are any.
    """
    arrays = {
        **_strings("words", words.text),
        "order": words.order,
        "lines": words.lines,
        "documents": words.documents,
        "train-count": words.train_count,
    }
    if words.numbers is not None:
        arrays["numbers"] = words.numbers
    if words.gold is not None:
        gold = words.gold_table
        arrays |= {"gold-first": gold.first, "gold-row": gold.row, "gold-position": gold.position}
    if words.category is not None:
        arrays |= _strings("category", words.category)
    return {f"{name}/{key}": values for key, values in arrays.items()}


def read_words(arrays: Arrays, name: str) -> Words:
    """Make the words of a corpus from their arrays."""
    found = _below(arrays, name)
    return Words(
        text=_texts(found, "words"),
        order=found["order"],
        lines=found["lines"].astype(np.int64),
        documents=found["documents"],
        train_count=found["train-count"].astype(np.int64),
        gold=_gold(found) if "gold-first" in found else None,
        category=_texts(found, "category") if "category-ends" in found else None,
        numbers=found.get("numbers"),
    )


def segmentation_arrays(
    prefix: str, segmentation: Segmentation, timeline: bool = False
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a segmentation: `held-out/500/ids`.

    They are `word`, `row`, `ids`, `starts`, `ends` and `round_trip` of `Segmentation`; in context
    also `order`, `part` and `outside`. In a `timeline` each state is kept once for all sizes, with
    `since` and `until`: it holds for vocabularies of `since` to `until - 1` learned items.
    """
    names = (*STATES, *ALIVE) if timeline else STATES
    found = {name: getattr(segmentation, name) for name in names}
    if segmentation.context is not None:
        found |= {name: getattr(segmentation.context, name) for name in IN_CONTEXT}
    return {f"{prefix}/{name}": values for name, values in found.items()}


def read_segmentation(
    arrays: Arrays, prefix: str, words: Words, vocabulary: Vocabulary
) -> Segmentation:
    """Make a segmentation from its arrays; of a timeline, that of the vocabulary's size."""
    found = _below(arrays, prefix)
    whole = Segmentation(
        words=words,
        vocabulary=vocabulary,
        round_trip=found["round_trip"],
        context=InContext(found["order"], found["part"], found["outside"].astype(np.int64))
        if "part" in found
        else None,
        **{
            name: found[name].astype(np.int64, copy=False)
            for name in (*STATES[:-1], *ALIVE)
            if name in found
        },
    )
    return whole.at(len(vocabulary.learned), vocabulary) if "since" in found else whole


def save(path: Path, arrays: Arrays) -> None:
    """Write compressed arrays as `numpy.load` reads them; the file depends on nothing but them."""
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                # Not every version of NumPy's own `savez_compressed` can refuse pickles.
                write_array(file, _small(array), allow_pickle=False)


def opened(path: Path) -> Arrays:
    """Open an .npz file, whose arrays are read when they are asked for.

    Raises InputError where that cannot be done.
    """

    def read(name: str) -> NDArray[Any]:
        try:
            return np.asarray(file[name])
        except DAMAGE as error:
            raise InputError(f"{path}: damaged: {name}: {error}") from None

    try:
        file = np.load(path, allow_pickle=False)
        return Lazy(file.files, read)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (*DAMAGE, AttributeError) as error:
        raise InputError(f"{path}: damaged: {error}") from None


def _below(arrays: Arrays, prefix: str) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names are a prefix and one word more, by that word."""
    start = f"{prefix}/"
    names = (name for name in arrays if name.startswith(start) and "/" not in name[len(start) :])
    return {name[len(start) :]: arrays[name] for name in names}


def _strings(name: str, values: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Store strings as their UTF-8 bytes (surrogatepass) and the byte at which each ends."""
    encoded = [value.encode("utf-8", "surrogatepass") for value in values]
    ends = np.cumsum([len(value) for value in encoded], dtype=np.int64)
    return {f"{name}-utf8": np.frombuffer(b"".join(encoded), dtype=np.uint8), f"{name}-ends": ends}


def _texts(found: Arrays, name: str) -> tuple[str, ...]:
    raw, ends = found[f"{name}-utf8"].tobytes(), found[f"{name}-ends"].tolist()
    return tuple(raw[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise([0, *ends]))


def _gold(found: Arrays) -> tuple[tuple[tuple[int, ...], ...], ...]:
    cuts = _nested(found["gold-position"].tolist(), found["gold-row"])
    return _nested(cuts, found["gold-first"])


def _nested(items: Sequence[V], ends: NDArray[Any]) -> tuple[tuple[V, ...], ...]:
    return tuple(tuple(items[a:b]) for a, b in pairwise(ends.tolist()))


def _small(values: NDArray[Any]) -> NDArray[Any]:
    """Store positions and ids in 4 bytes where they fit, as they nearly always do."""
    if values.dtype == np.int64 and (not len(values) or values.max() < 2**31):
        return values.astype(np.int32)
    return values
