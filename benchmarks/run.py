"""Measure tokbench against every peer that installs from the package index.

python benchmarks/run.py [--scales 1 10 100] [--rounds 3] [--only learn ...] [--text FILE]

Writes results.json and results.md into --out. `--smoke` does everything once on a few KB, in
seconds, to see that it works; its figures mean nothing.
"""

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from figures import Figures
from importtime import slowest
from machine import machine, versions
from rounds import Measurement, measure_task
from setting import ROOT, Setting
from tables import document
from tasks import TASKS
from texts import Texts
from verify import scores, verify

NAMES = [task.name for task in TASKS]
SIZES = (100, 500, 1000, 2500, 5000, 10000)


def main() -> None:
    options = parse()
    setting = prepare(options)
    results = measured(options, setting)
    save(results, options)
    sys.stdout.write(document(results))
    broken = [one for one in results["measurements"] if one["error"]]
    wrong = [row for row in results["verified"] if not row["agrees"]]
    sys.exit(1 if broken or wrong else 0)


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


def measured(options: argparse.Namespace, setting: Setting) -> dict[str, Any]:
    """Measure and verify all that is chosen; what there is so far is kept after each table."""
    chosen = set(options.only or [*NAMES, "verify"])
    results = described(options, setting)
    measurements: list[Measurement] = results["measurements"]
    if "verify" in chosen:
        results["verified"] += verify(setting, say)
    for task in TASKS:
        if task.name in chosen:
            for scale in options.scales if task.scaled else [1]:
                measurements += measure_task(task, setting, scale, options.rounds, say)
                results["texts"] = texts(options, setting)
                keep(results, options)
    results["verified"] += scores(Figures(measurements))
    if "run" in chosen:
        results["steps"] = steps(setting.folder / "tokbench" / "run.json", measurements)
    if "start" in chosen:
        results["imports"] = imports(setting)
    return results


def described(options: argparse.Namespace, setting: Setting) -> dict[str, Any]:
    """Describe what is going to be measured, and on what."""
    return {
        "command": " ".join(["benchmarks/run.py", *sys.argv[1:]]),
        "rounds": options.rounds,
        "choices": choices(setting),
        "machine": machine(),
        "versions": versions(),
        "texts": [],
        "measurements": [],
        "verified": [],
        "steps": {},
        "imports": {},
    }


def choices(setting: Setting) -> dict[str, str]:
    """Spell what the titles of tables hold."""
    return {
        "size": f"{setting.size:,}",
        "sizes": f"{len(setting.sizes)} sizes",
        "tokens": f"{setting.tokens:,}",
    }


def texts(options: argparse.Namespace, setting: Setting) -> list[dict[str, Any]]:
    """Describe every text that was used."""
    return [
        {"scale": scale, "letters": letters, **setting.texts.shape(scale, letters)}
        for letters in (False, True)
        for scale in options.scales
        if setting.texts.made(scale, letters)
    ]


def steps(run: Path, measurements: list[Measurement]) -> dict[str, float]:
    """Add up the measured steps of the last run over systems and sizes; say what is left."""
    whole = [one for one in measurements if (one["task"], one["peer"]) == ("run", "tokbench")]
    if whole[-1]["error"]:
        return {}
    total: dict[str, float] = defaultdict(float)
    for cost in json.loads(run.read_text(encoding="utf-8"))["cost"]:
        total[cost["step"]] += cost["seconds"]
    total["all else: imports, reading, resamples drawn, writing"] = whole[-1]["seconds"] - sum(
        total.values()
    )
    return dict(sorted(total.items(), key=lambda item: -item[1]))


def imports(setting: Setting) -> dict[str, list[tuple[str, float, float]]]:
    """Profile the imports of the commands that must start fast."""
    toy = str(ROOT / "configs" / "toy.yaml")
    run = ["run", "-q", "--fresh", "-o", str(setting.folder / "toy"), toy]
    arguments = {"--version": ["--version"], "--help": ["--help"], "run configs/toy.yaml": run}
    return {command: slowest(*given) for command, given in arguments.items()}


def save(results: dict[str, Any], options: argparse.Namespace) -> None:
    """Write the results where they belong."""
    keep(results, options)
    (options.out / "results.md").write_text(document(results), encoding="utf-8")


def keep(results: dict[str, Any], options: argparse.Namespace) -> None:
    """Write the raw results, from which the tables can be made again."""
    text = json.dumps(results, indent=1, ensure_ascii=False)
    (options.out / "results.json").write_text(text + "\n", encoding="utf-8")


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
