"""`tokbench check` finds sizes below the alphabet before anything is learned."""

from pathlib import Path

from tests.conftest import ROOT
from tests.run_cli import tokbench_here as tokbench

CONFIG = """
corpora: {{train: {corpora}/korean.train.txt, test: {corpora}/korean.test.txt}}
sizes: [500, 4000]
systems: [bpe, {{name: bare, learner: {{use: bpe, eow: absent}}}}, wordpiece, unigram, char, word]
metrics: [fertility]
"""


def test_a_size_below_the_alphabet_is_said_with_what_helps(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(CONFIG.format(corpora=ROOT / "corpora"))
    done = tokbench("check", "c.yaml", cwd=tmp_path)
    assert done.returncode == 0
    warnings = [line for line in done.stderr.splitlines() if "below the alphabet" in line]
    letters = len(set((ROOT / "corpora" / "korean.train.txt").read_text("utf-8")) - set(" \n"))
    assert warnings[0] == (
        f"warning: system bpe: left out: size 500 is below the alphabet of {2 * letters} symbols: "
        f"each of the {letters} letters stands in it 2 times, with and without the mark of a word's"
        " edge; `alphabet: {forms: seen}` keeps those that occur, `alphabet: {coverage: 0.999}` "
        "leaves out the rarest letters"
    )
    assert warnings[1].startswith(
        f"warning: system bare: left out: size 500 is below the alphabet of {letters} symbols, for "
    )
    assert [line.split()[2] for line in warnings] == ["bpe:", "bare:", "wordpiece:", "unigram:"]
    ran = tokbench("run", "-q", "c.yaml", "-o", "out", cwd=tmp_path)
    assert ran.returncode == 0
    for line in warnings:
        assert f"{line.split(': ')[1]} at size 500: left out: " in ran.stderr
