"""Morpheme metrics: the definition of SIGMORPHON 2022, written out here, on its own data."""

import csv
import gzip
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_metrics.changes import text_distances
from tokbench_morphology.morphemes import longest_common

from tests import pages
from tests.run_cli import tokbench_here as tokbench

ROWS = 200


def common(left: tuple[str, ...], right: tuple[str, ...]) -> int:
    """Return the longest common subsequence, as it is defined."""

    @lru_cache(None)
    def of(i: int, j: int) -> int:
        if not i or not j:
            return 0
        if left[i - 1] == right[j - 1]:
            return of(i - 1, j - 1) + 1
        return max(of(i - 1, j), of(i, j - 1))

    return of(len(left), len(right))


def levenshtein(left: str, right: str) -> int:
    """Return the distance, as it is defined."""

    @lru_cache(None)
    def of(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        changed = of(i - 1, j - 1) + (left[i - 1] != right[j - 1])
        return min(changed, of(i - 1, j) + 1, of(i, j - 1) + 1)

    return of(len(left), len(right))


@given(st.text("ab|안", max_size=9), st.text("ab|안", max_size=9))
def test_distance_is_levenshteins(left: str, right: str) -> None:
    assert text_distances([left], [right]).tolist() == [levenshtein(left, right)]


@given(st.lists(st.sampled_from("abc"), max_size=7), st.lists(st.sampled_from("abc"), max_size=7))
def test_what_is_common_is_the_longest_subsequence(left: list[str], right: list[str]) -> None:
    assert longest_common(left, right) == common(tuple(left), tuple(right))


def test_values_are_those_of_the_definition(shared: Path, tmp_path: Path) -> None:
    """Precision, recall, F1 and distance over all words, from what `tokbench segment` prints."""
    packed = shared / "morphology" / "hun.word.dev.tsv.gz"
    lines = gzip.decompress(packed.read_bytes()).decode().split("\n")[:ROWS]
    rows = [line for line in lines if " " not in line.split("\t")[0]]
    gold = {}
    for word, morphs, *_ in csv.reader(rows, delimiter="\t", quoting=csv.QUOTE_NONE):
        gold.setdefault(word, tuple(part.removeprefix("@@") for part in morphs.split(" ")))
    (tmp_path / "gold.tsv").write_text("".join(f"{row}\n" for row in rows), "utf-8")
    (tmp_path / "train.txt").write_text("".join(f"{word}\n" for word in gold), "utf-8")
    (tmp_path / "config.yaml").write_text(
        "corpora:\n  train: train.txt\n  gold:\n"
        "    g: {path: gold.tsv, format: sigmorphon, mismatch: skip}\n"
        "sizes: [200]\nsystems: [{learner: {use: bpe, eow: absent}}]\nmetrics: all\nresamples: 30\n"
    )
    done = tokbench("run", "-q", tmp_path / "config.yaml", "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    values = {key.metric: row["value"] for key, row in pages.read(tmp_path / "out").items()
              if key.subset == "all"}  # fmt: skip
    vocabulary = tmp_path / "out" / "data/vocabularies" / "bpe.json"
    printed = tokbench(
        "segment", vocabulary, "--words", "whitespace", stdin="\n".join(gold).encode()
    ).stdout
    tokens = dict(zip(gold, (tuple(line.split()) for line in printed.splitlines()), strict=True))
    for kind in ("canonical", "surface"):
        words = [w for w in gold if kind == "canonical" or "".join(gold[w]) == w]
        shared_ = sum(common(tokens[word], gold[word]) for word in words)
        precision = shared_ / sum(len(tokens[word]) for word in words)
        recall = shared_ / sum(len(gold[word]) for word in words)
        f1 = 2 * precision * recall / (precision + recall)
        for name, expected in (("precision", precision), ("recall", recall), ("f1", f1)):
            assert float(values[f"morpheme-{name}-{kind}"]) == pytest.approx(expected, rel=1e-9)
    far = [levenshtein("|".join(gold[w]), "|".join(tokens[w])) for w in gold]
    assert float(values["morpheme-distance"]) == pytest.approx(sum(far) / len(far), rel=1e-9)
