"""The metrics: listed, or all whose needs are met."""

from tests.tiny import offering
from tokbench.api import Metric

TEXT = "corpora: {train: train.txt, test: test.txt}\nsizes: [100]\nsystems: [bpe]\n"
GOLD = TEXT.replace("test: test.txt", "gold: {g: gold.tsv}")
BOTH = TEXT.replace("test: test.txt", "test: test.txt, gold: {g: gold.tsv}")


class Above(Metric):
    """Has an option without a default, so it counts only when it is asked for."""

    formula, range = "1", (1, 1)
    threshold: float

    def count(self, segmentation):
        return {"words": segmentation.chars > 0}

    def score(self, sums, vocabulary_size):
        return 1.0


def names(experiment):
    return [metric.name for metric in experiment.metrics]


def test_all_are_the_metrics_whose_needs_are_met(load):
    registry = offering(above=Above)
    of_text = {*names(load(TEXT + "metrics: all\n", registry))}
    of_gold = {*names(load(GOLD + "metrics: all\n", registry))}
    assert {"fertility", "unseen-words-running"} <= of_text
    assert {"boundary-f1-bpr", "morpheme-distance"} <= of_gold - of_text
    assert not {"above", "parity", "nsl"} & (of_text | of_gold)
    (warning,) = load(TEXT + "metrics: all\n", registry).warnings
    assert warning == (
        "metrics: `all` leaves out bits-per-byte, bits-per-byte-witten-bell, escaped-bytes (they "
        "learn a model) and parity, nsl, above (they need an option): list them too"
    )


def test_without_a_list_the_core_counts(load):
    of_text = [
        "round-trip", "round-trip-text", "oov-words-running", "unknown-characters",
        "kept-whole-running", "single-characters", "tokens", "fertility", "bytes-per-token",
        "vocabulary-use", "renyi-efficiency-declared",
    ]  # fmt: skip
    of_gold = ["boundary-f1-micro", "boundary-kappa", "boundary-f1-chance"]
    assert names(load(TEXT)) == of_text
    assert names(load(BOTH)) == names(load(BOTH + "metrics: null\n")) == [*of_text, *of_gold]


def test_chance_stands_beside_what_it_is_the_chance_of(load):
    added = names(load(GOLD + "metrics: [boundary-f1-micro]\n"))
    assert added == ["boundary-f1-micro", "boundary-f1-chance"]
    listed = "metrics: [boundary-f1-chance, boundary-f1-micro]\n"
    assert names(load(GOLD + listed)) == added[::-1]


def test_listed_metrics_keep_their_order_and_are_named_with_their_options(load):
    power = "renyi-efficiency-observed"
    experiment = load(TEXT + f"metrics: [tokens, {power}, {{use: {power}, power: 3}}, fertility]\n")
    assert names(experiment) == ["tokens", power, f"{power}(power=3)", "fertility"]
