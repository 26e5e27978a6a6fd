"""Detect the format of a file, so that a wrong one is named instead of misread."""

import json
import re
from dataclasses import dataclass
from typing import Any

HEAD = 1 << 16
"""Bytes from the beginning of a file that are looked at."""
ENOUGH = 20
"""Merges after which one without a mark at the end of a word is taken for GPT-2's."""
SENTENCEPIECE = b"\n\x05<unk>"
PACKED = (b"\x1f\x8b", b"PK\x03\x04")
POINTER = b"version https://git-lfs"
PAGE = re.compile(rb"\s*<(!doctype )?html", re.IGNORECASE)
OURS = "a vocabulary of tokbench"
JSON = re.compile(r'\{\s*"')
RANK = re.compile(r"(?:[\w+/]{4})*(?:[\w+/]{2}==|[\w+/]{3}=)? \d+", re.ASCII)
PIECE = re.compile(r"[^\t]+\t-?\d+(\.\d+)?([eE][+-]?\d+)?")
SPACE = re.compile(r"\s")


@dataclass(frozen=True)
class DetectedFormat:
    """The formats that a file may be of, in words, and what to do with it."""

    what: str
    hint: str
    formats: tuple[str, ...] = ()

    @property
    def foreign(self) -> bool:
        """Whether it is no file of tokbench itself."""
        return self.what != OURS


def detect_format(data: bytes) -> DetectedFormat | None:
    """Detect a file's format by its content; None if it looks like none that is known."""
    head = data[:HEAD]
    if SENTENCEPIECE in head[:64]:
        return DetectedFormat(
            "a binary model of SentencePiece", "the learner `sentencepiece` reads it"
        )
    if head.startswith(PACKED):
        return DetectedFormat("a packed file", "unpack it first")
    if head.startswith(POINTER):
        return DetectedFormat(
            "a pointer of Git LFS", "fetch the file that it stands for (git lfs pull)"
        )
    if PAGE.match(head):
        return DetectedFormat("a web page", "download the file itself")
    text = head.decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    if JSON.match(text):
        return _json(data)
    if text.startswith("==== "):
        return _format("word-splits", "word splits")
    return _lines(text.replace("\r\n", "\n").split("\n"))


def _lines(lines: list[str]) -> DetectedFormat | None:
    # The last line of the head may be cut, or empty.
    some = lines[:50] if len(lines) > 50 else [line for line in lines if line]
    if not some:
        return None
    if some[0].startswith("#version:"):
        table = "".join(lines)
        # In so many merges of subword-nmt one would end a word.
        if "Ġ" in table and "</w>" not in table and len(lines) > ENOUGH:
            return _format("gpt2", "the merges of GPT-2 (vocab.bpe, merges.txt)")
        return DetectedFormat(
            "the merges of subword-nmt", "import it --from subword-nmt", ("subword-nmt", "gpt2")
        )
    if all(RANK.fullmatch(line) for line in some):
        return _format("tiktoken", "ranks of tiktoken")
    if all(PIECE.fullmatch(line) for line in some):
        return _format("sentencepiece-vocab", "pieces and scores of SentencePiece")
    if "[UNK]" in lines and not any(map(SPACE.search, lines)):
        return _format("bert-vocab", "the vocab.txt of BERT")
    return None


def _json(data: bytes) -> DetectedFormat | None:
    try:
        document: Any = json.loads(data)
    except (ValueError, RecursionError):
        return DetectedFormat("damaged JSON", "look whether it is whole", ("hf", "gpt2"))
    if isinstance(document.get("model"), dict):
        return _format("hf", "a tokenizer.json")
    if "format" in document and "tokens" in document:
        return DetectedFormat(OURS, "it needs no import")
    if document and all(type(i) is int for i in document.values()):
        return DetectedFormat(
            "a table of token: id",
            "import it with its merges --from gpt2",
            ("gpt2",),
        )
    return None


def _format(name: str, what: str) -> DetectedFormat:
    return DetectedFormat(what, f"import it --from {name}", (name,))
