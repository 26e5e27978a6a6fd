"""Vocabularies in the form in which the page itself cuts words with them."""

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
    numbers: dict[str, int] = {}  # of vocabularies, by their JSON: equal ones stand once
    left = BUDGET
    for name in sorted(own, key=lambda name: (segmenters[name] or {}).get("use") == "unigram"):
        segmenter = segmenters[name]
        # Those of millions of tokens are not written out to learn that they do not fit.
        if segmenter is None or sum(len(v.learned) for v in own[name]) * LEAST > left:
            continue
        texts = _json_texts(own[name])
        new = [text for text in dict.fromkeys(filter(None, texts)) if text not in numbers]
        # About what they take there, deflated and in base 64.
        taken = sum(len(zlib.compress(text.encode(), 1)) * 4 // 3 for text in new)
        if "" in texts or taken > left:
            continue
        left -= taken
        numbers |= {text: number for number, text in enumerate(new, start=len(numbers))}
        sizes = {
            outcome.size: [numbers[text], outcome.learned]
            for outcome, text in zip(outcomes[name], texts, strict=True)
        }
        play[name] = {**segmenter, "sizes": sizes}
    vocabularies = [json.loads(text) for text in numbers]
    return Playground(vocabularies, play, [name for name in own if name not in play])


def _json_texts(vocabularies: Sequence[Vocabulary]) -> list[str]:
    """Return each vocabulary as JSON, empty where learned items do not build it."""
    texts: dict[int, str] = {}  # most sizes are of one vocabulary
    for vocabulary in vocabularies:
        if id(vocabulary) not in texts:
            written = _written(vocabulary)
            texts[id(vocabulary)] = json.dumps(written) if written else ""
    return [texts[id(vocabulary)] for vocabulary in vocabularies]


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


def _written(vocabulary: Vocabulary) -> Written | None:
    """Return a vocabulary for the page, None for one that learned items do not build."""
    # Special and byte tokens would need rules of their own, in a second language.
    if vocabulary.unproduced or vocabulary.bytes:
        return None
    built = dict.fromkeys([*vocabulary.alphabet, *vocabulary.products])
    items = [*_items(vocabulary)]
    if tuple(built) != vocabulary.tokens or None in items:
        return None
    marks = vocabulary.marks.model_dump(mode="json")
    return {
        "units": vocabulary.units,
        "alphabet": vocabulary.alphabet,
        "items": items,
        "marks": {name: mark["kind"] for name, mark in marks.items()},
        "texts": {name: mark["text"] for name, mark in marks.items()},
        "scores": vocabulary.extra.get("scores"),
    }


def _items(vocabulary: Vocabulary) -> Iterator[str | list[int] | None]:
    """Yield each learned item: the ids of its parts, or its token where it has one part.

    None for one whose parts are no tokens before it.
    """
    ids, births = vocabulary.ids, vocabulary.births
    for number, item in enumerate(vocabulary.learned):
        parts = item.parts
        if len(parts) == 1:
            yield parts[0]
            continue
        joined = [ids.get(part, -1) for part in parts]
        is_built = min(joined) >= 0 and max(map(births.__getitem__, joined)) <= number
        yield joined if is_built else None
