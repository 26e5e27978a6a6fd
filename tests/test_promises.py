"""Every registered component keeps its promises, with its defaults and in its main variants."""

import re
from pathlib import Path
from typing import Any

import pytest

from tokbench.testing import Promise, promises

from .conftest import ROOT, SHARED

READY_MADE = SHARED / "tokenizers"

Variants = dict[str, list[dict[str, Any]]]

VARIANTS: Variants = {
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
    "learner byte-bpe": [
        {"read": "lines"},
        {"read": "lines", "split": "none", "ties": "first"},
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
        {"read": "lines", "normalisation": "nmt_nfkc", "remove-extra-whitespaces": True},
        {"byte-fallback": True, "treat-whitespace-as-suffix": True},
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
    "segmenter byte-bpe": [{"split": "cl100k"}, {"split": "none"}],
    "segmenter fewest-tokens": [{"ties": "longest-first"}],
    "segmenter unigram": [{"precision": "single"}],
    "segmenter wordpiece": [{"whole-word-unknown": False, "max-characters": None}],
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
"""Ready-made tokenizers, checked by the slow tests where the shared data are there."""

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

IN_FRESH_PROCESS = ("JSON", "deterministic")
LONG = (
    "hf",
    "sentencepiece",
    "tiktoken",
    "bert",
    "cl100k",
    "gpt2",
    "morfessor",
    "subword-nmt",
    "fewest-tokens",
    "kiwi",
)
"""Components that start a process for each learning run, or have large vocabularies or models."""


def variants() -> Variants:
    """Return the variants, and the ready-made tokenizers whose files are there."""
    found = {name: [*listed] for name, listed in VARIANTS.items()}
    for name, listed in FILES.items():
        for options in listed:
            paths = {key: READY_MADE / text for key, text in options.items() if key != "kind"}
            if all(path.exists() for path in paths.values()):
                placed = {key: str(path) for key, path in paths.items()}
                found.setdefault(name, []).append({**options, **placed})
    return found


def is_slow(promise: Promise) -> bool:
    """Tell what takes seconds: large vocabularies or models, many processes, most variants."""
    kind, _, name = promise.subject.partition(" ")
    if kind in ("metric", "plugin") or promise.name == "documented":
        return False
    # A vocabulary of over a million tokens takes seconds to write and read.
    if name == "code-points" or name.startswith(LONG):
        return True
    return "(" in name and (not name.startswith("bpe(") or promise.name in IN_FRESH_PROCESS)


WITHOUT_FILES = ("learner o200k", "learner p50k", "learner r50k")
"""Tokenizers whose files nobody has here; only the file makes them other than `cl100k`."""


def made(variants: Variants) -> dict[str, Promise]:
    """Return the promises by name."""
    found = promises(variants=variants, known_breaks=KNOWN_BREAKS)
    return {str(p): p for p in found if p.subject not in WITHOUT_FILES}


# By name, since promises keep the vocabularies that they were checked with, 200 MB in the end.
QUICK = [name for name, promise in made(VARIANTS).items() if not is_slow(promise)]
SLOW = [name for name in made(variants()) if name not in QUICK]
OF_FILES = [name for name in SLOW if ONLY_FROM_FILES.match(name)]


@pytest.fixture(scope="module")
def without_files() -> dict[str, Promise]:
    return made(VARIANTS)


@pytest.fixture(scope="module")
def with_files() -> dict[str, Promise]:
    return made(variants())


@pytest.mark.parametrize("name", QUICK)
def test_promise(name: str, without_files: dict[str, Promise]) -> None:
    without_files[name].check()


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name in SLOW if name not in OF_FILES])
def test_long_promise(name: str, with_files: dict[str, Promise]) -> None:
    with_files[name].check()


@pytest.mark.nightly
@pytest.mark.parametrize("name", OF_FILES)
def test_promise_of_files(name: str, with_files: dict[str, Promise], shared: Path) -> None:
    with_files[name].check()
