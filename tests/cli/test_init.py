"""`tokbench init`: a config that runs as it is written."""

from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT
from tests.run_cli import tokbench_here as tokbench

ENGLISH = ROOT / "corpora" / "english.train.txt"
KOREAN = ROOT / "corpora" / "korean.train.txt"


def init(folder: Path, *arguments: str | Path, name: str = "tokbench.yaml") -> dict[str, object]:
    """Write a config, check it, and return what it says."""
    done = tokbench("init", *arguments, cwd=folder)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    checked = tokbench("check", name, cwd=folder)
    assert checked.returncode == 0, checked.stderr
    config: dict[str, object] = yaml.safe_load((folder / name).read_text("utf-8"))
    return config


def test_a_text_alone_holds_out_a_tenth_of_its_lines(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text(ENGLISH.read_text("utf-8"), "utf-8")
    config = init(tmp_path, "mine.txt")
    assert config == {
        "corpora": {
            "train": "mine.txt",
            "test": {"held-out": {"split": 0.1, "of": "train", "by": "line"}},
        },
        "sizes": [500, 1000, 2000],
        "systems": ["bpe", "unigram", "char", "word"],
    }


def test_what_it_prints_next_runs(tmp_path: Path) -> None:
    lines = ENGLISH.read_text("utf-8").splitlines()[:300]
    (tmp_path / "my text.txt").write_text("\n".join(lines), "utf-8")
    (tmp_path / "test.txt").write_text("low lower lowest\n" * 30)
    command = ("init", "my text.txt", "test.txt", "-o", "a b.yaml")
    done = tokbench(*command, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == 'Next: tokbench run "a b.yaml"'
    ran = tokbench("run", "a b.yaml", "-o", "out", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "out" / "report.html").exists()
    test = yaml.safe_load((tmp_path / "a b.yaml").read_text())["corpora"]["test"]
    assert test == {"held-out": "test.txt"}


def test_sizes_lie_between_the_alphabet_and_half_the_words(tmp_path: Path) -> None:
    for words, sizes in ((30_000, [1000, 2000, 4000, 8000]), (600, [250]), (5, None)):
        letters = [chr(ord("a") + i % 26) for i in range(words)]
        text = [f"{letter}{i:x}" for i, letter in enumerate(letters)]
        (tmp_path / "t.txt").write_text("\n".join(text))
        (tmp_path / "test.txt").write_text("a1 b2\n")
        config = init(tmp_path, "t.txt", "test.txt", "-o", f"{words}.yaml", name=f"{words}.yaml")
        found = config.get("sizes")
        if sizes is None:
            assert config["merges"] == [1, 2, 5]
        else:
            assert isinstance(found, list)
            assert found == sorted(found)
            assert found[-1] <= words / 2
            assert found[-len(sizes) :] == sizes


def test_paths_are_those_that_the_config_reads(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "t.txt").write_text("low lower\n" * 30)
    config = init(tmp_path, "t.txt", "-o", "deep/c.yaml", name="deep/c.yaml")
    assert config["corpora"]["train"] == "../t.txt"  # type: ignore[index]
    config = init(tmp_path, tmp_path / "t.txt", "-o", "deep/d.yaml", name="deep/d.yaml")
    assert config["corpora"]["train"] == str(tmp_path / "t.txt")  # type: ignore[index]


def test_korean_is_recognised(tmp_path: Path) -> None:
    config = init(tmp_path, KOREAN)
    morphemes = {"name": "bpe-morphemes", "learner": "bpe", "split": "kiwi"}
    assert morphemes in config["systems"]  # type: ignore[operator]
    (tmp_path / "ja.txt").write_text("東京都に住んでいます\n" * 30, "utf-8")
    init(tmp_path, "ja.txt", "-o", "ja.yaml", name="ja.yaml")
    assert "puts no spaces between words" in (tmp_path / "ja.yaml").read_text("utf-8")


def test_without_its_library_kiwi_is_only_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokbench_commands.init.find_spec", lambda name: None)
    config = init(tmp_path, KOREAN)
    assert config["systems"] == ["bpe", "unigram", "char", "word"]
    text = (tmp_path / "tokbench.yaml").read_text("utf-8")
    assert "  # needs `pip install 'tokbench[korean]'`:\n  # - {name: bpe-morphemes, " in text


def test_ready_made_tokenizers_are_systems(shared: Path, tmp_path: Path) -> None:
    command = ("init", ENGLISH, "--pretrained", "cl100k", "--pretrained", "utf8-bytes")
    done = tokbench(*command, cwd=tmp_path, TOKBENCH_MODELS=str(shared / "tokenizers"))
    assert done.returncode == 0, done.stderr
    config = yaml.safe_load((tmp_path / "tokbench.yaml").read_text("utf-8"))
    assert config["systems"][-2:] == ["cl100k", "utf8-bytes"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("empty.txt",), 4, "empty.txt: found no words: it is empty or holds only white space"),
        ((".",), 2, "File '.' is a directory"),
        (("nothing.txt",), 2, "File 'nothing.txt' does not exist"),
        (("short.txt",), 4, "short.txt: has 1 lines with words, too few to hold out a tenth"),
        (("bytes.txt",), 4, "bytes.txt:1: not valid UTF-8: found byte 0xff"),
        (("t.txt", "-o", "taken.yaml"), 2, "taken.yaml: is there already: name another file"),
        (("t.txt", "-o", "t.txt"), 2, "t.txt: is there already: name another file with -o"),
        (("t.txt", "--pretrained", "bpe"), 2, "--pretrained bpe: this learner reads words"),
        (("t.txt", "--pretrained", "gtp2"), 2, "did you mean 'gpt2'"),
        (("t.txt", "--pretrained", "gpt2"), 2, "($TOKBENCH_MODELS is not set): download encoder"),
    ],
)
def test_bad_input_is_one_message_and_nothing_is_written(
    tmp_path: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    (tmp_path / "t.txt").write_text("low lower\n" * 30)
    (tmp_path / "empty.txt").write_text(" \n\n")
    (tmp_path / "short.txt").write_text("low lower\n")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\n" * 30)
    (tmp_path / "taken.yaml").write_text("mine\n")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    done = tokbench("init", *arguments, cwd=tmp_path, TOKBENCH_MODELS="")
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
