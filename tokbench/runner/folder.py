"""The run folder: checked before anything is learned, written whole, replaced whole."""

import hashlib
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from urllib.parse import quote

import regex

from tokbench import __version__
from tokbench.api import Component, InputFile
from tokbench.api.engine import active
from tokbench.config import Experiment, System
from tokbench.corpora.load import Corpora
from tokbench.errors import InputError, UsageError
from tokbench.plugins import Registry
from tokbench.runner import advice, sizing
from tokbench.runner.arrays import (
    Arrays,
    save,
    segmentation_arrays,
    timeline_arrays,
    words_arrays,
)
from tokbench.runner.csvfile import write_lines
from tokbench.runner.curves import write_curves
from tokbench.runner.results import write_csv
from tokbench.runner.run import Run

FORMAT = 1
WRITTEN = {
    "advice.csv", "cost.md", "curves.csv", "report.html", "report.md", "results.csv", "run.json",
    "segmentations", "sizes.csv", "vocabularies", "words.npz",
}  # fmt: skip
PREFIX = ".tokbench-"  # of folders beside the run folder, whose own name may be as long as any
LIBRARIES = ("numpy", "pluggy", "pydantic", "pyyaml", "regex", "scipy")


def default_folder(experiment: Experiment, corpora: Corpora) -> Path:
    """Name a run after its config and the digest of what it depends on."""
    digests = [corpora.train.digest, *(test.digest for test in corpora.tests)]
    digests += [file.digest for file in _files(experiment)]
    document = json.dumps([experiment.resolved, digests], sort_keys=True)
    digest = hashlib.sha256(document.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return Path("runs") / f"{experiment.path.stem}-{digest}"


def _files(experiment: Experiment) -> list[InputFile]:
    """Give the files that the options of all components name."""
    parts = [part for system in experiment.systems for part in _parts(system)]
    tests = (*experiment.tests.values(), *experiment.lists.values(), *experiment.gold.values())
    parts += [corpus.splitter for corpus in (experiment.train, *tests)]
    parts += [named.metric for named in experiment.metrics]
    return [file for part in parts for file in part.files]


def _parts(system: System) -> list[Component]:
    parts = (system.learner, system.segmenter, system.splitter)
    return [part for part in parts if part is not None]


def check_folder(folder: Path, read: Iterable[Path] = ()) -> None:
    """Find out before the work that a run folder can be written there.

    `read` are the files that the run reads, which must not be replaced with the folder. Raises
    UsageError for an existing folder that holds anything but a run of ours, InputError where
    nothing can be written.
    """
    try:
        if folder.exists() or folder.is_symlink():
            _check_old(folder, read)
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=PREFIX):
            pass
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}") from None


def _check_old(folder: Path, read: Iterable[Path]) -> None:
    if not folder.is_dir() and not folder.is_symlink():
        raise UsageError(f"{folder}: the output must be a folder, this is a file")
    around = Path.cwd().resolve().is_relative_to(folder.resolve())
    if folder.is_symlink() or folder.is_mount() or around:
        raise UsageError(
            f"{folder}: a link, a mount point, the current folder or one above it cannot be "
            "replaced by a finished run: name a folder of its own"
        )
    names = {path.name for path in folder.iterdir()}
    if names and not _is_run(folder):
        raise UsageError(
            f"{folder}: neither empty nor a run of tokbench (no run.json of ours): "
            "choose another folder, nothing was touched"
        )
    inside = [path.name for path in read if path.resolve().is_relative_to(folder.resolve())]
    if foreign := sorted(names - WRITTEN) or inside:
        raise UsageError(
            f"{folder}: holds {', '.join(foreign[:3])}, which would be lost with the older run: "
            "choose another folder, nothing was touched"
        )


def write_folder(folder: Path, run: Run, registry: Registry, documents: Mapping[str, str]) -> None:
    """Write everything beside `folder`, then put it in its place in one step.

    `documents` are further text files by name, for example the report.
    """
    begin = Path(tempfile.mkdtemp(dir=folder.parent, prefix=PREFIX))
    try:
        begin.chmod(0o755)
        _fill(begin, run, registry, documents)
        _replace(begin, folder)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(begin, ignore_errors=True)


def _fill(folder: Path, run: Run, registry: Registry, documents: Mapping[str, str]) -> None:
    write_csv(run.rows, folder / "results.csv")
    write_lines(folder / "advice.csv", advice.COLUMNS, [one.cells() for one in run.advice])
    write_lines(folder / "sizes.csv", sizing.COLUMNS, [one.cells() for one in run.sizings])
    if run.curves is not None:
        write_curves(run.curves, folder / "curves.csv")
    (folder / "vocabularies").mkdir()
    for name, vocabulary in run.learned.items():
        _write(folder / "vocabularies" / f"{file_name(name)}.json", vocabulary.to_json())
    (folder / "segmentations").mkdir()
    for system in run.experiment.systems:
        path = folder / "segmentations" / f"{file_name(system.name)}.npz"
        save(path, _states(system, run))
    save(folder / "words.npz", words_arrays(run.corpora.tests))
    for name, text in documents.items():
        _write(folder / name, text)
    _write(folder / "run.json", json.dumps(_record(run, registry), indent=1) + "\n")


def _states(system: System, run: Run) -> Arrays:
    """Give a system's states: all sizes together where they come from one replay."""
    if system.name in run.timelines:
        return timeline_arrays(run.timelines[system.name])
    return segmentation_arrays(
        {
            "/".join([*filter(None, [o.size_label]), *(["isolated"] if o.beside else [])]): (
                o.segmentations
            )
            for o in run.outcomes
            if o.system is system
        }
    )


def file_name(name: str) -> str:
    """Turn a system's name into a file name: what no name in a config may hold is quoted."""
    return regex.sub(r"[^\p{L}\p{M}\p{N}_ .,+=()@-]", lambda found: quote(found[0], safe=""), name)


def _record(run: Run, registry: Registry) -> dict[str, Any]:
    digests = [(run.corpora.train.name, run.corpora.train.digest)]
    digests += [(test.name, test.digest) for test in run.corpora.tests]
    return {
        "format": FORMAT,
        "tokbench": __version__,
        "config": run.experiment.text,
        "resolved": run.experiment.resolved,
        "corpora": [{"name": name, "sha256": digest} for name, digest in digests],
        "files": [
            {"name": file.path.name, "sha256": file.digest} for file in _files(run.experiment)
        ],
        "packages": _packages(run, registry),
        "cost": [vars(cost) for cost in run.costs],
        "machine": {
            "python": sys.version,
            "platform": platform.platform(),
            "processor": platform.machine(),
            "cores": os.cpu_count(),
        },
        "engine": _engines(run, registry),
        "warnings": [*run.experiment.warnings, *run.corpora.warnings, *run.notes],
        "failures": list(run.failures),
    }


def _engines(run: Run, registry: Registry) -> dict[str, str]:
    """Tell which engine did the work of each component that has compiled code."""
    systems = run.experiment.systems
    modules = {run.experiment.train.splitter.kernels, *(s.learner.kernels for s in systems)}
    used = {outcome.segmenter_name for outcome in run.outcomes}
    segmenters = [o.component for o in registry.offers if o.kind == "segmenter" and o.name in used]
    modules |= {segmenter.kernels for segmenter in segmenters}
    return {module: active(module) for module in sorted(filter(None, modules))}


def _packages(run: Run, registry: Registry) -> dict[str, str]:
    """Give the versions of our own libraries, of all plugins, and of what components wrap."""
    parts = [type(part) for system in run.experiment.systems for part in _parts(system)]
    used = {outcome.segmenter_name for outcome in run.outcomes}
    parts += [o.component for o in registry.offers if o.kind == "segmenter" and o.name in used]
    wrapped = {package for part in parts for package in part.requires_version}
    wanted = {*LIBRARIES, *wrapped, *(plugin.package for plugin in registry.plugins)}
    return {name: _version(name) for name in sorted(wanted)}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # a plugin file
        return ""


def _is_run(folder: Path) -> bool:
    try:
        record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(record, dict) and "tokbench" in record and "format" in record


def _replace(new: Path, folder: Path) -> None:
    """Put a finished folder where an older run may stand, which goes only when all is done."""
    if not folder.exists():
        os.rename(new, folder)
        return
    aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=PREFIX))
    try:
        os.rename(folder, aside / folder.name)
    except OSError:
        aside.rmdir()
        raise
    try:
        os.rename(new, folder)
    except BaseException:
        os.rename(aside / folder.name, folder)
        aside.rmdir()
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", errors="surrogatepass", newline="\n") as file:
        file.write(text)
