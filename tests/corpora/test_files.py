import gzip
import os
from contextlib import contextmanager
from hashlib import sha256

import pytest

from tokbench.corpora.files import combined_digest, raw_lines, text_digest
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


@pytest.mark.parametrize("name", ["a.txt.gz", "a.txt"])
def test_gzip_is_recognised_by_its_content(write, name):
    path = write(name, gzip.compress(TEXT))
    assert b"".join(raw_lines(path)) == TEXT
    assert text_digest(path) == sha256(TEXT).hexdigest()


def test_gzip_of_several_members_is_one_text(write):
    path = write("a.gz", gzip.compress(b"one\ntw") + gzip.compress(b"o\n"))
    assert list(raw_lines(path)) == [b"one\n", b"two\n"]


def test_combined_digest_depends_on_the_order():
    assert combined_digest(["a", "b"]) == sha256(b"a\nb").hexdigest()


def message(path) -> str:
    with pytest.raises(InputError) as caught:
        list(raw_lines(path))
    return str(caught.value).replace(str(path), "PATH")


def test_missing_file(tmp_path):
    assert message(tmp_path / "none.txt") == "PATH: no such file"


def test_folder_instead_of_a_file(tmp_path):
    assert message(tmp_path) == "PATH: is a folder; give a file, or a list of files"


def test_file_without_permission(write):
    path = write("a.txt", TEXT)
    with powerless(path):
        found = message(path)
    assert found == "PATH: cannot be read: Permission denied"


def test_truncated_gzip(write):
    path = write("a.gz", gzip.compress(TEXT * 1000)[:-20])
    assert message(path) == "PATH: truncated gzip file: it ends in the middle"


def test_damaged_gzip(write):
    packed = bytearray(gzip.compress(TEXT))
    packed[-5] ^= 1
    assert message(write("a.gz", bytes(packed))).startswith(
        "PATH: damaged gzip file: CRC check failed"
    )


def test_gzip_with_rubbish_inside(write):
    packed = gzip.compress(TEXT)[:10] + b"\xff" * 40
    assert message(write("a.gz", packed)).startswith("PATH: damaged gzip file: Error -3")


@pytest.mark.parametrize("content", [b"", b"plain text"])
def test_name_that_promises_gzip(write, content):
    path = write("a.gz", content)
    assert message(path) == "PATH: not a gzip file, though its name ends in .gz"
