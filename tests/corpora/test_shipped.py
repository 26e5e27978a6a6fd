"""The texts that tokbench ships keep what the main job promises about them."""

import re
from collections import Counter
from pathlib import Path

import pytest

from tokbench.corpora.catalogue import find_corpus, read_catalogue
from tokbench.corpora.load import load_corpora

LANGUAGES = ("english", "korean")
CATEGORIES = {
    "blend", "derivation", "misspelling", "name", "number", "loan word", "emoji", "URL",
    "identifier",
}  # fmt: skip


@pytest.fixture
def shipped(root, corpus):
    """Load a shipped language's texts and gold words."""

    def load(language: str, **lists):
        folder = root / "corpora"
        return load_corpora(
            corpus(folder / f"{language}.train.txt"),
            {"held-out": corpus(folder / f"{language}.test.txt")},
            {key: corpus(folder / name) for key, name in lists.items()},
            {"gold": corpus(folder / f"{language}.gold.tsv")},
            0,
        )

    return load


def text(root: Path, language: str) -> str:
    return "\n".join(
        (root / "corpora" / f"{language}.{part}.txt").read_text("utf-8")
        for part in ("train", "test")
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_load_without_a_warning(shipped, language):
    # No held-out line in the training text, no repeated gold word, no invalid byte.
    assert shipped(language).warnings == ()


def test_the_catalogue_finds_them(root):
    shipped = {name: find_corpus(name) for name, entry in read_catalogue().items() if not entry.url}
    assert shipped["english"] == root / "corpora" / "english.train.txt"
    assert len({*shipped.values()}) == len(shipped)


def test_novel_words_of_every_category(shipped):
    loaded = shipped("english", novel="english.novel.tsv")
    novel = loaded.tests[1].words
    counts = Counter(novel.category)
    assert set(counts) == CATEGORIES
    assert min(counts.values()) >= 20
    assert len(novel) >= 180
    assert [w for w, n in zip(novel.text, novel.train_count, strict=True) if n] == []
    assert loaded.warnings == ()


@pytest.mark.parametrize(("language", "least"), [("english", 300), ("korean", 150)])
def test_gold_words_occur_in_the_texts(root, shipped, language, least):
    # Loading has found out already that the segments of each word join to it.
    gold = shipped(language).tests[-1].words
    running = set(re.findall(r"[\w\u200c\u200d'’-]+|\w+", text(root, language)))
    running |= {part for word in running for part in re.split(r"['’-]", word)}
    assert [word for word in gold.text if word not in running] == []
    assert len(gold) >= least


def test_parallel_texts_have_the_same_lines(root):
    for name in ("en", "ko", "mixed"):
        lines = (root / "corpora" / f"parallel.{name}.txt").read_text("utf-8").split("\n")
        assert len(lines) == 121
        assert lines[-1] == ""
        assert all(line.strip() == line != "" for line in lines[:-1])
        assert len(set(lines)) == len(lines)
