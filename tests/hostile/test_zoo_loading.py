"""The zoo where plugins are loaded, built and checked: commands and the kit survive it.

An animal sits in the import of a plugin, in its hook, in the default of an option, and in a
property; then in the components that read corpora, and under the checks of the kit.
"""

import gc
import os
import sys
from pathlib import Path
from unittest import SkipTest

import pytest

from tests.hostile.zoo import HEAD, HOOKS, LIMITS, TEST, TRAIN, ZOO, assert_gone, indented
from tests.run_cli import Done, tokbench_here
from tokbench.plugins import loading
from tokbench.testing import promises
from tokbench.testing.promise import PromiseError
from tokbench.workers import process
from tokbench.workers.limits import Limits

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

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
    "read": ", gold: {parts: {path: gold.txt, format: mine}}",
    "change": ", pairs: {made: {generate: mine, of: held-out}}",
}
CONFIG = """
corpora: {{train: train.txt, test: {{held-out: test.txt}}{corpora}}}
sizes: [40]
systems: [char{system}]
metrics: [fertility]
resamples: 20
limits: {limits}
"""
QUICK = {
    ("import", "ends at once"), ("import", "forks"), ("import", "loops"), ("hook", "crashes"),
    ("default", "interrupts"), ("property", "goes elsewhere"), ("property", "ends at once"),
    ("split", "loops"), ("read", "ends at once"), ("read", "answers at random"),
    ("change", "crashes"),
}  # fmt: skip


def cases(places):
    return [
        pytest.param(place, name, marks=[] if (place, name) in QUICK else pytest.mark.slow)
        for place in places
        for name in ZOO
    ]


@pytest.fixture(autouse=True)
def texts(tmp_path, monkeypatch):
    """A folder with corpora, where a plugin may take a second to be imported."""
    for name, text in {"train": TRAIN, "test": TEST, "gold": "newest\tnew est\n"}.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    monkeypatch.setattr(
        loading, "IMPORT", Limits(seconds=2, idle_seconds=1, memory=700, output=300)
    )
    monkeypatch.chdir(tmp_path)


def do(*command: str, plugin: str, system: str = "", corpora: str = "") -> Done:
    """Run a command with a plugin file and a config."""
    Path("pids").unlink(missing_ok=True)
    Path("zoo.py").write_text(HEAD.format(pids=str(Path("pids").resolve())) + plugin)
    Path("config.yaml").write_text(CONFIG.format(system=system, corpora=corpora, limits=LIMITS))
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
    process._server.cache_clear()  # as when this program ends
    gc.collect()
    assert_gone([pid for pid in map(int, Path("pids").read_text().split()) if pid != os.getpid()])


@pytest.mark.parametrize(("place", "name"), cases(AT))
def test_commands_survive_what_a_plugin_does_before_any_work(place, name):
    plugin = misbehaving(place, name)
    for command in (("plugins",), ("plugins", "--components"), ("check", "config.yaml")):
        done = do(*command, plugin=plugin, system=", mine")
        if done.returncode == 0:
            assert name in HARMLESS, done.stderr
        else:
            assert done.returncode == 3, done.stderr
            told = [line for line in done.stderr.splitlines() if "zoo.py" in line or "mine" in line]
            assert told, done.stderr
        if command[0] == "plugins":
            assert "tokbench_bpe" in done.stdout or "bpe" in done.stdout
        assert_all_gone()
    ours = {"config.yaml", "gold.txt", "pids", "test.txt", "train.txt", "zoo.py"}
    assert {*os.listdir()} - {"much"} == ours  # which the plugin writes itself


@pytest.mark.parametrize(("hook", "name"), cases(READERS))
def test_an_animal_that_reads_or_makes_a_corpus(hook, name):
    """Without the corpus there is nothing to score, so the run ends before it begins."""
    plugin = READERS[hook].format(lines=indented(ZOO[name].lines))
    done = do("run", "-q", "config.yaml", "-o", "out", plugin=plugin, corpora=CORPORA[hook])
    (error,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")] or [""]
    if error:
        assert done.returncode == (4 if (hook, name) == ("read", "raises") else 3), error
        assert ("gold.txt" if hook == "read" else "the pair generator 'mine'") in error
        assert ZOO[name].failure in done.stderr or hook == "change" or name == "raises"
        assert not Path("out").exists()
    else:
        assert done.returncode == 0, done.stderr
        assert not ZOO[name].failure
    assert_all_gone()


def broken_promises() -> dict[str, str]:
    found = {}
    for promise in promises(files=[Path("zoo.py")], seconds=1):
        try:
            promise.check()
        except PromiseError as error:
            found[str(promise)] = str(error)
        except SkipTest:
            continue
    return found


@pytest.mark.parametrize(("hook", "name"), cases(["split", *AT, "learn", "segment", "count"]))
def test_the_kit_survives_and_names_the_check(hook, name):
    if hook in AT:
        plugin = misbehaving(hook, name)
    else:
        plugin = HOOKS[hook].format(lines=indented(ZOO[name].lines))
    Path("zoo.py").write_text(HEAD.format(pids=str(Path("pids").resolve())) + plugin)
    broken = broken_promises()
    if name == "loops":
        assert any("longer than 1 s and was ended" in message for message in broken.values())
    for check, message in broken.items():
        assert message.startswith(f"{check}: ")
        assert "`limits`" not in message
        if "longer than" in message and hook not in AT:
            assert f"the check `{check}`: its process took" in message
    if ZOO[name].failure and hook not in AT:
        assert broken
    assert_all_gone()
