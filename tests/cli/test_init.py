"""`tokbench init`: a config that runs as it is written."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT
from tests.run_cli import Done
from tests.run_cli import tokbench_here as tokbench

pytestmark = pytest.mark.ci

ENGLISH = ROOT / "corpora" / "english.train.txt"
BYTES = {"name": "bytes", "learner": {"use": "byte-bpe", "read": "lines"}}


def init(folder: Path, *arguments: str | Path, name: str = "tokbench.yaml") -> dict[str, Any]:
    """Write a config, check it, and return what it says."""
    done = tokbench("init", *arguments, cwd=folder)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    checked = tokbench("check", name, cwd=folder)
    assert checked.returncode == 0, checked.stderr
    config: dict[str, Any] = yaml.safe_load((folder / name).read_text("utf-8"))
    return config


def run_with_one_metric(folder: Path, name: str = "tokbench.yaml") -> Done:
    """Run a config, which must succeed; one metric is enough to see what is left out."""
    with (folder / name).open("a", encoding="utf-8") as config:
        config.write("metrics: [fertility]\nresamples: 100\n")
    done = tokbench("run", name, "-o", "out", cwd=folder)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "t.txt"
    path.write_text("low lower\n" * 30)
    return path


def test_a_text_alone_holds_out_a_tenth_of_its_lines(tmp_path: Path) -> None:
    """Its sizes go on while a doubled vocabulary saves tokens; words are too few for the last."""
    (tmp_path / "mine.txt").write_text(ENGLISH.read_text("utf-8"), "utf-8")
    config = init(tmp_path, "mine.txt")
    assert "too few for intervals" not in (tmp_path / "tokbench.yaml").read_text("utf-8")
    assert config == {
        "corpora": {
            "train": "mine.txt",
            "test": {"held-out": {"split": 0.1, "of": "train", "by": "line"}},
        },
        "sizes": [500, 1000, 2000, 4000, 8000],
        "systems": [
            "bpe",
            "byte-bpe",
            "unigram",
            "char",
            {"name": "word", "learner": "word", "sizes": [500, 1000, 2000, 4000]},
            BYTES,
        ],
    }


def test_of_several_texts_the_last_is_scored_unless_another_is_named(
    tmp_path: Path, text: Path
) -> None:
    (tmp_path / "b.txt").write_text("newest widest\n" * 30)
    (tmp_path / "c.txt").write_text("low widest\n" * 30)
    corpora = {"train": ["t.txt", "b.txt"], "test": {"held-out": "c.txt"}}
    sizes = ("--size", "400", "--size", "300")
    for name, texts in (("d", "t.txt b.txt c.txt"), ("e", "--test c.txt t.txt b.txt")):
        config = init(tmp_path, *texts.split(), *sizes, "-o", f"{name}.yaml", name=f"{name}.yaml")
        assert (config["corpora"], config["sizes"]) == (corpora, [300, 400])


def test_run_writes_the_config_of_texts_and_runs_it(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("low lower lowest\n" * 30)
    (tmp_path / "b.txt").write_text("newest low\n" * 30)
    (tmp_path / "c.txt").write_text("wider\n" * 30)
    arguments = ("c.txt", "t.txt", "b.txt", "--size", "300", "--size", "280")
    done = tokbench("run", *arguments, "-o", "out", cwd=tmp_path)
    assert (done.returncode, "Report: out/report.html" in done.stdout) == (0, True), done.stderr
    assert "config: tokbench.yaml (`tokbench run tokbench.yaml` runs it again)" in done.stderr
    scored = "note: b.txt alone is scored, the 2 others are learned from; --test scores another\n"
    assert scored in done.stderr
    init(tmp_path, *arguments, "-o", "same.yaml", name="same.yaml")
    written = (tmp_path / "tokbench.yaml").read_bytes()
    assert written == (tmp_path / "same.yaml").read_bytes()
    (tmp_path / "tokbench.yaml").write_bytes(written + b"resamples: 100\n")
    done = tokbench("run", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stderr[:30]) == (2, "error: tokbench.yaml: already ")
    assert (tmp_path / "tokbench.yaml").read_bytes() == written + b"resamples: 100\n"


def test_the_morphemes_of_a_treebank_are_one_comment_away(tmp_path: Path) -> None:
    rows = "".join(
        f"# text = walked{i}\n1\twalked{i}\twalk+ed{i}\t_\t_\t_\t0\t_\t_\t_\n\n" for i in range(40)
    )
    (tmp_path / "t.conllu").write_text(rows)
    init(tmp_path, "t.conllu", "--size", "300")
    config = tmp_path / "tokbench.yaml"
    config.write_text(config.read_text("utf-8").replace("# gold:", "gold:"), "utf-8")
    done = tokbench("check", "tokbench.yaml", cwd=tmp_path)
    assert (done.returncode, "treebank" in done.stdout) == (0, True), done.stderr


@pytest.mark.parametrize(
    ("distinct", "key", "sizes"),
    [
        (6_000, "sizes", [500, 1000, 2000]),
        (1, "merges", [1]),
    ],
)
def test_few_sizes_where_more_save_nothing_and_merges_where_none_fits(
    tmp_path: Path, distinct: int, key: str, sizes: list[int]
) -> None:
    words = [f"{'abcdefghij'[i % 10]}{i:x}" for i in range(distinct)]
    (tmp_path / "t.txt").write_text("\n".join(words))
    (tmp_path / "test.txt").write_text("a1 b2\n")
    assert init(tmp_path, "t.txt", "test.txt")[key] == sizes


def test_fewer_than_three_sizes_become_merges(tmp_path: Path) -> None:
    """A table of one size says nothing about size; no size is below the 256 bytes."""
    words = [f"low{'abcdefghij'[i % 10]}{i:x}" for i in range(300)]
    (tmp_path / "t.txt").write_text("\n".join(words))
    config = init(tmp_path, "t.txt")
    assert "sizes" not in config
    assert len(config["merges"]) == 3
    written = (tmp_path / "tokbench.yaml").read_text("utf-8")
    assert "# Fewer than 3 usual vocabulary sizes fit 270 distinct words and an" in written
    assert "bytes: left out" not in run_with_one_metric(tmp_path).stderr
    assert "\nbytes," in (tmp_path / "out" / "results.csv").read_text("utf-8")


@pytest.mark.parametrize(("unknown", "order"), [(1, ["bpe", "byte-bpe"]), (2, ["byte-bpe", "bpe"])])
def test_characters_that_only_the_test_has_ask_for_bytes(
    tmp_path: Path, unknown: int, order: list[str]
) -> None:
    """Else the gate would hold back all systems but those on bytes."""
    (tmp_path / "t.txt").write_text("low lower newest widest\n" * 30)
    (tmp_path / "test.txt").write_text("low\n" * (100 - unknown) + "żlow\n" * unknown, "utf-8")
    config = init(tmp_path, "t.txt", "test.txt")
    assert config["systems"] == [*order, "unigram", "char", "word", BYTES]
    note = (
        "# Note: 2.0 % of the running words of held-out hold a character that train lacks:"
        " BPE is also tried on bytes, which know every character.\n"
    )
    assert (note in (tmp_path / "tokbench.yaml").read_text("utf-8")) is (unknown > 1)


def test_paths_are_those_that_the_config_reads(tmp_path: Path, text: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name, path, written in (("c", "t.txt", "../t.txt"), ("d", text, str(text))):
        config = f"deep/{name}.yaml"
        assert init(tmp_path, path, "-o", config, name=config)["corpora"]["train"] == written


def test_a_script_without_spaces_is_noted(tmp_path: Path) -> None:
    (tmp_path / "ja.txt").write_text("東京都に住んでいます\n" * 30, "utf-8")
    init(tmp_path, "ja.txt")
    assert (
        "# Note: this script puts no spaces between words, so a word here is everything between two"
        " spaces or punctuation marks.\n"
    ) in (tmp_path / "tokbench.yaml").read_text("utf-8")


def test_without_its_library_kiwi_is_only_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokbench_commands.init.find_spec", lambda name: None)
    (tmp_path / "t.txt").write_text("안녕 세상\n" * 30, "utf-8")
    config = init(tmp_path, "t.txt")
    assert config["systems"] == ["byte-bpe", "bpe", "unigram", "char", "word", BYTES]
    written = (tmp_path / "tokbench.yaml").read_text("utf-8")
    note = "this is Korean: BPE is also tried on bytes; for morphemes, pip install"
    assert f"# Note: {note} 'tokbench[korean]'\n" in written
    assert "  # - {name: byte-morphemes, learner: byte-bpe, split: kiwi} " in written


@pytest.mark.parametrize(
    "name", ["no", "~", "1e5", "2024-01-01", "-x", "a#b: c", "a'b\"c\\", "영화.txt", "a\u2028b\x7f"]
)
def test_every_file_name_is_read_back(tmp_path: Path, name: str) -> None:
    for file in (name, f"{name}2"):
        (tmp_path / file).write_text("low lower lowest\n" * 30)
    config = init(tmp_path, "-o", "c.yaml", "--", name, f"{name}2", name="c.yaml")
    assert config["corpora"] == {"train": name, "test": {"held-out": f"{name}2"}}


def test_what_it_prints_next_runs_and_reaches_the_sizes_of_a_short_text(tmp_path: Path) -> None:
    read = [line for line in ENGLISH.read_text("utf-8").splitlines() if line.strip()]
    (tmp_path / "my text.txt").write_text("\n".join(read[:30]), "utf-8")
    done = tokbench("init", "my text.txt", "-o", "a b.yaml", cwd=tmp_path)
    assert " distinct; punctuation counts as words)" in done.stdout.splitlines()[0]
    few = "held-out has 3 lines, too few for intervals: they need 20."
    assert f"Note: {few}\n" in done.stdout
    assert f"# Note: {few}\n" in (tmp_path / "a b.yaml").read_text("utf-8")
    assert done.stdout.splitlines()[-1] == "Next: tokbench run 'a b.yaml'"
    ran = run_with_one_metric(tmp_path, "a b.yaml")
    assert (tmp_path / "out" / "report.html").exists()
    assert "the text gives only" not in ran.stderr
    assert "left out" not in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [("t.txt bad.txt", 4), ("t.txt -o bad.txt", 2), ("t.txt --pretrained bpe", 2)],
)
def test_where_it_fails_nothing_is_written(text: Path, arguments: str, code: int) -> None:
    (text.parent / "bad.txt").write_bytes(b"\xff\n" * 30)
    before = {path.name: path.read_bytes() for path in text.parent.iterdir()}
    done = tokbench("init", *arguments.split(), cwd=text.parent)
    assert (done.returncode, done.stdout) == (code, "")
    assert {path.name: path.read_bytes() for path in text.parent.iterdir()} == before


def test_a_ready_made_tokenizer_whose_files_are_missing_is_a_comment(
    tmp_path: Path, text: Path
) -> None:
    names = ("--pretrained", "gpt2", "--pretrained", "xlnet")
    done = tokbench("init", text, *names, cwd=tmp_path, TOKBENCH_MODELS="")
    assert done.returncode == 0
    assert done.stderr.startswith("warning: learner gpt2: $TOKBENCH_MODELS is not set: ")
    written = (tmp_path / "tokbench.yaml").read_text("utf-8")
    assert "gpt2" not in yaml.safe_load(written)["systems"]
    assert "  # - gpt2   # its files are missing: `tokbench models get gpt2`\n" in written
    learner = "{use: sentencepiece, path: xlnet-sp-unigram/spiece.model}"
    assert f"  # - {{name: xlnet, learner: {learner}}}   # its files are missing: " in written


def test_a_text_in_records_is_written_with_its_field(text: Path) -> None:
    lines = text.read_text("utf-8").splitlines()
    records = "".join(json.dumps({"body": line}) + "\n" for line in lines)
    (text.parent / "t.jsonl").write_text(records, "utf-8")
    config = init(text.parent, "t.jsonl", "--field", "body", "-o", "c.yaml", name="c.yaml")
    assert config["corpora"]["train"] == {"path": "t.jsonl", "field": "body"}
    same = init(text.parent, "t.txt", "-o", "d.yaml", name="d.yaml")
    assert config | {"corpora": same["corpora"]} == same
    (text.parent / "t.csv").write_text("n,review\n" + "".join(f"1,{s}\n" for s in lines), "utf-8")
    done = tokbench("init", "t.csv", "-o", "e.yaml", cwd=text.parent)
    assert done.stderr.startswith("warning: train: the column 'review' was read, the only one of")
    config = yaml.safe_load((text.parent / "e.yaml").read_text("utf-8"))
    assert config["corpora"]["train"] == {"path": "t.csv", "field": "review"}
