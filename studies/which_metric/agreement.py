"""Compare the order of systems by a metric and by the bits of the model: pairs, Kendall's tau-b.

All families of systems have the same weight, so the weight of a pair of systems is 1 / (size of the
family of the first x size of the family of the second). See `plan.md`.
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
"""Exploratory metrics for which lower is taken as better."""

NO_METRICS = ("tokens", "escaped-bytes", "boundary-f1-chance")
"""Numbers that are no metrics, and `tokens`, which orders as `text-bytes-per-token` does."""


class Member(NamedTuple):
    """A system at a point: its numbers with their resamples, and its bits by training sample."""

    name: str
    family: str
    numbers: Mapping[str, tuple[float, Floats | None]]
    trained: tuple[float, ...]


def compare_pairs(members: Sequence[Member]) -> Iterator[dict[str, object]]:
    """Compare every two systems by their bits; yield a row for each pair."""
    bits = [member.numbers["bits-per-byte"] for member in members]
    samples = [resamples for _, resamples in bits if resamples is not None]
    for pair in all_pairs([value for value, _ in bits], samples):
        a, b = members[pair.first], members[pair.second]
        signs = [(x - y) * pair.difference for x, y in zip(a.trained, b.trained, strict=True)]
        agree = sum(sign > 0 for sign in signs) / len(signs)
        spread = float(np.hypot(stdev(a.trained), stdev(b.trained)))
        differ = pair.p < ALPHA and agree == 1
        yield {
            "system": a.name,
            "other": b.name,
            "difference": pair.difference,
            "p": pair.p,
            "training-agree": agree,
            "training-sd": spread,
            "separable": "yes" if differ and abs(pair.difference) > 2 * spread else "",
        }


def agreements(
    members: Sequence[Member], primary: Mapping[str, int], bits: str, control: str
) -> Iterator[dict[str, object]]:
    """Compare every metric with the bits of the model; yield a row for each, primary ones first.

    The partial tau is that given the metric `control`.
    """
    others = [
        name
        for name in members[0].numbers
        if all(name in member.numbers for member in members)
        and name != bits
        and name not in primary
        and bare(name) not in NO_METRICS
    ]
    systems = [member.name for member in members]
    separable = [row for row in compare_pairs(members) if row["separable"]]
    places = places_of([(str(row["system"]), str(row["other"])) for row in separable], systems)
    families = [member.family for member in members]
    model, resampled_model = stacked(members, bits, -1)
    control_values, _ = stacked(members, control, 1)
    baseline, resampled_baseline = stacked(members, BASELINE, -1)
    baseline_tau = float(tau(baseline, model, families))
    baseline_taus = tau(resampled_baseline, resampled_model, families)
    rows = []
    for name in (*primary, *others):
        sign = primary.get(name, -1 if bare(name) in LOWER else 1)
        values, resampled = stacked(members, name, sign)
        if not np.isfinite(values).all():
            continue
        metric_tau = float(tau(values, model, families))
        taus = tau(resampled, resampled_model, families)
        low, high = interval(taus) or (None, None)
        without = [
            tau_without(family, values, model, families) for family in dict.fromkeys(families)
        ]
        partial = partial_tau(values, model, control_values, families) if name != control else None
        tested = name in primary and name != BASELINE
        rows.append({
            "metric": name,
            "primary": "yes" if name in primary else "",
            "sign": sign,
            "systems": len(members),
            "ordered": float(ordered(values, model, places).sum()),
            "separable": len(places),
            "tau": metric_tau,
            "low": low,
            "high": high,
            "least-without-a-family": min(without),
            "greatest-without-a-family": max(without),
            "partial": partial,
            "tau-minus-baseline": metric_tau - baseline_tau if tested else None,
            "p": p_value(taus - baseline_taus) if tested else None,
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
    """Return the signed values of a metric for all systems, and their resamples x systems.

    The resamples of a metric that has none are its values.
    """
    values = np.array([member.numbers[name][0] for member in members]) * sign
    resampled = [member.numbers[name][1] for member in members]
    if any(samples is None for samples in resampled):
        resamples = next(len(s) for _, s in members[0].numbers.values() if s is not None)
        return values, np.tile(values, (resamples, 1))
    return values, np.array(resampled).T * sign


def places_of(pairs: Sequence[tuple[str, str]], systems: Sequence[str]) -> Places:
    """Return the indexes of the two systems of each pair."""
    places = [(systems.index(a), systems.index(b)) for a, b in pairs]
    return np.array(places, dtype=int).reshape(-1, 2)


def tau(x: Floats, y: Floats, families: Sequence[str]) -> Floats:
    """Return Kendall's tau-b of two metrics along their last axis, with equal weights of families.

    Kendall 1945, The treatment of ties in ranking problems; here each pair has a weight. NaN if one
    of the two metrics orders nothing.
    """
    left, right = np.array([*combinations(range(len(families)), 2)]).T
    weight = weights(families, left, right)
    a = np.sign(x[..., left] - x[..., right])
    b = np.sign(y[..., left] - y[..., right])
    norm = np.sqrt((weight * a**2).sum(-1) * (weight * b**2).sum(-1))
    with np.errstate(invalid="ignore"):
        return np.asarray((weight * a * b).sum(-1) / norm)


def weights(families: Sequence[str], left: Places, right: Places) -> Floats:
    """Return the weight of each pair of systems: the product of the weights of the two systems."""
    sizes = Counter(families)
    weight = np.array([1 / sizes[family] for family in families])
    return np.asarray(weight[left] * weight[right])


def tau_without(family: str, x: Floats, y: Floats, families: Sequence[str]) -> float:
    """Return tau without the systems of a family."""
    kept = [place for place, name in enumerate(families) if name != family]
    return float(tau(x[kept], y[kept], [families[place] for place in kept]))


def partial_tau(x: Floats, y: Floats, z: Floats, families: Sequence[str]) -> float:
    """Return tau of x and y given z (Kendall 1942, Partial rank correlation).

    NaN if z orders all systems as one of the other two does.
    """
    xy, xz, yz = (float(tau(a, b, families)) for a, b in ((x, y), (x, z), (y, z)))
    rest = (1 - xz**2) * (1 - yz**2)
    return (xy - xz * yz) / rest**0.5 if rest > 1e-9 else float("nan")


def ordered(values: Floats, model: Floats, places: Places) -> Floats:
    """Return 1 for each pair that a metric orders as the model does, 0.5 for a tie, else 0."""
    left, right = places.T
    signs = np.sign(values[left] - values[right]) * np.sign(model[left] - model[right])
    return (signs + 1) / 2
