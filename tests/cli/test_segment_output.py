"""How `tokbench segment` spells tokens: in a pipe as they are, for a terminal without surprises."""

import json
import os
from pathlib import Path

import pytest

from tests.run_cli import tokbench_here

TEXT = b"a\x1b[31mb\x07 \xe2\x80\xae\r\n"


@pytest.fixture(scope="module")
def char(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vocabulary of characters that knows hardly any."""
    folder = tmp_path_factory.mktemp("char")
    (folder / "text.txt").write_text("low\n")
    learned = tokbench_here("learn", folder / "text.txt", "--size", "9", "--learner", "char")
    (folder / "char.json").write_text(learned.stdout)
    return folder / "char.json"


def test_in_a_pipe_control_characters_stay_as_they_are(char: Path) -> None:
    words = ("--words", "whitespace")
    done = tokbench_here("segment", char, *words, stdin=TEXT)
    assert done.stdout == "a \x1b [ 3 1 m b \x07 \u202e\n"
    counts = tokbench_here("segment", char, *words, "--counts", stdin=b"\x1b\x1b\n")
    assert counts.stdout == "\x1b\t2\n"


def test_on_a_terminal_they_are_escaped(char: Path) -> None:
    terminal, inside = os.openpty()
    with open(inside, "w", encoding="utf-8") as screen:
        command = ("segment", char, "--words", "whitespace")
        done = tokbench_here(*command, stdin=TEXT, stdout=screen, NO_COLOR="1")
        assert (done.returncode, done.stderr) == (0, "")
        assert os.read(terminal, 1000) == b"a \\x1b [ 3 1 m b \\x07 \\u202e\r\n"
    os.close(terminal)


def test_a_line_stays_one_line_and_json_is_ascii(char: Path) -> None:
    document = json.loads(char.read_text())
    document["marks"]["eow"] = {"kind": "separate", "text": "\n"}
    document["tokens"].append("\ufdd1")
    document["alphabet"].append("\ufdd1")
    odd = char.with_name("odd.json")
    odd.write_text(json.dumps(document))
    assert tokbench_here("segment", odd, stdin=b"lo\n").stdout == "l o \\n\n"
    done = tokbench_here("segment", char, "--format", "json", stdin=b"l\x1b\n")
    assert done.stdout == '[["l"], ["\\u001b"]]\n'


def test_an_unknown_word_of_wordpiece_is_shown_without_a_mark(tmp_path: Path) -> None:
    (tmp_path / "low.txt").write_text("low lower lowest\n" * 3)
    learned = tokbench_here("learn", tmp_path / "low.txt", "--size", "20", "--learner", "wordpiece")
    vocabulary = tmp_path / "wordpiece.json"
    vocabulary.write_text(learned.stdout)
    text = "lowest 日本 lower\n".encode()
    assert tokbench_here("segment", vocabulary, stdin=text).stdout == "lowest 日本 low ##er\n"
    counts = tokbench_here("segment", vocabulary, "--counts", stdin=text).stdout
    assert counts == "lowest\t1\n日本\t1\nlow\t1\n##er\t1\n"
    shown = tokbench_here("segment", vocabulary, "--format", "json", stdin=text).stdout
    assert json.loads(shown) == [["lowest"], ["日本"], ["low", "##er"]]
