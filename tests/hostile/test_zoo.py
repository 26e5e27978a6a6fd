"""A zoo of plugins that misbehave, in every hook: each costs only itself, in another process.

Each animal is a few lines in front of what a healthy plugin does at that place.
"""

import csv
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.hostile.zoo import HEAD, HOOKS, TEST, TRAIN, ZOO, Animal, assert_gone, indented
from tests.run_cli import tokbench
from tokbench.cli import run_command

pytestmark = pytest.mark.nightly

SYSTEMS = {
    **dict.fromkeys(("learn", "load"), "mine"),
    "split": "{name: mine, learner: bpe, split: mine}",
    **dict.fromkeys(
        ("segment", "prepare", "segment_lines", "timeline", "decode"),
        "{name: mine, learner: bpe, segmenter: mine}",
    ),
}
METRICS = {
    **dict.fromkeys(("count", "score", "measure", "rows"), "mine"),
    "compare": "{use: mine, reference: held-out}",
}
CONFIG = """
corpora: {{train: train.txt, test: {{held-out: test.txt{more}}}}}
sizes: [40]
systems: [char, bpe{system}]
metrics: [fertility{metric}]
resamples: 20
limits: {limits}
"""


@dataclass(frozen=True)
class Ran:
    """The exit code of a run, what it said, the rows that it wrote, and the plugin's processes."""

    code: int
    out: str
    err: str
    rows: list[dict[str, str]]
    pids: list[int]


def write_corpora(folder: Path) -> None:
    for name, text in {"train": TRAIN, "test": TEST, "other": TEST.swapcase()}.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")


def config_with(system: str, metric: str, animal: Animal) -> str:
    more = ", other: other.txt" if "reference" in metric else ""
    limits = animal.limits.model_dump_json(by_alias=True)
    return CONFIG.format(more=more, system=system, metric=metric, limits=limits)


def results_of(folder: Path) -> list[dict[str, str]]:
    path = folder / "results.csv"
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


@pytest.fixture(scope="module")
def healthy(tmp_path_factory):
    """The rows of a run without the zoo; they are the same beside each animal."""
    folder = tmp_path_factory.mktemp("healthy")
    write_corpora(folder)
    (folder / "config.yaml").write_text(config_with("", "", ZOO["raises"]), encoding="utf-8")
    assert tokbench("run", "-o", "out", "config.yaml", cwd=folder).returncode == 0
    return results_of(folder / "out")


@pytest.fixture
def run_zoo(tmp_path, monkeypatch, capsys):
    """Run a config with a plugin file through the real command line."""
    write_corpora(tmp_path)
    monkeypatch.chdir(tmp_path)
    pids = tmp_path / "pids"

    def run(plugin, system, metric, animal):
        pids.unlink(missing_ok=True)
        Path("zoo.py").write_text(HEAD.format(pids=str(pids)) + plugin, encoding="utf-8")
        Path("config.yaml").write_text(config_with(system, metric, animal), encoding="utf-8")
        command = ["tokbench", "run", "-o", "out", "-p", "zoo.py", "config.yaml"]
        monkeypatch.setattr(sys, "argv", command)
        code = run_command()
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        rows = results_of(Path("out")) if code in (0, 1) else []
        found = pids.read_text().split() if pids.exists() else []
        return Ran(code, out, err, rows, [*map(int, found)])

    return run


CI = {("learn", "exits"), ("segment", "crashes"), ("learn", "loops")}
NO_HARM = {("prepare", "answers without end"), ("prepare", "answers at random")}
"""What is prepared may be anything; nobody looks at it but the segmenter."""

CASES = [
    pytest.param(hook, animal, marks=[pytest.mark.ci] if (hook, animal) in CI else [])
    for hook in HOOKS
    for animal in ZOO
    if (hook, animal) not in NO_HARM
]
AT_RANDOM = {
    "learn": "learn gave bytes, not a Vocabulary",
    "load": "learn gave bytes, not a Vocabulary",
    "segment": "is neither a token nor a (token, bytes) pair",
    "segment_lines": "segment_lines gave bytes, not LineTokens",
    "timeline": "its timeline is bytes, not Timeline",
    "decode": "decode gave b",
    "split": "TypeError: cannot unpack non-iterable int object",
    "count": "it counted no columns",
    "score": "it scored b",
    "measure": "it scored b",
    "compare": "it counted no columns",
    "rows": "a row holds ",
    "analyse": "a row holds ",
}
CHANGED_INPUT = {
    "learn": Animal("words.clear(); words['newest'] = 7", "has no attribute 'clear'"),
    "segment_lines": Animal("lines[:] = [*map(str.upper, lines)]", "not support item assignment"),
    "timeline": Animal("words[:] = words[::-1]", "not support item assignment"),
    "decode": Animal("ids[:] = ids[:1]"),
    "count": Animal("segmentation.count[:] = 0", "read-only"),
    "score": Animal("for name in sums: sums[name] *= 2"),
    "measure": Animal("segmentation.ids[:] = 0", "read-only"),
    "compare": Animal("reference.ids[:] = 0", "read-only"),
}
WRONG_ANSWERS = {
    "learn": Animal("return Vocabulary((), segmenter={'use': 'char'})"),
    "segment": Animal("return ['', word, '']"),
    "segment_lines": Animal("return LineTokens.from_lengths([0], [], [])", "does not fit"),
    "decode": Animal("return ''"),
    "split": Animal("return [(0, 0)]", "it gave (0, 0) after a word that ends at 0"),
    "count": Animal("return {'tokens': [float('nan')], 'words': [0]}", "not 7 rows"),
    "score": Animal("return float('inf')", "not in its range"),
    "compare": Animal("return {'ours': [1], 'theirs': [1]}", "not 3 rows"),
    "rows": Animal("return [{}]", "a row holds {}"),
    "analyse": Animal("return [{}]", "a row holds {}"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize(("hook", "animal"), CASES)
def test_an_animal_costs_only_itself(run_zoo, healthy, hook, animal):
    one = ZOO[animal]
    if animal == "answers at random":
        one = replace(one, failure=AT_RANDOM[hook])
    check(run_zoo, healthy, hook, one)


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize("hook", CHANGED_INPUT)
def test_what_is_given_may_be_changed(run_zoo, healthy, hook):
    """It is a copy, or cannot be written."""
    check(run_zoo, healthy, hook, CHANGED_INPUT[hook])


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize("hook", WRONG_ANSWERS)
def test_answers_of_the_right_type_that_are_wrong(run_zoo, healthy, hook):
    check(run_zoo, healthy, hook, WRONG_ANSWERS[hook])


def check(run_zoo, healthy, hook, one):
    """Run a plugin, and see that what it does is told, and that nothing else is any different."""
    plugin = HOOKS[hook].format(lines=indented(one.lines))
    system = f", {SYSTEMS[hook]}" if hook in SYSTEMS else ""
    metric = f", {METRICS[hook]}" if hook in METRICS else ""
    done = run_zoo(plugin, system, metric, one)
    failed = [line for line in done.err.splitlines() if line.startswith("failed: ")]
    assert done.code == (1 if one.failure else 0), done.err
    assert bool(failed) == bool(one.failure), failed
    who = {"analyse": "analysis mine"}.get(hook, "mine")
    assert all(who in line and one.failure in line for line in failed), failed
    if hook in SYSTEMS:
        statuses = [row["status"] for row in done.rows if row["system"] == "mine"]
        assert statuses
        expected = one.failure or "ok"
        assert all(expected in status for status in statuses), statuses
    # Holm's correction counts the comparisons of all systems, so it alone may differ.
    compared = [
        {name: value for name, value in row.items() if name != "p-holm"}
        for row in done.rows
        if (row["system"] != "mine" and row["corpus"] != "other")
        and row["metric"].partition("(")[0] != "mine"
    ]
    assert compared == [{k: v for k, v in row.items() if k != "p-holm"} for row in healthy]
    assert not [name for name in os.listdir() if name.startswith(".tokbench-")]
    assert_gone(done.pids)
