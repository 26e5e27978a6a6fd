"""Measure tokbench against every peer that installs from the package index.

python benchmarks/run.py [--scales 1 10 100] [--rounds 3] [--only learn ...] [--text FILE]

Writes results.json and results.md into --out. `--smoke` does everything once on a few KB, as a
test; its figures mean nothing.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from figures import Figures
from machine import machine, versions
from rounds import measure_task
from setting import ROOT, Setting
from tables import document
from tasks import TASKS
from texts import Texts
from verify import compare_scores, verify

NAMES = [task.name for task in TASKS]
SIZES = (100, 500, 1000, 2500, 5000, 10000)


def main() -> None:
    options = parse()
    results = measure_all(options, prepare(options))
    tables = document(results)
    (options.out / "results.md").write_text(tables, encoding="utf-8")
    sys.stdout.write(tables)
    failed = any(measurement["error"] for measurement in results["measurements"])
    disagreed = not all(row["agrees"] for row in results["verified"])
    sys.exit(1 if failed or disagreed else 0)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scales", type=int, nargs="+", default=[1, 10, 100])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=[*NAMES, "verify"], default=None)
    parser.add_argument("--text", type=Path, help="[default: Shakespeare of tokbench's catalogue]")
    parser.add_argument("--seed", type=int, default=0, help="of the larger texts")
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "benchmarks")
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    if options.smoke:
        options.scales, options.rounds = [1, 2], 1
        options.text = options.text or ROOT / "corpora" / "english.train.txt"
    return options


def prepare(options: argparse.Namespace) -> Setting:
    """Make the folder and the smallest text."""
    options.out = options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    limit = 60_000 if options.smoke else None
    return Setting(
        texts=Texts.of(options.text, options.out / "texts", options.seed, limit),
        folder=options.out,
        size=500 if options.smoke else 10_000,
        sizes=(100, 200, 500) if options.smoke else SIZES,
        tokens=10_000 if options.smoke else 5_000_000,
        repetitions=1 if options.smoke else 7,
    )


def measure_all(options: argparse.Namespace, setting: Setting) -> dict[str, Any]:
    """Measure and verify all chosen tasks; write the results so far after each of them."""
    chosen = options.only or [*NAMES, "verify"]
    results: dict[str, Any] = {
        "command": " ".join(["benchmarks/run.py", *sys.argv[1:]]),
        "rounds": options.rounds,
        "choices": {
            "size": f"{setting.size:,}",
            "sizes": f"{len(setting.sizes)} sizes",
            "tokens": f"{setting.tokens:,}",
        },
        "machine": machine(),
        "versions": versions(),
        "texts": [],
        "measurements": [],
        "verified": verify(setting) if "verify" in chosen else [],
    }
    for task in TASKS:
        if task.name in chosen:
            for scale in options.scales if task.scaled else [1]:
                results["measurements"] += measure_task(task, setting, scale, options.rounds)
                results["texts"] = shapes(setting.texts, options.scales)
                save(results, options.out)
    results["verified"] += compare_scores(Figures(results["measurements"]))
    save(results, options.out)
    return results


def shapes(texts: Texts, scales: list[int]) -> list[dict[str, Any]]:
    """Describe every text that was used."""
    return [
        {"scale": scale, "letters": letters, **shape}
        for letters in (False, True)
        for scale in scales
        if (shape := texts.shape(scale, letters))
    ]


def save(results: dict[str, Any], folder: Path) -> None:
    """Write the raw results, from which `tables.py` makes the tables again."""
    text = json.dumps(results, indent=1, ensure_ascii=False)
    (folder / "results.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
