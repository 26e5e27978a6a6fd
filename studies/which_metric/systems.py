"""The systems of the study, and the config of a part: a text at a size."""

from typing import NamedTuple

import yaml
from texts import Text

CONTROL = "control"


class Studied(NamedTuple):
    """A system as a config spells it, and the family of its learner.

    A `control` should not fool any metric, and is in no correlation. A `halved` one has half the
    size.
    """

    name: str
    family: str
    config: dict[str, object]
    halved: bool = False


def studied(name: str, family: str, learner: object, **options: object) -> Studied:
    """Build a system from its learner and the other keys of its config."""
    return Studied(name, family, {"name": name, "learner": learner, **options})


BOW = {"use": "bpe", "eow": "absent", "bow": "fused"}
LINES = {"use": "byte-bpe", "read": "lines"}
FREQUENT = {"use": "wordpiece", "min-pair-count": 5}

SYSTEMS = (
    studied("bpe", "bpe", "bpe"),
    studied("bpe-beginning", "bpe", BOW),
    studied("bpe-no-mark", "bpe", {"use": "bpe", "eow": "absent"}),
    studied("bpe-both-ends", "bpe", {"use": "bpe", "bow": "fused"}),
    studied("bpe-separate", "bpe", {"use": "bpe", "eow": "separate"}),
    studied("bpe-words", "bpe", "bpe", split="words"),
    studied("bpe+longest-match", "bpe", "bpe", segmenter="longest-match"),
    studied("bpe+fewest-tokens", "bpe", "bpe", segmenter="fewest-tokens"),
    studied("sentencepiece-bpe", "bpe", "sentencepiece-bpe", context="isolated"),
    studied("byte-bpe", "byte-bpe", "byte-bpe"),
    studied("byte-bpe-words", "byte-bpe", "byte-bpe", split="words"),
    studied("byte-bpe+longest-match", "byte-bpe", "byte-bpe", segmenter="longest-match"),
    studied("byte-bpe-gpt2", "byte-bpe", {**LINES, "split": "gpt2"}),
    studied("byte-bpe-o200k", "byte-bpe", {**LINES, "split": "o200k"}),
    studied("byte-bpe-across", "byte-bpe", {**LINES, "split": "none"}),
    studied("unigram", "unigram", "unigram"),
    studied("unigram-words", "unigram", "unigram", split="words"),
    studied("unigram+longest-match", "unigram", "unigram", segmenter="longest-match"),
    studied("unigram+fewest-tokens", "unigram", "unigram", segmenter="fewest-tokens"),
    studied("sentencepiece-unigram", "unigram", "sentencepiece-unigram", context="isolated"),
    studied("wordpiece", "wordpiece", FREQUENT),
    studied("wordpiece-words", "wordpiece", FREQUENT, split="words"),
    studied("wordpiece+fewest-tokens", "wordpiece", FREQUENT, segmenter="fewest-tokens"),
    studied("random-cuts", CONTROL, "random-cuts"),
    studied("dropped", CONTROL, "dropped"),
    studied("bpe-again", CONTROL, "bpe"),
    studied("duplicated", CONTROL, "duplicated"),
    studied("one-copy", CONTROL, {"use": "duplicated", "copies": 1})._replace(halved=True),
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
            {**system.config, "sizes": [size // 2 if system.halved else size]}
            for system in systems
        ],
        "metrics": [metric for metric in metrics if gold or metric not in OF_GOLD],
        "baseline": None,
        "bands": [],
        "resample-by": "line",
        "training-samples": samples,
    }  # fmt: skip
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
