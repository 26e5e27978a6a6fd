"""Texts in records: the same words, lines and documents from each kind of file."""

import csv
import gzip
import io
import json
import lzma
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.corpora.counting import count_training
from tokbench.corpora.records import looks_like_vocabulary
from tokbench.corpora.source import Source
from tokbench.errors import EncodingError, InputError
from tokbench.plugins import load

Corpus = Callable[..., Any]
Write = Callable[[str, str | bytes], Path]

TEXTS = ["Low lower, low\nthe newest", 'and "the" WIDEST', "low 새 단어; low"]
LINES = "\n".join(TEXTS).split("\n")
COUNTED = dict.fromkeys(["Low", "lower", ",", "newest", "and", "WIDEST", "새", "단어", ";"], 1)
COUNTED |= {"low": 3, "the": 2, '"': 2}


def table(delimiter: str, columns: tuple[str, str] = ("id", "text")) -> bytes:
    writer = csv.writer(file := io.StringIO(newline=""), delimiter=delimiter)
    writer.writerows([columns, *enumerate(TEXTS)])
    return file.getvalue().encode()


def parquet(name: str = "text") -> bytes:
    import pyarrow
    from pyarrow.parquet import write_table

    columns = {"id": range(len(TEXTS)), name: TEXTS}
    write_table(pyarrow.table(columns), file := io.BytesIO())
    return file.getvalue()


def conllu() -> bytes:
    """Return sentences, two of them at the beginnings of documents, with a range."""
    rest = "\t_" * 7
    rows = [f"# text = {LINES[0]}", f"1\tLow\t_{rest}", ""]
    rows += [f"# text = {LINES[1]}", f"1-2\tthe newest\t_{rest}", "", "# newdoc id = b"]
    rows += [f"# text = {LINES[2]}", f"1\tand\t_{rest}", f"1.1\tnothing\t_{rest}", ""]
    rows += ["# newdoc", f"# text = {LINES[3]}", f"1\tlow\t_{rest}"]
    return "\n".join(rows).encode()


RECORDS = "".join(f"{json.dumps({'id': 1, 'text': text})}\n" for text in TEXTS).encode()
INDENTED = json.dumps([{"text": text} for text in TEXTS], indent=1).encode()
FILES = {
    "a.jsonl": RECORDS,
    "a.NDJSON": b"\xef\xbb\xbf" + RECORDS.replace(b"\n", b"\r\n"),
    "lines.json": RECORDS,
    "list.json": INDENTED,
    "texts.json": json.dumps(TEXTS, ensure_ascii=False).encode(),
    "a.csv": table(","),
    "semicolons.csv": table(";", ("", "review")),
    "pipes.csv": table("|"),
    "a.tsv": table("\t", ("n", "review")),
    "a.parquet": parquet(),
    "other.parquet": parquet("review"),
    "a.conllu": conllu(),
    "a.csv.gz": gzip.compress(table(",")),
    "a.json.xz": lzma.compress(INDENTED),
    "a.jsonl.zst": zstandard.compress(RECORDS),
}


@pytest.mark.parametrize("chunk", [16, 1 << 19])
@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_file_holds_the_same_text(
    corpus: Corpus, write: Write, sizes: Any, name: str, chunk: int
) -> None:
    described = corpus(write(name, FILES[name]))
    with sizes(chunk=chunk):
        reader = CorpusReader("t", described)
        lines = [*reader.lines()]
        assert count_training(reader) == COUNTED
    assert [line.text for line in lines] == LINES
    assert [line.document for line in lines] == [0, 0, 1, 2]
    assert len(reader.warnings) == (name in ("semicolons.csv", "a.tsv", "other.parquet"))


def test_a_record_has_a_place_a_field_and_a_digest(corpus: Corpus, write: Write) -> None:
    path = write("a.jsonl", b'{"a": "low", "b": "new\\n\\nwide"}\n\n{"a": "x", "b": "low"}\n')
    read = {field: CorpusReader("t", corpus(path, field=field)) for field in "ab"}
    lines = {field: [(line.number, line.text) for line in read[field].lines()] for field in "ab"}
    assert lines == {"a": [(1, "low"), (3, "x")], "b": [(1, "new"), (1, "wide"), (3, "low")]}
    # The digest is that of the file, as of any other; the field is part of the treatment.
    assert read["a"].digest == read["b"].digest != ""


def test_blank_lines_divide_a_record_into_blocks(corpus: Corpus, write: Write) -> None:
    path = write("a.json", json.dumps(["low\n\nnew\nwide", "low"]))
    reader = CorpusReader("t", corpus(path, documents="blocks"))
    assert [line.document for line in reader.lines()] == [0, 1, 1, 2]


def test_what_is_no_utf_8_is_treated_as_in_texts(corpus: Corpus, write: Write) -> None:
    odd = b'{"id": "\xff", "text": "d"}'
    lines = write("a.jsonl", b'{"text": "a\xff"}\n{"text": "b \\ud800"}\n{"text": "c"}\n' + odd)
    items = write("a.json", b'["a\xff", "b \\ud800", "c", ' + odd + b"]")
    for path, at in ((lines, 11), (items, 3)):
        with pytest.raises(EncodingError, match=f"0xff at byte offset {at} of the file"):
            [*CorpusReader("t", corpus(path)).lines()]
        reader = CorpusReader("t", corpus(path, errors="replace"))
        texts = ["a\ufffd", "b \ufffd\ufffd\ufffd", "c", "d"]
        assert [line.text for line in reader.lines()] == texts
        counted = f"t: lines that are not valid UTF-8: 3 (first: {path.name}:1); "
        assert reader.warnings == [f"{counted}the bytes became U+FFFD"]
        reader = CorpusReader("t", corpus(path, errors="skip-line"))
        assert [line.text for line in reader.lines()] == ["c"]
        assert reader.warnings == [f"{counted}skipped"]


def test_a_list_is_read_whole_up_to_a_limit(corpus: Corpus, write: Write, sizes: Any) -> None:
    reader = CorpusReader("t", corpus(write("a.json", b'\xef\xbb\xbf["low", "new"]')))
    with sizes(largest_list=17):
        assert [line.text for line in reader.lines()] == ["low", "new"]
    with (
        sizes(largest_list=16),
        pytest.raises(InputError, match="a list of more than 16 bytes: write its records as li"),
    ):
        [*reader.lines()]


def test_the_only_column_of_texts_is_named_once(corpus: Corpus, write: Write) -> None:
    paths = [write(name, FILES[name]) for name in ("semicolons.csv", "a.tsv", "a.csv")]
    reader = CorpusReader("t", corpus(paths[0]))
    reader.paths = (*paths,)
    assert [*reader.lines(), *reader.lines()]
    assert reader.columns == dict.fromkeys(paths[:2], "review")
    (warning,) = reader.warnings
    assert warning.startswith("t: the column 'review' was read, the only one of texts; to choose")


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_records_are_no_lists_of_words(corpus: Corpus, write: Write, kind: str) -> None:
    path = write(f"a.{kind}", b"low\n")
    with pytest.raises(InputError, match=f"each line of it would be an entry, and a .{kind} file"):
        [*CorpusReader("t", corpus(path, format="words")).lines()]


def test_quotation_marks_in_tables_without_quoting(corpus: Corpus, write: Write) -> None:
    rows = 'n\ttext\n1\t"low\n2\tnew" "\n3\t"a ""b"""\n4\t"c\nd"\n5\te\n'
    lines = CorpusReader("t", corpus(write("a.tsv", rows))).lines()
    expected = [(2, '"low'), (3, 'new" "'), (4, 'a "b"'), (5, "c"), (5, "d"), (7, "e")]
    assert [(line.number, line.text) for line in lines] == expected


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("a.tsv", "id;review\n1;low\n", "1: found 'id;review' without a tab, expected tabs"),
        ("a.tsv", '"id","review"\n', "without a tab, expected tabs between the columns: give it a"),
        ("a.tsv", "Yes, I do.\n", "in the first row, expected names of columns"),
        ("a.json", '{\n "text": "low"\n}\n', "each line (`jq -c . OLD > NEW.jsonl` joins"),
        ("a.jsonl", '{"text": "low"\n{}\n', "1: not JSON: Expecting ',' delimiter; expected a re"),
        ("a.conllu", "# text = a\n\n1\tb" + "\t_" * 8, "expected `# text = ...` before a sentence"),
    ],
)  # fmt: skip
def test_records_of_another_layout_are_named(
    corpus: Corpus, write: Write, name: str, text: str, wrong: str
) -> None:
    with pytest.raises(InputError) as caught:
        [*CorpusReader("t", corpus(write(name, text))).lines()]
    assert wrong in str(caught.value)


def test_one_column_needs_no_tabs(corpus: Corpus, write: Write) -> None:
    for name, field in (("review", None), ("a, b", "a, b")):
        reader = CorpusReader("t", corpus(write("a.tsv", f"{name}\nlow, new\n"), field=field))
        assert [line.text for line in reader.lines()] == ["low, new"]


RECORD, ROW = '{"id": 1, "text": "low"}\n', "low\t1\n"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (RECORD * 20 + "low\n", "JSON records"),
        (ROW * 3, "rows of a table"),
        (RECORD * 19 + "low\n", ""),
        (ROW * 5 + "low\n", ""),
        (ROW * 2, ""),
        ("\n<!doctype HTML>\n<p>low\n", "a web page"),
    ],
)
def test_a_text_that_looks_like_records_is_warned_of(
    corpus: Corpus, write: Write, text: str, kind: str
) -> None:
    reader = CorpusReader("t", corpus(write("a.txt", text)))
    assert [*reader.lines()]
    assert len(reader.warnings) == bool(kind)
    assert all(kind in warning for warning in reader.warnings)


@pytest.mark.parametrize(
    ("text", "look"),
    [
        ("er 9\nlow@@ 5\n", "fastBPE"),
        ("er 9\nlow@@ 5\nthe end\n", ""),
        ("er 9\nlow 5\n", ""),
        ("low\nlower\n", ""),
        ("==== Merge Rules ====\nl o\n", "word splits"),
        ("==== Low ====\nlower and lower\n", ""),
        ("<html>low</html>\n", ""),
        ('{"low": 0}\n', ""),
    ],
)
def test_a_text_that_looks_like_a_vocabulary_is_told_from_others(
    write: Write, text: str, look: str
) -> None:
    source = Source(path=(write("b.txt", "low lower\n"), write("a.txt", text)))
    looks = looks_like_vocabulary(source, load(lazy=True))
    assert len(looks) == bool(look)
    assert all(look in line and line.startswith("a.txt: ") for line in looks)


def test_a_reader_of_entries_is_one_in_another_process_too(corpus: Corpus, write: Write) -> None:
    """The same rows of a table are a list, of which nobody is warned."""
    reader = CorpusReader("t", corpus(write("a.txt", ROW * 3)), of_entries=True)
    there = pickle.loads(pickle.dumps(reader))
    assert [*there.lines()]
    assert there.warnings == []


def test_folders_and_patterns_name_files_by_their_names(corpus: Corpus, tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", ".hidden", "c.jsonl"):
        (tmp_path / name).write_text('{"text": "c"}' if "json" in name else name)
    for path, expected in ((tmp_path, ["a.txt", "b.txt", "c"]), (tmp_path / "*.txt", "ab")):
        lines = [line.text[:1] for line in CorpusReader("t", corpus(path)).lines()]
        assert lines == [text[:1] for text in expected]
    (tmp_path / "inner").mkdir()
    with pytest.raises(InputError, match="a folder with a folder in it, inner: give a pattern"):
        CorpusReader("t", corpus(tmp_path))
