"""Model files made on the spot by the libraries themselves, and files that are damaged."""

import base64
import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.run_cli import tokbench, tokbench_here
from tokbench.api import Vocabulary

TRAIN = "low lower lowest\nnew newer newest\nwide wider widest\nthe cat sat on the mat\n" * 3
TEST = "the newest cat\na wide mat\nslower\n"

KINDS = {
    "tokenizer.json": "{use: hf, kind: tokenizer-json, path: FILE}",
    "vocab.txt": "{use: hf, kind: bert-vocab, vocab: FILE}",
    "encoder.json": "{use: hf, kind: gpt2, vocab: FILE, merges: vocab.bpe}",
    "vocab.bpe": "{use: hf, kind: gpt2, vocab: encoder.json, merges: FILE}",
    "my.model": "{use: sentencepiece, path: FILE}",
    "ranks.tiktoken": "{use: tiktoken, path: FILE, pattern: r50k}",
    "ours.json": "{use: vocabulary, path: FILE}",
}
"""Files that tokenizers are ready-made in, and the learner that reads each."""


@dataclass(frozen=True)
class Done:
    """Holds the exit code of a command, what it wrote, and after a run |V| of each system."""

    code: int
    out: str
    err: str
    sizes: Mapping[str, int] = field(default_factory=dict)

    @property
    def failed(self) -> dict[str, str]:
        """Return the message of each system that failed."""
        lines = (line for line in self.err.splitlines() if line.startswith("failed: system "))
        pairs = (line.removeprefix("failed: system ").partition(": ") for line in lines)
        return {name: message for name, _, message in pairs}


@dataclass(frozen=True)
class Place:
    """A folder with the training text, the test text and the ready-made tokenizers."""

    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    def write(self, name: str, content: str | bytes) -> None:
        """Write a file."""
        data = content if isinstance(content, bytes) else content.encode()
        (self.folder / name).write_bytes(data)

    def config(self, systems: str, **keys: str) -> None:
        """Write `config.yaml`."""
        settings = {
            "corpora": "{train: train.txt, test: {held-out: test.txt}}",
            "sizes": "[60]",
            "metrics": "[fertility]",
            "resamples": "20",
            **keys,
        }
        text = "".join(f"{key}: {value}\n" for key, value in settings.items() if value)
        self.write("config.yaml", f"{text}systems: {systems}\n")

    def run(self, systems: str, *arguments: str, stdin: bytes = b"", **keys: str) -> Done:
        """Write a config and run it into the folder `out`."""
        self.config(systems, **keys)
        done = self.do("run", "-o", "out", *arguments, "config.yaml", stdin=stdin)
        if done.code > 1:
            return done
        sized = ((row["system"], row["vocabulary-size"]) for row in self.results())
        sizes = {name: int(size) for name, size in sized if size}
        return replace(done, sizes=sizes)

    def check(self, systems: str, **keys: str) -> Done:
        """Write a config and check it."""
        self.config(systems, **keys)
        return self.do("check", "config.yaml")

    def results(self) -> list[dict[str, str]]:
        """Read the results of the run."""
        with (self.folder / "out" / "results.csv").open(encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def values(self, metric: str) -> dict[str, str]:
        """Return the value of a metric on all words by system."""
        rows = (row for row in self.results() if row["subset"] == "all")
        return {row["system"]: row["value"] for row in rows if row["metric"] == metric}

    def do(self, *arguments: str, stdin: bytes = b"") -> Done:
        """Call tokbench: in a process of its own where the environment matters."""
        if self.environment:
            done = tokbench(*arguments, cwd=self.folder, stdin=stdin, **self.environment)
        else:
            done = tokbench_here(*arguments, cwd=self.folder, stdin=stdin)
        assert "Traceback" not in done.stdout + done.stderr
        return Done(done.returncode, done.stdout, done.stderr)


def system(name: str, kind: str, file: str) -> str:
    """Write a system of one ready-made tokenizer."""
    return f"{{name: {name}, learner: {KINDS[kind].replace('FILE', file)}}}"


def damaged(content: bytes) -> dict[str, bytes]:
    """Return files that cannot be a model, whatever its kind."""
    return {
        "empty": b"",
        "blank": b" \n\n",
        "page": b"<!DOCTYPE html>\n<html><body>Not found</body></html>\n",
        "pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n",
        "bytes": bytes(range(255, -1, -1)) * 20,
        "zeros": b"\0" * 1000,
        "number": b"3",
        "deep": b"[" * 200_000,
        "object": b"{}",
        "utf-16": "token".encode("utf-16"),
    }


def made() -> dict[str, bytes]:
    """Train a tiny tokenizer with each library; give the files by name."""
    return {**_byte_level(), "vocab.txt": _bert(), "my.model": _sentencepiece(), **_ours()}


def _byte_level() -> dict[str, bytes]:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=280,
        show_progress=False,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator(TRAIN.splitlines(), trainer)
    text = tokenizer.to_str()
    model = json.loads(text)["model"]
    merges = "".join(f"{left} {right}\n" for left, right in model["merges"])
    ranks = [token for token in model["vocab"] if token != "<|endoftext|>"]
    spelled = (base64.b64encode(_bytes_of(token)).decode() for token in ranks)
    return {
        "tokenizer.json": text.encode(),
        "encoder.json": json.dumps(model["vocab"]).encode(),
        "vocab.bpe": f"#version: 0.2\n{merges}".encode(),
        "ranks.tiktoken": "".join(f"{t} {i}\n" for i, t in enumerate(spelled)).encode(),
    }


def _bytes_of(token: str) -> bytes:
    """Read a token in the letters in which GPT-2 writes bytes."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    letters = {chr(byte): byte for byte in plain}
    letters |= {chr(256 + n): byte for n, byte in enumerate(others)}
    return bytes(letters[letter] for letter in token)


def _bert() -> bytes:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=60, show_progress=False, special_tokens=special)
    tokenizer.train_from_iterator(TRAIN.splitlines(), trainer)
    ids = tokenizer.get_vocab()
    return "".join(f"{token}\n" for token in sorted(ids, key=ids.__getitem__)).encode()


def _sentencepiece() -> bytes:
    from sentencepiece import SentencePieceTrainer

    model = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(TRAIN.splitlines()),
        model_writer=model,
        model_type="bpe",
        vocab_size=40,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return model.getvalue()


def _ours() -> dict[str, bytes]:
    letters = sorted(set(TRAIN) - {" ", "\n"})
    vocabulary = Vocabulary.build(letters, [], segmenter={"use": "longest-match"})
    return {"ours.json": vocabulary.to_json().encode()}


TRAINED = (
    "hf-bpe", "hf-byte-bpe", "hf-wordpiece", "hf-unigram", "sentencepiece-bpe",
    "sentencepiece-unigram", "morfessor", "subword-nmt", "byte-bpe", "wordpiece", "unigram",
)  # fmt: skip
LINES = [
    f"{{name: {kind}-lines, learner: {{use: sentencepiece-{kind}, read: lines}}, context: both}}"
    for kind in ("bpe", "unigram")
]
READY = [system(f"ready{n}", kind, kind) for n, kind in enumerate(KINDS)]
ALL = f"[char, {', '.join([*TRAINED, *LINES, *READY])}]"
HF = "{name: ready, learner: {use: hf, kind: tokenizer-json, path: tokenizer.json}}"
