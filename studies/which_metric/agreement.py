"""Whether a metric orders systems as the bits of the model do: pairs, and Kendall's tau-b.

Families of systems have the same weight: a pair of systems weighs 1 / (size of the one's family x
size of the other's). See `plan.md`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from statistics import stdev
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokbench.score.compare import all_pairs
from tokbench.score.resample import interval, p_value
from tokbench.significance import ALPHA, holm

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

BASELINE = "bits-per-byte(order=1)"
LOWER = ("bits-per-byte-witten-bell", "fertility", "single-characters")
"""Exploratory metrics of which less is held to be better."""

NO_METRICS = ("tokens", "escaped-bytes", "boundary-f1-chance")
"""Numbers that stand beside metrics: `tokens` says what `text-bytes-per-token` says."""


class Member(NamedTuple):
    """A system at a point: its numbers with their resamples, and its bits on training samples."""

    name: str
    family: str
    numbers: Mapping[str, tuple[float, Floats | None]]
    trained: tuple[float, ...]


def separable_pairs(members: Sequence[Member]) -> Iterator[dict[str, object]]:
    """Compare every two systems by their bits: a row a pair."""
    bits = [one.numbers["bits-per-byte"] for one in members]
    samples = [drawn for _, drawn in bits if drawn is not None]
    for pair in all_pairs([value for value, _ in bits], samples):
        one, other = members[pair.first], members[pair.second]
        signs = [(a - b) * pair.difference for a, b in zip(one.trained, other.trained, strict=True)]
        agree = sum(sign > 0 for sign in signs) / len(signs)
        spread = float(np.hypot(stdev(one.trained), stdev(other.trained)))
        differ = pair.p < ALPHA and agree == 1
        yield {
            "system": one.name,
            "other": other.name,
            "difference": pair.difference,
            "p": pair.p,
            "training-agree": agree,
            "training-sd": spread,
            "separable": "yes" if differ and abs(pair.difference) > 2 * spread else "",
        }


def agreements(
    members: Sequence[Member], primary: Mapping[str, int], bits: str, given: str
) -> Iterator[dict[str, object]]:
    """Compare every metric with the bits of the model: a row a metric, the primary ones first."""
    shared = [name for name in members[0].numbers if all(name in one.numbers for one in members)]
    others = [
        name
        for name in shared
        if name != bits and name not in primary and bare(name) not in NO_METRICS
    ]
    pairs = [(row["system"], row["other"]) for row in separable_pairs(members) if row["separable"]]
    numbered = {one.name: at for at, one in enumerate(members)}
    places = np.array([(numbered[a], numbered[b]) for a, b in pairs], dtype=int).reshape(-1, 2)
    families = [one.family for one in members]
    model, drawn_model = stacked(members, bits, -1)
    control, _ = stacked(members, given, 1)
    base, base_drawn = stacked(members, BASELINE, -1)
    drawn_base = tau(base_drawn, drawn_model, families)
    rows = []
    for name in (*primary, *others):
        sign = primary.get(name, -1 if bare(name) in LOWER else 1)
        values, drawn = stacked(members, name, sign)
        if not np.isfinite(values).all():
            continue
        found = float(tau(values, model, families))
        resampled = tau(drawn, drawn_model, families)
        low, high = interval(resampled) or (None, None)
        without = [*left_out(values, model, families)]
        tested = name in primary and name != BASELINE
        rows.append({
            "metric": name,
            "primary": "yes" if name in primary else "",
            "sign": sign,
            "systems": len(members),
            "ordered": float(ordered(values, model, places).sum()),
            "separable": len(places),
            "tau": found,
            "low": low,
            "high": high,
            "least-without-a-family": min(without),
            "greatest-without-a-family": max(without),
            "partial": None if name == given else partial_tau(values, model, control, families),
            "tau-minus-baseline": found - float(tau(base, model, families)) if tested else None,
            "p": p_value(resampled - drawn_base) if tested else None,
        })  # fmt: skip
    with_p = [row for row in rows if row["p"] is not None]
    adjusted = holm([float(str(row["p"])) for row in with_p])
    by_metric = dict(zip((row["metric"] for row in with_p), adjusted, strict=True))
    for row in rows:
        yield {**row, "p-holm": by_metric.get(row["metric"])}


def bare(name: str) -> str:
    """Return the name of a metric without options."""
    return name.partition("(")[0]


def stacked(members: Sequence[Member], name: str, sign: int) -> tuple[Floats, Floats]:
    """Return a metric of all systems, with its sign, and its resamples: resamples x systems.

    A metric without resamples keeps its values.
    """
    values = np.array([one.numbers[name][0] for one in members]) * sign
    drawn = [one.numbers[name][1] for one in members]
    if any(samples is None for samples in drawn):
        resamples = next(len(s) for _, s in members[0].numbers.values() if s is not None)
        return values, np.tile(values, (resamples, 1))
    return values, np.array(drawn).T * sign


def tau(one: Floats, other: Floats, families: Sequence[str]) -> Floats:
    """Return Kendall's tau-b of two metrics along their last axis, families weighing alike.

    Kendall 1945, The treatment of ties in ranking problems, with a weight a pair. NaN where either
    orders nothing.
    """
    first, second = np.array([*combinations(range(len(families)), 2)]).T
    weight = weights(families, first, second)
    a = np.sign(one[..., first] - one[..., second])
    b = np.sign(other[..., first] - other[..., second])
    with np.errstate(invalid="ignore"):
        found: Floats = (weight * a * b).sum(-1) / np.sqrt(
            (weight * a**2).sum(-1) * (weight * b**2).sum(-1)
        )
    return found


def weights(families: Sequence[str], first: Places, second: Places) -> Floats:
    """Return the weight of each pair of systems: the product of those of its two systems."""
    sizes = Counter(families)
    share = np.array([1 / sizes[family] for family in families])
    found: Floats = share[first] * share[second]
    return found


def left_out(one: Floats, other: Floats, families: Sequence[str]) -> Iterator[float]:
    """Yield tau without each of the families."""
    for family in dict.fromkeys(families):
        kept = [at for at, name in enumerate(families) if name != family]
        yield float(tau(one[kept], other[kept], [families[at] for at in kept]))


def partial_tau(one: Floats, other: Floats, given: Floats, families: Sequence[str]) -> float:
    """Return tau of two metrics given a third (Kendall 1942, Partial rank correlation).

    NaN where the third orders all systems as one of the two does.
    """
    xy, xz, yz = (
        float(tau(a, b, families)) for a, b in ((one, other), (one, given), (other, given))
    )
    left = (1 - xz**2) * (1 - yz**2)
    return (xy - xz * yz) / left**0.5 if left > 1e-9 else float("nan")


def ordered(values: Floats, model: Floats, places: Places) -> Floats:
    """Return of each pair whether a metric orders it as the model does: 1, 0, or 0.5 for a tie."""
    first, second = places.T
    signs = np.sign(values[first] - values[second]) * np.sign(model[first] - model[second])
    return (signs + 1) / 2
