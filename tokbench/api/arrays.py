"""Words and segmentations as flat arrays by name, so that files and other processes can hold them.

Names stand below a prefix, `held-out/order`, so that one .npz file can hold several; no pickle.
"""

import io
from collections import UserDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
from numpy.lib.format import write_array
from numpy.typing import NDArray

from tokbench.api.segmentation import InContext, Ints, Segmentation
from tokbench.api.units import byte_length
from tokbench.api.vocabulary import Vocabulary
from tokbench.api.words import Pairs, Words

Arrays = Mapping[str, NDArray[Any]]
V = TypeVar("V")

ALIVE = ("since", "until")
GROUPS = "groups/"
PAIRS = ("order", "original", "changed", "prefix", "suffix")
SMALL = (np.int8, np.int16, np.int32)
IN_CONTEXT = ("order", "part", "outside", "chars", "bytes")


class Lazy(UserDict[str, V]):
    """Values by name, each made when it is first asked for."""

    def __init__(self, names: Iterable[str], make: Callable[[str], V]) -> None:
        super().__init__()
        self.data = dict.fromkeys(names)  # type: ignore[assignment] # None is not made yet
        self._make = make

    def __getitem__(self, name: str) -> V:
        """Return the value of a name; raise KeyError for a name that there is not."""
        if self.data[name] is None:
            self.data[name] = self._make(name)
        return self.data[name]


def words_arrays(prefix: str, words: Words) -> dict[str, NDArray[Any]]:
    """Return the arrays of words.

    They are the distinct words, the numbers of the running words, where lines begin, their
    documents and their numbers in the file; training counts, gold, categories, groups and pairs
    where there are any.
    """
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
    arrays |= {f"{GROUPS}{name}": held for name, held in words.groups.items()}
    if words.pairs is not None:
        arrays |= {f"pairs/{name}": getattr(words.pairs, name) for name in PAIRS}
    return {f"{prefix}/{name}": values for name, values in arrays.items()}


def words_of(arrays: Arrays, prefix: str) -> Words:
    """Return the words that `words_arrays` made arrays of."""
    groups = f"{prefix}/{GROUPS}"
    gold = None
    if f"{prefix}/gold-first" in arrays:
        cuts = _nested(arrays[f"{prefix}/gold-position"].tolist(), arrays[f"{prefix}/gold-row"])
        gold = _nested(cuts, arrays[f"{prefix}/gold-first"])
    morphs = None
    if f"{prefix}/morphs-row" in arrays:
        rows = _nested(_texts(arrays, f"{prefix}/morphs"), arrays[f"{prefix}/morphs-row"])
        morphs = _nested(rows, arrays[f"{prefix}/morphs-first"])
    pairs = None
    if f"{prefix}/pairs/order" in arrays:
        order, *by_pair = (arrays[f"{prefix}/pairs/{name}"] for name in PAIRS)
        pairs = Pairs(order, *map(_wide, by_pair))
    return Words(
        text=_texts(arrays, f"{prefix}/words"),
        order=arrays[f"{prefix}/order"],
        lines=_wide(arrays[f"{prefix}/lines"]),
        documents=arrays[f"{prefix}/documents"],
        train_count=_wide(arrays[f"{prefix}/train-count"])
        if f"{prefix}/train-count" in arrays
        else None,
        gold=gold,
        category=_texts(arrays, f"{prefix}/category")
        if f"{prefix}/category-ends" in arrays
        else None,
        numbers=arrays.get(f"{prefix}/numbers"),
        morphs=morphs,
        groups={
            name.removeprefix(groups): arrays[name] for name in arrays if name.startswith(groups)
        },
        pairs=pairs,
    )


def segmentation_arrays(
    prefix: str, segmentation: Segmentation, timeline: bool = False
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a segmentation, without those of its words.

    They are `ids` and `round_trip` of `Segmentation`; how many `states` each word has, and how many
    `tokens` each state; and of each token the `lengths` in characters, and the `gaps` from the end
    of the token before it in its word; all in as few bytes as they fit in. In context
    they are also those of `InContext`. In a `timeline` each state is kept once for all sizes, with
    `since` and `until`: it holds for vocabularies of `since` to `until - 1` learned items.
    """
    found: dict[str, NDArray[Any]] = {
        "states": _small(np.bincount(segmentation.word, minlength=len(segmentation.words))),
        "tokens": _small(segmentation.rows),
        "ids": _small(segmentation.ids),
        "gaps": _small(segmentation.starts - _ends_before(segmentation.row, segmentation.ends)),
        "lengths": _small(segmentation.ends - segmentation.starts),
        "round_trip": segmentation.round_trip,
    }
    found |= {name: _small(getattr(segmentation, name)) for name in ALIVE} if timeline else {}
    if segmentation.context is not None:
        found |= {name: getattr(segmentation.context, name) for name in IN_CONTEXT}
    return {f"{prefix}/{name}": values for name, values in found.items()}


def segmentation_of(
    arrays: Arrays, prefix: str, words: Words, vocabulary: Vocabulary
) -> Segmentation:
    """Return the segmentation that `segmentation_arrays` made arrays of.

    Of a timeline, it is that of the vocabulary's size.
    """
    timeline = f"{prefix}/since" in arrays
    kept = ("ids", "round_trip", *(ALIVE if timeline else ()))
    found = {name: _wide(arrays[f"{prefix}/{name}"]) for name in kept}
    states, tokens, gaps, lengths = (
        _wide(arrays[f"{prefix}/{name}"]) for name in ("states", "tokens", "gaps", "lengths")
    )
    found["word"] = np.repeat(np.arange(len(states)), states)
    found["row"] = row = np.append(0, np.cumsum(tokens))
    ends = np.cumsum(gaps + lengths)
    ends -= np.repeat(np.append(0, ends)[row[:-1]], tokens)
    found |= {"starts": ends - lengths, "ends": ends}
    context = None
    if f"{prefix}/part" in arrays:
        order, part, *by_line = (arrays[f"{prefix}/{name}"] for name in IN_CONTEXT)
        context = InContext(order, part, *map(_wide, by_line))
    whole = Segmentation(words=words, vocabulary=vocabulary, context=context, **found)
    return whole.at(len(vocabulary.learned), vocabulary) if timeline else whole


def _ends_before(row: Ints, ends: Ints) -> Ints:
    """Return where the token before each one ends, 0 for the first of a state."""
    before = np.append(0, ends[:-1])[: len(ends)]
    before[row[:-1][np.diff(row) > 0]] = 0
    return before


def _wide(values: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers in 8 bytes, which files hold in as few as they fit in."""
    return values if values.dtype == np.bool_ else values.astype(np.int64, copy=False)


def _strings(name: str, values: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Store strings as their UTF-8 bytes (surrogatepass) and the byte at which each ends."""
    texts = [*values]
    ends = np.cumsum(np.fromiter(map(byte_length, texts), np.int64, len(texts)))
    utf8 = "".join(texts).encode("utf-8", "surrogatepass")
    return {f"{name}-utf8": np.frombuffer(utf8, dtype=np.uint8), f"{name}-ends": ends}


def _texts(arrays: Arrays, name: str) -> tuple[str, ...]:
    raw = arrays[f"{name}-utf8"].tobytes()
    spans = pairwise([0, *arrays[f"{name}-ends"].tolist()])
    return tuple(raw[a:b].decode("utf-8", "surrogatepass") for a, b in spans)


def _nested(items: Sequence[V], ends: NDArray[Any]) -> tuple[tuple[V, ...], ...]:
    return tuple(tuple(items[a:b]) for a, b in pairwise(ends.tolist()))


def save(path: Path, arrays: Arrays) -> None:
    """Write compressed arrays as `numpy.load` reads them; the file depends on nothing but them."""
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=6) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                # Not every version of NumPy's own `savez_compressed` can refuse pickles.
                write_array(file, _small(array), allow_pickle=False)


def _small(values: NDArray[Any]) -> NDArray[Any]:
    """Store lengths, positions and ids in 1, 2 or 4 bytes where they fit."""
    if values.dtype != np.int64:
        return values
    low, high = (values.min(), values.max()) if len(values) else (0, 0)
    fits = (t for t in SMALL if np.iinfo(t).min <= low and high <= np.iinfo(t).max)
    return values.astype(next(fits, np.int64))


def opened(data: bytes) -> Arrays:
    """Open an .npz file, whose arrays are unpacked when they are asked for."""
    file = np.load(io.BytesIO(data), allow_pickle=False)
    return Lazy(file.files, lambda name: np.asarray(file[name]))
