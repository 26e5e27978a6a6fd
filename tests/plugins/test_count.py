"""`tokbench count`: the same words and order as a run counts, from files of all kinds."""

import gzip
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tests.run_cli import TOKBENCH, Done
from tests.run_cli import tokbench as tokbench_apart
from tests.run_cli import tokbench_here as tokbench
from tests.tiny import TEXTS, config

HEADER = '#tokbench-counts\t{"format": 1, "words": "words", "normalise": []}\n'
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
    assert done.stdout == "deep/words.tsv: 13 words, 10 distinct, of 1 file\n"
    assert (text.parent / "deep" / "words.tsv").read_text("utf-8") == HEADER + COUNTED


def test_a_gzipped_file_has_neither_a_time_nor_a_name(text: Path) -> None:
    for name in ("a.tsv.gz", "b.tsv.gz"):
        assert tokbench("count", text, "-o", name, cwd=text.parent).returncode == 0
        os.utime(text, (0, 0))
    one, other = ((text.parent / name).read_bytes() for name in ("a.tsv.gz", "b.tsv.gz"))
    assert one == other
    assert gzip.decompress(one).decode() == HEADER + COUNTED


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
    first, second, file, last = synced
    assert (first, second, last) == (". a text.txt", "a b", "a/b words.tsv")
    assert file.startswith("a/b/.tokbench-")


def kinds(folder: Path) -> dict[str, Callable[[str], None]]:
    """Return what writes a text of lines in each kind of file."""
    import pyarrow
    from pyarrow import parquet

    def records(data: str) -> str:
        whole = [{"id": 1, "body": line} for line in data.splitlines(keepends=True)]
        return "".join(json.dumps(one) + "\n" for one in whole)

    def table(data: str) -> None:
        column = pyarrow.table({"id": [1, 2], "body": [data[:15], data[15:]]})
        parquet.write_table(column, folder / "a.parquet")

    def frames(data: bytes) -> bytes:
        return zstandard.compress(data[:9]) + zstandard.compress(data[9:])

    def put(name: str) -> Callable[[bytes], object]:
        return (folder / name).write_bytes

    return {
        "a.txt.gz": lambda data: put("a.txt.gz")(gzip.compress(data.encode())) and None,
        "a.txt.zst": lambda data: put("a.txt.zst")(frames(data.encode())) and None,
        "a.jsonl": lambda data: put("a.jsonl")(records(data).encode()) and None,
        "a.json.gz": lambda data: put("a.json.gz")(gzip.compress(records(data).encode())) and None,
        "a.ndjson.zst": lambda data: put("a.ndjson.zst")(frames(records(data).encode())) and None,
        "a.parquet": table,
    }


KINDS = ("a.txt.gz", "a.txt.zst", "a.jsonl", "a.json.gz", "a.ndjson.zst", "a.parquet")


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_file_gives_the_same_bytes(tmp_path: Path, name: str) -> None:
    kinds(tmp_path)[name]("".join(LINES))
    assert counted(name, "--field", "body", cwd=tmp_path) == HEADER + COUNTED
    address = f"file://{tmp_path}/{name[:-3]}*"
    assert counted(address, "--field", "body", cwd=tmp_path) == HEADER + COUNTED


def test_files_far_away_are_read_where_they_are(tmp_path: Path) -> None:
    import fsspec

    memory = fsspec.filesystem("memory")
    memory.pipe("/texts/b.txt.gz", gzip.compress("".join(LINES[2:]).encode()))
    memory.pipe("/texts/a.txt", "".join(LINES[:2]).encode())
    assert counted("memory://texts/*", cwd=tmp_path) == HEADER + COUNTED
    said = refused("memory://texts/none.txt", cwd=tmp_path)
    assert said == "error: memory://texts/none.txt: no such file\n"
    said = refused("memory://texts/a.txt", "memory:///texts/a.txt", cwd=tmp_path, code=2)
    assert said.startswith("error: memory:///texts/a.txt: is named twice")
    memory.pipe("/texts/wrong.txt", b"low\nlow\xff\n")
    said = refused("memory://texts/wrong.txt", cwd=tmp_path)
    assert said.startswith("error: memory://texts/wrong.txt:2: not valid UTF-8: found byte 0xff")
    memory.pipe("/texts/packed", b"PK\x03\x04\n")
    said = refused("memory://texts/packed", "--errors=replace", cwd=tmp_path)
    assert said.startswith("error: memory://texts/packed: found a zip file, expected text: ")
    said = refused("memory://texts/x*", cwd=tmp_path)
    assert said == "error: memory://texts/x*: no file has such a name\n"
    said = refused("nowhere://texts/x", cwd=tmp_path, code=2)
    assert said.startswith("error: nowhere://texts/x: Protocol not known: nowhere")


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
    (tmp_path / "b.jsonl").write_bytes(b'{"text": "a"}\n{"text": "b \\ud800"}\n')
    said = refused("b.jsonl", cwd=tmp_path)
    assert said.startswith("error: b.jsonl:2: not valid UTF-8: found byte 0xed")
    done = tokbench("count", "b.jsonl", "-o", "b.tsv", "--errors", "skip-line", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr == (
        "warning: count: lines that are not valid UTF-8: 1 (first: b.jsonl:2); skipped\n"
    )
    assert (tmp_path / "b.tsv").read_text() == f"{HEADER}a\t1\n"


WORDS = st.text("ab \t\n.,é새\\x20", max_size=60)


@given(st.lists(WORDS, min_size=1, max_size=6), st.sampled_from(["words", "whitespace", "gpt2"]))
def test_parts_add_up_to_the_whole(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], words: str
) -> None:
    """Files together, one after the other, and as parts that are added up."""
    folder = tmp_path_factory.mktemp("parts")
    whole = "".join(f"{text}\n" for text in texts)
    (folder / "whole.txt").write_text(whole, encoding="utf-8", newline="")
    names = [f"{number}.txt" for number in range(len(texts))]
    for name, text in zip(names, texts, strict=True):
        (folder / name).write_text(f"{text}\n", encoding="utf-8", newline="")
    given = ("--words", words)
    if not whole.split():
        assert tokbench("count", *names, "-o", "x.tsv", *given, cwd=folder).returncode == 4
        return
    expected = counted("whole.txt", *given, cwd=folder)
    assert counted(*names, *given, cwd=folder) == expected
    assert counted("whole.txt", *given, cwd=folder, TOKBENCH_ENGINE="python") == expected
    parts = []
    for name in names:
        if (folder / name).read_text().split():
            counted(name, *given, cwd=folder, name=f"{name}.tsv")
            parts.append(f"{name}.tsv")
    assert counted("--merge", *parts, cwd=folder) == expected
    one, other = parts[: len(parts) // 2], parts[len(parts) // 2 :]
    if one and other:
        counted("--merge", *one, cwd=folder, name="one.tsv")
        counted("--merge", *other, cwd=folder, name="other.tsv")
        assert counted("--merge", "one.tsv", "other.tsv", cwd=folder) == expected


# What a run makes of them


def run(folder: Path, name: str, train: str) -> dict[str, bytes]:
    """Run the worked example on a training text; return its results and vocabularies."""
    (folder / f"{name}.yaml").write_text(
        config(corpora=f"{{train: {train}, test: {{held-out: test.txt}}}}"), encoding="utf-8"
    )
    done = tokbench("run", "-q", "-o", name, f"{name}.yaml", cwd=folder)
    assert done.returncode == 0, done.stderr
    out = folder / name
    files = [out / "results.csv", *sorted((out / "vocabularies").iterdir())]
    return {file.name: file.read_bytes() for file in files}


@pytest.mark.parametrize(
    ("treatment", "options"),
    [
        ("", ()),
        (", words: gpt2", ("--words", "gpt2")),
        (
            ", normalise: [lowercase, {remove: '^a'}]",
            ("--normalise", "lowercase", "--normalise", "remove=^a"),
        ),
    ],
    ids=["words", "words with spaces", "normalised once"],
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


def test_a_config_must_find_words_as_the_counts_did(text: Path) -> None:
    folder = text.parent
    options = ("--words", "whitespace", "--normalise", "lowercase", "--normalise", "remove=[a-c]")
    assert tokbench("count", text, *options, "-o", "w.tsv.gz", cwd=folder).returncode == 0
    (folder / "test.txt").write_text(TEXTS["test"])
    wrong = "{path: w.tsv.gz, format: counts, normalise: [lowercase]}"
    corpora = f"{{train: {wrong}, test: {{held-out: test.txt}}}}"
    (folder / "tiny.yaml").write_text(config(corpora=corpora))
    for command in ("check", "run"):
        done = tokbench(command, "tiny.yaml", cwd=folder)
        assert done.returncode == 2
        assert done.stderr.splitlines()[0] == (
            "error: tiny.yaml:1:25: corpora.train.path: w.tsv.gz:1: its words were found with "
            '`words: whitespace`, `normalise: [lowercase,{remove:"[a-c]"}]`, expected '
            "`words: words`, `normalise: [lowercase]`"
        )
        assert done.stderr.count("\n") == 3  # the source line and a caret


def test_counts_from_a_pipe_are_checked_when_they_are_read(text: Path) -> None:
    header = HEADER.replace('"words": "words"', '"words": "whitespace"')
    (text.parent / "test.txt").write_text(TEXTS["test"])
    corpora = "{train: {path: /dev/stdin, format: counts}, test: {held-out: test.txt}}"
    (text.parent / "tiny.yaml").write_text(config(corpora=corpora))
    done = tokbench_apart("check", "tiny.yaml", cwd=text.parent, stdin=f"{header}low\t1\n".encode())
    assert done.returncode == 2
    assert done.stderr.startswith("error: /dev/stdin:1: its words were found with `words: white")
    done = tokbench_apart("check", "tiny.yaml", cwd=text.parent, stdin=f"{HEADER}low\t1\n".encode())
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('#tokbench-counts\t{"format": 2, "words": "words"}', "found the header"),
        ("#tokbench-counts\t{", "found the header"),
        (HEADER.strip() + "\nlow\t5\n" + HEADER.strip(), "found the count"),
    ],
    ids=["of another version", "damaged", "two files in one"],
)
def test_a_wrong_header_is_named(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "words.tsv").write_text(f"{line}\nlow\t1\n")
    (tmp_path / "test.txt").write_text(TEXTS["test"])
    corpora = "{train: {path: words.tsv, format: counts}, test: {held-out: test.txt}}"
    (tmp_path / "tiny.yaml").write_text(config(corpora=corpora))
    done = tokbench("check", "tiny.yaml", cwd=tmp_path)
    assert done.returncode == 4
    assert f"words.tsv:{line.count('low') * 2 + 1}: {said}" in done.stderr


def test_a_word_may_be_called_like_the_header(tmp_path: Path) -> None:
    (tmp_path / "words.tsv").write_text("#tokbench-counts\t5\nab\t5\n")
    (tmp_path / "test.txt").write_text(TEXTS["test"])
    corpora = "{train: {path: words.tsv, format: counts}, test: {held-out: test.txt}}"
    (tmp_path / "tiny.yaml").write_text(config(corpora=corpora))
    done = tokbench("check", "tiny.yaml", cwd=tmp_path)
    assert "train words: 10 words, 2 distinct" in done.stdout


COUNTS_AS_TEXT = (
    ":1: found the word counts of `tokbench count`, expected text: the corpus `train` of a config "
    "reads them with `format: counts`\n"
)


@pytest.mark.parametrize(
    ("command", "given"),
    [
        ("count -o new.tsv", "words.tsv"),
        ("count -o new.tsv", "words.tsv.gz"),
        ("count -o new.tsv", "bom.tsv"),
        ("count -o new.tsv", "/dev/stdin"),
        ("learn --merges 2", "words.tsv"),
        ("segment v.json", "words.tsv"),
        ("run -q train.yaml", "words.tsv"),
        ("run -q train.yaml", "words.tsv.gz"),
        ("check train.yaml", "words.tsv"),
        ("check test.yaml", "words.tsv"),
        ("check list.yaml", "words.tsv"),
        ("check words.yaml", "words.tsv"),
    ],
)
def test_counts_that_are_read_as_text_are_refused(text: Path, command: str, given: str) -> None:
    """Also packed, behind a byte order mark, from a pipe, and as a list."""
    folder = text.parent
    learned = tokbench("learn", text, "--merges", "2", cwd=folder)
    (folder / "v.json").write_text(learned.stdout)
    (folder / "a.txt").write_text("low")
    data = (HEADER + COUNTED).encode()
    (folder / "words.tsv").write_bytes(data)
    (folder / "bom.tsv").write_bytes(b"\xef\xbb\xbf" + data)
    (folder / "words.tsv.gz").write_bytes(gzip.compress(data))
    for kind, corpora in {
        "train": f"{{train: {given}, test: {{held-out: a.txt}}}}",
        "test": f"{{train: a.txt, test: {{held-out: {given}}}}}",
        "list": f"{{train: a.txt, lists: {{novel: {given}}}}}",
        "words": f"{{train: {{path: {given}, format: words}}, test: {{held-out: a.txt}}}}",
    }.items():
        (folder / f"{kind}.yaml").write_text(config(corpora=corpora), encoding="utf-8")
    arguments = [*command.split(), *([] if command.endswith(".yaml") else [given])]
    if given == "/dev/stdin":
        done = tokbench_apart(*arguments, cwd=folder, stdin=data)
    else:
        done = tokbench(*arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == f"error: {given}{COUNTS_AS_TEXT}"
    assert not (folder / "new.tsv").exists()


# Adding up


def test_counts_of_words_that_were_found_otherwise_are_not_added_up(text: Path) -> None:
    folder = text.parent
    counted(text, cwd=folder, name="one.tsv")
    counted(text, "--words", "whitespace", cwd=folder, name="other.tsv")
    said = refused("--merge", "one.tsv", "other.tsv", cwd=folder, code=2)
    assert said == (
        "error: other.tsv:1: its words were found with `words: whitespace`, `normalise: []`, "
        "expected `words: words`, `normalise: []`\n"
    )
    (folder / "plain.tsv").write_text("low\t5\n")
    said = refused("--merge", "one.tsv", "plain.tsv", cwd=folder)
    assert said.startswith("error: plain.tsv:1: found no header, which says how words were found")
    (folder / "wrong.tsv").write_text(f"{HEADER}low\tfive\n")
    said = refused("--merge", "wrong.tsv", cwd=folder)
    assert said.startswith("error: wrong.tsv:2: found the count 'five'")
    said = refused("--merge", "memory://one.tsv", cwd=folder, code=2)
    assert said.startswith("error: memory://one.tsv: --merge reads files of this machine")


@pytest.mark.parametrize(
    "option", ["--words=words", "--normalise=nfc", "--dask=local", "--skip-failed", "--field=a"]
)
def test_adding_up_takes_no_option_of_texts(text: Path, option: str) -> None:
    name = option.partition("=")[0]
    said = refused("--merge", text, option, cwd=text.parent, code=2)
    assert said == f"error: --merge adds up what was counted: leave out {name}\n"


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
    first, second, last = done.stderr.splitlines()
    assert first.startswith("failed: bad.txt:1: not valid UTF-8: found byte 0xff at byte offset 3")
    assert second.endswith("cut.txt.gz: truncated gzip file: it ends in the middle")
    assert last == (
        "error: 2 of 3 files could not be counted: nothing was written; "
        "--skip-failed leaves them out"
    )
    assert not (folder / "w.tsv").exists()
    files = ("bad.txt", text.name, "cut.txt.gz")
    done = tokbench("count", *files, "-o", "w.tsv", "--skip-failed", cwd=folder)
    assert done.returncode == 1
    assert done.stdout == "w.tsv: 13 words, 10 distinct, of 1 file\n"
    assert done.stderr.splitlines()[2:] == ["warning: 2 of 3 files are left out"]
    assert (folder / "w.tsv").read_text("utf-8") == HEADER + COUNTED
    assert refused("bad.txt", "cut.txt.gz", "--skip-failed", cwd=folder).endswith(
        "error: 2 of 2 files could not be counted: nothing was written; "
        "--skip-failed leaves them out\n"
    )


ENDS = """
import os
from tokbench.api import *
class Spl(Splitter):
    "Split."
    def split(self, text):
        if "poison" in text:
            os._exit(0)
        return [(0, len(text))]
@hookimpl
def tokbench_splitters(): return {"spl": Spl}
"""


@pytest.mark.parametrize(
    "more", [(), pytest.param(("--dask", "local", "--workers", "1"), marks=pytest.mark.nightly)]
)
def test_a_file_that_ends_the_process_of_the_splitter_fails_alone(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    (tmp_path / "spl.py").write_text(ENDS)
    (tmp_path / "a.txt").write_text("low\n\npoison\n")
    (tmp_path / "b.txt").write_text("low\nnewest\nlow\n")
    given = ("a.txt", "b.txt", "--words", "spl", "-p", "spl.py", *more)
    failed = (
        "failed: a.txt:1-3: the splitter 'spl' failed: its process ended with exit code 0 and no "
        "answer, as at its first attempt\n"
    )
    done = tokbench_apart("count", *given, "-o", "w.tsv", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        f"{failed}error: 1 of 2 files could not be counted: nothing was written; "
        "--skip-failed leaves them out\n"
    )
    assert not (tmp_path / "w.tsv").exists()
    done = tokbench_apart("count", *given, "--skip-failed", "-o", "w.tsv", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "w.tsv: 3 words, 2 distinct, of 1 file\n")
    assert done.stderr == f"{failed}warning: 1 of 2 files are left out\n"
    assert (tmp_path / "w.tsv").read_text().endswith("}\nlow\t2\nnewest\t1\n")


def test_of_many_failures_the_first_are_printed_and_all_are_counted(tmp_path: Path) -> None:
    for number in range(25):
        (tmp_path / f"{number}.txt").write_bytes(b"\xff")
    lines = refused("*.txt", cwd=tmp_path).splitlines()
    assert len(lines) == 21
    assert lines[20].startswith("error: 25 of 25 files could not be counted")


FILES = {
    "cut.txt.zst": (
        zstandard.compress(b"low lower " * 999)[:-9],
        "truncated: it ends in the middle",
    ),
    "no.txt.zst": (b"low lower", "not a zstd file, though its name says so"),
    "damaged.zst": (b"\x28\xb5\x2f\xfd" + b"\xff" * 99, "damaged zstd file: "),
    "bomb.zst": (
        zstandard.compress(b"a " * (9 << 20)),
        "a packed file of 1,771 bytes that holds more than 200 times as many; if that is right, "
        "raise --max-compression",
    ),
    "list.jsonl": (b"[1]\n", "1: found [1], expected a record: {...}"),
    "no.jsonl": (b'{"text": "a"}\n{"text": "a"\n', "2: not a record in JSON: Expecting ','"),
    "number.jsonl": (b'{"text": null}\n', "1: the field 'text' holds null, expected a text"),
    "other.jsonl": (
        b'{"body": "a"}\n',
        "1: no field 'text'; there are: body; name one with --field",
    ),
    "no.parquet": (b"PAR1", "damaged parquet file: "),
}


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_named(tmp_path: Path, name: str) -> None:
    data, said = FILES[name]
    (tmp_path / name).write_bytes(data)
    found = refused(name, cwd=tmp_path)
    places = (f"error: {name}: {said}", f"error: {name}:{said}")
    assert found.startswith(places) or (name == "bomb.zst" and "times as many" in found), found


def test_tables_whose_column_is_no_text(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    table = pyarrow.table({"id": [1, 2], "text": ["low", None]})
    parquet.write_table(table, tmp_path / "a.parquet")
    said = refused("a.parquet", cwd=tmp_path)
    assert said == "error: a.parquet:2: the field 'text' holds null, expected a text\n"
    said = refused("a.parquet", "--field", "body", cwd=tmp_path)
    assert said == (
        "error: a.parquet: no field 'body'; there are: id, text; name one with --field\n"
    )

    parquet.write_table(pyarrow.table({"text": [[1], [2]]}), tmp_path / "b.parquet")
    said = refused("b.parquet", cwd=tmp_path)
    assert said.startswith("error: b.parquet: the field 'text' holds list<"), said


def bounded(folder: Path, memory: int, *arguments: str) -> Done:
    """Count, in a process that may have so many bytes of data."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))

    command = [*TOKBENCH, "count", *arguments, "-o", "words.tsv"]
    return subprocess.run(
        command, cwd=folder, capture_output=True, encoding="utf-8", preexec_fn=limit, check=False
    )


def table_of(path: Path, rows: list[str], **options: Any) -> None:
    """Write a table with one column of text."""
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"text": rows}), path, compression="zstd", **options)


MEMORY = 400_000_000
ENCODINGS = {
    "dictionary": {},
    "prefixes": {"use_dictionary": False, "column_encoding": {"text": "DELTA_BYTE_ARRAY"}},
    "plain": {"use_dictionary": False},
}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_table_that_unpacks_to_a_hundred_times_more_takes_little_memory(
    tmp_path: Path, encoding: str
) -> None:
    """A value that all rows share is stored once, so sizes in the file do not show its length."""
    table_of(tmp_path / "bomb.parquet", ["a " * 1_000_000] * 250, **ENCODINGS[encoding])
    size = (tmp_path / "bomb.parquet").stat().st_size
    assert size < 100_000
    done = bounded(tmp_path, MEMORY, "bomb.parquet")
    assert (done.returncode, done.stdout, done.stderr) == (
        *(4, ""),
        f"error: bomb.parquet: a packed file of {size:,} bytes that holds more than 200 times as "
        "many; if that is right, raise --max-compression\n",
    )
    if encoding != "plain":  # whose one page is unpacked whole
        done = bounded(tmp_path, MEMORY, "bomb.parquet", "--max-compression", "2000000")
        said = "words.tsv: 250,000,000 words, 1 distinct, of 1 file\n"
        assert (done.returncode, done.stdout) == (0, said), done.stderr


def test_a_row_that_is_too_long_is_refused(tmp_path: Path) -> None:
    table_of(tmp_path / "one.parquet", ["a " * 150_000_000])
    done = bounded(tmp_path, MEMORY, "one.parquet", "--max-compression", "1000000")
    text = "a text of more than 10,000,000 bytes in one row, which is needed whole: split it"
    assert (done.returncode, done.stderr) == (4, f"error: one.parquet: {text}\n")
    rows = ["low", "새" * 3_333_333, "a " * 5_000_001, *["low"] * 9]
    table_of(tmp_path / "third.parquet", rows)
    said = refused("third.parquet", "--max-compression", "100000", cwd=tmp_path)
    assert said == f"error: third.parquet:3: {text}\n"


def test_a_table_of_categories_is_one_of_texts(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    column = pyarrow.array(["low lower", "low lower", "low"]).dictionary_encode()
    parquet.write_table(pyarrow.table({"text": column}), tmp_path / "a.parquet")
    assert counted("a.parquet", cwd=tmp_path) == f"{HEADER}low\t3\nlower\t2\n"


def test_what_the_command_line_gets_wrong(text: Path) -> None:
    folder, name = text.parent, text.name
    (folder / "empty.txt").write_text("\n \n")
    os.mkfifo(folder / "pipe.zst")
    for arguments, code, said in (
        (("none.txt",), 4, "none.txt: no such file"),
        (("*.csv",), 4, "*.csv: no file has such a name"),
        ((str(folder),), 4, f"{folder}: is a folder; give its files, as '{folder}/*' does"),
        ((name, f"./{name}"), 2, f"./{name}: is named twice, so its words would count twice"),
        (("empty.txt", "empty.txt*"), 2, "empty.txt: is named twice"),
        (("empty.txt",), 4, "empty.txt: found no words"),
        (("pipe.zst",), 4, "error: pipe.zst: is no file"),
        (("file:///dev/zero",), 4, "error: /dev/zero: is a device; give a file"),
        (("zip://a.txt::file:///dev/zero",), 4, "error: /dev/zero: is no file"),
        ((f"file://localhost{text}",), 4, f"/localhost{text}: no such file"),
        ((name, "--words", "wordz"), 2, "no plugin offers a splitter 'wordz'; did you mean"),
        ((name, "--normalise", "lower"), 2, "--normalise: "),
        ((name, "--workers", "2"), 2, "--workers goes with --dask local"),
        ((name, "-o", name), 2, f"{name}: is there already: choose another name"),
        ((name, "-o", "w.zst"), 2, "w.zst: counts are gzipped: expected a name such as"),
        ((name, "-o", f"{name}/w.tsv"), 4, f"{name}/w.tsv: cannot be written: "),
    ):
        done = tokbench("count", "-o", "w.tsv", *arguments, cwd=folder)
        assert (done.returncode, done.stdout) == (code, ""), arguments
        assert said in done.stderr
        assert done.stderr.startswith("error: ")
        assert not (folder / "w.tsv").exists()


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
        said = refused(*arguments, cwd=tmp_path, code=3)
    assert f" needs {module}: pip install 'tokbench[{extra}]'" in said


def test_a_failed_write_leaves_nothing(text: Path) -> None:
    """Where the disk is full, for which a limit of file size stands."""
    program = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        f"resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50)); {TOKBENCH[2]}"
    )
    command = [sys.executable, "-c", program, "count", text.name, "-o", "w.tsv"]
    done: Done = subprocess.run(
        command, cwd=text.parent, capture_output=True, encoding="utf-8", check=False
    )
    assert (done.returncode, done.stderr) == (
        4,
        "error: w.tsv: cannot be written: File too large\n",
    )
    assert [*text.parent.iterdir()] == [text]


def test_a_file_that_is_named_twice_is_refused_by_any_name(text: Path) -> None:
    folder, name = text.parent, text.name
    (folder / "a-link.txt").symlink_to(name)
    (folder / "deep").symlink_to(".")
    (folder / "hard").hardlink_to(text)
    for named, again, first in (
        ((name, "a-link.txt"), "a-link.txt", name),
        (("*.txt",), name, "a-link.txt"),
        (("t*", "*.txt"), "a-link.txt", name),
        ((name, f"deep/{name}"), f"deep/{name}", name),
        ((name, folder / name), f"{folder}/{name}", name),
        ((name, "hard"), "hard", name),
        ((name, f"file://{folder}/{name}"), f"{folder}/{name}", name),
        (("hard", f"local://{folder}/a-l*"), f"{folder}/a-link.txt", "hard"),
        (("file://hard", f"simplecache::file://{folder}/hard"), f"{folder}/hard", f"{folder}/hard"),
    ):
        twice = "is named twice, so its words would count twice"
        said = refused(*named, cwd=folder, code=2)
        assert said == f"error: {again}: {twice}: leave it out, or {first}\n"
    assert counted("a-link.txt", cwd=folder) == HEADER + COUNTED
    (folder / "copy.txt").write_bytes(text.read_bytes())
    assert "\nlow\t6\n" in counted("copy.txt", name, cwd=folder)


@pytest.mark.parametrize("left_out", ["words", "normalise"])
def test_a_header_says_all_of_how_words_were_found(tmp_path: Path, left_out: str) -> None:
    said = {"format": 1, "words": "words", "normalise": []}
    del said[left_out]
    header = f"#tokbench-counts\t{json.dumps(said)}"
    (tmp_path / "a.tsv").write_text(f"{header}\nlow\t5\n")
    assert refused("--merge", "a.tsv", cwd=tmp_path) == (
        f"error: a.tsv:1: found the header {header!r}, expected one of this version of "
        "`tokbench count`: count again\n"
    )


def test_messages_name_a_file_as_it_was_given(tmp_path: Path) -> None:
    (tmp_path / "wide.txt").write_bytes("low".encode("utf-16"))
    done = tokbench("count", "wide.txt", "-o", "words.tsv", cwd=tmp_path)
    assert done.returncode == 4
    assert done.stderr.startswith("error: wide.txt: found UTF-16, expected UTF-8")
