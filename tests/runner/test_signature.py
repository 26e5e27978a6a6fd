"""Signatures by hand, and that no two treatments or options have the same."""

import hashlib
import json
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiny import BPE, FEWER_EXAMPLES, TEXTS, installed, tiny_run
from tokbench import __version__

TRAIN, TEST = (hashlib.sha256(TEXTS[name].encode()).hexdigest()[:6] for name in ("train", "test"))
TAIL = f"resamples=100,seed=7|tokbench={__version__}"


def signed(folder: Path, **keys: str | None) -> list[str]:
    run = tiny_run(folder, metrics="[fertility]", seed="7", **keys)
    return list(dict.fromkeys(run.signature(row) for row in run.rows))


def test_a_signature_names_all_that_a_number_depends_on(tmp_path: Path) -> None:
    cut = "{name: cut, learner: {use: bpe, ties: first}, segmenter: longest-match, split: words}"
    corpora = f"train=train@{TRAIN}|test=held-out@{TEST}|words=words.v2|by=block:1|fertility|{TAIL}"
    assert signed(tmp_path, systems=f"[{BPE}, char, {cut}]", sizes="[9]") == [
        f"bpe(eow=absent)|size=9|{corpora}",
        f"char|{corpora}",
        f"bpe(ties=first)+longest-match|split=words.v2|size=9|{corpora}",
    ]


def test_merges_are_no_size(tmp_path: Path) -> None:
    (signature,) = signed(tmp_path, systems=f"[{BPE}]", sizes=None, merges="[2]")
    assert signature.startswith("bpe(eow=absent)|merges=2|train=")


def test_each_corpus_has_its_treatment_and_words(tmp_path: Path) -> None:
    train = "{path: train.txt, words: whitespace, normalise: [lowercase, {remove: '[^a-z ]'}]}"
    test = "{path: test.txt, errors: replace}"
    (signature,) = signed(
        tmp_path, corpora=f"{{train: {train}, test: {{t: {test}}}}}", systems="[char]"
    )
    assert signature == (
        f'char|train=train@{TRAIN}(normalise=[lowercase,{{remove:"[^a-z ]"}}])'
        f"|test=t@{TEST}(errors=replace)|words=words.v2,train:whitespace|by=block:1|fertility|{TAIL}"
    )


def test_a_split_is_signed_as_what_it_is(tmp_path: Path) -> None:
    corpora = "{train: train.txt, test: {dev: {split: 0.25}}}"
    texts = {"train": "".join(f"ab{n} c\n" for n in range(8))}
    run = tiny_run(tmp_path, texts=texts, corpora=corpora, systems="[char]")
    assert "(split=0.25)|words=words.v2|" in run.signature(run.rows[0])
    train, dev = (corpus.sha256[:6] for corpus in run.record.corpora)
    assert f"|train=train@{train}|test=dev@{dev}(" in run.signature(run.rows[0])
    assert train != dev


def treatments(folder: Path, *options: Mapping[str, Any]) -> list[str]:
    """Run on a test corpus for each options, and return how each treatment is spelled."""
    tests = {
        f"t{number}": dict(keys) if "split" in keys else {"path": "test.txt", **keys}
        for number, keys in enumerate(options)
    }
    corpora = {"train": {"path": "train.txt", "documents": "blocks"}, "test": tests}
    run = tiny_run(
        folder, texts={"train": "ab\n\n" * 20, "test": "ab\nc\n"}, corpora=json.dumps(corpora),
        systems="[char]", metrics="[fertility]", resamples="1", sizes=None,
    )  # fmt: skip
    assert not run.failures
    return [corpus.treatment for corpus in run.record.corpora[1:]]


SPELLED: list[tuple[dict[str, Any], str]] = [
    ({}, ""),
    ({"words": "whitespace"}, ""),
    ({"normalise": ("nfc", "lowercase")}, "normalise=[nfc,lowercase]"),
    ({"normalise": ({"remove": "es"},)}, "normalise=[{remove:es}]"),
    ({"normalise": ({"remove": "e s"},)}, 'normalise=[{remove:"e s"}]'),
    ({"normalise": ({"remove": 'a"'},)}, 'normalise=[{remove:"a\\""}]'),
    ({"documents": "blocks", "errors": "replace"}, "errors=replace,documents=blocks"),
    ({"format": "words"}, "format=words"),
    ({"split": 0.1}, "split=0.1"),
    ({"split": 0.1, "by": "document"}, "split=0.1,by=document"),
]


def test_a_treatment_is_what_differs_from_the_default(tmp_path: Path) -> None:
    spelled = treatments(tmp_path, *(options for options, _ in SPELLED))
    assert spelled == [text for _, text in SPELLED]


STEPS = st.lists(
    st.sampled_from(["nfc", "nfd"])
    | st.builds(lambda pattern: {"remove": pattern}, st.text('es ,:|"]}', max_size=3)),
    max_size=2,
)


# Each example compares every pair of some treatments, since most of the time is that of the run.
@FEWER_EXAMPLES
@given(st.lists(STEPS, min_size=4, max_size=8))
def test_treatments_are_spelled_alike_only_if_they_are(
    tmp_path_factory: pytest.TempPathFactory, steps: list[list[Any]]
) -> None:
    spelled = treatments(tmp_path_factory.getbasetemp(), *({"normalise": chain} for chain in steps))
    for (chain, spelling), (other_chain, other_spelling) in combinations(
        zip(steps, spelled, strict=True), 2
    ):
        assert (spelling == other_spelling) == (chain == other_chain)


MARKS = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["fused", "separate"]),
        "text": st.text('_ ,:|"(){}=', min_size=1, max_size=2),
    }
)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "eow": MARKS,
        "bow": MARKS,
        "ties": st.sampled_from(["greatest", "first"]),
        "min-pair-count": st.integers(1, 3),
        "alphabet": st.fixed_dictionaries({"coverage": st.sampled_from([0.5, 0.25, 1.0])}),
    },
)


@given(OPTIONS, OPTIONS)
def test_components_are_described_alike_only_if_they_are(
    options: dict[str, Any], other_options: dict[str, Any]
) -> None:
    learner = installed().find("learner", "bpe").component
    first, second = learner.configure(**options), learner.configure(**other_options)
    assert (first.describe("bpe") == second.describe("bpe")) == (first == second)
