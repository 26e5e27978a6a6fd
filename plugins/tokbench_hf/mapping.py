"""From a tokenizer of the library to a vocabulary: the same ids, tokens as text, marks, bytes."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tokbench_formats.hf_spelling import Style, TokenizerJson

from tokbench.api import Learned, Marks, Vocabulary
from tokbench.api.text import to_bytes_text

if TYPE_CHECKING:
    from tokenizers import Tokenizer

EXTRA = "tokenizer.json"
BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
"""A byte-fallback token."""


def vocabulary(
    document: TokenizerJson, tokenizer: "Tokenizer", segmenter: str, declares: bool = False
) -> Vocabulary:
    """Return the vocabulary of a tokenizer.json that the library has read.

    Positions are the library's ids. Not counted in |V|, and never produced: special tokens, ids
    that no token has, and tokens that cannot occur, since an added token with the same text goes
    first, or since they are spelled outside the byte alphabet. Where the tokenizer `declares`, the
    library's count of tokens is the declared size.
    """
    tokens = Tokens.of(document, tokenizer)
    learned = tokens.learned()
    built = {Marks.join(item.parts) for item in learned}
    outside = tokens.special | {tokens.unknown} | set(tokens.bytes)
    return Vocabulary(
        tokens=tokens.texts,
        alphabet=tuple(
            text for i, text in enumerate(tokens.texts) if i not in outside and text not in built
        )
        if learned
        else (),
        learned=learned,
        marks=Marks() if tokens.style.units == "bytes" else tokens.style.marks,
        special=tuple(sorted(tokens.special)),
        unknown=tokens.unknown,
        bytes=tokens.bytes,
        segmenter={"use": segmenter},
        extra={EXTRA: json.dumps(document, ensure_ascii=False)},
        units=tokens.style.units,
        declared=tokenizer.get_vocab_size(with_added_tokens=True) if declares else None,
    )


@dataclass(frozen=True)
class Tokens:
    """The tokens of a tokenizer by id, as the library spells them and as text."""

    document: TokenizerJson
    style: Style
    spelled: Sequence[str | None]
    """By id, as the library spells it; None for an id that no token has."""

    @classmethod
    def of(cls, document: TokenizerJson, tokenizer: "Tokenizer") -> "Tokens":
        """Ask the library for its tokens."""
        ids = tokenizer.get_vocab(with_added_tokens=True)
        spelled: list[str | None] = [None] * (max(ids.values(), default=-1) + 1)
        for token, i in ids.items():
            spelled[i] = token
        return cls(document, Style.of(document), spelled)

    @cached_property
    def ids(self) -> Mapping[str, int]:
        """The id of each token as the library spells it."""
        return {token: i for i, token in enumerate(self.spelled) if token is not None}

    @cached_property
    def added(self) -> Mapping[int, bool]:
        """The ids of added tokens, which are spelled as plain text, and whether each is special."""
        tokens = self.document.get("added_tokens") or ()
        present = [token for token in tokens if token["content"] in self.ids]
        return {self.ids[token["content"]]: bool(token.get("special")) for token in present}

    @cached_property
    def unknown(self) -> int | None:
        """The id of the token for unknown text."""
        model = self.document["model"]
        if model["type"] == "Unigram":
            number = model.get("unk_id")
            return None if number is None else int(number)
        return self.ids.get(model.get("unk_token") or "")

    @cached_property
    def bytes(self) -> Mapping[int, int]:
        """The byte of each byte-fallback token, by id.

        One that is also looked for in the text, as an added token that is not special, stands for
        its spelling.
        """
        if not self.style.fallback:
            return {}
        tokens = {i: token for token, i in self.ids.items() if self.added.get(i, True)}
        matches = {i: BYTE.fullmatch(token) for i, token in tokens.items()}
        return {i: int(match[1], 16) for i, match in matches.items() if match}

    @cached_property
    def special(self) -> frozenset[int]:
        """The ids that are never produced, `unknown` not among them."""
        return frozenset(self._texts_and_silent[1]).difference({self.unknown})

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of each token, by id."""
        return self._texts_and_silent[0]

    @cached_property
    def _texts_and_silent(self) -> tuple[tuple[str, ...], set[int]]:
        """Return texts by id, each once, and the ids that no text can produce."""
        texts = list(map(self._text, range(len(self.spelled))))
        # An added token is looked for before the model is asked.
        order = sorted(range(len(texts)), key=lambda i: i not in self.added)
        silent = {i for i, special in self.added.items() if special and i not in self.bytes}
        taken: set[str] = set()
        for i in order:
            text = texts[i]
            if text is None or text in taken:
                silent.add(i)
                text = self.spelled[i] or f"<id {i}>"
            while text in taken:
                text = f"<id {i}>" + text
            taken.add(text)
            texts[i] = text
        return tuple(text or "" for text in texts), silent

    def _text(self, i: int) -> str | None:
        """Return what a token stands for; None where there is none, or no text can give it."""
        token = self.spelled[i]
        if token is None or i in self.bytes:
            return token
        if i in self.added or i == self.unknown:
            return to_bytes_text(token) if self.style.units == "bytes" else token
        return self.style.text(token)

    def learned(self) -> tuple[Learned, ...]:
        """Return the merges in order; none where marks cannot tell what they build.

        A sign for the space is a mark at the beginning of a token and a space within it, so merges
        that put it there have no parts with marks.
        """
        texts, items = self.texts, list[Learned]()
        for pair in merges(self.document["model"]):
            parts = tuple(texts[self.ids[part]] for part in pair if part in self.ids)
            product = self.ids.get(pair[0] + pair[1][len(self.style.prefix) :])
            if len(parts) < 2 or product is None or Marks.join(parts) != texts[product]:
                return ()
            items.append(Learned(parts))
        return tuple(items)


def merges(model: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the merges of a model; older files write a pair as one text with a space."""
    written = model.get("merges") or ()
    pairs = (pair.split(" ") if isinstance(pair, str) else pair for pair in written)
    return [(left, right) for left, right in pairs]
