"""A config as plain data in which every key and value has its place."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import yaml

from tokbench.config.problems import Problem, TextPlace, Where
from tokbench.config.scalars import AmbiguousError, read_plain
from tokbench.config.syntax import (
    EXPECTED,
    MAX_DEPTH,
    MAX_NODES,
    UNTAGGED,
    TextLines,
    compose,
    read_text,
    refusal,
)
from tokbench.errors import TokbenchError, UsageError


@dataclass
class Document:
    """The data of a config, the places of its keys and values, and the problems of its YAML."""

    path: Path
    lines: tuple[str, ...]
    data: Any = None
    values: dict[Where, TextPlace] = field(default_factory=dict)
    keys: dict[Where, TextPlace] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def place(self, where: Where, *, key: bool = False) -> TextPlace:
        """Return the place of a value or of its key; if it isn't written, of what encloses it."""
        if key and where in self.keys:
            return self.keys[where]
        while where not in self.values and where:
            where = where[:-1]
        return self.values.get(where, TextPlace(1, 1))

    def get(self, where: Where) -> Any:
        """Return the value at a place, None where there is none."""
        path, value = followed(where, self.data)
        return value if path == where else None


def followed(where: Where, data: Any) -> tuple[Where, Any]:
    """Return the parts of `where` that are keys or indexes of the data, and the value there."""
    path: Where = ()
    for part in where:
        inside = isinstance(data, dict) and part in data
        if inside or (isinstance(data, list) and isinstance(part, int) and part < len(data)):
            data = data[part]
            path += (part,)
    return path, data


def read_document(path: Path, text: str | None = None) -> Document:
    """Read a config; problems of single keys and values are noted in the document.

    A `text` is what stood in the file, which is not read again.
    Raises InputError for a file that can't be read, ConfigError for one that isn't a YAML mapping.
    """
    text = read_text(path) if text is None else text
    root = compose(path, text)
    if not isinstance(root, yaml.MappingNode):
        found = "a list" if isinstance(root, yaml.SequenceNode) else "a single value"
        raise refusal(path, text, root.start_mark.index, f"found {found}, expected {EXPECTED}")
    return _read(path, text, root)


def read_value(text: str) -> Any:
    """Read a single value as a config would; raises UsageError with all that is wrong with it."""
    path = Path("value")
    document = _read(path, text, compose(path, text))
    if document.problems:
        raise UsageError("; ".join(problem.what for problem in document.problems))
    return document.data


def _read(path: Path, text: str, root: yaml.Node) -> Document:
    lines = TextLines(text)
    document = Document(path, lines.texts)
    document.data = _Reader(text, lines, document).value(root, ())
    return document


@dataclass
class _Reader:
    """Turns nodes into plain data; adds places and problems to the document."""

    text: str
    lines: TextLines
    document: Document
    nodes: int = 0

    def value(self, node: yaml.Node, where: Where) -> Any:
        """Return a node's data; the nodes that aliases repeat count each time."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise self.refusal(node, f"aliases give more than {MAX_NODES} values")
        if len(where) > MAX_DEPTH:
            raise self.refusal(node, "an alias refers to a part of the file that holds it")
        self.document.values[where] = self.place(node)
        self.untagged(node, where)
        if isinstance(node, yaml.MappingNode):
            return dict(self.entries(node, where))
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*where, i)) for i, item in enumerate(node.value)]
        return self.scalar(cast(yaml.ScalarNode, node), where)

    def entries(self, node: yaml.MappingNode, where: Where) -> Iterator[tuple[str, Any]]:
        """Return the keys and values of a mapping; of a key that is repeated, the first."""
        places = self.document.keys
        for key_node, value_node in node.value:
            key = self.key(key_node, where)
            if key is None:
                continue
            inner = (*where, key)
            if inner in places:
                what = f"the key `{key}` stands twice, first on line {places[inner].line}"
                self.problem(key_node, where, what)
                continue
            places[inner] = self.place(key_node)
            empty = isinstance(value_node, yaml.ScalarNode) and not value_node.style
            if empty and not value_node.value:
                self.problem(key_node, inner, "has no value: write one, or leave the key out")
                self.document.values[inner] = places[inner]
                yield key, None
            else:
                yield key, self.value(value_node, inner)

    def key(self, node: yaml.Node, where: Where) -> str | None:
        """Return a key's text, None if it isn't text."""
        if not isinstance(node, yaml.ScalarNode):
            self.problem(node, where, "found a key that is no text, expected `key: value`")
            return None
        if node.value == "<<" and not node.style:
            self.problem(node, where, "a config has no merge keys `<<`: write the keys out")
            return None
        self.untagged(node, where)
        key = self.scalar(node, (*where, node.value))
        if not isinstance(key, str):
            what = f"found a key that is no text: write '{node.value}' in quotes"
            self.problem(node, (*where, node.value), what)
        return str(node.value)

    def scalar(self, node: yaml.ScalarNode, where: Where) -> Any:
        """Read a single value; one that readers disagree about stays text, with a problem."""
        text = str(node.value)
        if any("\ud800" <= char <= "\udfff" for char in text):
            self.problem(node, where, "found half of a surrogate pair, expected a character")
            return text.encode("utf-8", "replace").decode()
        if node.style:
            return text
        if not text:
            self.problem(node, where, "found nothing, expected a value")
            return None
        try:
            return read_plain(text)
        except AmbiguousError as ambiguous:
            self.problem(node, where, str(ambiguous))
            return text

    def untagged(self, node: yaml.Node, where: Where) -> None:
        """Add a problem for a tag: the way in which a value is written decides its type."""
        if node.tag != UNTAGGED:
            tag = node.tag.replace("tag:yaml.org,2002:", "!!")
            self.problem(node, where, f"found the tag {tag}, expected a value without a tag")

    def place(self, node: yaml.Node) -> TextPlace:
        """Return the place where a node begins."""
        return self.lines.place(node.start_mark.index)

    def problem(self, node: yaml.Node, where: Where, what: str) -> None:
        """Add a problem at the beginning of a node."""
        self.document.problems.append(Problem(self.place(node), where, what))

    def refusal(self, node: yaml.Node, what: str) -> TokbenchError:
        """Build the error for a problem that leaves nothing else to check."""
        return refusal(self.document.path, self.text, node.start_mark.index, what)
