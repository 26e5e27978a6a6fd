"""Mistakes that evaluations of tokenizers keep making: none of them happens here."""

import gzip
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from tests.pages import Key, Row, read
from tests.run_cli import tokbench_here
from tests.shipped import SHARED
from tests.tiny import installed

SYSTEMS = """
  - char
  - {learner: word, sizes: [50]}
  - utf8-bytes
  - {name: gpt2, context: both,
     learner: {use: hf, kind: gpt2, vocab: gpt2/encoder.json, merges: gpt2/vocab.bpe}}
  - {name: bert, learner: {use: hf, kind: bert-vocab, vocab: bert-base-uncased/vocab.txt}}
  - {name: honest, learner: {use: hf, kind: tokenizer-json, path: honest.json}}
  - {name: dropping, learner: {use: hf, kind: tokenizer-json, path: dropping.json}}"""
METRICS = """fertility, kept-whole-running, round-trip, unknown-characters, oov-words-running,
  tokens, outside-tokens, boundary-f1-micro, boundary-precision-micro"""

pytestmark = [pytest.mark.ci, pytest.mark.usefixtures("shared")]


def lines(language: str) -> list[str]:
    raw = gzip.decompress((SHARED / "parallel" / f"{language}.dev.gz").read_bytes())
    return raw.decode().split("\n")[:60]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of English, Korean and gold words; the tokenizer `dropping` has no unknown token."""
    folder = tmp_path_factory.mktemp("mistakes")
    for language in ("eng_Latn", "kor_Hang"):
        (folder / f"{language}.txt").write_text("\n".join(lines(language)), "utf-8")
    (folder / "gold.tsv").write_text("walked\twalk ed\ncat\tcat\nunbreakable\tun break able\n")
    (folder / "upper.tsv").write_text("WALKING\tWALK ING\nÉcoles\tÉcole s\n", "utf-8")
    for name, unknown in (("dropping", None), ("honest", "<unk>")):
        tokenizer = Tokenizer(models.BPE(unk_token=unknown))
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        special = ["[PAD]", "[CLS]", *([unknown] if unknown else [])]
        trainer = trainers.BpeTrainer(vocab_size=300, special_tokens=special, show_progress=False)
        tokenizer.train_from_iterator(lines("eng_Latn"), trainer)
        tokenizer.save(str(folder / f"{name}.json"))
    (folder / "config.yaml").write_text(
        "corpora:\n  train: eng_Latn.txt\n  test: {eng: eng_Latn.txt, kor: kor_Hang.txt}\n"
        "  gold: {parts: gold.tsv, upper: upper.tsv}\nresamples: 20\n"
        f"metrics: [{METRICS}]\nsystems: {SYSTEMS}\n"
    )
    models_ = str(SHARED / "tokenizers")
    done = tokbench_here(
        "run", "-q", "config.yaml", "-o", "out", cwd=folder, TOKBENCH_MODELS=models_
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def rows(folder: Path) -> dict[Key, Row]:
    """The rows of the run."""
    return read(folder / "out")


def test_a_tokenizer_that_drops_text_does_not_look_better(rows: dict[Key, Row]) -> None:
    """Without a token for the unknown, Hugging Face's BPE drops Korean: few tokens, all gated."""
    honest, dropping = (
        rows[Key(name, "kor", "fertility", context="in-context")] for name in ("honest", "dropping")
    )
    assert float(dropping["value"]) < 0.5 * float(honest["value"])
    for row in (honest, dropping):
        assert (row["gated"], row["p-holm"]) == ("yes", "")
    lost = rows[Key("dropping", "kor", "unknown-characters", context="in-context")]
    assert float(lost["value"]) > 0.8


def test_boundaries_come_from_offsets_not_from_token_texts(rows: dict[Key, Row]) -> None:
    """BERT's tokens are lower-case and carry ##, its boundaries are where they are in the word."""
    # `walking` is one token of BERT, `ecoles` is `ecole ##s`.
    row = rows[Key("bert", "upper", "boundary-f1-micro")]
    assert float(row["value"]) == pytest.approx(2 / 3)


def test_each_convention_is_in_the_name() -> None:
    """|V| observed or declared, running or distinct, micro or BPR: no metric leaves it open."""
    conventions = (
        "-observed", "-declared", "-running", "-distinct", "-micro", "-bpr", "-kappa", "-chance",
        "-canonical", "-surface", "-distance", "-flips",
    )  # fmt: skip
    names = [offer.name for offer in installed().offers if offer.kind == "metric"]
    for stem in ("efficiency", "kept-whole", "oov-words", "unseen-words", "boundary", "morpheme"):
        named = [name for name in names if stem in name]
        assert named
        assert all(name.endswith(conventions) for name in named)


def test_the_items_do_not_depend_on_the_tokenizer(rows: dict[Key, Row]) -> None:
    """Every system is scored on the same words, whatever it does with them."""
    for metric in ("kept-whole-running", "oov-words-running", "boundary-f1-micro"):
        for corpus in ("eng", "kor", "parts"):
            for subset in ("all", "unseen"):
                scored = [
                    row["n"] for key, row in rows.items()
                    if (key.metric, key.corpus, key.subset) == (metric, corpus, subset) and row["n"]
                ]  # fmt: skip
                assert len({*scored}) <= 1


def test_spaces_and_special_tokens(folder: Path, rows: dict[Key, Row]) -> None:
    """Tokens of spaces are counted, outside words; special tokens are never added."""
    text = lines("eng_Latn")
    library = Tokenizer.from_file(str(folder / "honest.json"))
    row = rows[Key("honest", "eng", "tokens", context="in-context")]
    assert int(row["value"]) == sum(len(library.encode(line).ids) for line in text)
    assert int(row["vocabulary-size"]) == library.get_vocab_size() - 3
    outside = rows[Key("utf8-bytes", "eng", "outside-tokens", context="in-context")]
    spaces, total = sum(line.count(" ") for line in text), len("".join(text).encode())
    assert float(outside["value"]) == pytest.approx(spaces / total)
