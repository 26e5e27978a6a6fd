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
    assert done.stdout.splitlines()[-1] == "Next: tokbench run 'a b.yaml'"
    ran = tokbench("run", "a b.yaml", "-o", "out", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "out" / "report.html").exists()
    test = yaml.safe_load((tmp_path / "a b.yaml").read_text())["corpora"]["test"]
    assert test == {"held-out": "test.txt"}


def test_sizes_lie_between_the_alphabet_and_half_the_words(tmp_path: Path) -> None:
    for words, sizes in ((30_000, [1000, 2000, 4000, 8000]), (2000, [300, 500, 1000]), (5, None)):
        letters = [chr(ord("a") + i % 26) for i in range(words)]
        text = [f"{letter}{i:x}" for i, letter in enumerate(letters)]
        (tmp_path / "t.txt").write_text("\n".join(text))
        (tmp_path / "test.txt").write_text("a1 b2\n")
        config = init(tmp_path, "t.txt", "test.txt", "-o", f"{words}.yaml", name=f"{words}.yaml")
        found = config.get("sizes")
        if sizes is None:
            assert config["merges"] == [1]
        else:
            assert isinstance(found, list)
            assert found == sorted(found)
            assert found[-1] <= words / 2
            assert found[-len(sizes) :] == sizes


@pytest.mark.parametrize("distinct", [300, 600, 1999])
def test_fewer_than_three_sizes_become_merges(tmp_path: Path, distinct: int) -> None:
    """A table of one size says nothing about size."""
    words = [f"low{'abcdefghij'[i % 10]}{i:x}" for i in range(distinct)]
    (tmp_path / "t.txt").write_text("\n".join(words))
    config = init(tmp_path, "t.txt")
    assert "sizes" not in config
    merges = config["merges"]
    assert isinstance(merges, list)
    assert len(merges) == 3
    text = (tmp_path / "tokbench.yaml").read_text()
    assert f"# Fewer than 3 usual vocabulary sizes fit {distinct:,} distinct words and an" in text


def test_one_is_no_plural(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("a\n" * 30)
    (tmp_path / "one.txt").write_text("a\n")
    done = tokbench("init", "t.txt", cwd=tmp_path)
    assert (
        "sizes fit 1 distinct word and an alphabet of 1 character.\n"
        in (tmp_path / "tokbench.yaml").read_text()
    )
    assert "(30 words, 1 distinct)" in done.stdout
    done = tokbench("init", "one.txt", "t.txt", "-o", "one.yaml", cwd=tmp_path)
    assert "(1 word, 1 distinct)" in done.stdout


@pytest.mark.parametrize("key", ["merges", "sizes"])
def test_the_system_that_is_a_comment_runs_too(tmp_path: Path, key: str) -> None:
    """No size is below the 256 bytes that it knows."""
    lines = [f"low{i:x}" for i in range(3000 if key == "sizes" else 300)]
    (tmp_path / "t.txt").write_text("\n".join(lines))
    config = init(tmp_path, "t.txt")
    assert config[key] == [300, 500, 1000] if key == "sizes" else "merges" in config
    path = tmp_path / "tokbench.yaml"
    written = path.read_text("utf-8")
    uncommented = written.replace("  # - {name: bytes", "  - {name: bytes")
    assert uncommented != written
    path.write_text(uncommented, "utf-8")
    checked = tokbench("check", "tokbench.yaml", cwd=tmp_path)
    assert (checked.returncode, checked.stderr) == (0, "")
    ran = tokbench("run", "-q", "tokbench.yaml", "-o", "out", cwd=tmp_path)
    assert ran.returncode == 0
    assert "bytes" not in ran.stderr


def test_characters_that_only_the_test_has_ask_for_bytes(tmp_path: Path) -> None:
    """Else the gate would hold back all systems but those on bytes."""
    (tmp_path / "t.txt").write_text("low lower newest widest\n" * 30)
    for unknown, asked in ((0, False), (1, False), (2, True)):
        name = f"{unknown}.yaml"
        (tmp_path / "test.txt").write_text("low\n" * (100 - unknown) + "żlow\n" * unknown, "utf-8")
        config = init(tmp_path, "t.txt", "test.txt", "-o", name, name=name)
        note = (
            "# Note: 2.0 % of the running words of held-out hold a character that train lacks:"
            " BPE is also tried on bytes, which know every character.\n"
        )
        assert (note in (tmp_path / name).read_text("utf-8")) is asked
        more = ["byte-bpe"] if asked else []
        assert config["systems"] == [*more, "bpe", "unigram", "char", "word"]
    ran = tokbench("run", "2.yaml", "-o", "out", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    # All others know too few words to be compared.
    assert "byte-bpe" in ran.stdout


def test_paths_are_those_that_the_config_reads(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "t.txt").write_text("low lower\n" * 30)
    config = init(tmp_path, "t.txt", "-o", "deep/c.yaml", name="deep/c.yaml")
    assert config["corpora"]["train"] == "../t.txt"  # type: ignore[index]  # of YAML
    config = init(tmp_path, tmp_path / "t.txt", "-o", "deep/d.yaml", name="deep/d.yaml")
    assert config["corpora"]["train"] == str(tmp_path / "t.txt")  # type: ignore[index]  # of YAML


def test_korean_is_recognised(tmp_path: Path) -> None:
    config = init(tmp_path, KOREAN)
    assert config["systems"] == [
        "byte-bpe",
        {"name": "byte-morphemes", "learner": "byte-bpe", "split": "kiwi"},
        "bpe", "unigram",
        {"name": "bpe-morphemes", "learner": "bpe", "split": "kiwi"},
        "char", "word",
    ]  # fmt: skip
    (tmp_path / "ja.txt").write_text("東京都に住んでいます\n" * 30, "utf-8")
    init(tmp_path, "ja.txt", "-o", "ja.yaml", name="ja.yaml")
    assert (
        "# Note: this script puts no spaces between words, so a word here is everything between two"
        " spaces or punctuation marks.\n"
    ) in (tmp_path / "ja.yaml").read_text("utf-8")


def test_without_its_library_kiwi_is_only_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokbench_commands.init.find_spec", lambda name: None)
    said = (
        "this is Korean: BPE is also tried on bytes; for morphemes, pip install 'tokbench[korean]'"
    )
    assert said in tokbench("init", KOREAN, "-o", "again.yaml", cwd=tmp_path).stdout
    config = init(tmp_path, KOREAN)
    assert config["systems"] == ["byte-bpe", "bpe", "unigram", "char", "word"]
    text = (tmp_path / "tokbench.yaml").read_text("utf-8")
    assert f"# Note: {said}\n" in text
    assert "  # - {name: byte-morphemes, learner: byte-bpe, split: kiwi} " in text


def test_systems_for_korean_can_be_compared(tmp_path: Path) -> None:
    """Those that know no syllable of the new text are not: the others are on bytes."""
    done = tokbench("init", KOREAN, KOREAN.with_name("korean.test.txt"), cwd=tmp_path)
    assert (
        "Note: this is Korean: BPE is also tried on bytes, and inside the morphemes" in done.stdout
    )
    ran = tokbench("run", "tokbench.yaml", "-o", "out", cwd=tmp_path)
    told = [line for line in ran.stderr.splitlines() if line.startswith(("warning", "failed"))]
    assert (ran.returncode, told) == (0, []), "no size is too small or too large"
    assert "byte-bpe needs the fewest tokens on held-out" in " ".join(ran.stdout.split())


def test_ready_made_tokenizers_are_systems(shared: Path, tmp_path: Path) -> None:
    command = ("init", ENGLISH, "--pretrained", "cl100k", "--pretrained", "utf8-bytes")
    done = tokbench(*command, cwd=tmp_path, TOKBENCH_MODELS=str(shared / "tokenizers"))
    assert done.returncode == 0, done.stderr
    config = yaml.safe_load((tmp_path / "tokbench.yaml").read_text("utf-8"))
    assert config["systems"][-2:] == ["cl100k", "utf8-bytes"]


@pytest.mark.parametrize(
    "name",
    ["2024", "no", "null", "~", "1e5", "0x10", "True", ".inf", "2024-01-01", "12:30", "---", "y",
     "-x", "a b", "a#b: c", "a'b\"c\\", "영화.txt", "a\u2028b\x7f", "x" * 60],
)  # fmt: skip
def test_every_file_name_is_read_back(tmp_path: Path, name: str) -> None:
    test = f"{name}2"
    for text in (name, test):
        (tmp_path / text).write_text("low lower lowest\n" * 30)
    done = tokbench("init", "-o", "c.yaml", "--", name, test, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    checked = tokbench("check", "c.yaml", cwd=tmp_path)
    assert checked.returncode == 0, checked.stderr
    corpora = yaml.safe_load((tmp_path / "c.yaml").read_text("utf-8"))["corpora"]
    assert corpora == {"train": name, "test": {"held-out": test}}


def test_a_name_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a\udcff").write_text("low lower\n" * 30)
    done = tokbench("init", "a\udcff", cwd=tmp_path)
    assert done.returncode == 4
    assert done.stderr == "error: a\\udcff: a config can only name files in UTF-8: rename it\n"
    assert not (tmp_path / "tokbench.yaml").exists()


@pytest.mark.parametrize(
    ("output", "shown"), [("-x.yaml", "./-x.yaml"), ("a'b $c.yaml", "'a'\"'\"'b $c.yaml'")]
)
def test_the_next_command_is_safe_for_the_shell(tmp_path: Path, output: str, shown: str) -> None:
    (tmp_path / "t.txt").write_text("low lower\n" * 30)
    done = tokbench("init", "t.txt", "-o", output, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == f"Next: tokbench run {shown}"
    assert (tmp_path / output).exists()


def test_a_ready_made_tokenizer_that_is_named_twice_is_one_system(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("low lower\n" * 30)
    config = init(tmp_path, "t.txt", *["--pretrained", "utf8-bytes"] * 2)
    assert config["systems"] == ["bpe", "unigram", "char", "word", "utf8-bytes"]


@pytest.mark.parametrize("lines", [20, 30, 200])
@pytest.mark.parametrize("source", [ENGLISH, KOREAN], ids=["english", "korean"])
def test_a_short_text_gets_sizes_that_are_reached(tmp_path: Path, source: Path, lines: int) -> None:
    read = [line for line in source.read_text("utf-8").splitlines() if line.strip()]
    (tmp_path / "t.txt").write_text("\n".join(read[:lines]), "utf-8")
    done = tokbench("init", "t.txt", cwd=tmp_path)
    few = f"held-out has {lines // 10} lines, which are too few for intervals: they need 20."
    text = (tmp_path / "tokbench.yaml").read_text("utf-8")
    assert (f"Note: {few}\n" in done.stdout) is (f"# Note: {few}\n" in text) is (lines < 200)
    ran = tokbench("run", "-q", "tokbench.yaml", "-o", "out", cwd=tmp_path)
    assert ran.returncode == 0
    assert "learning gave only" not in ran.stderr
    assert "left out" not in ran.stderr


def test_a_test_of_one_line_is_noted(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("low lower\n" * 30)
    (tmp_path / "one.txt").write_text("lowest\n")
    done = tokbench("init", "t.txt", "one.txt", cwd=tmp_path)
    assert (
        "Note: held-out has 1 line, which is too few for intervals: they need 20.\n" in done.stdout
    )


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("empty.txt",), 4, "empty.txt: found no words: it is empty or holds only white space"),
        ((".",), 4, ".: is a folder; give a file"),
        (("nothing.txt",), 4, "nothing.txt: no such file\n"),
        (("short.txt",), 4, "short.txt: has 1 line, too few to hold out a tenth"),
        (("bytes.txt",), 4, "at byte offset 0 of the file; save it as UTF-8\n"),
        (("t.txt", "empty.txt"), 4, "empty.txt: found no words: it is empty"),
        (("t.txt", "bytes.txt"), 4, "bytes.txt:1: not valid UTF-8: found byte 0xff"),
        (("t.txt", "nothing.txt"), 4, "nothing.txt: no such file\n"),
        (("t.txt", "./t.txt"), 2, "t.txt: TEST is the same file as TEXT: leave it out"),
        (("t.txt", "-o", ""), 2, "-o: found nothing, expected the name of a file"),
        (("t.txt", "-o", "."), 2, "-o .: is a folder, expected the name of a file"),
        (("t.txt", "-o", "t.txt/x/y.yaml"), 2, "-o t.txt/x/y.yaml: t.txt is a file, expected"),
        (("t.txt", "--pretrained", "{use: gpt2}"), 2, "no plugin offers a learner '{use: gpt2}'"),
        (("t.txt", "-o", "a" * 300), 4, f"error: {'a' * 200}: File name too long\n"),
        (("t.txt", "-o", "taken.yaml"), 2, "taken.yaml: is there already: name another file"),
        (("t.txt", "-o", "t.txt"), 2, "t.txt: is there already: name another file with -o"),
        (("t.txt", "--pretrained", "bpe"), 2, "--pretrained bpe: is not ready-made, it learns"),
        (("t.txt", "--pretrained", "gtp2"), 2, "did you mean 'gpt2'"),
        (("t.txt", "--pretrained", "gpt2"), 4, "$TOKBENCH_MODELS is not set: download encoder"),
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
