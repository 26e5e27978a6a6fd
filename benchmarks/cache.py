"""Measure how much of a run the cache saves after one metric was added.

    python benchmarks/cache.py configs/field.yaml --rounds 3

Each round runs a config twice with a cache of its own: first without the metric `fertility`, then
with it. Prints the seconds of both runs, their ratio, and how many learners the second run called.
"""

import argparse
import json
import os
import subprocess
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
    options = parser.parse_args()
    experiment = load_experiment(options.config, plugins.load(lazy=True))
    metrics = [metric.name for metric in experiment.metrics if metric.name != ADDED]
    ratios = []
    for number in range(options.rounds):
        with TemporaryDirectory() as folder:
            first, _ = time_run(options.config, metrics, Path(folder))
            second, calls = time_run(options.config, [*metrics, ADDED], Path(folder))
        ratios.append(second / first)
        times = f"first {first:.1f} s, second {second:.1f} s, {ratios[-1]:.2f} times"
        print(f"round {number + 1}: {times}, {calls} calls of learners", flush=True)
    print(f"median ratio: {median(ratios):.2f}")


def time_run(config: Path, metrics: list[str], folder: Path) -> tuple[float, int]:
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
    main()
