"""Words and segmentations as arrays of `.npz` files; `docs/reference/run.md` describes each array.

Whole numbers are stored in as few bytes as they fit in. In memory they take 8 bytes, but where
`Words` and `InContext` say otherwise.
"""

import io
from collections import UserDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, TypeVar
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
from numpy.lib.format import write_array
from numpy.typing import NDArray

from tokbench.api import Vocabulary
from tokbench.api.arrays import Segmentation, Words
from tokbench.api.segmentation import InContext, ends_before
from tokbench.api.words import Ints, Pairs, byte_lengths

Arrays = Mapping[str, NDArray[Any]]
V = TypeVar("V")

SIZES = ("since", "until")
PAIRS = ("order", "original", "changed", "prefix", "suffix")
IN_CONTEXT = ("order", "part", "outside", "chars", "bytes")
RETURNED = "returned"
"""Runs of earlier versions do not have this array."""


class Lazy(UserDict[str, V]):
    """Values by name, each made when it is first asked for, of the file `where` they stand."""

    def __init__(self, names: Iterable[str], make: Callable[[str], V], where: str = "") -> None:
        super().__init__()
        self.where = where
        self.data = dict.fromkeys(names)  # type: ignore[assignment] # None is not made yet
        self._make = make

    def __getitem__(self, name: str) -> V:
        """Return the value of a name; raise KeyError for any other name."""
        if self.data[name] is None:
            self.data[name] = self._make(name)
        return self.data[name]


def save(file: Path | BinaryIO, arrays: Arrays, compresslevel: int = 6) -> None:
    """Write compressed arrays as `numpy.load` reads them; the file depends on nothing but them."""
    with ZipFile(file, "w", ZIP_DEFLATED, compresslevel=compresslevel) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                # Not every version of NumPy's own `savez_compressed` can refuse pickles.
                write_array(entry, _narrow(array), allow_pickle=False)


def opened(data: bytes, where: str = "") -> Arrays:
    """Open the content of a `.npz` file; each array is unpacked when it is first asked for."""
    file = np.load(io.BytesIO(data), allow_pickle=False)

    def array(name: str) -> NDArray[Any]:
        values = file[name]
        if not isinstance(values, np.ndarray):  # the bytes of a file of another kind
            raise ValueError(f"{name} is no array")
        return values

    return Lazy(file.files, array, where)


def words_arrays(prefix: str, words: Words) -> dict[str, NDArray[Any]]:
    """Return the arrays of the words of a corpus; their names begin with `prefix`."""
    arrays = {
        **_strings("words", words.text),
        "order": words.order,
        "lines": words.lines,
        "documents": words.documents,
    }
    if words.train_count is not None:
        arrays["train-count"] = words.train_count
    if words.numbers is not None:
        arrays["numbers"] = words.numbers
    if words.gold is not None:
        gold = words.gold_table
        arrays |= {"gold-first": gold.first, "gold-row": gold.row, "gold-position": gold.position}
    if words.morphs is not None:
        rows = [row for alternatives in words.morphs for row in alternatives]
        arrays |= _strings("morphs", [morph for row in rows for morph in row])
        arrays["morphs-row"] = np.cumsum([0, *map(len, rows)])
        arrays["morphs-first"] = np.cumsum([0, *map(len, words.morphs)])
    if words.category is not None:
        arrays |= _strings("category", words.category)
    arrays |= {f"groups/{name}": members for name, members in words.groups.items()}
    if words.pairs is not None:
        arrays |= {f"pairs/{name}": getattr(words.pairs, name) for name in PAIRS}
    return {f"{prefix}/{name}": values for name, values in arrays.items()}


def words_of(arrays: Arrays, prefix: str) -> Words:
    """Return the words that `words_arrays` made arrays of."""
    own = _below(arrays, prefix)
    gold = morphs = pairs = None
    if "gold-first" in own:
        cuts = _nested(own["gold-position"].tolist(), own["gold-row"])
        gold = _nested(cuts, own["gold-first"])
    if "morphs-row" in own:
        morphs = _nested(_nested(_texts(own, "morphs"), own["morphs-row"]), own["morphs-first"])
    if "pairs/order" in own:
        order, *by_pair = (own[f"pairs/{name}"] for name in PAIRS)
        pairs = Pairs(order, *map(_wide, by_pair))
    return Words(
        text=_texts(own, "words"),
        order=own["order"],
        lines=_wide(own["lines"]),
        documents=own["documents"],
        train_count=_wide(own["train-count"]) if "train-count" in own else None,
        gold=gold,
        category=_texts(own, "category") if "category-ends" in own else None,
        numbers=own.get("numbers"),
        morphs=morphs,
        groups=dict(_below(own, "groups")),
        pairs=pairs,
    )


def segmentation_arrays(
    prefix: str, segmentation: Segmentation, timeline: bool = False
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a segmentation, without those of its words.

    Of each token they hold the `lengths` in bytes, and the `gaps` from the end of the token before
    it. A `timeline` has the states of all sizes, each with the sizes that it belongs to.
    """
    arrays: dict[str, NDArray[Any]] = {
        "states": np.bincount(segmentation.word, minlength=len(segmentation.words)),
        "tokens": segmentation.rows,
        "ids": segmentation.ids,
        "gaps": segmentation.starts - ends_before(segmentation.row, segmentation.ends),
        "lengths": segmentation.ends - segmentation.starts,
        "round_trip": segmentation.round_trip,
    }
    if timeline:
        arrays |= {name: getattr(segmentation, name) for name in SIZES}
    arrays = {name: _narrow(values) for name, values in arrays.items()}
    if segmentation.context is not None:
        context = segmentation.context
        arrays |= {name: getattr(context, name) for name in (*IN_CONTEXT, RETURNED)}
    return {f"{prefix}/{name}": values for name, values in arrays.items()}


def states_of(arrays: Arrays, prefix: str, words: Words, vocabulary: Vocabulary) -> Segmentation:
    """Return the segmentation that `segmentation_arrays` made arrays of.

    A timeline has the states of all sizes, and the whole vocabulary.
    """
    own = _below(arrays, prefix)
    states, tokens, gaps, lengths = (
        _wide(own[name]) for name in ("states", "tokens", "gaps", "lengths")
    )
    row = np.append(0, np.cumsum(tokens))
    ends = np.cumsum(gaps + lengths)
    ends -= np.repeat(np.append(0, ends)[row[:-1]], tokens)
    context = None
    if "part" in own:
        order, part, *by_line = (own[name] for name in IN_CONTEXT)
        outside, chars, size = map(_wide, by_line)
        returned = own.get(RETURNED, np.zeros(0, dtype=bool))
        context = InContext(order, part, outside, chars, size, returned)
    return Segmentation(
        words=words,
        vocabulary=vocabulary,
        word=np.repeat(np.arange(len(states)), states),
        row=row,
        ids=_wide(own["ids"]),
        starts=ends - lengths,
        ends=ends,
        round_trip=own["round_trip"],
        context=context,
        **{name: _wide(own[name]) for name in SIZES if name in own},
    )


def _below(arrays: Arrays, prefix: str) -> Arrays:
    """Return the arrays whose names begin with a prefix, by the rest of their names."""
    names = (name.removeprefix(f"{prefix}/") for name in arrays if name.startswith(f"{prefix}/"))
    return Lazy(names, lambda name: arrays[f"{prefix}/{name}"])


def _narrow(values: NDArray[Any]) -> NDArray[Any]:
    """Store whole numbers of 8 bytes in 1, 2 or 4 bytes where they fit."""
    if values.dtype != np.int64:
        return values
    low, high = (values.min(), values.max()) if len(values) else (0, 0)
    kinds = (np.int8, np.int16, np.int32)
    fits = (kind for kind in kinds if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)
    return values.astype(next(fits, np.int64))


def _wide(values: NDArray[Any]) -> Ints:
    """Return whole numbers in 8 bytes again."""
    return values.astype(np.int64, copy=False)


def _strings(name: str, texts: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Store strings as their UTF-8 bytes (surrogatepass) and the byte at which each ends."""
    utf8 = "".join(texts).encode("utf-8", "surrogatepass")
    ends = np.cumsum(byte_lengths(texts))
    return {f"{name}-utf8": np.frombuffer(utf8, dtype=np.uint8), f"{name}-ends": ends}


def _texts(arrays: Arrays, name: str) -> tuple[str, ...]:
    raw = arrays[f"{name}-utf8"].tobytes()
    spans = pairwise([0, *arrays[f"{name}-ends"].tolist()])
    return tuple(raw[a:b].decode("utf-8", "surrogatepass") for a, b in spans)


def _nested(items: Sequence[V], ends: NDArray[Any]) -> tuple[tuple[V, ...], ...]:
    return tuple(tuple(items[a:b]) for a, b in pairwise(ends.tolist()))
