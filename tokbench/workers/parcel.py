"""Values as a file of JSON and arrays, so that two processes can pass them on without pickle.

What is read has the types of what was written: tuples, numbers of NumPy, and the frozen data
classes of `tokbench.api`. Anything else arrives as an object that has only its type's name and its
`repr`, which is what a message says of it.

Between two processes of one run there is more: objects that both `known` are named in place of
being written, any class of tokbench may be written, one object once, and nothing arrives changed.
"""

import json
import math
import pkgutil
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from tokbench.api import CountedWords, Learned, Options
from tokbench.errors import TokbenchError, cropped

PUBLIC, OURS = "tokbench.api.", "tokbench."
TAG = "~"
_PLAIN = {type(None), bool, int, float, str}
_SIZE = 8
_MANY = 1000
"""From so many texts on, their bytes are faster than JSON."""
# What a plugin does to the module later changes nothing here.
_dumps, _loads = json.dumps, json.loads


class ParcelError(TokbenchError):
    """A parcel that cannot be read."""


class TooLargeError(ParcelError):
    """A parcel that would be larger than it may be."""


class Opaque:
    """Something of a type that only the other process knows."""

    def __init__(self, shown: str) -> None:
        self._shown = shown

    def __repr__(self) -> str:
        return self._shown


class SentLines:
    """Lines of text that may be gone through several times; they are passed on as a file."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)


class _ReadLines:
    """The lines of a file, read anew each time."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[str]:
        with self._path.open(encoding="utf-8", errors="surrogatepass", newline="\n") as file:
            for line in file:
                yield line[:-1]


def write(
    path: Path, value: Any, known: Mapping[str, Any] | None = None, most: float = math.inf
) -> list[Callable[..., Any]]:
    """Write a value to a file; return its functions, which the reader can only ask to call.

    Raises ParcelError for what cannot be written where objects are `known`, and TooLargeError,
    before there is a file, where it would have more bytes than `most`.
    """
    encoder = _Encoder(path, known)
    document = _dumps(encoder.plain(value), ensure_ascii=False)
    text = document.encode("utf-8", "surrogatepass")
    if len(text) + sum(one.nbytes for one in encoder.arrays) > most:
        raise TooLargeError
    with path.open("wb") as file:
        file.write(len(text).to_bytes(_SIZE, "little"))
        file.write(text)
        if encoder.arrays:
            from numpy.lib.format import write_array

            for values in encoder.arrays:
                write_array(file, values, allow_pickle=False)
    return encoder.functions


def read(
    path: Path, ask: Callable[..., Any] | None = None, known: Mapping[str, Any] | None = None
) -> Any:
    """Read a value; `ask` calls a function of the writer's by its number.

    Raises ParcelError for a file that cannot be understood.
    """
    try:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(_SIZE), "little")
            document = _loads(file.read(size).decode("utf-8", "surrogatepass"))
            return _Decoder(file, ask, known).value(document)
    except Exception as error:  # whatever another process wrote
        raise ParcelError(f"it cannot be read: {type(error).__name__}: {error}") from None


def take(folder: Path, name: str, ask: Callable[..., Any] | None = None) -> Any:
    """Read a value as `read` does from a file of a folder, and remove the file.

    Raises ParcelError also where the name, which another process gave, is that of no plain file.
    """
    path = folder / name
    if path.name != name or path.is_symlink() or not path.is_file():
        raise ParcelError(f"it cannot be read: {cropped(name)} is no file")
    try:
        return read(path, ask)
    finally:
        path.unlink(missing_ok=True)


class _Encoder:
    """Makes plain JSON of values; arrays and functions are put aside, in order."""

    def __init__(self, path: Path, known: Mapping[str, Any] | None) -> None:
        self.arrays: list[Any] = []
        self.functions: list[Callable[..., Any]] = []
        self._path = path
        self._names = None if known is None else {id(one): name for name, one in known.items()}
        self._types = PUBLIC if known is None else OURS
        self._met: dict[int, tuple[int, Any]] = {}

    def plain(self, value: Any) -> Any:
        kind = type(value)
        if kind in _PLAIN:
            return value
        if self._names is not None and id(value) in self._names:
            return {TAG: "known", "name": self._names[id(value)]}
        if id(value) in self._met:
            return {TAG: "same", "number": self._met[id(value)][0]}
        if kind is list:
            return self._list(value)
        if kind is tuple:
            return {TAG: "tuple", "of": self._list([*value])}
        for known, encode in self._KINDS:
            if isinstance(value, known):
                return encode(self, value)
        if is_dataclass(value) and kind.__module__.startswith(self._types):
            return self._numbered(value, self._data(value))
        return self._other(value)

    def _numbered(self, value: Any, plain: Any) -> Any:
        """Let what comes again only be named by its number: the reader counts alike."""
        if self._names is not None:
            self._met[id(value)] = len(self._met), value
        return plain

    def _list(self, values: list[Any]) -> Any:
        kinds = {*map(type, values)}
        if kinds == {str} and len(values) > _MANY:
            joined = "\n".join(values).encode("utf-8", "surrogatepass")
            if joined.count(b"\n") == len(values) - 1:
                import numpy as np

                return {TAG: "texts", "of": self._array(np.frombuffer(joined, dtype=np.uint8))}
        if kinds <= _PLAIN:
            return values
        if kinds == {list} and {*map(type, chain.from_iterable(values))} <= _PLAIN:
            return values
        if kinds == {Learned}:
            parts = [item.parts for item in values]
            if {*map(type, chain.from_iterable(parts))} <= {str}:
                return {TAG: "learned", "parts": parts, "counts": [one.count for one in values]}
        if len(kinds) == 1 and kinds <= {list, tuple}:
            pairs = [*chain.from_iterable(values)]
            if {*map(type, pairs)} == {tuple} and {*map(len, pairs)} == {2}:
                flat = [*chain.from_iterable(pairs)]
                if {*map(type, flat)} <= _PLAIN:
                    sizes = [*map(len, values)]
                    return {TAG: "pairs", "sizes": sizes, "flat": flat, "tuples": kinds == {tuple}}
        return [*map(self.plain, values)]

    def _data(self, value: Any) -> Any:
        kind = type(value)
        given = {f.name: self.plain(getattr(value, f.name)) for f in fields(value) if f.init}
        return {TAG: "data", "type": f"{kind.__module__}:{kind.__qualname__}", "of": given}

    def _options(self, value: Options) -> Any:
        kind = type(value)
        if not kind.__module__.startswith(self._types):
            return self._opaque(value)
        name = f"{kind.__module__}:{kind.__qualname__}"
        return {TAG: "options", "type": name, "of": self.plain(value.model_dump())}

    def _mapping(self, value: Mapping[Any, Any]) -> Any:
        keys, values = [*value], [*value.values()]
        return {TAG: "dict", "keys": self._list(keys), "values": self._list(values)}

    def _named(self, value: Any) -> Any:
        """Encode a named tuple of ours by its type; of another, its items."""
        kind = type(value)
        ours = hasattr(kind, "_fields") and kind.__module__.startswith(self._types)
        name = f"{kind.__module__}:{kind.__qualname__}" if ours else ""
        return {TAG: "tuple", "of": self._list([*value]), "type": name}

    def _counted(self, words: CountedWords) -> Any:
        import numpy as np

        held = (np.frombuffer(column, dtype=np.int64) for column in (words.ends, words.counts))
        utf8 = np.frombuffer(words.utf8, dtype=np.uint8)
        return {TAG: "counted", "of": [*map(self._array, (utf8, *held))]}

    def _lines(self, lines: SentLines) -> Any:
        path = self._path.with_suffix(".lines")
        with path.open("w", encoding="utf-8", errors="surrogatepass", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
        return {TAG: "lines"}

    def _array(self, value: Any) -> Any:
        self.arrays.append(value)
        return self._numbered(value, {TAG: "array"})

    def _other(self, value: Any) -> Any:
        numpy = _numpy(value)
        if numpy is not None:
            plain = numpy.asarray(value)
            if plain.dtype.hasobject:
                return self._opaque(value)
            if isinstance(value, numpy.ndarray):
                return self._array(plain)
            self.arrays.append(plain)
            return {TAG: "scalar"}
        if hasattr(value, "tocsr"):  # a sparse table of SciPy
            table = value.tocsr()
            given = (table.indices, table.indptr, table.shape[1], table.data)
            return {TAG: "table", "of": [*map(self.plain, given)]}
        if callable(value) and self._names is None:
            self.functions.append(value)
            return {TAG: "function", "number": len(self.functions) - 1}
        if isinstance(value, Sequence) or hasattr(value, "__next__"):
            return self._list([*value])
        return self._opaque(value)

    def _opaque(self, value: Any) -> Any:
        if self._names is not None:
            raise ParcelError(f"{cropped(value)} cannot be written")
        return {TAG: "opaque", "type": type(value).__name__, "repr": cropped(value)}

    _KINDS: tuple[tuple[Any, Callable[["_Encoder", Any], Any]], ...] = (
        (CountedWords, _counted),
        (Options, _options),
        (Mapping, _mapping),
        (SentLines, _lines),
        (tuple, _named),
        (list, lambda self, value: self._list([*value])),
        (str, lambda self, value: str(value)),
        (bytes, lambda self, value: {TAG: "bytes", "of": value.decode("latin-1")}),
    )


class _Decoder:
    """Makes values of plain JSON; the arrays follow in the file, in order."""

    def __init__(
        self, file: BinaryIO, ask: Callable[..., Any] | None, known: Mapping[str, Any] | None
    ) -> None:
        self._file = file
        self._path = Path(file.name)
        self._ask = ask
        self._given = known or {}
        self._types = PUBLIC if known is None else OURS
        self._met: list[Any] = []

    def value(self, plain: Any) -> Any:
        if isinstance(plain, list):
            return plain if {*map(type, plain)} <= _PLAIN else [*map(self.value, plain)]
        if not isinstance(plain, dict):
            return plain
        decode: Callable[[Mapping[str, Any]], Any] = getattr(self, f"_{plain[TAG]}")
        return decode(plain)

    def _tuple(self, plain: Mapping[str, Any]) -> Any:
        items = self.value(plain["of"])
        return self._type(plain["type"])(*items) if plain.get("type") else tuple(items)

    def _dict(self, plain: Mapping[str, Any]) -> Any:
        keys, values = (self.value(plain[name]) for name in ("keys", "values"))
        return dict(zip(keys, values, strict=True))

    def _texts(self, plain: Mapping[str, Any]) -> Any:
        utf8: bytes = self.value(plain["of"]).tobytes()
        return utf8.decode("utf-8", "surrogatepass").split("\n")

    def _learned(self, plain: Mapping[str, Any]) -> Any:
        pairs = zip(plain["parts"], plain["counts"], strict=True)
        return [Learned(tuple(parts), count) for parts, count in pairs]

    def _pairs(self, plain: Mapping[str, Any]) -> Any:
        flat, begin, found = plain["flat"], 0, []
        row = tuple if plain["tuples"] else list
        pairs = [*zip(flat[::2], flat[1::2], strict=True)]
        for size in plain["sizes"]:
            found.append(row(pairs[begin : begin + size]))
            begin += size
        return found

    def _data(self, plain: Mapping[str, Any]) -> Any:
        given = {name: self.value(one) for name, one in plain["of"].items()}
        return self._numbered(self._type(plain["type"])(**given))

    def _options(self, plain: Mapping[str, Any]) -> Any:
        return self._type(plain["type"]).model_validate(self.value(plain["of"]))

    def _counted(self, plain: Mapping[str, Any]) -> Any:
        utf8, ends, counts = map(self.value, plain["of"])
        columns = (array("q", column.tobytes()) for column in (ends, counts))
        return CountedWords(utf8.tobytes(), *columns)

    def _lines(self, plain: Mapping[str, Any]) -> Any:
        return _ReadLines(self._path.with_suffix(".lines"))

    def _array(self, plain: Mapping[str, Any]) -> Any:
        # What a plugin is given, it shares with others where there are no workers.
        values = self._next_array()
        values.flags.writeable = self._ask is None
        return self._numbered(values)

    def _scalar(self, plain: Mapping[str, Any]) -> Any:
        return self._next_array()[()]

    def _table(self, plain: Mapping[str, Any]) -> Any:
        from tokbench.api import CountTable

        return CountTable(*map(self.value, plain["of"]))

    def _function(self, plain: Mapping[str, Any]) -> Any:
        ask, number = self._ask, plain["number"]
        if ask is None:
            return Opaque("a function")
        return lambda *given: ask(number, *given)

    def _bytes(self, plain: Mapping[str, Any]) -> Any:
        return plain["of"].encode("latin-1")

    def _known(self, plain: Mapping[str, Any]) -> Any:
        return self._given[plain["name"]]

    def _same(self, plain: Mapping[str, Any]) -> Any:
        return self._met[plain["number"]]

    def _opaque(self, plain: Mapping[str, Any]) -> Any:
        return type(plain["type"], (Opaque,), {})(plain["repr"])

    def _numbered(self, value: Any) -> Any:
        self._met.append(value)
        return value

    def _next_array(self) -> Any:
        from numpy.lib.format import read_array

        return read_array(self._file, allow_pickle=False)

    def _type(self, name: str) -> Any:
        found: Any = pkgutil.resolve_name(name) if name.startswith(self._types) else None
        is_class = isinstance(found, type) and found.__module__.startswith(self._types)
        if not is_class or not (is_dataclass(found) or issubclass(found, Options | tuple)):
            raise ValueError(f"{name!r} is no class of values of {self._types.rstrip('.')}")
        return found


def _numpy(value: Any) -> Any:
    """Return NumPy if a value is an array or number of it."""
    if not type(value).__module__.startswith("numpy"):
        return None
    import numpy

    return numpy if isinstance(value, numpy.ndarray | numpy.generic) else None
