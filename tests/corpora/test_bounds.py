"""Whatever a file holds, reading it ends, in bounded memory: bombs, pipes, devices, long lines."""

import gzip
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.run_cli import TOKBENCH, Done, tokbench, tokbench_here
from tokbench.api.wrong_files import wide_encoding
from tokbench.corpora.files import IssueCounter, text_chunks, whole_lines
from tokbench.corpora.opening import open_text
from tokbench.errors import InputError

CONFIG = """corpora:
  train: {train}
  test: {{t: {test}}}
sizes: [300]
systems: [bpe]
"""


@pytest.fixture
def check(tmp_path, write):
    """Check a config with a training text of this name, beside a short test text."""

    def run(train: str, test: str = "short.txt") -> Done:
        write("short.txt", "low lower lowest\n" * 3)
        config = write("c.yaml", CONFIG.format(train=train, test=test))
        return tokbench_here("check", config.name, cwd=tmp_path)

    return run


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX")
@pytest.mark.parametrize(
    ("path", "kind"),
    [("/dev/zero", "a device"), ("/dev/null", "a device"), ("pipe", "a named pipe")],
)
def test_no_command_reads_a_device_or_waits_for_a_pipe(check, tmp_path, path, kind):
    os.mkfifo(tmp_path / "pipe")
    done = check(path)
    assert done.returncode == 4
    assert f"corpora.train: {path} is {kind}, expected a file" in done.stderr
    learn = ["learn", path, "--merges", "1"]
    for words in (["check", path], learn, ["segment", "utf8-bytes", path]):
        done = tokbench_here(*words, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (4, f"error: {path}: is {kind}; give a file\n")


def test_standard_input_is_read_though_it_is_a_pipe(tmp_path):
    cut = tokbench("segment", "utf8-bytes", "/dev/stdin", stdin=b"low\n", cwd=tmp_path)
    assert (cut.returncode, cut.stdout) == (0, "l o w\n")


@pytest.mark.parametrize(
    ("writer", "message"),
    [
        (f"gzip < {__file__}", b""),
        (
            'printf "#tok"; sleep 1; printf "bench-counts\\t{}\\nlow\\t1\\n"',
            b":1: found the word counts of `tokbench count`, expected text",
        ),
    ],
    ids=["packed", "counts in pieces"],
)
def test_what_a_shell_writes_for_a_command_is_read(tmp_path, writer, message):
    learn = [*TOKBENCH, "learn", "--learner", "char"]
    words = ["bash", "-c", f'exec "$@" <({writer})', "bash", *learn]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, timeout=300, check=False)
    assert done.returncode == (4 if message else 0), done.stderr
    assert message in done.stderr


@pytest.mark.parametrize(("role", "letter"), [("train", "x"), ("test", "é")])
def test_a_line_without_a_space_is_cut_into_words_of_10_000_characters(check, write, role, letter):
    write("long.txt", letter * 1_200_000)
    done = check(*(("long.txt",) if role == "train" else ("short.txt", "long.txt")))
    assert done.returncode == 0
    assert f"{role if role == 'train' else 't'}: words over 10,000 characters: " in done.stderr
    assert "cut into pieces" in done.stderr
    assert (" long: 120 words, 1 distinct" if role == "train" else ": 120 words, 1 distinct") in (
        done.stdout
    )


@pytest.mark.ci
@pytest.mark.parametrize(
    ("name", "line", "content"),
    [
        ("long.txt", 2, b"low\n" + b"x y " * 13_000_000),
        ("bomb.gz", 1, gzip.compress(bytes(60_000_000))),
    ],
    ids=["text", "bomb"],
)
def test_a_line_that_is_too_long_is_refused(check, write, tmp_path, name, line, content):
    write(name, content)
    message = (
        f"{line}: a line of more than 50,000,000 bytes; put line ends into it, as "
        "`fold -s -w 10000 OLD > NEW` does\n"
    )
    done = tokbench_here("segment", "utf8-bytes", name, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (4, f"error: {name}:{message}")
    assert check(name).stderr == check("short.txt", name).stderr == f"error: {name}:{message}"
    if name == "long.txt":
        stdin = tokbench_here("segment", "utf8-bytes", stdin=content)
        assert (stdin.returncode, stdin.stderr) == (4, f"error: <stdin>:{message}")


@given(text=st.text("ab é한😀\n", max_size=60), chunk=st.integers(1, 9))
def test_chunks_are_whole_lines_with_their_numbers(tmp_path, sizes, text, chunk):
    (tmp_path / "a.txt").write_bytes(text.encode())
    with sizes(chunk=chunk), open_text(tmp_path / "a.txt") as stream:
        chunks = [*text_chunks(stream, tmp_path / "a.txt", "strict", IssueCounter())]
    assert b"".join(chunk.text for chunk in chunks).decode() == text
    assert all(chunk.text.endswith(b"\n") for chunk in chunks[:-1])
    lines = [line for chunk in chunks for line in chunk.lines(with_ends=True)]
    assert lines == [*enumerate(text.splitlines(keepends=True), start=1)]


@pytest.mark.parametrize("length", [20, 21])
def test_the_last_line_of_a_chunk_may_be_as_long_as_any(tmp_path, sizes, length):
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\n" * 30 + b"b" * (length - 1) + b"\nc")
    with sizes(chunk=10, longest_line=20), open_text(path) as stream:
        if length == 20:
            assert b"".join(lines for _, lines in whole_lines(stream, path)) == path.read_bytes()
        else:
            with pytest.raises(InputError, match=r"a\.txt:31: a line of more than 20 bytes"):
                list(whole_lines(stream, path))


UTF16 = ["utf-16", "utf-16-le", "utf-16-be", "utf-32"]


def test_utf_16_is_named_with_what_to_do(check, write, tmp_path):
    data = "low lower lowest\n".encode("utf-16-le")
    write("wide.txt", data)
    write("wide.gz", gzip.compress(data))
    message = (
        "found UTF-16LE, expected UTF-8: convert it, as `iconv -f UTF-16LE -t UTF-8 OLD > NEW` does"
    )
    for train in ("wide.txt", "wide.gz", "{path: wide.txt, errors: replace}"):
        done = check(train)
        name = "wide.gz" if train == "wide.gz" else "wide.txt"
        assert (done.returncode, done.stderr) == (4, f"error: {name}: {message}\n")
    done = tokbench_here("segment", "utf8-bytes", stdin=data)
    assert (done.returncode, done.stderr) == (4, f"error: <stdin>: {message}\n")
    done = tokbench_here("check", "wide.txt", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, f"error: wide.txt:1:1: {message}\n")


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_no_text_without_nuls_is_taken_for_utf_16(text):
    assert wide_encoding(text.encode()) is None


@given(st.text(st.characters(max_codepoint=127, exclude_characters="\0"), min_size=4))
@pytest.mark.parametrize("encoding", UTF16)
def test_letters_of_ascii_tell_utf_16(encoding, text):
    detected = wide_encoding(text.encode(encoding))
    assert detected == encoding.upper().replace("-LE", "LE").replace("-BE", "BE")
