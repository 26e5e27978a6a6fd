"""The library at work on lines: ids and byte offsets of all tokens as arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from tokbench_formats.hf_spelling import Style, TokenizerJson, parts

from tokbench.api import Explanation, LineTokens, Marks, SourceFile, Vocabulary, encodable
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
    """A tokenizer of the library with what is to be known of its tokens, by id.

    `ids` are positions in the vocabulary (special tokens are unknown). `bare` marks are without
    text, `spaced` tokens begin with a space, `single` ones are bytes. `lengths`, for models that
    write any text in bytes, are the bytes of each token; `letters` are there for models that drop
    characters, `form` for normalizers that compose them.
    """

    tokenizer: "Tokenizer"
    ids: Ints
    bare: Flags
    spaced: Flags
    single: Flags
    lengths: Ints | None
    letters: spans.TokenLetters | None
    form: spans.Form | None
    explainer: Explainer

    def cut(self, lines: Sequence[str]) -> LineTokens:
        """Cut lines into tokens."""
        if self.lengths is None:
            return self._by_offsets(lines)
        return self._by_lengths(lines, self.lengths)

    def explain(self, line: str) -> Explanation:
        """Show a line as the library normalises it, its pre-tokens, and the steps of the model."""
        text = encodable(line)
        (found,) = self._encode([text], offsets=True)[1]
        (tokens,) = self.cut([text]).pairs([text])
        return Explanation(self.explainer.steps(text, found.tokens), tokens)

    def _by_offsets(self, lines: Sequence[str]) -> LineTokens:
        lines, encodings = self._encode(lines, offsets=True)
        row, ids = _read(encodings)
        pairs = chain.from_iterable(chain.from_iterable(e.offsets for e in encodings))
        flat = np.fromiter(pairs, np.int64, 2 * len(ids))
        found = LineTokens.from_characters(lines, row, self.ids[ids], flat[::2], flat[1::2])
        if self.letters is not None:
            self.letters.place(lines, ids, found, self._unchanged)
        if self.form is not None:
            self._cover_composed(lines, self.form, found)
        spans.empty_bare_marks(self.bare[ids], found)
        spans.divide_bytes(self.single[ids], found)
        return found

    def _cover_composed(self, lines: Sequence[str], form: spans.Form, found: LineTokens) -> None:
        others = [number for number, line in enumerate(lines) if not line.isascii()]
        same = self._unchanged([lines[number] for number in others]).tolist()
        for number in (n for n, kept in zip(others, same, strict=True) if not kept):
            place = slice(found.row[number], found.row[number + 1])
            spans.cover_composed(lines[number], form, found.starts[place], found.ends[place])

    def _by_lengths(self, lines: Sequence[str], lengths: Ints) -> LineTokens:
        lines, encodings = self._encode(lines, offsets=False)
        row, ids = _read(encodings)
        sizes = np.fromiter((len(line.encode()) for line in lines), np.int64, len(lines))
        covered = lengths[ids]
        sums = spans.sum_lines(covered, row)
        # A space that the tokenizer writes before a line is none of the line's bytes; where an
        # added token begins the line, it is written later.
        others = np.fromiter((line[:1] not in ("", " ") for line in lines), np.bool_, len(lines))
        before = np.flatnonzero(others & (sums == sizes + 1))
        before = before[self.spaced[ids[row[before]]]]
        covered[row[before]] -= 1
        sums[before] -= 1
        found = LineTokens.from_lengths(row, self.ids[ids], covered)
        for number in np.flatnonzero((sums != sizes) | ~self._unchanged(lines)).tolist():
            one = self._by_offsets([lines[number]])
            place = slice(row[number], row[number + 1])
            found.starts[place], found.ends[place] = one.starts, one.ends
        return found

    def _unchanged(self, lines: Sequence[str]) -> Flags:
        """Return which lines the normalizer leaves as they are."""
        normalizer = self.tokenizer.normalizer
        if normalizer is None:
            return np.ones(len(lines), np.bool_)
        same = (normalizer.normalize_str(line) == line for line in lines)
        return np.fromiter(same, np.bool_, len(lines))

    def _encode(
        self, lines: Sequence[str], offsets: bool
    ) -> "tuple[Sequence[str], list[Encoding]]":
        """Encode lines, having replaced lone surrogates if there are any; return the lines too."""
        encode = self.tokenizer.encode_batch if offsets else self.tokenizer.encode_batch_fast
        try:
            return lines, encode(list(lines), add_special_tokens=False)
        except TypeError:
            lines = list(map(encodable, lines))
        what = "tokenizers stops at the text"
        return lines, guarded(lambda: encode(lines, add_special_tokens=False), what)


def build(vocabulary: Vocabulary, alone: bool) -> Engine:
    """Make the tokenizer of a vocabulary ready; `alone`: for words, which are left whole."""
    text = str(vocabulary.extra[EXTRA]).encode("utf-8", "replace")
    document = working(parse(SourceFile(WHERE, text)), alone)
    document = restricted(document, vocabulary)
    tokenizer = load(document, WHERE)
    # Text that spells a special token is ordinary text.
    tokenizer.encode_special_tokens = True
    style = Style.of(document)
    count = len(vocabulary.tokens)
    ids = np.arange(count)
    unknown = -1 if vocabulary.unknown is None else vocabulary.unknown
    ids[list(vocabulary.special)] = unknown
    tokens = vocabulary.tokens
    bare = np.fromiter((not Marks.strip(token) for token in tokens), np.bool_, count)
    spaced = np.fromiter((token.startswith(" ") for token in tokens), np.bool_, count)
    single = np.zeros(count, np.bool_)
    single[list(vocabulary.bytes)] = True
    return Engine(
        tokenizer,
        ids,
        bare,
        spaced,
        single,
        _lengths(vocabulary, document),
        spans.TokenLetters.of(vocabulary, document["model"], style),
        spans.composing(document.get("normalizer")),
        Explainer(tokenizer, vocabulary, document),
    )


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
    found = merges(model)
    if not vocabulary.alphabet or len(found) == len(vocabulary.learned):
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
    smaller = {**model, "vocab": kept, "merges": found[: len(vocabulary.learned)]}
    return {**document, "model": smaller, "added_tokens": added}


def _lengths(vocabulary: Vocabulary, document: TokenizerJson) -> Ints | None:
    """Return the bytes of each token where the model writes any text in bytes, else None."""
    letters = set(map(chr, range(256)))
    if vocabulary.units != "bytes" or not letters <= vocabulary.ids.keys():
        return None
    return np.fromiter(map(len, map(vocabulary.raw, range(len(vocabulary.tokens)))), np.int64)


def _read(encodings: "Sequence[Encoding]") -> tuple[Ints, Ints]:
    """Return where the tokens of each line begin, and the library's ids."""
    row = np.zeros(len(encodings) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, encodings), np.int64, len(encodings)), out=row[1:])
    flat = chain.from_iterable(e.ids for e in encodings)
    return row, np.fromiter(flat, np.int64, int(row[-1]))
