"""Controls: what each of them changes, and what metrics say of it."""

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.tiny import installed, offering, tiny_run
from tokbench.api import Marks, Size, SizeError, Vocabulary
from tokbench.api.text import CONTINUATION
from tokbench.cut import BoundSegmenter

TRAIN = (ROOT / "corpora" / "english.train.txt").read_text("utf-8").splitlines()[:400]
WORDS = Counter(" ".join(TRAIN).split())
KEYS = {
    "corpora": f"""
  train: {{path: train.txt, words: whitespace}}
  test: {{held-out: {{path: {ROOT}/corpora/english.test.txt, words: whitespace}}}}
  gold: {{english: {ROOT}/corpora/english.gold.tsv}}""",
    "sizes": "[1000]",
    "systems": """
  - bpe
  - {name: again, learner: bpe}
  - random-cuts
  - {name: one copy, learner: {use: duplicated, copies: 1}, sizes: [500]}
  - duplicated
  - dropped""",
    "metrics": """[fertility, tokens, text-bytes-per-token, renyi-efficiency-declared,
          boundary-kappa, kept-whole-running, bits-per-byte, {use: bits-per-byte, order: 1}]""",
    "resamples": "1",
    "gate": None,
}


def learned(name: str, size: int, **options: Any) -> BoundSegmenter:
    registry = installed()
    learner: Any = registry.find("learner", name).component.configure(**options)
    vocabulary = learner.learn(WORDS, Size(total=size))
    return BoundSegmenter(registry.segmenter_of(vocabulary)[1], vocabulary)


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], float]:
    """The values of all words, by system and metric."""
    folder, texts = tmp_path_factory.mktemp("controls"), {"train": "\n".join(TRAIN)}
    run = tiny_run(folder, offering(), texts, **KEYS)
    assert not run.failures
    # Boundaries are scored on the gold words alone, all else is taken from the text.
    return {
        (row.system, row.metric): row.value
        for row in run.rows
        if row.value is not None and row.subset == "all"
        if row.corpus == "held-out" or row.metric.startswith("boundary")
    }


@pytest.mark.ci
def test_one_system_twice_has_the_same_numbers(values: dict[tuple[str, str], float]) -> None:
    metrics = {metric for system, metric in values if system == "bpe"}
    assert len(metrics) > 10
    for metric in metrics:
        assert values["again", metric] == values["bpe", metric]


@pytest.mark.ci
def test_random_cuts_are_seen_by_kappa_and_by_the_model_not_by_words_kept_whole(
    values: dict[tuple[str, str], float],
) -> None:
    def change(metric: str) -> float:
        return values["random-cuts", metric] - values["bpe", metric]

    assert values["bpe", "boundary-kappa"] > 0.2
    assert values["random-cuts", "boundary-kappa"] < 0.1
    assert abs(change("kept-whole-running")) < 0.005
    assert change("fertility") > 0.4  # pieces that it does not know fall to characters
    assert change("renyi-efficiency-declared") < -0.1
    assert change("bits-per-byte") > 0.2


@pytest.mark.ci
def test_copies_raise_renyi_and_make_the_model_worse_at_the_same_compression(
    values: dict[tuple[str, str], float],
) -> None:
    """As Cognetta and others (2024) find for Rényi; all that counts tokens or cuts sees nothing."""
    same = ("fertility", "tokens", "text-bytes-per-token", "boundary-kappa", "kept-whole-running")
    for metric in same:
        assert values["duplicated", metric] == values["one copy", metric]
    renyi = "renyi-efficiency-declared"
    assert values["duplicated", renyi] > values["one copy", renyi] + 0.01
    for metric in ("bits-per-byte", "bits-per-byte(order=1)"):
        assert values["duplicated", metric] > values["one copy", metric] + 0.2


@pytest.mark.ci
def test_dropped_merges_are_seen_by_compression_and_hardly_by_the_model(
    values: dict[tuple[str, str], float],
) -> None:
    for metric in ("renyi-efficiency-declared", "kept-whole-running", "boundary-kappa"):
        assert values["dropped", metric] < values["bpe", metric] - 0.03
    assert values["dropped", "fertility"] > values["bpe", "fertility"] + 0.3
    assert values["dropped", "bits-per-byte"] == pytest.approx(
        values["bpe", "bits-per-byte"], abs=0.05
    )


def tokens_of(bound: BoundSegmenter, words: list[str]) -> list[list[str]]:
    cuts, tokens = bound.tokens(words), bound.vocabulary.tokens
    ids = cuts.ids.tolist()
    assert min(ids) >= 0
    return [[tokens[i] for i in ids[a:b]] for a, b in pairwise(cuts.row.tolist())]


def lengths(tokens: list[str]) -> list[int]:
    return sorted(len(Marks.strip(token)) for token in tokens)


def test_random_cuts_have_the_lengths_of_bpe_in_another_order() -> None:
    ours, bpe = learned("random-cuts", 1000), learned("bpe", 1000)
    words = [*WORDS][:2000]
    comparable = moved = 0
    cuts = tokens_of(ours, words), tokens_of(bpe, words)
    for word, tokens, merged in zip(words, *cuts, strict=True):
        assert "".join(map(Marks.strip, tokens)) == word
        if len(tokens) == len(merged):  # no piece fell to characters
            assert lengths(tokens) == lengths(merged)
            comparable += 1
            moved += tokens != merged
    assert comparable > 800
    assert moved > 100
    assert len(ours.vocabulary.tokens) == len(bpe.vocabulary.tokens)
    again, reseeded = learned("random-cuts", 1000), learned("random-cuts", 1000, seed=1)
    assert tokens_of(again, words) == cuts[0] != tokens_of(reseeded, words)


def test_copies_say_the_same_and_count() -> None:
    lines = TRAIN[:50]
    single, doubled = learned("duplicated", 400, copies=1), learned("duplicated", 800)
    assert len(doubled.vocabulary.tokens) == doubled.vocabulary.size == 2 * single.vocabulary.size
    plain, copied = single.lines(lines), doubled.lines(lines)
    assert (copied.row == plain.row).all()
    assert (copied.ids % len(single.vocabulary.tokens) == plain.ids).all()
    assert 0.45 < (copied.ids >= len(single.vocabulary.tokens)).mean() < 0.55
    assert [doubled.vocabulary.raw(i) for i in copied.ids] == [
        single.vocabulary.raw(i) for i in plain.ids
    ]
    assert doubled.vocabulary.tokens[-1].endswith(CONTINUATION)
    assert (
        doubled.lines(lines[::-1]).ids[-len(plain.ids[: plain.row[1]]) :]
        == copied.ids[: plain.row[1]]
    ).all()


def test_copies_of_letters_need_room() -> None:
    letters = len({letter for word in WORDS for letter in word})
    with pytest.raises(SizeError, match="are 2 of each letter") as refused:
        learned("duplicated", letters)
    assert refused.value.minimum == 4 * letters  # with and without the mark


def test_dropped_merges_are_those_of_bpe_without_some() -> None:
    vocabularies = {rate: learned("dropped", 600, rate=rate).vocabulary for rate in (0.0, 0.3)}
    bpe = learned("bpe", 3000).vocabulary
    assert vocabularies[0.0] == learned("bpe", 600).vocabulary
    dropped: Vocabulary = vocabularies[0.3]
    assert dropped.size == 600
    places = [bpe.learned.index(item) for item in dropped.learned]
    assert places == sorted(places)
    skipped = places[-1] + 1 - len(places)
    assert 0.25 < skipped / (places[-1] + 1) < 0.6
    tokens = {*dropped.alphabet}
    for item in dropped.learned:  # merges without their parts are left out too
        assert tokens.issuperset(item.parts)
        tokens.add(Marks.join(item.parts))
