"""The marks of word edges inside tokens, on which learner and segmenter must agree."""

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from tokbench.api.component import Options
from tokbench.api.text import BOW, CONTINUATION, EOW, MARKS

ToldEdge = Literal["beginning", "end", "both", "none"]
"""The edge of each word that its tokens tell: where it begins, where it ends, both, or none."""


class Mark(Options):
    """A mark. A config may write its kind alone: `eow: fused`."""

    kind: str
    text: str

    def shortest(self) -> Any:
        """Return the kind alone if the text is the default."""
        is_default = self.text == type(self).model_fields["text"].default
        return self.kind if is_default or self.kind == "absent" else super().shortest()

    @model_validator(mode="before")
    @classmethod
    def _kind_alone(cls, value: Any) -> Any:
        if isinstance(value, dict) and value and "kind" not in value:
            raise ValueError("a mark needs its kind too: {kind: fused, text: ...}")
        return {"kind": value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        full = handler.resolve_ref_schema(handler(core_schema))
        return {"anyOf": [full["properties"]["kind"], full]}


class EdgeMark(Mark):
    """A mark at one edge of a word."""

    kind: Literal["absent", "fused", "separate", "fenced"] = Field(
        "absent", description="`absent`, `fused` to the letter, `separate`, or `fenced`"
    )


class BeginMark(EdgeMark):
    """The mark at the beginning of a word."""

    text: str = Field("▁", min_length=1, description="how the mark is spelled")


class EndMark(EdgeMark):
    """The mark at the end of a word."""

    text: str = Field("</w>", min_length=1, description="how the mark is spelled")


class ContinuationMark(Mark):
    """The mark of letters or tokens that do not begin a word."""

    kind: Literal["absent", "fused", "display"] = Field(
        "absent", description="`absent`, `fused` to the letter, or only for `display`"
    )
    text: str = Field("##", min_length=1, description="how the mark is spelled")


class Marks(Options):
    """The marks of a vocabulary, on which learner and segmenter must agree.

    A `fused` mark belongs to its letter, a `separate` mark is a symbol of its own, and a `fenced`
    mark is a symbol that takes no part in merges. With a fused continuation, `##s` and `s` are
    different symbols; `display` only shows the mark before tokens that do not begin a word.
    """

    bow: BeginMark = Field(default_factory=BeginMark)
    eow: EndMark = Field(default_factory=EndMark)
    continuation: ContinuationMark = Field(default_factory=ContinuationMark)

    def spell(self, word: str) -> list[str]:
        r"""Split a word into its symbols, marks included.

        >>> Marks.model_validate({"eow": "fused"}).spell("low")
        ['l', 'o', 'w\ufdd1']
        """
        symbols = list(word)
        if self.continuation.kind == "fused":
            symbols = [CONTINUATION + letter for letter in word]
        if word:
            symbols[-1] = self.form(word[-1], len(word) == 1, True)
            symbols[0] = self.form(word[0], True, len(word) == 1)
        if self.bow.kind in ("separate", "fenced"):
            symbols.insert(0, BOW)
        if self.eow.kind in ("separate", "fenced"):
            symbols.append(EOW)
        return symbols

    def form(self, letter: str, first: bool, last: bool) -> str:
        """Return a letter with its fused marks, if it is the first or last letter of a word."""
        if self.continuation.kind == "fused" and not first:
            letter = CONTINUATION + letter
        if self.bow.kind == "fused" and first:
            letter = BOW + letter
        if self.eow.kind == "fused" and last:
            letter += EOW
        return letter

    @property
    def told_edge(self) -> ToldEdge:
        """The edge of each word at which its tokens carry a mark; one for display tells nothing.

        >>> Marks.model_validate({"eow": "fused"}).told_edge
        'end'
        """
        if self.eow.kind != "absent":
            return "end"
        begins = self.bow.kind != "absent" or self.continuation.kind == "fused"
        return "beginning" if begins else "none"

    @property
    def fenced(self) -> frozenset[str]:
        """The symbols that never take part in a merge."""
        return frozenset(symbol for symbol, kind in self._edges if kind == "fenced")

    @property
    def symbols(self) -> tuple[str, ...]:
        """The marks that are symbols of their own, in code-point order."""
        return tuple(symbol for symbol, kind in self._edges if kind in ("separate", "fenced"))

    @property
    def _edges(self) -> tuple[tuple[str, str], ...]:
        return ((BOW, self.bow.kind), (EOW, self.eow.kind))

    def forms(self, letter: str) -> list[str]:
        """Return all forms of a letter that can occur: alone, and with each fused mark."""
        forms = [letter]
        if self.continuation.kind == "fused":
            forms.append(CONTINUATION + letter)
        if self.bow.kind == "fused":
            # A letter that begins a word is never its continuation.
            forms.append(BOW + letter)
        if self.eow.kind == "fused":
            forms += [form + EOW for form in forms]
        if self.bow.kind == "fused" and self.continuation.kind == "fused":
            # Every letter then carries one of the two: the bare forms cannot occur.
            forms = [form for form in forms if form[0] in MARKS]
        return forms

    @staticmethod
    def join(parts: Iterable[str]) -> str:
        """Join parts into one token; all parts but the first lose their continuation mark."""
        parts = tuple(parts)
        joined = "".join(parts)
        if CONTINUATION not in joined:
            return joined  # the usual case, in half the time
        return parts[0] + "".join(part.removeprefix(CONTINUATION) for part in parts[1:])

    @staticmethod
    def strip(token: str) -> str:
        """Return a token's text without marks."""
        if token.isascii():
            return token  # the usual case, in half the time
        return token.replace(BOW, "").replace(EOW, "").replace(CONTINUATION, "")

    def show(self, token: str) -> str:
        r"""Spell a token for people: `est\ufdd1` is `est</w>`."""
        return (
            token.replace(BOW, self.bow.text)
            .replace(EOW, self.eow.text)
            .replace(CONTINUATION, self.continuation.text)
        )

    def show_display(self, shown: list[str]) -> list[str]:
        """Write a `display` continuation mark before tokens that do not begin their word."""
        if self.continuation.kind == "display":
            return shown[:1] + [self.continuation.text + token for token in shown[1:]]
        return shown

    def read(self, token: str) -> str:
        """Return the inner form of a spelled token, as other tools write it in their tables.

        Marks are only read at the beginning and the end of the token.
        """
        begin, end = "", ""
        if self.continuation.kind == "fused" and token.startswith(self.continuation.text):
            begin, token = CONTINUATION, token[len(self.continuation.text) :]
        elif self.bow.kind != "absent" and token.startswith(self.bow.text):
            begin, token = BOW, token[len(self.bow.text) :]
        if self.eow.kind != "absent" and token.endswith(self.eow.text):
            token, end = token[: -len(self.eow.text)], EOW
        return begin + token + end
