"""`tokbench suite`: one line for a tokenizer on frozen texts, which is measured again."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
from tokbench_commands.suite import read_suites

from tests.conftest import ROOT
from tests.run_cli import tokbench_here as tokbench
from tokbench.commands import find_corpus, text_digest

FROZEN = {
    "en-1 v1": "149c2c486001a3285f556004012bf72ffb91a1282e090a2b31eedc277f6eb039",
    "ko-1 v1": "32ec35fa9b88adf8f394fdd866b582caf52bcb85dfea6380a558547cc6218c89",
    "multi-1 v1": "84a33af138f2c92cce37343784de69f93cf898d26ed66b75301fee4cacedf174",
}
"""The digests of configs and texts. One that changes needs a suite of a new version."""
VOCABULARY = ROOT / "tests" / "data" / "vocabulary.json"


def test_suites_are_frozen() -> None:
    digests = {}
    for suite, config in read_suites().items():
        texts = [corpus["catalog"] for corpus in config["corpora"]["test"].values()]
        parts = [json.dumps(config), *(text_digest(find_corpus(text)) for text in texts)]
        digests[suite] = sha256("\n".join(parts).encode()).hexdigest()
    assert digests == FROZEN


def test_a_line_is_measured_again(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_bytes(VOCABULARY.read_bytes())
    done = tokbench("suite", "en-1", "utf8-bytes", "mine.json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    line, mine = done.stdout.splitlines()
    assert line.startswith("en-1 v1: utf8-bytes sha:")
    assert ", 256 entries, " in line
    assert ", 1.000 per byte, cannot write 0 % | tokbench " in line, "each byte is a token"
    digest = sha256(VOCABULARY.read_bytes()).hexdigest()
    assert mine.startswith(f"en-1 v1: mine.json sha:{digest[:6]}, 30 entries, ")
    done = tokbench("suite", "--check", mine, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"equal: {mine}\n")
    (tmp_path / "mine.json").rename(tmp_path / "other.json")
    done = tokbench("suite", "--check", mine.replace(" 30 ", " 31 "), "other.json", cwd=tmp_path)
    assert done.returncode == 5
    assert done.stdout.splitlines() == [
        "then 31 entries, now 30 entries",
        f"different: {mine.replace('mine', 'other')}",
    ]


def test_several_texts_stand_in_one_line() -> None:
    done = tokbench("suite", "multi-1", "utf8-bytes")
    assert done.returncode == 0, done.stderr
    sizes = [(ROOT / "corpora" / f"parallel.{name}.txt").stat().st_size for name in ("en", "ko")]
    assert ", english 3.938 tokens per word, 1.000 per byte, " in done.stdout
    assert ", korean 7.556 tokens per word, 1.000 per byte, " in done.stdout
    times = float(done.stdout.partition(" times the tokens of english")[0].rpartition(" ")[2])
    assert times == pytest.approx(sizes[1] / sizes[0], rel=0.02), "but for line ends and spaces"
