"""Whatever a plugin does wrong costs nobody else's results; `messages` shows what it is told."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.low import describe_package
from tests.run_cli import tokbench_here as tokbench
from tests.tiny import offering, tiny_run
from tokbench import __version__
from tokbench.api import Metric
from tokbench.errors import PluginError
from tokbench.plugins import load
from tokbench.plugins.declarations import checked
from tokbench.run_folder import Run

TRAIN = "ab ab ab ab abc abc b c\n"
BAD = """
from tokbench.api import *
def fail(self, *_):
    raise ValueError("no idea")
class Letters(Splitter):
    split = fail
class Cutting(Segmenter):
    segment = fail
class Learning(Learner):
    learn, requires_version = fail, {"not-installed-and-not-required": "1"}
class Measuring(Metric):
    formula, range, count, score = "1", (0, 1), fail, fail
class Showing(View):
    file_name, text = "mine.md", fail
class Replacing(View):
    file_name = "report.md"
    def text(self, run, form): return "# Mine"
class Analysing(Analysis):
    columns, rows = {"many": "number"}, fail
tokbench_splitters = hookimpl(lambda: {"mine": Letters})
tokbench_segmenters = hookimpl(lambda: {"mine": Cutting})
tokbench_learners = hookimpl(lambda: {"mine": Learning})
tokbench_metrics = hookimpl(lambda: {"mine": Measuring})
tokbench_views = hookimpl(lambda: {"mine": Showing, "a-report": Replacing})
tokbench_analyses = hookimpl(lambda: {"mine": Analysing})
tokbench_page_sections = hookimpl(lambda run: [fail(run)])
tokbench_answer_facts = hookimpl(lambda run: ["a sentence"])
"""
SHOWING = """
from tokbench.api import *
class Mine(View):
    file_name = "mine.md"
    def text(self, run, form): return "# Mine"
class Analysing(Analysis):
    columns = {"kind": "text", "many": "number"}
    def rows(self, used): yield {"kind": "=1+1\\x1b[2J", "many": -1}
tokbench_views = hookimpl(lambda: {"mine": Mine})
tokbench_analyses = hookimpl(lambda: {"mine": Analysing})
tokbench_report_sections = hookimpl(lambda run: {"Mine": f"{len(run.learned)} learned"})
tokbench_page_sections = hookimpl(lambda run: {"<Mine>": f"<b>{len(run.learned)} learned</b>"})
tokbench_answer_facts = hookimpl(lambda run: [Fact("mine", "It is <mine>.", values={"rows": 1})])
"""
SYSTEMS = """
  - char
  - mine
  - {name: cut, learner: char, segmenter: mine}
  - {name: split, learner: word, split: mine}
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a config with a plugin file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.txt").write_text(TRAIN)
    (tmp_path / "test.txt").write_text("ab abd c\n")

    def run(plugin, systems, metrics="[fertility]"):
        Path("bad.py").write_text(plugin)
        Path("config.yaml").write_text(
            "corpora: {train: train.txt, test: test.txt}\nsizes: [40]\nbaseline: null\n"
            f"resamples: 1\nsystems: {systems}\nmetrics: {metrics}\n"
        )
        done = tokbench("run", "-q", "-o", "out", "-p", "bad.py", "config.yaml")
        assert "Traceback" not in done.stderr
        return done

    return run


def test_what_fails_costs_only_itself(run):
    done = run(BAD, SYSTEMS, "[mine, fertility]")
    failed = [line for line in done.stderr.splitlines() if line.startswith("failed: ")]
    assert done.returncode == 1
    assert [line.split("failed: ")[1].split(": ValueError: no idea (")[0] for line in failed] == [
        "metric mine",
        "system char: analysis mine",
        "system mine at size 40",
        "system cut",
        "system split: its splitter failed at 'ab'",
        "view report: another view has the file report.md",
        "tokbench_page_sections of bad.py",
        "tokbench_answer_facts of bad.py: it returned ['a sentence'], expected a list of facts",
        "mine.md",
    ]
    results = Run.load(Path("out"))
    assert {f"failed: {failure}" for failure in results.record.failures} <= {*failed}
    scored = {(row.system, row.metric) for row in results.rows if row.value is not None}
    assert scored == {("char", "fertility")}
    assert results.record.packages["not-installed-and-not-required"] == ""
    assert len(results.frame("health")) == 1
    assert Path("out/report.md").read_text() == "# Mine"
    documents = sorted(str(path) for path in Path("out").rglob("*.md"))
    assert documents == ["out/data/cost.md", "out/data/metrics.md", "out/report.md"]


def test_a_wrapper_of_a_hook_is_refused(tmp_path: Path) -> None:
    wrapper = "tokbench_metrics = hookimpl(wrapper=True)(lambda: {})\n"
    (tmp_path / "refused.py").write_text(f"from tokbench.api import *\n{wrapper}")
    (broken,) = load([tmp_path / "refused.py"], lazy=True).broken
    assert broken.reason.startswith("PluginValidationError: ")


def test_a_broken_plugin_ends_a_run_before_anything_is_learned(run):
    measuring = BAD.replace("(0, 1)", "(1, 0)").replace("= fail, {", "= exit, {")
    done = run(measuring, "[mine]", "[mine]")
    assert (done.returncode, Path("out").exists()) == (3, False)


RANGES = [(float("nan"), 1), (0, 1j), (False, True), (0, 1, 2), 9, ("a", "b")]


@pytest.mark.parametrize("ends", RANGES, ids=range(len(RANGES)))
def test_a_range_is_two_numbers_that_floats_can_hold(ends):
    with pytest.raises(PluginError, match=r"`range`: found .*, expected two numbers, the lower"):
        checked("metric", "mine", type("Mine", (Undefined,), {"range": ends}))


class Undefined(Metric):
    """Never has a value, and a range that depends on its options."""

    formula = "1"
    highest: float = 9

    @property
    def range(self):
        return (0, self.highest)

    def count(self, segmentation):
        return {"words": segmentation.tokens}

    def score(self, sums, vocabulary_size):
        return float("nan")


class Dividing(Metric):
    """Divides by zero."""

    formula, range = "words / nothing", (0, 1)

    def count(self, segmentation):
        return {"words": segmentation.tokens * 0}

    def score(self, sums, size):
        return sums["words"] / sums["words"]


def test_a_metric_may_be_undefined(tmp_path):
    registry = offering(undefined=Undefined, dividing=Dividing)
    run = tiny_run(tmp_path, registry, systems="[char]", metrics="[undefined, dividing]")
    assert run.failures == ()
    assert {(row.metric, row.value) for row in run.rows} == {
        ("undefined", None),
        ("dividing", None),
    }
    assert run.record.metrics[0].range == (0, 9)


def test_a_view_is_a_file_of_the_run_and_replaced_with_it(run):
    """Cells of an analysis hold nothing that a spreadsheet runs or that moves a cursor."""
    for _ in range(2):
        assert run(SHOWING, "[char]").returncode == 0
    assert Path("out/data/mine.md").read_text() == "# Mine"
    for _ in range(2):
        page = Path("out/report.html").read_text()
        assert "## Mine\n\n1 learned\n" in Path("out/report.md").read_text()
        assert "<h2>&lt;Mine&gt;</h2>" in page
        assert "<b>1 learned</b>" in page
        assert "It is &lt;mine&gt;." in page
        fact = json.loads(Path("out/answer.json").read_text())[-1]
        assert (fact["topic"], fact["values"]) == ("mine", {"rows": 1})
        assert tokbench("report", "out", "-p", "bad.py").returncode == 0
    assert r"- It is \<mine\>." in tokbench("show", "out", "-p", "bad.py").stdout
    frame = Run.load(Path("out")).frame("mine")
    assert (frame["kind"][0], frame["many"][0]) == (r"'=1+1\x1b[2J", -1)
    # Without the view too: the seal says that the older run wrote it. One by hand is refused.
    assert run("", "[char]").returncode == 0
    assert not Path("out/data/mine.md").exists()
    Path("out/mine.md").touch()
    refused = run("", "[char]")
    assert refused.returncode == 2
    assert "out: holds mine.md, which would be lost with the older run" in refused.stderr


PRINTING = """
import os, sys
from tokbench.api import *
def speak(text):
    print(text)
    print(text, file=sys.stderr)
speak("imported")
class Mine(Splitter):
    "Find words."
    def model_post_init(self, context):
        speak("built")
    def describe(self, name):
        speak("described")
        return name
    def split(self, text):
        speak("cut")
        return [(0, len(text))] if text else []
@hookimpl
def tokbench_splitters():
    speak("offered")
    return {"mine": Mine}
"""


@pytest.mark.parametrize(
    "command", [("learn", "train.txt", "--words", "mine", "--merges", "2"), ("plugins", "mine")]
)
def test_what_a_plugin_prints_goes_to_stderr(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "train.txt").write_text(TRAIN)
    silenced = PRINTING.replace("def speak(text):", "def speak(text):\n    return")
    (tmp_path / "mine.py").write_text(silenced)
    silent = tokbench(*command, "-p", "mine.py", cwd=tmp_path)
    (tmp_path / "mine.py").write_text(PRINTING)
    done = tokbench(*command, "-p", "mine.py", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, silent.stdout)
    assert done.stderr.count("imported\n") >= 2


def test_a_package_for_another_version_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "later.py").write_text("from tokbench_char import *\n", encoding="utf-8")
    describe_package(tmp_path, "later", "[tokbench]\nlater = later\n", requires="tokbench~=9.1")
    monkeypatch.syspath_prepend(tmp_path)
    assert [*map(str, load(lazy=True).broken)] == [
        f"plugin later is broken: later 1 needs tokbench~=9.1, but {__version__} is installed: "
        "`pip install -U later tokbench` installs versions that fit"
    ]
    assert "later" not in sys.modules
