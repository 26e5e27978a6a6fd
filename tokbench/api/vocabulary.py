"""Vocabularies, and their sizes."""

import builtins
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from operator import attrgetter
from types import NoneType
from typing import Any, Literal, NamedTuple, Self, get_args

from pydantic import ValidationError

from tokbench.api.marks import Marks
from tokbench.api.text import CONTINUATION
from tokbench.errors import InputError, SizeError
from tokbench.printing import json_text

Units = Literal["characters", "bytes"]
FORMAT = 1

_SPELLED = {ord(" "): "Ġ", **{0xDC00 + byte: f"<0x{byte:02X}>" for byte in range(0x80, 0x100)}}


@dataclass(frozen=True)
class Size:
    """How large a vocabulary to learn: `total` tokens, or `learned` items (merges for BPE)."""

    total: int | None = None
    learned: int | None = None

    def __post_init__(self) -> None:
        """Refuse anything except exactly one non-negative number."""
        numbers = [value for value in (self.total, self.learned) if value is not None]
        if len(numbers) != 1 or numbers[0] < 0:
            raise ValueError("a size is either total=n or learned=n, with n >= 0")

    @classmethod
    def parse(cls, text: str) -> "Size":
        """Read a size from its spelling in the results; raise ValueError for anything else."""
        parts = re.fullmatch("(merges:)?([0-9]+)", text)
        if parts is None:
            raise ValueError(f"found {text!r}, expected a number of tokens, or merges:N")
        return cls(learned=int(parts[2])) if parts[1] else cls(total=int(parts[2]))

    def __str__(self) -> str:
        """Return the spelling in the results: `1000`, or `merges:1000`."""
        return f"{self.prefix}{self.number}"

    @property
    def prefix(self) -> str:
        """The unit that the results write before the number: `merges:`, or nothing for tokens."""
        return "" if self.learned is None else "merges:"

    @property
    def number(self) -> int:
        """The requested number of tokens or of learned items."""
        return self.total if self.total is not None else self.learned or 0

    def reached(self, total: int, learned: int) -> bool:
        """Return whether a vocabulary of so many tokens and learned items is large enough."""
        return (learned if self.total is None else total) >= self.number


class SystemSize(NamedTuple):
    """A system and its requested size, both as the results spell them.

    `size` is empty if the system has only one.

    >>> str(SystemSize("bpe", "1000")), SystemSize.parse("char")
    ('bpe@1000', SystemSize(system='char', size=''))
    """

    system: str
    size: str = ""

    @classmethod
    def parse(cls, text: str) -> "SystemSize":
        """Read a label; the name of a system has no @."""
        system, _, size = text.partition("@")
        return cls(system.strip(), size.strip())

    def __str__(self) -> str:
        """Return the label that views, assertions and files use."""
        return f"{self.system}@{self.size}" if self.size else self.system


@dataclass(frozen=True, slots=True)
class Learned:
    """A learned item: the parts that it joins, and its count in the training text if known."""

    parts: tuple[str, ...]
    count: int | None = None


# For loops over whole vocabularies, these take half the time of generators.
_parts, _count = attrgetter("parts"), attrgetter("count")


@dataclass(frozen=True, repr=False)
class Vocabulary:
    """The tokens of a tokenizer, and all that its segmenter needs. It is frozen, and JSON on disk.

    - `tokens`: the tokens; the position of a token is its id.
    - `alphabet`: the tokens that were there before learning.
    - `learned`: the learned items (merges for BPE) in order. Different items may build one token.
    - `marks`: the marks of word edges inside the tokens.
    - `special`: the ids that a segmenter never produces.
    - `unknown`: the id that stands for anything unknown, or None.
    - `bytes`: the byte that each byte token stands for, by id.
    - `segmenter`: the default segmenter, as a config would write it.
    - `extra`: JSON data for the segmenter, such as scores.
    - `units`: if `bytes`, each character of a token is one byte of UTF-8, and there are no marks.
    - `declared`: the size that the library of a ready-made tokenizer reports, or None.

    Raises ValueError for wrong types, a token that occurs twice, and an id without a token.
    """

    tokens: tuple[str, ...]
    alphabet: tuple[str, ...] = ()
    learned: tuple[Learned, ...] = ()
    marks: Marks = field(default_factory=Marks)
    special: tuple[int, ...] = ()
    unknown: int | None = None
    bytes: Mapping[int, int] = field(default_factory=dict)
    segmenter: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    units: Units = "characters"
    declared: int | None = None

    def __repr__(self) -> str:
        """Say how many tokens it has, and which segmenter cuts with them."""
        segmenter = f", cut by {self.segmenter.get('use')}" if self.segmenter else ""
        return f"<Vocabulary: {len(self.tokens):,} tokens{segmenter}>"

    def __post_init__(self) -> None:
        """Refuse values that do not fit together."""
        self._check_types()
        if len(set(self.tokens)) != len(self.tokens):
            twice = next(t for i, t in enumerate(self.tokens) if self.ids[t] != i)
            raise ValueError(f"token {twice!r} stands twice in the vocabulary")
        if not all(map(_parts, self.learned)):
            raise ValueError("a learned item has no parts")
        for i in (*self.special, *self.bytes, *(() if self.unknown is None else (self.unknown,))):
            if not 0 <= i < len(self.tokens):
                raise ValueError(f"id {i} is outside the vocabulary of {len(self.tokens)} tokens")
        if wrong := [byte for byte in self.bytes.values() if not 0 <= byte <= 0xFF]:
            raise ValueError(f"{wrong[0]} is no byte")
        if self.units == "bytes":
            self._check_bytes()

    def _check_types(self) -> None:
        ids = (self.unknown, *self.special, *self.bytes, *self.bytes.values())
        fields: dict[str, tuple[Iterable[Any], set[type]]] = {
            "tokens": (self.tokens, {str}),
            "alphabet": (self.alphabet, {str}),
            "parts of learned items": (chain.from_iterable(map(_parts, self.learned)), {str}),
            "counts of learned items": (map(_count, self.learned), {int, NoneType}),
            "ids": (ids, {int, NoneType}),
            "declared size": ([self.declared], {int, NoneType}),
        }
        for name, (values, allowed) in fields.items():
            if wrong := set(map(type, values)) - allowed:
                types = ", ".join(sorted(kind.__name__ for kind in wrong))
                expected = " or ".join(sorted(kind.__name__ for kind in allowed))
                raise ValueError(f"the vocabulary's {name}: found {types}, expected {expected}")
        if self.units not in get_args(Units):
            expected = " or ".join(get_args(Units))
            raise ValueError(
                f"the vocabulary's units: found {self.units!r:.60}, expected {expected}"
            )

    def _check_bytes(self) -> None:
        if self.marks != Marks():
            raise ValueError("a vocabulary of bytes has no marks")
        produced = (t for i, t in enumerate(self.tokens) if i not in self.unproduced)
        if wrong := next((t for t in produced if t and max(t) > "\xff"), None):
            raise ValueError(f"token {wrong!r} is no sequence of bytes")

    @classmethod
    def build(cls, alphabet: Sequence[str], learned: Iterable[Learned], **fields: Any) -> Self:
        """Build the tokens from the alphabet, then the products of learned items, each one once."""
        items = tuple(learned)
        tokens = dict.fromkeys(alphabet)
        tokens.update(dict.fromkeys(Marks.join(item.parts) for item in items))
        return cls(tokens=tuple(tokens), alphabet=tuple(alphabet), learned=items, **fields)

    @cached_property
    def ids(self) -> Mapping[str, int]:
        """The id of each token."""
        return {token: i for i, token in enumerate(self.tokens)}

    @cached_property
    def products(self) -> tuple[str, ...]:
        """The token that each learned item builds."""
        return tuple(map(Marks.join, map(_parts, self.learned)))

    @cached_property
    def births(self) -> tuple[int, ...]:
        """For each token, the least number of learned items with which a cut vocabulary has it."""
        # Several items may build a token. Going backwards, the first of them is written last.
        numbers = range(len(self.learned), 0, -1)
        births = dict(zip(reversed(self.products), numbers, strict=True))
        # Tokens that are never produced are in every cut.
        unproduced = (self.tokens[i] for i in self.unproduced)
        births.update(dict.fromkeys([*self.alphabet, *unproduced], 0))
        return tuple(births.get(token, 0) for token in self.tokens)

    @cached_property
    def _learned_births(self) -> list[int]:
        return sorted(filter(None, self.births))

    @cached_property
    def unproduced(self) -> frozenset[int]:
        """The ids that do not count as known: those of special tokens, and `unknown`."""
        return frozenset(self.special) | ({self.unknown} if self.unknown is not None else set())

    @cached_property
    def can_be_unknown(self) -> bool:
        """Whether any text can be unknown; False if every byte is a token of its own."""
        single = set(self.bytes.values())
        if self.units == "bytes":
            single |= {ord(token) for token in self.tokens if len(token) == 1}
        return not single.issuperset(range(256))

    @cached_property
    def raws(self) -> tuple[builtins.bytes, ...]:
        """The bytes of all tokens, as `raw` returns them for one."""
        raws = [
            token.encode("latin-1")
            if self.units == "bytes" and i not in self.unproduced
            else Marks.strip(token).encode("utf-8", "surrogatepass")
            for i, token in enumerate(self.tokens)
        ]
        for i, byte in self.bytes.items():
            raws[i] = builtins.bytes([byte])
        return tuple(raws)

    def raw(self, i: int) -> builtins.bytes:
        """Return the UTF-8 bytes that a token stands for, without marks."""
        return self.raws[i]

    def show(self, token: str) -> str:
        """Spell a token for people.

        In a vocabulary of bytes, a space is spelled `Ġ`, as GPT-2 does, and each byte that is not
        part of a whole character is spelled like `<0xEC>`. A continuation mark at the end is left
        out: no token has one, it only distinguishes the name of an unknown word from tokens.
        """
        if self.units == "bytes" and max(token, default="") <= "\xff":
            # `surrogateescape` turns such a byte into a surrogate that no decoded text has.
            return token.encode("latin-1").decode("utf-8", "surrogateescape").translate(_SPELLED)
        return self.marks.show(token.removesuffix(CONTINUATION))

    @property
    def size(self) -> int:
        """The number of tokens without special tokens and `unknown`."""
        return len(self.tokens) - len(self.unproduced)

    def cut(self, size: Size) -> Self:
        """Return the vocabulary as it was when learning first reached `size`.

        Raise SizeError if `size` is below the number of tokens before learning.
        """
        learned = size.number
        if size.total is not None:
            births = self._learned_births
            total = self.size - len(births)
            if size.total < total:
                raise SizeError(f"size {size} is below the alphabet of {total}", total)
            # Beyond the last token there are only items that build a token again.
            learned = [0, *births, len(self.learned)][min(size.total - total, len(births) + 1)]
        if learned >= len(self.learned):
            return self
        ids = [i for i, birth in enumerate(self.births) if birth <= learned]
        new_id = {i: number for number, i in enumerate(ids)}
        return replace(
            self,
            tokens=tuple(map(self.tokens.__getitem__, ids)),
            learned=self.learned[:learned],
            special=tuple(new_id[i] for i in self.special),
            unknown=None if self.unknown is None else new_id[self.unknown],
            bytes={new_id[i]: byte for i, byte in self.bytes.items() if i in new_id},
        )

    def to_json(self) -> str:
        """Return the vocabulary as one JSON object; lone surrogates are escaped."""
        document = {"format": FORMAT} | {
            each.name: getattr(self, each.name) for each in fields(self)
        }
        document |= {
            "learned": [[item.parts, item.count] for item in self.learned],
            "marks": self.marks.model_dump(mode="json"),
        }
        rows = (
            f"{json_text(key)}: {json_text(value, separators=(',', ':'))}"
            for key, value in document.items()
        )
        return "{" + ",\n ".join(rows) + "}\n"

    @classmethod
    def from_json(cls, text: str, where: str = "vocabulary") -> Self:
        """Read what `to_json` returns; raise InputError, naming `where`, for anything else."""
        try:
            document = json.loads(text)
        except ValueError as error:
            raise InputError(f"{where}: not JSON: {error}") from None
        version = document.get("format") if isinstance(document, dict) else type(document)
        if version != FORMAT:
            raise InputError(f"{where}: not a vocabulary of format {FORMAT}: found {version!r}")
        try:
            return cls(
                tokens=_tuple(document["tokens"]),
                alphabet=_tuple(document["alphabet"]),
                learned=tuple(Learned(_tuple(parts), n) for parts, n in document["learned"]),
                marks=Marks.model_validate(document["marks"]),
                special=_tuple(document["special"]),
                unknown=document["unknown"],
                bytes={int(i): byte for i, byte in _mapping(document["bytes"]).items()},
                segmenter=_mapping(document["segmenter"]),
                extra=_mapping(document["extra"]),
                units=document.get("units", "characters"),
                declared=document.get("declared"),
            )
        except (KeyError, TypeError, ValueError, AttributeError, ValidationError) as error:
            cause = f"no {error}" if isinstance(error, KeyError) else str(error)
            if isinstance(error, ValidationError):
                details = error.errors()[0]
                cause = f"marks: {'.'.join(map(str, details['loc']))}: {details['msg']}"
            raise InputError(f"{where}: damaged vocabulary: {cause}") from None


def _tuple(value: object) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise TypeError(f"expected a list, found {value!r:.60}")
    return tuple(value)


def _mapping(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"expected a mapping, found {value!r:.60}")
    return value
