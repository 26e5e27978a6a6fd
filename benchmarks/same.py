"""Save all that tokbench writes and prints, and compare a later version with it.

`python benchmarks/same.py save DIR` runs every shipped config and some odd ones, and keeps each run
folder and all output. `python benchmarks/same.py compare DIR` runs them again and prints one line
for each file that differs. A CSV file that has only gained or lost columns is said to have done so.
"""

import argparse
import csv
import difflib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNS = ROOT / "benchmarks" / "same_runs"
PROGRAM = [
    sys.executable,
    "-c",
    "import sys; sys.argv[0] = 'tokbench'; from tokbench.cli import main; main()",
]
MEASURED = {"data/cost.md", "report.html"}
MEASURED_KEYS = ("cost", "machine", "packages", "sha256", "speeds", "tokbench")
SHOWN = 6


@dataclass(frozen=True)
class Job:
    """A config to run, and the engines that are to run it."""

    config: Path
    engines: tuple[str, ...] = ("compiled", "python")

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.config.stem if self.config.parent != RUNS else f"odd-{self.config.stem}"


ODD = ("merges-curve", "both-contexts", "split-repeats", "failing")
SHIPPED = ("korean", "korean-morphemes", "pretrained", "shakespeare")
JOBS = (
    *(Job(RUNS / f"{name}.yaml") for name in ODD),
    *(Job(ROOT / "configs" / f"{name}.yaml") for name in ("toy", "bpe")),
    *(Job(ROOT / "configs" / f"{name}.yaml", ("compiled",)) for name in SHIPPED),
    Job(RUNS / "field.yaml", ("compiled",)),
)


def main() -> None:
    """Read the command line, then save or compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["save", "compare"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", help="the names of the jobs to run")
    parser.add_argument("--engine", choices=["compiled", "python"], help="one engine alone")
    given = parser.parse_args()
    differing = 0
    with tempfile.TemporaryDirectory() as scratch:
        environment = _environment(Path(scratch))
        for job, engine in _chosen(given.only, given.engine):
            begin = time.perf_counter()
            saved = given.folder / f"{job.name}.{engine}"
            folder = saved if given.action == "save" else Path(scratch) / saved.name
            _run(job, folder, {**environment, "TOKBENCH_ENGINE": engine})
            found = [] if folder == saved else list(_differences(saved, folder))
            differing += len(found)
            verdict = "saved" if folder == saved else f"{len(found)} files differ"
            print(f"{saved.name}: {verdict} ({time.perf_counter() - begin:.1f} s)")
            print("".join(f"  {line}\n" for line in found), end="", flush=True)
    sys.exit(1 if differing else 0)


def _chosen(names: list[str] | None, engine: str | None) -> Iterator[tuple[Job, str]]:
    """Return the jobs to run, each with an engine."""
    for job in JOBS:
        if not names or job.name in names:
            for one in job.engines:
                if engine in (None, one):
                    yield job, one


def _environment(scratch: Path) -> dict[str, str]:
    """Return the environment of all runs: a fixed hash seed, and the folders of shared data."""
    shared = ROOT.parent / "shared" / "data"
    corpora = scratch / "corpora"
    corpora.mkdir()
    for name in ("shakespeare/pg100_2018-06-14.txt.gz", "english/dickens_pg.txt.gz"):
        if (shared / name).is_file():
            (corpora / Path(name).name).symlink_to(shared / name)
    return {
        **os.environ,
        "PYTHONHASHSEED": "0",
        "TOKBENCH_CORPORA": str(corpora),
        "TOKBENCH_MODELS": str(shared / "tokenizers"),
    }


def _run(job: Job, folder: Path, environment: dict[str, str]) -> None:
    """Run a config and `show RUN sizes`, and keep the run folder and what both print."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    plugin = ["-p", str(RUNS / "plugin.py")] if job.config.parent == RUNS else []
    runs = {
        "run": [
            "run",
            "--fresh",
            "-o",
            "run",
            *plugin,
            os.path.relpath(job.config, folder.resolve()),
        ],
        "check": ["check", *plugin, os.path.relpath(job.config, folder.resolve())],
        "sizes": ["show", "run", "sizes"],
        "sizes-json": ["show", "run", "sizes", "--format", "json"],
    }
    for name, arguments in runs.items():
        done = subprocess.run(
            [*PROGRAM, *arguments], cwd=folder, env=environment, capture_output=True, check=False
        )
        for stream, text in (("out", done.stdout), ("err", done.stderr)):
            shown = text.replace(os.path.relpath(ROOT, folder.resolve()).encode(), b"ROOT")
            (folder / f"{name}.std{stream}").write_bytes(shown)
        (folder / f"{name}.code").write_text(f"{done.returncode}\n")
    for name in MEASURED:
        (folder / "run" / name).unlink(missing_ok=True)
    record = folder / "run" / "run.json"
    if record.exists():
        found = json.loads(record.read_text("utf-8"))
        kept = {key: value for key, value in found.items() if key not in MEASURED_KEYS}
        record.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def _differences(before: Path, after: Path) -> Iterator[str]:
    """Say of each file that is not the same on both sides how it differs."""
    names = {
        path.relative_to(folder)
        for folder in (before, after)
        for path in folder.rglob("*")
        if path.is_file()
    }
    for name in sorted(names):
        old, new = before / name, after / name
        if not old.exists() or not new.exists():
            yield f"{name}: {'new' if new.exists() else 'gone'}"
        elif old.read_bytes() != new.read_bytes():
            yield f"{name}: {_how(old, new)}"


def _how(old: Path, new: Path) -> str:
    if old.suffix == ".npz":
        return _arrays(old, new)
    if old.suffix == ".csv" and (columns := _columns(old, new)):
        return columns
    lines = [path.read_text("utf-8", "replace").splitlines() for path in (old, new)]
    changed = [
        line
        for line in difflib.unified_diff(*lines, n=0, lineterm="")
        if line[:2] not in ("--", "++", "@@")
    ]
    shown = "".join(f"\n    {line[:300]}" for line in changed[:SHOWN])
    return f"{len(changed)} lines{shown}"


def _columns(old: Path, new: Path) -> str:
    """Say which columns were added or removed, if the others are the same."""
    tables = []
    for path in (old, new):
        with path.open(encoding="utf-8", newline="") as file:
            tables.append(list(csv.DictReader(file)))
    if not all(tables) or tables[0][0].keys() == tables[1][0].keys():
        return ""
    common = tables[0][0].keys() & tables[1][0].keys()
    if [{key: row[key] for key in common} for row in tables[0]] != [
        {key: row[key] for key in common} for row in tables[1]
    ]:
        return ""
    removed = ", ".join(key for key in tables[0][0] if key not in common)
    added = ", ".join(key for key in tables[1][0] if key not in common)
    return f"equal but for columns: removed [{removed}], added [{added}]"


def _arrays(old: Path, new: Path) -> str:
    """Say which arrays differ."""
    import numpy as np

    with np.load(old) as before, np.load(new) as after:
        found = [f"+{name}" for name in after.files if name not in before.files]
        for name in before.files:
            if name not in after.files:
                found.append(f"-{name}")
            elif before[name].dtype != after[name].dtype or not np.array_equal(
                before[name], after[name]
            ):
                found.append(f"~{name}")
    return f"arrays {', '.join(found[:SHOWN])}" if found else "the same arrays, other bytes"


if __name__ == "__main__":
    main()
