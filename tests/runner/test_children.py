"""Child processes: whatever ends one, the others have their results and its cause is named."""

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from tests.run_cli import TOKBENCH, fresh, tokbench
from tests.run_cli import tokbench_here as without_children
from tokbench.api import Vocabulary
from tokbench.errors import CrashError
from tokbench.plugins import load
from tokbench.plugins.calls import CallFile, label_of
from tokbench.run_folder import Run
from tokbench.run_folder.layout import Layout
from tokbench.runner.children import Child

pytestmark = pytest.mark.ci

PLUGIN = """
import ctypes, os, time
from tokbench.api import *
from tokbench_bpe.learner import Bpe

def do(what):
    if what == "exits": os._exit(0)
    if what == "crashes": ctypes.string_at(0)
    if what == "loops":
        while True: pass
    if what == "waits":
        with open("waits", "w") as file: file.write(str(os.getpid()))
        time.sleep(600)
    if what == "allocates":
        kept = []
        while True: kept.append(bytearray(100_000_000))

class BadLearner(Bpe):
    "Learn BPE, or not."
    how: str = ""
    def learn(self, words, size):
        with open("learned", "a") as file: file.write(".")
        do(self.how)
        return super().learn(words, size)

class BadSegmenter(Segmenter):
    "Cut into letters, or not."
    how: str = ""
    def segment(self, word, prepared):
        do(self.how)
        return [*word]

class BadMetric(Metric):
    "Count words, or not."
    formula, range = "1", (0, 1)
    how: str = ""
    def count(self, segmentation):
        do(self.how)
        return {"one": segmentation.count}
    def score(self, sums, vocabulary_size):
        return sums["one"] / sums["one"]

class BadSplitter(Splitter):
    "Find words between spaces, or not."
    how: str = ""
    def split(self, text):
        do(self.how)
        return [(0, len(text))] if text else []

tokbench_learners = hookimpl(lambda: {"bad": BadLearner})
tokbench_segmenters = hookimpl(lambda: {"bad": BadSegmenter})
tokbench_metrics = hookimpl(lambda: {"bad": BadMetric})
tokbench_splitters = hookimpl(lambda: {"bad": BadSplitter})
"""
CONFIG = """
corpora: {{train: {{path: train.txt, words: {splitter}}}, test: {{held: test.txt}}}}
sizes: [30]
limits: {{seconds: {seconds}, memory: 1000}}
systems: [{systems}]
metrics: [fertility{metric}]
"""
TRAIN = "low lower lowest newer newest wide wider widest\n" * 9
HOW = {
    "exits": " ended its process with exit code 0",
    "crashes": " was ended by SIGSEGV",
    "loops": " took longer than 10 s and was ended (`limits`: seconds)",
    "allocates": ": MemoryError (`limits`: memory)",
}


def prepare(
    folder: Path, systems: str = "char, bpe", metric: str = "", splitter: str = "words", **keys: str
) -> None:
    """Write the plugin, texts and a config."""
    (folder / "plugin.py").write_text(PLUGIN)
    (folder / "train.txt").write_text(TRAIN)
    (folder / "test.txt").write_text("the newest cat\na wide low\nslower\n")
    seconds = keys.pop("seconds", "600")
    config = CONFIG.format(systems=systems, metric=metric, splitter=splitter, seconds=seconds)
    lines = "".join(f"{key}: {value}\n" for key, value in keys.items())
    (folder / "config.yaml").write_text(config + lines)


RUN = ("run", "-q", "config.yaml", "-o", "out", "-p", "plugin.py")
tokbench_here = partial(without_children, in_children=True)


def scored(folder: Path) -> dict[str, set[str]]:
    """Return the metrics that each system has values of."""
    metrics_of: dict[str, set[str]] = {}
    for row in Run.load(folder / "out").rows:
        if row.value is not None:
            metrics_of.setdefault(row.system, set()).add(row.metric)
    return metrics_of


@pytest.mark.parametrize(
    ("learner", "segmenter"),
    [("exits", "crashes"), pytest.param("loops", "allocates", marks=pytest.mark.ci)],
)
def test_a_crash_costs_only_its_system(tmp_path: Path, learner: str, segmenter: str) -> None:
    bad = f"{{name: one, learner: {{use: bad, how: {learner}}}}}, "
    bad += f"{{name: two, learner: char, segmenter: {{use: bad, how: {segmenter}}}}}, "
    bad += "{name: three, learner: {use: vocabulary, path: v.json}}"
    prepare(tmp_path, f"char, {bad}, bpe", seconds="10")
    vocabulary = Vocabulary(("l", "o", "w"), segmenter={"use": "bad", "how": segmenter})
    (tmp_path / "v.json").write_text(vocabulary.to_json())
    done = tokbench_here(*RUN, cwd=tmp_path)
    assert done.returncode == 1
    assert [line for line in done.stderr.splitlines() if line.startswith("failed: ")] == [
        f"failed: system one: learner bad(how={learner}){HOW[learner]}",
        f"failed: system two: segmenter bad(how={segmenter}){HOW[segmenter]}",
        f"failed: system three: segmenter bad(how={segmenter}){HOW[segmenter]}",
    ]
    assert {*scored(tmp_path)} == {"char", "bpe"}
    assert (tmp_path / "learned").read_text() == ("." if learner == "loops" else "..")
    trace_of_faulthandler = 'plugin.py", line 8 in do\n'
    assert (trace_of_faulthandler in done.stderr) == (segmenter == "crashes")


@pytest.mark.ci
@pytest.mark.parametrize("how", ["exits", "allocates"])
def test_a_crash_of_a_metric_leaves_it_out_of_that_system(tmp_path: Path, how: str) -> None:
    prepare(tmp_path, "char", metric=f", {{use: bad, how: {how}}}")
    done = tokbench_here(*RUN, cwd=tmp_path)
    assert done.returncode == 1
    assert f"metric bad(how={how}):{HOW[how].removeprefix(':')}" in done.stderr
    assert {*scored(tmp_path)["char"]} == {"fertility"}


@pytest.mark.ci
def test_what_was_learned_is_kept_for_the_second_attempt(tmp_path: Path) -> None:
    """The metric ends the process once; the slow learner does not learn again."""
    prepare(tmp_path, "{name: slow, learner: bad}, char", metric=", bad", jobs="2")
    plugin = PLUGIN.replace("        do(self.how)\n        return super()", SLOW).replace(
        '        do(self.how)\n        return {"one"', ONCE
    )
    (tmp_path / "plugin.py").write_text(plugin)
    done = tokbench_here(*RUN, cwd=tmp_path)
    assert (done.returncode, "failed" in done.stderr) == (0, False)
    assert (tmp_path / "learned").read_text() == "."
    assert scored(tmp_path)["slow"] >= {"fertility", "bad"}


SLOW = """        time.sleep(1.2)
        return super()"""
ONCE = """        if not os.path.exists("ended"):
            open("ended", "w").close()
            os._exit(1)
        return {"one\""""


def test_a_crash_of_a_splitter_of_texts_ends_the_run_with_its_name(tmp_path: Path) -> None:
    prepare(tmp_path, splitter="{use: bad, how: exits}")
    done = tokbench_here(*RUN, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    error = "error: splitter bad(how=exits) ended its process with exit code 0\n"
    assert done.stderr.endswith(error)
    assert not (tmp_path / "out").exists()


UNGUARDED = """
import pathlib
with open("started", "a") as file: file.write(".")
import tokbench
run = tokbench.run("config.yaml", ["plugin.py"])
print(len(run.record.outcomes), run.record.failures)
"""


@pytest.mark.ci
def test_no_child_needs_the_main_module_of_the_user(tmp_path: Path) -> None:
    """A script without `if __name__ == "__main__"` is run once."""
    prepare(tmp_path, "char, {name: mine, learner: bad}", jobs="2")
    (tmp_path / "script.py").write_text(UNGUARDED)
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "2 ()\n"
    assert (tmp_path / "started").read_text() == "."


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_children_end_with_the_program(tmp_path: Path, number: int) -> None:
    prepare(tmp_path, "char, {name: mine, learner: {use: bad, how: waits}}")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [*TOKBENCH, *RUN], cwd=tmp_path, stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(temporary)},
    )  # fmt: skip
    waits = tmp_path / "waits"
    while not (waits.exists() and waits.read_text()):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(number)
    _, err = process.communicate(timeout=300)
    if number == signal.SIGINT:
        assert (process.returncode, err.splitlines()[-1]) == (130, b"interrupted")
        assert b"Traceback" not in err
        assert not [*temporary.iterdir()]
    child = Path("/proc", waits.read_text())
    until = time.monotonic() + 60
    while child.exists() and "State:\tZ" not in (child / "status").read_text():
        assert time.monotonic() < until
        time.sleep(0.02)
    assert not (tmp_path / "out").exists()


CHANGING = """
import os, random, signal, socket, sys, warnings
socket.setdefaulttimeout(10)
os.umask(0o777)
sys.path.insert(0, "nowhere")
os.chdir("/")
sys.setrecursionlimit(5000)
random.seed(1)
warnings.simplefilter("error")
signal.signal(signal.SIGTERM, signal.SIG_IGN)
from tokbench_char import *
"""
STATE = """
import os, random, signal, socket, sys, warnings
from pathlib import Path
from tokbench.plugins import load
random.seed(7)
def state():
    mask = os.umask(0o22)
    os.umask(mask)
    return [socket.getdefaulttimeout(), mask, [*sys.path], os.getcwd(), sys.getrecursionlimit(),
            hash(random.getstate()), str(signal.getsignal(signal.SIGTERM)), str(warnings.filters)]
before = state()
(plugin,) = [plugin for plugin in load([Path("changing.py")]).plugins if plugin.is_file]
print(state() == before)
"""


def test_settings_are_put_back_after_an_import(tmp_path: Path) -> None:
    (tmp_path / "changing.py").write_text(CHANGING)
    assert fresh(STATE, cwd=tmp_path) == "True\n"


def test_a_module_beside_a_plugin_hides_none_of_pythons_own(tmp_path: Path) -> None:
    (tmp_path / "tabnanny.py").write_text("")
    own = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\nimport tabnanny\n"
    (tmp_path / "mine.py").write_text(f"{own}from tokbench_char import *\n")
    sys.modules.pop("tabnanny", None)
    (broken,) = load([tmp_path / "mine.py"], lazy=True).broken
    assert broken.reason == f"tabnanny.py in {tmp_path} hides a module of Python's own: rename it"
    assert "tabnanny" not in sys.modules


def test_plugins_names_a_plugin_that_crashes_on_import(tmp_path: Path) -> None:
    (tmp_path / "dead.py").write_text("import os\nos._exit(3)\n")
    done = tokbench_here("plugins", "-p", "dead.py", cwd=tmp_path)
    assert done.returncode == 3
    error = "broken: dead.py (dead.py): its import ended its process with exit code 3\n"
    assert done.stderr == error
    # Elsewhere the import ends the command, unless an installed plugin is left out by name.
    assert tokbench("metrics", "-p", "dead.py", cwd=tmp_path).returncode == 3
    without = without_children("plugins", TOKBENCH_DISABLE_PLUGINS="morfessor, char")
    assert "\nchar " not in without.stdout
    assert "\nword " in without.stdout


def test_keys_without_effect_are_warned_about(tmp_path: Path) -> None:
    prepare(tmp_path, isolation="all", engine="python")
    config = tmp_path / "config.yaml"
    config.write_text(config.read_text().replace("memory: 1000", "idle-seconds: 5, output: 10"))
    done = tokbench_here(*RUN, cwd=tmp_path)
    assert done.returncode == 0
    for key in ("isolation", "engine", "limits.idle-seconds", "limits.output"):
        assert f"warning: {key}: has no effect any more, remove it\n" in done.stderr


def test_a_call_inside_a_call_belongs_to_the_outer_one(tmp_path: Path) -> None:
    """So that a limit holds for a whole batch, whose words a segmenter cuts one by one."""
    calls = CallFile.make(tmp_path / "calls")
    inner = calls.named("learner b", calls.read)
    component = "segmenter " + "x" * 600
    inside = calls.named(component, lambda: (calls.read(), inner(), calls.read()))()
    assert {*inside} == {inside[0]}
    assert inside[0].component == label_of(component) == component[:500]
    assert inside[0].begin > 0
    assert calls.read() == ("", 0)


def test_a_child_that_was_closed_is_not_started_again() -> None:
    child = Child(600, 1000)
    assert child.call("operator:is_", 1) is False
    child.close()
    with pytest.raises(CrashError, match="is not started again"):
        child.call("operator:is_", 1)


def test_without_a_thread_for_a_child_the_other_systems_have_their_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = threading.Thread.start

    def none_for_jobs(thread: threading.Thread) -> None:
        if thread.name.startswith("tokbench-job"):
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", none_for_jobs)
    prepare(tmp_path, "char, {name: mine, learner: bad}")
    done = tokbench_here(*RUN, cwd=tmp_path)
    assert done.returncode == 1
    assert "failed: system mine: RuntimeError: can't start new thread" in done.stderr
    assert {*scored(tmp_path)} == {"char"}


@pytest.mark.parametrize("jobs", ["1", pytest.param("3", marks=pytest.mark.ci)])
def test_results_are_the_same_wherever_systems_run(tmp_path: Path, jobs: str) -> None:
    """A plugin file that does nothing else than ours, in a child, and ours in the program."""
    systems = "char, {name: two, learner: LEARNER}, {name: three, learner: char, segmenter: char}"
    for name, learner in (("ours", "bpe"), ("theirs", "{use: bad}")):
        folder = tmp_path / name
        folder.mkdir()
        many = {"jobs": jobs} if name == "theirs" else {}
        prepare(folder, systems.replace("LEARNER", learner), **many)
        assert tokbench_here(*RUN, cwd=folder).returncode == 0
    for table in map(Layout().table, ("results", "comparisons", "coverage", "sizes")):
        files = [tmp_path / name / "out" / table for name in ("ours", "theirs")]
        ours, theirs = (file.read_bytes() if file.exists() else b"" for file in files)
        assert ours == theirs, table


VIEW = """
import os
from tokbench.api import View, hookimpl

class BadView(View):
    "Show how often it was made."
    file_name = "bad.md"
    def text(self, run, form):
        if os.path.exists("dies"):
            os._exit(3)
        return f"{len(run.rows)} rows"

tokbench_views = hookimpl(lambda: {"bad": BadView})
"""


def test_a_view_that_ends_its_process_costs_only_its_file(tmp_path: Path) -> None:
    """The data is in its place before any view is made."""
    prepare(tmp_path)
    (tmp_path / "view.py").write_text(VIEW)
    (tmp_path / "dies").touch()
    done = tokbench_here(*RUN, "-p", "view.py", cwd=tmp_path)
    assert done.returncode == 1
    failed = [line for line in done.stderr.splitlines() if line.startswith("failed: ")]
    assert failed == ["failed: bad.md: view bad ended its process with exit code 3"]
    assert {"report.md", "run.json"} <= {path.name for path in (tmp_path / "out").iterdir()}
    assert not (tmp_path / "out" / "data/bad.md").exists()
    assert tokbench_here("verify", "out", cwd=tmp_path).returncode == 0
    (tmp_path / "dies").unlink()
    again = tokbench_here("report", "out", "-p", "view.py", cwd=tmp_path)
    assert (again.returncode, "Written: out/data/bad.md" in again.stdout) == (0, True)
    rows = len(Run.load(tmp_path / "out").rows)
    assert (tmp_path / "out" / "data/bad.md").read_text() == f"{rows} rows"
