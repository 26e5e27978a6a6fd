"""Each segmenter explains words by steps that end in the tokens that it gives them."""

import json
import re
from itertools import islice
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.run_cli import tokbench_here as tokbench

LEARNED = ("bpe", "byte-bpe", "char", "hf-bpe", "hf-unigram", "hf-wordpiece", "morfessor",
           "sentencepiece-bpe", "sentencepiece-unigram", "subword-nmt", "unigram", "word",
           "wordpiece")  # fmt: skip
"""Learners of the vocabularies that are cut by their own segmenters."""

OTHERS = ("bpe-learned-order", "longest-match", "fewest-tokens", "{use: wordpiece}")
"""Segmenters of the vocabulary that `bpe` learns."""

NAMED = ("gpt2", "bert-base-uncased", "cl100k", "utf8-bytes", "code-points")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def words() -> list[str]:
    """Two thousand words: English, Korean, numbers, and many that are in no training text."""
    names = ("english.test.txt", "korean.test.txt", "parallel.mixed.txt", "korean.train.txt")
    text = "\n".join((ROOT / "corpora" / name).read_text("utf-8") for name in names)
    found = [*islice(dict.fromkeys(re.findall(r"\w+", text)), 2000)]
    assert len(found) == 2000
    return found


def ends_in_its_tokens(vocabulary: str, words: list[str], *options: str) -> None:
    done = tokbench("explain", vocabulary, *words, "--format", "json", *options)
    assert done.returncode == 0, done.stderr
    text = "".join(f"{word}\n" for word in words).encode()
    ids = tokbench("segment", vocabulary, "--ids", *options, stdin=text)
    assert ids.returncode == 0, ids.stderr
    found = json.loads(done.stdout)
    assert [one["word"] for one in found] == words
    for one, line in zip(found, ids.stdout.splitlines(), strict=True):
        explained = [-1 if token["id"] is None else token["id"] for token in one["tokens"]]
        assert explained == [int(i) for i in line.split()], one["word"]
        assert one["decisions"], one["word"]
        assert b"".join(bytes.fromhex(t["bytes"]) for t in one["tokens"]).decode() == one["word"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("vocabularies")


def learned(folder: Path, learner: str) -> str:
    path = folder / f"{learner}.json"
    if not path.exists():
        corpora = [ROOT / "corpora" / f"{name}.train.txt" for name in ("english", "korean")]
        size = () if learner == "char" else ("--size", "4000")
        done = tokbench("learn", *corpora, "--learner", learner, *size)
        assert done.returncode == 0, done.stderr
        path.write_text(done.stdout, "utf-8")
    return str(path)


@pytest.mark.parametrize("learner", LEARNED)
def test_with_a_learned_vocabulary(learner: str, folder: Path, words: list[str]) -> None:
    ends_in_its_tokens(learned(folder, learner), words)


@pytest.mark.parametrize("segmenter", OTHERS)
def test_with_the_vocabulary_of_bpe(segmenter: str, folder: Path, words: list[str]) -> None:
    ends_in_its_tokens(learned(folder, "bpe"), words, "--segmenter", segmenter)


@pytest.mark.parametrize("name", NAMED)
def test_of_a_ready_made_tokenizer(
    name: str, shared: Path, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKBENCH_MODELS", str(shared / "tokenizers"))
    ends_in_its_tokens(name, words)
