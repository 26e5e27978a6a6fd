"""Save everything that tokbench writes and prints, and compare a later version with it.

`python benchmarks/same.py save DIR` runs every shipped config and some unusual ones, and keeps each
run folder and all output. `python benchmarks/same.py compare DIR` runs them again and prints one
line for each file that differs.
"""

import argparse
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from setting import ROOT, TOKBENCH

RUNS = ROOT / "benchmarks" / "same_runs"
MEASURED = {"data/cost.md", "report.html"}
MEASURED_KEYS = ("cost", "machine", "packages", "sha256", "speeds", "tokbench")
SHOWN = 6


@dataclass(frozen=True)
class Job:
    """A config to run, and the engines to run it with."""

    config: Path
    engines: tuple[str, ...] = ("compiled", "python")

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.config.stem if self.config.parent != RUNS else f"odd-{self.config.stem}"


UNUSUAL = ("merges-curve", "both-contexts", "split-repeats", "failing")
SHIPPED = ("korean", "korean-morphemes", "pretrained", "shakespeare")
JOBS = (
    *(Job(RUNS / f"{name}.yaml") for name in UNUSUAL),
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
    options = parser.parse_args()
    jobs = [
        (job, engine)
        for job in JOBS
        if not options.only or job.name in options.only
        for engine in job.engines
    ]
    differing = 0
    with tempfile.TemporaryDirectory() as scratch:
        environment = _environment(Path(scratch))
        for job, engine in jobs:
            begin = time.perf_counter()
            saved = options.folder / f"{job.name}.{engine}"
            folder = saved if options.action == "save" else Path(scratch) / saved.name
            _run(job, folder, {**environment, "TOKBENCH_ENGINE": engine})
            differences = [] if folder == saved else [*_differences(saved, folder)]
            differing += len(differences)
            verdict = "saved" if folder == saved else f"{len(differences)} files differ"
            print(f"{saved.name}: {verdict} ({time.perf_counter() - begin:.1f} s)")
            print("".join(f"  {line}\n" for line in differences), end="", flush=True)
    sys.exit(1 if differing else 0)


def _environment(scratch: Path) -> dict[str, str]:
    """Return the environment of all runs: a fixed hash seed, and the folders of shared files."""
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
    """Run, check and show a config, and keep the run folder and everything that is printed."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    config = [os.path.relpath(job.config, folder.resolve())]
    if job.config.parent == RUNS:
        config += ["-p", str(RUNS / "plugin.py")]
    commands = {
        "run": ["run", "--fresh", "-o", "run", *config],
        "check": ["check", *config],
        "sizes": ["show", "run", "sizes"],
        "sizes-json": ["show", "run", "sizes", "--format", "json"],
    }
    for name, arguments in commands.items():
        done = subprocess.run(
            [TOKBENCH, *arguments], cwd=folder, env=environment, capture_output=True, check=False
        )
        for stream, text in (("out", done.stdout), ("err", done.stderr)):
            text = text.replace(os.path.relpath(ROOT, folder.resolve()).encode(), b"ROOT")
            text = re.sub(rb": \d+\.\d s$", b"", text, flags=re.MULTILINE)
            (folder / f"{name}.std{stream}").write_bytes(text)
        (folder / f"{name}.code").write_text(f"{done.returncode}\n")
    for name in MEASURED:
        (folder / "run" / name).unlink(missing_ok=True)
    record = folder / "run" / "run.json"
    if record.exists():
        facts = json.loads(record.read_text("utf-8"))
        facts = {key: fact for key, fact in facts.items() if key not in MEASURED_KEYS}
        record.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def _differences(before: Path, after: Path) -> Iterator[str]:
    """Yield how each file differs that is not the same in both folders."""
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
            changed = _arrays(old, new) if name.suffix == ".npz" else _lines(old, new)
            shown = "".join(f"\n    {line[:300]}" for line in changed[:SHOWN])
            yield f"{name}: {len(changed)} differences{shown}"


def _lines(old: Path, new: Path) -> list[str]:
    texts = [path.read_text("utf-8", "replace").splitlines() for path in (old, new)]
    lines = difflib.unified_diff(*texts, n=0, lineterm="")
    return [line for line in lines if line[:2] not in ("--", "++", "@@")]


def _arrays(old: Path, new: Path) -> list[str]:
    """Return the names of the arrays that are not in both files, or not equal in both."""
    with np.load(old) as before, np.load(new) as after:
        return [
            name
            for name in sorted({*before.files, *after.files})
            if not (name in before and name in after)
            or before[name].dtype != after[name].dtype
            or not np.array_equal(before[name], after[name])
        ]


if __name__ == "__main__":
    main()
