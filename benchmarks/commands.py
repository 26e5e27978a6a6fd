"""The commands of each task of `tasks.py`, by peer."""

import json
import os
import sys
from collections.abc import Mapping
from typing import Any

import yaml
from measure import Command
from setting import OURS, ROOT, TOKBENCH, Setting, environment, tokbench_run

Commands = Mapping[str, Command]


def learn(setting: Setting, scale: int) -> Commands:
    """Learn one vocabulary from a text of the given scale."""
    text = str(setting.texts.at(scale))
    peers = [*OURS, "gigatoken", "rustbpe", "ffbpe", "sentencepiece", "tokenizers"]
    # It takes minutes for a longer text.
    peers += ["subword-nmt"] if scale == 1 else []
    return {peer: setting.job("learn", peer, text=text, size=setting.size) for peer in peers}


def learn_letters(setting: Setting, scale: int) -> Commands:
    """Learn one vocabulary from a text whose words are letters only."""
    text = str(setting.texts.at(scale, letters=True))
    peers = ("gigatoken", *OURS, "ffbpe")
    return {peer: setting.job("learn", peer, text=text, size=setting.size) for peer in peers}


def sweep(setting: Setting, scale: int) -> Commands:
    """Learn and score a list of sizes."""
    return {
        "tokenizers, distinct words": _sweep(setting, "tokenizers", "words"),
        "tokenizers, whole text": _sweep(setting, "tokenizers", "text"),
        **{peer: _sweep(setting, peer, "words") for peer in OURS},
    }


def _sweep(setting: Setting, peer: str, over: str) -> Command:
    text = str(setting.texts.at(1, letters=True))
    return setting.job("sweep", peer, text=text, sizes=setting.sizes, over=over)


def curve(setting: Setting, scale: int) -> Commands:
    """Score the listed sizes, and every size."""
    text = str(setting.texts.at(1, letters=True))
    return {
        f"{peer}, {name}": setting.job("curve", peer, text=text, sizes=setting.sizes, every=every)
        for peer in OURS
        for name, every in (("listed sizes", False), ("every size", True))
    }


LOADS = {
    "gigatoken": "plain",
    "tiktoken": "plain",
    "rustbpe": "plain",
    "ffbpe": "plain",
    "sentencepiece": "plain",
    "tokenizers": "marked",
    "subword-nmt": "marked",
    **dict.fromkeys(OURS, "marked"),
}
"""The vocabulary that each peer segments with; some can only learn one of the same size."""


def segment(setting: Setting, scale: int) -> Commands:
    """Cut all distinct words of the text with one vocabulary."""
    return {
        peer: setting.job(
            "segment", peer, text=str(setting.texts.at(1)),
            vocabulary=setting.vocabularies[kind], repetitions=setting.repetitions,
        )
        for peer, kind in LOADS.items()
    }  # fmt: skip


def histogram(setting: Setting, scale: int) -> Commands:
    """Score the histogram of tokens of a large text."""
    vocabulary, folder = setting.vocabularies["marked"], str(setting.folder)
    text = str(setting.texts.at(10))
    setting.answer(
        "tokens", "tokbench", text=text, vocabulary=vocabulary, out=folder, tokens=setting.tokens
    )
    return {
        peer: setting.job("histogram", peer, folder=folder, vocabulary=vocabulary)
        for peer in ("tokenization-scorer", *OURS)
    }


def whole_run(setting: Setting, scale: int) -> Commands:
    """Run the Shakespeare config as a whole."""
    config, corpora = ROOT / "configs" / "shakespeare.yaml", str(setting.texts.source.parent)
    runs = {
        peer: tokbench_run(
            config,
            setting.folder / peer.replace(" ", "-"),
            **environment(peer),
            TOKBENCH_CORPORA=corpora,
        )
        for peer in OURS
    }
    return {"tokenizers": _sweep(setting, "tokenizers", "text"), **runs}


NOISE = {
    "typos": {"generate": "keyboard", "of": "held-out"},
    "look-alikes": {"generate": "homoglyphs", "of": "held-out"},
}


def unseen_words(setting: Setting, scale: int) -> Commands:
    """Run three systems at all sizes: without bands, with bands, with two kinds of noise."""
    corpora = _corpora(setting)
    unmarked = {"name": "unmarked", "learner": {"use": "bpe", "eow": "absent"}}
    config = {"sizes": [*setting.sizes], "systems": ["bpe", unmarked, "word"]}
    variants = {
        "no bands": {"corpora": corpora, "bands": []},
        "bands": {"corpora": corpora},
        "noise": {"corpora": {**corpora, "pairs": NOISE}},
    }
    return {
        name: _run_of(setting, name, {**config, **variant}) for name, variant in variants.items()
    }


SMALLEST, LARGEST = 500, 5_000
"""The sizes of systems side by side: below, some learners fail; beyond, some take minutes."""


def side_by_side(setting: Setting, scale: int) -> Commands:
    """Run the systems of the field but Morfessor, learned once: one by one, and two at a time."""
    config = yaml.safe_load((ROOT / "configs" / "field.yaml").read_text("utf-8"))
    config |= {
        "corpora": _corpora(setting),
        "sizes": [size for size in setting.sizes if SMALLEST <= size <= LARGEST],
        "systems": [system for system in config["systems"] if "morfessor" not in str(system)],
        "training-samples": 0,
    }
    for system in config["systems"]:
        if isinstance(system, dict):
            system.pop("sizes", None)
    return {
        f"jobs: {jobs}": _run_of(setting, f"jobs-{jobs}", {**config, "jobs": jobs})
        for jobs in (1, 2)
    }


def _corpora(setting: Setting) -> dict[str, Any]:
    text = {"path": str(setting.texts.at(1)), "words": "whitespace"}
    return {"train": text, "test": {"held-out": {"split": 0.05, "of": "train"}}}


def _run_of(setting: Setting, name: str, config: dict[str, Any]) -> Command:
    path = setting.folder / f"{name.replace(' ', '-')}.yaml"
    path.write_text(json.dumps(config), encoding="utf-8")
    return tokbench_run(path, path.with_suffix(""))


def page(setting: Setting, scale: int) -> Commands:
    """Write a run of the shipped config with and without its page, and the page of 50 systems."""
    config = str(ROOT / "configs" / "bpe.yaml")
    peers = ("without page", "with page", "50 systems")
    return {peer: setting.job("page", peer, config=config) for peer in peers}


def model(setting: Setting, scale: int) -> Commands:
    """Price a text by count models of an order that is given, and of the order that is best."""
    text = str(setting.texts.at(1))
    tokens = (("bytes", None, 8), ("BPE, 1,000 tokens", 1000, 7), ("BPE, 4,000 tokens", 4000, 5))
    return {
        f"{of}, {how}": setting.job("model", of, text=text, size=size, order=order)
        for of, size, best in tokens
        for how, order in ((f"order {best}", best), ("order chosen", None))
    }


WRAPPED = ("gpt2", "bert", "cl100k", "xlnet", "mistral")


def wrap(setting: Setting, scale: int) -> Commands:
    """Cut the text with ready-made tokenizers, by tokbench and by their library alone."""
    models = os.environ.get("TOKBENCH_MODELS")
    if not models:
        return {}
    return {
        f"{tokenizer}: {peer}": setting.job(
            "wrap", peer, text=str(setting.texts.at(1)), models=models, tokenizer=tokenizer
        )
        for tokenizer in WRAPPED
        for peer in ("library", "tokbench")
    }


def start(setting: Setting, scale: int) -> Commands:
    """Start programs that do next to nothing: help, a config error, an import."""
    wrong = setting.folder / "wrong.yaml"
    wrong.write_text("corpora: {train: no.txt}\nsystems: [bpee]\n", encoding="utf-8")
    toy = [TOKBENCH, "run", "--fresh", "-o", str(setting.folder / "toy")]
    toy.append(str(ROOT / "configs" / "toy.yaml"))
    python = [sys.executable, "-c"]
    packages = ("tokenizers", "sentencepiece", "gigatoken", "tiktoken", "rustbpe", "ffbpe")
    return {
        "python -c pass": Command([*python, "pass"]),
        "tokbench --version": Command([TOKBENCH, "--version"]),
        "tokbench --help": Command([TOKBENCH, "--help"]),
        "a config error": Command([TOKBENCH, "run", str(wrong)], code=2),
        "first line of a run": Command(toy, {"TERM": "xterm"}, first_line=True),
        **{f"import {name}": Command([*python, f"import {name}"]) for name in packages},
    }
