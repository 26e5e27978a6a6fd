"""Values in a file: what one process leaves for another, and what a stopped run leaves.

They are pickled, but only values of ours and arrays: no class of a plugin's, and none of the
user's program, is imported when they are read. Arrays lie behind the pickle, where all processes
that read the file share them.
"""

import io
import mmap
import pickle
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from tokbench.api.arrays import CountedWords
from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.errors import TokbenchError, cropped

ALIGNMENT = 64
"""Arrays begin at multiples of so many bytes."""
LENGTH = 8

PLAIN: Mapping[type[Any], Callable[[Any], Any]] = {
    str: str.__str__,
    int: int.__int__,
    float: float.__float__,
    bytes: bytes.__bytes__,
    tuple: lambda value: tuple.__getitem__(value, slice(None)),
    list: list.copy,
    dict: dict.copy,
}
"""Of a class that only a plugin knows, the plain value, without calling its code."""
OTHERS = {
    "array": {"array", "_array_reconstructor"},
    "builtins": {"set", "frozenset", "slice", "range", *(kind.__name__ for kind in PLAIN)},
    "functools": {"partial"},
    "numpy": {"ndarray", "dtype"},
    "numpy._core.multiarray": {"scalar", "_reconstruct"},
    "numpy._core.numeric": {"_frombuffer"},
    "pathlib": {"Path", "PosixPath", "WindowsPath"},
    "tokbench.runner.stored": {"_made"},
}
"""What values are made with that are not of our classes of values, by module."""
OURS = (tuple, BaseModel, CountedWords, CorpusReader)
"""Our classes of values, besides data classes."""


class StoredError(TokbenchError):
    """A value that cannot be written or read."""


class TooLargeError(StoredError):
    """A value whose file would be larger than it may be."""


def write(
    path: Path, value: Any, known: Mapping[str, Any] | None = None, most: float = float("inf")
) -> None:
    """Write a value; of objects that are `known` to the reader too, only the name is written.

    Raises StoredError for a value of a class that is not ours, and TooLargeError, before there is
    a file, where it would have more bytes than `most`.
    """
    text, arrays = io.BytesIO(), list[pickle.PickleBuffer]()
    try:
        _Pickler(text, arrays, known or {}).dump(value)
    except Exception as error:  # whatever the code of a value does
        raise StoredError(f"it cannot be written: {error}") from error
    buffers = [array.raw() for array in arrays]
    head = pickle.dumps((len(text.getbuffer()), [len(buffer) for buffer in buffers]))
    if len(head) + len(text.getbuffer()) + sum(map(len, buffers)) > most:
        raise TooLargeError
    with path.open("wb") as file:
        file.write(len(head).to_bytes(LENGTH, "little"))
        parts: list[bytes | memoryview] = [head, text.getbuffer(), *buffers]
        for part in parts:
            file.write(part)
            file.write(bytes(-file.tell() % ALIGNMENT))


def read(path: Path, known: Mapping[str, Any] | None = None) -> Any:
    """Read a value; its arrays cannot be changed. Raises StoredError where that is not possible."""
    try:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(LENGTH), "little")
            length, lengths = _Unpickler(io.BytesIO(file.read(size)), {}).load()
            file.seek(-file.tell() % ALIGNMENT, io.SEEK_CUR)
            text = file.read(length)
            begin = file.tell() + -file.tell() % ALIGNMENT
            mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        buffers = []
        for length in lengths:
            buffers.append(mapped[begin : begin + length])
            begin += length + -length % ALIGNMENT
        return _Unpickler(io.BytesIO(text), known or {}, buffers=buffers).load()
    except Exception as error:  # whatever the file holds
        raise StoredError(f"it cannot be read: {type(error).__name__}: {error}") from None


def _made(kind: type[Any], given: Mapping[str, Any]) -> Any:
    return kind(**given)


class _Pickler(pickle.Pickler):
    def __init__(
        self, file: io.BytesIO, arrays: list[pickle.PickleBuffer], known: Mapping[str, Any]
    ) -> None:
        super().__init__(file, protocol=5, buffer_callback=arrays.append)
        self._names = {id(value): name for name, value in known.items()}

    def persistent_id(self, value: Any) -> str | None:
        return self._names.get(id(value))

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, type) or not _is_value(type(value)):
            named = _is_named(getattr(value, "__module__", ""), getattr(value, "__qualname__", ""))
            if named or _is_named(type(value).__module__, type(value).__qualname__):
                return NotImplemented
            if isinstance(value, type) and _is_value(value):
                return NotImplemented
            if not isinstance(value, type) and type(value).__module__ == "numpy":
                return NotImplemented  # a number, whose parts are looked at next
            for kind, plain in PLAIN.items():
                if isinstance(value, kind):
                    return kind, (plain(value),)
            raise pickle.PicklingError(f"{cropped(value)} is no value of tokbench")
        if is_dataclass(value):
            given = {f.name: getattr(value, f.name) for f in fields(value) if f.init}
            return _made, (type(value), given)  # without what it keeps besides
        return NotImplemented


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, known: Mapping[str, Any], buffers: Any = ()) -> None:
        super().__init__(file, buffers=buffers)
        self._known = known

    def persistent_load(self, name: str) -> Any:
        return self._known[name]

    def find_class(self, module: str, name: str) -> Any:
        if _is_named(module, name):
            return super().find_class(module, name)
        if module.startswith("tokbench.") and "." not in name:
            found = super().find_class(module, name)
            if found.__module__ == module and _is_value(found):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no class of values")


def _is_named(module: str, name: str) -> bool:
    return module == "numpy.dtypes" or name in OTHERS.get(module, ())


def _is_value(kind: Any) -> bool:
    """Return whether something is one of our classes whose objects only hold values."""
    if not (isinstance(kind, type) and kind.__module__.startswith("tokbench.")):
        return False
    return is_dataclass(kind) or issubclass(kind, OURS)
