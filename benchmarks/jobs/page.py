"""Write the views of a run: with the page, without it, or the page of many systems alone."""

import json
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from tokbench import plugins
from tokbench.cli.views import files_of, write_views
from tokbench.config import load_experiment
from tokbench.run_folder import write_run
from tokbench.runner.experiment import execute

PAGE = "report.html"
MANY = "50 systems"
SIZES = (400, 600, 1000, 2000, 4000, 8000)


def run(name: str, config: str) -> dict[str, Any]:
    """Return the seconds of a run and its views, or of the page of many systems, and its MB."""
    registry = plugins.load(lazy=True)
    files, _ = files_of(registry)
    with TemporaryDirectory() as created:
        folder = Path(created)
        if name == MANY:
            config = str(config_of_many(folder, Path(config).parent))
            files = {PAGE: files[PAGE]}
        elif name == "without page":
            files = {file: view for file, view in files.items() if file != PAGE}
        begin = perf_counter()
        experiment = load_experiment(Path(config), registry)
        done = execute(experiment, experiment.load_corpora(), registry, lambda *_: None)
        write_run(folder / "run", done, dict.fromkeys(files))
        if name == MANY:
            begin = perf_counter()
        _, failures = write_views(folder / "run", done, registry, files, experiment.limits)
        seconds = perf_counter() - begin
        page = folder / "run" / PAGE
        size = page.stat().st_size if page.exists() else 0
    if failures:
        raise ValueError(failures)
    return {"seconds": seconds, "page-mb": size / 1e6}


def config_of_many(folder: Path, configs: Path) -> Path:
    """Write a config of fifty systems on the shipped English."""
    options = product(
        ("fused", "absent", "separate", "fenced"), ("greatest", "first"), ("absent", "fused"),
        ("bpe", "longest-match", "fewest-tokens", "bpe-learned-order"),
    )  # fmt: skip
    systems = [
        {
            "name": f"{number}-{eow}-{ties}-{bow}-{segmenter}",
            "learner": {"use": "bpe", "eow": eow, "ties": ties, "bow": bow},
            "segmenter": segmenter,
        }
        for number, (eow, ties, bow, segmenter) in zip(range(50), options, strict=False)
    ]
    corpora = configs.parent / "corpora"
    config: Mapping[str, Any] = {
        "corpora": {
            "train": str(corpora / "english.train.txt"),
            "test": {"held-out": str(corpora / "english.test.txt")},
            "gold": {"english": str(corpora / "english.gold.tsv")},
        },
        "sizes": [*SIZES],
        "systems": systems,
        "resamples": 20,
    }
    path = folder / "many.yaml"
    path.write_text(json.dumps(config), encoding="utf-8")
    return path
