import bz2
import gzip
import io
import lzma
import os
import re
import tarfile
import zipfile
from contextlib import contextmanager
from hashlib import sha256

import pytest
import zstandard

from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.corpora.files import combined_digest
from tokbench.corpora.opening import raw_lines, text_digest
from tokbench.errors import InputError

TEXT = b"one\r\ntwo\x0b\xe2\x80\xa8\n\nlast"


@contextmanager
def powerless(path):
    """Take the right to read away, also from root, who may otherwise read everything."""
    path.chmod(0)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


def test_lines_end_at_newlines_only(write):
    lines = [b"one\r\n", b"two\x0b\xe2\x80\xa8\n", b"\n", b"last"]
    assert list(raw_lines(write("a.txt", TEXT))) == lines


def frames(data):
    """Pack in two frames behind one to skip, as programs do that pack in parts."""
    skipped = b"\x50\x2a\x4d\x18\x04\0\0\0more"
    return skipped + zstandard.compress(data[:9]) + zstandard.compress(data[9:])


PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": frames}


@pytest.mark.parametrize("end", PACKERS)
def test_packed_texts_are_read(write, end):
    packed = PACKERS[end](TEXT)
    for name in (f"a.txt.{end}", "nameless"):
        path = write(name, packed)
        assert b"".join(raw_lines(path)) == TEXT
        assert text_digest(path) == sha256(TEXT).hexdigest()
    assert message(write("a.txt", packed)).endswith(f"its name does not end in .{end}: rename it, "
                                                    "or unpack it")  # fmt: skip
    assert message(write(f"b.{end}", TEXT)).endswith(f"though its name ends in .{end}")


@pytest.mark.parametrize("end", PACKERS)
def test_a_packed_text_that_is_cut_short_is_named(write, end):
    packed = PACKERS[end](os.urandom(5000))
    assert "truncated" in message(write(f"a.{end}", packed[:-30]))
    damaged = packed[: len(packed) // 2] + b"\xff" * 40
    assert re.match("PATH: (damaged|truncated)", message(write(f"b.{end}", damaged)))


def test_gzip_of_several_members_is_one_text(write):
    path = write("a.gz", gzip.compress(b"one\ntw") + gzip.compress(b"o\n"))
    assert list(raw_lines(path)) == [b"one\n", b"two\n"]


def test_combined_digest_depends_on_the_order():
    assert combined_digest(["a", "b"]) == sha256(b"a\nb").hexdigest()


def message(path) -> str:
    with pytest.raises(InputError) as caught:
        list(raw_lines(path))
    return str(caught.value).replace(str(path), "PATH")


def test_file_without_permission(write):
    path = write("a.txt", TEXT)
    with powerless(path):
        error = message(path)
    assert error == "PATH: cannot be read: Permission denied"


PACKED = gzip.compress(TEXT * 1000)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            PACKED[:-5] + bytes([PACKED[-5] ^ 1]) + PACKED[-4:],
            "damaged gzip file: CRC check failed",
        ),
        (PACKED[:10] + b"\xff" * 40, "damaged gzip file: Error -3"),
        (b"", "not a gzip file, though its name ends in .gz"),
    ],
    ids=["damaged", "rubbish inside", "empty"],
)
def test_a_damaged_gzip_file_is_named(write, content, expected):
    assert message(write("a.gz", content)).startswith(f"PATH: {expected}")


def zipped(*names: str) -> bytes:
    with zipfile.ZipFile(file := io.BytesIO(), "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), TEXT)  # of a fixed time
    return file.getvalue()


def tarred(layout: int) -> bytes:
    with tarfile.open(fileobj=(file := io.BytesIO()), mode="w", format=layout) as archive:
        archive.addfile(tarfile.TarInfo("a.txt"))
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "kind", "advice"),
    [
        (gzip.compress(TEXT), "a gzip file", "`gunzip -k OLD`"),
        (bz2.compress(TEXT), "a bzip2 file", "`bunzip2 -k OLD`"),
        (bz2.compress(b""), "a bzip2 file", "`bunzip2 -k OLD`"),
        (lzma.compress(TEXT), "an xz file", "`unxz -k OLD`"),
        (lzma.compress(TEXT, lzma.FORMAT_ALONE), "an lzma file", "`unlzma -k OLD`"),
        (b"\x04\x22\x4d\x18d@", "an lz4 file", "`unlz4 OLD`"),
        (b"\x28\xb5\x2f\xfd\x20", "a zstd file", "`unzstd OLD`"),
        (zipped("a.txt"), "a zip file", "`unzip OLD`"),
        (zipped("mimetype"), "a document of an office program", "save it there as plain text"),
        (zipped("docProps/a.xml", "_rels/b"), "a document of an office program", "as plain text"),
        (zipped("a/b.xml", "word/b.xml"), "a document of an office program", "as plain text"),
        (zipped("mimetype", "OEBPS/a"), "an EPUB book", "`pandoc -f epub -t plain OLD -o NEW`"),
        (zipped("word/a.txt", "a_rels/"), "a zip file", "`unzip OLD`"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0", "a document of an office program", "plain text"),
        (b"7z\xbc\xaf\x27\x1c\0\x04", "a 7z file", "`7z x OLD`"),
        (b"Rar!\x1a\x07\x01\0", "a rar file", "`unrar x OLD`"),
        (tarred(tarfile.PAX_FORMAT), "a tar file", "`tar -xf OLD`"),
        (tarred(tarfile.GNU_FORMAT), "a tar file", "`tar -xf OLD`"),
        (b"PAR1\x15\x04\x15\n", "a parquet file", "a name that ends in .parquet"),
        (b"ARROW1\0\0\xff\xff", "an Arrow file", "save its text"),
        (b"%PDF-1.7\n%", "a PDF file", "`pdftotext OLD NEW`"),
    ],
    ids=lambda value: "" if isinstance(value, bytes) else None,  # packed bytes hold the time
)
def test_a_file_that_is_no_text_is_named_with_what_to_do(corpus, write, content, kind, advice):
    """By its first bytes, also inside a gzip file; UTF-16 is tried in `test_bounds`."""
    path = write("a.txt.gz", gzip.compress(content))
    error = message(path)
    assert error.startswith(f"PATH: found {kind}, expected text: ")
    assert advice in error
    for errors in ("replace", "skip-line"):
        with pytest.raises(InputError, match=f"found {kind}, expected text"):
            list(CorpusReader("t", corpus(path, errors=errors)).chunks())


@pytest.mark.parametrize("text", [b"BZh9, a", b"PAR1 OCS", b"%PDF-1.7 is", b"] a", b"PK", b"7z x"])
def test_a_text_that_begins_like_a_packed_file_is_read(write, text):
    assert list(raw_lines(write("a.txt", text))) == [text]
