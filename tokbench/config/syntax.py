"""From the bytes of a config to YAML nodes, or to one clear error that says where."""

import re
from bisect import bisect_right
from pathlib import Path
from typing import Any, cast

import yaml

from tokbench.api.files import check_is_file, not_text
from tokbench.config.problems import Problem, TextPlace, as_error, visible
from tokbench.errors import InputError, TokbenchError

MAX_BYTES = 1_000_000
MAX_NODES = 20_000
MAX_DEPTH = 50
UNTAGGED = "untagged"
EXPECTED = "a mapping with the keys `corpora` and `systems`, as `tokbench init TEXT` writes it"

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
)


class _TooLargeError(yaml.MarkedYAMLError):
    """More than a config needs; its message is our own."""


class _Loader(yaml.SafeLoader):
    """Composes nodes, no more than a config needs; leaves the reading of plain values to us."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.nodes = 0
        self.depth = 0

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
        """Mark what has no tag of its own, whatever YAML 1.1 would take it for."""
        return UNTAGGED

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self.nodes += 1
        self.depth += 1
        mark = cast(Any, self).peek_event().start_mark
        if self.nodes > MAX_NODES:
            what = f"more than {MAX_NODES} values, too many for a config"
            raise _TooLargeError(problem=what, problem_mark=mark)
        if self.depth > MAX_DEPTH:
            what = f"nested more than {MAX_DEPTH} deep, too deep for a config"
            raise _TooLargeError(problem=what, problem_mark=mark)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def read_text(path: Path) -> str:
    """Read a config as UTF-8 without its byte-order mark.

    Raises InputError if the file cannot be read, ConfigError if it is not a text.
    """
    try:
        check_is_file(path)
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise InputError(f"{path}: no such config") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder, expected a config (a YAML file)") from None
    except (OSError, ValueError) as error:
        raise InputError(visible(f"{path}: cannot be read: {error}")) from None
    if len(data) > MAX_BYTES:
        what = f"more than {MAX_BYTES} bytes, too many for a config: is it a corpus?"
        raise refusal(path, "", 0, what)
    if wrong := not_text(data[:MAX_BYTES]):
        raise refusal(path, "", 0, wrong)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace").removeprefix("\ufeff")
        byte = data[error.start]
        what = f"byte 0x{byte:02x} is not UTF-8, expected a YAML text"
        raise refusal(path, before, len(before), what) from None
    if found := yaml.reader.Reader.NON_PRINTABLE.search(text):
        what = f"found the control character U+{ord(found[0]):04X}, expected text"
        raise refusal(path, text, found.start(), what)
    return text


def compose(path: Path, text: str) -> yaml.Node:
    """Parse a text into YAML nodes; raises ConfigError for what is not one YAML document."""
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        raise refusal(path, text, *_explain(error)) from None
    except (ValueError, OverflowError):
        # PyYAML hands the number of an escape such as "\\UFFFFFFFF" to chr() unchecked.
        raise refusal(path, text, loader.index, "this escape is no Unicode character") from None
    if node is None or (isinstance(node, yaml.ScalarNode) and not node.value):
        raise refusal(path, text, 0, f"the config is empty, expected {EXPECTED}")
    return node


class TextLines:
    r"""The lines of a text without their ends; lines end at `\n` only, as in an editor."""

    def __init__(self, text: str) -> None:
        self.texts = tuple(line.removesuffix("\r") for line in text.split("\n"))
        self._starts = [0, *(end + 1 for end, char in enumerate(text) if char == "\n")]

    def place(self, index: int) -> TextPlace:
        """Return the place of a character."""
        line = bisect_right(self._starts, index)
        return TextPlace(line, index - self._starts[line - 1] + 1)


def refusal(path: Path, text: str, index: int, what: str) -> TokbenchError:
    """Build the error for the one problem at a character of the text."""
    lines = TextLines(text)
    return as_error(path, lines.texts, [Problem(lines.place(index), (), what)])


def _explain(error: yaml.MarkedYAMLError) -> tuple[int, str]:
    """Find the place of a syntax error and what to do about it."""
    problem = error.problem or "not YAML"
    mark = error.problem_mark or error.context_mark
    if "unexpected end of stream" in problem and error.context_mark:
        mark = error.context_mark
    index = mark.index if mark else 0
    if isinstance(error, _TooLargeError):
        return index, problem
    for pattern, hint in _HINTS:
        if match := re.search(pattern, problem):
            return index, match.expand(hint)
    return index, f"not YAML: {problem}"
