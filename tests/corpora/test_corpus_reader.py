import gzip
import re
from hashlib import sha256

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.corpora.files import combined_digest
from tokbench.errors import InputError

TEXT = st.text(
    st.one_of(
        st.sampled_from("\n\n\x00\x0b\x0c\x1c\x85\u2028\u2029 é한👩\ufeff"),
        st.characters(codec="utf-8", exclude_characters="\r\ufdd0\ufdd1\ufdd2"),
    )
)


@pytest.fixture
def reader(corpus):
    """Return a reader of files."""
    return lambda *paths, **treatment: CorpusReader("t", corpus([*paths], **treatment))


@pytest.fixture
def message(reader):
    """Return the message of a text that cannot be read."""

    def read(path, **treatment) -> str:
        with pytest.raises(InputError) as caught:
            list(reader(path, **treatment).lines())
        return str(caught.value).replace(str(path), "PATH")

    return read


@given(TEXT)
@example("a\n\ufeffb")
def test_lines_join_to_the_text_whatever_ends_them(tmp_path, reader, text):
    path, windows = tmp_path / "a.txt", tmp_path / "b.txt"
    path.write_bytes(f"{text}\n".encode())
    windows.write_bytes(f"{text}\n".replace("\n", "\r\n").encode())
    of_documents = reader(path).lines(whole=True)
    assert "".join(line.text for line in of_documents) == f"{text}\n".removeprefix("\ufeff")
    lines = [[(line.number, line.text) for line in reader(p).lines()] for p in (path, windows)]
    assert lines[0] == lines[1]


def test_one_carriage_return_is_the_line_end_the_others_are_text(write, reader):
    lines = reader(write("a.txt", "a\rb\r\r\nc\r")).lines()
    assert [line.text for line in lines] == ["a\rb\r", "c"]


def test_byte_order_mark_goes_at_the_start_of_a_file_only(write, reader):
    first, second = write("1.txt", "\ufeffa\ufeff\n\ufeffb"), write("2.txt", "\ufeffc")
    assert [line.text for line in reader(first, second).lines()] == ["a\ufeff", "\ufeffb", "c"]


def test_blank_lines_are_left_out(write, reader):
    lines = reader(write("a.txt", "\n \t\r\n\x0b\f\none\n\n\xa0\n")).lines()
    assert [(line.number, line.text) for line in lines] == [(4, "one"), (6, "\xa0")]


def test_each_file_is_a_document(write, reader):
    paths = [write("a.txt", "1\n\n2"), write("b.txt", "\n"), write("c.txt", "3")]
    assert [line.document for line in reader(*paths).lines()] == [0, 0, 1]


def test_blank_lines_may_end_documents(write, reader):
    paths = [write("a.txt", "\n1\n2\n\n \n3\n"), write("b.txt", "4")]
    lines = reader(*paths, documents="blocks").lines()
    assert [(line.text, line.document) for line in lines] == [
        ("1", 0), ("2", 0), ("3", 1), ("4", 2)
    ]  # fmt: skip


def test_digest_is_that_of_the_unpacked_bytes(write, reader):
    raw = b"\xef\xbb\xbfa\r\n\n"
    plain, packed = write("a.txt", raw), write("a.gz", gzip.compress(raw))
    of_plain, of_packed, both = reader(plain), reader(packed), reader(plain, packed)
    for text in (of_plain, of_packed, both):
        list(text.lines())
    assert of_plain.digest == of_packed.digest == sha256(raw).hexdigest()
    assert both.digest == combined_digest([of_plain.digest, of_packed.digest])


def test_invalid_utf8_is_refused_with_its_place(write, message):
    path = write("a.txt", b"\xef\xbb\xbfok\n\nab\xffc\n")
    # Three bytes of the mark, three of "ok\n", one of the blank line, two of "ab".
    assert message(path) == (
        "PATH:3: not valid UTF-8: found byte 0xff at byte offset 9 of the file; save it as UTF-8 "
        "(if it is French, German or Spanish, `iconv -f CP1252 -t UTF-8 OLD > NEW` does so; "
        "if it is Polish, Czech or Hungarian, `iconv -f CP1250 -t UTF-8 OLD > NEW` does so), "
        "or set `errors` (of a command: --errors) to `replace` or `skip-line`"
    )


def test_korean_in_cp949_is_named_with_what_to_do(write, message):
    korean = "새 단어\n".encode("cp949")
    advice = "(if it is Korean in CP949, `iconv -f CP949 -t UTF-8 OLD > NEW` does so), or set"
    assert f"; save it as UTF-8 {advice}" in message(write("a.txt", korean))
    for no_korean in (korean + b"\0", "café\n".encode("latin-1"), "단어\n".encode() + b"\xff"):
        assert "CP949" not in message(write("a.txt", no_korean.replace(b"\n", b" ")))


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("où est la forêt".encode("latin-1"), ["CP1252", "CP1250"]),
        ("„Größe“".encode("cp1252"), ["CP1252", "CP1250"]),
        ("안녕 naïve".encode("cp949", "ignore"), ["CP949"]),
        ("éé".encode("latin-1"), ["CP949", "CP1252", "CP1250"]),  # also a Chinese letter in CP949
        ("大韓民國".encode("cp949"), ["CP949", "CP1252", "CP1250"]),
        ("吾輩は猫である".encode("cp932"), ["CP932"]),
        ("吾輩は猫である".encode("euc-jp"), ["EUC-JP"]),  # of which a part looks like UTF-8
        ("我们今天去公园散步".encode("gb18030"), ["GB18030"]),  # also Korean letters in CP949
        ("ПРИВЕТ! Как дела?".encode("cp1251"), ["CP1251"]),
        ("여행 naïve".encode() + "été".encode("latin-1"), []),
        ("언어".encode() + b"\xe9", []),
        (b"\0\xe9", []),
        ("\ud800".encode("utf-8", "surrogatepass"), []),
    ],
)
def test_the_encodings_that_a_line_may_be_of_are_named(write, message, line, named):
    advice = message(write("a.txt", line + b"\n"))
    assert re.findall(r"iconv -f (\S+) ", advice) == named


def test_invalid_utf8_may_be_replaced(write, reader):
    text = reader(write("a.txt", b"ok\na\xffb\n\xc3\n"), errors="replace")
    assert [line.text for line in text.lines()] == ["ok", "a\ufffdb", "\ufffd"]
    assert text.warnings == [
        "t: lines that are not valid UTF-8: 2 (first: a.txt:2); the bytes became U+FFFD"
    ]


def test_invalid_lines_may_be_skipped(write, reader):
    text = reader(write("a.txt", b"ok\na\xffb\nend"), errors="skip-line")
    assert [(line.number, line.text) for line in text.lines()] == [(1, "ok"), (3, "end")]
    assert text.warnings == ["t: lines that are not valid UTF-8: 1 (first: a.txt:2); skipped"]


def test_a_second_reading_starts_its_warnings_anew(write, reader):
    text = reader(write("a.txt", b"\xff\nb"), errors="replace")
    assert [[*text], text.warnings] == [[*text], text.warnings]
    assert ": 1 (first" in text.warnings[0]


@pytest.mark.parametrize("mark", "\ufdd0\ufdd1\ufdd2")
def test_noncharacters_of_the_marks_are_refused(write, mark, message):
    path = write("a.txt", f"fine\nnot {mark}\n")
    assert message(path, errors="replace") == (
        f"PATH:2: found the noncharacter U+{ord(mark):04X}, which tokbench uses inside tokens to "
        "mark the edges of words; remove it from the text"
    )


def test_other_noncharacters_are_text(write, reader):
    assert [*reader(write("a.txt", "\ufdd3\ufdcf\uffff"))] == ["\ufdd3\ufdcf\uffff"]
