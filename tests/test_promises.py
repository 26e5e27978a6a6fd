"""Every registered component keeps its promises, with its defaults and in its main variants.

What wraps a library is checked in CI, with its defaults and its first variant; nightly has the
other variants and the tokenizers that are made from files.
"""

import re
from typing import Any

import pytest

from tokbench.testing import Promise, promises

from .conftest import ROOT, SHARED

READY_MADE = SHARED / "tokenizers"

Variants = dict[str, list[dict[str, Any]]]

VARIANTS: Variants = {
    "learner bpe": [  # all of them each time
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
    "learner byte-bpe": [
        {"read": "lines"},
        {"read": "lines", "split": "none", "ties": "first"},
        {"read": "lines", "split": {"regex": "[0-9]"}},
        {"byte-order": "gpt2", "ties": "smallest", "min-pair-count": 2},
    ],
    "learner hf": [
        {"kind": "tokenizer-json", "path": str(ROOT / "tests" / "data" / "hf" / "tokenizer.json")}
    ],
    "learner hf-bpe": [{"unk-token": None}, {"end-of-word-suffix": "</w>"}],
    "learner hf-byte-bpe": [{"initial-alphabet": "seen"}],
    "learner hf-unigram": [{"metaspace": False}],
    "learner morfessor": [{"corpus-weight": 0.5}, {"dampening": "log", "force-split": ""}],
    "learner sentencepiece-bpe": [{"read": "lines"}, {"byte-fallback": True}],
    "learner sentencepiece-unigram": [
        {"byte-fallback": True, "treat-whitespace-as-suffix": True},
        {"read": "lines", "normalisation": "nmt_nfkc", "remove-extra-whitespaces": True},
    ],
    "learner subword-nmt": [{"min-frequency": 1}],
    "learner unigram": [
        {"bow": "absent", "eow": "fused"},
        {"bow": "absent"},
        {"bow": "fused", "eow": "fused", "continuation": "fused"},
        {"seeds": "branching"},
    ],
    "learner segmentations": [{"path": str(ROOT / "tests" / "data" / "segmentations.tsv")}],
    "learner vocabulary": [{"path": str(ROOT / "tests" / "data" / "vocabulary.json")}],
    "learner wordpiece": [
        {"unknown": "[UNK]"},
        {"ties": "first", "continuation": "absent"},
        {"ties": "first", "alphabet": {"coverage": 0.9, "forms": "seen"}},
    ],
    "segmenter byte-bpe": [{"split": "cl100k"}, {"split": {"regex": "e"}}],
    "segmenter fewest-tokens": [{"ties": "longest-first"}],
    "segmenter unigram": [{"precision": "single"}],
    "segmenter wordpiece": [{"whole-word-unknown": False, "max-characters": None}],
    "splitter regex": [{"pattern": "[0-9]"}, {"pattern": "(?<=[a-z])(?=[A-Z])"}],
    "splitter kiwi": [{"split-complex": True, "typos": "basic"}],
    "metric parity": [{"reference": "english"}],
    "metric nsl": [{"of": "bpe@1000"}],
    "metric renyi-efficiency-observed": [{"power": 1.0}, {"power": 0.5}],
    "metric renyi-efficiency-declared": [{"power": 30.0}],
}

FILES: dict[str, list[dict[str, str]]] = {
    "learner hf": [
        {"kind": "bert-vocab", "vocab": "bert-base-uncased/vocab.txt"},
        {"kind": "gpt2", "vocab": "gpt2/encoder.json", "merges": "gpt2/vocab.bpe"},
    ],
    "learner sentencepiece": [
        {"path": "xlnet-sp-unigram/spiece.model"},
        {"path": "mistral-sp-bpe/tokenizer.model.v1"},
        {"path": "sentencepiece-test/test_model.model"},
        {"path": "sentencepiece-test/test_ja_model.model"},
    ],
    "learner tiktoken": [{"path": "tiktoken/cl100k_base.tiktoken"}],
    "learner bert-base-uncased": [{"folder": "bert-base-uncased"}],
    "learner cl100k": [{"folder": "tiktoken"}],
    "learner gpt2": [{"folder": "gpt2"}],
}
"""Ready-made tokenizers, checked nightly where the shared data are there."""

ONLY_FROM_FILES = re.compile(
    "(learner (sentencepiece|tiktoken|bert-base-uncased|cl100k|gpt2)|segmenter tiktoken)[:(]"
)
"""Components that cannot be checked without these files."""

KNOWN_BREAKS = {
    "learner sentencepiece-unigram(read=lines,normalisation=nmt_nfkc,remove-extra-whitespaces=true)"
    ": hard Unicode": "its normalisation leaves nothing of some characters, and then there is "
    "nothing to learn",
}
"""Promises that the libraries themselves break, each with what they do."""

OURS = ("bpe", "byte-bpe", "char", "unigram", "utf8-bytes", "word", "wordpiece")
"""Our own learners and segmenters, which are checked each time."""

IN_FRESH_PROCESS = ("JSON", "deterministic", "light import")
"""Checks that start a process: each time for `bpe`, in CI for the defaults of the others."""

LONG = ("learner unigram: hard Unicode", "segmenter bpe: timeline")
"""Further promises for CI, whose words of 10,000 letters take seconds."""

WITHOUT_FILES = ("learner o200k", "learner p50k", "learner r50k")
"""Tokenizers whose files nobody has here; only the file makes them other than `cl100k`."""


def variants() -> Variants:
    """Return the variants, and the ready-made tokenizers whose files are there."""
    by_name = {name: [*listed] for name, listed in VARIANTS.items()}
    for name, listed in FILES.items():
        for options in listed:
            paths = {key: READY_MADE / text for key, text in options.items() if key != "kind"}
            if all(path.exists() for path in paths.values()):
                placed = {key: str(path) for key, path in paths.items()}
                by_name.setdefault(name, []).append({**options, **placed})
    return by_name


def main_variants() -> Variants:
    """Return the variants that are checked in CI."""
    return {n: listed if n == "learner bpe" else listed[:1] for n, listed in VARIANTS.items()}


def made(variants: Variants) -> dict[str, Promise]:
    """Return the promises by name."""
    listed = promises(variants=variants)
    return {str(p): p for p in listed if p.subject not in WITHOUT_FILES}


def is_quick(promise: Promise) -> bool:
    """Return whether a promise is checked each time."""
    kind, _, name = promise.subject.partition(" ")
    if promise.name in IN_FRESH_PROCESS:
        return name == "bpe"
    if promise.name == "documented" or kind not in ("learner", "segmenter", "splitter"):
        return True
    if kind == "splitter":
        return not name.startswith(("kiwi", "mecab-ko"))
    return str(promise) not in LONG and (name in OURS or promise.subject.startswith("learner bpe("))


def parameters() -> list[Any]:
    """Return the names of all promises, each in its tier.

    Names, since promises keep the vocabularies that they were checked with, 200 MB in the end.
    """
    usual = made(main_variants())
    parameters = []
    for name, promise in made(variants()).items():
        rare = name not in usual or ONLY_FROM_FILES.match(name) or "code-points" in promise.subject
        slow = promise.name in (*IN_FRESH_PROCESS, "hard Unicode") and not is_quick(promise)
        if rare or ("(" in promise.subject and slow):
            marks = [pytest.mark.nightly]
        else:
            marks = [] if is_quick(promise) else [pytest.mark.ci]
        if name in KNOWN_BREAKS:
            marks.append(pytest.mark.xfail(strict=True, reason=KNOWN_BREAKS[name]))
        parameters.append(pytest.param(name, id=name, marks=marks))
    return parameters


@pytest.fixture(scope="module")
def usual() -> dict[str, Promise]:
    return made(main_variants())


@pytest.fixture(scope="module")
def with_files() -> dict[str, Promise]:
    return made(variants())


@pytest.mark.parametrize("name", parameters())
def test_promise(name: str, request: pytest.FixtureRequest) -> None:
    nightly = request.node.get_closest_marker("nightly")
    request.getfixturevalue("with_files" if nightly else "usual")[name].check()
