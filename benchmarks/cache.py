"""Measure a second run, after one more metric, beside the first, each pair with a cache of its own.

    python benchmarks/cache.py configs/field.yaml --rounds 3

The first run lacks one metric of the second, `fertility`. Pairs of runs follow one another, so that
what else the machine does falls on both. Prints the seconds of both, their ratio, and how
many learners were called in the second run.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import yaml
from setting import TOKBENCH

from tokbench import plugins
from tokbench.config import load_experiment

ADDED = "fertility"


def main() -> None:
    """Measure one config."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    named = load_experiment(asked.config, plugins.load(lazy=True)).metrics
    metrics = [metric.name for metric in named if metric.name != ADDED]
    ratios = []
    for number in range(asked.rounds):
        with TemporaryDirectory() as folder:
            first, _ = measured(asked.config, metrics, Path(folder))
            second, learned = measured(asked.config, [*metrics, ADDED], Path(folder))
        ratios.append(second / first)
        what = f"first {first:.1f} s, second {second:.1f} s, {ratios[-1]:.2f} times"
        print(f"round {number + 1}: {what}, {learned} calls of learners", flush=True)
    print(f"median ratio: {median(ratios):.2f}")


def measured(config: Path, metrics: list[str], folder: Path) -> tuple[float, int]:
    """Run a config with these metrics; return its seconds, and how often a learner was called."""
    document = yaml.safe_load(config.read_text("utf-8")) | {"metrics": metrics}
    # Beside the config, so that its paths lead to the same files.
    changed = config.with_name(f"{config.stem}-{os.getpid()}.yaml")
    changed.write_text(yaml.safe_dump(document), encoding="utf-8")
    out = folder / "out"
    begin = perf_counter()
    try:
        subprocess.run(
            [TOKBENCH, "run", "-q", "-o", str(out), str(changed)],
            env=os.environ | {"TOKBENCH_CACHE": str(folder / "cache")},
            check=True,
            stderr=subprocess.DEVNULL,
        )
    finally:
        changed.unlink()
    seconds = perf_counter() - begin
    costs = json.loads((out / "run.json").read_text("utf-8"))["cost"]
    return seconds, sum(cost["step"] == "learn" and not cost["cached"] for cost in costs)


if __name__ == "__main__":
    sys.exit(main())
