"""The whole experiment, and all problems of a config at once."""

import json
from pathlib import Path

import pytest

from tokbench.config import ConfigError

TEXT = """\
corpora:
  train: {path: train.txt, normalise: [lowercase, {remove: '[^a-z]'}], words: whitespace}
  test:
    held-out: test.txt
    dev: {split: 0.1}
  lists: {novel: novel.tsv}
  gold: {english: {path: [gold.tsv], errors: replace}}
sizes: [250, 500]
systems:
  - bpe
  - {name: textbook, learner: {use: drawn, merge: list}, segmenter: longest-match, merges: [10]}
  - char
metrics: [{use: fertility, power: 3}]
seed: 7
"""

RESOLVED = {
    "corpora": {
        "train": {
            "path": ["train.txt"],
            "catalog": None,
            "normalise": ["lowercase", {"remove": "[^a-z]"}],
            "words": {"use": "whitespace"},
            "errors": "strict",
            "documents": "file",
            "format": "text",
            "min-word-count": 1,
        },
        "test": {
            "held-out": {
                "path": ["test.txt"],
                "catalog": None,
                "normalise": [],
                "words": {"use": "words"},
                "errors": "strict",
                "documents": "file",
                "lines": "apart",
                "format": "text",
            },
            "dev": {"split": 0.1, "of": "train", "by": "line"},
        },
        "lists": {
            "novel": {
                "path": ["novel.tsv"],
                "catalog": None,
                "normalise": [],
                "words": {"use": "words"},
                "errors": "strict",
                "documents": "file",
                "format": "text",
            },
        },
        "gold": {
            "english": {
                "path": ["gold.tsv"],
                "catalog": None,
                "normalise": [],
                "words": {"use": "words"},
                "errors": "replace",
                "documents": "file",
                "format": {"use": "tsv"},
                "mismatch": "refuse",
            },
        },
    },
    "systems": [
        {
            "name": "bpe",
            "learner": {
                "use": "bpe",
                "merge": "indexed",
                "min-pair-count": 1,
                "lowercase": False,
                "power": 2.5,
                "alphabet": {"coverage": 1.0},
            },
            "segmenter": None,
            "split": None,
            "context": None,
            "training-samples": None,
            "sizes": [250, 500],
        },
        {
            "name": "textbook",
            "learner": {
                "use": "drawn",
                "merge": "list",
                "min-pair-count": 1,
                "lowercase": False,
                "power": 2.5,
                "alphabet": {"coverage": 1.0},
                "seed": 7,
                "steps": 1,
            },
            "segmenter": {"use": "longest-match"},
            "split": None,
            "context": None,
            "training-samples": None,
            "merges": [10],
        },
        {
            "name": "char",
            "learner": {"use": "char"},
            "segmenter": None,
            "split": None,
            "context": None,
            "training-samples": None,
        },
    ],
    "metrics": [{"use": "fertility", "power": 3.0}],
    "baseline": "bpe",
    "seed": 7,
    "resamples": 1000,
    "repeats": 3,
    "gate": 0.01,
    "resample-by": "line",
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
    assert experiment.path == Path("config.yaml")
    assert experiment.train.splitter_name == "whitespace"
    assert experiment.train.source.path == (Path("train.txt"),)
    assert [*experiment.tests] == ["held-out", "dev"]
    assert experiment.tests["dev"].source.split == 0.1
    assert ([*experiment.lists], [*experiment.gold]) == (["novel"], ["english"])
    assert [system.name for system in experiment.systems] == ["bpe", "textbook", "char"]
    assert [metric.name for metric in experiment.metrics] == ["fertility(power=3)"]
    assert (experiment.baseline, experiment.seed, experiment.resamples) == ("bpe", 7, 1000)
    assert experiment.warnings == (
        "system textbook: not compared at merges:10, where the baseline bpe has no such size",
    )


def test_what_is_not_written_has_its_default(load):
    text = "corpora: {train: train.txt, test: test.txt}\nsizes: [100]\nsystems: [bpe]\n"
    experiment = load(text)
    assert (experiment.baseline, experiment.seed, experiment.resamples) == ("bpe", 0, 1000)


WRONG = """\
corpora:
  train: {path: train.txt, words: wrds}
  test: {held-out: missing.txt, dev: {split: 2}}
sizes: [250, 1e3, -4]
systems:
  - learner: bpe
  - {learner: {use: bpe, merge: lst}, sises: [5]}
  - {learner: char, segmenter: longest}
metrics: [fertilty, boundary-f1]
baseline: bep
sede: 3
seed: 0
seed: 1
resamples: '100'
"""

PROBLEMS = """\
config.yaml:2:35: corpora.train.words: no plugin offers a splitter 'wrds'; did you mean 'words' \
(of a-package)?
      train: {path: train.txt, words: wrds}
                                      ^
config.yaml:3:20: corpora.test.held-out: there is no file missing.txt
      test: {held-out: missing.txt, dev: {split: 2}}
                       ^
config.yaml:3:46: corpora.test.dev.split: found 2, expected a number less than 1
      test: {held-out: missing.txt, dev: {split: 2}}
                                                 ^
config.yaml:4:14: sizes[1]: some YAML readers read 1e3 as a number, others don't: write 1000, or \
'1e3' in quotes for text
    sizes: [250, 1e3, -4]
                 ^
config.yaml:4:19: sizes[2]: found -4, expected a number greater than 0
    sizes: [250, 1e3, -4]
                      ^
config.yaml:7:5: systems[1]: the system on line 6 is called 'bpe' too: give one of them a `name`
      - {learner: {use: bpe, merge: lst}, sises: [5]}
        ^
config.yaml:7:33: systems[1].learner.merge: found 'lst', expected 'indexed' or 'list'
      - {learner: {use: bpe, merge: lst}, sises: [5]}
                                    ^
config.yaml:7:39: systems[1].sises: unknown key `sises`; did you mean `sizes`?
      - {learner: {use: bpe, merge: lst}, sises: [5]}
                                          ^
config.yaml:8:32: systems[2].segmenter: no plugin offers a segmenter 'longest'; did you mean \
'longest-match' (of a-package)?
      - {learner: char, segmenter: longest}
                                   ^
config.yaml:9:11: metrics[0]: no plugin offers a metric 'fertilty'; did you mean 'fertility' \
(of a-package)?
    metrics: [fertilty, boundary-f1]
              ^
config.yaml:9:21: metrics[1]: 'boundary-f1' needs gold segmentations: add a corpus under \
corpora.gold
    metrics: [fertilty, boundary-f1]
                        ^
config.yaml:10:11: baseline: no system is called 'bep'; did you mean 'bpe'?
    baseline: bep
              ^
config.yaml:11:1: sede: unknown key `sede`; did you mean `seed`?
    sede: 3
    ^
config.yaml:13:1: the key `seed` stands twice, first on line 12
    seed: 1
    ^
config.yaml:14:12: resamples: found '100', expected a number: leave the quotes out
    resamples: '100'
               ^"""


def test_all_problems_are_shown_at_once_in_the_order_of_the_file(load):
    with pytest.raises(ConfigError) as caught:
        load(WRONG)
    assert str(caught.value) == PROBLEMS
    assert caught.value.exit_code == 2
    assert len(caught.value.problems) == 15


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("seed: -1", "4:7: seed: found -1, expected a number greater than or equal to 0"),
        ("seed: 0.5", "4:7: seed: found 0.5, expected a whole number"),
        ("seed: true", "4:7: seed: found true, expected a number"),
        ("seed: null", "4:7: seed: found null, expected a whole number"),
        ("resamples: 0", "4:12: resamples: found 0, expected a number greater than or equal to 1"),
        (
            "resamples: 2000000",
            "4:12: resamples: found 2000000, expected a number less than or equal to 1000000",
        ),
        (
            "engine: process",
            "4:9: engine: found 'process', expected 'auto', 'compiled' or 'python'",
        ),
        (
            "engines: python",
            "4:1: engines: unknown key `engines`; did you mean `engine`?",
        ),
        ("Baseline: bpe", "4:1: Baseline: unknown key `Baseline`; did you mean `baseline`?"),
    ],
)
def test_a_wrong_value_of_the_whole_config_is_refused(refused, line, message):
    text = "corpora: {train: train.txt, test: test.txt}\nsizes: [100]\nsystems: [bpe]\n"
    column = int(message.split(":")[1])
    shown = f"config.yaml:{message}\n    {line}\n    {' ' * (column - 1)}^"
    assert refused(f"{text}{line}\n") == (shown, 2)


def test_what_a_config_must_have_is_missing(refused):
    message = (
        "config.yaml:1:1: the key `corpora` is missing\n    seed: 0\n    ^\n"
        "config.yaml:1:1: the key `systems` is missing\n    seed: 0\n    ^"
    )
    assert refused("seed: 0\n") == (message, 2)


def test_a_config_error_comes_before_a_plugin_error_and_that_before_a_missing_file(refused):
    def code(train, learner, seed):
        text = f"corpora: {{train: {train}, test: test.txt}}\nsizes: [5]\nseed: {seed}\n"
        return refused(f"{text}systems: [{learner}]\n")[1]

    assert code("no.txt", "extra", "x") == 2
    assert code("no.txt", "extra", "0") == 3
    assert code("no.txt", "bpe", "0") == 4
