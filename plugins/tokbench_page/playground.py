"""Vocabularies in the form in which the page itself cuts words with them."""

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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

    vocabularies: list[Written] = field(default_factory=list)
    systems: dict[str, Written] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


def playground(run: Run) -> Playground:
    """Choose the vocabularies that fit, in the order of the config, those of unigram last."""
    found, shelf = Playground(), _Shelf()
    outcomes: dict[str, list[OutcomeRecord]] = {}
    for outcome in run.record.outcomes:
        outcomes.setdefault(outcome.system, []).append(outcome)
    systems = [one for one in run.record.resolved["systems"] if one["name"] in outcomes]
    own = {one["name"]: _vocabularies(run, one, outcomes[one["name"]]) for one in systems}
    segmenters = {one["name"]: _segmenter(one, own[one["name"]]) for one in systems}
    for name in sorted(own, key=lambda name: (segmenters[name] or {}).get("use") == "unigram"):
        segmenter = segmenters[name]
        numbers = shelf.add(own[name]) if segmenter else None
        if segmenter and numbers:
            placed = zip(outcomes[name], numbers, strict=True)
            sizes = {outcome.size: [number, outcome.learned] for outcome, number in placed}
            found.systems[name] = {**segmenter, "sizes": sizes}
    found.vocabularies.extend(shelf.written)
    found.missing.extend(name for name in own if name not in found.systems)
    return found


class _Shelf:
    """Vocabularies in the order in which they are added, equal ones once, as far as they fit."""

    def __init__(self) -> None:
        self.written: list[Written] = []
        self._left = BUDGET
        self._known: dict[tuple[str, ...], list[tuple[Vocabulary, int]]] = {}

    def add(self, vocabularies: Sequence[Vocabulary]) -> list[int] | None:
        """Return the numbers of vocabularies; None where they do not fit, and none is added."""
        if sum(len(one.learned) for one in vocabularies) * LEAST > self._left:
            return None
        numbers: dict[int, int] = {}
        new: list[tuple[Vocabulary, Written]] = []
        for one in {id(one): one for one in vocabularies}.values():
            same = (number for known, number in self._known.get(one.tokens, ()) if known == one)
            numbers[id(one)] = next(same, len(self.written) + len(new))
            if numbers[id(one)] >= len(self.written):
                written = _written(one)
                if written is None:
                    return None
                new.append((one, written))
        left = self._left - sum(_packed_bytes(written) for _, written in new)
        if left < 0:
            return None
        self._left = left
        for one, written in new:
            self._known.setdefault(one.tokens, []).append((one, len(self.written)))
            self.written.append(written)
        return [numbers[id(one)] for one in vocabularies]


def _packed_bytes(written: Written) -> int:
    """Estimate how many bytes a vocabulary takes in the page."""
    return len(zlib.compress(json.dumps(written).encode(), 1)) * 4 // 3


def _vocabularies(
    run: Run, system: Mapping[str, Any], outcomes: Sequence[OutcomeRecord]
) -> list[Vocabulary]:
    """Return the vocabulary of each outcome, before it was cut to its size.

    None of a system that cuts whole lines, splits words, or does not say what it learned.
    """
    alone = all(one.context == "isolated" and one.learned is not None for one in outcomes)
    if system.get("split") or not alone:
        return []
    found = (run.learned.get(one.label) or run.learned.get(one.system) for one in outcomes)
    return [one for one in found if one is not None]


def _segmenter(system: Mapping[str, Any], vocabularies: Sequence[Vocabulary]) -> Written | None:
    """Return the segmenter of a system with its options, None where the page does not know it."""
    if not vocabularies:
        return None
    given = system.get("segmenter") or vocabularies[0].segmenter
    use = given.get("use", "")
    options = {name: value for name, value in given.items() if name != "use"}
    known = use in DEFAULTS and options.keys() <= DEFAULTS[use].keys()
    lacking = use == "unigram" and not all("scores" in one.extra for one in vocabularies)
    if not known or lacking or options.get("precision") == "single":
        return None
    return {"use": use, "options": {**DEFAULTS[use], **options}}


def _written(vocabulary: Vocabulary) -> Written | None:
    """Return a vocabulary for the page, None for one that learned items do not build."""
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
        elif all(part in ids for part in parts):
            found = [ids[part] for part in parts]
            yield found if max([births[i] for i in found]) <= number else None
        else:
            yield None
