"""Every registered component keeps its promises, with its defaults and in its main variants."""

import pytest

from tokbench.testing import Promise, promises

VARIANTS = {
    "learner bpe": [
        {"merge": "list", "ties": "first"},
        {"merge": "regex", "eow": "separate"},
        {"merge": "replace", "eow": "absent", "bow": "fused"},
        {"eow": "fenced", "bow": {"kind": "fenced", "text": "_"}},
        {"eow": "absent", "continuation": "fused"},
        {"continuation": {"kind": "display", "text": "@@"}, "eow": "absent"},
        {"bow": "separate", "eow": "fused", "ties": "smallest"},
        {"alphabet": {"coverage": 0.9}, "min-pair-count": 3},
        {"alphabet": {"forms": "seen"}},
    ],
    "metric renyi-efficiency-observed": [{"power": 1.0}, {"power": 0.5}],
    "metric renyi-efficiency-declared": [{"power": 30.0}],
}

IN_FRESH_PROCESS = ("JSON", "deterministic")


def parameters():
    """Mark as slow what starts a process for a mere variant."""
    for promise in promises(variants=VARIANTS):
        slow = promise.name in IN_FRESH_PROCESS and promise.subject.startswith("learner bpe(")
        yield pytest.param(promise, id=str(promise), marks=[pytest.mark.slow] if slow else [])


@pytest.mark.parametrize("promise", [*parameters()])
def test_promise(promise: Promise) -> None:
    promise.check()
