"""`learn` and `segment` as people use them, with the figures that courses print."""

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.run_cli import tokbench_here as tokbench

PLACE = re.compile(r" \(mine\.py:[0-9]+\)$", re.MULTILINE)
"""The plugin's own line, where its code failed."""

LOW = "low " * 5 + "lower " * 2 + "newest " * 6 + "\n" + "widest " * 3 + "\n"
FENCED = ("--merges", "4", "-O", "eow=fenced", "-O", "ties=first")
LEARNER = """
import sys
from pydantic import field_validator
from tokbench.api import Learner, Step, Vocabulary, hookimpl
class Mine(Learner):
    "Learn."
    steps: int = 1
{body}
@hookimpl
def tokbench_learners():
    return {{"mine": Mine}}
"""
SEGMENTER = """
import sys
from tokbench.api import Segmenter, hookimpl
class Mine(Segmenter):
    "Cut."
{body}
@hookimpl
def tokbench_segmenters():
    return {{"mine": Mine}}
"""

LINES = """
import sys
from tokbench.api import LineTokens, TextSegmenter, hookimpl
class Mine(TextSegmenter):
    "Cut lines."
{body}
@hookimpl
def tokbench_segmenters():
    return {{"mine": Mine}}
"""
COUNTED = """
def segment_lines(self, lines, v):
    with open(__file__ + ".calls", "a") as calls:
        print(len(lines), file=calls)
    return LineTokens.from_lengths([0, *range(1, len(lines) + 1)], [0] * len(lines),
        [len(line) for line in lines])
"""
READY = """
from tokbench.api import Learner, Vocabulary, hookimpl
class Ready(Learner):
    "Load."
    @property
    def reads(self): return "nothing"
    def load(self): return Vocabulary(("a", "b"), ("a", "b"), segmenter={"use": "bpe"})
@hookimpl
def tokbench_learners():
    return {"ready": Ready}
"""


@pytest.fixture
def low(tmp_path: Path) -> Path:
    path = tmp_path / "low.txt"
    path.write_text(LOW)
    return path


@pytest.fixture
def vocabulary(low: Path, tmp_path: Path) -> Path:
    path = tmp_path / "v.json"
    path.write_text(tokbench("learn", low, *FENCED).stdout)
    return path


@pytest.fixture
def plugin(tmp_path: Path) -> Callable[[str, str], Path]:
    """Write a plugin of which a test gives the methods."""

    def write(template: str, body: str) -> Path:
        path = tmp_path / "mine.py"
        indented = "".join(f"    {line}\n" for line in body.split("\n"))
        path.write_text(template.format(body=indented))
        return path

    return write


def test_trace_shows_the_iterations_of_the_deep_dive(low: Path) -> None:
    """The deep dive, section 2.2: es, est, lo, low, with the counts 9, 9, 7, 7."""
    done = tokbench("learn", low, *FENCED, "--trace")
    assert done.returncode == 0
    before, *blocks = done.stdout.split("Iteration ")[1:]
    words = "l o w </w>: 5, l o w e r </w>: 2, n e w e s t </w>: 6, w i d e s t </w>: 3"
    assert before == f"0\n  words: {words}\n"
    chosen = [re.search(r"chosen: (.*)", block)[1] for block in blocks]
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
    """The student report, section 3: the segmented training words with counts, then the merges."""
    options = ("--merges", "4", "-O", "eow=absent", "-O", "ties=first")
    done = tokbench("learn", low, *options, "--format", "word-splits")
    assert done.stdout == (
        "==== Vocabulary ====\nlow 5\nlow e r 2\nn e w est 6\nw i d est 3\n"
        "\n==== Merge Rules ====\ne s\nes t\nl o\nlo w\n"
    )
    (tmp_path / "vocab.txt").write_text(done.stdout)
    read_back = tokbench("segment", tmp_path / "vocab.txt", stdin=b"slower\n")
    assert read_back.stdout == "s low e r\n"


def test_word_splits_come_with_notes_on_what_they_do_not_hold(low: Path) -> None:
    learner = ("--learner", "wordpiece", "--merges", "2")
    done = tokbench("learn", low, *learner, "--format", "word-splits")
    note = "the file does not name the segmenter 'wordpiece': it is read back with bpe"
    assert f"note: {note}\n" in done.stderr
    assert done.stdout.startswith("==== ")
    assert tokbench("learn", low, *learner).stderr == ""


def test_counts_are_the_korean_vocabulary_after_twenty_merges(shared: Path, tmp_path: Path) -> None:
    """The Korean tutorial, section 3.5: its last printed dictionary, in the same order."""
    (seed,) = (shared.parent / "seeds").glob("001_*.txt")
    text = seed.read_text(encoding="utf-8")
    printed = ast.literal_eval(text[text.rindex("{'이</w>'") : text.rindex("}") + 1])
    corpus = ast.literal_eval(re.search(r"corpus = (\[.*?\])", text, re.DOTALL)[1])
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
            "error: option eow: value:1:6: expected ',' or '}': a bracket above is not closed",
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
        (
            ["--size", "30", "-O", "use=char"],
            2,
            "error: option 'use=char': expected key=value, for example `merge=list`",
        ),
        (
            ["--size", "30", "-O", "eow={text: 2001-13-45}"],
            2,
            "error: option eow: some YAML readers read 2001-13-45 as a date, others don't: write ",
        ),
        (["--size", "30", "--learner", ""], 2, "error: no plugin offers a learner ''"),
        (["--size", "30", "--words", ""], 2, "error: no plugin offers a splitter ''"),
    ],
)
def test_learn_says_what_is_wrong(low: Path, arguments: list[str], code: int, message: str) -> None:
    done = tokbench("learn", low, *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(message), done.stderr
    # Where YAML itself is wrong, the line and a caret below it follow.
    assert done.stderr.count("\n") == (3 if "value:1:" in message else 1)


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


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("def learn(self, words, size): raise ValueError('no\\nidea')", "ValueError: no idea"),
        ("def learn(self, words, size): sys.exit(0)", "SystemExit: 0"),
        ("def learn(self, words, size): pass", "learn gave NoneType, not a Vocabulary"),
        ("def learn(self, words, size): return words", "not a Vocabulary"),
        (
            "def learn(self, words, size): return Vocabulary(('a',), extra={'a': {1}})",
            "the vocabulary's `extra` is no JSON: Object of type set is not JSON serializable",
        ),
        (
            "def learn(self, words, size): pass\n@property\ndef sized(self): return 1 / 0",
            "ZeroDivisionError: division by zero",
        ),
        (
            "def learn(self, words, size): pass\n"
            "@field_validator('steps')\n@classmethod\ndef check(cls, value): raise KeyError(value)",
            "KeyError: 2",
        ),
    ],
    ids=["raises", "exits", "gives nothing", "gives words", "no JSON", "sized", "validator"],
)
def test_a_learner_that_fails_is_one_message(
    low: Path, plugin: Callable[[str, str], Path], body: str, message: str
) -> None:
    path = plugin(LEARNER, body)
    done = tokbench("learn", low, "--learner", "mine", "--size", "30", "-O", "steps=2", "-p", path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: learner mine: ")
    assert PLACE.sub("", done.stderr).endswith(f"{message}\n")
    assert done.stderr.count("\n") == 1


def test_a_learner_that_fails_to_show_its_iterations_is_one_message(
    low: Path, plugin: Callable[[str, str], Path]
) -> None:
    body = "def learn(self, words, size): pass\ndef trace(self, words, size): sys.exit('no')"
    options = ("--learner", "mine", "--size", "30", "--trace", "-p", plugin(LEARNER, body))
    done = tokbench("learn", low, *options)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: learner mine: SystemExit: no (mine.py:9)\n"


def test_a_trace_calls_scores_what_they_are(low: Path) -> None:
    done = tokbench("learn", low, "--learner", "wordpiece", "--merges", "1", "--trace")
    assert "\n  scores: " in done.stdout
    assert "counts:" not in done.stdout


def test_a_corpus_is_no_standard_input() -> None:
    done = tokbench("learn", "-", "--merges", "2", stdin=b"low\n")
    message = "error: CORPUS is a file, not standard input (-): save the text in one\n"
    assert (done.returncode, done.stderr) == (2, message)


def test_a_learner_without_iterations_says_so(
    low: Path, plugin: Callable[[str, str], Path]
) -> None:
    path = plugin(LEARNER, "def learn(self, words, size): pass")
    options = ("--learner", "mine", "--size", "30", "--trace", "-p", path)
    message = "error: learner mine has no iterations to show: leave out --trace\n"
    # It is found out before the corpus is read.
    for corpus in (low, low.with_name("absent.txt")):
        done = tokbench("learn", corpus, *options)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", message)


def test_a_learner_whose_trace_is_empty_says_so(low: Path) -> None:
    options = ("--learner", "byte-bpe", "-O", "read=lines", "--merges", "2", "--trace")
    done = tokbench("learn", low, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: learner byte-bpe has no iterations to show: leave out --trace\n"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("def segment(self, word, v): raise ValueError('no\\nidea')", "ValueError: no idea"),
        ("def segment(self, word, v): sys.exit(0)", "SystemExit: 0"),
        ("def segment(self, word, v): pass", "it gave None for 'low', not its tokens"),
        (
            "def segment(self, word, v): return list(word[1:])",
            "the tokens ['o', 'w'] of 'low' do not cover it: they join to 'ow'",
        ),
        (
            "def segment(self, word, v): return [(word, 1)]",
            "the tokens [('low', 1)] of 'low' do not cover it",
        ),
        (
            "def segment(self, word, v): return [7]",
            "7 in 'low' is neither a token nor a (token, bytes) pair",
        ),
        (
            "def segment(self, word, v): pass\ndef prepare(self, v): return v.extra['model']",
            "KeyError: 'model'",
        ),
    ],
    ids=["raises", "exits", "nothing", "drops text", "too few bytes", "ids", "prepare"],
)
@pytest.mark.parametrize("form", [(), ("--format", "json"), ("--counts",)])
def test_a_segmenter_that_fails_is_one_message(
    vocabulary: Path,
    plugin: Callable[[str, str], Path],
    body: str,
    message: str,
    form: tuple[str, ...],
) -> None:
    options = ("--segmenter", "mine", "-p", plugin(SEGMENTER, body), *form)
    done = tokbench("segment", vocabulary, *options, stdin=b"low low\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert PLACE.sub("", done.stderr) == f"error: segmenter mine: {message}\n"


LEARNER_AND_SEGMENTER = """
from tokbench.api import Learner, Segmenter, Vocabulary, hookimpl
class Own(Learner):
    "Learn nothing."
    def learn(self, words, size):
        return Vocabulary(("l",), ("l",), segmenter={{"use": "mine"}})
class Mine(Segmenter):
    "Cut."
{body}
tokbench_learners = hookimpl(lambda: {{"own": Own}})
tokbench_segmenters = hookimpl(lambda: {{"mine": Mine}})
"""


def test_words_for_another_format_are_checked_too(
    low: Path, plugin: Callable[[str, str], Path]
) -> None:
    path = plugin(LEARNER_AND_SEGMENTER, "def segment(self, word, v): return ['x']")
    options = ("--size", "9", "--learner", "own", "-p", path, "--format", "word-splits")
    done = tokbench("learn", low, *options)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: segmenter mine: the tokens ['x'] of '")
    assert done.stderr.endswith(" do not cover it: they join to 'x'\n")


def test_dropped_text_is_refused_by_another_format_not_lost(
    low: Path, plugin: Callable[[str, str], Path]
) -> None:
    body = "def segment(self, word, v): return [(word[0], 1), (None, len(word) - 1)]"
    options = ("--size", "9", "--learner", "own", "-p", plugin(LEARNER_AND_SEGMENTER, body))
    low.write_text("low lo\n")
    done = tokbench("learn", low, *options, "--format", "word-splits")
    message = "error: word splits cannot carry '' so that it can be read back\n"
    assert (done.returncode, done.stdout, done.stderr) == (4, "", message)


def test_a_segmenter_may_drop_text(vocabulary: Path, plugin: Callable[[str, str], Path]) -> None:
    path = plugin(SEGMENTER, "def segment(self, word, v): return [(word[0], 1), (None, 2)]")
    done = tokbench("segment", vocabulary, "--segmenter", "mine", "-p", path, stdin=b"low\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "l\n", "")


def test_a_token_that_ends_a_line_does_not_end_the_line_printed(low: Path, tmp_path: Path) -> None:
    text = "-O", 'eow={kind: separate, text: "\\n"}'
    learned = tokbench("learn", low, "--merges", "0", *text)
    (tmp_path / "v.json").write_text(learned.stdout)
    assert tokbench("segment", tmp_path / "v.json", stdin=b"lo\n").stdout == "l o \\n\n"
    counts = tokbench("segment", tmp_path / "v.json", "--counts", stdin=b"lo\n")
    assert counts.stdout == "l\t1\no\t1\n\\n\t1\n"
    trace = tokbench("learn", low, "--merges", "1", "--trace", *text)
    assert trace.stdout.count("\n") == 6


@pytest.mark.parametrize(
    ("errors", "lines", "words"),
    [
        ("replace", "low </w>\nlo \ufffd w </w>\nlow </w>\n", ["l", "o", "w", "\ufffd"]),
        ("skip-line", "low </w>\nlow </w>\n", ["l", "o", "w"]),
    ],
)
def test_invalid_utf8_is_replaced_or_skipped_and_reported(
    vocabulary: Path, tmp_path: Path, errors: str, lines: str, words: list[str]
) -> None:
    text = b"low\nlo\xffw\nlow\n"
    options = ("--words", "whitespace", "--errors", errors)
    done = tokbench("segment", vocabulary, *options, stdin=text)
    assert (done.returncode, done.stdout) == (0, lines)
    told = "lines that are not valid UTF-8: 1 (first: "
    what = {"replace": "the bytes became U+FFFD", "skip-line": "skipped"}[errors]
    assert done.stderr == f"warning: {told}<stdin>:2); {what}\n"
    (tmp_path / "bad.txt").write_bytes(text)
    done = tokbench("learn", tmp_path / "bad.txt", "--merges", "0", "-O", "eow=absent", *options)
    assert done.returncode == 0
    assert json.loads(done.stdout)["tokens"] == sorted(words)
    assert done.stderr.startswith(f"warning: train: {told}bad.txt:2); ")


def test_invalid_utf8_is_refused_unless_it_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"low\nlo\xffw\n")
    done = tokbench("learn", tmp_path / "bad.txt", "--merges", "0")
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith(f"error: {tmp_path / 'bad.txt'}:2: not valid UTF-8: found byte")
    assert "(of a command: --errors)" in done.stderr


def changed(vocabulary: Path, **fields: Any) -> Path:
    """Change fields of a vocabulary's JSON; one that is None is left out."""
    document = {**json.loads(vocabulary.read_text()), **fields}
    kept = {key: value for key, value in document.items() if value != "left out"}
    path = vocabulary.with_name("damaged.json")
    path.write_text(json.dumps(kept))
    return path


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"tokens": [1, "a"]}, "expected a list of texts, found [1, 'a']"),
        ({"tokens": "abc"}, "expected a list of texts, found 'abc'"),
        ({"tokens": ["a", "a"]}, "token 'a' stands twice in the vocabulary"),
        ({"tokens": "left out"}, "no 'tokens'"),
        ({"alphabet": {"a": 1}}, "expected a list of texts, found {'a': 1}"),
        ({"learned": [["ab", 1]]}, "expected a list of texts, found 'ab'"),
        ({"learned": [[["a", "b"], "9"]]}, "expected a number, found '9'"),
        ({"learned": [["a"]]}, "not enough values to unpack"),
        ({"special": [True]}, "expected a number, found True"),
        ({"special": [99]}, "id 99 is outside the vocabulary of 15 tokens"),
        ({"unknown": "0"}, "expected a number, found '0'"),
        ({"unknown": -1}, "id -1 is outside the vocabulary of 15 tokens"),
        ({"bytes": {"x": 1}}, "invalid literal for int()"),
        ({"bytes": [1]}, "`bytes`: expected a mapping, found [1]"),
        (
            {"marks": {"eow": {"kind": "loud"}}},
            "marks: eow.kind: Input should be 'absent', 'fused'",
        ),
        ({"segmenter": "bpe"}, "`segmenter`: expected a mapping, found 'bpe'"),
        ({"extra": 5}, "`extra`: expected a mapping, found 5"),
    ],
    ids=str,
)
def test_a_damaged_vocabulary_is_refused(
    vocabulary: Path, fields: dict[str, Any], message: str
) -> None:
    path = changed(vocabulary, **fields)
    done = tokbench("segment", path, stdin=b"low\n")
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith(f"error: {path}: damaged vocabulary: {message}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("segmenter", "code", "message"),
    [
        ({}, 2, "{path} names no segmenter: give one with --segmenter"),
        (
            {"use": "bpe", "speed": 3, "rank": 1},
            4,
            "{path}: its segmenter cannot be built: 2 wrong options in "
            "{{'use': 'bpe', 'speed': 3, 'rank': 1}}",
        ),
        (
            {"use": 5},
            4,
            "{path}: its segmenter cannot be built: 1 wrong options in {{'use': 5}}",
        ),
        (
            {"use": "bep"},
            2,
            "no plugin offers a segmenter 'bep'; did you mean 'bpe' (of tokbench)?",
        ),
    ],
)
def test_a_vocabulary_whose_segmenter_cannot_be_used(
    vocabulary: Path, segmenter: dict[str, Any], code: int, message: str
) -> None:
    path = changed(vocabulary, segmenter=segmenter)
    done = tokbench("segment", path, stdin=b"low\n")
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr == f"error: {message.format(path=path)}\n"
    done = tokbench("segment", path, "--segmenter", "bpe", stdin=b"low\n")
    assert (done.returncode, done.stdout) == (0, "low </w>\n")


def test_a_segmenter_of_the_vocabulary_that_crashes_is_one_message(
    vocabulary: Path, plugin: Callable[[str, str], Path]
) -> None:
    body = "def segment(self, word, v): pass\ndef model_post_init(self, context): sys.exit(0)"
    path = changed(vocabulary, segmenter={"use": "mine"})
    done = tokbench("segment", path, "-p", plugin(SEGMENTER, body), stdin=b"low\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"error: {path}: its segmenter: SystemExit: 0 (mine.py:7)\n"


def test_a_vocabulary_nested_without_end_is_refused(tmp_path: Path) -> None:
    (tmp_path / "v.json").write_text("[" * 200_000)
    done = tokbench("segment", tmp_path / "v.json", stdin=b"low\n")
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == (f"error: {tmp_path / 'v.json'}: nested too deeply: not a vocabulary\n")


@pytest.fixture
def of_bytes(low: Path, tmp_path: Path) -> Path:
    """The vocabulary of a segmenter that cuts whole lines into bytes and their merges."""
    path = tmp_path / "bytes.json"
    done = tokbench("learn", low, "--learner", "byte-bpe", "-O", "read=lines", "--merges", "4")
    assert done.returncode == 0, done.stderr
    path.write_text(done.stdout)
    return path


@pytest.mark.parametrize("segmenter", ["byte-bpe", "bpe"])
def test_tokens_that_are_parts_of_characters_are_distinguished(
    of_bytes: Path, segmenter: str
) -> None:
    """U+C548 is EC 95 88 in UTF-8, U+C549 is EC 95 89; cut as a line and as a word."""
    text = "안앉".encode()
    own = ("--segmenter", segmenter)
    done = tokbench("segment", of_bytes, *own, "--counts", stdin=text)
    assert done.stdout == "<0xEC>\t2\n<0x95>\t2\n<0x88>\t1\n<0x89>\t1\n"
    spelled = ["<0xEC>", "<0x95>", "<0x88>", "<0xEC>", "<0x95>", "<0x89>"]
    done = tokbench("segment", of_bytes, *own, "--format", "json", stdin=text)
    assert json.loads(done.stdout) == [spelled]
    done = tokbench("segment", of_bytes, *own, stdin=text)
    assert done.stdout == " ".join(spelled) + "\n"


def test_tokens_that_are_spelled_alike_are_counted_apart(tmp_path: Path) -> None:
    """The token `a` and the mark of a word's end, which is spelled `a` too."""
    (tmp_path / "aa.txt").write_text("aab\n")
    options = ("--merges", "0", "-O", "eow={kind: separate, text: a}")
    (tmp_path / "v.json").write_text(tokbench("learn", tmp_path / "aa.txt", *options).stdout)
    done = tokbench("segment", tmp_path / "v.json", "--counts", stdin=b"aab aa\n")
    assert done.stdout == "a\t4\nb\t1\na\t2\n"


def test_a_token_is_counted_once_wherever_a_mark_is_displayed(low: Path, tmp_path: Path) -> None:
    options = (
        "--merges",
        "0",
        "-O",
        "eow=absent",
        "-O",
        'continuation={kind: display, text: "@@"}',
    )
    (tmp_path / "v.json").write_text(tokbench("learn", low, *options).stdout)
    assert tokbench("segment", tmp_path / "v.json", stdin=b"wow\n").stdout == "w @@o @@w\n"
    done = tokbench("segment", tmp_path / "v.json", "--counts", stdin=b"wow\n")
    assert done.stdout == "w\t2\no\t1\n"


def test_whole_lines_are_cut_as_each_alone(of_bytes: Path) -> None:
    lines = ["low newest", "", "  lower 안", "\u3000", "x\0y", "widest"] * 2
    text = "".join(f"{line}\n" for line in lines).encode()
    done = tokbench("segment", of_bytes, "--format", "json", stdin=text)
    assert (done.returncode, done.stderr) == (0, "")
    alone = [
        tokbench("segment", of_bytes, "--format", "json", stdin=f"{line}\n".encode()).stdout
        for line in lines[:6]
    ]
    assert done.stdout == "".join(alone * 2)
    assert [len(json.loads(line)) for line in alone] == [1, 0, 1, 1, 1, 1]


def test_lines_are_cut_by_the_thousand(
    vocabulary: Path, plugin: Callable[[str, str], Path], tmp_path: Path
) -> None:
    options = ("--segmenter", "mine", "-p", plugin(LINES, COUNTED.strip()))
    text = b"x" * 99 + b"\n"
    given = (text + b"\n") * 4000
    done = tokbench("segment", vocabulary, *options, stdin=given)
    assert done.returncode == 0, done.stderr
    first = json.loads(vocabulary.read_text())["tokens"][0]
    assert done.stdout == f"{first}\n\n" * 4000
    calls = [int(line) for line in next(tmp_path.glob("*.calls")).read_text().split()]
    assert sum(calls) == 4000
    assert 2 <= len(calls) <= 4


def test_a_text_without_lines_gives_none(of_bytes: Path) -> None:
    done = tokbench("segment", of_bytes, stdin=b"")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert tokbench("segment", of_bytes, stdin=b"\n\n").stdout == "\n\n"


def test_a_segmenter_that_cuts_lines_takes_no_words(of_bytes: Path) -> None:
    done = tokbench("segment", of_bytes, "--words", "whitespace", stdin=b"low\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "error: --words finds words, but segmenter byte-bpe cuts whole lines: leave it out\n"
    )
    help_text = " ".join(tokbench("segment", "--help").stdout.split())
    assert "if whole lines are cut, the JSON list holds one list, that of the line" in help_text


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise ValueError('no')", "ValueError: no"),
        ("return [1]", "segment_lines gave list, not LineTokens"),
        (
            "return LineTokens.from_lengths([0, 1], [0], [4])",
            "the token (id, start, end) (0, 0, 4) of 'low' lies outside it, before another, or has "
            "an id that its vocabulary does not",
        ),
    ],
)
def test_a_segmenter_of_lines_that_fails_is_one_message(
    vocabulary: Path, plugin: Callable[[str, str], Path], body: str, message: str
) -> None:
    path = plugin(LINES, f"def segment_lines(self, lines, v): {body}")
    done = tokbench("segment", vocabulary, "--segmenter", "mine", "-p", path, stdin=b"low\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert PLACE.sub("", done.stderr) == f"error: segmenter mine: {message}\n"


@pytest.fixture
def ready(tmp_path: Path) -> tuple[str, ...]:
    """The options that load a ready-made vocabulary."""
    (tmp_path / "ready.py").write_text(READY)
    return ("--learner", "ready", "-p", str(tmp_path / "ready.py"))


def test_a_ready_made_tokenizer_needs_no_corpus(ready: tuple[str, ...]) -> None:
    done = tokbench("learn", *ready)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["tokens"] == ["a", "b"]
    splits = tokbench("learn", *ready, "--format", "word-splits")
    assert splits.stdout == (
        "==== Alphabet ====\na b\n\n==== Vocabulary ====\n\n==== Merge Rules ====\n"
    )
    trace = tokbench("learn", *ready, "--trace")
    assert (trace.returncode, trace.stdout) == (2, "")
    assert "learner ready has no iterations to show" in trace.stderr


def test_a_ready_made_tokenizer_cuts_the_words_of_a_corpus(
    low: Path, ready: tuple[str, ...]
) -> None:
    low.write_text("ab ba ab\n")
    done = tokbench("learn", low, *ready, "--format", "word-splits")
    assert done.stdout == "==== Vocabulary ====\na b 2\nb a 1\n\n==== Merge Rules ====\n"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--size", "9"), "takes no size and ignores --size"),
        (("--merges", "0"), "takes no size and ignores --merges"),
        (("--size", "9", "--merges", "1"), "takes no size and ignores --size and --merges"),
        (("no-such.txt",), "learns from no text and ignores CORPUS"),
    ],
)
def test_what_a_ready_made_tokenizer_ignores_is_reported(
    ready: tuple[str, ...], given: tuple[str, ...], told: str
) -> None:
    done = tokbench("learn", *given, *ready)
    assert (done.returncode, done.stderr) == (0, f"warning: learner ready {told}\n")
    assert done.stdout == tokbench("learn", *ready).stdout


@pytest.mark.parametrize("reads", ["words", "lines"])
def test_a_learner_that_learns_asks_for_a_corpus(
    plugin: Callable[[str, str], Path], reads: str
) -> None:
    learn = "def learn(self, words, size): pass\ndef learn_lines(self, lines, size): pass\n"
    path = plugin(LEARNER, f"{learn}@property\ndef reads(self): return '{reads}'")
    done = tokbench("learn", "--learner", "mine", "-p", path, "--size", "9")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: learner mine learns from {reads}: give a CORPUS to read\n"
