"""`tokbench doctor` says what is missing, and `tokbench new-plugin` writes a package that works."""

import csv
import io
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import tokbench as package
from tests.cli.low import describe_package
from tests.run_cli import tokbench
from tests.run_cli import tokbench_here as here


def findings(**environment: str) -> dict[tuple[str, str], tuple[str, str]]:
    done = here("doctor", "--format", "csv", **environment)
    assert (done.returncode, done.stderr) == (0, "")
    rows = csv.DictReader(io.StringIO(done.stdout))
    return {(row["what"], row["name"]): (row["found"], row["advice"]) for row in rows}


def test_doctor_shows_versions_engine_extras_models_corpora_and_cache(
    tmp_path: Path, own_cache: Path
) -> None:
    states = findings(
        TOKBENCH_ENGINE="auto",
        TOKBENCH_MODELS="",
        TOKBENCH_CORPORA=str(tmp_path),
        XDG_CACHE_HOME=str(tmp_path),
    )
    assert states["version", "tokbench"] == (package.__version__, "")
    assert states["version", "python"][0] == ".".join(map(str, sys.version_info[:3]))
    assert states["engine", "tokbench_bpe._learn"] == ("compiled", "")
    assert states["extra", "tokenizers"][0]
    assert states["models", "$TOKBENCH_MODELS"] == ("not set", "")
    assert states["models", "o200k"] == ("missing", "tokbench models get o200k")
    assert states["corpora", "shakespeare"] == ("missing", "tokbench corpora get shakespeare")
    cache = ("0.0 MB", "`rm -r` of the folder empties it")
    assert states["cache", str(own_cache)] == cache


def test_doctor_finds_models_and_corpora(shared: Path, tmp_path: Path) -> None:
    source = shared / "shakespeare" / "pg100_2018-06-14.txt.gz"
    (tmp_path / source.name).symlink_to(source)
    states = findings(TOKBENCH_MODELS=str(shared / "tokenizers"), TOKBENCH_CORPORA=str(tmp_path))
    assert states["models", "gpt2"][0].count("gpt2/") == 2
    assert states["models", "xlnet"][0].endswith("/xlnet-sp-unigram/spiece.model")
    assert states["corpora", "shakespeare"] == (str(tmp_path / source.name), "")


def test_doctor_says_why_the_engine_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "tokbench_bpe._learn"
    reason = "TOKBENCH_ENGINE=python asks for it"
    assert findings(TOKBENCH_ENGINE="python")["engine", name] == ("python", reason)
    monkeypatch.setitem(sys.modules, name, None)
    engine, advice = findings(TOKBENCH_ENGINE="auto")["engine", name]
    assert engine.startswith("python: import of tokbench_bpe._learn halted")
    assert "install" in advice


@pytest.mark.nightly
def test_a_new_package_keeps_all_promises_and_runs(tmp_path: Path) -> None:
    kinds = "learner,segmenter,metric,splitter,view,format"
    done = here("new-plugin", "my-ending", "--with", kinds, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "tokbench-my-ending"
    assert "tokbench run example.yaml" in done.stdout
    shutil.copytree(folder / "tokbench_my_ending", tmp_path / "site" / "tokbench_my_ending")
    entry = "[tokbench]\nmy-ending = tokbench_my_ending\n"
    describe_package(tmp_path / "site", "tokbench-my-ending", entry)
    path = str(tmp_path / "site")
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=folder, env={"PYTHONPATH": path, "PATH": "/usr/bin:/bin"}, capture_output=True,
        encoding="utf-8", check=False,
    )  # fmt: skip
    assert tested.returncode == 0, tested.stdout
    assert " passed" in tested.stdout
    ran = tokbench("run", "example.yaml", "-o", "out", cwd=folder, PYTHONPATH=path)
    assert ran.returncode == 0, ran.stderr
    shown = tokbench("explain", "out", "standing", "--system", "my-ending", "--size", "40",
                     cwd=folder, PYTHONPATH=path)  # fmt: skip
    assert "standing (my-ending@merges:40): s t a n d ing" in shown.stdout
    for name in ("data/my-ending.md", "report.md", "report.html"):
        assert "| my-ending | " in (folder / "out" / name).read_text()
    rows = [*csv.DictReader((folder / "out" / "results.csv").open())]
    unseen = {r["system"]: r for r in rows if (r["subset"], r["size"]) == ("unseen", "merges:40")
              and r["metric"] == "fertility"}  # fmt: skip
    assert float(unseen["bpe"]["value"]) < float(unseen["my-ending"]["value"])
    assert all(row["low"] for row in unseen.values()), "enough lines for intervals"
    again = tokbench("new-plugin", "my-ending", cwd=tmp_path, PYTHONPATH=path)
    assert again.returncode == 2
    assert "choose another name: tokbench-my-ending offers a learner of this name" in again.stderr


def test_a_new_package_has_the_kinds_that_are_asked_for(tmp_path: Path) -> None:
    done = here("new-plugin", "mine", "--with", "metric, segmenter", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "tokbench-mine"
    modules = {path.name for path in (folder / "tokbench_mine").iterdir()}
    assert modules == {"__init__.py", "metric.py", "py.typed", "segmenter.py"}
    config = yaml.safe_load((folder / "example.yaml").read_text())
    assert config["systems"] == [{"learner": "char", "segmenter": "mine"}, "bpe", "char"]
    assert config["metrics"][-1] == "mine"
    texts = [path.read_text() for path in folder.rglob("*") if path.is_file()]
    assert not re.search("@[A-Z]+@", "".join(texts))


@pytest.mark.parametrize("name", ["My", "-a", "a--b", "1a", "a/b", "x" * 51])
def test_a_name_that_no_package_can_have_is_refused(tmp_path: Path, name: str) -> None:
    done = here("new-plugin", "--", name, cwd=tmp_path)
    assert done.returncode == 2
    assert not [*tmp_path.iterdir()]


def test_doctor_finds_two_plugins_that_offer_the_same_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "from tokbench_char import CharLearner\nfrom tokbench.api import hookimpl\n"
        "tokbench_learners = hookimpl(lambda: {'bpe': CharLearner})\n"
    )
    (tmp_path / "second_bpe.py").write_text(code)
    describe_package(tmp_path, "second_bpe", "[tokbench]\nsecond_bpe = second_bpe\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert findings()["clash", "bpe"] == (
        "the learner 'bpe' is offered by bpe (tokbench) and second_bpe (second_bpe)",
        "remove one of them",
    )


def test_doctor_tells_what_is_missing_from_what_is_too_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = """
from tokbench_char import CharLearner
from tokbench.api import hookimpl
class Old(CharLearner):
    "Old."
    requires = "tokbench[old]"
    requires_version = {"very_old": "2.5"}
class Missing(CharLearner):
    "Missing."
    requires = "tokbench[gone]"
    requires_version = {"not-there": "1"}
tokbench_learners = hookimpl(lambda: {"old": Old, "gone": Missing})
"""
    (tmp_path / "very_old.py").write_text(code)
    describe_package(tmp_path, "very_old", "[tokbench]\nvery_old = very_old\n", version="2.4")
    monkeypatch.syspath_prepend(tmp_path)
    states = findings()
    old = ("too old: very_old 2.5 or newer, found 2.4", "pip install --upgrade 'tokbench[old]'")
    assert states["extra", "very_old"] == old
    assert states["extra", "not-there"] == ("missing", "pip install 'tokbench[gone]'")
