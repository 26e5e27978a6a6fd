"""The texts that tokbench ships keep what the main job promises about them."""

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from tokbench.corpora.load import load_corpora

LANGUAGES = ("english", "korean")
CATEGORIES = {
    "blend", "derivation", "misspelling", "name", "number", "loan word", "emoji", "URL",
    "identifier",
}  # fmt: skip


@pytest.fixture
def shipped(root, corpus):
    """Load a shipped language's texts and gold words."""

    def load(language: str, **more):
        folder = root / "corpora"
        return load_corpora(
            corpus(folder / f"{language}.train.txt"),
            {"held-out": corpus(folder / f"{language}.test.txt")},
            {key: corpus(folder / name) for key, name in more.items()},
            {"gold": corpus(folder / f"{language}.gold.tsv")},
            0,
        )

    return load


def text(root: Path, language: str) -> str:
    return "\n".join(
        (root / "corpora" / f"{language}.{part}.txt").read_text("utf-8")
        for part in ("train", "test")
    )


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("english.train.txt", 110_000),
        ("english.test.txt", 15_000),
        ("korean.train.txt", 25_000),
        ("korean.test.txt", 6_000),
    ],
)
def test_there_is_enough_text(root, name, least):
    assert (root / "corpora" / name).stat().st_size >= least


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_stands_twice(root, language):
    pieces = re.split(r"\n|(?<=[.!?…])[\"'”’)]*\s+", text(root, language))
    sentences = Counter(piece.strip(" \"'“”‘’()").casefold() for piece in pieces)
    del sentences[""]
    assert [sentence for sentence, count in sentences.items() if count > 1] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_hardly_any_eight_words_stand_twice(root, language):
    words = re.findall(r"\w+", text(root, language).casefold())
    runs = Counter(zip(*(words[i:] for i in range(8)), strict=False))
    repeated = sum(count for count in runs.values() if count > 1)
    assert repeated < 0.01 * runs.total()


def test_english_has_enough_distinct_words(root):
    train = (root / "corpora" / "english.train.txt").read_text("utf-8")
    assert len(set(re.findall(r"[^\W\d_]+", train.casefold()))) >= 3_500


def test_some_english_words_are_unseen(shipped):
    words = shipped("english").tests[0].words
    share = words.count[words.train_count == 0].sum() / words.count.sum()
    assert 0.04 <= share <= 0.15


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_load_without_a_warning(shipped, language):
    # No held-out line in the training text, no repeated gold word, no invalid byte.
    assert shipped(language).warnings == ()


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


@pytest.mark.parametrize("language", LANGUAGES)
def test_gold_words_have_morphemes_to_find(shipped, language):
    gold = shipped(language).tests[-1].words.gold
    assert sum(bool(alternatives[0]) for alternatives in gold) >= len(gold) / 2
    assert all(low < high for alts in gold for cuts in alts for low, high in pairwise(cuts))


def parallel(root: Path) -> dict[str, list[str]]:
    """Return the lines of the parallel texts."""
    paths = {name: root / "corpora" / f"parallel.{name}.txt" for name in ("en", "ko", "mixed")}
    return {name: path.read_text("utf-8").split("\n") for name, path in paths.items()}


def test_parallel_texts_have_the_same_lines(root):
    for lines in parallel(root).values():
        assert len(lines) == 121
        assert lines[-1] == ""
        assert all(line.strip() == line != "" for line in lines[:-1])
        assert len(set(lines)) == len(lines)


def test_parallel_texts_are_in_their_languages(root):
    texts = parallel(root)
    for english, korean, mixed in zip(*(texts[n][:-1] for n in ("en", "ko", "mixed")), strict=True):
        assert not re.search("[가-힣]", english)
        # An abbreviation is written in Latin letters in any text.
        assert not re.search("[A-Za-z]", re.sub(r"[A-Z]{2,}", "", korean))
        assert re.search("[가-힣]", korean)
        assert re.search("[가-힣]", mixed)
        assert re.search("[A-Za-z]", mixed)


def test_numbers_of_the_parallel_texts_agree(root):
    # Whatever Korean writes in digits, the mixed text does too.
    texts = parallel(root)
    for korean, mixed in zip(texts["ko"], texts["mixed"], strict=True):
        assert set(re.findall(r"\d+", korean.replace("3만 2천", "32,000"))) <= set(
            re.findall(r"\d+", mixed)
        ), korean


def test_parallel_sentences_stand_in_no_other_text(root):
    others = {line for language in LANGUAGES for line in text(root, language).split("\n")}
    assert not {line for lines in parallel(root).values() for line in lines if line} & others
