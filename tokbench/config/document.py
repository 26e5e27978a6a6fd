"""A config as plain data, with the place of each of its keys and values.

PyYAML says where each part of the text stands. Plain (unquoted) values are read here, and only
where every YAML reader agrees on them: YAML 1.1 reads `no` as false and `010` as 8, YAML 1.2 reads
them as text and as 10. A value that readers disagree about is refused, with a hint what to write.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any, cast

import yaml
from yaml.resolver import Resolver

from tokbench.api import Size
from tokbench.api.files import check_is_file
from tokbench.api.wrong_files import not_text, other_encoding
from tokbench.config.problems import Problem, Where, as_error, line_and_column, value_text, written
from tokbench.errors import InputError, TokbenchError, UsageError
from tokbench.printing import one_line

MAX_BYTES = 100_000
EXPECTED = "a mapping with the keys `corpora` and `systems`, as `tokbench init TEXT` writes it"

_UNTAGGED = "untagged"

_HINTS = (
    (r"character '\\t' that cannot", "a tab cannot stand here: indent with spaces"),
    (r"found character (.*) that cannot", r"text cannot begin with \1: put it in quotes"),
    (
        r"mapping values are not allowed",
        "a second `:` in one value: put the value in quotes, or begin a new line for the key",
    ),
    (r"could not find expected ':'", "expected `key: value`"),
    (
        r"unknown escape character|expected escape sequence",
        "in double quotes a backslash begins an escape: use single quotes",
    ),
    (r"unexpected end of stream", "a quote is opened here and never closed"),
    (r"expected ',' or '(.)'", r"expected ',' or '\1': a bracket above is not closed"),
    (r"expected <block end>", "this line does not fit what is above it: check its indentation"),
    (
        r"found another document",
        "a second document begins here: a config is one document, write another file",
    ),
    (
        r"found undefined alias (.*)",
        r"no anchor \1 stands above: text that begins with * needs quotes",
    ),
    (r"(.*)", r"not YAML: \1"),
)
"""The errors of PyYAML, each with what to do about it."""

_CONSTANTS: dict[str, bool | None] = {
    **dict.fromkeys(("~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+][0-9]+)?")
_NUMBER_OF_YAML_1_2 = re.compile(
    r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+"
)
_READ_DIFFERENTLY = ("bool", "int", "float", "timestamp")
"""The types that YAML 1.1 gives to values that others take for text."""


class _Loader(yaml.SafeLoader):
    """Composes nodes, and leaves the reading of plain values to `read_plain`."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
        """Mark each value that has no tag of its own."""
        return _UNTAGGED


class Document:
    """The `data` of a YAML text, the places of its keys and values, and its `problems`.

    Raises ConfigError for a text that is not one YAML document.
    """

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text
        self.problems: list[Problem] = []
        self._values: dict[Where, int] = {}
        self._keys: dict[Where, int] = {}
        try:
            root = self._composed()
            self.data: Any = None if root is None else self._value(root, ())
        except RecursionError:
            what = "nested too deep, or an alias refers to a part that holds it"
            raise _refusal(path, text, 0, what) from None

    def index(self, problem: Problem) -> int:
        """Return the place of a problem; if its part isn't written, of what encloses it."""
        where = written(problem.where, self.data)
        if problem.at_key and where in self._keys:
            return self._keys[where]
        return self._values.get(where, 0)

    def error(self, problems: Iterable[Problem] = ()) -> TokbenchError:
        """Make one error of problems and of those of the YAML, each at its place."""
        unread = {(problem.where, problem.index) for problem in self.problems}
        placed = [
            replace(problem, where=written(problem.where, self.data), index=self.index(problem))
            for problem in problems
        ]
        # A value that could not be read is wrong in the eyes of its model too.
        placed = [problem for problem in placed if (problem.where, problem.index) not in unread]
        return as_error(self.path, self.text, [*self.problems, *placed])

    def _composed(self) -> yaml.Node | None:
        try:
            loader = _Loader(self.text)
            return loader.get_single_node()
        except yaml.reader.ReaderError as error:
            what = f"found the control character U+{error.character:04X}, expected text"
            raise _refusal(self.path, self.text, error.position, what) from None
        except yaml.MarkedYAMLError as error:
            problem = error.problem or ""
            mark = error.problem_mark or error.context_mark
            if "unexpected end of stream" in problem:
                mark = error.context_mark or mark
            hints = ((re.search(pattern, problem), hint) for pattern, hint in _HINTS)
            hint = next(match.expand(hint) for match, hint in hints if match)
            raise _refusal(self.path, self.text, mark.index if mark else 0, hint) from None
        except (ValueError, OverflowError):
            # PyYAML hands the number of an escape such as "\\UFFFFFFFF" to chr() unchecked.
            what = "this escape is no Unicode character"
            raise _refusal(self.path, self.text, loader.index, what) from None

    def _value(self, node: yaml.Node, where: Where) -> Any:
        """Return a node's data, and remember its place."""
        self._values[where] = node.start_mark.index
        if node.tag != _UNTAGGED:
            tag = node.tag.replace("tag:yaml.org,2002:", "!!")
            self._add(node, where, f"found the tag {tag}, expected a value without a tag")
        if isinstance(node, yaml.MappingNode):
            return dict(self._entries(node, where))
        if isinstance(node, yaml.SequenceNode):
            return [self._value(item, (*where, i)) for i, item in enumerate(node.value)]
        return self._scalar(cast(yaml.ScalarNode, node), where)

    def _entries(self, node: yaml.MappingNode, where: Where) -> Iterator[tuple[str, Any]]:
        """Return the keys and values of a mapping; of a key that is repeated, the first."""
        for key_node, value_node in node.value:
            begin = key_node.start_mark.index
            is_scalar = isinstance(key_node, yaml.ScalarNode)
            key = key_node.value if is_scalar else self.text[begin : key_node.end_mark.index]
            inner = (*where, key)
            if inner in self._keys:
                line, _ = line_and_column(self.text, self._keys[inner])
                self._add(key_node, where, f"the key `{key}` stands twice, first on line {line}")
                continue
            self._keys[inner] = begin
            if isinstance(self._value(key_node, inner), str):
                yield key, self._value(value_node, inner)
            else:
                self._add(key_node, inner, "this key is not text: put it in quotes")

    def _scalar(self, node: yaml.ScalarNode, where: Where) -> Any:
        """Read a single value; one that readers disagree about stays text, with a problem."""
        text = str(node.value)
        if any("\ud800" <= char <= "\udfff" for char in text):
            self._add(node, where, "found half of a surrogate pair, expected a character")
            return text.encode("utf-8", "replace").decode()
        if node.style:
            return text
        if not text:
            self._add(node, where, "has no value: write one, or leave it out")
            return None
        try:
            return read_plain(text)
        except ValueError as error:
            self._add(node, where, str(error))
            return text

    def _add(self, node: yaml.Node, where: Where, what: str) -> None:
        """Add a problem at the beginning of a node."""
        self.problems.append(Problem(where, what, index=node.start_mark.index))


def read_config(path: Path, text: str | None = None) -> Document:
    """Read a config; a `text` is what stood in the file, which is not read again.

    Raises InputError for a file that can't be read, ConfigError for one that isn't a YAML mapping.
    """
    document = Document(path, _text_of(path) if text is None else text)
    if not isinstance(document.data, dict):
        value = "nothing" if document.data is None else value_text(document.data)
        what = f"found {value}, expected {EXPECTED}"
        raise _refusal(path, document.text, document.index(Problem((), "")), what)
    return document


def with_sizes(path: Path, sizes: Sequence[Size]) -> str:
    """Return the text of a config with other sizes for all systems that have none of their own.

    All else stays as it was written. Raises what `read_config` does.
    """
    text = read_config(path).text
    root = cast(yaml.MappingNode, yaml.compose(text, Loader=_Loader))
    key = "sizes" if sizes[0].learned is None else "merges"
    value = f"{key}: [{', '.join(str(size.number) for size in sizes)}]"
    for key_node, value_node in root.value:
        if key_node.value in ("sizes", "merges"):
            begin, end = key_node.start_mark.index, value_node.end_mark.index
            # A value in a block ends where the next key begins.
            gap = text[begin:end][len(text[begin:end].rstrip()) :]
            return f"{text[:begin]}{value}{gap}{text[end:]}"
    end = root.end_mark.index
    if root.flow_style:
        return f"{text[: end - 1]}, {value}{text[end - 1 :]}"
    return f"{text.rstrip()}\n{value}\n"


def read_value(text: str) -> Any:
    """Read a single value as a config would; raises UsageError with all that is wrong with it."""
    document = Document(Path("value"), text)
    if document.problems:
        raise UsageError("; ".join(problem.what for problem in document.problems))
    return document.data


def read_plain(text: str) -> str | int | float | bool | None:
    """Read an unquoted value; raises ValueError, with a hint, where YAML readers disagree.

    >>> read_plain("null"), read_plain("12"), read_plain("1.5"), read_plain("bpe")
    (None, 12, 1.5, 'bpe')
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text) and isfinite(number := float(text)):
        return number
    tag = cast(Any, Resolver()).resolve(yaml.ScalarNode, text, (True, False))
    kind = tag.rpartition(":")[2]
    if kind not in _READ_DIFFERENTLY and not _NUMBER_OF_YAML_1_2.fullmatch(text):
        return text
    raise ValueError(
        f"YAML readers do not agree what {text} is: write true, false or a finite number in decimal"
        f" digits, or '{text}' in quotes for text"
    )


def _text_of(path: Path) -> str:
    """Read a config as UTF-8 without its byte-order mark.

    Raises InputError if the file cannot be read, ConfigError if it is not a text.
    """
    try:
        check_is_file(path)
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(one_line(f"{path}: cannot be read: {error.strerror}")) from None
    if len(data) > MAX_BYTES:
        what = f"more than {MAX_BYTES} bytes, too many for a config: is it a corpus?"
        raise _refusal(path, "", 0, what)
    if wrong := not_text(data):
        raise _refusal(path, "", 0, wrong)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace").removeprefix("\ufeff")
        what = f"byte 0x{data[error.start]:02x} is not UTF-8, expected a YAML text"
        what += other_encoding(data.split(b"\n")[data.count(b"\n", 0, error.start)])
        raise _refusal(path, before, len(before), what) from None


def _refusal(path: Path, text: str, index: int, what: str) -> TokbenchError:
    """Build the error for the one problem at a character of the text."""
    return as_error(path, text, [Problem((), what, index=index)])
