"""The zoo where plugins are loaded, built and checked: commands and the kit survive it.

An animal sits in the import of a plugin, in its hook, in the default of an option, and in a
property; then in the components that read corpora, in what only commands call, and under the checks
of the kit.
"""

import gc
import os
import re
import sys
from functools import partial
from pathlib import Path
from typing import Any
from unittest import SkipTest

import pytest
from tokbench_count import counting

from tests.hostile.zoo import (
    HEAD,
    HOOKS,
    MEMORY,
    OF_COMMANDS,
    OUTPUT,
    TEST,
    TRAIN,
    ZOO,
    Animal,
    assert_gone,
    indented,
)
from tests.run_cli import Done, names_in, tokbench, tokbench_here
from tokbench.plugins import loading
from tokbench.testing import apart, promises
from tokbench.testing.promise import PromiseError
from tokbench.workers import process
from tokbench.workers.limits import Limits

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc"),
]

CALLED = """
def called():
    note()
    {lines}
    return 3
"""
LEARNER = """
class Mine(Learner):
    "Learn."
    {body}
    def learn(self, words, size):
        return Vocabulary((*sorted({{*"".join(words)}}),), segmenter={{"use": "char"}})
@hookimpl
def tokbench_learners():
    {hook}
    return {{"mine": Mine}}
"""
DEFAULT = "n: int = __import__('pydantic').Field(default_factory=called, description='A number.')"
AT = {
    "import": "called()\n" + LEARNER.format(body="", hook=""),
    "hook": LEARNER.format(body="", hook="called()"),
    "default": LEARNER.format(body=DEFAULT, hook=""),
    "property": LEARNER.format(body="sized = property(lambda self: bool(called()))", hook=""),
}
HARMLESS = {"goes elsewhere", "prints much", "answers without end", "answers at random"}
"""Animals after which a plugin may be used: what it did to its process is undone or nothing."""

READERS = {
    "split of a corpus": HOOKS["split"],
    "read": """
class Mine(GoldReader):
    "Read."
    def read(self, line):
        note()
        {lines}
        word, _, parts = line.partition(chr(9))
        return GoldEntry(word, (tuple(parts.split()),))
@hookimpl
def tokbench_gold_readers(): return {{"mine": Mine}}
""",
    "change": """
class Mine(PairGenerator):
    "Change."
    def change(self, word, random):
        note()
        {lines}
        return word[1:] + word[:1]
@hookimpl
def tokbench_pair_generators(): return {{"mine": Mine}}
""",
}
CORPORA = {
    "split of a corpus": "train: {path: train.txt, words: mine}",
    "read": "train: train.txt, gold: {parts: {path: gold.txt, format: mine}}",
    "change": "train: train.txt, pairs: {made: {generate: mine, of: held-out}}",
}
NAMED = "the splitter 'mine' failed: "
PLACES = {"split of a corpus": NAMED, "read": "gold.txt", "change": "the pair generator 'mine'"}
NEED_LIMITS = {
    *("loops", "waits", "allocates", "prints without end", "writes without end"),
    "answers without end",
}
"""Animals that end at a limit; commands without a config have generous ones."""
CONFIG = """
corpora: {{test: {{held-out: test.txt}}, {corpora}}}
sizes: [40]
systems: [char{system}]
metrics: [fertility]
resamples: 20
limits: {limits}
"""


def cases(places):
    return [
        (place, name)
        for place in places
        for name in ZOO
        if place not in ("trace", "explain") or name not in NEED_LIMITS
    ]


@pytest.fixture(autouse=True)
def animal(request, tmp_path, monkeypatch) -> Animal:
    """Make a folder with corpora, and return the animal of a test.

    Where the animal acts before any work, an import has its limits.
    """
    for name, text in {"train": TRAIN, "test": TEST, "gold": "newest\tnew est\n"}.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    parameters = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    animal = ZOO[parameters.get("name", "raises")]
    if AT.keys() & parameters.values():
        monkeypatch.setattr(loading, "IMPORT", animal.limits)
    monkeypatch.setattr(apart, "Limits", partial(Limits, memory=MEMORY, output=OUTPUT))
    return animal


CORPUS = "train: train.txt"


def config(system: str = "", corpora: str = CORPUS, animal: Animal = ZOO["raises"]) -> str:
    limits = animal.limits.model_dump_json(by_alias=True)
    return CONFIG.format(system=system, corpora=corpora, limits=limits)


def do(*command: str, plugin: str, **given: Any) -> Done:
    """Run a command with a plugin file and a config."""
    Path("pids").unlink(missing_ok=True)
    Path("zoo.py").write_text(HEAD.format(pids=str(Path("pids").resolve())) + plugin)
    Path("config.yaml").write_text(config(**given))
    here = Path.cwd()
    done = tokbench_here(*command, "-p", "zoo.py")
    assert Path.cwd() == here
    assert "Traceback" not in done.stdout + done.stderr
    return done


def misbehaving(place: str, name: str) -> str:
    """Return a plugin with an animal at a place before any work."""
    return CALLED.format(lines=ZOO[name].lines.replace("\n", "\n    ")) + AT[place]


def assert_all_gone() -> None:
    """What the plugin was called in has ended; what does no harm elsewhere is done here too."""
    counting.described.cache_clear()  # as when this program ends, and so the next
    process._server.cache_clear()
    gc.collect()
    assert_gone([pid for pid in map(int, Path("pids").read_text().split()) if pid != os.getpid()])


@pytest.mark.parametrize(("place", "name"), cases(AT))
def test_commands_survive_what_a_plugin_does_before_any_work(animal, place, name):
    plugin = misbehaving(place, name)
    for command in (("plugins",), ("plugins", "--components"), ("check", "config.yaml")):
        done = do(*command, plugin=plugin, system=", mine", animal=animal)
        # What an option raises costs only what builds or describes the component.
        raised = place in ("default", "property") and name in ("raises", "exits")
        if done.returncode == 0:
            shown = command == ("plugins",) or (place == "property" and command[0] == "plugins")
            assert name in HARMLESS or (raised and shown), done.stderr
        else:
            assert done.returncode == 3, done.stderr
            told = [line for line in done.stderr.splitlines() if "zoo.py" in line or "mine" in line]
            assert told, done.stderr
        if command[0] == "plugins":
            assert "tokbench_bpe" in done.stdout or "bpe" in done.stdout
        assert_all_gone()
    ours = {"config.yaml", "gold.txt", "pids", "test.txt", "train.txt", "zoo.py"}
    assert names_in(Path.cwd()) - {"much"} == ours  # which the plugin writes itself


OUTLIVING = {
    "atexit.register(os._exit, 0)": "ended with exit code 0 and no answer",
    "timer = threading.Timer(99, os._exit, (0,)); timer.daemon = True; timer.start()": "threads",
    "threading.Thread(target=time.sleep, args=(99,)).start()": "changes the number of threads",
    "_thread.start_new_thread(time.sleep, (99,))": "changes the number of threads",
    "signal.setitimer(signal.ITIMER_PROF, 9)": "changes the alarm",
    "signal.setitimer(signal.ITIMER_VIRTUAL, 9)": "changes the alarm",
    "resource.setrlimit(resource.RLIMIT_NOFILE, (99, 99))": "changes RLIMIT_NOFILE",
    "csv.writer = None": "changes csv.writer",
    "numpy.sum = None": "changes numpy.sum",
}
"""What an import could leave in the program that would end it later, and how that is refused."""
IMPORTS = "import _thread, atexit, csv, numpy, resource, sys, threading\n"


@pytest.mark.parametrize("lines", OUTLIVING)
def test_what_an_import_leaves_behind_does_not_reach_the_program(lines):
    """Else a run could end with 0 and no folder, or not end."""
    plugin = IMPORTS + lines + LEARNER.format(body="", hook="")
    done = do("run", "-q", "config.yaml", "-o", "out", plugin=plugin, system=", mine")
    assert done.returncode == 3
    assert OUTLIVING[lines] in done.stderr
    assert not Path("out").exists()


@pytest.mark.parametrize("lines", ["sys.setrecursionlimit(60)", "os.umask(0o777)", "sys.exit = id"])
def test_what_an_import_sets_is_set_back_or_does_no_harm(lines):
    Path("zoo.py").write_text(
        "import os, sys\nfrom tokbench.api import *\n" + lines + LEARNER.format(body="", hook="")
    )
    Path("config.yaml").write_text(config(system=", mine"))
    done = tokbench("run", "-q", "config.yaml", "-o", "out", "-p", "zoo.py")
    assert done.returncode == 0, done.stderr
    Path("plain").touch()
    assert Path("out", "run.json").stat().st_mode == Path("plain").stat().st_mode
    failed = tokbench("run", "-q", "no such.yaml", "-o", "out", "-p", "zoo.py")
    assert failed.returncode == 4


@pytest.mark.parametrize(("hook", "name"), cases(READERS))
def test_an_animal_that_reads_or_makes_a_corpus(animal, hook, name):
    """Without the corpus there is nothing to score, so the run ends before it begins."""
    plugin = READERS[hook].format(lines=indented(animal.lines))
    given = {"corpora": CORPORA[hook], "animal": animal}
    done = do("run", "-q", "config.yaml", "-o", "out", plugin=plugin, **given)
    (error,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")] or [""]
    if error:
        assert done.returncode == (4 if (hook, name) == ("read", "raises") else 3), error
        assert PLACES[hook] in error
        assert animal.failure in done.stderr or hook == "change" or name == "raises"
        assert not Path("out").exists()
        if hook == "split of a corpus":
            assert animal.failure in error
            # What ends the process has ended it for several lines at once.
            assert re.search(r" (.*/)?train\.txt:1(-12)?: the splitter", error)
    else:
        assert done.returncode == 0, done.stderr
        assert not animal.failure
    assert_all_gone()


@pytest.mark.parametrize("name", ["raises", "ends at once", "aborts"])
@pytest.mark.parametrize(
    "command",
    [
        ("check", "config.yaml"),
        ("learn", "--learner", "char", "--words", "mine", "train.txt"),
        ("count", "--words", "mine", "train.txt", "-o", "words.tsv"),
    ],
    ids=lambda command: command[0],
)
def test_the_splitter_of_a_corpus_is_named_by_each_command(animal, command, name):
    plugin = HOOKS["split"].format(lines=indented(animal.lines))
    done = do(*command, plugin=plugin, corpora=CORPORA["split of a corpus"])
    assert (done.returncode, done.stdout) == (3, "")
    (error,) = done.stderr.splitlines()
    place = "1" if name == "raises" else "1-12"
    assert re.fullmatch(rf"error: (.*/)?train\.txt:{place}: {NAMED}.*", error)
    assert animal.failure in error
    assert not Path("words.tsv").exists()
    assert_all_gone()


def test_a_splitter_that_fails_when_joined_lines_are_read_again_is_named():
    """The words are found first, and once more where each document is cut whole."""
    lines = "open('calls', 'ab', 0).write(b'1')\nif os.path.getsize('calls') > 3: os._exit(0)"
    plugin = HOOKS["split"].format(lines=indented(lines))
    joined = config().replace("test.txt", "{path: test.txt, words: mine, lines: joined}")
    Path("config.yaml").write_text(joined)
    Path("zoo.py").write_text(HEAD.format(pids="pids") + plugin)
    done = tokbench_here("run", "-q", "config.yaml", "-o", "out", "-p", "zoo.py")
    assert done.returncode == 3
    assert re.fullmatch(
        r"error: (.*/)?test\.txt:1: the splitter 'mine' failed: its process ended .*\n", done.stderr
    )
    assert_all_gone()


@pytest.mark.parametrize(("hook", "name"), cases(OF_COMMANDS))
def test_an_animal_in_what_only_commands_call(animal, hook, name):
    plugin = OF_COMMANDS[hook].format(lines=indented(animal.lines))
    vocabulary = tokbench_here("learn", "--learner", "char", "train.txt").stdout
    Path("char.json").write_text(vocabulary, encoding="utf-8")
    command = {
        "check_size": ("check", "config.yaml"),
        "trace": ("learn", "--learner", "mine", "--size", "40", "--trace", "train.txt"),
        "explain": ("explain", "char.json", "newest", "--segmenter", "mine"),
    }[hook]
    system = ", mine" if hook == "check_size" else ""
    done = do(*command, plugin=plugin, system=system, animal=animal)
    who = {"check_size": "warning: system mine: ", "trace": "error: learner mine: "}
    told = [line for line in done.stderr.splitlines() if who.get(hook, "segmenter mine") in line]
    # What is not asked for an answer has none that is wrong; a size is only warned of.
    fails = animal.failure or (name == "answers at random" and hook != "check_size")
    assert bool(told) == bool(fails), done.stderr
    assert all(animal.failure in line for line in told)
    # A learner that yields no iterations has nothing to show.
    fine = 2 if hook == "trace" else 0
    assert done.returncode == (1 if fails and hook != "check_size" else fine)
    assert_all_gone()


def broken_promises(seconds: int) -> dict[str, str]:
    """Stop at three broken promises: any more would meet the same animal."""
    found: dict[str, str] = {}
    for promise in promises(files=[Path("zoo.py")], seconds=seconds):
        try:
            promise.check()
        except PromiseError as error:
            found[str(promise)] = str(error)
            if len(found) == 3:
                break
        except SkipTest:
            continue
    return found


@pytest.mark.parametrize(("hook", "name"), cases(["split", *AT, "learn", "segment", "count"]))
def test_the_kit_survives_and_names_the_check(animal, hook, name):
    if hook in AT:
        plugin = misbehaving(hook, name)
    else:
        plugin = HOOKS[hook].format(lines=indented(animal.lines))
    Path("zoo.py").write_text(HEAD.format(pids=str(Path("pids").resolve())) + plugin)
    # One limit holds for the whole of a check, also for the healthy work in it.
    broken = broken_promises(max(10, min(animal.seconds, animal.idle_seconds)))
    if name == "loops":
        assert any("longer than 10 s and was ended" in message for message in broken.values())
    assert name in ("loops", "waits") or not any("took longer" in m for m in broken.values())
    for check, message in broken.items():
        assert message.startswith(f"{check}: ")
        assert "`limits`" not in message
        if "longer than" in message and not check.endswith(": builds"):
            assert f"the check `{check}`: its process took" in message
    if animal.failure and hook not in AT:
        assert broken
    assert_all_gone()
