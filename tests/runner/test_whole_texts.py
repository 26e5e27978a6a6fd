"""Texts cut whole, metrics that name a system, and runs without a training text."""

import gzip
from pathlib import Path

import pytest

from tests import pages
from tests.pages import Key
from tests.run_cli import tokbench_here as tokbench
from tokbench import Run

TEXT = "\ufeff가나 ab\r\n\r\n  two words \n\n\nlast\u2028line"
"""A byte order mark, two kinds of line ends, blank lines, no end at the end."""
METRICS = "metrics: [tokens, text-tokens, text-bytes-per-token, fertility, {use: nsl, of: bytes}]\n"
BYTES = "systems: [{name: bytes, learner: utf8-bytes}]\n"
BOTH = "systems: [{name: bytes, learner: utf8-bytes}, {name: points, learner: code-points}]\n"


def run(folder: Path, test: str, systems: str = BYTES, metrics: str = METRICS) -> tuple[int, str]:
    (folder / "config.yaml").write_text(f"corpora: {{test: {test}}}\n{systems}{metrics}", "utf-8")
    done = tokbench("run", "-q", folder / "config.yaml", "-o", folder / "out")
    return done.returncode, done.stderr


def value(folder: Path, system: str, metric: str, corpus: str = "test") -> str:
    return pages.read(folder / "out")[Key(system, corpus, metric, context="in-context")]["value"]


@pytest.mark.ci
def test_a_joined_text_is_the_file(tmp_path: Path) -> None:
    """With `spaces`, one space stands for each line end."""
    (tmp_path / "t.txt").write_bytes(TEXT.encode())
    spaces = "spaces: {path: t.txt, lines: spaces}"
    code, _ = run(tmp_path, f"{{test: {{path: t.txt, lines: joined}}, {spaces}}}", BOTH)
    assert code == 0
    text = TEXT.removeprefix("\ufeff")
    spaced = text.replace("\r\n", " ").replace("\n", " ")
    assert value(tmp_path, "points", "text-tokens", "spaces") == str(len(spaced))
    size = len(text.encode())
    assert value(tmp_path, "bytes", "text-tokens") == str(size)
    assert value(tmp_path, "points", "text-tokens") == str(len(text))
    assert float(value(tmp_path, "points", "text-bytes-per-token")) == pytest.approx(
        size / len(text), rel=1e-11
    )
    assert float(value(tmp_path, "points", "nsl(of=bytes)")) == pytest.approx(
        len(text) / size, rel=1e-11
    )
    assert value(tmp_path, "bytes", "nsl(of=bytes)") == "1"
    # Words are those of the lines: 가나, ab, two, words, last, line.
    words = sum(len(word.encode()) for word in ("가나", "ab", "two", "words", "last", "line"))
    assert float(value(tmp_path, "bytes", "fertility")) == pytest.approx(words / 6, rel=1e-11)


def test_lines_apart_have_neither_ends_nor_blank_lines(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes(TEXT.encode())
    assert run(tmp_path, "t.txt")[0] == 0
    lines = ("가나 ab", "  two words ", "last\u2028line")
    assert value(tmp_path, "bytes", "text-tokens") == str(sum(len(x.encode()) for x in lines))


def test_a_document_is_a_file_or_a_block(tmp_path: Path) -> None:
    blocks = "\n\none a\n\u00a0\none b\n\n \t\ntwo\n\n\nthree\r\nthree\n"
    (tmp_path / "a.txt").write_text(blocks, "utf-8", newline="")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"more\nand more"))
    joined = "[a.txt, b.txt.gz], lines: joined"
    assert run(tmp_path, f"{{path: {joined}, documents: blocks}}")[0] == 0
    documents = ("one a\n\u00a0\none b\n", "two\n", "three\r\nthree\n", "more\nand more")
    assert value(tmp_path, "bytes", "text-tokens") == str(
        sum(len(document.encode()) for document in documents)
    )
    words = Run.load(tmp_path / "out").words("test")
    assert [words.order[a:b].size for a, b in zip(words.lines, words.lines[1:], strict=False)] == [
        4, 1, 2, 3,
    ]  # fmt: skip
    assert run(tmp_path, f"{{path: {joined}}}")[0] == 0
    assert value(tmp_path, "bytes", "text-tokens") == str(len((blocks + documents[3]).encode()))


def test_lines_are_normalised_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes(b"One\r\nTWO 2\nbad \xff\nend")
    steps = "normalise: [lowercase, {remove: '[0-9]$'}]"
    assert run(tmp_path, f"{{path: t.txt, lines: joined, {steps}, errors: skip-line}}")[0] == 0
    assert value(tmp_path, "bytes", "text-tokens") == str(len("one\r\ntwo \nend"))


def test_a_document_that_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokbench.corpora.files.LONGEST_DOCUMENT", 100)
    (tmp_path / "t.txt").write_text("short\n\n" + "가나\n" * 15, "utf-8")  # 45 characters
    code, stderr = run(tmp_path, f"{{path: {tmp_path}/t.txt, lines: joined, documents: blocks}}")
    assert code == 4
    assert "t.txt:3: a document of more than 100 bytes: joined lines are cut all at once" in stderr
    assert not (tmp_path / "out").exists()


def test_a_run_without_a_training_text_says_nothing_of_one(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("a b c\n" * 30, "utf-8")
    (tmp_path / "g.tsv").write_text("unbroken\tun broken\n", "utf-8")
    corpora = "t.txt, gold: {g: g.tsv}, lists: {l: g.txt}"
    (tmp_path / "g.txt").write_text("novel\tnew\n", "utf-8")
    code, stderr = run(tmp_path, corpora, metrics="metrics: all\n")
    assert (code, [line for line in stderr.splitlines() if "training" in line]) == (0, [])
    rows = pages.read(tmp_path / "out")
    assert {row["subset"] for row in rows.values()} == {"all", "category:new"}
    assert not [row for row in rows.values() if "unseen" in row["metric"]]
    loaded = Run.load(tmp_path / "out")
    assert loaded.words("test").train_count is None
    assert "train=" not in (tmp_path / "out" / "data/signatures.csv").read_text("utf-8")


LOSSY = """
from tokbench.api import Learner, TextSegmenter, Vocabulary, hookimpl
from tokbench.api.arrays import LineTokens
class Few(Learner):
    "Knows one letter."
    @property
    def reads(self):
        return "nothing"
    def load(self):
        return Vocabulary(("a",), segmenter={"use": "few"})
class Cut(TextSegmenter):
    "Cut into letters."
    def segment_lines(self, lines, prepared):
        row = [0]
        for line in lines:
            row.append(row[-1] + len(line))
        ids = [prepared.ids.get(letter, -1) for line in lines for letter in line]
        return LineTokens.from_lengths(row, ids, [1] * len(ids))
@hookimpl
def tokbench_learners():
    return {"few": Few}
@hookimpl
def tokbench_segmenters():
    return {"few": Cut}
"""


def test_a_named_system_that_loses_text_is_no_measure(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("a b c\n" * 30, "utf-8")
    (tmp_path / "few.py").write_text(LOSSY, "utf-8")
    config = (
        "systems: [few, utf8-bytes]\nmetrics: [{use: nsl, of: few}, {use: nsl, of: utf8-bytes}]\n"
    )
    (tmp_path / "c.yaml").write_text(f"corpora: {{test: t.txt}}\n{config}", "utf-8")
    done = tokbench(
        "run", "-q", "-p", tmp_path / "few.py", tmp_path / "c.yaml", "-o", tmp_path / "out"
    )
    assert done.returncode == 0, done.stderr
    assert "nsl(of=few): undefined on test: few loses or does not know words there" in done.stderr
    assert value(tmp_path, "utf8-bytes", "nsl(of=few)") == ""
    row = pages.read(tmp_path / "out")[
        Key("few", "test", "nsl(of=utf8-bytes)", context="in-context")
    ]
    assert (row["value"], row["gated"]) == ("1", "yes")


def test_training_samples_leave_metrics_of_two_systems_out(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("the cat sat\nhere\n" * 30, "utf-8")
    systems = "systems: [{name: bytes, learner: utf8-bytes}, "
    systems += "{name: lines, learner: {use: byte-bpe, read: lines, split: none}, sizes: [262]}]\n"
    metrics = f"{METRICS}training-samples: 2\n"
    assert run(tmp_path, "t.txt, train: t.txt", systems, metrics)[0] == 0
    rows = pages.read(tmp_path / "out")

    def row(metric: str) -> dict[str, str]:
        return rows[Key("lines", "test", metric, "262", context="in-context")]

    assert row("text-tokens")["training-agree"] == "1"
    nsl = row("nsl(of=bytes)")
    assert (nsl["training-agree"], nsl["training-sd"]) == ("", "")
    assert float(nsl["value"]) < 1


def test_joined_texts_are_parallel_by_document(tmp_path: Path) -> None:
    (tmp_path / "en.txt").write_text("one\nmore\n\ntwo\n", "utf-8")
    (tmp_path / "ko.txt").write_text("하나\n\n둘\n", "utf-8")
    options = "lines: joined, documents: blocks"
    texts = f"{{en: {{path: en.txt, {options}}}, ko: {{path: ko.txt, {options}}}}}"
    assert run(tmp_path, texts, metrics="metrics: [{use: parity, reference: en}]\n")[0] == 0
    parity = float(value(tmp_path, "bytes", "parity(reference=en)", "ko"))
    assert parity == pytest.approx(len("하나\n둘\n".encode()) / len("one\nmore\ntwo\n"), rel=1e-11)


UNFIT = {
    "failed": ("{name: other, learner: {use: vocabulary, path: v.json}}", "other has no results"),
    "cuts words": ("{name: other, learner: char}", "other cuts words alone, not whole lines"),
    "isolated": (
        "{name: other, learner: utf8-bytes, context: isolated}",
        "other cuts words alone, not whole lines",
    ),
}


@pytest.mark.parametrize("case", UNFIT)
def test_a_named_system_without_a_result_leaves_the_cell_empty(case: str, tmp_path: Path) -> None:
    system, why = UNFIT[case]
    (tmp_path / "t.txt").write_text("a b c\n" * 30, "utf-8")
    (tmp_path / "v.json").write_text("{}", "utf-8")
    code, stderr = run(
        tmp_path,
        "t.txt, train: t.txt",
        f"systems: [{{name: bytes, learner: utf8-bytes}}, {system}]\n",
        "metrics: [tokens, {use: nsl, of: other}]\n",
    )
    assert code == (1 if case == "failed" else 0)
    assert f"warning: metric nsl(of=other): undefined on test: {why}" in stderr
    row = pages.read(tmp_path / "out")[Key("bytes", "test", "nsl(of=other)", context="in-context")]
    assert (row["value"], row["n"], row["status"]) == ("", "", "undefined")


@pytest.mark.ci
def test_a_named_system_may_stand_later(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("가 b c\n" * 30, "utf-8")
    points = "{name: points, learner: code-points}"
    systems = f"systems: [{points}, {{name: bytes, learner: utf8-bytes, context: both}}]\n"
    assert run(tmp_path, "t.txt", systems)[0] == 0
    assert float(value(tmp_path, "points", "nsl(of=bytes)")) == pytest.approx(5 / 7, rel=1e-11)
