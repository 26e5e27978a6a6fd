"""The metrics: listed, or all whose needs are met."""

import pytest

from tests.tiny import installed
from tokbench.api import WholeMetric
from tokbench.plugins import Broken, Offer, Plugin, Registry

TEXT = "corpora: {train: train.txt, test: test.txt}\nsizes: [100]\nsystems: [bpe]\n"
GOLD = TEXT.replace("test: test.txt", "gold: {g: gold.tsv}")


class Lacking(WholeMetric):
    formula, range = "1", (1, 1)
    requires, requires_modules = "a-package[extra]", ("no_such_module",)

    def measure(self, segmentation):
        return 1.0


def names(experiment):
    return [metric.name for metric in experiment.metrics]


def test_all_are_the_metrics_whose_needs_are_met(load):
    # `above` has an option without a default, so it counts only when it is asked for.
    assert names(load(TEXT + "metrics: all\n")) == ["fertility"]
    assert names(load(GOLD + "metrics: all\n")) == ["fertility", "boundary-f1"]


def test_without_a_list_the_core_counts(load):
    assert names(load(GOLD)) == names(load(GOLD + "metrics: null\n")) == ["fertility"]
    both = TEXT.replace("test: test.txt", "test: test.txt, gold: {g: gold.tsv}")
    of_text = [
        "round-trip", "oov-words-running", "unknown-characters", "kept-whole-running",
        "single-characters", "tokens", "fertility", "bytes-per-token", "vocabulary-use",
        "renyi-efficiency-declared",
    ]  # fmt: skip
    assert names(load(TEXT, registry=installed())) == of_text
    core = names(load(both, registry=installed()))
    of_gold = ["boundary-f1-micro", "boundary-kappa", "boundary-f1-chance"]
    assert core == [*of_text, *of_gold]
    assert len(core) == 12 + 1, "and what chance alone gives"


def test_chance_stands_beside_what_it_is_the_chance_of(load):
    found = names(load(GOLD + "metrics: [boundary-f1-micro]\n", registry=installed()))
    assert found == ["boundary-f1-micro", "boundary-f1-chance"]
    listed = "metrics: [boundary-f1-chance, boundary-f1-micro]\n"
    assert names(load(GOLD + listed, registry=installed())) == found[::-1]


def test_listed_metrics_keep_their_order_and_are_named_with_their_options(load):
    experiment = load(GOLD + "metrics: [fertility, {use: fertility, power: 3}, boundary-f1]\n")
    assert names(experiment) == ["fertility", "fertility(power=3)", "boundary-f1"]
    assert experiment.metrics[1].metric.power == 3.0


@pytest.mark.parametrize(
    ("text", "metrics", "message"),
    [
        (
            TEXT,
            "[boundary-f1]",
            "4:11: metrics[0]: 'boundary-f1' needs gold segmentations: "
            "add a corpus under corpora.gold",
        ),
        (
            TEXT,
            "[fertilty]",
            "4:11: metrics[0]: no plugin offers a metric 'fertilty'; "
            "did you mean 'fertility' (of a-package)?",
        ),
        (TEXT, "[above]", "4:11: metrics[0]: the key `threshold` is missing"),
        (
            TEXT,
            "[fertility, {use: fertility, power: 2.5}]",
            "4:22: metrics[1]: 'fertility' stands twice with the same options",
        ),
        (
            TEXT,
            "[]",
            "4:10: metrics: found an empty list, "
            "expected a list of metrics, or `all`; without it a core of 12 is scored",
        ),
        (
            TEXT,
            "fertility",
            "4:10: metrics: found 'fertility', "
            "expected a list of metrics, or `all`; without it a core of 12 is scored",
        ),
        (
            TEXT,
            "[5]",
            "4:11: metrics[0]: found 5, expected a name, or {use: name, option: value}",
        ),
    ],
)
def test_a_wrong_metric_is_refused_where_it_stands(refused, text, metrics, message):
    column = int(message.split(":")[1])
    shown = f"config.yaml:{message}\n    metrics: {metrics}\n    {' ' * (column - 1)}^"
    assert refused(f"{text}metrics: {metrics}\n") == (shown, 2)


def test_a_metric_whose_extra_is_missing_is_left_out_unless_it_is_asked_for(
    load, refused, registry
):
    lacking = Offer("metric", "lacking", Lacking, Plugin("here", "a-package", "1.0"))
    extended = Registry(offers=(*registry.offers, lacking))
    experiment = load(TEXT + "metrics: all\n", registry=extended)
    needs = "'lacking' needs no_such_module: pip install 'a-package[extra]'"
    assert names(experiment) == ["fertility"]
    assert experiment.warnings == (f"a metric is left out: {needs}",)
    message = f"config.yaml:4:11: metrics[0]: {needs}\n    metrics: [lacking]\n              ^"
    assert refused(TEXT + "metrics: [lacking]\n", registry=extended) == (message, 3)


def test_a_broken_plugin_is_warned_of_where_all_metrics_are_asked_for(load, registry):
    broken = Broken(Plugin("mine", "b", "1"), "ImportError: no module")
    partly = Registry(offers=registry.offers, broken=(broken,))
    assert load(TEXT, registry=partly).warnings == (
        "plugin mine is broken, its metrics are left out: ImportError: no module",
    )
    assert load(TEXT + "metrics: [fertility]\n", registry=partly).warnings == ()


def test_a_clash_between_metrics_is_found_where_all_are_asked_for(refused, registry):
    clash = Offer("metric", "fertility", Lacking, Plugin("mine", "b", "1"))
    both = Registry(offers=(*registry.offers, clash))
    message = (
        "config.yaml:1:1: metrics: the metric 'fertility' is offered by here (a-package) and "
        "mine (b): remove one of them\n    corpora: {train: train.txt, test: test.txt}\n    ^"
    )
    assert refused(TEXT, registry=both) == (message, 3)
