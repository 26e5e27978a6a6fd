"""The examples of `docs/how-to/plugin.md`: shown as they are tested, and every promise kept."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from tokenizers import Tokenizer

from tests.conftest import ROOT
from tests.run_cli import tokbench_here as tokbench
from tokbench.testing import promises

EXAMPLES = ROOT / "tests" / "data" / "howto"
TOKENIZER = ROOT / "tests" / "data" / "hf" / "tokenizer.json"


@pytest.mark.parametrize("name", ["superword", "wrapped"])
def test_the_page_shows_the_tested_file(name: str) -> None:
    text = (EXAMPLES / f"{name}.py").read_text("utf-8")
    assert len(text.splitlines()) <= 60
    assert f"```python\n{text}```" in (ROOT / "docs" / "how-to" / "plugin.md").read_text("utf-8")


@pytest.mark.ci
@pytest.mark.parametrize(
    ("name", "variants"),
    [
        ("superword", {"learner superword": [{"inside": 0}, {"inside": 1}]}),
        ("wrapped", {"learner wrapped": [{"path": str(TOKENIZER)}]}),
    ],
)
def test_the_examples_keep_all_promises(name: str, variants: dict[str, Any]) -> None:
    checks = promises(files=[EXAMPLES / f"{name}.py"], variants=variants)
    assert len(checks) > 15
    for promise in checks:
        promise.check()


def test_superwords_cross_spaces_only_where_they_may(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("of the most of the least of the best\n" * 20)
    command = ("learn", tmp_path / "t.txt", "--learner", "superword", "--merges", "10", "-p",
               EXAMPLES / "superword.py")  # fmt: skip
    tokens = {}
    for inside in ("1", "0.3"):
        done = tokbench(*command, "-O", f"inside={inside}")
        assert done.returncode == 0, done.stderr
        tokens[inside] = yaml.safe_load(done.stdout)["tokens"]
    assert not [token for token in tokens["1"] if " " in token[1:]]
    assert [token for token in tokens["0.3"] if " " in token[1:]]


def test_the_wrapped_library_gives_its_own_ids() -> None:
    library = Tokenizer.from_file(str(TOKENIZER))
    lines = (ROOT / "corpora" / "english.test.txt").read_text("utf-8").splitlines()[:50]
    done = tokbench("segment", "wrapped", "--ids", "-O", f"path={TOKENIZER}", "-p",
                    EXAMPLES / "wrapped.py", stdin="\n".join(lines).encode())  # fmt: skip
    assert done.returncode == 0, done.stderr
    for line, ids in zip(lines, done.stdout.splitlines(), strict=True):
        assert [int(i) for i in ids.split()] == library.encode(line, add_special_tokens=False).ids


def steps_of_the_workflow() -> list[str]:
    workflow = yaml.safe_load((ROOT / "docs" / "how-to" / "ci.yml").read_text("utf-8"))
    return [step["run"] for step in workflow["jobs"]["compare"]["steps"] if "run" in step]


@pytest.mark.ci
def test_the_workflow_shows_tables_and_assertions(tmp_path: Path) -> None:
    """The steps after the installation run in a shell, as a runner of GitHub Actions does."""
    install, *steps = steps_of_the_workflow()
    assert install == "pip install ./tokbench"
    for name, eow in {"base": "absent", "head": "fused"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "tokbench.yaml").write_text(
            f"corpora: {{train: {ROOT}/corpora/english.train.txt,"
            f" test: {{held-out: {ROOT}/corpora/english.test.txt}}}}\n"
            f"sizes: [300]\nsystems: [{{name: bpe, learner: {{use: bpe, eow: {eow}}}}}]\n"
            "metrics: [fertility, oov-words-running]\n"
        )
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    done = [
        subprocess.run(
            ["bash", "-e", "-c", step],
            cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", check=False,
        )
        for step in steps
    ]  # fmt: skip
    assert [step.returncode for step in done] == [0, 0, 5], done
    summary = (tmp_path / "summary.md").read_text("utf-8")
    assert "Numbers" in summary
    for text in (summary, done[-1].stdout):
        assert "assertion does not hold: fertility[held-out] <= 2 % significantly" in text
        assert "assertion holds: oov-words-running[held-out] <= 0" in text
