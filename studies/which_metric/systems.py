"""The systems of the study, and the config of a part of it: a text at a size."""

from typing import NamedTuple

import yaml
from texts import Text

CONTROL = "control"


class Studied(NamedTuple):
    """A system as a config spells it, and the family of its learner.

    A `control` must fool no metric, and stands in no correlation. `halved` ones get half the size.
    """

    name: str
    family: str
    config: dict[str, object]
    halved: bool = False


def own(name: str, family: str, learner: object, **rest: object) -> Studied:
    """Name a system."""
    return Studied(name, family, {"name": name, "learner": learner, **rest})


BOW = {"use": "bpe", "eow": "absent", "bow": "fused"}
LINES = {"use": "byte-bpe", "read": "lines"}
FREQUENT = {"use": "wordpiece", "min-pair-count": 5}

SYSTEMS = (
    own("bpe", "bpe", "bpe"),
    own("bpe-beginning", "bpe", BOW),
    own("bpe-no-mark", "bpe", {"use": "bpe", "eow": "absent"}),
    own("bpe-both-ends", "bpe", {"use": "bpe", "bow": "fused"}),
    own("bpe-separate", "bpe", {"use": "bpe", "eow": "separate"}),
    own("bpe-words", "bpe", "bpe", split="words"),
    own("bpe+longest-match", "bpe", "bpe", segmenter="longest-match"),
    own("bpe+fewest-tokens", "bpe", "bpe", segmenter="fewest-tokens"),
    own("sentencepiece-bpe", "bpe", "sentencepiece-bpe", context="isolated"),
    own("byte-bpe", "byte-bpe", "byte-bpe"),
    own("byte-bpe-words", "byte-bpe", "byte-bpe", split="words"),
    own("byte-bpe+longest-match", "byte-bpe", "byte-bpe", segmenter="longest-match"),
    own("byte-bpe-gpt2", "byte-bpe", {**LINES, "split": "gpt2"}),
    own("byte-bpe-o200k", "byte-bpe", {**LINES, "split": "o200k"}),
    own("byte-bpe-across", "byte-bpe", {**LINES, "split": "none"}),
    own("unigram", "unigram", "unigram"),
    own("unigram-words", "unigram", "unigram", split="words"),
    own("unigram+longest-match", "unigram", "unigram", segmenter="longest-match"),
    own("unigram+fewest-tokens", "unigram", "unigram", segmenter="fewest-tokens"),
    own("sentencepiece-unigram", "unigram", "sentencepiece-unigram", context="isolated"),
    own("wordpiece", "wordpiece", FREQUENT),
    own("wordpiece-words", "wordpiece", FREQUENT, split="words"),
    own("wordpiece+fewest-tokens", "wordpiece", FREQUENT, segmenter="fewest-tokens"),
    own("random-cuts", CONTROL, "random-cuts"),
    own("dropped", CONTROL, "dropped"),
    own("bpe-again", CONTROL, "bpe"),
    own("duplicated", CONTROL, "duplicated"),
    own("one-copy", CONTROL, {"use": "duplicated", "copies": 1})._replace(halved=True),
)

METRICS = (
    "bits-per-byte", {"use": "bits-per-byte", "order": 1}, "bits-per-byte-witten-bell",
    "escaped-bytes", "tokens", "fertility", "kept-whole-running", "kept-whole-distinct",
    "single-characters", "bytes-per-token", "vocabulary-use", "token-length",
    "renyi-efficiency-declared", "renyi-efficiency-observed", "shannon-efficiency-declared",
    "shannon-efficiency-observed", "boundary-kappa", "boundary-precision-micro",
    "boundary-recall-micro", "boundary-f1-micro", "boundary-f1-bpr", "exact-match",
)  # fmt: skip

OF_GOLD = tuple(METRICS[METRICS.index("boundary-kappa") :])
"""The metrics that need gold words."""


def config(
    text: Text,
    size: int,
    systems: tuple[Studied, ...] = SYSTEMS,
    samples: int = 5,
    metrics: tuple[object, ...] = METRICS,
    gold: bool = True,
) -> str:
    """Write the config of a text at a size."""
    words = {"path": text.gold, "format": text.gold_format, "mismatch": "skip"}
    document = {
        "corpora": {
            "train": {"path": "train.txt", "words": "whitespace"},
            "test": {name: {"path": f"{name}.txt", "words": "whitespace"} for name in text.tests},
            **({"gold": {"gold": words}} if gold else {}),
        },
        "systems": [
            {**one.config, "sizes": [size // 2 if one.halved else size]} for one in systems
        ],
        "metrics": [one for one in metrics if gold or one not in OF_GOLD],
        "baseline": None,
        "bands": [],
        "resample-by": "line",
        "training-samples": samples,
    }  # fmt: skip
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
