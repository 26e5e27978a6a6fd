"""Words and segmentations as flat arrays by name, so that files and other processes can hold them.

Names stand below a prefix, `held-out/order`, so that one file can hold several.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tokbench.api.segmentation import InContext, Segmentation
from tokbench.api.vocabulary import Vocabulary
from tokbench.api.words import Words

Arrays = Mapping[str, NDArray[Any]]
V = TypeVar("V")

STATES = ("word", "row", "ids", "starts", "ends", "round_trip")
ALIVE = ("since", "until")
IN_CONTEXT = ("order", "part", "outside")


def words_arrays(prefix: str, words: Words) -> dict[str, NDArray[Any]]:
    """Return the arrays of words.

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
    return {f"{prefix}/{name}": values for name, values in arrays.items()}


def words_of(arrays: Arrays, prefix: str) -> Words:
    """Return the words that `words_arrays` made arrays of."""
    gold = None
    if f"{prefix}/gold-first" in arrays:
        cuts = _nested(arrays[f"{prefix}/gold-position"].tolist(), arrays[f"{prefix}/gold-row"])
        gold = _nested(cuts, arrays[f"{prefix}/gold-first"])
    return Words(
        text=_texts(arrays, f"{prefix}/words"),
        order=arrays[f"{prefix}/order"],
        lines=_wide(arrays[f"{prefix}/lines"]),
        documents=arrays[f"{prefix}/documents"],
        train_count=_wide(arrays[f"{prefix}/train-count"]),
        gold=gold,
        category=_texts(arrays, f"{prefix}/category")
        if f"{prefix}/category-ends" in arrays
        else None,
        numbers=arrays.get(f"{prefix}/numbers"),
    )


def segmentation_arrays(
    prefix: str, segmentation: Segmentation, timeline: bool = False
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a segmentation, without those of its words.

    They are `word`, `row`, `ids`, `starts`, `ends` and `round_trip` of `Segmentation`; in context
    also `order`, `part` and `outside`. In a `timeline` each state is kept once for all sizes, with
    `since` and `until`: it holds for vocabularies of `since` to `until - 1` learned items.
    """
    names = (*STATES, *ALIVE) if timeline else STATES
    found = {name: getattr(segmentation, name) for name in names}
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
    found = {
        name: _wide(arrays[f"{prefix}/{name}"]) for name in (*STATES, *(ALIVE if timeline else ()))
    }
    context = None
    if f"{prefix}/part" in arrays:
        order, part, outside = (arrays[f"{prefix}/{name}"] for name in IN_CONTEXT)
        context = InContext(order, part, _wide(outside))
    whole = Segmentation(words=words, vocabulary=vocabulary, context=context, **found)
    return whole.at(len(vocabulary.learned), vocabulary) if timeline else whole


def _wide(values: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers in 8 bytes, which files hold in 4 where they fit."""
    return values if values.dtype == np.bool_ else values.astype(np.int64, copy=False)


def _strings(name: str, values: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Store strings as their UTF-8 bytes (surrogatepass) and the byte at which each ends."""
    encoded = [value.encode("utf-8", "surrogatepass") for value in values]
    ends = np.cumsum([len(value) for value in encoded], dtype=np.int64)
    return {f"{name}-utf8": np.frombuffer(b"".join(encoded), dtype=np.uint8), f"{name}-ends": ends}


def _texts(arrays: Arrays, name: str) -> tuple[str, ...]:
    raw = arrays[f"{name}-utf8"].tobytes()
    spans = pairwise([0, *arrays[f"{name}-ends"].tolist()])
    return tuple(raw[a:b].decode("utf-8", "surrogatepass") for a, b in spans)


def _nested(items: Sequence[V], ends: NDArray[Any]) -> tuple[tuple[V, ...], ...]:
    return tuple(tuple(items[a:b]) for a, b in pairwise(ends.tolist()))
