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
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tokbench import plugins
from tokbench.api.files import changed
from tokbench.config import Experiment, System, load_experiment
from tokbench.corpora.load import Corpora
from tokbench.errors import CrashError, InputError, TokbenchError
from tokbench.issues import Issue, Location, attempt
from tokbench.plugins import Registry
from tokbench.plugins.calls import OPTIONAL, SPEED, CallFile
from tokbench.plugins.importing import settings_kept
from tokbench.run_folder import Run
from tokbench.runner import stored
from tokbench.runner.all_systems import Systems, check_blocks, few_documents, few_units
from tokbench.runner.assemble import DIGITS, RanSystems, assemble, packages_of
from tokbench.runner.cache import Cache
from tokbench.runner.children import Child, Here, Jobs, Say
from tokbench.runner.remote import on_cluster, versions_of
from tokbench.runner.results import SystemResult
from tokbench.runner.rows import growth_rows

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
    limits = experiment.limits.seconds, experiment.limits.megabytes
    with ExitStack() as stack:
        if client is None:
            jobs = stack.enter_context(Jobs(experiment.jobs, lambda: Child(*limits)))
        else:
            versions = versions_of(packages_of(registry, experiment.parts))
            many = len(experiment.systems)
            jobs = stack.enter_context(on_cluster(client, versions, many, limits))
        run = _SystemsRun(systems, progress, jobs, stack, is_remote=client is not None)
        compared, issues = run.compared(run.results())
    tests = systems.tests
    few = [*few_documents(corpora.tests, experiment), *few_units(tests, experiment)]
    growth = [
        row for share in systems.shares for test in tests for row in growth_rows(*share[:2], test)
    ]
    return RanSystems(tests, compared, [*systems.issues, *few, *issues], growth, systems.tables)


def read_corpora(experiment: Experiment, registry: Registry) -> Corpora:
    """Read all corpora, in a child where code of others finds their words.

    Raises what `tokbench.corpora.load` does, and CrashError, which names what ended the child.
    """
    if not registry.foreign(experiment.readers):
        return experiment.load_corpora()
    limits = experiment.limits
    with (
        closing(Child(limits.seconds, limits.megabytes)) as child,
        TemporaryDirectory(prefix="tokbench-", ignore_cleanup_errors=True) as folder,
    ):
        result = Path(folder, "corpora")
        data = {"run": _described(experiment, registry), "result": str(result)}
        child.call(f"{__name__}:read_corpora_there", data, name="reading corpora")
        corpora: Corpora = stored.read(result, known_values(experiment))
        return corpora


@dataclass(frozen=True, eq=False)
class _SystemsRun:
    """All systems of a run, each in this process or in a child, of which `jobs` has some.

    What is opened for them is closed with the `stack`. Children are `remote` on a cluster.
    """

    systems: Systems
    progress: RunProgress
    jobs: Jobs
    stack: ExitStack
    is_remote: bool
    tried_again: set[str] = field(default_factory=set)
    """The components whose crash had a job done again, which is done once."""

    def results(self) -> Mapping[str, SystemResult]:
        """Run every system, and return the results by name, in the order of the config."""
        experiment = self.systems.experiment
        are_parallel = experiment.jobs > 1 and self.systems.registry.is_installed
        started: dict[str, Future[SystemResult]] = {}
        if self.is_remote or are_parallel:
            started = {system.name: self._started(system) for system in experiment.systems}
        results: dict[str, SystemResult] = {}
        for system in experiment.systems:
            name = system.name
            if name in started or self._foreign(system):
                # Without a thread for a child, the system fails.
                done = attempt(Location(name), partial(self._waited, system, started))
                results[name] = done.value or SystemResult(issues=done.issues)
            else:
                results[name] = self.systems.result(system, partial(self.progress, name))
                self.progress(name, None, 1.0)
        return results

    def _waited(
        self, system: System, started: Mapping[str, "Future[SystemResult]"]
    ) -> SystemResult:
        return (started.get(system.name) or self._started(system)).result()

    def _foreign(self, system: System) -> frozenset[str]:
        """Return the packages of others, and of wrapped libraries, that work for a system."""
        registry = self.systems.registry
        shared = *self.systems.experiment.shared_parts, *self.systems.analyses.values()
        packages = frozenset(registry.foreign([*system.parts, *shared]))
        # Only its vocabulary says which segmenter it has, which may be one of a plugin.
        if system.segmenter is None and system.learner.reads == "nothing" and registry.is_installed:
            offers = (offer for offer in registry.offers if offer.kind == "segmenter")
            packages |= {offer.plugin.package for offer in offers if offer.plugin.is_foreign}
        return packages

    def _started(self, system: System) -> "Future[SystemResult]":
        """Begin to run a system in a child."""
        number = self.systems.experiment.systems.index(system)
        data = {"run": self._described, "system": system.name}
        result = self.folder / f"{number}-result"

        def run(child: Child) -> SystemResult:
            say = partial(self.progress, system.name)
            try:
                value, issues = self._done(child, data, result, say, system.name)
            finally:
                say(None, 1.0)
            return SystemResult.joined([value, SystemResult(issues=(*issues,))])

        return self.jobs.submit(self._foreign(system), run)

    def compared(
        self, results: Mapping[str, SystemResult]
    ) -> tuple[Mapping[str, SystemResult], Sequence[Issue]]:
        """Return the results with the values of metrics that name a system, and what failed."""
        systems = self.systems
        metrics = [
            named.metric for named in systems.experiment.metrics if "system" in named.metric.needs
        ]
        if not systems.registry.foreign(metrics):
            return systems.compared(results), ()

        def compare() -> tuple[Mapping[str, SystemResult], Sequence[Issue]]:
            path, limits = self.folder / "results", systems.experiment.limits
            stored.write(path, dict(results), self._known)
            data = {"run": self._described, "results": str(path)}
            with closing(Child(limits.seconds, limits.megabytes)) as child:
                return self._done(child, data, self.folder / "compared")

        done = attempt(Location(part="comparison"), compare)
        return done.value or (results, done.issues)

    def _done(
        self,
        child: Child,
        data: Mapping[str, Any],
        result: Path,
        say: Say = lambda text, share: None,
        system: str = "",
    ) -> tuple[Any, Sequence[Issue]]:
        """Have a child do a job, without the metrics and analyses whose crash or limit ends it.

        Return what it left in the file `result`, and what was left out. Raises CrashError for any
        other component; each is tried once more in the run.
        """
        data, name = {**data, "result": str(result)}, f"system {system}" if system else ""
        without: dict[str, CrashError] = {}
        while True:
            try:
                asked = {**data, "without": [*without]}
                notes = child.call(f"{__name__}:do_there", asked, say, name)
                break
            except CrashError as crash:
                component = crash.component
                is_new = component not in self.tried_again and component != SPEED
                if is_new and not crash.limit:
                    self.tried_again.add(component)
                elif component.startswith(OPTIONAL) and component not in without:
                    without[component] = crash
                else:
                    raise
        self.systems.work.cache.note(notes)
        issues = []
        for part, cause in without.items():
            issue = Issue.of(TokbenchError(cause.what), Location(system, part=part))
            issues.append(replace(issue, kind="note") if part == SPEED else issue)
        return stored.read(result, self._known), issues

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
        """The data from which a child prepares the same run; a remote one reads the texts again."""
        systems = self.systems
        cache = systems.work.cache
        described = {
            **_described(systems.experiment, systems.registry, is_remote=self.is_remote),
            "cache": cache.folder and str(cache.folder),
            "since": cache.since,
        }
        if self.is_remote:
            return {**described, "texts": _digests_of(systems.corpora)}
        path = self.folder / "corpora"
        stored.write(path, systems.corpora, known_values(systems.experiment))
        return {**described, "corpora": str(path)}


def known_values(experiment: Experiment, corpora: Corpora | None = None) -> dict[str, Any]:
    """Return by name what all processes of a run have: its components and, once read, its words."""
    parts = {f"part {number}": part for number, part in enumerate(experiment.parts)}
    tests = corpora.tests if corpora else ()
    return parts | {f"words of {test.name}": test.words for test in tests}


def _described(
    experiment: Experiment, registry: Registry, is_remote: bool = False
) -> dict[str, Any]:
    """Describe a config for another process, which may work in another folder."""
    spell = os.path.abspath if is_remote else str
    return {
        "config": spell(experiment.path),
        "text": experiment.text,
        "plugins": {spell(file): _digest_of(file) for file in registry.plugin_files},
        "files": [(str(file.path), file.digest) for file in experiment.files],
    }


def _digest_of(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def _digests_of(corpora: Corpora) -> dict[str, str]:
    """Return the digests of all texts by their names."""
    digests = {test.name: test.digest for test in corpora.tests}
    return digests | ({corpora.train.name: corpora.train.digest} if corpora.train else {})


# What follows runs in a child, which keeps what the next system of the run needs too.


@lru_cache(1)
def _experiment_there(run: str, calls: CallFile) -> tuple[Experiment, Registry]:
    """Read the config that the parent has read; raises InputError if a file is not as it was."""
    described = json.loads(run)
    files = described["plugins"]
    _check_digests({file: _digest_of(file) for file in files}, files)
    registry = plugins.load([*map(Path, files)], lazy=True)
    registry = registry.writing_calls(calls)
    # The texts, which may be pipes, may have been read already.
    path, are_read = Path(described["config"]), "corpora" in described
    experiment = load_experiment(path, registry, described["text"], texts_are_read=are_read)
    for file, (path, digest) in zip(experiment.files, described["files"], strict=True):
        if file.digest != digest:
            raise changed(Path(path), digest, file.digest)
    return experiment, registry


def _check_digests(actual: Mapping[str, str], expected: Mapping[str, str]) -> None:
    """Raise InputError if a file that is read here is not as it is where the run began."""
    for name, digest in expected.items():
        if actual[name] != digest:
            raise InputError(
                f"{name}: another file than where the run began (SHA-256 "
                f"{actual[name][:DIGITS]}, expected {digest[:DIGITS]})"
            )


@lru_cache(1)
def _systems_there(run: str, calls: CallFile) -> Systems:
    described = json.loads(run)
    experiment, registry = _experiment_there(run, calls)
    if "corpora" in described:
        corpora = stored.read(Path(described["corpora"]), known_values(experiment))
    else:
        corpora = experiment.load_corpora()
        _check_digests(_digests_of(corpora), described["texts"])
    cache = Cache(described["cache"] and Path(described["cache"]), described["since"])
    return Systems.of(experiment, corpora, registry, cache)


def do_there(data: Mapping[str, Any], here: Here) -> Sequence[str]:
    """Run one system, or compare all; leave the result in a file, and return notes of the cache."""
    systems = _systems_there(json.dumps(data["run"], ensure_ascii=False), here.calls)
    known = known_values(systems.experiment, systems.corpora)
    without = frozenset(data["without"])
    # A plugin may change settings while it works, not only when it is imported.
    with settings_kept():  # the next system, of the same child, is run as if it were the first
        if "results" in data:
            results = stored.read(Path(data["results"]), known)
            result: object = dict(systems.compared(results, without))
        else:
            system = next(
                each for each in systems.experiment.systems if each.name == data["system"]
            )
            result = systems.result(system, here.say, without)
    stored.write(Path(data["result"]), result, known)
    return systems.work.cache.notes


def read_corpora_there(data: Mapping[str, Any], here: Here) -> None:
    """Read all corpora into a file; raises what `tokbench.corpora.load` does."""
    experiment, _ = _experiment_there(json.dumps(data["run"], ensure_ascii=False), here.calls)
    stored.write(Path(data["result"]), experiment.load_corpora(), known_values(experiment))
