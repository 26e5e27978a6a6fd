"""Run an experiment: which of its work is done in this process, and which in child processes.

A system is one job. It is done in a child if a plugin of another package or a wrapped library
works for it, or if systems are run side by side. The child reads the same config; texts and results
pass through files.
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from tokbench import plugins
from tokbench.api.files import changed
from tokbench.config import Experiment, System, load_experiment
from tokbench.corpora.load import Corpora
from tokbench.errors import CrashError, InputError, TokbenchError
from tokbench.issues import Issue, Location, attempt
from tokbench.plugins import Registry
from tokbench.plugins.calls import OPTIONAL, SPEED, CallFile, label_of
from tokbench.plugins.importing import settings_kept
from tokbench.run_folder import Run
from tokbench.runner import stored
from tokbench.runner.all_systems import (
    Systems,
    check_blocks,
    few_documents,
    few_pairs,
    few_units,
)
from tokbench.runner.assemble import DIGITS, RanSystems, assemble, packages_of
from tokbench.runner.cache import Cache
from tokbench.runner.children import Child, Here, Jobs
from tokbench.runner.comparing import with_named
from tokbench.runner.one_system import ForeignSegmenterError
from tokbench.runner.remote import on_cluster, versions_of
from tokbench.runner.results import SystemResult
from tokbench.runner.rows import growth_rows
from tokbench.sizes.statistics import size_statistics

CORPORA, RESULT, RESULTS = "corpora", "result", "results"

T = TypeVar("T")
RunProgress = Callable[[str, str | None, float], None]
"""Is told the name of a system, what is being done for it, and which share of its work is done.

A system that has ended does nothing more: None.
"""


def execute(
    experiment: Experiment,
    corpora: Corpora,
    registry: Registry,
    progress: RunProgress,
    cache: Cache | None = None,
    client: Any = None,
) -> Run:
    """Run every system of an experiment on its corpora; a failing system costs only itself.

    What the cache has is not learned or cut again; without one nothing is kept. The workers of a
    Dask `client` run the systems, if there is one.
    """
    ran = run_systems(experiment, corpora, registry, progress, cache or Cache(), client)
    return assemble(experiment, corpora, registry, ran)


def run_systems(
    experiment: Experiment,
    corpora: Corpora,
    registry: Registry,
    progress: RunProgress,
    cache: Cache,
    client: Any = None,
) -> RanSystems:
    """Run every system, and return what `assemble` makes a run of, with all resampled values."""
    check_blocks(experiment, corpora)
    systems = Systems.of(experiment, corpora, registry, cache)
    results: dict[str, SystemResult] = {}
    limits = experiment.limits.seconds, experiment.limits.megabytes
    with ExitStack() as stack, Jobs(experiment.jobs, lambda group: Child(*limits)) as jobs:
        remote = None
        if client is not None:
            versions = versions_of(packages_of(registry, experiment.parts))
            many = len(experiment.systems)
            remote = stack.enter_context(on_cluster(client, versions, many, limits))
        run = _SystemsRun(systems, progress, jobs, stack, remote)
        for name, result in run.results().items():
            where = Location(name)
            sized = attempt(where, partial(size_statistics, name, result.training_counts))
            rest = SystemResult(sizes=sized.value or (), issues=sized.issues)
            results[name] = SystemResult.joined([result, rest])
        compared = run.compared(results)
    tests = systems.tests
    few = [
        *few_documents(corpora.tests, experiment),
        *few_units(tests, experiment),
        *few_pairs(tests),
    ]
    growth = [
        row for share in systems.shares for test in tests for row in growth_rows(*share[:2], test)
    ]
    return RanSystems(tests, compared, [*systems.issues, *few], growth, systems.tables)


def read_corpora(experiment: Experiment, registry: Registry) -> Corpora:
    """Read all corpora, in a child where code of others finds their words.

    Raises what `tokbench.corpora.load` does, and CrashError, which names what ended the child.
    """
    if not registry.foreign(experiment.readers):
        return experiment.load_corpora()
    limits = experiment.limits
    child = Child(limits.seconds, limits.megabytes)
    with TemporaryDirectory(prefix="tokbench-", ignore_cleanup_errors=True) as folder:
        result = Path(folder, RESULT)
        try:
            data = {"run": _described(experiment, registry), "result": str(result)}
            child.call(
                "tokbench.runner.experiment:read_corpora_there", data, name="reading corpora"
            )
        finally:
            child.end()
        corpora: Corpora = stored.read(result, known_values(experiment))
        return corpora


@dataclass(frozen=True, eq=False)
class _SystemsRun:
    """All systems of a run, each in this process or in a child.

    What is opened for them is closed with the `stack`. Workers of a cluster do `remote` jobs.
    """

    systems: Systems
    progress: RunProgress
    jobs: Jobs
    stack: ExitStack
    remote: Jobs | None = None
    tried_again: set[str] = field(default_factory=set)
    """The components whose crash had a system run again, which is done once."""

    def results(self) -> Mapping[str, SystemResult]:
        """Run every system, and return the results by name, in the order of the config."""
        experiment = self.systems.experiment
        groups = {system.name: self._group(system) for system in experiment.systems}
        started: dict[str, Future[SystemResult]] = {}
        if self.remote or (experiment.jobs > 1 and self.systems.registry.is_installed):
            for system in experiment.systems:
                started[system.name] = self._started(system, groups[system.name])
        results: dict[str, SystemResult] = {}
        # A child serves the systems of a group one after another.
        for system in sorted(experiment.systems, key=lambda system: groups[system.name]):
            name = system.name
            if name not in started and not groups[name]:
                try:
                    results[name] = self.systems.result(system, partial(self.progress, name))
                    self.progress(name, None, 1.0)
                    continue
                except ForeignSegmenterError:
                    groups[name] = "segmenter"
            future = started.get(name) or self._started(system, groups[name])
            done = attempt(Location(name), future.result)
            results[name] = done.value or SystemResult(issues=done.issues)
            if done.value is None:
                self.progress(name, None, 1.0)
        return {system.name: results[system.name] for system in experiment.systems}

    def _started(self, system: System, group: str) -> "Future[SystemResult]":
        """Begin to run a system in a child; where that is not possible, the result says why."""
        where = Location(part="child processes")
        described = attempt(
            where, lambda: self._described_there if self.remote else self._described
        )
        if described.value is None:
            failed: Future[SystemResult] = Future()
            failed.set_result(SystemResult(issues=described.issues))
            return failed
        jobs = self.remote or self.jobs
        return jobs.submit(group, partial(self._in_child, system, described.value))

    def compared(self, results: Mapping[str, SystemResult]) -> Mapping[str, SystemResult]:
        """Return the results with the values of metrics that name a system."""
        systems = self.systems
        metrics = [
            named.metric for named in systems.experiment.metrics if "system" in named.metric.needs
        ]
        group = "+".join(sorted(systems.registry.foreign(metrics)))
        if not group:
            return with_named(results, systems.tests, systems.experiment)

        def compare(child: Child) -> Mapping[str, SystemResult]:
            files = {"results": str(self.folder / RESULTS), "result": str(self.folder / RESULT)}
            _leave(self.folder / RESULTS, dict(results), self._known)
            data = {"run": self._described, **files}
            function = "tokbench.runner.experiment:compare_there"
            _, without = self._survived(
                lambda left: child.call(function, {**data, "without": left})
            )
            compared = dict(stored.read(self.folder / RESULT, self._known))
            issues = [_issue(Location(part=part), crash) for part, crash in without.items()]
            return _with_issues(compared, issues)

        done = attempt(Location(part="comparison"), self.jobs.submit(group, compare).result)
        return done.value or _with_issues(results, done.issues)

    def _group(self, system: System) -> str:
        """Return the packages for which a system runs in a child; empty if it runs here."""
        components = (
            *system.parts,
            *self.systems.experiment.shared_parts,
            *self.systems.analyses.values(),
        )
        return "+".join(sorted(self.systems.registry.foreign(components)))

    @cached_property
    def folder(self) -> Path:
        """The folder of what processes leave for each other."""
        made = TemporaryDirectory(prefix="tokbench-", ignore_cleanup_errors=True)
        return Path(self.stack.enter_context(made))

    @cached_property
    def _known(self) -> Mapping[str, Any]:
        return known_values(self.systems.experiment, self.systems.corpora)

    @cached_property
    def _described(self) -> Mapping[str, Any]:
        """The data from which a child prepares the same run."""
        _leave(self.folder / CORPORA, self.systems.corpora, known_values(self.systems.experiment))
        return {**self._described_texts, "corpora": str(self.folder / CORPORA)}

    @cached_property
    def _described_there(self) -> Mapping[str, Any]:
        """The data from which a worker prepares the same run, which reads the texts itself."""
        described = self._described_texts
        files = [*map(os.path.abspath, described["plugins"])]
        return {
            **described,
            "config": os.path.abspath(described["config"]),
            "plugins": files,
            "plugin-digests": {file: _digest_of(file) for file in files},
            "text-digests": _digests_of(self.systems.corpora),
        }

    @cached_property
    def _described_texts(self) -> dict[str, Any]:
        systems = self.systems
        cache = systems.work.cache
        return {
            **_described(systems.experiment, systems.registry),
            "cache": cache.folder and str(cache.folder),
            "since": cache.since,
            "code": cache.folder and systems.work.code,
        }

    def _in_child(self, system: System, described: Mapping[str, Any], child: Child) -> SystemResult:
        """Run a system in a child, without the metrics and analyses that end it."""
        path = self.folder / f"{self.systems.experiment.systems.index(system)}-{RESULT}"
        data = {"run": described, "system": system.name, "result": str(path)}
        function, name = "tokbench.runner.experiment:run_system_there", f"system {system.name}"
        say = partial(self.progress, system.name)
        notes, without = self._survived(
            lambda left: child.call(function, {**data, "without": left}, say, name)
        )
        say(None, 1.0)
        self.systems.work.cache.note(notes)
        result: SystemResult = stored.read(path, self._known)
        issues = (
            _issue(Location(system.name, part=part), crash) for part, crash in without.items()
        )
        return SystemResult.joined([result, SystemResult(issues=(*issues,))])

    def _survived(self, call: Callable[[Sequence[str]], T]) -> tuple[T, Mapping[str, CrashError]]:
        """Make a call, without the metrics and analyses whose crash or limit ends its child.

        Return the answer, and what was left out. Raises CrashError for any other component; each
        is tried once more in the run.
        """
        without: dict[str, CrashError] = {}
        while True:
            try:
                return call([*without]), without
            except CrashError as crash:
                component = crash.component
                again = component not in self.tried_again and component != SPEED
                if again and not crash.limit:
                    self.tried_again.add(component)
                elif component.startswith(OPTIONAL) and component not in without:
                    without[component] = crash
                else:
                    raise


def _issue(where: Location, crash: CrashError) -> Issue:
    issue = Issue.of(TokbenchError(crash.what), where)
    return replace(issue, kind="note") if where.part == SPEED else issue


def _with_issues(
    results: Mapping[str, SystemResult], issues: Sequence[Issue]
) -> Mapping[str, SystemResult]:
    """Add issues that are of no system to the results."""
    first, *_ = results
    more = SystemResult(issues=(*issues,))
    return {**results, first: SystemResult.joined([results[first], more])}


def known_values(experiment: Experiment, corpora: Corpora | None = None) -> dict[str, Any]:
    """Return by name what all processes of a run have: its components and, once read, its words."""
    parts = {f"part {number}": part for number, part in enumerate(experiment.parts)}
    tests = corpora.tests if corpora else ()
    return parts | {f"words of {test.name}": test.words for test in tests}


def _leave(path: Path, value: Any, known: Mapping[str, Any]) -> None:
    """Write a value for another process; raises InputError where the disk is full."""
    try:
        stored.write(path, value, known)
    except OSError as error:
        what = f"cannot be written: {error.strerror or error} (TMPDIR can name another folder)"
        raise InputError(f"{path.parent}: {what}") from error


def _described(experiment: Experiment, registry: Registry) -> dict[str, Any]:
    return {
        "config": str(experiment.path),
        "text": experiment.text,
        "plugins": registry.plugin_files,
        "files": [(str(file.path), file.digest) for file in experiment.files],
    }


def _digest_of(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def _digests_of(corpora: Corpora) -> dict[str, str]:
    """Return the digests of all texts by their names."""
    digests = {test.name: test.digest for test in corpora.tests}
    return digests | ({corpora.train.name: corpora.train.digest} if corpora.train else {})


# What follows runs in a child.


@lru_cache(1)
def _experiment_there(run: str, calls: CallFile) -> tuple[Experiment, Registry]:
    """Read the config that the parent has read; raises InputError if a file is not as it was."""
    described = json.loads(run)
    expected = described.get("plugin-digests", {})
    _check_digests({file: _digest_of(file) for file in expected}, expected)
    registry = plugins.load([*map(Path, described["plugins"])], lazy=True)
    registry = registry.writing_calls(calls)
    # The texts, which may be pipes, may have been read already.
    path, are_read = Path(described["config"]), "corpora" in described
    experiment = load_experiment(path, registry, described["text"], texts_are_read=are_read)
    for file, (path, digest) in zip(experiment.files, described["files"], strict=True):
        if file.digest != digest:
            raise changed(Path(path), digest, file.digest)
    return experiment, registry


def _check_digests(found: Mapping[str, str], expected: Mapping[str, str]) -> None:
    """Raise InputError if a file that is read here is not as it is where the run began."""
    for name, digest in expected.items():
        if found[name] != digest:
            raise InputError(
                f"{name}: another file than where the run began (SHA-256 {found[name][:DIGITS]}, "
                f"expected {digest[:DIGITS]})"
            )


@lru_cache(1)
def _systems_there(run: str, calls: CallFile) -> Systems:
    described = json.loads(run)
    experiment, registry = _experiment_there(run, calls)
    if "corpora" in described:
        corpora = stored.read(Path(described["corpora"]), known_values(experiment))
    else:
        corpora = experiment.load_corpora()
        _check_digests(_digests_of(corpora), described["text-digests"])
    cache = Cache(described["cache"] and Path(described["cache"]), described["since"])
    return Systems.of(experiment, corpora, registry, cache, described["code"])


def _spelled(run: Any) -> str:
    return json.dumps(run, ensure_ascii=False)


def run_system_there(data: Mapping[str, Any], here: Here) -> Sequence[str]:
    """Run one system, leave its result in a file, and return the notes of the cache."""
    systems = _systems_there(_spelled(data["run"]), here.calls)
    system = next(each for each in systems.experiment.systems if each.name == data["system"])
    with settings_kept():  # the next system, of the same child, is run as if it were the first
        result = systems.result(system, here.say, frozenset(data["without"]))
    _leave(Path(data["result"]), result, known_values(systems.experiment, systems.corpora))
    return systems.work.cache.notes


def read_corpora_there(data: Mapping[str, Any], here: Here) -> None:
    """Read all corpora into a file; raises what `tokbench.corpora.load` does."""
    experiment, _ = _experiment_there(_spelled(data["run"]), here.calls)
    _leave(Path(data["result"]), experiment.load_corpora(), known_values(experiment))


def compare_there(data: Mapping[str, Any], here: Here) -> None:
    """Add the values of metrics that name a system to the results in a file."""
    systems = _systems_there(_spelled(data["run"]), here.calls)
    known = known_values(systems.experiment, systems.corpora)
    results = stored.read(Path(data["results"]), known)
    kept = [
        named
        for named in systems.experiment.metrics
        if label_of(f"metric {named.name}") not in data["without"]
    ]
    experiment = replace(systems.experiment, metrics=tuple(kept))
    _leave(Path(data["result"]), dict(with_named(results, systems.tests, experiment)), known)
