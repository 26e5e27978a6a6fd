"""Systems learned again from training samples: values, signs, marks, and what goes wrong."""

import math
from dataclasses import replace
from pathlib import Path
from statistics import stdev
from typing import Any

import pytest

from tests.tiny import BPE, TinyRun, installed, load, row, tiny_run
from tokbench.corpora.drawing import training_samples
from tokbench.run_folder.tables import Row
from tokbench.runner.results import spread

WORDS = ["abc", "ab", "abd", "cab", "bcd", "dab", "add", "bad", "cad", "dad"]
LINES = [" ".join(WORDS[: 2 + i % 7]) + f" {WORDS[i % 10]}x" for i in range(120)]
TEXTS = {"train": "\n".join(LINES) + "\n", "test": "ab abd cab abcd badx\nabc ab dabx\n" * 15}
SYSTEMS = (
    f"[{BPE}, {{name: other, learner: {{use: bpe, eow: absent, ties: smallest}}}}, char, word]"
)


def run(folder: Path, samples: str | None = "3", texts: Any = TEXTS, **keys: Any) -> TinyRun:
    return tiny_run(
        folder, texts=texts,
        **{
            "systems": SYSTEMS, "sizes": "[12, 20]", "metrics": "[fertility, kept-whole-running]",
            "training-samples": samples, **keys,
        },
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the config of `done`."""
    return tmp_path_factory.mktemp("samples")


@pytest.fixture(scope="module")
def done(folder: Path) -> TinyRun:
    """The run with three samples."""
    return run(folder)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> TinyRun:
    """The same run without samples."""
    return run(tmp_path_factory.mktemp("plain"), None)


def key(row: Row) -> tuple[str, ...]:
    return row.system, row.corpus, row.subset, row.size, row.metric


def test_spread_and_signs_are_those_of_runs_on_the_samples(
    folder: Path, done: TinyRun, tmp_path: Path
) -> None:
    """Each sample written to a file and run as a training text of its own."""
    _, corpora = load(folder / "tiny.yaml", installed())
    values: dict[tuple[str, ...], list[float]] = {}
    differences: dict[tuple[str, ...], list[float]] = {}
    for number, sample in enumerate(training_samples(corpora.train, 3, 0)):
        sampled = tmp_path / str(number)
        sampled.mkdir()
        text = "".join(f"{line}\n" for line in sample.lines)
        for r in run(sampled, None, {**TEXTS, "train": text}).rows:
            if r.subset == "all":
                assert r.value is not None
                values.setdefault(key(r), []).append(r.value)
                if r.difference is not None:
                    differences.setdefault(key(r), []).append(r.difference)
    compared = 0
    for r in done.rows:
        # What is unseen there is not what is unseen in the whole text.
        if r.subset != "all":
            continue
        assert r.training_samples == 3
        assert r.training_sd == pytest.approx(stdev(values[key(r)]), rel=1e-9), key(r)
        if r.difference is not None:
            agree = sum(difference * r.difference > 0 for difference in differences[key(r)])
            share = pytest.approx(agree / 3) if r.difference else None
            assert r.training_agree == share
            compared += 1
    assert compared == 10


def test_unseen_words_stay_those_of_the_whole_text(tmp_path: Path) -> None:
    done = run(tmp_path, metrics="[unseen-words-running]")
    assert {row.training_sd for row in done.rows} == {0}


def test_all_else_is_as_without_samples(done: TinyRun, plain: TinyRun) -> None:
    none = {"training_samples": None, "training_agree": None, "training_sd": None}
    assert [replace(row, **none) for row in done.rows] == [*plain.rows]
    assert done.sizes == plain.sizes
    assert done.record.outcomes == plain.record.outcomes


def test_a_difference_is_marked_only_if_all_samples_agree() -> None:
    row = Row("a", value=1.0, difference=0.5, p_holm=0.01)
    assert row.significant
    assert replace(row, training_samples=5, training_agree=1.0).significant
    assert not replace(row, training_samples=5, training_agree=0.8).significant
    assert not replace(row, training_samples=5, training_agree=1.0, p_holm=0.05).significant


def test_a_system_may_have_its_own_number_or_none(tmp_path: Path) -> None:
    """Of a system without samples it is not known how its differences vary."""
    systems = "[bpe, {learner: word, training-samples: 0}, {learner: char, training-samples: 2}]"
    done = run(tmp_path, systems=systems, sizes="[30]", metrics="[fertility]")
    rows = {s: row(done, s, "fertility") for s in ("bpe", "word", "char")}
    assert (rows["bpe"].training_samples, rows["bpe"].training_agree) == (3, None)
    assert (rows["word"].training_samples, rows["word"].training_agree) == (None, None)
    assert (rows["char"].training_samples, rows["char"].training_agree) == (2, 1)
    assert rows["word"].training_sd is None


def test_what_learns_nothing_is_compared_with_each_sample(tmp_path: Path) -> None:
    systems = "[bpe, {learner: utf8-bytes, context: isolated}]"
    done = run(tmp_path, systems=systems, sizes="[30]", metrics="[fertility]")
    ready = row(done, "utf8-bytes", "fertility")
    assert (ready.training_samples, ready.training_agree, ready.training_sd) == (None, 1, None)


def test_too_little_text_for_a_size_in_some_samples(tmp_path: Path) -> None:
    """Of 120 lines with a word each, a sample of as many blocks holds about two thirds."""
    texts = {**TEXTS, "train": "".join(f"w{i}\n" for i in range(120))}
    done = run(tmp_path, texts=texts, systems="[word]", sizes="[100]", metrics="[fertility]")
    assert not done.failures
    (note,) = (note for note in done.notes if "training sample" in note)
    assert note.startswith("system word at size 100, training sample 1: the text gives")


def test_a_learner_that_fails_on_samples_costs_only_its_spread(tmp_path: Path) -> None:
    plugin = """
from tokbench.api import Learner, Vocabulary, hookimpl
FIRST = {}
class Moody(Learner):
    "Fail where the words are others than at first."
    def learn(self, words, size):
        words_at_first = FIRST.setdefault("words", dict(words))
        if words_at_first != dict(words):
            raise ValueError("no such words")
        return Vocabulary(tuple("abcdx"), segmenter={"use": "char"})
@hookimpl
def tokbench_learners():
    return {"moody": Moody}
"""
    done = tiny_run(
        tmp_path, plugin, TEXTS, systems="[char, moody]", sizes="[9]", metrics="[fertility]",
        **{"training-samples": "3"},
    )  # fmt: skip
    (failure,) = done.failures
    assert failure.startswith("system moody at size 9, training sample 1: ValueError")
    moody = row(done, "moody", "fertility")
    assert moody.value is not None
    assert (moody.training_samples, moody.training_agree, moody.training_sd) == (3, None, None)


def test_the_signature_names_the_samples(done: TinyRun, plain: TinyRun) -> None:
    assert "resamples=100,seed=0,training-samples=3|" in done.signature(done.rows[0])
    assert "resamples=100,seed=0|" in plain.signature(plain.rows[0])


def test_a_value_that_a_sample_lacks_leaves_no_spread() -> None:
    assert spread([1.0, 2.0, 4.0]) == pytest.approx(1.5275252)  # by hand: sqrt(7 / 3)
    assert spread([1.0, 2.0, math.nan]) is None
