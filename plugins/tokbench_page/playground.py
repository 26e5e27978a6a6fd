"""Vocabularies in the form in which the page itself cuts words with them."""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from tokbench.api import Vocabulary
from tokbench.run_folder import OutcomeRecord, Run

BUDGET = 1_000_000
"""About how many bytes all vocabularies together may take in the page, where they are deflated."""

LEAST = 2
"""Fewer bytes than any learned item takes there."""

DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "bpe": {},
    "longest-match": {},
    "wordpiece": {"whole-word-unknown": True, "max-characters": 100},
    "unigram": {"precision": "double"},
    "char": {},
    "word": {},
}
"""The segmenters that the page knows, with their options."""

Written = dict[str, Any]
Identity = tuple[Any, ...]
"""All that the written form of a vocabulary depends on."""


@dataclass(frozen=True)
class Playground:
    """What the page cuts with: vocabularies, and the systems that do it.

    A system has its segmenter, and for each size the number of its vocabulary and how many learned
    items that size keeps. The page cannot cut with `missing` systems.
    """

    vocabularies: list[Written]
    systems: dict[str, Written]
    missing: list[str]


def playground(run: Run) -> Playground:
    """Choose the vocabularies that fit, in the order of the config, those of unigram last."""
    outcomes: dict[str, list[OutcomeRecord]] = {}
    for outcome in run.record.outcomes:
        outcomes.setdefault(outcome.system, []).append(outcome)
    plain = {system["name"]: system for system in run.record.resolved["systems"]}
    systems = {name: system for name, system in plain.items() if name in outcomes}
    own = {name: _vocabularies(run, system, outcomes[name]) for name, system in systems.items()}
    segmenters = {name: _segmenter(system, own[name]) for name, system in systems.items()}
    play: dict[str, Written] = {}
    numbers: dict[Identity, int] = {}  # equal vocabularies have one
    places: dict[int, int] = {}  # of numbers in `vocabularies`
    vocabularies: list[Written] = []
    left = BUDGET
    for name in sorted(own, key=lambda name: (segmenters[name] or {}).get("use") == "unigram"):
        segmenter = segmenters[name]
        # Those of millions of tokens are not written out to learn that they do not fit.
        if segmenter is None or sum(len(v.learned) for v in own[name]) * LEAST > left:
            continue
        distinct = {id(v): v for v in own[name]}  # most sizes are of one vocabulary
        number_of = {
            key: numbers.setdefault(_identity(v), len(numbers)) for key, v in distinct.items()
        }
        new = {number_of[key]: v for key, v in distinct.items() if number_of[key] not in places}
        written = [*filter(None, map(_written, new.values()))]
        # About what they take there, deflated and in base 64.
        taken = sum(len(zlib.compress(json.dumps(v).encode(), 1)) * 4 // 3 for v in written)
        if len(written) < len(new) or taken > left:
            continue
        left -= taken
        vocabularies += written
        places |= {number: place for place, number in enumerate(new, start=len(places))}
        sizes = {
            outcome.size: [places[number_of[id(v)]], outcome.learned]
            for outcome, v in zip(outcomes[name], own[name], strict=True)
        }
        play[name] = {**segmenter, "sizes": sizes}
    return Playground(vocabularies, play, [name for name in own if name not in play])


def _vocabularies(
    run: Run, system: Mapping[str, Any], outcomes: Sequence[OutcomeRecord]
) -> list[Vocabulary]:
    """Return the vocabulary of each outcome, before it was cut to its size.

    None of a system that cuts whole lines, splits words, or does not say what it learned.
    """
    alone = all(o.context == "isolated" and o.learned is not None for o in outcomes)
    if system.get("split") or not alone:
        return []
    vocabularies = (run.learned.get(o.label) or run.learned.get(o.system) for o in outcomes)
    return [vocabulary for vocabulary in vocabularies if vocabulary is not None]


def _segmenter(system: Mapping[str, Any], vocabularies: Sequence[Vocabulary]) -> Written | None:
    """Return the segmenter of a system with its options, None where the page does not know it."""
    if not vocabularies:
        return None
    segmenter = system.get("segmenter") or vocabularies[0].segmenter
    use = segmenter.get("use", "")
    options = {name: value for name, value in segmenter.items() if name != "use"}
    if use not in DEFAULTS or not options.keys() <= DEFAULTS[use].keys():
        return None
    lacking = use == "unigram" and not all("scores" in v.extra for v in vocabularies)
    if lacking or options.get("precision") == "single":
        return None
    return {"use": use, "options": {**DEFAULTS[use], **options}}


def _identity(vocabulary: Vocabulary) -> Identity:
    return (
        vocabulary.tokens,
        tuple(item.parts for item in vocabulary.learned),
        vocabulary.alphabet,
        vocabulary.marks.model_dump_json(),
        vocabulary.units,
        json.dumps(vocabulary.extra.get("scores")),
        len(vocabulary.unproduced) + len(vocabulary.bytes),
    )


def _written(vocabulary: Vocabulary) -> Written | None:
    """Return a vocabulary for the page, None for one that learned items do not build."""
    # Special and byte tokens would need rules of their own, in a second language.
    if vocabulary.unproduced or vocabulary.bytes:
        return None
    built = dict.fromkeys([*vocabulary.alphabet, *vocabulary.products])
    parts = _parts(vocabulary)
    if tuple(built) != vocabulary.tokens or parts is None:
        return None
    marks = vocabulary.marks.model_dump(mode="json")
    return {
        "units": vocabulary.units,
        "alphabet": vocabulary.alphabet,
        **parts,
        "marks": {name: mark["kind"] for name, mark in marks.items()},
        "texts": {name: mark["text"] for name, mark in marks.items()},
        "scores": vocabulary.extra.get("scores"),
    }


def _parts(vocabulary: Vocabulary) -> Written | None:
    """Return how many parts each learned item has, and the parts of all items, one after another.

    A part is an id, and that of an item with one part is its token. None if one of several parts is
    no token before its item.
    """
    learned, known = [item.parts for item in vocabulary.learned], vocabulary.ids
    counts, parts = [*map(len, learned)], [*chain.from_iterable(learned)]
    ids = np.array([known.get(part, -1) for part in parts], dtype=int)
    births, item_of = np.array(vocabulary.births), np.repeat(np.arange(len(learned)), counts)
    is_alone = np.repeat(counts, counts) == 1
    if not (is_alone | ((ids >= 0) & (births[ids] <= item_of))).all():
        return None
    written = zip(parts, ids.tolist(), is_alone.tolist(), strict=True)
    return {"counts": counts, "parts": [part if alone else id for part, id, alone in written]}
