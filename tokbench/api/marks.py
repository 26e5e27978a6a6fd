"""How word edges are written inside tokens.

Inside tokens a mark is one Unicode noncharacter, which input text may not contain, so a text that
spells `</w>` cannot collide with a mark. The text of a mark (`</w>`, `▁`, `##`) is its spelling
for people, for exports and for breaking ties.
"""

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from tokbench.api.component import Options

BOW, EOW, CONTINUATION = "\ufdd0", "\ufdd1", "\ufdd2"
MARKS = BOW + EOW + CONTINUATION
_REMOVE = dict.fromkeys(map(ord, MARKS))


class Mark(Options):
    """One mark; a config may write its kind alone: `eow: fused`."""

    kind: str
    text: str

    def shortest(self) -> Any:
        """Return the kind alone where the text is the usual one."""
        usual = self.text == type(self).model_fields["text"].default
        return self.kind if usual or self.kind == "absent" else super().shortest()

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
    """The mark of what does not begin a word."""

    kind: Literal["absent", "fused", "display"] = Field(
        "absent", description="`absent`, `fused` to the letter, or only for `display`"
    )
    text: str = Field("##", min_length=1, description="how the mark is spelled")


class Marks(Options):
    """The marks of a vocabulary: what learner and segmenter must agree on.

    `fused` ties a mark to its letter, `separate` makes it a symbol of its own, `fenced` a symbol
    that takes no part in merges. A fused continuation makes `##s` another symbol than `s`;
    `display` only writes it before tokens that do not begin a word.
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
            # Only the letters at the edges have more than that.
            symbols[-1] = self.form(word[-1], len(word) == 1, True)
            symbols[0] = self.form(word[0], True, len(word) == 1)
        if self.bow.kind in ("separate", "fenced"):
            symbols.insert(0, BOW)
        if self.eow.kind in ("separate", "fenced"):
            symbols.append(EOW)
        return symbols

    def form(self, letter: str, first: bool, last: bool) -> str:
        """Return a letter with the marks that are fused to it at the beginning or end of a word."""
        if self.continuation.kind == "fused" and not first:
            letter = CONTINUATION + letter
        if self.bow.kind == "fused" and first:
            letter = BOW + letter
        if self.eow.kind == "fused" and last:
            letter += EOW
        return letter

    @property
    def fenced(self) -> frozenset[str]:
        """The symbols that never take part in a merge."""
        return frozenset(
            symbol for symbol, mark in ((BOW, self.bow), (EOW, self.eow)) if mark.kind == "fenced"
        )

    @property
    def symbols(self) -> tuple[str, ...]:
        """The marks that are symbols of their own, in code-point order."""
        return tuple(
            symbol
            for symbol, mark in ((BOW, self.bow), (EOW, self.eow))
            if mark.kind in ("separate", "fenced")
        )

    def forms(self, letter: str) -> list[str]:
        """Return every form in which the marks allow a letter: alone and with each fused mark."""
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
        """Join parts into one token; a part after the first loses its continuation mark."""
        parts = tuple(parts)
        joined = "".join(parts)
        # Whole vocabularies are joined, and most hold no such marks.
        if CONTINUATION not in joined:
            return joined
        return parts[0] + "".join(part.removeprefix(CONTINUATION) for part in parts[1:])

    @staticmethod
    def strip(token: str) -> str:
        """Return a token's text without marks."""
        return token.translate(_REMOVE)

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
        """Read a spelled token back into its inner form (for tables written by other tools).

        A mark is looked for only at the beginning or the end of the token.
        """
        begin, end = "", ""
        if self.continuation.kind == "fused" and token.startswith(self.continuation.text):
            begin, token = CONTINUATION, token[len(self.continuation.text) :]
        elif self.bow.kind != "absent" and token.startswith(self.bow.text):
            begin, token = BOW, token[len(self.bow.text) :]
        if self.eow.kind != "absent" and token.endswith(self.eow.text):
            token, end = token[: -len(self.eow.text)], EOW
        return begin + token + end
