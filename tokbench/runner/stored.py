"""Values in a file, by which one process of a run leaves them for another.

They are pickled, but no class of a plugin is imported when they are read. Arrays lie behind the
pickle, where all processes that read the file share them.
"""

import io
import mmap
import pickle
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from tokbench.errors import InputError, TokbenchError

ALIGNMENT = 64
"""Arrays begin at multiples of so many bytes."""
PACKAGES = {"array", "builtins", "functools", "numpy", "pathlib", "tokbench"}
"""Only their classes may be in a file: the import of a plugin could end the program."""


def write(path: Path, value: Any, known: Mapping[str, Any]) -> None:
    """Write a value; of objects that are `known` to the reader too, only the name is written.

    Raises TokbenchError for a value that cannot be pickled, InputError where the disk is full.
    """
    text, arrays = io.BytesIO(), list[pickle.PickleBuffer]()
    try:
        _Pickler(text, arrays, known).dump(value)
    except Exception as error:  # whatever the code of a value does
        raise TokbenchError(f"a value cannot be written: {error}") from error
    buffers = [text.getbuffer(), *(array.raw() for array in arrays)]
    head = memoryview(pickle.dumps([len(buffer) for buffer in buffers]))
    try:
        with path.open("wb") as file:
            for buffer in (head, *buffers):
                file.write(buffer)
                file.write(bytes(-file.tell() % ALIGNMENT))
    except OSError as error:
        what = f"cannot be written: {error.strerror or error} (TMPDIR can name another folder)"
        raise InputError(f"{path.parent}: {what}") from error


def read(path: Path, known: Mapping[str, Any]) -> Any:
    """Read a value; its arrays cannot be changed. Raises TokbenchError for a class of a plugin."""
    with path.open("rb") as file:
        lengths = pickle.load(file)
        begin = file.tell() + -file.tell() % ALIGNMENT
        content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    buffers = []
    for length in lengths:
        buffers.append(content[begin : begin + length])
        begin += length + -length % ALIGNMENT
    return _Unpickler(io.BytesIO(buffers[0]), known, buffers[1:]).load()


def _made(kind: type[Any], values: Mapping[str, Any]) -> Any:
    return kind(**values)


class _Pickler(pickle.Pickler):
    def __init__(
        self, file: io.BytesIO, arrays: list[pickle.PickleBuffer], known: Mapping[str, Any]
    ) -> None:
        super().__init__(file, protocol=5, buffer_callback=arrays.append)
        self._names = {id(value): name for name, value in known.items()}

    def persistent_id(self, value: Any) -> str | None:
        return self._names.get(id(value))

    def reducer_override(self, value: Any) -> Any:
        if is_dataclass(value) and not isinstance(value, type):
            # Without what it has computed for itself, which may be large, or a function.
            values = {f.name: getattr(value, f.name) for f in fields(value) if f.init}
            return _made, (type(value), values)
        return NotImplemented


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, known: Mapping[str, Any], buffers: Any) -> None:
        super().__init__(file, buffers=buffers)
        self._known = known

    def persistent_load(self, name: str) -> Any:
        return self._known[name]

    def find_class(self, module: str, name: str) -> Any:
        if module.partition(".")[0] not in PACKAGES:
            raise TokbenchError(f"{module}.{name}: expected values of Python's or NumPy's classes")
        return super().find_class(module, name)
