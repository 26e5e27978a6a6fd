"""docs/replications/pretrained.md shows what its config gives; FLORES with the same tokenizers."""

import csv
import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from . import pages
from .conftest import ROOT
from .pages import Key
from .run_cli import tokbench_here as tokbench
from .shipped import ShippedRun
from .test_flores import LANGUAGES

CONFIG = ROOT / "configs" / "pretrained.yaml"
SYSTEMS = ("gpt2", "bert", "cl100k", "xlnet", "mistral")
TEXTS = ("english", "korean", "mixed")
FILES = {
    "gpt2/encoder.json", "gpt2/vocab.bpe", "bert-base-uncased/vocab.txt",
    "tiktoken/cl100k_base.tiktoken", "xlnet-sp-unigram/spiece.model",
    "mistral-sp-bpe/tokenizer.model.v1",
}  # fmt: skip


@pytest.fixture(scope="module")
def models(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder laid out as $TOKBENCH_MODELS, which holds links to the files of the page."""
    folder = tmp_path_factory.mktemp("models")
    for name in sorted(FILES):
        path = shared / "tokenizers" / name
        if not path.is_file():
            pytest.skip(f"{path} is not there")
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).symlink_to(path)
    return folder


@pytest.fixture(scope="module")
def page() -> str:
    return (ROOT / "docs" / "replications" / "pretrained.md").read_text("utf-8")


@pytest.fixture(scope="module")
def folder(models: Path, shipped_run: ShippedRun) -> Path:
    """The run folder of the shipped config."""
    return shipped_run("pretrained")


@pytest.mark.ci
def test_the_page_names_the_files(page: str, models: Path) -> None:
    rows = re.findall(r"^\| `([^`]+)` \| ([\d,]+) \| .* \| `([0-9a-f]{16})…` \|$", page, re.M)
    assert {name for name, *_ in rows} == FILES
    for name, size, digest in rows:
        raw = (models / name).read_bytes()
        assert (f"{len(raw):,}", hashlib.sha256(raw).hexdigest()[:16]) == (size, digest)


@pytest.mark.ci
def test_the_page_shows_the_sizes(page: str, folder: Path) -> None:
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        sizes = {row["system"]: row["vocabulary-size"] for row in csv.DictReader(file)}
    for system in SYSTEMS:
        text = (folder / "data/vocabularies" / f"{system}.json").read_text("utf-8")
        declared = json.loads(text)["declared"]
        assert f"| `{system}` | {int(sizes[system]):,} | {declared:,} |" in page


@pytest.mark.ci
def test_the_page_shows_the_figures_of_the_config(page: str, folder: Path) -> None:
    missing = [row for row in shown(pages.read(folder)) if row not in page]
    assert missing == []


def shown(results: dict[Key, pages.Row]) -> Iterator[str]:
    """Return the rows of the page's tables on the shipped texts."""
    for system in SYSTEMS:
        yield pages.line(f"`{system}`", *coverage(results, system))
        yield pages.line(f"`{system}`", *contexts(results, system))
        yield pages.line(f"`{system}`", *costs(results, system))


def in_context(results: dict[Key, pages.Row], system: str, text: str, metric: str) -> pages.Row:
    return results[Key(system, text, metric, context="in-context")]


def coverage(results: dict[Key, pages.Row], system: str) -> Iterator[str]:
    """Return the cells on what is unknown, lost, outside and shared, each of all texts."""
    for metric in ("oov-words-running", "round-trip", "outside-tokens", "shared-tokens"):
        rows = (in_context(results, system, text, metric) for text in TEXTS)
        yield " · ".join(pages.percent(row).removesuffix(" %") for row in rows)


def contexts(results: dict[Key, pages.Row], system: str) -> Iterator[str]:
    """Return the cells that compare English words in context with words alone."""
    within = in_context(results, system, "english", "fertility")
    alone = results[Key(system, "english", "fertility")]
    yield f"{float(within['value']):.3f}"
    yield f"{float(alone['value']):.3f}"
    yield pages.difference(alone)
    yield pages.percent(in_context(results, system, "english", "kept-whole-running"))
    yield pages.percent(results[Key(system, "english", "kept-whole-running")])


def costs(results: dict[Key, pages.Row], system: str) -> Iterator[str]:
    """Return the cells with tokens and parity."""
    for text in TEXTS:
        yield f"{int(in_context(results, system, text, 'tokens')['value']):,}"
    for text in TEXTS[1:]:
        yield pages.interval(in_context(results, system, text, "parity(reference=english)"))


def flores_config() -> str:
    """Return a config of the page's tokenizers on the twelve languages."""
    systems = yaml.safe_load(CONFIG.read_text("utf-8"))["systems"]
    config = {
        "corpora": {
            "train": str(ROOT / "corpora" / "english.train.txt"),
            "test": {language: f"{language}.txt" for language in LANGUAGES},
        },
        "systems": [{key: system[key] for key in ("name", "learner")} for system in systems],
        "metrics": ["oov-words-running", {"use": "parity", "reference": "eng_Latn"}],
        "baseline": "gpt2",
    }
    return yaml.safe_dump(config)


@pytest.mark.nightly
def test_the_page_shows_parity_on_flores(
    page: str, models: Path, shared: Path, tmp_path: Path
) -> None:
    for language in LANGUAGES:
        packed = shared / "parallel" / f"{language}.dev.gz"
        if not packed.is_file():
            pytest.skip(f"{packed} is not there")
        (tmp_path / f"{language}.txt").write_bytes(gzip.decompress(packed.read_bytes()))
    (tmp_path / "flores.yaml").write_text(flores_config(), encoding="utf-8")
    out = tmp_path / "out"
    done = tokbench("run", "-q", tmp_path / "flores.yaml", "-o", out, TOKBENCH_MODELS=str(models))
    assert done.returncode == 0, done.stderr
    missing = [row for row in parities(pages.read(out)) if row not in page]
    assert missing == []


def parities(results: dict[Key, pages.Row]) -> Iterator[str]:
    """Return the rows of the page's table of FLORES; in brackets where much is unknown."""
    for language in LANGUAGES:
        if language != "eng_Latn":
            cells = (parity(results, system, language) for system in SYSTEMS)
            yield pages.line(f"`{language}`", *cells)


def parity(results: dict[Key, pages.Row], system: str, language: str) -> str:
    row = in_context(results, system, language, "parity(reference=eng_Latn)")
    low, high = (float(row[key]) for key in ("low", "high"))
    value = f"{float(row['value']):.2f} ({low:.2f}–{high:.2f})"
    oov = in_context(results, system, language, "oov-words-running")
    return f"[{value}]" if float(oov["value"]) > 0.01 else value


@pytest.mark.ci
def test_the_page_shows_how_numbers_are_cut(page: str, folder: Path, tmp_path: Path) -> None:
    section = page.partition("## Numbers\n")[2].partition("\n## ")[0]
    shown = [line for line in section.split("\n") if line.startswith("|")]
    assert len(shown) == 2 + len(SYSTEMS)
    assert set(shown) <= {*(folder / "data/metrics.md").read_text("utf-8").split("\n")}
    vocabulary = folder / "data/vocabularies" / "gpt2.json"
    (tmp_path / "numbers.txt").write_text("1001\n1002\n", "utf-8")
    done = tokbench("segment", vocabulary, tmp_path / "numbers.txt")
    assert done.stdout == "1001\n100 2\n"


@pytest.mark.ci
def test_numbers_are_cut_as_published(folder: Path) -> None:
    """Singh and Strouse (2024, arXiv 2402.14903): cl100k cuts threes from the left; GPT-2 has no
    rule. Mistral, like Llama, splits all numbers into digits (Jiang et al. 2023 use its tokenizer).
    """
    with (folder / "data/numbers.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["digits"] in "3456"]
    cuts: dict[str, list[str]] = {}
    for row in rows:
        exact = row["commonest-share"] == "1"
        cuts.setdefault(row["system"], []).append(row["commonest"] if exact else "several")
    assert cuts["cl100k"] == ["3", "3+1", "3+2", "3+3"]
    assert cuts["mistral"] == ["+".join("1" * digits) for digits in (3, 4, 5, 6)]
    assert cuts["gpt2"] == ["several"] * 4
