"""The library at work on lines: ids and byte offsets of all tokens as arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from tokbench_formats.hf_spelling import Style, TokenizerJson, parts

from tokbench.api import Explanation, Marks, SourceFile, Vocabulary
from tokbench.api.arrays import LineTokens
from tokbench.api.text import encodable
from tokbench_hf import spans
from tokbench_hf.document import WORDS, guarded, load, parse
from tokbench_hf.explaining import Explainer
from tokbench_hf.mapping import EXTRA, Tokens, merges

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

WHERE = "the vocabulary's tokenizer.json"


@dataclass(frozen=True, eq=False)
class Engine:
    """A tokenizer of the library, with the vocabulary and the document that it was made of."""

    tokenizer: "Tokenizer"
    vocabulary: Vocabulary
    document: TokenizerJson

    @classmethod
    def of(cls, vocabulary: Vocabulary, alone: bool) -> "Engine":
        """Make the tokenizer of a vocabulary ready; `alone`: for words, which are left whole."""
        text = str(vocabulary.extra[EXTRA]).encode("utf-8", "replace")
        document = working(parse(SourceFile(WHERE, text)), alone)
        document = restricted(document, vocabulary)
        tokenizer = load(document, WHERE)
        # Text that spells a special token is ordinary text.
        tokenizer.encode_special_tokens = True
        return cls(tokenizer, vocabulary, document)

    @cached_property
    def ids(self) -> Ints:
        """Positions in the vocabulary by the library's ids; special tokens are unknown."""
        ids = np.arange(len(self.vocabulary.tokens))
        unknown = self.vocabulary.unknown
        ids[list(self.vocabulary.special)] = -1 if unknown is None else unknown
        return ids

    @cached_property
    def lengths(self) -> Ints | None:
        """The bytes of each token where the model writes any text in bytes, else None."""
        tokens = self.vocabulary.tokens
        if self.vocabulary.units != "bytes" or not {*map(chr, range(256))} <= {*tokens}:
            return None
        return np.fromiter(map(len, map(self.vocabulary.raw, range(len(tokens)))), np.int64)

    @cached_property
    def bare(self) -> Sequence[int]:
        """The tokens that are marks without text."""
        return [i for i, token in enumerate(self.vocabulary.tokens) if not Marks.strip(token)]

    @cached_property
    def drops(self) -> bool:
        """Whether the model drops characters that no token has, and tokens show their letters."""
        style, units = Style.of(self.document), self.vocabulary.units
        if self.document["model"]["type"] != "BPE" or style.fallback:
            return False
        # With a sign for the space, or marked bytes, tokens do not show their letters.
        shown = not style.space and (not style.byte_level or units == "bytes")
        return shown and self.vocabulary.unknown is None

    @cached_property
    def form(self) -> spans.Form | None:
        """The form to which the normalizer composes characters."""
        return spans.composing(self.document.get("normalizer"))

    def cut(self, lines: Sequence[str]) -> LineTokens:
        """Cut lines into tokens; lone surrogates are read as U+FFFD."""
        lines = list(map(encodable, lines))
        if self.lengths is None:
            return self._by_offsets(lines)
        return self._by_lengths(lines, self.lengths)

    def explain(self, line: str) -> Explanation:
        """Show a line as the library normalises it, its pre-tokens, and the steps of the model."""
        text = encodable(line)
        (encoding,) = self._encode([text], offsets=True)
        (tokens,) = self.cut([text]).pairs([text])
        explainer = Explainer(self.tokenizer, self.vocabulary, self.document)
        return Explanation(explainer.steps(text, encoding.tokens), tokens)

    def _by_offsets(self, lines: Sequence[str]) -> LineTokens:
        encodings = self._encode(lines, offsets=True)
        row, ids = _read(encodings)
        pairs = chain.from_iterable(chain.from_iterable(e.offsets for e in encodings))
        flat = np.fromiter(pairs, np.int64, 2 * len(ids))
        tokens = LineTokens.from_characters(lines, row, self.ids[ids], flat[::2], flat[1::2])
        if self.drops:
            self._find_dropped(lines, ids, tokens)
        if self.form is not None:
            self._cover_composed(lines, self.form, tokens)
        spans.empty_bare_marks(np.isin(ids, self.bare), tokens)
        spans.divide_bytes(np.isin(ids, [*self.vocabulary.bytes]), tokens)
        return tokens

    def _find_dropped(self, lines: Sequence[str], ids: Ints, tokens: LineTokens) -> None:
        """Correct the offsets of lines in which characters may have been dropped."""
        for number in np.flatnonzero(self._unchanged(lines)).tolist():
            place = slice(tokens.row[number], tokens.row[number + 1])
            letters = map(self._letters, ids[place].tolist())
            if places := spans.find_letters(lines[number].encode(), letters):
                tokens.starts[place], tokens.ends[place] = zip(*places, strict=True)

    def _letters(self, i: int) -> list[bytes]:
        raw = self.vocabulary.raw(i)
        if self.vocabulary.units == "bytes":
            return [bytes([byte]) for byte in raw]
        return [letter.encode() for letter in raw.decode()]

    def _cover_composed(self, lines: Sequence[str], form: spans.Form, tokens: LineTokens) -> None:
        others = [number for number, line in enumerate(lines) if not line.isascii()]
        same = self._unchanged([lines[number] for number in others]).tolist()
        for number in (n for n, kept in zip(others, same, strict=True) if not kept):
            place = slice(tokens.row[number], tokens.row[number + 1])
            spans.cover_composed(lines[number], form, tokens.starts[place], tokens.ends[place])

    def _by_lengths(self, lines: Sequence[str], lengths: Ints) -> LineTokens:
        encodings = self._encode(lines, offsets=False)
        row, ids = _read(encodings)
        sizes = np.fromiter((len(line.encode()) for line in lines), np.int64, len(lines))
        covered = lengths[ids]
        sums = spans.sum_lines(covered, row)
        # A space that the tokenizer writes before a line is none of the line's bytes; where an
        # added token begins the line, it is written later.
        others = np.fromiter((line[:1] not in ("", " ") for line in lines), np.bool_, len(lines))
        before = np.flatnonzero(others & (sums == sizes + 1))
        begins = [self.vocabulary.tokens[i] for i in ids[row[before]]]
        before = before[np.array([token.startswith(" ") for token in begins], np.bool_)]
        covered[row[before]] -= 1
        sums[before] -= 1
        tokens = LineTokens.from_lengths(row, self.ids[ids], covered)
        for number in np.flatnonzero((sums != sizes) | ~self._unchanged(lines)).tolist():
            exact = self._by_offsets([lines[number]])
            place = slice(row[number], row[number + 1])
            tokens.starts[place], tokens.ends[place] = exact.starts, exact.ends
        return tokens

    def _unchanged(self, lines: Sequence[str]) -> Flags:
        """Return which lines the normalizer leaves as they are."""
        normalizer = self.tokenizer.normalizer
        if normalizer is None:
            return np.ones(len(lines), np.bool_)
        same = (normalizer.normalize_str(line) == line for line in lines)
        return np.fromiter(same, np.bool_, len(lines))

    def _encode(self, lines: Sequence[str], offsets: bool) -> "list[Encoding]":
        encode = self.tokenizer.encode_batch if offsets else self.tokenizer.encode_batch_fast
        what = "tokenizers stops at the text"
        return guarded(lambda: encode(lines, add_special_tokens=False), what)


def working(document: Mapping[str, Any], alone: bool) -> dict[str, Any]:
    """Leave out what adds or cuts off tokens, trims offsets, or draws lots.

    With `alone`, also the cutting into words that trained tokenizers do first.
    """
    model = {**document["model"]}
    if "dropout" in model:
        model["dropout"] = None
    if model["type"] == "BPE" and model.get("unk_token") not in model["vocab"]:
        model["unk_token"] = None
    left_out = dict.fromkeys(("truncation", "padding", "post_processor"))
    changed = {**document, **left_out, "model": model}
    cutting, *rest = [*parts(document.get("pre_tokenizer")), None]
    if alone and cutting == WORDS:
        changed["pre_tokenizer"] = rest[0]
    return changed


def restricted(document: dict[str, Any], vocabulary: Vocabulary) -> dict[str, Any]:
    """Take out of a BPE model what the vocabulary, having been cut, does not hold."""
    model = document["model"]
    pairs = merges(model)
    if not vocabulary.alphabet or len(pairs) == len(vocabulary.learned):
        return document
    tokens = Tokens.of(document, load(document, WHERE))
    ids = {
        spelled: vocabulary.ids[text]
        for spelled, text in zip(tokens.spelled, tokens.texts, strict=True)
        if spelled is not None and text in vocabulary.ids
    }
    kept = {spelled: ids[spelled] for spelled in model["vocab"] if spelled in ids}
    added = [
        {**token, "id": ids[token["content"]]}
        for token in document.get("added_tokens") or ()
        if token["content"] in ids
    ]
    smaller = {**model, "vocab": kept, "merges": pairs[: len(vocabulary.learned)]}
    return {**document, "model": smaller, "added_tokens": added}


def _read(encodings: "Sequence[Encoding]") -> tuple[Ints, Ints]:
    """Return where the tokens of each line begin, and the library's ids."""
    row = np.cumsum([0, *map(len, encodings)])
    flat = chain.from_iterable(e.ids for e in encodings)
    return row, np.fromiter(flat, np.int64, int(row[-1]))
