"""The study of metrics: its tables agree with each other and with SciPy, its page with them.

Figures and claims of the page are found here from the tables, without the code that writes it.
"""

import csv
import gzip
import importlib
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from math import lcm
from pathlib import Path
from statistics import fmean, variance
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from scipy.stats import kendalltau

from tokbench.plugins import load

from .conftest import ROOT

STUDY = ROOT / "studies" / "which_metric"
PAGE = ROOT / "docs" / "which-metric.md"
BITS, WITTEN_BELL = "bits-per-byte", "bits-per-byte-witten-bell"
GIVEN, RENYI, KAPPA = "text-bytes-per-token", "renyi-efficiency-declared", "boundary-kappa"
KEPT, ORDER_ONE = "kept-whole-running", "bits-per-byte(order=1)"
PRIMARY = {GIVEN: 1, RENYI: 1, KAPPA: 1, KEPT: 1, ORDER_ONE: -1}
CONTROLS = ("random-cuts", "dropped", "duplicated", "one-copy", "bpe-again")
POINT = ("shakespeare", "held-out", "4000")
KOREAN = ("reviews", "held-out", "8000")
PLACES = {
    ("shakespeare", "held-out"): "Shakespeare",
    ("shakespeare", "oliver-twist"): "Oliver Twist",
    ("reviews", "held-out"): "Korean reviews",
    ("flores", "held-out"): "German FLORES",
}
SPLITTERS = {
    "bpe-words", "byte-bpe-words", "byte-bpe-gpt2", "byte-bpe-o200k", "unigram-words",
    "wordpiece-words",
}  # fmt: skip

Point = tuple[str, str, str]


def read(name: str) -> list[dict[str, str]]:
    with (STUDY / "results" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


@pytest.fixture(scope="module")
def values() -> dict[tuple[str, str, str], dict[str, dict[str, float]]]:
    """The values of each metric by point and system, without what is left out."""
    found: dict[tuple[str, str, str], dict[str, dict[str, float]]] = {}
    rows = read("values")
    left_out = {
        (row["text"], row["test"], row["size"], row["system"])
        for row in rows
        if row["left-out"] and row["metric"] == BITS
    }
    gold = [row for row in rows if row["test"] == "gold"]
    for row in rows:
        point = row["text"], row["test"], row["size"]
        if row["test"] != "gold" and (*point, row["system"]) not in left_out:
            of = found.setdefault(point, {}).setdefault(row["metric"], {})
            of[row["system"]] = float(row["value"] or "nan")
    for row in gold:
        for point, metrics in found.items():
            if (row["text"], row["size"]) == (point[0], point[2]) and row["system"] in metrics[
                BITS
            ]:
                metrics.setdefault(row["metric"], {})[row["system"]] = float(row["value"] or "nan")
    return found


@pytest.fixture(scope="module")
def families() -> dict[str, str]:
    return {row["system"]: row["family"] for row in read("values")}


def weighed(one: dict[str, float], other: dict[str, float], family: dict[str, str]) -> float:
    """Kendall's tau-b where each family weighs alike, by SciPy: systems stand there several times.

    Copies of a system tie in both metrics, so no pair of them counts.
    """
    many = Counter(family[name] for name in one)
    whole = lcm(*many.values())
    names = [name for name in one for _ in range(whole // many[family[name]])]
    found = kendalltau([one[name] for name in names], [other[name] for name in names])
    return float(found.statistic)


def agreements() -> Iterator[tuple[Point, dict[str, str]]]:
    for row in read("agreement"):
        yield (row["text"], row["test"], row["size"]), row


def test_tau_is_that_of_scipy(values, families):
    rows = [*agreements()]
    assert len(rows) > 150
    for point, row in rows:
        sign = int(row["sign"])
        metric = {name: sign * value for name, value in values[point][row["metric"]].items()}
        model = {name: -value for name, value in values[point][BITS].items()}
        given = values[point][GIVEN]
        assert len(metric) == int(row["systems"]) >= 15
        xy = weighed(metric, model, families)
        assert float(row["tau"]) == pytest.approx(xy, abs=1e-6), (point, row["metric"])
        without = [
            weighed(*({n: v for n, v in m.items() if families[n] != one} for m in (metric, model)),
                    families)
            for one in {families[name] for name in metric}
        ]  # fmt: skip
        assert float(row["least-without-a-family"]) == pytest.approx(min(without), abs=1e-6)
        assert float(row["greatest-without-a-family"]) == pytest.approx(max(without), abs=1e-6)
        if row["metric"] != GIVEN:
            xz, yz = weighed(metric, given, families), weighed(model, given, families)
            left = (1 - xz**2) * (1 - yz**2)
            if left < 1e-9:  # it orders all systems as compression does
                assert row["partial"] == ""
            else:
                partial = (xy - xz * yz) / left**0.5
                assert float(row["partial"]) == pytest.approx(partial, abs=1e-6)


def test_primary_metrics_have_the_signs_of_the_plan_and_others_no_p():
    for _, row in agreements():
        assert (row["primary"] == "yes") == (row["metric"] in PRIMARY)
        if row["metric"] in PRIMARY:
            assert int(row["sign"]) == PRIMARY[row["metric"]]
        tested = row["metric"] in PRIMARY and row["metric"] != ORDER_ONE
        assert bool(row["p"]) == bool(row["p-holm"]) == tested
    points = Counter(point for point, row in agreements() if row["primary"])
    assert len(points) == 10
    assert set(points.values()) == {5}


def test_separable_pairs_are_those_of_the_plan(values):
    rows = read("pairs")
    for row in rows:
        point = row["text"], row["test"], row["size"]
        bits = values[point][BITS]
        difference = bits[row["system"]] - bits[row["other"]]
        assert float(row["difference"]) == pytest.approx(difference, abs=1e-6)
        differ = float(row["p"]) < 0.05 and float(row["training-agree"]) == 1
        beyond = abs(float(row["difference"])) > 2 * float(row["training-sd"])
        assert (row["separable"] == "yes") == (differ and beyond)
    assert {row["system"] for row in rows}.isdisjoint(CONTROLS)


@pytest.fixture(scope="module")
def separable() -> dict[Point, list[tuple[str, str]]]:
    found: dict[Point, list[tuple[str, str]]] = {}
    for row in read("pairs"):
        if row["separable"]:
            point = row["text"], row["test"], row["size"]
            found.setdefault(point, []).append((row["system"], row["other"]))
    return found


Values = dict[str, dict[str, float]]
Pairs = list[tuple[str, str]]


def agree(at: Values, metric: str, pair: tuple[str, str], model: str = BITS) -> float:
    """1 if a metric orders a pair as the model does, 0.5 for a tie, else 0."""
    one, other = pair
    less = -1 if metric in ("fertility", "single-characters") or metric.startswith(BITS) else 1
    same = (at[metric][one] - at[metric][other]) * less * (at[model][other] - at[model][one])
    return 1 if same > 0 else 0.5 if same == 0 else 0


def count(at: Values, metric: str, pairs: Pairs, model: str = BITS) -> float:
    return sum(agree(at, metric, pair, model) for pair in pairs)


def better(at: Values, metric: str) -> dict[str, float]:
    """A primary metric, or bits, with its sign."""
    return {name: PRIMARY.get(metric, -1) * value for name, value in at[metric].items()}


def test_ordered_pairs_are_counted_with_half_a_tie(values, separable):
    for point, row in agreements():
        assert float(row["separable"]) == len(separable[point])
        assert float(row["ordered"]) == count(values[point], row["metric"], separable[point])


def at_all_sizes(values: dict[Point, Values], point: Point) -> set[str]:
    sizes = [metrics[BITS] for other, metrics in values.items() if other[:2] == point[:2]]
    return set.intersection(*map(set, sizes))


def test_recounts_are_those_of_the_tables(values, separable, families):
    rows = read("recounts")
    assert len(rows) == 50
    for row in rows:
        point = row["text"], row["test"], row["size"]
        at, pairs, metric = values[point], separable[point], row["metric"]
        assert float(row["separable"]) == len(pairs)
        assert float(row["ordered"]) == count(at, metric, pairs)
        assert float(row["ordered-witten-bell"]) == count(at, metric, pairs, WITTEN_BELL)
        many = Counter(families[name] for name in at[BITS])
        weights = [1 / many[families[a]] / many[families[b]] for a, b in pairs]
        agreed = [agree(at, metric, pair) for pair in pairs]
        share = sum(w * one for w, one in zip(weights, agreed, strict=True)) / sum(weights)
        assert float(row["weight-ordered"]) == pytest.approx(share, abs=1e-6)
        signed = better(at, metric)
        by_other = weighed(signed, better(at, WITTEN_BELL), families)
        assert float(row["tau-witten-bell"]) == pytest.approx(by_other, abs=1e-6)
        rest = [
            {name: value for name, value in one.items() if families[name] != "wordpiece"}
            for one in (signed, better(at, BITS))
        ]
        assert float(row["tau-without-wordpiece"]) == pytest.approx(
            weighed(*rest, families), abs=1e-6
        )
        common = at_all_sizes(values, point)
        same = [pair for pair in pairs if {*pair} <= common]
        assert int(row["common-systems"]) == len(common)
        assert int(row["common-separable"]) == len(same)
        assert float(row["common-ordered"]) == count(at, metric, same)
        assert float(row["common-ordered-witten-bell"]) == count(at, metric, same, WITTEN_BELL)


@pytest.fixture(scope="module")
def page() -> str:
    """The page with single spaces."""
    return " ".join(PAGE.read_text("utf-8").split())


def rendered() -> str:
    code = "import sys; from pathlib import Path; from page import render; "
    code += "sys.stdout.reconfigure(encoding='utf-8'); "
    code += "sys.stdout.write(render(Path('results')))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=STUDY, capture_output=True, check=True, encoding="utf-8"
    )
    return done.stdout


def test_the_page_is_the_one_that_the_study_writes():
    assert PAGE.read_text("utf-8") == rendered()


def test_the_template_holds_no_number_of_a_result():
    template = (STUDY / "page.md.j2").read_text("utf-8")
    results = template.split("\n## Results\n")[1].split("\n## Design\n")[0]
    prose = re.sub(r"\{\{.*?\}\}|\{%.*?%\}|`[^`]*`|\]\([^)]*\)", "", results, flags=re.DOTALL)
    # Sizes, the interval, the width, windows, the trial of the plan, 10 to the 12th.
    design = {"95", "4,000", "8,000", "16,000", "128", "1,500", "160", "10", "12"}
    assert {*re.findall(r"\d[\d,.]*\b", prose)} <= design


def signed(number: float) -> str:
    return f"{number:+.2f}".replace("-", "−")


def spoken(points: list[Point]) -> str:
    *first, last = (f"{PLACES[point[:2]]} at {int(point[2]):,}" for point in points)
    return f"{', '.join(first)} and {last}" if first else last


def arrow(point: Point, row: dict[str, str]) -> int:
    """1 where tau is significantly greater than that of the baseline, -1 where it is less."""
    if point[0] == "flores" or not row["p-holm"] or float(row["p-holm"]) >= 0.05:
        return 0
    return 1 if float(row["tau-minus-baseline"]) > 0 else -1


def test_the_table_of_the_page(values, separable, families):
    rows = {(point, row["metric"]): row for point, row in agreements()}
    table = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in PAGE.read_text("utf-8").splitlines()
        if "<br>" in line
    ]
    assert len(table) == len(values) == 10
    for point, (name, systems, pairs, *cells) in zip(values, table, strict=True):
        at = values[point]
        assert name == f"{PLACES[point[:2]]}, {int(point[2]):,}"
        assert (int(systems), int(pairs)) == (len(at[BITS]), len(separable[point]))
        taus = {}
        for metric, cell in zip((*PRIMARY, WITTEN_BELL), cells, strict=True):
            models = (BITS, WITTEN_BELL) if metric in PRIMARY else (BITS,)
            counts = [f"{count(at, metric, separable[point], model):g}" for model in models]
            found = [weighed(better(at, metric), better(at, one), families) for one in models]
            sign = ["", " ↑", " ↓"][arrow(point, rows[point, metric])]
            first, *rest = map(signed, found)
            assert cell == f"{' / '.join(counts)}<br>{' / '.join([first + sign, *rest])}"
            taus[metric] = found[0]
        for metric in (GIVEN, RENYI, KAPPA, KEPT):
            assert float(rows[point, metric]["tau-minus-baseline"]) == pytest.approx(
                taus[metric] - taus[ORDER_ONE], abs=1e-6
            )


def test_the_result_turns_with_the_smoothing(values, separable, families, page):
    by = {
        (point, metric, model): weighed(better(at, metric), better(at, model), families)
        for point, at in values.items()
        for metric in PRIMARY
        for model in (BITS, WITTEN_BELL)
    }
    halves = {
        (point, metric, model): count(at, metric, separable[point], model) / len(separable[point])
        for point, at in values.items()
        for metric in PRIMARY
        for model in (BITS, WITTEN_BELL)
    }
    # None orders half of the pairs everywhere by both.
    for metric in PRIMARY:
        assert min(share for key, share in halves.items() if key[1] == metric) < 0.5
    assert (
        "None of the five primary metrics orders half of the pairs at every point by both "
        "smoothings."
    ) in page
    # Kneser-Ney needs fewer bits for every system.
    bits = {
        tuple(row[name] for name in ("text", "test", "size", "system", "metric")): row["value"]
        for row in read("values")
    }
    needed = [(key, value) for key, value in bits.items() if key[-1] == BITS]
    assert len(needed) == 280
    assert all(float(value) < float(bits[*key[:-1], WITTEN_BELL]) for key, value in needed)
    assert "Kneser-Ney needs fewer bits for every system" in page
    assert (
        "By Kneser-Ney Rényi efficiency orders the fewest pairs at every point, and tau is below "
        "zero; by Witten-Bell tau is above zero at every size but 16,000."
    ) in page
    for point, at in values.items():
        # Rényi efficiency: the fewest pairs, tau below zero; otherwise by Witten-Bell.
        assert halves[point, RENYI, BITS] == min(halves[point, one, BITS] for one in PRIMARY)
        assert by[point, RENYI, BITS] < 0
        assert (by[point, RENYI, WITTEN_BELL] > 0) == (point[2] != "16000")
        assert at[BITS].keys() == at[WITTEN_BELL].keys()
    pairs = separable[POINT]
    assert (
        f"Witten-Bell itself orders only {count(values[POINT], WITTEN_BELL, pairs):g} of "
        f"{len(pairs)} as Kneser-Ney does on Shakespeare at 4,000, "
        f"{count(values[KOREAN], WITTEN_BELL, separable[KOREAN]):g} of {len(separable[KOREAN])} "
        "on Korean reviews at 8,000"
    ) in page
    renyi = [f"{count(values[POINT], RENYI, pairs, one):g}" for one in (BITS, WITTEN_BELL)]
    assert (
        f"it orders {renyi[0]} of 84 pairs of Shakespeare as Kneser-Ney does, {renyi[1]} as "
        "Witten-Bell does"
    ) in page
    # The baseline.
    ranges = []
    for model in (BITS, WITTEN_BELL):
        taus = [by[point, ORDER_ONE, model] for point in values if point[0] != "flores"]
        ranges.append(f"{signed(min(taus))} to {signed(max(taus))}")
    assert f"its tau is {ranges[0]} with Kneser-Ney, {ranges[1]} with Witten-Bell" in page
    most = [halves[POINT, one, BITS] for one in PRIMARY]
    assert max(most) == most[-1] > sorted(most)[-2]
    one = [f"{count(values[POINT], ORDER_ONE, pairs, model):g}" for model in (BITS, WITTEN_BELL)]
    assert (
        f"it orders {one[0]} of 84 pairs as Kneser-Ney does, more than any other primary metric, "
        f"and {one[1]} as Witten-Bell does"
    ) in page


def test_sizes_are_compared_over_the_same_systems(values, separable, families, page):
    def counts(first: Point, metric: str, model: str = BITS) -> list[tuple[float, int]]:
        sizes = [point for point in values if point[:2] == first[:2]]
        pairs = [
            [pair for pair in separable[one] if {*pair} <= at_all_sizes(values, first)]
            for one in sizes
        ]
        return [
            (count(values[size], metric, of, model), len(of))
            for size, of in zip(sizes, pairs, strict=True)
        ]

    def said(first: Point, metric: str, model: str = BITS) -> str:
        *some, last = (f"{agreed:g} of {of}" for agreed, of in counts(first, metric, model))
        return f"{', '.join(some)} and {last}"

    assert "order fewer pairs at each larger size of Shakespeare, by Kneser-Ney." in page
    for metric in (GIVEN, KEPT):
        shares = [agreed / of for agreed, of in counts(POINT, metric)]
        assert shares[0] > shares[1] > shares[2]
        by_other = [agreed / of for agreed, of in counts(POINT, metric, WITTEN_BELL)]
        assert by_other[0] < by_other[1] > by_other[2]
    assert len(at_all_sizes(values, POINT)) == 21
    korean = at_all_sizes(values, KOREAN)
    assert (len(korean), {families[name] for name in korean}) == (
        20, {"bpe", "byte-bpe", "unigram"},
    )  # fmt: skip
    assert (
        "Among the 21 systems of all three sizes compression orders "
        f"{said(POINT, GIVEN)}, words kept whole {said(POINT, KEPT)}. By Witten-Bell there is no "
        f"steady fall: {said(POINT, GIVEN, WITTEN_BELL)}; {said(POINT, KEPT, WITTEN_BELL)}. On "
        "Korean reviews (20 systems, none of WordPiece) Kneser-Ney gives "
        f"{said(KOREAN, GIVEN)}; {said(KOREAN, KEPT)}."
    ) in page


def test_systems_miss_points_for_their_size_alone(families, page):
    rows = [row for row in read("values") if row["metric"] == BITS]
    reasons = {row["left-out"] for row in rows if families[row["system"]] != "control"}
    assert reasons == {"", "size"}
    missing = {row["system"] for row in rows if row["left-out"] == "size" and
               (row["text"], row["size"]) == ("reviews", "16000")}  # fmt: skip
    assert missing == {name for name, family in families.items() if family == "wordpiece"}
    assert (
        "the others miss the size by more than one per cent; at Korean 16,000 that is all of "
        "WordPiece, so three families are left."
    ) in page


def test_half_of_the_pairs_by_kappa(values, separable, families, page):
    below: dict[str, list[Point]] = {"ordered": [], "weight-ordered": [], "witten-bell": []}
    for point, at in values.items():
        pairs = separable[point]
        many = Counter(families[name] for name in at[BITS])
        weights = [1 / many[families[a]] / many[families[b]] for a, b in pairs]
        agreed = [agree(at, KAPPA, pair) for pair in pairs]
        whole = sum(w * one for w, one in zip(weights, agreed, strict=True))
        shares = {
            "ordered": sum(agreed) / len(pairs),
            "weight-ordered": whole / sum(weights),
            "witten-bell": count(at, KAPPA, pairs, WITTEN_BELL) / len(pairs),
        }
        for name, share in shares.items():
            if share < 0.5:
                below[name].append(point)
    assert (
        "orders at least half of the pairs at every point but "
        f"{spoken(below['ordered'])}; with the weights of tau at every point but "
        f"{spoken(below['weight-ordered'])}; by Witten-Bell at every point but "
        f"{spoken(below['witten-bell'])}."
    ) in page


def test_what_is_above_and_below_the_baseline(page):
    said = []
    for name, metric in (
        ("compression", GIVEN), ("Rényi efficiency", RENYI), ("kappa", KAPPA),
        ("words kept whole", KEPT),
    ):  # fmt: skip
        signs: dict[tuple[str, str], list[int]] = {}
        for point, row in agreements():
            if row["metric"] == metric and point[0] != "flores":
                signs.setdefault(point[:2], []).append(arrow(point, row))
        assert [len(of) for of in signs.values()] == [3, 3, 2]
        counts = ", ".join(f"{of.count(1)} / {of.count(-1)}" for of in signs.values())
        said.append(f"{name} {counts}")
    assert f"Shakespeare (3), Oliver Twist (3), Korean reviews (2): {'; '.join(said)}." in page


def test_p_values_of_a_point_are_adjusted_after_holm():
    points: dict[Point, list[dict[str, str]]] = {}
    for point, row in agreements():
        if row["p"]:
            points.setdefault(point, []).append(row)
    for rows in points.values():
        assert len(rows) == 4
        greatest = 0.0
        for rank, row in enumerate(sorted(rows, key=lambda row: float(row["p"]))):
            greatest = max(greatest, min(1, float(row["p"]) * (4 - rank)))
            assert float(row["p-holm"]) == pytest.approx(greatest, rel=1e-6)


def test_where_partial_tau_has_another_sign(page):
    turned = [
        (point, row)
        for point, row in agreements()
        if row["primary"]
        and row["partial"]
        and float(row["tau"]) * float(row["partial"]) < 0
    ]  # fmt: skip
    said = [
        f"{spoken([point])} (`{row['metric']}`, {signed(float(row['tau']))} to "
        f"{signed(float(row['partial']))})"
        for point, row in turned
    ]
    assert len(said) == 2
    assert f"changes its sign on {said[0]} and {said[1]}, nowhere else." in page


def test_which_systems_the_pairs_share(values, separable, families, page):
    at, pairs = values[POINT], separable[POINT]
    # WordPiece.
    single = {
        kind: [value for name, value in at["single-characters"].items()
               if (families[name] == "wordpiece") == kind]
        for kind in (True, False)
    }  # fmt: skip
    assert f"{min(single[True]):.0%} to {max(single[True]):.0%}".replace("%", " %") in page
    assert f"it is at most {max(single[False]):.1%}.".replace("%", " %") in page
    many = Counter(families[name] for name in at[BITS])
    weight = {
        pair: 1 / many[families[pair[0]]] / many[families[pair[1]]]
        for pair in combinations(at[BITS], 2)
    }
    of = sum(w for pair, w in weight.items() if "wordpiece" in {*map(families.get, pair)})
    assert len(many) == 4
    assert "the family has a quarter of the systems' weight" in page
    assert f"is in {of / sum(weight.values()):.0%}".replace("%", " %") + " of the pairs'" in page
    rest = {name for name in at[BITS] if families[name] != "wordpiece"}
    taus = [
        weighed(
            {name: better(at, metric)[name] for name in at[BITS] if name in rest},
            {name: better(at, BITS)[name] for name in at[BITS] if name in rest},
            families,
        )
        for metric in PRIMARY
    ]
    assert f"tau with Kneser-Ney is {', '.join(map(signed, taus))} (in the order" in page
    # Pairs.
    ((busiest, most),) = Counter(name for pair in pairs for name in pair).most_common(1)
    mixed = sum(len({*pair} & SPLITTERS) == 1 for pair in pairs)
    assert f"**{len(pairs)} pairs are not {len(pairs)} facts.**" in page
    assert f"`{busiest}` is in {most} pairs, and {mixed} pairs put" in page
    changes = {
        (row["text"], row["test"], row["size"], row["metric"]): (
            float(row["ordered"]) / float(row["separable"]), float(row["weight-ordered"]),
        )
        for row in read("recounts")
    }  # fmt: skip
    (*point, metric), (plain, weighted) = max(
        changes.items(), key=lambda item: abs(item[1][0] - item[1][1])
    )
    text, test, size = point
    said = f"changes most for `{metric}` on {spoken([(text, test, size)])}: "
    assert f"{said}from {plain:.0%} to {weighted:.0%}.".replace("%", " %") in page


def test_families_change_tau_more_than_lines_nearly_always(page):
    assert "when each family is left out, is nearly always longer" in page
    rows = [row for _, row in agreements() if row["primary"]]
    longer = sum(
        float(row["greatest-without-a-family"]) - float(row["least-without-a-family"])
        > float(row["high"]) - float(row["low"])
        for row in rows
    )
    assert longer >= 0.95 * len(rows)
    assert longer < len(rows)


@pytest.fixture(scope="module")
def everything() -> dict[tuple[str, str], float]:
    """All values at Shakespeare's 4,000, controls too."""
    return {
        (row["system"], row["metric"]): float(row["value"] or "nan")
        for row in read("values")
        if (row["text"], row["size"]) == ("shakespeare", "4000")
        and row["test"] in ("held-out", "gold")
    }


def test_bits_of_splitters_and_marks(everything, page):
    def said(name: str) -> str:
        return f"{everything[name, BITS]:.3f} ({everything[name, WITTEN_BELL]:.3f})"

    assert (
        f"`bpe` {said('bpe')}, `bpe-no-mark` {said('bpe-no-mark')}; with punctuation cut off "
        f"`bpe-words` {said('bpe-words')}; `unigram` {said('unigram')}, `unigram-words` "
        f"{said('unigram-words')}; `byte-bpe` {said('byte-bpe')}, `byte-bpe-words` "
        f"{said('byte-bpe-words')}."
    ) in page
    cases = [
        ("bpe", "bpe-no-mark"), ("bpe", "bpe-words"), ("unigram", "unigram-words"),
        ("byte-bpe", "byte-bpe-words"),
    ]  # fmt: skip
    turned = [
        (everything[one, BITS] - everything[other, BITS])
        * (everything[one, WITTEN_BELL] - everything[other, WITTEN_BELL]) < 0
        for one, other in cases
    ]  # fmt: skip
    assert sum(turned) == 3
    assert "in three of these four cases in opposite directions" in page


def test_controls_fool_what_the_page_says(everything, page):
    found = everything

    def bits(name: str) -> str:
        return f"{found[name, BITS]:.3f} ({found[name, WITTEN_BELL]:.3f})"

    def change(one: str, other: str, metric: str) -> str:
        return f"from {found[one, metric]:.3f} to {found[other, metric]:.3f}"

    # Copies: more entropy, a worse model; of the primary metrics order one alone sees it.
    for metric in (GIVEN, KEPT, KAPPA):
        assert found["duplicated", metric] == found["one-copy", metric]
    assert found["duplicated", RENYI] > found["one-copy", RENYI]
    for metric in (BITS, WITTEN_BELL, ORDER_ONE):
        assert found["duplicated", metric] > found["one-copy", metric]
    assert f"Rényi efficiency rises {change('one-copy', 'duplicated', RENYI)}" in page
    assert "Compression, words kept whole and kappa do not see the copies." in page
    assert "Of the five primary metrics only the bits of order one get worse too." in page
    assert f"get worse, from {bits('one-copy')} to {bits('duplicated')}" in page
    # Cuts at random places: words are kept whole as often, boundaries are not those of morphemes.
    assert found["random-cuts", KEPT] == pytest.approx(found["bpe", KEPT], abs=5e-4)
    assert f"words kept whole stay at {found['random-cuts', KEPT]:.3f}" in page
    assert found["random-cuts", BITS] > found["bpe", BITS]
    assert found["random-cuts", WITTEN_BELL] > found["bpe", WITTEN_BELL]
    assert f"the bits rise from {bits('bpe')} to {bits('random-cuts')}" in page
    assert found["random-cuts", KAPPA] < found["bpe", KAPPA]
    assert (
        f"Kappa falls {change('bpe', 'random-cuts', KAPPA)}, compression "
        f"{change('bpe', 'random-cuts', GIVEN)} bytes"
    ) in page
    # Merges left out.
    assert (
        f"compression falls {change('bpe', 'dropped', GIVEN)}, words kept whole "
        f"{change('bpe', 'dropped', KEPT)}; the bits are {bits('bpe')} and {bits('dropped')}."
    ) in page
    # The same system twice: no number differs.
    metrics = {metric for system, metric in found if system == "bpe"}
    assert all(found["bpe", one] == found["bpe-again", one] for one in metrics)
    assert "**The same system twice** has the same numbers everywhere." in page


def test_evidence_of_the_primary_metrics_has_our_figure(values, separable):
    registry = load(lazy=True)
    at, pairs = values[POINT], separable[POINT]
    for name in (*PRIMARY, WITTEN_BELL):
        metric = registry.find("metric", name.partition("(")[0]).component
        evidence = " ".join(metric.evidence.split())
        assert f"among {len(at[BITS])} systems on Shakespeare at 4,000" in evidence
        assert f"ordered {count(at, name, pairs):g} of {len(pairs)} separable pairs as" in evidence
        if name in PRIMARY:
            other = count(at, name, pairs, WITTEN_BELL)
            assert f"({other:g} with Witten-Bell smoothing)" in evidence
        assert "docs/which-metric.md" in evidence


def test_transformers_are_those_of_the_plan():
    rows = read("transformer")
    runs = [row for row in rows if row["scored"] == "held-out"]
    choice = [row for row in rows if row["scored"] == "held-back"]
    best = min(choice, key=lambda row: float(row[BITS]))["rate"]
    assert {row["system"] for row in choice} == {"bpe"}
    assert len(choice) == 3
    assert {row["rate"] for row in runs} == {best}
    assert Counter(row["system"] for row in runs).most_common() == [
        (name, 3) for name in dict.fromkeys(row["system"] for row in runs)
    ]
    assert len({row["system"] for row in runs}) == 10
    assert len({row["system"] for row in runs} & {*CONTROLS}) == 2
    assert all(int(row["parameters"]) <= 1_500_000 for row in rows)


def test_the_transformers_of_the_page_are_counted_plainly(everything, separable, page):
    runs = [row for row in read("transformer") if row["scored"] == "held-out"]
    bits: dict[str, list[float]] = {}
    for row in runs:
        bits.setdefault(row["system"], []).append(float(row[BITS]))
    mean = {name: fmean(several) for name, several in bits.items()}
    sd = fmean(map(variance, bits.values())) ** 0.5
    table = [
        f"| `{name}` | {mean[name]:.3f} | {everything[name, BITS]:.3f} | "
        f"{everything[name, WITTEN_BELL]:.3f} |"
        for name in sorted(mean, key=mean.__getitem__)
    ]
    assert " ".join(table) in page
    assert f"The standard deviation of the seeds is {sd:.4f}." in page

    def pairs_of(names: list[str]) -> Pairs:
        return [
            (one, other)
            for one, other in combinations(names, 2)
            if abs(mean[one] - mean[other]) >= 2 * sd
        ]

    at: Values = {"transformer": mean}
    for name, metric in everything:
        at.setdefault(metric, {})[name] = everything[name, metric]
    pairs = pairs_of([name for name in bits if name not in CONTROLS])

    def alike(metric: str, some: Pairs = pairs) -> str:
        return f"{count(at, metric, some, 'transformer'):g} of {len(some)}"

    assert f"the means of {len(pairs)} pairs differ by at least twice that." in page
    assert (
        f"The transformer orders {alike(BITS)} as Kneser-Ney does, {alike(WITTEN_BELL)} as "
        f"Witten-Bell, {alike(KAPPA)} as kappa, {alike(ORDER_ONE)} as order one, {alike(GIVEN)} as "
        f"compression, {alike(KEPT)} as words kept whole, {alike(RENYI)} as Rényi efficiency."
    ) in page
    assert f"{sum('wordpiece' in pair for pair in pairs)} of the pairs have `wordpiece`" in page
    turned = [pair for pair in pairs if not agree(at, BITS, pair, "transformer")]
    far = {pair: abs(at[BITS][pair[0]] - at[BITS][pair[1]]) for pair in turned}
    one, other = min(far, key=far.__getitem__)
    assert f"(`{one}`, `{other}`) rests on {far[one, other]:.4f} bits" in page
    both = [pair for pair in pairs if pair in separable[POINT] or pair[::-1] in separable[POINT]]
    assert (
        f"Only {len(both)} of the pairs are separable; the count model orders {alike(BITS, both)} "
        "of these as the transformer does."
    ) in page
    assert f"With the controls it orders {alike(BITS, pairs_of([*bits]))}." in page
    # What it learned from.
    learned, whole = (
        max(int(row[name]) for row in runs) for name in ("training-bytes", "text-bytes")
    )
    assert f"at most {learned:,} bytes" in page
    assert f"learned from {whole:,} bytes, {whole / learned:.1f} times as many" in page
    operations = sum(float(row["operations"]) for row in read("transformer"))
    assert f"took {operations / 1e12:.0f} × 10<sup>12</sup>" in page


Imported = Callable[[str], ModuleType]


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch) -> Iterator[Imported]:
    """Import modules of the study, also where other folders have modules of their names."""
    monkeypatch.syspath_prepend(STUDY)
    for path in STUDY.glob("*.py"):
        if path.stem in sys.modules:
            monkeypatch.delitem(sys.modules, path.stem)
    yield importlib.import_module
    for path in STUDY.glob("*.py"):
        sys.modules.pop(path.stem, None)


def test_windows_hold_whole_lines(imported):
    windows_of = imported("windows").windows_of
    # 500 + 12 fill one; 1 more begins the next; a longer line stands alone.
    assert windows_of([500, 12, 1, 600, 511, 1, 1]) == [
        range(2), range(2, 3), range(3, 4), range(4, 6), range(6, 7),
    ]  # fmt: skip
    assert windows_of([]) == []


def test_bytes_of_the_transformers_are_those_of_the_text(
    imported: Imported, shared: Path, tmp_path: Path
) -> None:
    texts, windows = imported("texts"), imported("windows")
    texts.write_texts(next(one for one in texts.TEXTS if one.name == "shakespeare"), tmp_path)
    lines = (tmp_path / "train.txt").read_text("utf-8").split("\n")
    sizes = [len(" ".join(line.split()).encode()) + 1 for line in lines if line.split()]
    held = [sum(sizes[one.start : one.stop]) for one in windows.windows_of(sizes)]
    some = held[: imported("study").WINDOWS]
    back = [size for at, size in enumerate(some) if at % 10 != 9]
    for row in read("transformer"):
        chosen = back if row["scored"] == "held-back" else some
        steps = len(chosen) // windows.BATCH
        order = np.random.default_rng(int(row["seed"])).permutation(len(chosen))
        learned = sum(chosen[at] for at in order[: steps * windows.BATCH])
        assert int(row["steps"]) == steps
        assert int(row["training-bytes"]) == learned
        assert int(row["text-bytes"]) == sum(sizes)


def member(agreement: ModuleType, at: int, numbers: dict[str, object]) -> object:
    """System 0 is the best of five; 0, 1, 2 are one family, 3 and 4 another."""
    found = {
        name: (float(of[at]), None) if isinstance(of, list) else (float(of[0, at]), of[1:, at])
        for name, of in numbers.items()
    }
    bits = np.full(39, float(at))
    return agreement.Member(
        f"s{at}", "x" if at < 3 else "y",
        {"bits-per-byte": (float(at), bits), **found}, (float(at),) * 5,
    )  # fmt: skip


def test_agreements_of_five_systems_by_hand(imported: Imported) -> None:
    agreement = imported("agreement")
    best = [5.0, 4, 3, 2, 1]
    # 36 of 39 resamples order all systems as the model does, 3 in reverse.
    good = np.array([best] * 37 + [best[::-1]] * 3)
    numbers: dict[str, object] = {
        "good": good,
        "worst": [1, 2, 3, 4, 5],
        "constant": [1, 1, 1, 1, 1],
        # The first family is in reverse: three pairs of weight 1/9 of 1/4 + 6/6 + 3/9.
        "bits-per-byte(order=1)": [3, 2, 1, 4, 5],
        "tied": [2, 2, 2, 1, 1],
        "undefined": [1, 2, float("nan"), 4, 5],
    }
    members = [member(agreement, at, numbers) for at in range(5)]
    primary = {"good": 1, "worst": 1, "constant": 1, "bits-per-byte(order=1)": -1}
    rows = {
        row["metric"]: row
        for row in agreement.agreements(members, primary, "bits-per-byte", "good")
    }
    assert [*rows] == [*primary, "tied"]
    assert {row["separable"] for row in rows.values()} == {10}
    assert [rows[name]["ordered"] for name in rows] == [10, 0, 5, 7, 8]
    third = (1 / 4 + 1 - 1 / 3) / (1 / 4 + 1 + 1 / 3)
    assert rows["good"]["tau"] == pytest.approx(1)
    assert rows["worst"]["tau"] == pytest.approx(-1)
    assert np.isnan(rows["constant"]["tau"])
    assert rows["bits-per-byte(order=1)"]["tau"] == pytest.approx(third)
    # Tau-b: six pairs of 1/6 are ordered, four tied ones have 1/4 + 3/9.
    assert rows["tied"]["tau"] == pytest.approx(1 / (1 + 1 / 4 + 1 / 3) ** 0.5)
    # The ends of 39 resamples: 3 of them are -1.
    assert (rows["good"]["low"], rows["good"]["high"]) == pytest.approx((-1, 1))
    of_baseline = rows["bits-per-byte(order=1)"]
    assert of_baseline["least-without-a-family"] == pytest.approx(-1)
    assert of_baseline["greatest-without-a-family"] == pytest.approx(1)
    # 3 of 39 differences from the baseline are below 0; of `worst` all are.
    assert rows["good"]["p"] == pytest.approx(2 * (1 + 3) / 40)
    assert rows["worst"]["p"] == pytest.approx(2 * 1 / 40)
    assert rows["good"]["tau-minus-baseline"] == pytest.approx(1 - third)
    # Holm over the two that have a p; a metric that orders nothing has none.
    assert rows["worst"]["p-holm"] == pytest.approx(2 * 2 / 40)
    assert rows["good"]["p-holm"] == pytest.approx(8 / 40)
    assert [rows[name]["p-holm"] for name in ("constant", "bits-per-byte(order=1)", "tied")] == [
        None, None, None,
    ]  # fmt: skip


def test_pairs_are_separable_beyond_their_training_samples(imported: Imported) -> None:
    agreement = imported("agreement")
    one = agreement.Member("one", "x", {"bits-per-byte": (1.0, np.ones(39))}, (0.9, 1.0, 1.1))
    # The sd of both is 0.1, so the difference must be beyond 2 sqrt(0.02) = 0.283.
    for value, separable in ((1.28, ""), (1.29, "yes")):
        samples = (value - 0.1, value, value + 0.1)
        other = agreement.Member(
            "other", "x", {"bits-per-byte": (value, np.full(39, value))}, samples
        )
        (row,) = agreement.separable_pairs([one, other])
        assert row["separable"] == separable
        assert row["p"] == 1 / 40


@pytest.mark.parametrize(
    ("text", "size", "system", "said"),
    [
        ("flores", "999", "bpe", "flores has the sizes 1000, 2000, not 999"),
        ("flores", "1000", "bep", "bep is not one of bpe, "),
        ("flores", "1000", "bpe", "deu_Latn.dev.gz: no such file; TOKBENCH_STUDY_DATA names"),
        ("shakespeare", "4000", "bpe", "`tokbench corpora get shakespeare` downloads"),
    ],
)
def test_wrong_calls_get_one_message(
    tmp_path: Path, text: str, size: str, system: str, said: str
) -> None:
    nowhere = dict.fromkeys(
        ("TOKBENCH_STUDY_DATA", "TOKBENCH_CORPORA", "XDG_CACHE_HOME"), str(tmp_path / "nowhere")
    )
    command = [sys.executable, STUDY / "study.py", "--work", tmp_path, "row", text, size, system]
    done = subprocess.run(
        [*map(str, command)],
        capture_output=True, encoding="utf-8", check=False, env={**os.environ, **nowhere},
    )  # fmt: skip
    assert done.returncode == 1
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


GERMAN = "".join(f"Das ist Satz {number} von vielen.\n" for number in range(200))


def study_data(folder: Path, gold: str = "") -> Path:
    """Write sentences as the file that the study reads, and gold words if there are any."""
    for name, text in (
        ("parallel/deu_Latn.dev.gz", GERMAN),
        ("morphology/morphynet-deu.derivational.v1.tsv.gz", gold),
    ):
        if text:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(gzip.compress(text.encode()))
    return folder


@pytest.mark.parametrize(
    ("command", "missing"),
    [(["part", "flores", "1000"], "morphynet-deu.derivational.v1.tsv.gz"), (["run"], "data/")],
)
def test_parts_without_gold_words_end_before_they_run(
    tmp_path: Path, command: list[str], missing: str
) -> None:
    data = study_data(tmp_path / "data")
    done = subprocess.run(
        [sys.executable, str(STUDY / "study.py"), "--work", str(tmp_path / "work"), *command],
        capture_output=True, encoding="utf-8", check=False,
        env={**os.environ, "TOKBENCH_STUDY_DATA": str(data)},
    )  # fmt: skip
    assert done.returncode == 1
    assert "no such file; TOKBENCH_STUDY_DATA names" in done.stderr
    assert missing in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "work").exists()


def test_a_system_without_bits_is_left_out(imported: Imported) -> None:
    parts = imported("parts")
    outcome = SimpleNamespace(estimates={})
    record = SimpleNamespace(system="bpe", vocabulary_size=1000)
    assert parts.why_left_out(outcome, record, "held-out", 1000) == "no value"
    assert parts.why_left_out(outcome, record, "gold", 1000) == ""
    assert parts.why_left_out(outcome, record, "held-out", 1011) == "size"


def test_bytes_are_not_resampled_so_their_ratio_has_no_interval() -> None:
    rows = [row for row in read("values") if row["metric"] == GIVEN]
    assert len(rows) == 280
    assert {(row["low"], row["high"]) for row in rows} == {("", "")}


def test_gold_words_are_written_when_they_come(
    imported: Imported, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    texts = imported("texts")
    flores = next(one for one in texts.TEXTS if one.name == "flores")
    monkeypatch.setattr(texts, "SHARED", study_data(tmp_path / "data"))
    texts.write_texts(flores, tmp_path / "work")
    assert (tmp_path / "work" / "train.txt").is_file()
    assert not (tmp_path / "work" / flores.gold).exists()
    study_data(tmp_path / "data", "Satz\tSätze\n")
    texts.write_texts(flores, tmp_path / "work")
    assert (tmp_path / "work" / flores.gold).read_text("utf-8") == "Satz\tSätze\n"


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("text", "size", "system"), [("flores", "1000", "bpe"), ("shakespeare", "4000", "unigram")]
)
def test_a_row_again_is_the_committed_one(
    shared: Path, tmp_path: Path, text: str, size: str, system: str
) -> None:
    command = [sys.executable, STUDY / "study.py", "--work", tmp_path, "row", text, size, system]
    done = subprocess.run(
        [*map(str, command)], capture_output=True, encoding="utf-8", cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    header, *rows = done.stdout.splitlines()
    assert header.split() == ["test", "metric", "here", "committed"]
    assert len(rows) > 20
    for row in rows:
        here, committed = row[50:64].strip(), row[64:].strip()
        assert here == committed, row


@pytest.mark.nightly
def test_intervals_again_are_the_committed_ones(
    imported: Imported, shared: Path, tmp_path: Path
) -> None:
    parts, systems, texts = map(imported, ("parts", "systems", "texts"))
    flores = next(one for one in texts.TEXTS if one.name == "flores")
    chosen = [one for one in systems.SYSTEMS if one.name == "bpe"]
    found = parts.score_part(flores, 1000, tmp_path, chosen, samples=0).results
    columns = ("test", "metric", "value", "low", "high", "left-out")
    again = {
        tuple(str(parts.spelled(row[name])) for name in columns)
        for row in parts.value_rows(flores, 1000, found)
    }
    committed = {
        tuple(row[name] for name in columns)
        for row in read("values")
        if (row["text"], row["size"], row["system"]) == ("flores", "1000", "bpe")
    }
    assert again == committed
