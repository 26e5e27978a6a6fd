"""Which size of a system is enough: the smallest one whose doubling saves little."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from tokbench.recommend.eligible import LENGTH, Candidate, Comparable
from tokbench.recommend.values import SizeChoice
from tokbench.run_folder import size_number


def choose_size(comparable: Comparable, system: str) -> SizeChoice | None:
    """Choose the size of a system by its tokens; None where it has one size only."""
    by_length = replace(comparable, metric=comparable.length)
    tokens = {
        size: value
        for size in by_length.sizes(system)
        if size_number(size) and (value := by_length.value(system, size)) > 0
    }
    if len(tokens) < 2:
        return None
    eligible = comparable.eligible
    numbers = {size: size_number(size) for size in tokens}
    tokens_at = _tokens_at(comparable, system, {numbers[size]: tokens[size] for size in tokens})
    *smaller, size = tokens
    largest = numbers[size]
    for enough in smaller:
        double = 2 * numbers[enough]
        if double <= largest:
            saving = 1 - tokens_at(double) / tokens[enough]
            if saving < eligible.wish.saving:
                return SizeChoice(enough, True, saving, numbers[enough], double)
    half = largest // 2
    since = half if half >= numbers[smaller[0]] else numbers[smaller[-1]]
    own = [outcome for outcome in eligible.run.record.outcomes if outcome.system == system]
    is_asked_in_vain = any(
        Candidate(system, comparable.context, outcome.size) not in eligible.outcomes
        for outcome in own
    )
    most = max(outcome.vocabulary_size for outcome in own) if is_asked_in_vain else None
    return SizeChoice(size, False, 1 - tokens[size] / tokens_at(since), since, largest, most)


def _tokens_at(
    comparable: Comparable, system: str, listed: Mapping[int, float]
) -> Callable[[float], float]:
    """Return the tokens at any size: from a curve, else interpolated on a log scale."""
    eligible = comparable.eligible
    key = system, eligible.corpora[0].name, "all", LENGTH
    curve = next((curve for curve in eligible.run.curves or () if curve.names == key), None)
    is_of_copy = any(
        outcome.isolated_copy and eligible.context(outcome.context) == comparable.context
        for outcome in eligible.run.record.outcomes
        if outcome.system == system
    )
    is_of_one_text = len(eligible.corpora) == 1 and comparable.length == LENGTH
    if curve and not curve.unit and is_of_one_text and not is_of_copy:
        return lambda size: curve.at(int(size))
    sizes, values = [math.log(size) for size in listed], [*listed.values()]
    return lambda size: float(np.interp(math.log(size), sizes, values))
