"""The whole experiment: what a config asks for, with every default."""

import json

import pytest
from pydantic import field_validator

from tests.tiny import offering
from tokbench.api import Learner, Vocabulary
from tokbench.corpora.source import PerMillion

SHORT = "corpora: {train: train.txt, test: test.txt}\nsizes: [100]\nsystems: [bpe]\n"
TEXT = """\
corpora:
  train: {path: train.txt, normalise: [lowercase, {remove: '[^a-z]'}], words: whitespace,
    min-word-count: 5}
  test:
    held-out: test.txt
    dev: {split: 0.1}
  lists: {novel: more.txt}
  gold: {english: {path: [gold.tsv], errors: replace}}
sizes: [250, 500]
systems:
  - word
  - {name: copies, learner: {use: duplicated, copies: 3}, segmenter: longest-match, sizes: [10]}
  - char
metrics: [{use: renyi-efficiency-declared, power: 3}]
seed: 7
repeats: 5
"""
SOURCE = {"catalog": None, "field": None, "normalise": [], "words": {"use": "words"},
          "errors": "strict", "documents": "file"}  # fmt: skip
TRAIN = SOURCE | {
    "path": ["train.txt"],
    "normalise": ["lowercase", {"remove": "[^a-z]"}],
    "words": {"use": "whitespace"},
    "format": "text",
    "min-word-count": 5,
}
SYSTEM = {"segmenter": None, "split": None, "context": None, "training-samples": None}
RESOLVED = {
    "corpora": {
        "train": TRAIN,
        "test": {
            "held-out": SOURCE | {"path": ["test.txt"], "lines": "apart", "format": "text"},
            "dev": {"split": 0.1, "of": "train", "by": "line"},
        },
        "lists": {"novel": SOURCE | {"path": ["more.txt"], "format": "text"}},
        "gold": {
            "english": SOURCE
            | {"path": ["gold.tsv"], "errors": "replace", "format": {"use": "tsv"}}
            | {"mismatch": "refuse"},
        },
    },
    "systems": [
        SYSTEM | {"name": "word", "learner": {"use": "word"}, "sizes": [250, 500]},
        SYSTEM
        | {"name": "copies", "learner": {"use": "duplicated", "copies": 3, "seed": 7}}
        | {"segmenter": {"use": "longest-match"}, "sizes": [10]},
        SYSTEM | {"name": "char", "learner": {"use": "char"}},
    ],
    "metrics": [{"use": "renyi-efficiency-declared", "unknown": "pooled", "power": 3.0}],
    "baseline": "word",
    "seed": 7,
    "resamples": 1000,
    "repeats": 5,
    "gate": 0.01,
    "recommend": {"by": None, "for": "text", "within": 0.01, "saving": 0.03},
    "resample-by": "block",
    "block-length": "auto",
    "bands": [1, 2, 6, 51],
    "training-samples": 0,
    "training-shares": [],
}


def test_the_resolved_config_has_every_default_and_is_json(load):
    experiment = load(TEXT)
    assert experiment.resolved == RESOLVED
    assert json.loads(json.dumps(experiment.resolved)) == RESOLVED


def test_the_experiment_holds_what_the_config_asks_for(load):
    experiment = load(TEXT)
    assert experiment.tests["dev"].source.split == 0.1
    assert ([*experiment.lists], [*experiment.gold]) == (["novel"], ["english"])
    assert [metric.name for metric in experiment.metrics] == ["renyi-efficiency-declared(power=3)"]
    assert experiment.metrics[0].metric.power == 3.0
    assert (experiment.baseline, experiment.seed, experiment.repeats) == ("word", 7, 5)


@pytest.mark.parametrize(
    ("line", "bands"),
    [
        ("bands: []\n", ()),
        ("bands: {per-million: [0.5, 10]}\n", PerMillion(per_million=(0.5, 10))),
    ],
)
def test_bands_are_as_written(load, line, bands):
    assert load(SHORT + line).bands == bands


def test_aliases_repeat_what_they_name(load):
    text = "corpora: {train: &text train.txt, test: *text}\nsizes: &s [100, 200]\n"
    experiment = load(text + "systems: [bpe, {name: other, learner: bpe, sizes: *s}]\n")
    assert [size.total for size in experiment.systems[1].sizes] == [100, 200]
    assert experiment.tests["test"].source == experiment.train.source


class Stepping(Learner):
    """Reads the option `steps: 4k` as 4,000."""

    steps: int = 1
    share: float = 0.5

    @field_validator("steps", mode="before")
    @classmethod
    def thousands(cls, value):
        return int(value[:-1]) * 1000 if isinstance(value, str) else value

    def learn(self, words, size):
        return Vocabulary(())


def test_options_may_be_written_as_the_component_reads_them(load):
    text = SHORT.replace("[bpe]", "[{learner: {use: stepping, steps: 4k, share: 3}}]")
    (system,) = load(text, offering(stepping=Stepping)).systems
    assert (system.learner.steps, system.learner.share) == (4000, 3.0)


def test_the_seed_of_the_config_reaches_components_that_draw(load):
    systems = "[random-cuts, {name: own, learner: {use: random-cuts, seed: 1}}, bpe]"
    mine, own, none = load(SHORT.replace("[bpe]", systems) + "seed: 7\n").systems
    assert (mine.learner.seed, own.learner.seed) == (7, 1)
    assert not hasattr(none.learner, "seed")
