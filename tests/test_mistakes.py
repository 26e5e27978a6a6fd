"""Mistakes that evaluations of tokenizers keep making: none of them happens here."""

import csv
import gzip
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from . import pages
from .conftest import SHARED
from .pages import Key
from .run_cli import tokbench_here as tokbench

GPT2 = "{use: hf, kind: gpt2, vocab: gpt2/encoder.json, merges: gpt2/vocab.bpe}"
LINES = 200

pytestmark = pytest.mark.usefixtures("shared")


def lines(language: str) -> str:
    raw = gzip.decompress((SHARED / "parallel" / f"{language}.dev.gz").read_bytes())
    return "".join(f"{line}\n" for line in raw.decode().split("\n")[:LINES])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with English and Korean, gold words, and tokenizers with and without an unknown."""
    made = tmp_path_factory.mktemp("mistakes")
    for language in ("eng_Latn", "kor_Hang"):
        (made / f"{language}.txt").write_text(lines(language), "utf-8")
    (made / "gold.tsv").write_text("walked\twalk ed\ncat\tcat\nunbreakable\tun break able\n")
    for name, unknown in (("dropping", None), ("honest", "<unk>")):
        tokenizer = Tokenizer(models.BPE(unk_token=unknown))
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        special = ["[PAD]", "[CLS]", *([unknown] if unknown else [])]
        trainer = trainers.BpeTrainer(vocab_size=600, special_tokens=special, show_progress=False)
        tokenizer.train_from_iterator(lines("eng_Latn").split("\n"), trainer)
        tokenizer.save(str(made / f"{name}.json"))
    return made


def scored(folder: Path, systems: str, metrics: str, *, more: str = "") -> dict[Key, pages.Row]:
    config = folder / "config.yaml"
    config.write_text(
        "corpora:\n  train: eng_Latn.txt\n  test: {eng: eng_Latn.txt, kor: kor_Hang.txt}\n"
        f"  gold: {{parts: gold.tsv}}\nsystems: {systems}\nmetrics: {metrics}\n"
        f"resamples: 100\n{more}",
        encoding="utf-8",
    )
    models_ = str(SHARED / "tokenizers")
    done = tokbench("run", "-q", config, "-o", folder / "out", TOKBENCH_MODELS=models_)
    assert done.returncode == 0, done.stderr
    return pages.read(folder / "out")


def test_words_alone_and_words_in_context_are_told_apart(folder: Path) -> None:
    """The same tokenizer and text: other numbers, each row says how its words were cut."""
    systems = f"[{{name: gpt2, learner: {GPT2}, context: both}}]"
    found = scored(folder, systems, "[fertility, kept-whole-running]")
    for metric, sign in (("fertility", 1), ("kept-whole-running", -1)):
        alone, within = (
            float(found[Key("gpt2", "eng", metric, context=context)]["value"])
            for context in ("isolated", "in-context")
        )
        assert sign * (alone - within) > 0.1


def test_a_tokenizer_that_drops_text_does_not_look_better(folder: Path) -> None:
    """Without a token for the unknown, Hugging Face's BPE drops Korean: few tokens, all gated."""
    systems = ", ".join(
        f"{{name: {name}, learner: {{use: hf, kind: tokenizer-json, path: {name}.json}}}}"
        for name in ("honest", "dropping")
    )
    metrics = "[fertility, round-trip, unknown-characters, oov-words-running]"
    found = scored(folder, f"[{systems}]", metrics)
    fertility = {
        name: found[Key(name, "kor", "fertility", context="in-context")]
        for name in ("honest", "dropping")
    }
    assert float(fertility["dropping"]["value"]) < 0.5 * float(fertility["honest"]["value"])
    for row in fertility.values():
        assert (row["gated"], row["p-holm"]) == ("yes", "")
    lost = found[Key("dropping", "kor", "unknown-characters", context="in-context")]
    assert float(lost["value"]) > 0.8


def test_boundaries_come_from_offsets_not_from_token_texts(folder: Path) -> None:
    """BERT's tokens are lower-case and carry ##, its boundaries are where they are in the word."""
    (folder / "Gold.tsv").write_text("WALKING\tWALK ING\nÉcoles\tÉcole s\n", "utf-8")
    bert = "{use: hf, kind: bert-vocab, vocab: bert-base-uncased/vocab.txt}"
    found = scored(folder, f"[{{name: bert, learner: {bert}}}]", "[boundary-f1-micro]")
    assert found[Key("bert", "parts", "boundary-f1-micro")]["status"] == "ok"
    config = (folder / "config.yaml").read_text("utf-8").replace("gold.tsv", "Gold.tsv")
    (folder / "config.yaml").write_text(config, "utf-8")
    done = tokbench(
        "run", "-q", folder / "config.yaml", "-o", folder / "out",
        TOKBENCH_MODELS=str(SHARED / "tokenizers"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # `walking` is one token of BERT, `ecoles` is `ecole ##s`.
    row = pages.read(folder / "out")[Key("bert", "parts", "boundary-f1-micro")]
    assert float(row["value"]) == pytest.approx(2 / 3)


def test_each_convention_is_in_the_name(folder: Path) -> None:
    """|V| observed or declared, running or distinct, micro or BPR: no metric leaves it open."""
    found = scored(folder, "[char]", "all")
    names = {key.metric for key in found}
    for stem in ("efficiency", "kept-whole", "oov-words", "unseen-words", "boundary", "morpheme"):
        conventions = (
            "-observed", "-declared", "-running", "-distinct", "-micro", "-bpr", "-kappa",
            "-chance", "-canonical", "-surface", "-distance",
        )  # fmt: skip
        assert all(name.endswith(conventions) for name in names if stem in name)


def test_what_was_not_measured_is_empty_not_zero(folder: Path) -> None:
    systems = "[{learner: word, sizes: [50]}]"
    found = scored(folder, systems, "[boundary-precision-micro, exact-match]")
    row = found[Key("word", "parts", "boundary-precision-micro", "50")]
    assert (row["status"], row["value"], row["low"], row["difference"]) == ("undefined", "", "", "")


def test_texts_that_are_not_parallel_have_no_parity(folder: Path) -> None:
    (folder / "kor_Hang.txt").write_text(lines("kor_Hang").split("\n", 1)[1], "utf-8")
    systems = f"[{{name: gpt2, learner: {GPT2}}}]"
    config = "[{use: parity, reference: eng}]"
    with pytest.raises(AssertionError, match="not parallel: "):
        scored(folder, systems, config)
    (folder / "kor_Hang.txt").write_text(lines("kor_Hang"), "utf-8")


def test_the_items_do_not_depend_on_the_tokenizer(folder: Path) -> None:
    """Every system is scored on the same words, whatever it does with them."""
    systems = f"[char, {{learner: word, sizes: [50]}}, {{name: gpt2, learner: {GPT2}}}]"
    found = scored(folder, systems, "[kept-whole-running, oov-words-running, boundary-f1-micro]")
    for corpus in ("eng", "kor", "parts"):
        for subset in ("all", "unseen"):
            items = {
                (key.metric, row["n"])
                for key, row in found.items()
                if (key.corpus, key.subset) == (corpus, subset) and row["n"]
            }
            assert len(items) == len(dict(items)), "one n for each metric"


def test_spaces_and_special_tokens(folder: Path) -> None:
    """Tokens of spaces are counted, outside words; special tokens are never added."""
    honest = "{name: honest, learner: {use: hf, kind: tokenizer-json, path: honest.json}}"
    systems = f"[utf8-bytes, {honest}]"
    found = scored(folder, systems, "[tokens, outside-tokens, vocabulary-use]")
    library = Tokenizer.from_file(str(folder / "honest.json"))
    expected = sum(len(library.encode(line).ids) for line in lines("eng_Latn").split("\n") if line)
    row = found[Key("honest", "eng", "tokens", context="in-context")]
    assert int(row["value"]) == expected
    with (folder / "out" / "results.csv").open(encoding="utf-8", newline="") as file:
        sizes = {r["system"]: int(r["vocabulary-size"]) for r in csv.DictReader(file)}
    assert sizes["honest"] == library.get_vocab_size() - 3
    spaces = sum(line.count(" ") for line in lines("eng_Latn").split("\n"))
    total = len(lines("eng_Latn").replace("\n", "").encode())
    outside = found[Key("utf8-bytes", "eng", "outside-tokens", context="in-context")]
    assert float(outside["value"]) == pytest.approx(spaces / total)


def test_nothing_is_ranked_overall(folder: Path) -> None:
    """Numbers can be gamed, and fewer tokens are not better: each metric says what is known."""
    scored(folder, "[char]", "all")
    text = (folder / "out" / "metrics.md").read_text("utf-8")
    assert "There is no overall rank" in text
    assert text.count("\nEvidence: ") > 20
    assert "Cognetta et al. 2024" in text
    assert "Schmidt et al. 2024" in text
