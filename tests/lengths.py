"""Runs whose lengths are written by hand: the record of a real one, with other numbers."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from tests.tiny import tiny_run
from tokbench.run_folder import ComparisonRow, Row, Run
from tokbench.run_folder.record import OutcomeRecord

Lengths = Mapping[str, Mapping[int, float]]
"""Tokens per word by system and size; size 0 is a ready-made system's own."""


@cache
def base() -> Run:
    return tiny_run(Path(mkdtemp()), systems="[bpe]", sizes="[30]")


def outcome(system: str, size: int, context: str = "isolated", **more: Any) -> OutcomeRecord:
    fields = {
        "system": system, "segmenter": "bpe", "size": str(size) if size else "",
        "context": context, "isolated_copy": False, "vocabulary_size": size or 50_000,
        "learned": size, "declared": None, "told_edge": "end",
    }  # fmt: skip
    return OutcomeRecord(**{**fields, **more})


def made(
    lengths: Lengths,
    half: float | None = 0.001,
    *,
    contexts: Mapping[str, str] | None = None,
    ready: frozenset[str] = frozenset(),
    halves: Mapping[str, float] | None = None,
    wish: Mapping[str, object] | None = None,
    texts: tuple[str, ...] = ("held-out",),
    **outcome_fields: Any,
) -> Run:
    """Return a run with these lengths; intervals of differences reach `half` to both sides.

    `halves` are those of pairs such as `ab`.
    """
    contexts, halves = {**dict.fromkeys(lengths, "isolated"), **(contexts or {})}, halves or {}
    run = base()
    (text,) = run.record.tests
    corpora = tuple(replace(text, name=name) for name in texts)
    of_run = run.record.systems[0]
    rows, outcomes = [], []
    for system, by_size in lengths.items():
        context = contexts[system]
        for size, value in by_size.items():
            outcomes.append(outcome(system, size, context, **outcome_fields))
            rows += [
                Row(
                    system, name, "all", context, str(size) if size else "", size or 50_000,
                    metric="fertility", value=value,
                )
                for name in texts
            ]  # fmt: skip
    pairs = []
    for one, other in combinations(lengths, 2):
        for size in lengths[one].keys() & lengths[other].keys():
            if half is not None and contexts[one] == contexts[other]:
                difference = lengths[one][size] - lengths[other][size]
                reach = halves.get(one + other, half)
                pairs.append(
                    ComparisonRow(
                        "fertility", texts[0] if len(texts) == 1 else "", "all",
                        contexts[one], str(size) if size else "", one, other,
                        difference, 0, 0, 1, "cannot tell", "",
                        difference - reach, difference + reach,
                    )
                )  # fmt: skip
    systems = tuple(
        replace(of_run, name=name, reads="nothing" if name in ready else "words")
        for name in lengths
    )
    record = replace(
        run.record, systems=systems, outcomes=tuple(outcomes), baseline=next(iter(lengths)),
        corpora=(run.record.corpora[0], *corpora), resolved={"recommend": wish or {}},
    )  # fmt: skip
    return replace(
        run, record=record, rows=tuple(rows), comparisons=tuple(pairs), coverage=(), curves=None
    )
