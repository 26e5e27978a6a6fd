"""`learn` and `segment` as people use them, with the figures that courses print."""

import ast
import json
import re
from pathlib import Path

import pytest

from tests.cli.low import printed
from tests.run_cli import tokbench_here as tokbench

LOW = "low " * 5 + "lower " * 2 + "newest " * 6 + "\n" + "widest " * 3 + "\n"
FENCED = ("--merges", "4", "-O", "eow=fenced", "-O", "ties=first")
PLUGIN = """
from tokbench.api import Learner, Segmenter, TextSegmenter, Vocabulary, hookimpl
from tokbench.api.arrays import LineTokens
class Own(Learner):
    "Learn nothing."
    def learn(self, words, size):
        return Vocabulary(("l",), ("l",), segmenter={"use": "dropping"})
class Dropping(Segmenter):
    "Keep the first letter of a word."
    def segment(self, word, v): return [(word[0], 1), (None, len(word) - 1)]
class Wrong(Segmenter):
    "Return what is not in the word."
    def segment(self, word, v): return ["x"]
class Counting(TextSegmenter):
    "Note how many lines come at once; each is an unknown token."
    def segment_lines(self, lines, v):
        with open(__file__ + ".calls", "a") as calls:
            print(len(lines), file=calls)
        sizes = [len(line.encode()) for line in lines]
        return LineTokens.from_lengths(range(len(lines) + 1), [-1] * len(lines), sizes)
tokbench_learners = hookimpl(lambda: {"own": Own})
tokbench_segmenters = hookimpl(
    lambda: {"dropping": Dropping, "wrong": Wrong, "counting": Counting}
)
"""


@pytest.fixture(scope="module")
def low(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A text, beside a plugin."""
    folder = tmp_path_factory.mktemp("low")
    (folder / "mine.py").write_text(PLUGIN)
    (folder / "low.txt").write_text(LOW)
    return folder / "low.txt"


@pytest.fixture(scope="module")
def vocabulary(low: Path) -> Path:
    return printed(low.with_name("v.json"), "learn", low, *FENCED)


@pytest.fixture(scope="module")
def of_bytes(low: Path) -> Path:
    """A vocabulary of whole lines."""
    options = ("--learner", "byte-bpe", "-O", "read=lines", "--merges", "4")
    return printed(low.with_name("bytes.json"), "learn", low, *options)


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


def test_a_learned_vocabulary_segments_text_line_by_line(vocabulary: Path) -> None:
    done = tokbench("segment", vocabulary, stdin=b"lowest\n\nlow newest\n")
    assert done.stdout == "low est </w>\n\nlow </w> n e w est </w>\n"
    done = tokbench("segment", vocabulary, "--format", "json", stdin=b"lowest\n\nlow low\n")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines == [[["low", "est", "</w>"]], [], [["low", "</w>"], ["low", "</w>"]]]


def test_word_splits_are_those_of_the_course_report(low: Path, tmp_path: Path) -> None:
    """The student report, section 3: the segmented training words with counts, then the merges."""
    options = ("--merges", "4", "-O", "eow=absent", "-O", "ties=first")
    vocabulary = printed(tmp_path / "v.json", "learn", low, *options)
    to_splits = ("--to", "word-splits", "--text", low)
    splits = printed(tmp_path / "vocab.txt", "export", vocabulary, *to_splits)
    assert splits.read_text() == (
        "==== Vocabulary ====\nlow 5\nlow e r 2\nn e w est 6\nw i d est 3\n"
        "\n==== Merge Rules ====\ne s\nes t\nl o\nlo w\n"
    )
    assert tokbench("segment", splits, stdin=b"slower\n").stdout == "s low e r\n"


def test_counts_are_the_korean_vocabulary_after_twenty_merges(shared: Path, tmp_path: Path) -> None:
    """The Korean tutorial, section 3.5: its last printed dictionary, in the same order."""
    (seed,) = (shared.parent / "seeds").glob("001_*.txt")
    text = seed.read_text(encoding="utf-8")
    last = ast.literal_eval(text[text.rindex("{'이</w>'") : text.rindex("}") + 1])
    corpus = ast.literal_eval(re.search(r"corpus = (\[.*?\])", text, re.DOTALL)[1])
    path = tmp_path / "reviews.txt"
    path.write_text("\n".join(corpus) + "\n", encoding="utf-8")
    words = ("--words", "whitespace", "--normalise", r"remove=[^가-힣\s]")
    options = ("-O", "merge=replace", "-O", "eow=separate", "-O", "ties=first")
    learned = printed(tmp_path / "v.json", "learn", path, "--merges", "20", *words, *options)
    done = tokbench("segment", learned, path, *words, "--counts")
    counts = [line.split("\t") for line in done.stdout.splitlines()]
    assert [(token, int(count)) for token, count in counts] == [*last.items()]


def test_a_trace_calls_scores_what_they_are(low: Path) -> None:
    done = tokbench("learn", low, "--learner", "wordpiece", "--merges", "1", "--trace")
    assert "\n  scores: " in done.stdout
    assert "counts:" not in done.stdout


def test_a_ready_made_tokenizer_is_learned_from_no_corpus(vocabulary: Path) -> None:
    ready = ("--learner", "vocabulary", "-O", f"path={vocabulary}")
    assert tokbench("learn", *ready).stdout == vocabulary.read_text()


def test_a_segmenter_may_drop_text_that_another_format_cannot(
    low: Path, vocabulary: Path, tmp_path: Path
) -> None:
    plugin = ("-p", low.with_name("mine.py"))
    done = tokbench("segment", vocabulary, "--segmenter", "dropping", *plugin, stdin=b"low")
    assert (done.returncode, done.stdout, done.stderr) == (0, "l\n", "")
    own = ("learn", low, "--size", "9", "--learner", "own", *plugin)
    learned = printed(tmp_path / "own.json", *own)
    done = tokbench("export", learned, "--to", "word-splits", "--text", low, *plugin)
    message = "error: word-splits cannot carry the token '': it is empty\n"
    assert (done.returncode, done.stdout, done.stderr) == (4, "", message)


@pytest.mark.parametrize("form", [(), ("--format", "json"), ("--counts",)])
def test_a_segmenter_that_fails_leaves_no_output(vocabulary: Path, form: tuple[str, ...]) -> None:
    options = ("--segmenter", "wrong", "-p", vocabulary.with_name("mine.py"), *form)
    done = tokbench("segment", vocabulary, *options, stdin=b"low low\n")
    message = "error: segmenter wrong: the tokens ['x'] of 'low' do not cover it: they join to 'x'"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"{message}\n")


def test_a_token_that_ends_a_line_does_not_end_the_line_printed(low: Path, tmp_path: Path) -> None:
    text = "-O", 'eow={kind: separate, text: "\\n"}'
    learned = printed(tmp_path / "v.json", "learn", low, "--merges", "0", *text)
    assert tokbench("segment", learned, stdin=b"lo\n").stdout == "l o \\n\n"
    counts = tokbench("segment", learned, "--counts", stdin=b"lo\n")
    assert counts.stdout == "l\t1\no\t1\n\\n\t1\n"
    trace = tokbench("learn", low, "--merges", "1", "--trace", *text)
    assert trace.stdout.count("\n") == 6


@pytest.mark.parametrize(
    ("errors", "lines"),
    [
        ("replace", "low </w>\nlo \ufffd w </w>\nlow </w>\n"),
        ("skip-line", "low </w>\nlow </w>\n"),
    ],
)
def test_invalid_utf8_is_replaced_or_skipped_and_reported(
    vocabulary: Path, tmp_path: Path, errors: str, lines: str
) -> None:
    text = b"low\nlo\xffw\nlow\n"
    options = ("--words", "whitespace", "--errors", errors)
    done = tokbench("segment", vocabulary, *options, stdin=text)
    assert (done.returncode, done.stdout) == (0, lines)
    where = "lines that are not valid UTF-8: 1 (first: "
    what = {"replace": "the bytes became U+FFFD", "skip-line": "skipped"}[errors]
    assert done.stderr == f"warning: text: {where}<stdin>:2); {what}\n"
    (tmp_path / "bad.txt").write_bytes(text)
    done = tokbench("learn", tmp_path / "bad.txt", "--merges", "0", *options)
    assert (done.returncode, "\ufffd" in json.loads(done.stdout)["tokens"]) == (
        0,
        errors == "replace",
    )
    assert done.stderr.startswith(f"warning: train: {where}bad.txt:2); ")


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


def test_tokens_that_are_spelled_alike_are_counted_apart(low: Path, tmp_path: Path) -> None:
    """The token `o` and the mark of a word's end, which is spelled `o` too."""
    options = ("--merges", "0", "-O", "eow={kind: separate, text: o}")
    learned = printed(tmp_path / "v.json", "learn", low, *options)
    done = tokbench("segment", learned, "--counts", stdin=b"oow oo\n")
    assert done.stdout == "o\t4\nw\t1\no\t2\n"


def test_a_token_is_counted_once_wherever_a_mark_is_displayed(low: Path, tmp_path: Path) -> None:
    marks = ("-O", "eow=absent", "-O", 'continuation={kind: display, text: "@@"}')
    learned = printed(tmp_path / "v.json", "learn", low, "--merges", "0", *marks)
    assert tokbench("segment", learned, stdin=b"wow\n").stdout == "w @@o @@w\n"
    done = tokbench("segment", learned, "--counts", stdin=b"wow\n")
    assert done.stdout == "w\t2\no\t1\n"


def test_lines_are_cut_by_the_thousand_and_unknown_tokens_shown_by_their_text(
    vocabulary: Path,
) -> None:
    plugin = vocabulary.with_name("mine.py")
    text = ("한 é" + "x" * 99 + "\n\n") * 4000
    options = ("--segmenter", "counting", "-p", plugin)
    done = tokbench("segment", vocabulary, *options, stdin=text.encode())
    assert (done.returncode, done.stdout) == (0, text), done.stderr
    calls = [int(line) for line in Path(f"{plugin}.calls").read_text().split()]
    assert sum(calls) == 4000
    assert 2 <= len(calls) <= 4


def test_a_text_without_lines_gives_none(of_bytes: Path) -> None:
    done = tokbench("segment", of_bytes, stdin=b"")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert tokbench("segment", of_bytes, stdin=b"\n\n").stdout == "\n\n"


def test_records_are_learned_and_cut_as_their_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("low lower\nnewest\nlow\n")
    records = [{"id": 1, "review": "low lower\nnewest"}, {"id": 2, "review": "low"}]
    (tmp_path / "a.json").write_text(json.dumps(records))
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.csv").write_text('review\n"low lower\nnewest"\nlow\n')
    done = tokbench("learn", "a.txt", "--merges", "3", cwd=tmp_path)
    (tmp_path / "v.json").write_text(done.stdout)
    cut = tokbench("segment", "v.json", "a.txt", cwd=tmp_path).stdout
    for text in ("a.json", "texts", "texts/*"):
        again = tokbench("learn", text, "--field", "review", "--merges", "3", cwd=tmp_path)
        assert (again.stdout, again.stderr) == (done.stdout, "")
        options = ("--field", "review", "v.json", text)
        assert tokbench("segment", *options, cwd=tmp_path).stdout == cut
        documents = tokbench("segment", "--document", *options, cwd=tmp_path).stdout
        assert documents.count("\n") == len(records)
