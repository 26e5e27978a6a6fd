"""The study of metrics: its tables agree with each other and with SciPy, its page with them."""

import csv
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import lcm
from pathlib import Path
from statistics import fmean, variance

import pytest
from scipy.stats import kendalltau

from tokbench.plugins import load

from .conftest import ROOT

STUDY = ROOT / "studies" / "which_metric"
PAGE = ROOT / "docs" / "which-metric.md"
BITS, GIVEN = "bits-per-byte", "text-bytes-per-token"
PRIMARY = {
    GIVEN: 1, "renyi-efficiency-declared": 1, "boundary-kappa": 1, "kept-whole-running": 1,
    "bits-per-byte(order=1)": -1,
}  # fmt: skip
CONTROLS = ("random-cuts", "dropped", "duplicated", "one-copy", "bpe-again")
POINT = ("shakespeare", "held-out", "4000")

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
        tested = row["metric"] in PRIMARY and row["metric"] != "bits-per-byte(order=1)"
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


def test_ordered_pairs_are_counted_with_half_a_tie(values):
    separable: dict[Point, list[tuple[str, str]]] = {}
    for row in read("pairs"):
        if row["separable"]:
            point = row["text"], row["test"], row["size"]
            separable.setdefault(point, []).append((row["system"], row["other"]))
    for point, row in agreements():
        metric, bits = values[point][row["metric"]], values[point][BITS]
        ordered = 0.0
        for one, other in separable[point]:
            agree = (metric[one] - metric[other]) * int(row["sign"]) * (bits[other] - bits[one])
            ordered += 1 if agree > 0 else 0.5 if agree == 0 else 0
        assert float(row["separable"]) == len(separable[point])
        assert float(row["ordered"]) == ordered


def rendered() -> str:
    code = "import sys; from pathlib import Path; from page import render; "
    code += "sys.stdout.reconfigure(encoding='utf-8'); "
    code += "sys.stdout.write(render(Path('results')))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=STUDY, capture_output=True, check=True, encoding="utf-8"
    )
    return done.stdout


def test_the_page_is_made_of_the_tables():
    assert PAGE.read_text("utf-8") == rendered()


def test_the_template_holds_no_number_of_a_result():
    template = (STUDY / "page.md.j2").read_text("utf-8")
    results = template.split("\n## Results\n")[1].split("\n## What cannot be concluded\n")[0]
    prose = re.sub(r"\{\{.*?\}\}|\{%.*?%\}|`[^`]*`|\]\([^)]*\)", "", results, flags=re.DOTALL)
    design = {"95", "4,000", "128", "10", "12"}  # interval, size, width, 10 to the 12th
    assert {*re.findall(r"\d[\d,.]*\b", prose)} <= design


def test_the_table_of_the_page_has_the_numbers_of_agreement():
    cells = {
        (row["text"], row["test"], row["size"], row["metric"]): row for row in read("agreement")
    }
    page = PAGE.read_text("utf-8")
    table = re.findall(r"^\| (.+?), ([\d,]+) \| (\d+) \| (\d+) \|(.*)\|$", page, re.M)
    assert len(table) == 10
    names = {
        "Shakespeare": ("shakespeare", "held-out"),
        "Oliver Twist": ("shakespeare", "oliver-twist"),
        "Korean reviews": ("reviews", "held-out"),
        "German FLORES *": ("flores", "held-out"),
    }
    for name, size, systems, separable, rest in table:
        for metric, cell in zip(PRIMARY, rest.split("|"), strict=True):
            row = cells[*names[name], size.replace(",", ""), metric]
            ordered, tau = re.fullmatch(r"\s*(\S+) \((\S+)\)\s*", cell).groups()
            assert (systems, separable) == (row["systems"], row["separable"])
            assert float(ordered) == float(row["ordered"])
            assert tau == f"{float(row['tau']):+.2f}".replace("-", "−")


def test_evidence_of_the_primary_metrics_has_our_figure():
    registry = load(lazy=True)
    for name in (*PRIMARY, "bits-per-byte-witten-bell"):
        metric = registry.find("metric", name.partition("(")[0]).component
        (row,) = (row for point, row in agreements() if point == POINT and row["metric"] == name)
        figure = f"{float(row['ordered']):g} of {row['separable']} pairs"
        assert figure in " ".join(metric.evidence.split()), name
        assert "docs/which-metric.md" in metric.evidence


def test_controls_fool_what_the_page_says():
    found = {
        (row["system"], row["metric"]): float(row["value"] or "nan")
        for row in read("values")
        if (row["text"], row["size"]) == ("shakespeare", "4000")
        and row["test"] in ("held-out", "gold")
    }
    # Copies: as many tokens, more entropy, a worse model.
    assert found["duplicated", GIVEN] == found["one-copy", GIVEN]
    assert (
        found["duplicated", "renyi-efficiency-declared"]
        > (found["one-copy", "renyi-efficiency-declared"])
    )
    assert found["duplicated", BITS] > found["one-copy", BITS]
    # Cuts at random places: words are kept whole as often, boundaries are not those of morphemes.
    assert found["random-cuts", "kept-whole-running"] == pytest.approx(
        found["bpe", "kept-whole-running"], abs=1e-3
    )
    assert found["random-cuts", "boundary-kappa"] < found["bpe", "boundary-kappa"]
    assert found["random-cuts", BITS] > found["bpe", BITS]
    # The same system twice: no number differs.
    metrics = {metric for system, metric in found if system == "bpe"}
    assert all(found["bpe", one] == found["bpe-again", one] for one in metrics)


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


def test_the_transformers_of_the_page_are_counted_plainly():
    bits: dict[str, list[float]] = {}
    for row in read("transformer"):
        if row["scored"] == "held-out":
            bits.setdefault(row["system"], []).append(float(row[BITS]))
    sd = fmean(map(variance, bits.values())) ** 0.5
    model = {
        row["system"]: float(row["value"])
        for row in read("values")
        if (row["text"], row["test"], row["size"], row["metric"]) == (*POINT, BITS)
    }
    pairs = alike = 0
    for one, other in combinations([name for name in bits if name not in CONTROLS], 2):
        difference = fmean(bits[one]) - fmean(bits[other])
        if abs(difference) >= 2 * sd:
            pairs += 1
            alike += difference * (model[one] - model[other]) > 0
    page = " ".join(PAGE.read_text("utf-8").split())
    assert f"{alike} of {pairs} pairs" in page


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


@pytest.mark.slow
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
