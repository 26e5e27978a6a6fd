"""Vocabularies in the form in which the page itself cuts words with them."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tokbench.api import Vocabulary
from tokbench.run_folder import Run

BUDGET = 1_000_000
"""Characters of JSON that all vocabularies together may have."""

DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "bpe": {},
    "longest-match": {},
    "wordpiece": {"whole-word-unknown": True, "max-characters": 100},
    "unigram": {"precision": "double"},
    "char": {},
    "word": {},
}
"""The segmenters that the page knows, with their options."""

Playable = dict[str, Any]


def playable(run: Run) -> tuple[dict[str, Playable], list[str]]:
    """Return the vocabularies that fit, by system, and the systems that the page cannot cut with.

    They are taken in the order of the config until the budget is spent. Each size of a system has
    the number of its vocabulary, and how many learned items that size keeps.
    """
    found: dict[str, Playable] = {}
    left = BUDGET
    missing = []
    for system in run.record.resolved["systems"]:
        name = system["name"]
        one = _playable(run, system) if left > 0 else None
        left -= len(json.dumps(one, separators=(",", ":"))) if one else 0
        if one and left >= 0:
            found[name] = one
        elif any(outcome.system == name for outcome in run.record.outcomes):
            missing.append(name)
    return found, missing


def _playable(run: Run, system: Mapping[str, Any]) -> Playable | None:
    """Return a system for the page, None where it cuts whole lines or by rules of its own."""
    outcomes = [outcome for outcome in run.record.outcomes if outcome.system == system["name"]]
    if system.get("split") or any(outcome.context != "isolated" for outcome in outcomes):
        return None
    vocabularies: list[Vocabulary] = []
    sizes = {}
    for outcome in outcomes:
        own = f"{system['name']}@{outcome.size}"
        whole = run.learned.get(own) or run.learned.get(system["name"])
        if whole is None:
            return None
        if whole not in vocabularies:
            vocabularies.append(whole)
        cut = run.vocabulary(system["name"], outcome.size)
        sizes[outcome.size] = [vocabularies.index(whole), len(cut.learned)]
    written = [_written(one, system.get("segmenter") or one.segmenter) for one in vocabularies]
    return {"vocabularies": written, "sizes": sizes} if outcomes and all(written) else None


def _written(vocabulary: Vocabulary, segmenter: Mapping[str, Any]) -> Playable | None:
    """Return a vocabulary for the page, None for what the page does not know how to cut with."""
    use = segmenter.get("use", "")
    options = {name: value for name, value in segmenter.items() if name != "use"}
    known = use in DEFAULTS and options.keys() <= DEFAULTS[use].keys()
    if not known or options.get("precision") == "single":
        return None
    built = Vocabulary.build(vocabulary.alphabet, vocabulary.learned)
    items = [*_items(vocabulary)]
    if vocabulary.unproduced or vocabulary.bytes or built.tokens != vocabulary.tokens:
        return None
    if None in items:
        return None
    marks = vocabulary.marks.model_dump(mode="json")
    playable: Playable = {
        "use": use,
        "units": vocabulary.units,
        "alphabet": vocabulary.alphabet,
        "items": items,
        "marks": {name: mark["kind"] for name, mark in marks.items()},
        "texts": {name: mark["text"] for name, mark in marks.items()},
        "options": {**DEFAULTS[use], **options},
    }
    if use == "unigram":
        playable["scores"] = vocabulary.extra["scores"]
    return playable


def _items(vocabulary: Vocabulary) -> Iterator[str | list[int] | None]:
    """Yield each learned item: the ids of its parts, or its token where it has one part.

    None for one whose parts are no tokens before it.
    """
    for number, item in enumerate(vocabulary.learned):
        ids = [vocabulary.ids.get(part, -1) for part in item.parts]
        if len(ids) == 1:
            yield item.parts[0]
        elif -1 in ids or any(vocabulary.births[i] > number for i in ids):
            yield None
        else:
            yield ids
