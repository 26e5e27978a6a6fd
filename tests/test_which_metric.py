"""The study of metrics: its tables agree with SciPy, its page with its tables."""

import csv
import importlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from math import lcm
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from .conftest import ROOT

STUDY = ROOT / "studies" / "which_metric"
PAGE = ROOT / "docs" / "which-metric.md"
BITS, GIVEN = "bits-per-byte", "text-bytes-per-token"
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
    from scipy.stats import kendalltau  # 30 MB

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
