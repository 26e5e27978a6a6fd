"""Keys and values that YAML allows and a config does not; and aliases, which it does."""

import pytest

BASE = "corpora: {train: train.txt, test: test.txt}\nsizes: [100]\nsystems: [bpe]\n"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            "seed: 010\n",
            "config.yaml:4:7: seed: some YAML readers read 010 as an octal number, others don't: "
            "write 10, or '010' in quotes for text\n    seed: 010\n          ^",
        ),
        (
            "baseline: no\n",
            "config.yaml:4:11: baseline: some YAML readers read no as false, others don't: "
            "write false, or 'no' in quotes for text\n    baseline: no\n              ^",
        ),
        (
            "on: 1\n",
            "config.yaml:4:1: on: some YAML readers read on as true, others don't: "
            "write true, or 'on' in quotes for text\n    on: 1\n    ^",
        ),
        (
            "5: 1\n",
            "config.yaml:4:1: 5: found a key that is no text: write '5' in quotes\n    5: 1\n    ^",
        ),
        (
            "[a]: 1\n",
            "config.yaml:4:1: found a key that is no text, expected `key: value`\n"
            "    [a]: 1\n    ^",
        ),
        (
            "sizes: [200]\n",
            "config.yaml:4:1: the key `sizes` stands twice, first on line 2\n"
            "    sizes: [200]\n    ^",
        ),
        (
            "seed:\n",
            "config.yaml:4:1: seed: has no value: write one, or leave the key out\n"
            "    seed:\n    ^",
        ),
        (
            'metrics: [fertility, ]\n  \nbaseline: "\\ud800"\n',
            "config.yaml:6:11: baseline: found half of a surrogate pair, expected a character\n"
            '    baseline: "\\ud800"\n              ^',
        ),
        (
            "metrics:\n  - fertility\n  -\n",
            "config.yaml:6:4: metrics[1]: found nothing, expected a value\n      -\n       ^",
        ),
        (
            "<<: {seed: 1}\n",
            "config.yaml:4:1: a config has no merge keys `<<`: write the keys out\n"
            "    <<: {seed: 1}\n    ^",
        ),
        (
            "baseline: !!python/name:os.system bpe\n",
            "config.yaml:4:11: baseline: found the tag !!python/name:os.system, "
            "expected a value without a tag\n"
            "    baseline: !!python/name:os.system bpe\n              ^",
        ),
        (
            "baseline: !!str bpe\n",
            "config.yaml:4:11: baseline: found the tag !!str, expected a value without a tag\n"
            "    baseline: !!str bpe\n              ^",
        ),
        (
            "!mine seed: 5\n",
            "config.yaml:4:1: found the tag !mine, expected a value without a tag\n"
            "    !mine seed: 5\n    ^",
        ),
        (
            "metrics: !!set {fertility: fertility}\n",
            "config.yaml:4:10: metrics: found the tag !!set, expected a value without a tag\n"
            "    metrics: !!set {fertility: fertility}\n             ^",
        ),
    ],
)
def test_what_yaml_allows_and_a_config_does_not(refused, lines, message):
    assert refused(BASE + lines) == (message, 2)


def test_aliases_repeat_what_they_name(load):
    text = "corpora: {train: &text train.txt, test: *text}\nsizes: &s [100, 200]\n"
    experiment = load(text + "systems: [bpe, {name: other, learner: bpe, sizes: *s}]\n")
    assert [size.total for size in experiment.systems[1].sizes] == [100, 200]
    assert experiment.tests["test"].source == experiment.train.source


def test_a_quoted_value_is_text(load):
    text = "corpora: {train: train.txt, test: {'no': test.txt, \"010\": more.txt}}\n"
    experiment = load(text + "sizes: [100]\nsystems: [{name: '1e3', learner: bpe}]\n")
    assert [*experiment.tests] == ["no", "010"]
