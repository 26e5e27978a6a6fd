"""`learn` and `segment` as people use them, with the figures that courses print."""

import ast
import json
import re
from pathlib import Path

import pytest

from tests.run_cli import tokbench_here as tokbench

LOW = "low " * 5 + "lower " * 2 + "newest " * 6 + "\n" + "widest " * 3 + "\n"
FENCED = ("--merges", "4", "-O", "eow=fenced", "-O", "ties=first")


@pytest.fixture
def low(tmp_path: Path) -> Path:
    path = tmp_path / "low.txt"
    path.write_text(LOW)
    return path


def test_trace_shows_the_iterations_of_the_deep_dive(low: Path) -> None:
    """Seed 002, section 2.2: es, est, lo, low, with the counts 9, 9, 7, 7."""
    done = tokbench("learn", low, *FENCED, "--trace")
    assert done.returncode == 0
    blocks = done.stdout.split("Iteration ")[1:]
    chosen = [re.search(r"chosen: (.*)", block)[1] for block in blocks]  # type: ignore[index]
    assert chosen == ["e s", "es t", "l o", "lo w"]
    assert "counts: l o: 7, o w: 7, w e: 8, e r: 2" in blocks[0]
    assert "es t: 9" in blocks[1]
    assert blocks[3].endswith(
        "words: low </w>: 5, low e r </w>: 2, n e w est </w>: 6, w i d est </w>: 3\n"
    )


def test_a_learned_vocabulary_segments_text_line_by_line(low: Path, tmp_path: Path) -> None:
    vocabulary = tmp_path / "v.json"
    vocabulary.write_text(tokbench("learn", low, *FENCED).stdout)
    done = tokbench("segment", vocabulary, stdin=b"lowest\n\nlow newest\n")
    assert done.stdout == "low est </w>\n\nlow </w> n e w est </w>\n"
    done = tokbench("segment", vocabulary, "--format", "json", stdin=b"lowest\n\nlow low\n")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines == [[["low", "est", "</w>"]], [], [["low", "</w>"], ["low", "</w>"]]]


def test_word_splits_are_those_of_the_course_report(low: Path, tmp_path: Path) -> None:
    """Seed 000, section 3: the segmented training words with counts, then the merges."""
    options = ("--merges", "4", "-O", "eow=absent", "-O", "ties=first")
    done = tokbench("learn", low, *options, "--format", "word-splits")
    assert done.stdout == (
        "==== Vocabulary ====\nlow 5\nlow e r 2\nn e w est 6\nw i d est 3\n"
        "\n==== Merge Rules ====\ne s\nes t\nl o\nlo w\n"
    )
    (tmp_path / "vocab.txt").write_text(done.stdout)
    read_back = tokbench("segment", tmp_path / "vocab.txt", stdin=b"slower\n")
    assert read_back.stdout == "s low e r\n"


def test_counts_are_the_korean_vocabulary_after_twenty_merges(shared: Path, tmp_path: Path) -> None:
    """Seed 001, section 3.5: its last printed dictionary, in the same order."""
    (seed,) = (shared.parent / "seeds").glob("001_*.txt")
    text = seed.read_text(encoding="utf-8")
    printed = ast.literal_eval(text[text.rindex("{'이</w>'") : text.rindex("}") + 1])
    corpus = ast.literal_eval(re.search(r"corpus = (\[.*?\])", text, re.DOTALL)[1])  # type: ignore[index]
    path = tmp_path / "reviews.txt"
    path.write_text("\n".join(corpus) + "\n", encoding="utf-8")
    words = ("--words", "whitespace", "--normalise", r"remove=[^가-힣\s]")
    options = ("-O", "merge=replace", "-O", "eow=separate", "-O", "ties=first")
    learned = tokbench("learn", path, "--merges", "20", *words, *options)
    assert learned.returncode == 0, learned.stderr
    (tmp_path / "v.json").write_text(learned.stdout)
    done = tokbench("segment", tmp_path / "v.json", path, *words, "--counts")
    counted = dict(line.split("\t") for line in done.stdout.splitlines())
    assert {token: int(count) for token, count in counted.items()} == printed
    assert list(counted) == list(printed)


def test_sizes_and_marks_are_options_of_the_learner(low: Path) -> None:
    done = tokbench("learn", low, "--size", "22", "-O", "eow={kind: fused, text: _}")
    document = json.loads(done.stdout)
    assert len(document["tokens"]) == 22
    assert document["marks"]["eow"] == {"kind": "fused", "text": "_"}


def test_control_characters_in_text_are_escaped(low: Path, tmp_path: Path) -> None:
    vocabulary = tmp_path / "v.json"
    vocabulary.write_text(tokbench("learn", low, *FENCED).stdout)
    done = tokbench("segment", vocabulary, "--words", "whitespace", stdin=b"a\x1b[31mb\n")
    assert "\x1b" not in done.stdout
    assert r"\x1b [ 3 1 m b </w>" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--size", "5"], 2, "error: size 5 is below the alphabet of 20 symbols"),
        ([], 2, "error: give either --size or --merges"),
        (["--size", "30", "--merges", "4"], 2, "error: give either --size or --merges"),
        (
            ["--size", "30", "-O", "mrge=list"],
            2,
            "error: learner bpe: mrge: unknown key `mrge`; did you mean `merge`?",
        ),
        (
            ["--size", "30", "-O", "merge"],
            2,
            "error: option 'merge': expected key=value, for example `merge=list`",
        ),
        (
            ["--size", "30", "-O", "eow={kind"],
            2,
            "error: option eow: '{kind' is not YAML",
        ),
        (
            ["--size", "30", "--learner", "bep"],
            2,
            "error: no plugin offers a learner 'bep'; did you mean 'bpe' (of tokbench)?",
        ),
        (
            ["--size", "30", "--normalise", "lower"],
            2,
            "error: --normalise: normalise.0: found 'lower', expected",
        ),
        (
            ["--size", "30", "--normalise", "remove=["],
            2,
            "error: --normalise: normalise.0.remove: not a regular expression: ",
        ),
    ],
)
def test_learn_says_what_is_wrong(low: Path, arguments: list[str], code: int, message: str) -> None:
    done = tokbench("learn", low, *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(message), done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"\xff", "not UTF-8 at byte 0: not a vocabulary"),
        (b"low", "not JSON: "),
        (b"==== Vocabulary ====\nlow\n", "2: found 'low', expected symbols and a count"),
        (b"==== Vocabulary ====\nl o w 5\n", " there is no '==== Merge Rules ===='"),
        (
            b"==== Vocabulary ====\n==== Merge Rules ====\na b c\n",
            "3: found 'a b c', expected the two parts of a merge",
        ),
        (b"==== Marks ====\n[]\n", "2: found '[]', expected marks as JSON"),
    ],
)
def test_segment_refuses_what_is_no_vocabulary(tmp_path: Path, text: bytes, message: str) -> None:
    path = tmp_path / "vocab"
    path.write_bytes(text)
    done = tokbench("segment", path, stdin=b"low\n")
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith(f"error: {path}:")
    assert message in done.stderr


def test_segment_says_where_the_text_is_wrong(low: Path, tmp_path: Path) -> None:
    vocabulary = tmp_path / "v.json"
    vocabulary.write_text(tokbench("learn", low, *FENCED).stdout)
    done = tokbench("segment", vocabulary, stdin=b"low\nlo\xffw\n")
    assert done.returncode == 4
    assert done.stdout == "low </w>\n"
    assert done.stderr.startswith("error: <stdin>:2: not valid UTF-8: found byte 0xff at byte")
