"""Whatever a plugin does wrong, the message is one line, and it costs nobody else's results."""

import csv
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.run_cli import tokbench_here as tokbench
from tokbench.api import Vocabulary
from tokbench.cli import run_command
from tokbench.run_folder import Run

TRAIN = "low lower lowest\nnew newer newest\nwide wider widest\nthe cat sat on the mat\n" * 3
TEST = "the newest cat\na wide mat\nslower\n"

HEAD = """\
from tokbench.api import *
from tokbench.api import Learned, Vocabulary
import sys
"""
LEARNER = """
class Mine(Learner):
    "Learn."
    def learn(self, words, size):
        {body}
@hookimpl
def tokbench_learners():
    return {{"mine": Mine}}
"""
SEGMENTER = """
class Mine(Segmenter):
    "Cut."
    {body}
@hookimpl
def tokbench_segmenters():
    return {{"mine": Mine}}
"""
SPLITTER = """
class Mine(Splitter):
    "Find words."
    def split(self, text):
        {body}
@hookimpl
def tokbench_splitters():
    return {{"mine": Mine}}
"""
METRIC = """
class Mine({base}):
    "Measure."
    formula = "tokens / words"
    range = (0.0, 9.0)
    {body}
@hookimpl
def tokbench_metrics():
    return {{"mine": Mine}}
"""


@dataclass(frozen=True)
class Done:
    """Holds the exit code of a command, what it said, and the rows that it wrote."""

    code: int
    out: str
    err: str
    rows: list[dict[str, str]]
    folder: Path

    def values(self, system: str, metric: str = "fertility") -> list[str]:
        return [
            row["value"]
            for row in self.rows
            if row["system"] == system and row["metric"] == metric and row["subset"] == "all"
        ]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a config with a plugin file through the real command line, in this process."""
    (tmp_path / "train.txt").write_text(TRAIN, encoding="utf-8")
    (tmp_path / "test.txt").write_text(TEST, encoding="utf-8")
    (tmp_path / "out").mkdir()

    def run(
        plugin, systems="[char, mine]", metrics="[fertility]", train="train.txt", command="run"
    ):
        (tmp_path / "bad.py").write_text(HEAD + plugin, encoding="utf-8")
        (tmp_path / "config.yaml").write_text(
            f"corpora: {{train: {train}, test: {{held-out: test.txt}}}}\n"
            f"sizes: [40]\nsystems: {systems}\nresamples: 20\n"
            + (f"metrics: {metrics}\n" if metrics else ""),
            encoding="utf-8",
        )
        arguments = {
            "run": ["run", "-o", "out", "-p", "bad.py", "config.yaml"],
            "plugins": ["plugins", "-p", "bad.py", "--format", "json"],
        }
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["tokbench", *arguments[command]])
        code = run_command()
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        results = tmp_path / "out" / "results.csv"
        rows = []
        if results.exists():
            rows = list(csv.DictReader(results.read_text(encoding="utf-8").splitlines()))
        return Done(code, out, err, rows, tmp_path / "out")

    return run


# Before anything is learned: exit code 3.

ODD_ATTRIBUTES = [
    ("range = (float('nan'), 1.0)", "`range`: found (nan, 1.0), expected two numbers"),
    ("range = (1, 0)", "`range`: found (1, 0), expected two numbers, the lower first"),
    ("range = (0, 1j)", "`range`: found (0, 1j), expected two numbers"),
    ("range = (False, True)", "`range`: found (False, True), expected two numbers"),
    ("range = (0, 1, 2)", "`range`: found (0, 1, 2), expected two numbers"),
    ("range = 9", "`range`: found 9, expected two numbers"),
    ("range = ('a', 'b')", "`range`: found ('a', 'b'), expected two numbers"),
    ("range = (0, 10**400)", "`range`: found a tuple, expected two numbers"),
    ("range = (0, 10**5000)", "`range`: found a tuple, expected two numbers"),
    ("formula = 5", "`formula`: found 5, expected a text"),
    ("source = None", "`source`: found None, expected a text"),
    ("better = 'more'", "`better`: found 'more', expected one of 'higher', 'lower', 'neither'"),
    ("better = ['higher']", "`better`: found ['higher'], expected one of"),
    ("unit = 'page'", "`unit`: found 'page', expected one of 'line', 'word'"),
    ("unit = property(lambda self: 'word')", "`unit`: found a property, expected one of"),
    ("per = 3", "`per`: found 3, expected one of 'line', 'pair', 'place', 'word'"),
    ("family = 'none'", "`family`: found 'none', expected one of 'boundaries', 'noise', 'oov', "),
    ("interval = 1", "`interval`: found 1, expected True or False"),
    ("texts_only = 'no'", "`texts_only`: found 'no', expected True or False"),
    ("denominator = 7", "`denominator`: found 7, expected a text or None"),
    ("needs = 'gold'", "`needs`: found 'gold', expected a set of 'context', 'gold'"),
    ("needs = [[]]", "`needs`: found [[]], expected a set of 'context', 'gold'"),
    ("kernels = 8", "`kernels`: found 8, expected a text or None"),
    ("requires = 8", "`requires`: found 8, expected a text or None"),
    ("requires_modules = 'os'", "`requires_modules`: found 'os', expected a tuple of texts"),
    ("requires_version = ['numpy']", "`requires_version`: found ['numpy'], expected a mapping"),
    ("requires_version = {'numpy': 2}", "`requires_version`: found {'numpy': 2}, expected"),
]  # fmt: skip
COUNTING = """
    def count(self, s): return {'tokens': s.tokens, 'words': s.tokens * 0 + 1}
    def score(self, sums, size): return sums['tokens'] / sums['words']
"""


@pytest.mark.parametrize(("declared", "reason"), ODD_ATTRIBUTES)
def test_a_metric_that_declares_something_odd_is_refused_before_learning(run, declared, reason):
    plugin = METRIC.format(base="AdditiveMetric", body=f"{declared}{COUNTING}")
    done = run(plugin, systems="[char]", metrics="[fertility, mine]")
    assert done.code == 3
    cause = done.err.splitlines()[0]
    assert cause.startswith("error: plugin bad.py is broken: the metric 'mine' declares " + reason)
    assert len(done.err.splitlines()) == 4, "the cause, the place, its line, and a caret"
    assert not list(done.folder.iterdir())


def raising(attribute, how="raise ValueError('odd')"):
    """Return a property that raises."""
    return f"@property\n    def {attribute}(self): {how}"


@pytest.mark.parametrize(
    "attribute", ["formula", "range", "source", "better", "family", "interval"]
)
@pytest.mark.parametrize("how", ["raise ValueError('odd')", "sys.exit('odd')"])
def test_a_metric_whose_property_raises_is_refused_before_learning(run, attribute, how):
    plugin = METRIC.format(base="AdditiveMetric", body=raising(attribute, how) + COUNTING)
    done = run(plugin, systems="[char]", metrics="[fertility, mine]")
    assert done.code == 3
    assert "the metric 'mine' failed on these options: " in done.err
    assert ": odd (bad.py:10)" in done.err
    assert not list(done.folder.iterdir())


def test_a_property_of_a_metric_may_depend_on_its_options(run):
    ends = "highest: float = 9\n    @property\n    def range(self): return (0, self.highest)"
    plugin = METRIC.format(base="AdditiveMetric", body=ends + COUNTING)
    done = run(plugin, systems="[char]", metrics="[fertility, mine]")
    assert (done.code, len(done.values("char", "mine"))) == (0, 1)
    (mine,) = (m for m in Run.load(done.folder).record.metrics if m.name == "mine")
    assert mine.range == (0, 9)
    done = run(plugin, systems="[char]", metrics="[fertility, {use: mine, highest: -1}]")
    assert done.code == 3
    assert "the metric 'mine' declares `range`: found (0, -1.0), expected two numbers" in done.err


PROPERTIES = {
    "learner": ["reads", "sized", "prefix_closed", "order_free", "deterministic"],
    "segmenter": ["fixed_cuts"],
    "splitter": [],
    "metric": [],
}
EVERY = {
    "learner": (LEARNER, "return Vocabulary(())\n    "),
    "segmenter": (SEGMENTER, "def segment(self, word, p): return [word]\n    "),
    "splitter": (SPLITTER, "return []\n    "),
    "metric": (METRIC, COUNTING.strip().replace("\n\n", "\n") + "\n    "),
}
ASKING = {
    "learner": {},
    "segmenter": {"systems": "[char, {learner: bpe, segmenter: mine}]"},
    "splitter": {"systems": "[char, {learner: bpe, split: mine}]"},
    "metric": {"systems": "[char]", "metrics": "[fertility, mine]"},
}


def with_property(kind, text):
    """Return a plugin with one component, which has a property or a method more."""
    source, body = EVERY[kind]
    return source.format(base="AdditiveMetric", body=body + text)


@pytest.mark.parametrize(
    ("kind", "attribute"),
    [(kind, name) for kind, names in PROPERTIES.items() for name in [*names, "files", "describe"]],
)
def test_a_property_that_raises_fails_before_anything_is_learned(run, kind, attribute):
    text = "def describe(self, name): raise ValueError('odd')"
    text = text if attribute == "describe" else raising(attribute)
    done = run(with_property(kind, text), **ASKING[kind])
    assert done.code == 3
    assert f"the {kind} 'mine' failed on these options: ValueError: odd (bad.py:" in done.err
    assert len(done.err.splitlines()) == 3, "the place, its line, and a caret"
    assert not list(done.folder.iterdir())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("reads = property(lambda self: 'pages')", "`reads`: found 'pages', expected one of"),
        ("reads = property(lambda self: [])", "`reads`: found [], expected one of"),
        ("files = property(lambda self: 'a.txt')", "`files`: found 'a.txt', expected a tuple"),
        ("def describe(self, name): return 7", "`describe`: found 7, expected a text"),
    ],
)
def test_a_property_that_is_something_odd_fails_before_anything_is_learned(run, text, reason):
    done = run(with_property("learner", text))
    assert done.code == 3
    assert f"the learner 'mine' declares {reason}" in done.err
    assert not list(done.folder.iterdir())


def test_a_library_that_is_not_installed_and_not_required_costs_nothing(run):
    text = "requires_version = {'no-such-library': '1'}"
    body = "return Vocabulary((*{*''.join(words)},), segmenter={'use': 'char'})\n    "
    done = run(LEARNER.format(body=body + text))
    assert done.code == 0
    assert Run.load(done.folder).record.packages["no-such-library"] == ""
    assert len(done.values("mine")) == 1


UNUSABLE = {
    "fails to import": (
        "import no_such_module",
        "plugin bad.py is broken: ModuleNotFoundError: No module named 'no_such_module' (bad.py:4)",
    ),
    "is no Python": (
        "def tokbench_learners(:",
        "plugin bad.py is broken: SyntaxError: invalid syntax (bad.py:4)",
    ),
    "exits on import": (
        "sys.exit('no licence')",
        "plugin bad.py is broken: SystemExit: no licence (bad.py:4)",
    ),
    "misspells a hook": (
        "@hookimpl\ndef tokbench_learner():\n    return {}",
        "plugin bad.py is broken: unknown hook tokbench_learner; did you mean tokbench_learners?"
        " (bad.py:4)",
    ),
    "gives a hook an argument": (
        "@hookimpl\ndef tokbench_learners(registry):\n    return {}",
        "plugin bad.py is broken: the hook tokbench_learners is given no argument, found registry"
        " (bad.py:4)",
    ),
    "raises in a hook": (
        "@hookimpl\ndef tokbench_learners():\n    return 1 / 0",
        "plugin bad.py is broken: ZeroDivisionError: division by zero (bad.py:6)",
    ),
    "gives a list": (
        "@hookimpl\ndef tokbench_learners():\n    return ['mine']",
        "plugin bad.py is broken: tokbench_learners must give a mapping, not ['mine'] (bad.py:4)",
    ),
    "offers a number": (
        "@hookimpl\ndef tokbench_learners():\n    return {'mine': 3}",
        "plugin bad.py is broken: the learner 'mine' must be a subclass of Learner",
    ),
    "offers a class of the wrong kind": (
        "@hookimpl\ndef tokbench_learners():\n    return {'mine': Splitter}",
        "plugin bad.py is broken: the learner 'mine' must be a subclass of Learner",
    ),
    "leaves out what it must define": (
        "class Mine(Learner):\n    pass\n"
        "@hookimpl\ndef tokbench_learners():\n    return {'mine': Mine}",
        "plugin bad.py is broken: the learner 'mine' does not define learn",
    ),
    "offers something without a name": (
        "@hookimpl\ndef tokbench_learners():\n    return {None: Learner}",
        "plugin bad.py is broken: a learner's name must be a string, not None",
    ),
    "offers a metric without a range": (
        "class Mine(WholeMetric):\n    formula = 'x'\n    def measure(self, s): return 0\n"
        "@hookimpl\ndef tokbench_metrics():\n    return {'mine': Mine}",
        "plugin bad.py is broken: the metric 'mine' does not say its range",
    ),
    "offers a metric with a need that is not known": (
        METRIC.format(base="WholeMetric", body="needs = {'luck'}\n    def measure(self, s): ..."),
        "plugin bad.py is broken: the metric 'mine' declares `needs`: found {'luck'},"
        " expected a set of 'context', 'gold'",
    ),
    "offers a metric that needs lines and compares none": (
        METRIC.format(base="WholeMetric", body="needs = {'lines'}\n    def measure(self, s): ..."),
        "plugin bad.py is broken: the metric 'mine' needs `lines`: make it a ParallelMetric",
    ),
    "offers a metric of two systems that does not say so": (
        METRIC.format(
            base="SystemMetric",
            body="needs = {'context'}\n    def compare(self, s, r): ...\n"
            "    def score(self, s, v): ...",
        ),
        "plugin bad.py is broken: the SystemMetric 'mine' must need `system`",
    ),
    "offers a metric per line that resamples words": (
        METRIC.format(
            base="AdditiveMetric",
            body="per, unit = 'line', 'word'\n    def count(self, s): ...\n"
            "    def score(self, s, v): ...",
        ),
        "plugin bad.py is broken: the metric 'mine' counts per line, so its unit must be line",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", UNUSABLE)
def test_a_config_that_asks_for_a_broken_plugin_shows_why(run, case):
    plugin, reason = UNUSABLE[case]
    done = run(plugin)
    assert done.code == 3
    cause, message, *source = done.err.splitlines()
    assert cause.startswith(f"error: {reason}")
    assert message.startswith("config.yaml:3:17: systems[1]")
    assert "no plugin offers a learner 'mine'" in message
    assert len(source) == 2, "the line of the config, and a caret"
    assert not done.rows


@pytest.mark.parametrize("case", UNUSABLE)
def test_a_broken_plugin_that_nobody_asks_for_costs_nothing(run, case):
    done = run(UNUSABLE[case][0], systems="[char]")
    assert done.code == 0
    assert done.values("char")
    assert done.err.count("is broken: ") == 1


def test_a_broken_plugin_is_reported_once_where_all_metrics_are_asked_for(run):
    plugin, reason = UNUSABLE["raises in a hook"]
    done = run(plugin, systems="[char]", metrics="")
    assert done.code == 0
    told = [line for line in done.err.splitlines() if "bad.py" in line]
    assert told[0].startswith(f"warning: {reason}")
    assert told[1:] == ["warning: plugin bad.py is broken, its metrics are left out"]


@pytest.mark.parametrize("case", UNUSABLE)
def test_the_list_of_plugins_says_what_is_broken_and_why(run, case):
    plugin, reason = UNUSABLE[case]
    done = run(plugin, command="plugins")
    assert done.code == 3
    assert reason.removeprefix("plugin bad.py is broken: ") in done.err
    assert len(done.err.splitlines()) == 1
    assert {"bpe", "char", "word"} <= {row["plugin"] for row in json.loads(done.out)}


def test_a_clashing_name_is_an_error_that_names_both(run):
    clash = LEARNER.format(body="return Vocabulary(())").replace('"mine"', '"char"')
    done = run(clash, systems="[char]")
    assert done.code == 3
    assert "the learner 'char' is offered by" in done.err
    assert "char (tokbench)" in done.err
    assert "bad.py (bad.py)" in done.err
    assert not done.rows


def named(component: str, name: str = "mine") -> str:
    """Return a plugin that names where its learner is."""
    return f"@hookimpl\ndef tokbench_learners():\n    return {{'{name}': '{component}'}}\n"


def test_a_component_that_is_named_by_its_module_is_used_as_any_other(run):
    plugin = LEARNER.format(
        body="return Vocabulary((*{*''.join(words)},), segmenter={'use': 'char'})"
    )
    done = run(plugin.replace('{"mine": Mine}', '{"mine": "tokbench_file_bad:Mine"}'))
    assert "file_bad:Mine" in (done.folder.parent / "bad.py").read_text(encoding="utf-8")
    assert (done.code, done.err.count("is broken")) == (0, 0)
    assert len(done.values("mine")) == 1


NAMED = {
    "no_such_module:Mine": "ModuleNotFoundError: No module named 'no_such_module'",
    "json:Mine": "AttributeError: module 'json' has no attribute 'Mine'",
    "json:JSONDecoder": "the learner 'mine' must be a subclass of Learner (bad.py:",
    "not a module": "ValueError: invalid format: 'not a module'",
}


@pytest.mark.parametrize("component", NAMED)
def test_a_component_that_is_named_but_cannot_be_imported_breaks_its_plugin(run, component):
    done = run(named(component))
    cause, message, *_ = done.err.splitlines()
    assert (done.code, done.rows) == (3, [])
    assert cause.startswith(f"error: plugin bad.py is broken: {NAMED[component]}")
    assert message.startswith("config.yaml:3:17: systems[1]")
    assert message.endswith("the learner 'mine' cannot be imported")
    listed = run(named(component), command="plugins")
    assert (listed.code, listed.err.count(NAMED[component])) == (3, 1)
    unasked = run(named(component), systems="[char]")
    assert (unasked.code, unasked.err.count("is broken")) == (0, 0)


def test_a_clash_with_a_component_that_is_only_named_is_found_without_importing_it(run):
    done = run(named("no_such_module:Mine", "char"), systems="[char]")
    assert done.code == 3
    assert "the learner 'char' is offered by bad.py (bad.py) and char (tokbench)" in done.err


def test_a_clash_of_names_that_nobody_asks_for_costs_nothing(run):
    clash = LEARNER.format(body="return Vocabulary(())").replace('"mine"', '"bpe"')
    done = run(clash, systems="[char]")
    assert (done.code, len(done.values("char"))) == (0, 1)


def test_an_extra_that_is_not_installed_is_found_before_anything_is_learned(run):
    extra = LEARNER.format(body="raise AssertionError").replace(
        '"Learn."', "requires = 'mine[fast]'\n    requires_modules = ('no_such_module',)"
    )
    done = run(extra)
    assert done.code == 3
    assert "'mine' needs no_such_module: pip install 'mine[fast]'" in done.err
    assert not done.rows


# While it runs: exit code 1, and everybody else's results.

FAILING_LEARNERS = {
    "raises": ("raise ValueError('no idea')", "ValueError: no idea"),
    "exits": ("sys.exit('had enough')", "SystemExit: had enough"),
    "exits silently": ("sys.exit()", "SystemExit"),
    "panics": ("raise type('Panic', (BaseException,), {})('rust')", "Panic: rust"),
    "gives no vocabulary": ("return list(words)", "learn gave list, not a Vocabulary"),
    "gives nothing": ("pass", "learn gave NoneType, not a Vocabulary"),
    "gives a token twice": (
        "return Vocabulary(('a', 'a'))",
        "ValueError: token 'a' stands twice in the vocabulary",
    ),
    "names a segmenter that is not there": (
        "return Vocabulary(('a',), segmenter={'use': 'nowhere'})",
        "no plugin offers a segmenter 'nowhere'",
    ),
    "names no segmenter": ("return Vocabulary(('a',))", "its vocabulary names no segmenter: give"),
}  # fmt: skip


@pytest.mark.parametrize("case", FAILING_LEARNERS)
def test_a_failing_learner_costs_only_its_system(run, case):
    body, message = FAILING_LEARNERS[case]
    done = run(LEARNER.format(body=body))
    assert_only_mine_failed(done, message)


FAILING_SEGMENTERS = {
    "raises": ("def segment(self, word, p): raise ValueError('no idea')", "ValueError: no idea"),
    "exits": ("def segment(self, word, p): sys.exit(0)", "SystemExit: 0"),
    "panics": (
        "def segment(self, word, p): raise type('Panic', (BaseException,), {})('rust')",
        "Panic: rust",
    ),
    "drops text": (
        "def segment(self, word, p): return list(word[1:])",
        "the tokens ['h', 'e'] of 'the' do not cover it: they join to 'he'",
    ),
    "drops everything": (
        "def segment(self, word, p): return []",
        "the tokens [] of 'the' do not cover it: they join to ''",
    ),
    "covers too few bytes": (
        "def segment(self, word, p): return [(word, 1)]",
        "the tokens [('the', 1)] of 'the' do not cover it",
    ),
    "covers a negative number of bytes": (
        "def segment(self, word, p): return [(word, len(word) + 1), ('a', -1)]",
        "('a', -1) in 'the' is neither a token nor a (token, bytes) pair",
    ),
    "gives ids": (
        "def segment(self, word, p): return [7]",
        "7 in 'the' is neither a token nor a (token, bytes) pair",
    ),
    "gives nothing": ("def segment(self, word, p): pass", "it gave None for 'the', not its tokens"),
    "gives fewer words": (
        "def segment(self, word, p): return [word]\n"
        "    def segment_many(self, words, p): return [[w] for w in words][:-1]",
        "segment_many gave 6 segmentations for 7 words",
    ),
    "cannot prepare": (
        "def prepare(self, vocabulary): return vocabulary.extra['model']\n"
        "    def segment(self, word, p): return [word]",
        "KeyError: 'model'",
    ),
    "cannot decode": (
        "def segment(self, word, p): return [word]\n"
        "    def decode(self, ids, vocabulary): return ids.nothing",
        "AttributeError: ",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FAILING_SEGMENTERS)
def test_a_failing_segmenter_costs_only_its_system(run, case):
    body, message = FAILING_SEGMENTERS[case]
    systems = "[char, {name: mine, learner: bpe, segmenter: mine}]"
    done = run(SEGMENTER.format(body=body), systems=systems)
    assert_only_mine_failed(done, message)


def assert_only_mine_failed(done, message):
    assert done.code == 1
    (failed,) = (line for line in done.err.splitlines() if line.startswith("failed: "))
    assert failed.startswith("failed: system mine at size 40: ")
    assert message in failed
    assert len(done.values("char")) == 1
    assert not done.values("mine")
    record = json.loads((done.folder / "run.json").read_text(encoding="utf-8"))
    assert record["failures"] == [failed.removeprefix("failed: ")]


COUNT = "def count(self, s): return {{'tokens': {tokens}, 'words': s.tokens * 0 + 1}}\n"
SCORE = "    def score(self, sums, size): return {score}"
GOOD_COUNT = COUNT.format(tokens="s.tokens")
GOOD_SCORE = SCORE.format(score="sums['tokens'] / sums['words']")

FAILING_METRICS = {
    "raises when it counts": (
        "def count(self, s): raise ValueError('no idea')\n" + GOOD_SCORE,
        "ValueError: no idea",
    ),
    "exits when it counts": ("def count(self, s): sys.exit(2)\n" + GOOD_SCORE, "SystemExit: 2"),
    "counts NaN": (
        COUNT.format(tokens="s.tokens * float('nan')") + GOOD_SCORE,
        "it counted NaN or infinity in 'tokens'",
    ),
    "counts infinity": (
        COUNT.format(tokens="s.tokens * float('inf')") + GOOD_SCORE,
        "it counted NaN or infinity in 'tokens'",
    ),
    "counts too many rows": (
        COUNT.format(tokens="s.ids") + GOOD_SCORE,
        "it counted (26,) in 'tokens', not 7 rows",
    ),
    "counts one number": (
        COUNT.format(tokens="s.tokens.sum()") + GOOD_SCORE,
        "it counted () in 'tokens', not 7 rows",
    ),
    "counts text": (COUNT.format(tokens="s.words.text") + GOOD_SCORE, "not numbers"),
    "counts nothing": ("def count(self, s): return {}\n" + GOOD_SCORE, "it counted no columns"),
    "counts a list": ("def count(self, s): return [1]\n" + GOOD_SCORE, "it counted no columns"),
    "names a denominator that it does not count": (
        GOOD_COUNT + "    denominator = 'letters'\n" + GOOD_SCORE,
        "it counts no column 'letters' for its n",
    ),
    "raises when it scores": (GOOD_COUNT + SCORE.format(score="sums['letters']"), "KeyError"),
    "scores text": (
        GOOD_COUNT + SCORE.format(score="'many'"),
        "it scored 'many', not a number",
    ),
    "scores infinity": (
        GOOD_COUNT + SCORE.format(score="sums['words'] * 0 + float('inf')"),
        "it scored inf, which is not in its range 0 to 9",
    ),
    "divides by zero": (
        GOOD_COUNT + SCORE.format(score="sums['tokens'] / (sums['words'] * 0)"),
        "it scored inf, which is not in its range 0 to 9",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FAILING_METRICS)
def test_a_failing_metric_costs_only_itself(run, case):
    body, message = FAILING_METRICS[case]
    plugin = METRIC.format(base="AdditiveMetric", body=body)
    done = run(plugin, systems="[char]", metrics="[fertility, mine]")
    assert done.code == 1
    (failed,) = (line for line in done.err.splitlines() if line.startswith("failed: "))
    assert failed.startswith("failed: metric mine: ")
    assert message in failed
    assert len(done.values("char")) == 1
    assert not done.values("char", "mine")


VIEW = """
class Mine(View):
    "Show."
    {body}
    {method}
@hookimpl
def tokbench_views():
    return {{"mine": Mine}}
"""
TEXT = "def text(self, run, form): return '# Mine'"
FAILING_VIEWS = {
    "raises": ("file_name = 'mine.md'", "def text(self, run, form): raise ValueError('no idea')",
        "mine.md: ValueError: no idea (bad.py:8)"),
    "exits": ("file_name = 'mine.md'", "def text(self, run, form): sys.exit(7)",
        "mine.md: SystemExit: 7 (bad.py:8)"),
    "no text": ("file_name = 'mine.md'", "def text(self, run, form): return 5",
        "mine.md: `text` returned 5, expected a text"),
    "wrong option": ("model_config = {'extra': 5}", TEXT, "view mine: "),
    "raising property": ("files = property(lambda self: 1 / 0)", TEXT,
        "view mine: ZeroDivisionError: division by zero (bad.py:7)"),
}  # fmt: skip


@pytest.mark.parametrize("case", FAILING_VIEWS)
def test_a_failing_view_costs_only_itself(run, case):
    body, method, message = FAILING_VIEWS[case]
    done = run(VIEW.format(body=body, method=method), systems="[char]")
    assert done.code == 1
    (failed,) = (line for line in done.err.splitlines() if line.startswith("failed: "))
    assert failed.startswith(f"failed: {message}")
    assert len(done.values("char")) == 1
    assert {path.name for path in done.folder.glob("*.md")} == {
        "report.md",
        "metrics.md",
        "cost.md",
    }


def test_a_view_is_a_file_of_the_run_and_replaced_with_it(run):
    plugin = VIEW.format(body="file_name = 'mine.md'", method=TEXT)
    for _ in range(2):
        assert run(plugin, systems="[char]").code == 0
    done = run(plugin, systems="[char]")
    assert (done.folder / "mine.md").read_text() == "# Mine"
    # Without the view too: the seal says that the older run wrote it. One by hand is refused.
    without = run(SPLITTER.format(body="return []"), systems="[char]")
    assert without.code == 0
    assert not (done.folder / "mine.md").exists()
    (done.folder / "mine.md").touch()
    refused = run(SPLITTER.format(body="return []"), systems="[char]")
    assert refused.code == 2
    assert "out: holds mine.md, which would be lost with the older run" in refused.err


def test_a_view_cannot_take_the_file_of_another(run):
    plugin = VIEW.format(body="file_name = 'report.md'", method=TEXT).replace("mine", "a-report")
    done = run(plugin, systems="[char]")
    assert done.code == 1
    assert "failed: view report: another view has the file report.md\n" in done.err
    assert (done.folder / "report.md").read_text() == "# Mine"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("formats = 'md'", "`formats`: found 'md', expected a tuple of texts"),
        ("formats = ()", "`formats`: found (), expected a tuple of texts"),
        (
            "file_name = '../mine.md'",
            "`file_name`: found '../mine.md', expected a file name that ends in",
        ),
        (
            "file_name = 'run.json'; formats = ('json',)",
            "`file_name`: found 'run.json', expected a file",
        ),
        (
            "file_name = 'results.csv'; formats = ('csv',)",
            "`file_name`: found 'results.csv', expected a",
        ),
        (
            "file_name = 'mine.html'",
            "`file_name`: found 'mine.html', expected a file name that ends in",
        ),
        ("file_name = 5", "`file_name`: found 5, expected a file name"),
    ],
)
def test_a_view_that_declares_something_odd_is_a_broken_plugin(run, body, reason):
    done = run(VIEW.format(body=body, method=TEXT), systems="[char]")
    assert (done.code, len(done.values("char"))) == (0, 1)
    assert f"plugin bad.py is broken: the view 'mine' declares {reason}" in done.err


ANALYSIS = """
class {name}(Analysis):
    "Analyse."
    {body}
    def rows(self, used): yield {row}
@hookimpl
def tokbench_analyses():
    return {{"{offered}": {name}}}
"""
COLUMNS = "columns = {'kind': 'text', 'many': 'number'}"
FAILING_ANALYSES = {
    "columns": ("columns = {'kind': 'date'}", "{}", "mine",
        "analysis mine: the analysis 'mine' declares `columns`: found {'kind': 'date'}, expected "),
    "no columns": ("pass", "{}", "mine",
        "analysis mine: the analysis 'mine' declares `columns`: found None, expected a mapping"),
    "a column of all": ("columns = {'size': 'text'}", "{}", "mine",
        "analysis mine: the analysis 'mine' declares `columns`: found {'size': 'text'}, expected "),
    "a table of all": (COLUMNS, "{}", "results",
        "analysis results: this is the name of a table of every run"),
}  # fmt: skip


@pytest.mark.parametrize("case", FAILING_ANALYSES)
def test_a_failing_analysis_costs_only_itself(run, case):
    body, row, offered, message = FAILING_ANALYSES[case]
    plugin = ANALYSIS.format(name="Mine", body=body, row=row, offered=offered)
    done = run(plugin, systems="[char]")
    assert done.code == 1
    (failed,) = (line for line in done.err.splitlines() if line.startswith("failed: "))
    assert failed.startswith(f"failed: {message}")
    assert len(done.values("char")) == 1
    assert len(Run.load(done.folder).frame("health")) == 1


def test_cells_of_an_analysis_are_harmless(run):
    """Nothing that a spreadsheet runs, and nothing that moves a terminal's cursor."""
    row = r"{'kind': '=1+1\x1b[2J', 'many': -1}"
    done = run(
        ANALYSIS.format(name="Mine", body=COLUMNS, row=row, offered="mine"), systems="[char]"
    )
    assert done.code == 0
    frame = Run.load(done.folder).frame("mine")
    assert (frame["kind"][0], frame["many"][0]) == (r"'=1+1\x1b[2J", -1)


@pytest.mark.parametrize("score", ["sums['words'] * float('nan')", "0 / (sums['words'] * 0)"])
def test_a_metric_that_is_undefined_has_an_empty_cell(run, score):
    plugin = METRIC.format(base="AdditiveMetric", body=GOOD_COUNT + SCORE.format(score=score))
    done = run(plugin, systems="[char]", metrics="[fertility, mine]")
    assert done.code == 0
    assert done.values("char", "mine") == [""]


def test_a_whole_metric_may_be_undefined_or_fail(run):
    measure = "def measure(self, s): return {value}"
    undefined = METRIC.format(base="WholeMetric", body=measure.format(value="float('nan')"))
    done = run(undefined, systems="[char]", metrics="[fertility, mine]")
    assert (done.code, done.values("char", "mine")) == (0, [""])
    failing = METRIC.format(base="WholeMetric", body=measure.format(value="1 / 0"))
    done = run(failing, systems="[char]", metrics="[fertility, mine]")
    assert (done.code, done.values("char", "mine")) == (1, [])
    assert "failed: metric mine: ZeroDivisionError: division by zero" in done.err


FAILING_SPLITTERS = {
    "raises": ("raise ValueError('no idea')", "at 'low': ValueError: no idea (bad.py:8)"),
    "exits": ("sys.exit(3)", "SystemExit: 3"),
    "overlaps": ("return [(0, 2), (1, 3)]", "it gave (1, 3) after a word that ends at 2"),
    "leaves the text": ("return [(0, 99)]", "a word that ends at 99 in a text of"),
    "gives text": ("return text.split()", "its splitter failed at 'low': "),
    "finds empty words": ("return [(0, 0)]", "it gave (0, 0) after a word that ends at 0"),
}  # fmt: skip


@pytest.mark.parametrize("case", FAILING_SPLITTERS)
def test_a_failing_splitter_of_a_system_costs_only_that_system(run, case):
    body, message = FAILING_SPLITTERS[case]
    systems = "[char, {name: mine, learner: bpe, split: mine}]"
    done = run(SPLITTER.format(body=body), systems=systems)
    assert done.code == 1
    (failed,) = (line for line in done.err.splitlines() if line.startswith("failed: "))
    assert failed.startswith("failed: system mine: ")
    assert message in failed
    assert len(done.values("char")) == 1
    assert not done.values("mine")


@pytest.mark.parametrize("case", ["exits", "overlaps", "leaves the text", "finds empty words"])
def test_a_failing_splitter_of_a_corpus_ends_the_run_and_says_where(run, case):
    body, message = FAILING_SPLITTERS[case]
    train = "{path: train.txt, words: mine}"
    done = run(SPLITTER.format(body=body), systems="[char]", train=train)
    assert done.code == 3
    (line,) = done.err.splitlines()
    assert "train.txt:1: the splitter 'mine' failed: " in line
    assert message in line
    assert not list(done.folder.iterdir())


def test_a_segmenter_that_forgets_a_piece_of_a_split_word_costs_only_its_system(run):
    fewer = FAILING_SEGMENTERS["gives fewer words"][0]
    system = "{name: mine, learner: bpe, segmenter: mine, split: words}"
    done = run(SEGMENTER.format(body=fewer), systems=f"[char, {system}]")
    assert_only_mine_failed(done, "segment_many gave 6 segmentations for 7 words")


def test_what_looks_like_ctrl_c_costs_only_the_plugin_that_raises_it(run):
    done = run(LEARNER.format(body="raise KeyboardInterrupt"))
    assert done.code == 1
    assert "failed: system mine at size 40: KeyboardInterrupt (bad.py:8)" in done.err
    assert len(done.values("char")) == 1


ELSEWHERE = """
import os
from pathlib import Path
here = Path.cwd()
os.chdir("/")
"""


def test_a_plugin_that_goes_elsewhere_on_import_changes_no_path(run):
    body = "return Vocabulary((*{*''.join(words)},), segmenter={'use': 'char'})"
    done = run(ELSEWHERE + LEARNER.format(body=body))
    assert done.code == 0, done.err
    assert done.out.endswith(f"Report: {Path('out') / 'report.html'}\n")
    assert Run.load(done.folder).record.failures == ()
    assert len(done.values("mine")) == 1


@pytest.mark.parametrize("command", ["check", "learn", "segment"])
def test_every_command_reads_its_paths_from_where_it_began(run, monkeypatch, capsys, command):
    body = "return Vocabulary((*{*''.join(words)},), segmenter={'use': 'char'})"
    run(ELSEWHERE + LEARNER.format(body=body))  # writes the files
    Path("vocabulary.json").write_text(Vocabulary(("a",)).to_json(), encoding="utf-8")
    Path("second.py").write_text("from os import chdir; chdir('/')", encoding="utf-8")
    arguments = {
        "check": ["config.yaml"],
        "learn": ["--learner", "mine", "--size", "40", "train.txt"],
        "segment": ["--segmenter", "char", "vocabulary.json", "test.txt"],
    }
    files = ["-p", "bad.py", "-p", "second.py"]
    monkeypatch.setattr(sys, "argv", ["tokbench", command, *files, *arguments[command]])
    assert run_command() == 0, capsys.readouterr().err
    assert "bad.py is broken" not in capsys.readouterr().err


def test_a_learner_that_goes_elsewhere_when_it_is_imported_changes_no_path(run, tmp_path):
    """An installed plugin names its classes by texts, which are imported when they are used."""
    body = "return Vocabulary((*{*''.join(words)},), segmenter={'use': 'char'})"
    (tmp_path / "going_elsewhere.py").write_text(
        HEAD + ELSEWHERE + LEARNER.format(body=body), encoding="utf-8"
    )
    hook = named("going_elsewhere:Mine")
    done = run(f"sys.path.insert(0, {str(tmp_path)!r})\n{hook}")
    sys.path.remove(str(tmp_path))
    assert done.code == 0
    assert len(done.values("mine")) == 1


@pytest.mark.parametrize("attribute", ["fixed_cuts", "files"])
def test_a_vocabulary_whose_segmenter_has_a_raising_property_costs_only_its_system(run, attribute):
    body = "return Vocabulary((*{*''.join(words)},), segmenter={'use': 'mine'})"
    learner = LEARNER.format(body=body).replace("Mine", "Learning")
    done = run(learner + with_property("segmenter", raising(attribute)))
    assert_only_mine_failed(done, "ValueError: odd (bad.py:")
    assert Run.load(done.folder).record.failures


def test_a_corpus_whose_splitter_cannot_be_described_fails_before_it_is_read(run):
    plugin = with_property("splitter", raising("files"))
    done = run(plugin, systems="[char]", train="{path: train.txt, words: mine}")
    assert done.code == 3
    assert "the splitter 'mine' failed on these options: ValueError: odd (bad.py:" in done.err
    assert not list(done.folder.iterdir())


def test_a_raising_property_is_reported_where_all_metrics_are_asked_for(run):
    plugin = with_property("metric", raising("source"))
    done = run(plugin, systems="[char]", metrics="all")
    assert done.code == 3
    assert "the metric 'mine' failed on these options: ValueError: odd (bad.py:" in done.err
    assert not list(done.folder.iterdir())


PRINTING = """
import os, sys
from tokbench.api import *
def said(text):
    print(text)
    os.write(1, b"raw")
    print(text, file=sys.stderr)
    print(text, file=sys.__stdout__)
said("imported")
class Mine(Splitter):
    "Find words."
    def model_post_init(self, context):
        said("built")
    def describe(self, name):
        said("described")
        return name
    def split(self, text):
        said("cut")
        return [(0, len(text))] if text else []
@hookimpl
def tokbench_splitters():
    said("offered")
    return {"mine": Mine}
"""


@pytest.mark.parametrize(
    "command", [("learn", "train.txt", "--words", "mine", "--merges", "2"), ("plugins", "mine")]
)
def test_what_a_plugin_prints_reaches_no_stream(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "train.txt").write_text(TRAIN)
    (tmp_path / "silent.py").write_text(
        PRINTING.replace("def said(text):", "def said(text):\n    return")
    )
    (tmp_path / "silent.py").rename(tmp_path / "mine.py")
    silent = tokbench(*command, "-p", "mine.py", cwd=tmp_path)
    (tmp_path / "mine.py").write_text(PRINTING)
    done = tokbench(*command, "-p", "mine.py", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, silent.stdout, silent.stderr)
