"""Unseen words on real text, against a program that knows only the texts and what is printed.

Kinds, bands and new words are found again from the texts; tokens are those of `tokbench segment`.
"""

import csv
import gzip
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from tokbench.corpora.splitters import WordSplitter

from . import pages
from .conftest import SHARED
from .pages import Key
from .run_cli import tokbench_here as tokbench
from .shipped import ShippedRun

words_of = WordSplitter().words
KINDS = (
    "another-form",
    "new-character",
    "punctuation",
    "case",
    "number",
    "joined",
    "affix",
    "other",
)
BANDS = {"1": (1, 1), "2-5": (2, 5), "6-50": (6, 50), "51+": (51, 10**9)}
END = "\ufdd1"
SYSTEMS = "[{learner: bpe, sizes: [9000]}, char, {learner: word, sizes: [9000]}]"


class Texts(NamedTuple):
    """A training text and a test text, as lines."""

    train: list[str]
    test: list[str]


def read(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode("utf-8-sig").split("\n")


@cache
def texts(name: str) -> Texts:
    if name == "english":
        shakespeare = read(SHARED / "shakespeare" / "pg100_2018-06-14.txt.gz")
        return Texts(shakespeare, read(SHARED / "english" / "dickens_pg.txt.gz"))
    reviews = read(SHARED / "korean" / "nsmc" / "nsmc_sample50k.txt.gz")
    return Texts(reviews[:40_000], reviews[40_000:])


@cache
def counts(name: str) -> tuple[Counter[str], Counter[str]]:
    """Count the words of the training text and of the test text."""
    train, test = (Counter(w for line in part for w in words_of(line)) for part in texts(name))
    return train, test


class Oracle:
    """The kinds of unseen words, by their definition."""

    def __init__(self, seen: Mapping[str, int]) -> None:
        self.seen = seen
        self.characters = {char for word in seen for char in word}
        self.composed = {unicodedata.normalize("NFC", word) for word in seen}
        self.folded = {word.casefold() for word in seen}
        pairs: Counter[tuple[str, str]] = Counter()
        for word in seen:
            for cut in range(max(1, len(word) - 5), len(word)):
                pairs["end", word[cut:]] += word[:cut] in seen
            for cut in range(1, min(5, len(word) - 1) + 1):
                pairs["begin", word[:cut]] += word[cut:] in seen
        self.affixes = {affix for affix, times in pairs.items() if times >= 10}

    def inner(self, word: str) -> Iterator[str]:
        marks = [unicodedata.category(char)[0] in "PS" for char in word]
        for first in range(len(word)):
            for last in range(first + 1, len(word) + 1):
                if last - first < len(word) and all(marks[:first]) and all(marks[last:]):
                    yield word[first:last]

    def kind(self, word: str) -> str:
        categories = [unicodedata.category(char)[0] for char in word]
        stem = 2 if re.fullmatch("[\uac00-\ud7a3]+", word) else 3
        cuts = [(word[:i], word[i:]) for i in range(1, len(word))]
        fits = {
            "another-form": unicodedata.normalize("NFC", word) in self.composed,
            "new-character": not {*word} <= self.characters,
            "punctuation": any(part in self.seen for part in self.inner(word)),
            "case": word.casefold() in self.folded,
            "number": "N" in categories and {*categories} <= {*"NPS"},
            "joined": any(
                min(len(a), len(b)) >= 3 and a in self.seen and b in self.seen for a, b in cuts
            ),
            "affix": not re.search("[\u3040-\u30ff\u3400-\u9fff]", word)
            and any(
                (len(a) >= stem and a in self.seen and ("end", b) in self.affixes)
                or (len(b) >= stem and b in self.seen and ("begin", a) in self.affixes)
                for a, b in cuts
            ),
            "other": True,
        }
        return next(kind for kind in KINDS if fits[kind])


@cache
def kinds(name: str) -> dict[str, str]:
    train, test = counts(name)
    oracle = Oracle(train)
    return {word: oracle.kind(word) for word in test if word not in train}


@pytest.fixture(scope="module", params=["english", "korean"])
def name(request: pytest.FixtureRequest, shared: Path) -> str:
    language: str = request.param
    return language


@pytest.fixture(scope="module")
def folder(name: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp(name)
    for part, lines in texts(name)._asdict().items():
        (here / f"{part}.txt").write_text("\n".join(lines), "utf-8")
    (here / "config.yaml").write_text(
        f"corpora: {{train: train.txt, test: test.txt}}\nsystems: {SYSTEMS}\nmetrics: "
        "[fertility, kept-whole-running, oov-words-running, unseen-words-running]\n",
        "utf-8",
    )
    done = tokbench("run", "-q", here / "config.yaml", "-o", here / "out")
    assert done.returncode == 0, done.stderr
    return here


@pytest.fixture(scope="module")
def rows(folder: Path) -> dict[tuple[str, str, str], pages.Row]:
    with (folder / "out" / "results.csv").open(encoding="utf-8", newline="") as file:
        return {(r["system"], r["metric"], r["subset"]): r for r in csv.DictReader(file)}


def unseen(folder: Path) -> dict[str, dict[str, str]]:
    with (folder / "out" / "data/unseen.csv").open(encoding="utf-8", newline="") as file:
        return {row["kind"]: row for row in csv.DictReader(file)}


def subsets(name: str) -> dict[str, set[str]]:
    """The words of each subset."""
    train, test = counts(name)
    by_subset = {"all": {*test}, "unseen": {*kinds(name)}}
    by_subset |= {f"kind:{k}": {w for w, kind in kinds(name).items() if kind == k} for k in KINDS}
    for band, (least, most) in BANDS.items():
        by_subset[f"band:{band}"] = {word for word in test if least <= train[word] <= most}
    return {subset: words for subset, words in by_subset.items() if words}


@pytest.mark.nightly
def test_unseen_words_have_the_first_kind_that_fits(name: str, folder: Path) -> None:
    train, test = counts(name)
    running, distinct = Counter[str](), Counter(kinds(name).values())
    for word, kind in kinds(name).items():
        running[kind] += test[word]
    rows = unseen(folder)
    assert [*rows] == ["all", *KINDS]
    for kind in KINDS:
        row = rows[kind]
        assert int(row["words-running"]) == running[kind]
        assert int(row["words-distinct"]) == distinct[kind]
        assert float(row["share-running"]) == pytest.approx(running[kind] / test.total(), rel=1e-9)
        assert float(row["share-distinct"]) == pytest.approx(distinct[kind] / len(test), rel=1e-9)
        assert row["good-turing"] == ""
    row = rows["all"]
    assert int(row["words-running"]) == running.total()
    assert float(row["good-turing"]) == pytest.approx(
        sum(times == 1 for times in train.values()) / train.total(), rel=1e-9
    )
    assert sum(running[kind] > 0 for kind in KINDS) >= 6


@pytest.mark.nightly
def test_subsets_are_scored_by_what_segment_prints(
    name: str, folder: Path, rows: dict[tuple[str, str, str], pages.Row]
) -> None:
    test = counts(name)[1]
    (folder / "words.txt").write_text("\n".join(test), "utf-8")
    vocabulary = folder / "out" / "data/vocabularies" / "bpe.json"
    done = tokbench("segment", vocabulary, folder / "words.txt", "--format", "json")
    assert done.returncode == 0, done.stderr
    cut = [json.loads(line) for line in done.stdout.splitlines()]
    tokens = {word: len(pieces) for word, (pieces,) in zip(test, cut, strict=True)}
    known = {*stored_tokens(folder, "word")}
    kept_whole = {token.removesuffix(END) for token in stored_tokens(folder, "bpe") if END in token}
    expected = subsets(name)
    assert {subset for _, _, subset in rows} == expected.keys()
    for subset, words in expected.items():
        total = sum(test[word] for word in words)
        values = {
            ("bpe", "fertility"): sum(test[word] * tokens[word] for word in words) / total,
            ("bpe", "kept-whole-running"): sum(test[w] for w in words & kept_whole) / total,
            ("char", "fertility"): sum(test[word] * len(word) for word in words) / total,
            ("word", "oov-words-running"): sum(test[w] for w in words - known) / total,
        }
        for (system, metric), value in values.items():
            row = rows[system, metric, subset]
            assert float(row["value"]) == pytest.approx(value, rel=1e-9), (system, metric, subset)
            assert float(row["n"]) == total


def stored_tokens(folder: Path, system: str) -> list[str]:
    """Read the tokens of a vocabulary, a noncharacter in place of the end-of-word mark."""
    path = folder / "out" / "data/vocabularies" / f"{system}.json"
    tokens: list[str] = json.loads(path.read_text("utf-8"))["tokens"]
    return tokens


@pytest.mark.nightly
def test_growth_is_counted_on_the_first_lines_of_a_drawn_order(name: str, folder: Path) -> None:
    (folder / "grown.yaml").write_text(
        "corpora: {train: train.txt, test: {t: test.txt}}\nsystems: [char]\n"
        "metrics: [fertility]\nresamples: 20\ntraining-shares: [0.4, 1]\n",
        "utf-8",
    )
    done = tokbench("run", "-q", folder / "grown.yaml", "-o", folder / "grown")
    assert done.returncode == 0, done.stderr
    test = counts(name)[1]
    text = (folder / "train.txt").read_bytes().decode()
    lines = [words for line in text.split("\n") if (words := words_of(line))]
    total, chosen, reached = sum(map(len, lines)), list[str](), 0
    for line in np.random.default_rng([0, 0]).permutation(len(lines)):
        chosen += lines[line]
        reached += len(lines[line])
        if reached >= 0.4 * total:
            break
    seen = Counter(chosen)
    with (folder / "grown/data/growth.csv").open(encoding="utf-8", newline="") as file:
        growth = {(r["corpus"], r["training-share"]): r for r in csv.DictReader(file)}
    assert {*growth} == {("t", "0.4"), ("t", "1")}
    row = growth["t", "0.4"]
    assert (int(row["training-words"]), int(row["training-distinct"])) == (reached, len(seen))
    once = sum(times == 1 for times in seen.values())
    unseen = [word for word in test if word not in seen]
    expected = {
        "share-running": sum(test[word] for word in unseen) / test.total(),
        "share-distinct": len(unseen) / len(test),
        "good-turing": once / reached,
    }
    for column, value in expected.items():
        assert float(row[column]) == pytest.approx(value, rel=1e-9), column


GOLD_ROWS = 1_500


@pytest.mark.nightly
def test_new_gold_words_are_those_that_composition_explains(shared: Path, tmp_path: Path) -> None:
    """The published format: morphs with @@; many rows do not join to their word."""
    rows = read(shared / "morphology" / "eng.word.dev.tsv.gz")[:GOLD_ROWS]
    (tmp_path / "gold.tsv").write_text("\n".join(rows), "utf-8")
    (tmp_path / "train.txt").write_text("\n".join(texts("english").train), "utf-8")
    (tmp_path / "config.yaml").write_text(
        "corpora: {train: train.txt, gold: {g: {path: gold.tsv, format: sigmorphon, "
        "mismatch: skip}}}\nsystems: [char]\nmetrics: [fertility]\n",
        "utf-8",
    )
    done = tokbench("run", "-q", tmp_path / "config.yaml", "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    training = [*counts("english")[0]]
    together = "\n".join(training)

    @cache
    def is_known(morph: str) -> bool:
        return sum(morph in word for word in training) >= 2

    new = set()
    entries = [row.split("\t")[:2] for row in rows]
    for word, morphs in entries:
        if word not in together and all(is_known(m.removeprefix("@@")) for m in morphs.split()):
            new.add(word)
    row = pages.read(tmp_path / "out")[Key("char", "g", "fertility", subset="new")]
    assert float(row["n"]) == len(new) > 100
    characters = sum(map(len, new)) / len(new)
    assert float(row["value"]) == pytest.approx(characters, rel=1e-9)


@pytest.mark.ci
def test_the_page_shows_what_its_configs_give(
    shared: Path, root: Path, shipped_run: ShippedRun
) -> None:
    pytest.importorskip("kiwipiepy")
    reports = []
    for config in ("oov-shakespeare", "oov", "oov-korean"):
        reports += (shipped_run(config) / "data/metrics.md").read_text("utf-8").split("\n")
    page = (root / "docs" / "explanation" / "oov.md").read_text("utf-8").split("\n")
    shown = [line for line in page if line.startswith(("| ", "**oliver")) and "`" not in line]
    # The report explains the kinds in words, so this table is the page's own.
    assert [line for line in shown if line not in {*reports, "| kind | the word |"}] == []
    of_shakespeare = 1 + 1 + 9 + 8 + 7 + 7
    assert len(shown) == of_shakespeare + 10 + 12 + 7
    results = pages.read(shipped_run("oov-shakespeare"))
    means = [
        pages.plain(results[Key(system, "oliver-twist", "fertility", "8000")])
        for system in ("unigram", "bpe")
    ]
    assert f"{means[0].split()[0]} and {means[1].split()[0]}." in " ".join(page)
