"""What a format cannot carry, or would give back as something else, is refused by name.

Formats share most reasons, so that each stands here once, with the format that it matters to most.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tokbench_formats.sentencepiece_vocab import MARKS

from tests.interchange.samples import LOW, bpe, byte_bpe, export
from tokbench.api import InputError, Learned, Vocabulary
from tokbench.api.text import BOW


def words(*tokens: str) -> Vocabulary:
    """Build a vocabulary of whole words."""
    return Vocabulary.build((), [Learned((t,)) for t in tokens], segmenter={"use": "word"})


def of_bytes(**fields: Any) -> Vocabulary:
    """Build a vocabulary of bytes with other fields."""
    return replace(byte_bpe(LOW, 3), **fields)


def scored(score: object) -> Vocabulary:
    """Build a Unigram vocabulary with such a score."""
    return Vocabulary(("a",), segmenter={"use": "unigram"}, extra={"scores": {"a": score}})


def marked(*tokens: str) -> Vocabulary:
    """Build a vocabulary of these tokens, with the marks of SentencePiece."""
    return Vocabulary(tokens, marks=MARKS, segmenter={"use": "bpe"})


AS_ANOTHER = "it would be read back as another"
REFUSED: list[tuple[str, Callable[[], Vocabulary], str]] = [
    # Marks
    (
        "bert-vocab",
        lambda: bpe(LOW, 2, eow="absent"),
        "cannot carry the mark continuation: absent; it can carry continuation: {kind: fused, "
        "text: '##'}",
    ),
    (
        "hf",
        lambda: bpe(LOW, 2, eow={"kind": "separate", "text": "_"}),
        "cannot carry the mark eow: {kind: separate, text: '_'}; it can carry eow: absent or fused",
    ),
    (
        "hf",
        lambda: bpe(LOW, 2, bow={"kind": "separate", "text": "::"}, eow="absent"),
        "writes one character before a word, not '::'",
    ),
    (
        "subword-nmt",
        lambda: bpe(LOW, 2, eow={"kind": "fused", "text": "_"}),
        "cannot carry the mark eow: {kind: fused, text: '_'}; it can carry eow: {kind: separate, "
        "text: '</w>'} or {kind: fused, text: '</w>'}",
    ),
    # Tokens
    ("bert-vocab", lambda: words("a\n"), "cannot carry the token 'a\\n': '\\n' has a meaning of"),
    ("bert-vocab", lambda: words("##a"), f"cannot carry the token '##a': {AS_ANOTHER}"),
    ("bert-vocab", lambda: words("[CLS]"), "cannot carry the token '[CLS]': there it is special"),
    ("bert-vocab", lambda: words("[UNK]"), "needs '[UNK]' for what is unknown, and it is a "),
    (
        "bert-vocab",
        lambda: Vocabulary(("<s>", "[UNK]"), special=(0,), unknown=1, segmenter={"use": "word"}),
        "cannot carry the token '<s>': there it is an ordinary token",
    ),
    (
        "bert-vocab",
        lambda: Vocabulary(("<unk>",), unknown=0, segmenter={"use": "word"}),
        "calls the unknown token [UNK]; this vocabulary's is '<unk>'",
    ),
    (
        "hf",
        lambda: replace(bpe(LOW, 2), tokens=("</w>",), learned=()),
        f"cannot carry the token '</w>': {AS_ANOTHER} token",
    ),
    ("hf", lambda: marked(BOW + "x", " x"), f"cannot carry the token ' x': {AS_ANOTHER} token"),
    (
        "hf",
        lambda: bpe({"a\ud800": 1}, 1),
        "cannot carry the token '\\ud800': a lone surrogate has no UTF-8",
    ),
    (
        "hf",
        lambda: Vocabulary.build(["<unk>"], (), segmenter={"use": "bpe"}),
        "needs '<unk>' for what is unknown, and it is a learned token",
    ),
    ("sentencepiece-vocab", lambda: words("<s>"), f"cannot carry the token '<s>': {AS_ANOTHER}"),
    (
        "sentencepiece-vocab",
        lambda: Vocabulary(("[CLS]",), special=(0,), segmenter={"use": "word"}),
        f"cannot carry the token '[CLS]': {AS_ANOTHER}",
    ),
    ("subword-nmt", lambda: bpe({"a b": 1}, 1), "cannot carry the token ' ': ' ' has a meaning"),
    (
        "gpt2",
        lambda: of_bytes(tokens=(*byte_bpe(LOW, 3).tokens, "Ġ"), special=(259,)),
        "cannot carry a special token that is spelled as another token",
    ),
    (
        "word-splits",
        lambda: Vocabulary.build(["a b"], ()),
        "cannot carry the token 'a b': ' ' has a ",
    ),
    # Scores, bytes, merges, and how text is cut
    ("hf", lambda: scored("x"), ": the score of 'a' is 'x', expected a number"),
    ("sentencepiece-vocab", lambda: scored(float("nan")), ": the score of 'a' is nan, expected a"),
    (
        "word-splits",
        lambda: byte_bpe(LOW, 1),
        "carries tokens of characters, and this vocabulary's are bytes: export it to gpt2, "
        "tiktoken or hf",
    ),
    (
        "tiktoken",
        lambda: bpe(LOW, 3),
        "carries tokens of bytes, and this vocabulary's are characters: learn it with a byte-level "
        "learner, or export it to another format",
    ),
    (
        "tiktoken",
        lambda: of_bytes(tokens=byte_bpe(LOW, 3).tokens[1:], alphabet=()),
        "fails on a byte that is no token: 0x00",
    ),
    (
        "tiktoken",
        lambda: of_bytes(tokens=byte_bpe(LOW, 3).tokens[::-1]),
        "merges in the order of ids, and this vocabulary in another",
    ),
    (
        "gpt2",
        lambda: of_bytes(tokens=byte_bpe(LOW, 0).tokens, learned=(Learned(("st", "a")),)),
        "cannot carry a merge of 'st', which is no token",
    ),
    (
        "hf",
        lambda: Vocabulary.build("ab", [Learned(("ab",))], segmenter={"use": "bpe"}),
        "carries merges of two parts, not ['ab']",
    ),
    (
        "word-splits",
        lambda: Vocabulary(("a", "b", "ab"), ("a", "b")),
        "cannot carry 'ab', which no merge builds",
    ),
    (
        "gpt2",
        lambda: of_bytes(segmenter={"use": "byte-bpe", "split": "cl100k"}),
        "cannot carry the split 'cl100k': whoever reads the files splits lines by 'gpt2'",
    ),
    (
        "hf",
        lambda: replace(bpe(LOW, 2), segmenter={"use": "longest-match"}),
        "carries vocabularies of the segmenter bpe or byte-bpe or char or wordpiece or unigram or "
        "word; this one is cut by the segmenter 'longest-match'",
    ),
    (
        "subword-nmt",
        lambda: replace(bpe(LOW, 2), segmenter={}),
        "carries vocabularies of the segmenter bpe or subword-nmt; this one names no segmenter",
    ),
]


@pytest.mark.parametrize(("form", "make", "message"), REFUSED)
def test_what_a_format_cannot_carry_is_refused(
    form: str, make: Callable[[], Vocabulary], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        export(make(), form)
    assert str(caught.value).startswith(form)
    assert message in str(caught.value)
