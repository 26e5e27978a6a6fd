"""`tokbench count`: the same words and order as a run counts, from files of all kinds."""

import gzip
import json
import os
import sys
from io import BytesIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import zstandard

from tests.run_cli import small_files
from tests.run_cli import tokbench as tokbench_apart
from tests.run_cli import tokbench_here as tokbench
from tests.tiny import TEXTS, config

HEADER = '#tokbench-counts\t{"format": 1, "words": "words.v2", "normalise": []}\n'
LINES = ["Low lower, low\n", "the newest\tand the WIDEST\n", "\n", "low 새 단어 low\n"]
COUNTED = "Low\t1\nlower\t1\n,\t1\nlow\t3\nthe\t2\nnewest\t1\nand\t1\nWIDEST\t1\n새\t1\n단어\t1\n"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("".join(LINES), encoding="utf-8")
    return path


def counted(*arguments: str | Path, cwd: Path, name: str = "words.tsv", **environment: str) -> str:
    """Count, which must succeed without a word on stderr, and return what was written."""
    (cwd / name).unlink(missing_ok=True)
    done = tokbench("count", *arguments, "-o", name, cwd=cwd, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    return (cwd / name).read_text("utf-8")


def refused(*arguments: str | Path, cwd: Path, code: int = 4) -> str:
    """Count, which must fail with this code and write nothing; return the message."""
    before = {*cwd.rglob("*")}
    done = tokbench("count", *arguments, "-o", "new/words.tsv", cwd=cwd)
    assert (done.returncode, done.stdout) == (code, "")
    assert {*cwd.rglob("*")} == before
    return done.stderr


def test_words_stand_in_the_order_in_which_they_first_occur(text: Path) -> None:
    done = tokbench("count", text, "-o", "deep/words.tsv", cwd=text.parent)
    assert (done.returncode, done.stderr) == (0, "")
    counts = "13 words, 10 distinct, of 1 file (punctuation counts as words)\n"
    assert done.stdout == f"deep/words.tsv: {counts}"
    assert (text.parent / "deep" / "words.tsv").read_text("utf-8") == HEADER + COUNTED


def test_a_gzipped_file_has_neither_a_time_nor_a_name(text: Path) -> None:
    for name in ("a.tsv.gz", "b.tsv.gz"):
        assert tokbench("count", text, "-o", name, cwd=text.parent).returncode == 0
        os.utime(text, (0, 0))
    compressed, again = ((text.parent / name).read_bytes() for name in ("a.tsv.gz", "b.tsv.gz"))
    assert compressed == again
    assert gzip.decompress(compressed).decode() == HEADER + COUNTED


def test_a_file_and_its_new_folders_are_on_the_disk(
    text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The calls are the real ones, written down."""
    synced: list[str] = []
    fsync = os.fsync

    def noted(handle: int) -> None:
        place = Path(os.readlink(f"/proc/self/fd/{handle}"))
        names = sorted(path.name for path in place.iterdir()) if place.is_dir() else []
        synced.append(" ".join([place.relative_to(text.parent).as_posix(), *names]))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", noted)
    assert tokbench("count", text, "-o", "a/b/words.tsv", cwd=text.parent).returncode == 0
    parent, outer, file, inner = synced
    assert (parent, outer, inner) == (". a text.txt", "a b", "a/b words.tsv")
    assert file.startswith("a/b/.tokbench-")


def table_bytes(rows: list[str]) -> bytes:
    """Return a table with a column of texts, as a file holds it."""
    table_of(file := BytesIO(), rows)
    return file.getvalue()


def table_of(path: Path | BytesIO, rows: Any, **options: Any) -> None:
    """Write a table with a column of texts."""
    import pyarrow
    from pyarrow import parquet

    table = pyarrow.table({"id": range(len(rows)), "text": rows})
    parquet.write_table(table, path, compression="zstd", **options)


def test_records_and_tables_are_counted_by_name_and_by_address(tmp_path: Path) -> None:
    table_of(tmp_path / "a.parquet", ["".join(LINES[:1]), "".join(LINES[1:])])
    records = "".join(json.dumps({"id": 1, "text": line}) + "\n" for line in LINES)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(records.encode()))
    for name in ("a.parquet", "b.jsonl.gz"):
        assert counted(name, "--field", "text", cwd=tmp_path) == HEADER + COUNTED
        address = f"file://{tmp_path}/{name[:-3]}*"
        assert counted(address, cwd=tmp_path) == HEADER + COUNTED


def test_files_far_away_are_read_where_they_are(tmp_path: Path) -> None:
    import fsspec

    memory = fsspec.filesystem("memory")
    memory.pipe("/texts/b.txt.gz", gzip.compress("".join(LINES[2:]).encode()))
    memory.pipe("/texts/a.txt", "".join(LINES[:2]).encode())
    assert counted("memory://texts/*", cwd=tmp_path) == HEADER + COUNTED
    message = refused("memory://texts/none.txt", cwd=tmp_path)
    assert message == "error: memory://texts/none.txt: no such file\n"
    message = refused("memory://texts/a.txt", "memory:///texts/a.txt", cwd=tmp_path, code=2)
    assert message.startswith("error: memory:///texts/a.txt: is named twice")
    memory.pipe("/tables/a.parquet", table_bytes(["".join(LINES)]))
    assert counted("memory://tables/a.parquet", cwd=tmp_path) == HEADER + COUNTED
    memory.pipe("/texts/wrong.txt", b"low\nlow\xff\n")
    message = refused("memory://texts/wrong.txt", cwd=tmp_path)
    assert message.startswith("error: memory://texts/wrong.txt:2: not valid UTF-8: found byte 0xff")


def test_a_pattern_names_files_in_the_order_of_their_names(text: Path) -> None:
    for number, line in enumerate(LINES):
        (text.parent / f"part-{number}.txt").write_text(line, encoding="utf-8")
    (text.parent / "part-9").mkdir()
    assert counted("part-*", cwd=text.parent) == HEADER + COUNTED
    text.rename(text.parent / "p[0].txt")  # a name, not a pattern
    assert counted("p[0].txt", cwd=text.parent) == HEADER + COUNTED


def test_a_record_is_a_line_whatever_it_holds(tmp_path: Path) -> None:
    text = {"text": "one\nsix\r\ntwo\x00"}
    (tmp_path / "a.jsonl").write_text(f"\ufeff{json.dumps(text)}\n\n", encoding="utf-8")
    assert counted("a.jsonl", cwd=tmp_path).split()[-8:] == [
        *("one", "1", "six", "1", "two", "1", "\0", "1")
    ]


@pytest.mark.parametrize("words", ["words", "whitespace", "gpt2"])
def test_parts_add_up_to_the_whole(tmp_path: Path, words: str) -> None:
    """Files together, one after the other, and as parts that are added up."""
    texts = ["low  lower.", "", "é\t\n\nnew low", " \\x20 새,"]
    (tmp_path / "whole.txt").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    names = [f"{number}.txt" for number in range(len(texts))]
    for name, text in zip(names, texts, strict=True):
        (tmp_path / name).write_text(f"{text}\n", encoding="utf-8")
    expected = counted("whole.txt", "--words", words, cwd=tmp_path)
    assert counted(*names, "--words", words, cwd=tmp_path) == expected
    assert (
        counted("whole.txt", "--words", words, cwd=tmp_path, TOKBENCH_ENGINE="python") == expected
    )
    for part, files in {"a.tsv": names[:2], "b.tsv": names[2:3], "c.tsv": names[3:]}.items():
        counted(*files, "--words", words, cwd=tmp_path, name=part)
    counted("--merge", "b.tsv", "c.tsv", cwd=tmp_path, name="bc.tsv")
    assert counted("--merge", "a.tsv", "bc.tsv", cwd=tmp_path) == expected


# What a run makes of them


def run(folder: Path, name: str, train: str) -> dict[str, bytes]:
    """Run the worked example on a training text; return its results and vocabularies."""
    (folder / f"{name}.yaml").write_text(
        config(corpora=f"{{train: {train}, test: {{held-out: test.txt}}}}"), encoding="utf-8"
    )
    done = tokbench("run", "-q", "-o", name, f"{name}.yaml", cwd=folder)
    assert done.returncode == 0, done.stderr
    out = folder / name
    files = [out / "results.csv", *sorted((out / "data/vocabularies").iterdir())]
    return {file.name: file.read_bytes() for file in files}


@pytest.mark.parametrize(
    ("treatment", "options"),
    [
        (", words: gpt2", ("--words", "gpt2")),
        (
            ", normalise: [lowercase, {remove: '^a'}]",
            ("--normalise", "lowercase", "--normalise", "remove=^a"),
        ),
    ],
    ids=["words with spaces", "normalised once"],
)
def test_a_run_learns_the_same_from_text_and_from_counts(
    tmp_path: Path, treatment: str, options: tuple[str, ...]
) -> None:
    for name, body in TEXTS.items():
        (tmp_path / f"{name}.txt").write_text(body, encoding="utf-8")
    counted("train.txt", *options, cwd=tmp_path)
    of_text = run(tmp_path, "one", f"{{path: train.txt{treatment}}}")
    of_counts = run(tmp_path, "other", f"{{path: words.tsv, format: counts{treatment}}}")
    assert of_text == of_counts


@pytest.mark.ci
@pytest.mark.parametrize(
    ("command", "header", "code", "message"),
    [
        ("check tiny.yaml", HEADER, 0, ""),
        (
            "check tiny.yaml",
            HEADER.replace('"words": "words.v2"', '"words": "whitespace"'),
            2,
            "error: /dev/stdin:1: its words were found with `words: whitespace`",
        ),
        (
            "count /dev/stdin -o new.tsv",
            HEADER,
            4,
            "error: /dev/stdin:1: found the word counts of `tokbench count`, expected text",
        ),
    ],
)
def test_counts_from_a_pipe_are_checked_when_they_are_read(
    tmp_path: Path, command: str, header: str, code: int, message: str
) -> None:
    (tmp_path / "test.txt").write_text(TEXTS["test"])
    corpora = "{train: {path: /dev/stdin, format: counts}, test: {held-out: test.txt}}"
    (tmp_path / "tiny.yaml").write_text(config(corpora=corpora))
    done = tokbench_apart(*command.split(), cwd=tmp_path, stdin=f"{header}low\t1\n".encode())
    assert done.returncode == code
    assert done.stderr.startswith(message)
    assert not (tmp_path / "new.tsv").exists()


def test_a_word_may_be_called_like_the_header(tmp_path: Path) -> None:
    (tmp_path / "words.tsv").write_text("#tokbench-counts\t5\nab\t5\n")
    (tmp_path / "test.txt").write_text(TEXTS["test"])
    corpora = "{train: {path: words.tsv, format: counts}, test: {held-out: test.txt}}"
    (tmp_path / "tiny.yaml").write_text(config(corpora=corpora))
    done = tokbench("check", "tiny.yaml", cwd=tmp_path)
    assert "train words: 10 words, 2 distinct" in done.stdout


# Bad input


def test_a_file_that_cannot_be_counted_fails_alone_with_its_name(text: Path) -> None:
    folder = text.parent
    for name, data in {
        "bad.txt": b"low\xff\n",
        "cut.txt.gz": gzip.compress(b"low" * 99)[:20],
    }.items():
        (folder / name).write_bytes(data)
    done = tokbench("count", "bad.txt", text.name, "cut.txt.gz", "-o", "w.tsv", cwd=folder)
    assert (done.returncode, done.stdout) == (4, "")
    bad, cut, error = done.stderr.splitlines()
    assert bad.startswith("failed: bad.txt:1: not valid UTF-8: found byte 0xff at byte offset 3")
    assert cut.endswith("cut.txt.gz: truncated gzip file: it ends in the middle")
    assert error == (
        "error: 2 of 3 files could not be counted: nothing was written; "
        "--skip-failed leaves them out"
    )
    assert not (folder / "w.tsv").exists()
    files = ("bad.txt", text.name, "cut.txt.gz")
    done = tokbench("count", *files, "-o", "w.tsv", "--skip-failed", cwd=folder)
    assert done.returncode == 1
    assert done.stdout == "w.tsv: 13 words, 10 distinct, of 1 file (punctuation counts as words)\n"
    assert done.stderr.splitlines()[2:] == ["warning: 2 of 3 files are left out"]
    assert (folder / "w.tsv").read_text("utf-8") == HEADER + COUNTED
    message = refused("bad.txt", "cut.txt.gz", "--skip-failed", cwd=folder)
    assert "\nerror: 2 of 2 files could not be counted: nothing was written; " in message


def test_of_many_failures_the_first_are_printed_and_all_are_counted(tmp_path: Path) -> None:
    for number in range(25):
        (tmp_path / f"{number}.txt").write_bytes(b"\xff")
    lines = refused("*.txt", cwd=tmp_path).splitlines()
    assert len(lines) == 21
    assert lines[20].startswith("error: 25 of 25 files could not be counted")


FILES = {
    "cut.txt.zst": (
        zstandard.compress(b"low lower " * 999)[:-9],
        "truncated zstd file: it ends in the mid",
    ),
    "damaged.zst": (b"\x28\xb5\x2f\xfd" + b"\xff" * 99, "damaged zstd file: "),
}


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_named(tmp_path: Path, name: str) -> None:
    data, message = FILES[name]
    (tmp_path / name).write_bytes(data)
    assert refused(name, cwd=tmp_path).startswith(f"error: {name}: {message}")


def test_a_table_with_two_columns_of_the_name(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    table = pyarrow.Table.from_arrays([["low"], ["lower"], [1]], names=["text", "text", "id"])
    parquet.write_table(table, tmp_path / "a.parquet")
    message = refused("a.parquet", cwd=tmp_path)
    assert message == "error: a.parquet: 2 columns 'text', expected one\n"


def test_tables_whose_column_is_no_text(tmp_path: Path) -> None:
    table_of(tmp_path / "a.parquet", ["low", None])
    message = refused("a.parquet", cwd=tmp_path)
    assert message == "error: a.parquet:2: the field 'text' holds null, expected a text\n"
    table_of(tmp_path / "b.parquet", [[1], [2]])
    message = refused("b.parquet", cwd=tmp_path)
    assert message == "error: b.parquet:1: the field 'text' holds [1], expected a text\n"


@pytest.mark.ci
def test_a_line_or_row_that_is_too_long_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.zst").write_bytes(zstandard.compress(b"low\n" + b"a " * 25_000_001))
    rows = ["low", "새" * 3_333_333, "a " * 25_000_001, *["low"] * 9]
    table_of(tmp_path / "a.parquet", rows)
    for name, number in (("a.zst", 2), ("a.parquet", 3)):
        assert refused(name, cwd=tmp_path) == (
            f"error: {name}:{number}: a line of more than 50,000,000 bytes; put line ends into it, "
            "as `fold -s -w 10000 OLD > NEW` does\n"
        )


def test_a_table_of_categories_is_one_of_texts(tmp_path: Path) -> None:
    import pyarrow

    column = pyarrow.array(["low lower", "low lower", "low"]).dictionary_encode()
    table_of(tmp_path / "a.parquet", column)
    assert counted("a.parquet", cwd=tmp_path) == f"{HEADER}low\t3\nlower\t2\n"


def test_a_vocabulary_that_is_counted_as_a_text_is_warned_of(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\nlow\n##er\n", "utf-8")
    done = tokbench("count", "vocab.txt", "-o", "words.tsv", cwd=tmp_path)
    assert done.returncode == 0
    looks = "is read as text, but this looks like the vocab.txt of BERT"
    assert done.stderr.startswith(f"warning: count: vocab.txt: {looks}: import it ")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX")
def test_a_named_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.zst")
    assert refused("pipe.zst", cwd=tmp_path) == "error: pipe.zst: is a named pipe; give a file\n"


@pytest.mark.parametrize(
    ("module", "arguments", "extra"),
    [
        ("zstandard", ("a.zst",), "zst"),
        ("pyarrow", ("a.parquet",), "parquet"),
        ("fsspec.core", ("s3://a/b",), "remote"),
        ("distributed", ("a.txt", "--dask", "local"), "dask"),
    ],
)
def test_a_missing_extra_is_named(
    tmp_path: Path, module: str, arguments: tuple[str, ...], extra: str
) -> None:
    (tmp_path / "a.zst").write_bytes(zstandard.compress(b"low"))
    for name in ("a.txt", "a.parquet"):
        (tmp_path / name).write_text("low")
    with patch.dict(sys.modules, {module: None}):
        message = refused(*arguments, cwd=tmp_path, code=3)
    assert f" needs {module}: pip install 'tokbench[{extra}]'" in message


def test_a_failed_write_leaves_nothing(text: Path) -> None:
    """Where the disk is full, for which a limit of file size stands."""
    with small_files(50):
        done = tokbench("count", text.name, "-o", "w.tsv", cwd=text.parent)
    message = "error: w.tsv: cannot be written: File too large\n"
    assert (done.returncode, done.stderr) == (4, message)
    assert [*text.parent.iterdir()] == [text]


def test_a_file_that_is_named_twice_is_refused_by_any_name(text: Path) -> None:
    folder, name = text.parent, text.name
    (folder / "a-link.txt").symlink_to(name)
    (folder / "hard").hardlink_to(text)
    for named, again, earlier in (
        ((name, "a-link.txt"), "a-link.txt", name),
        (("*.txt",), name, "a-link.txt"),
        ((name, "hard"), "hard", name),
        ((name, f"file://{folder}/{name}"), f"{folder}/{name}", name),
        (("file://hard", f"simplecache::file://{folder}/hard"), f"{folder}/hard", f"{folder}/hard"),
    ):
        twice = "is named twice, so its words would count twice"
        message = refused(*named, cwd=folder, code=2)
        assert message == f"error: {again}: {twice}: leave it out, or {earlier}\n"
    assert counted("a-link.txt", cwd=folder) == HEADER + COUNTED
    (folder / "copy.txt").write_bytes(text.read_bytes())
    assert "\nlow\t6\n" in counted("copy.txt", name, cwd=folder)


def test_a_column_that_is_no_text_is_refused_with_its_row(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    values = pa.array([b"low", b"\xff"]).cast(pa.string(), safe=False)
    pq.write_table(pa.table({"text": values}), tmp_path / "odd.parquet")
    message = refused("odd.parquet", cwd=tmp_path)
    assert "odd.parquet:2: the column text is no valid UTF-8: invalid start byte" in message


def test_counts_of_an_older_splitter_are_read_with_a_warning(tmp_path: Path) -> None:
    """They are not added to counts of another version, whose words are other ones."""
    (tmp_path / "test.txt").write_text(TEXTS["test"])
    (tmp_path / "old.tsv").write_text(HEADER.replace("words.v2", "words") + "low\t1\n")
    (tmp_path / "new.tsv").write_text(HEADER + "low\t1\n")
    corpora = "{train: {path: old.tsv, format: counts}, test: {held-out: test.txt}}"
    (tmp_path / "tiny.yaml").write_text(config(corpora=corpora))
    checked = tokbench("check", "tiny.yaml", cwd=tmp_path)
    assert checked.returncode == 0
    warning = "old.tsv:1: its words were found by words, and this is words.v2: count again"
    assert f"warning: {warning}\n" in checked.stderr
    merged = tokbench("count", "--merge", "old.tsv", "new.tsv", "-o", "o.tsv", cwd=tmp_path)
    assert merged.returncode == 2
    assert merged.stderr.startswith("error: new.tsv:1: its words were found with `words: words.v2`")
