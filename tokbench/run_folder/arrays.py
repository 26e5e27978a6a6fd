"""Words and segmentations as flat arrays, and as .npz files: no pickle, byte-identical."""

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

import numpy as np
from numpy.lib.format import write_array
from numpy.typing import NDArray

from tokbench.api import Segmentation, Vocabulary, Words
from tokbench.api.segmentation import EXTENDS_OUTSIDE, InContext
from tokbench.errors import InputError

Arrays = Mapping[str, NDArray[Any]]
V = TypeVar("V")

# All that NumPy and zipfile raise for a damaged file.
DAMAGE = (BadZipFile, EOFError, OSError, RuntimeError, ValueError, zlib.error)
STATES = ("word", "row", "ids", "starts", "ends", "round_trip")
ALIVE = ("since", "until")
IN_CONTEXT = ("order", "part", "outside")


class Lazy(Mapping[str, V]):
    """Values by name, each made when it is first asked for; `source` is the file they are from."""

    def __init__(self, names: Iterable[str], make: Callable[[str], V], source: str = "") -> None:
        self.source = source
        self._names = dict.fromkeys(names)
        self._make = cache(make)

    def __getitem__(self, name: str) -> V:
        """Return the value of a name."""
        if name not in self._names:
            raise KeyError(name)
        return self._make(name)

    def __contains__(self, name: object) -> bool:
        """Return whether there is such a name, without making its value."""
        return name in self._names

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
    """Make the words of a corpus from their arrays; raise InputError where these are damaged."""
    array = partial(_checked, arrays, name)
    text = _texts(arrays, name, "words")
    order = array("order", high=len(text) - 1)
    lines = array("lines", first=0, rises_to=len(order))
    each_line = len(lines) - 1
    return Words(
        text=text,
        order=order,
        lines=lines.astype(np.int64),
        documents=array("documents", each_line),
        train_count=array("train-count", len(text)).astype(np.int64),
        gold=_gold(arrays, name, len(text)) if f"{name}/gold-first" in arrays else None,
        category=_texts(arrays, name, "category", len(text))
        if f"{name}/category-ends" in arrays
        else None,
        numbers=array("numbers", each_line) if f"{name}/numbers" in arrays else None,
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
    """Make a segmentation from its arrays; of a timeline, that of the vocabulary's size.

    Raises InputError where they are damaged.
    """
    array = partial(_checked, arrays, prefix)
    word = array("word", high=len(words) - 1)
    ids = array("ids", low=-1)
    found = {
        "word": word,
        "row": array("row", len(word) + 1, first=0, rises_to=len(ids)),
        "ids": ids,
        "starts": array("starts", len(ids)),
        "ends": array("ends", len(ids)),
    }
    timeline = f"{prefix}/since" in arrays
    if timeline:
        found |= {name: array(name, len(word)) for name in ALIVE}
    whole = Segmentation(
        words=words,
        vocabulary=vocabulary,
        round_trip=array("round_trip", len(word), kinds="b"),
        context=_context(arrays, prefix, words, len(word), len(ids))
        if f"{prefix}/part" in arrays
        else None,
        **{name: values.astype(np.int64, copy=False) for name, values in found.items()},
    )
    chosen = whole.at(len(vocabulary.learned), vocabulary) if timeline else whole
    _check_states(chosen, _where(arrays, prefix))
    return chosen


def _context(arrays: Arrays, prefix: str, words: Words, states: int, rows: int) -> InContext:
    order = _checked(arrays, prefix, "order", len(words.order), high=states - 1)
    part = _checked(arrays, prefix, "part", rows, high=EXTENDS_OUTSIDE)
    outside = _checked(arrays, prefix, "outside", len(words.lines) - 1)
    return InContext(order, part, outside.astype(np.int64))


def _check_states(found: Segmentation, where: str) -> None:
    """Raise InputError where states fit neither their words nor their vocabulary."""
    a_word = np.bincount(found.word, minlength=len(found.words))
    if (a_word < 1).any() or (found.context is None and (a_word > 1).any()):
        raise InputError(f"{where}word: damaged: not each word has its state")
    if len(found.ids) and found.ids.max() >= len(found.vocabulary.tokens):
        raise InputError(f"{where}ids: damaged: the vocabulary has no token {found.ids.max()}")
    if (found.starts > found.ends).any() or (found.ends > found.bytes[found.state_of]).any():
        raise InputError(f"{where}ends: damaged: a token is not inside its word")


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
        return Lazy(file.files, read, str(path))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (*DAMAGE, AttributeError) as error:
        raise InputError(f"{path}: damaged: {error}") from None


def _where(arrays: Arrays, prefix: str) -> str:
    """Say which file arrays are from, if any, and the first part of their names."""
    source = getattr(arrays, "source", "")
    return f"{source}: {prefix}/" if source else f"{prefix}/"


def _checked(
    arrays: Arrays,
    prefix: str,
    name: str,
    length: int | None = None,
    *,
    kinds: str = "iu",
    low: int = 0,
    high: int | None = None,
    first: int | None = None,
    rises_to: int | None = None,
) -> NDArray[Any]:
    """Return one array, of these kinds of numbers; raise InputError where it is not as it must be.

    All numbers are from `low` to `high`; where `rises_to` is given none is below the one before,
    and the last one is that.
    """
    values = arrays.get(f"{prefix}/{name}")
    if values is None:
        wrong = "missing"
    elif values.ndim != 1 or values.dtype.kind not in kinds:
        wrong = f"found {values.dtype} in {values.ndim} dimensions"
    elif length is not None and len(values) != length:
        wrong = f"{len(values)} numbers, where {length} are due"
    elif len(values) and values.min() < low:
        wrong = f"{values.min()} is below {low}"
    elif len(values) and high is not None and values.max() > high:
        wrong = f"{values.max()} is above {high}"
    elif first is not None and values[:1].tolist() != [first]:
        wrong = f"it does not begin with {first}"
    elif rises_to is not None and (
        (values[1:] < values[:-1]).any() or values[-1:].tolist() != [rises_to]
    ):
        wrong = f"it does not rise to {rises_to}"
    else:
        return values
    raise InputError(f"{_where(arrays, prefix)}{name}: damaged: {wrong}")


def _strings(name: str, values: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Store strings as their UTF-8 bytes (surrogatepass) and the byte at which each ends."""
    encoded = [value.encode("utf-8", "surrogatepass") for value in values]
    ends = np.cumsum([len(value) for value in encoded], dtype=np.int64)
    return {f"{name}-utf8": np.frombuffer(b"".join(encoded), dtype=np.uint8), f"{name}-ends": ends}


def _texts(arrays: Arrays, prefix: str, name: str, length: int | None = None) -> tuple[str, ...]:
    utf8 = _checked(arrays, prefix, f"{name}-utf8", high=0xFF)
    raw = utf8.astype(np.uint8, copy=False).tobytes()
    ends = _checked(arrays, prefix, f"{name}-ends", length)
    if len(ends) or len(raw):
        ends = _checked(arrays, prefix, f"{name}-ends", rises_to=len(raw))
    try:
        spans = pairwise([0, *ends.tolist()])
        return tuple(raw[a:b].decode("utf-8", "surrogatepass") for a, b in spans)
    except UnicodeDecodeError as error:
        raise InputError(f"{_where(arrays, prefix)}{name}-utf8: damaged: {error}") from None


def _gold(arrays: Arrays, prefix: str, words: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    array = partial(_checked, arrays, prefix)
    position = array("gold-position")
    row = array("gold-row", first=0, rises_to=len(position))
    cuts = _nested(position.tolist(), row)
    return _nested(cuts, array("gold-first", words + 1, first=0, rises_to=len(cuts)))


def _nested(items: Sequence[V], ends: NDArray[Any]) -> tuple[tuple[V, ...], ...]:
    return tuple(tuple(items[a:b]) for a, b in pairwise(ends.tolist()))


def _small(values: NDArray[Any]) -> NDArray[Any]:
    """Store positions and ids in 4 bytes where they fit, as they nearly always do."""
    if values.dtype == np.int64 and (not len(values) or values.max() < 2**31):
        return values.astype(np.int32)
    return values
