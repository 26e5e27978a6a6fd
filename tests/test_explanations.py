"""Each segmenter explains words by steps that end in the tokens that it gives them."""

import gzip
import json
import re
from itertools import islice
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.run_cli import tokbench_here as tokbench
from tokbench.plugins import load

LEARNED = ("bpe", "byte-bpe", "char", "duplicated", "hf-bpe", "hf-byte-bpe", "hf-unigram",
           "hf-wordpiece", "random-cuts", "sentencepiece-bpe", "sentencepiece-unigram",
           "subword-nmt", "unigram", "word", "wordpiece")  # fmt: skip
"""Learners of the vocabularies that are cut by their own segmenters."""

OTHERS = ("bpe-learned-order", "longest-match", "fewest-tokens", "{use: wordpiece}")
"""Segmenters of the vocabulary that `bpe` learns."""

OF_BYTES = "byte-bpe"
"""A segmenter of whole lines; with the vocabulary of the learner `byte-bpe` it merges."""

NAMED = ("gpt2", "bert-base-uncased", "cl100k", "utf8-bytes", "code-points")

pytestmark = pytest.mark.ci


@pytest.fixture(scope="module")
def words(shared: Path) -> list[str]:
    """Sixty texts: naughty strings, Korean, Hindi, and English with its punctuation.

    The naughty strings hold white space beyond ASCII, control characters, and what joins letters.
    """
    naughty: list[str] = json.loads((shared / "oov" / "blns.json").read_text("utf-8"))
    single = [text for text in naughty if text.strip() and len(text) <= 200 and text.isprintable()]
    odd = [
        "a\u00a0b",
        "a\u2028b",
        "x\x85y",
        "a\x1cb\x1f",
        "don't",
        "a\u200bb",
        "low\ufeff",
        "\x1b[m",
    ]
    texts = [*odd, *single[::40]]
    for name, many in (("kor_Hang", 10), ("hin_Deva", 10), ("eng_Latn", 50)):
        text = gzip.decompress((shared / "parallel" / f"{name}.dev.gz").read_bytes()).decode()
        texts += text.split()[:many]
    texts = [*islice(dict.fromkeys(text for text in texts if text[0] not in "-\ufeff"), 60)]
    assert len(texts) == 60
    return texts


def ends_in_its_tokens(vocabulary: str, words: list[str], *options: str) -> None:
    done = tokbench("explain", vocabulary, *words, "--format", "json", *options)
    assert done.returncode == 0, done.stderr
    text = "".join(f"{word}\n" for word in words).encode()
    ids = tokbench("segment", vocabulary, "--ids", *options, stdin=text)
    assert ids.returncode == 0, ids.stderr
    explanations = json.loads(done.stdout)
    assert [explanation["word"] for explanation in explanations] == words
    for explanation, line in zip(explanations, ids.stdout.splitlines(), strict=True):
        tokens = [token for token in explanation["tokens"] if token["token"] != "(dropped)"]
        explained = [-1 if token["id"] is None else token["id"] for token in tokens]
        assert explained == [int(i) for i in line.split()], explanation["word"]
        assert explanation["decisions"], explanation["word"]
        covered = b"".join(bytes.fromhex(t["bytes"]) for t in explanation["tokens"]).decode()
        pieces = explanation["decisions"][0]["title"] == "pieces"
        candidates = explanation["decisions"][0]["candidates"] if pieces else []
        assert covered == (
            "".join(c["text"] for c in candidates) if pieces else explanation["word"]
        )


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


@pytest.mark.parametrize(
    "learner", [*LEARNED, pytest.param("morfessor", marks=pytest.mark.nightly)]
)
def test_with_a_learned_vocabulary(learner: str, folder: Path, words: list[str]) -> None:
    ends_in_its_tokens(learned(folder, learner), words)


@pytest.mark.parametrize("segmenter", OTHERS)
def test_with_the_vocabulary_of_bpe(segmenter: str, folder: Path, words: list[str]) -> None:
    ends_in_its_tokens(learned(folder, "bpe"), words, "--segmenter", segmenter)


def test_of_a_segmenter_of_bytes(folder: Path, words: list[str]) -> None:
    vocabulary = learned(folder, "byte-bpe")
    assert json.loads(Path(vocabulary).read_text("utf-8"))["learned"]
    ends_in_its_tokens(vocabulary, words, "--segmenter", OF_BYTES)


def test_of_segmentations_in_a_file(folder: Path, words: list[str]) -> None:
    """The file lacks each third word."""
    pairs = [
        (word, f"{word[:1]} {word[1:]}".strip()) for word in words if not re.search(r"\s", word)
    ]
    kept = [pair for i, pair in enumerate(pairs) if i % 3]
    (folder / "cuts.tsv").write_text("".join(f"{word}\t{cut}\n" for word, cut in kept), "utf-8")
    done = tokbench("learn", "--learner", "segmentations", "-O", f"path={folder / 'cuts.tsv'}")
    assert done.returncode == 0, done.stderr
    (folder / "segmentations.json").write_text(done.stdout, "utf-8")
    ends_in_its_tokens(str(folder / "segmentations.json"), words)


def test_every_segmenter_on_offer_is_explained_here(
    folder: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new one needs a place in one of the lists."""
    monkeypatch.setenv("TOKBENCH_MODELS", str(shared / "tokenizers"))
    vocabularies = [Path(learned(folder, learner)).read_text("utf-8") for learner in LEARNED]
    vocabularies += [tokbench("learn", "--learner", name).stdout for name in NAMED]
    own = {json.loads(vocabulary)["segmenter"]["use"] for vocabulary in vocabularies}
    others = {learner.removeprefix("{use: ").removesuffix("}") for learner in OTHERS}
    assert own | others | {OF_BYTES, "segmentations", "morfessor"} == {*load().names("segmenter")}


@pytest.mark.parametrize("name", NAMED)
def test_of_a_ready_made_tokenizer(
    name: str, shared: Path, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKBENCH_MODELS", str(shared / "tokenizers"))
    ends_in_its_tokens(name, words)
