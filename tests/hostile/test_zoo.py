"""A zoo of plugins that misbehave, in every hook: each costs only itself, in another process.

Each animal is a few lines in front of what a healthy plugin does at that place.
"""

import csv
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.hostile.zoo import HEAD, HOOKS, LIMITS, TEST, TRAIN, ZOO, Animal, assert_gone, indented
from tokbench.cli import run_command

SYSTEMS = {
    "learn": "mine",
    "load": "mine",
    "split": "{name: mine, learner: bpe, split: mine}",
    **dict.fromkeys(
        ("segment", "prepare", "segment_lines", "timeline", "decode"),
        "{name: mine, learner: bpe, segmenter: mine}",
    ),
}
CONFIG = """
corpora: {{train: train.txt, test: {{held-out: test.txt}}}}
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


def results_of(folder: Path) -> list[dict[str, str]]:
    path = folder / "results.csv"
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


@pytest.fixture
def healthy(run_zoo):
    """The rows of a run without the zoo."""
    return run_zoo("", "", "").rows


@pytest.fixture
def run_zoo(tmp_path, monkeypatch, capsys):
    """Run a config with a plugin file through the real command line."""
    (tmp_path / "train.txt").write_text(TRAIN, encoding="utf-8")
    (tmp_path / "test.txt").write_text(TEST, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    pids = tmp_path / "pids"

    def run(plugin, system, metric, command=("run", "-o", "out")):
        pids.unlink(missing_ok=True)
        Path("zoo.py").write_text(HEAD.format(pids=str(pids)) + plugin, encoding="utf-8")
        config = CONFIG.format(system=system, metric=metric, limits=LIMITS)
        Path("config.yaml").write_text(config, encoding="utf-8")
        files = ["-p", "zoo.py"] if plugin else []
        config = [] if command[0] == "plugins" else ["config.yaml"]
        monkeypatch.setattr(sys, "argv", ["tokbench", *command, *files, *config])
        code = run_command()
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        rows = results_of(Path("out")) if code in (0, 1) and command[0] == "run" else []
        found = pids.read_text().split() if pids.exists() else []
        return Ran(code, out, err, rows, [*map(int, found)])

    return run


OF_METRICS = ("count", "score", "measure")
QUICK = {("learn", animal) for animal in ZOO} | {("segment", "crashes"), ("count", "ends at once")}
NO_HARM = {("prepare", "answers without end"), ("prepare", "answers at random")}
"""What is prepared may be anything; nobody looks at it but the segmenter."""

CASES = [
    pytest.param(hook, animal, marks=[] if (hook, animal) in QUICK else pytest.mark.slow)
    for hook in HOOKS
    for animal in ZOO
    if (hook, animal) not in NO_HARM
]
CHANGED_INPUT = {
    "learn": Animal("words.clear(); words['newest'] = 7"),
    "segment_lines": Animal("lines[:] = [*map(str.upper, lines)]"),
    "timeline": Animal("words[:] = words[::-1]"),
    "decode": Animal("ids[:] = ids[:1]"),
    "count": Animal("segmentation.count[:] = 0", "failed"),
    "score": Animal("for name in sums: sums[name] *= 2"),
    "measure": Animal("segmentation.ids[:] = 0", "failed"),
}
WRONG_ANSWERS = {
    "learn": Animal("return Vocabulary((), segmenter={'use': 'char'})"),
    "segment": Animal("return ['', word, '']"),
    "segment_lines": Animal("return LineTokens.from_lengths([0], [], [])", "does not fit"),
    "decode": Animal("return ''"),
    "split": Animal("return [(0, 0)]", "failed"),
    "count": Animal("return {'tokens': [float('nan')], 'words': [0]}", "failed"),
    "score": Animal("return float('inf')"),
    "analyse": Animal("return [{}]", "failed"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize(("hook", "animal"), CASES)
def test_an_animal_costs_only_itself(run_zoo, healthy, hook, animal):
    check(run_zoo, healthy, hook, ZOO[animal])


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
    done = run_zoo(plugin, system, ", mine" if hook in OF_METRICS else "")
    failed = [line for line in done.err.splitlines() if line.startswith("failed: ")]
    if one.failure or failed:
        assert done.code == 1
        assert any(one.failure in line for line in failed), failed
        who = {"analyse": "analysis mine"}.get(hook, "mine")
        assert all(who in line for line in failed)
    else:
        assert done.code == 0, done.err
    statuses = {row["status"] for row in done.rows if row["system"] == "mine"}
    if hook in SYSTEMS and failed:
        assert all(one.failure in status for status in statuses - {""}), statuses
    compared = [row for row in done.rows if row["system"] != "mine" and row["metric"] != "mine"]
    kept = ("system", "metric", "size", "subset", "value", "low", "high", "difference")
    assert [[row[k] for k in kept] for row in compared] == [
        [row[k] for k in kept] for row in healthy
    ]
    assert not [name for name in os.listdir() if name.startswith(".tokbench-")]
    assert_gone(done.pids)
