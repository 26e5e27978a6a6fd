"""docs/replications/field.md shows what its config gives: learners of the field on one text."""

import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from . import pages
from .conftest import ROOT
from .pages import Key
from .recomputed import agrees_with_csv_files
from .run_cli import tokbench_here as tokbench

CORPORA = {
    "pg100_2018-06-14.txt.gz": "shakespeare/pg100_2018-06-14.txt.gz",
    "dickens_pg.txt.gz": "english/dickens_pg.txt.gz",
}
VERSIONS = {"tokenizers": "0.23.3", "sentencepiece": "0.2.3", "morfessor": "2.0.6"}
LEARNED = (
    "bpe", "byte-bpe", "sentencepiece-bpe", "unigram", "sentencepiece-unigram", "wordpiece",
)  # fmt: skip
LONG = ("morfessor", "wordpiece-5", "segmenter: longest-match, sizes", "fewest-tokens, sizes")
"""Lines of the config that are left out here: most of its minutes go by in them."""

SIZES = ("500", "1000", "2500", "5000", "10000", "20000")
CUT = ("1000", "5000", "20000")
CUTS = {
    f"{learner}{cut}": (learner, shown)
    for learner in ("bpe",)
    for cut, shown in (("", learner), ("+longest-match", "longest-match"),
                       ("+fewest-tokens", "fewest-tokens"))
}  # fmt: skip
TEXT, GOLD = "oliver-twist", "english"
F1 = "boundary-f1-micro"

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def page() -> str:
    return (ROOT / "docs" / "replications" / "field.md").read_text("utf-8")


@pytest.fixture(scope="module")
def folder(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the shipped config."""
    for package, expected in VERSIONS.items():
        if version(package) != expected:
            pytest.skip(f"the page's figures are those of {package} {expected}")
    corpora = tmp_path_factory.mktemp("corpora")
    for name, path in CORPORA.items():
        if not (shared / path).is_file():
            pytest.skip(f"{shared / path} is not there")
        (corpora / name).symlink_to(shared / path)
    out = tmp_path_factory.mktemp("field") / "out"
    config = tmp_path_factory.mktemp("config") / "field.yaml"
    text = (ROOT / "configs" / "field.yaml").read_text("utf-8")
    kept = [line for line in text.splitlines() if not any(part in line for part in LONG)]
    # The figures of training samples take five times as long, and move no value.
    kept = ["training-samples: 0" if line.startswith("training-samples") else line for line in kept]
    config.write_text("\n".join(kept).replace("../corpora", str(ROOT / "corpora")), "utf-8")
    done = tokbench("run", "-q", config, "-o", out, TOKBENCH_CORPORA=str(corpora))
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def results(folder: Path) -> dict[Key, pages.Row]:
    """The results of the run."""
    return pages.read(folder)


def test_the_recommendation_agrees_with_its_csv_files(folder: Path) -> None:
    agrees_with_csv_files(folder)


def test_the_page_shows_the_figures_of_the_config(page: str, results: dict[Key, pages.Row]) -> None:
    missing = [row for row in shown(results) if row not in page]
    assert missing == []


def test_figures_that_vary_are_near_those_of_the_page(
    page: str, results: dict[Key, pages.Row]
) -> None:
    """Two trainings of Hugging Face's WordPiece differ, by far less than this."""
    for row in of_system(results, "hf-wordpiece"):
        expected = numbers(row)
        rows = re.findall(r"^\| `hf-wordpiece` \|.*\n", page, re.M)
        assert any(numbers(line) == pytest.approx(expected, abs=0.015) for line in rows), row


def numbers(row: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d+\.\d+", row)]


def shown(results: dict[Key, pages.Row]) -> Iterator[str]:
    """Return the rows of the page's tables that do not vary."""
    for system in LEARNED:
        yield from of_system(results, system)
    for system in ("char", "word"):
        yield pages.line(f"`{system}`", *at(results, system, "" if system == "char" else "5000"))
    for system, (learner, cut) in CUTS.items():
        yield pages.line(f"`{learner}`", f"`{cut}`", *cuts(results, system))


def of_system(results: dict[Key, pages.Row], system: str) -> Iterator[str]:
    """Return the rows of one learner: over all sizes, and at one."""
    yield pages.line(f"`{system}`", *sizes(results, system, TEXT, "fertility"))
    yield pages.line(f"`{system}`", *sizes(results, system, GOLD, F1))
    yield pages.line(f"`{system}`", *at(results, system, "5000"))


def sizes(results: dict[Key, pages.Row], system: str, corpus: str, metric: str) -> Iterator[str]:
    """Return a metric at all sizes; empty where a size was not learned."""
    for size in SIZES:
        row = results.get(Key(system, corpus, metric, size))
        yield pages.plain(row) if row else ""


def at(results: dict[Key, pages.Row], system: str, size: str) -> Iterator[str]:
    """Return the cells of the table about one size."""
    yield pages.interval(results[Key(system, TEXT, "kept-whole-running", size)])
    yield pages.interval(results[Key(system, TEXT, "fertility", size, "unseen")], 2)
    yield pages.interval(results[Key(system, TEXT, "single-characters", size, "unseen")])
    yield pages.interval(results[Key(system, GOLD, F1, size)])
    yield pages.plain(results[Key(system, TEXT, "renyi-efficiency-observed", size)])


def cuts(results: dict[Key, pages.Row], system: str) -> Iterator[str]:
    """Return tokens of a word and boundary F1 of one vocabulary cut in one way."""
    for size in CUT:
        yield f"{float(results[Key(system, TEXT, 'fertility', size)]['value']):.3f}"
    for size in CUT:
        row = results[Key(system, GOLD, F1, size)]
        yield pages.interval({**row, "p-holm": ""})
