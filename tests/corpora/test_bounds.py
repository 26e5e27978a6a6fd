"""Whatever a file holds, reading it ends, in bounded memory: bombs, pipes, devices, long lines."""

import gzip
import os
import resource
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.run_cli import TOKBENCH, Done, tokbench, tokbench_here
from tokbench.corpora.files import chunks_of_stream, open_text
from tokbench.corpora.load import load_corpora
from tokbench.corpora.wrong_files import wide_encoding
from tokbench.errors import InputError

CONFIG = """corpora:
  train: {train}
  test: {{t: {test}}}
sizes: [300]
systems: [bpe]
"""
MB = 1_000_000


@pytest.fixture
def check(tmp_path, write):
    """Check a config with a training text of this name, beside a short test text."""

    def run(train: str, test: str = "short.txt", **options: int) -> Done:
        write("short.txt", "low lower lowest\n" * 3)
        config = write("c.yaml", CONFIG.format(train=train, test=test))
        return bounded(["check", config.name], tmp_path, **options)

    return run


def bounded(arguments: list[str], folder: Path, memory: int = 0) -> Done:
    """Run `tokbench`: in a process that may have so many bytes of data, if a bound is given."""
    if not memory:
        return tokbench_here(*arguments, cwd=folder)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))

    return subprocess.run(
        [*TOKBENCH, *arguments],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
        preexec_fn=limit,
    )


def bomb(megabytes: int) -> bytes:
    return gzip.compress(bytes(megabytes * MB))


@pytest.mark.ci
def test_a_packed_file_that_is_one_long_line_is_refused(check, write):
    write("bomb.gz", bomb(60))
    done = check("bomb.gz")
    assert (done.returncode, done.stderr) == (4, too_long("bomb.gz:1"))
    assert check("short.txt", "bomb.gz").stderr == done.stderr


def test_a_packed_file_may_hold_so_much_and_no_more(corpus, write, monkeypatch):
    monkeypatch.setattr("tokbench.corpora.files.LARGEST_TEXT", 1000)
    write("a.gz", gzip.compress(b"low\n" * 250))
    assert load_corpora(corpus(write("a.gz", gzip.compress(b"low\n" * 250))), {}, {}, {}, 0).train
    path = write("b.gz", gzip.compress(b"low\n" * 251))
    with pytest.raises(InputError) as caught:
        load_corpora(corpus(path), {}, {}, {}, 0)
    assert str(caught.value) == (
        f"{path}: holds more than 1,000 bytes when it is unpacked; "
        "split the text into several files"
    )


def test_a_pipe_that_nobody_writes_is_refused_where_the_config_names_it(check, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    done = check("pipe")
    assert done.returncode == 4
    assert done.stderr == (
        "error: c.yaml:2:10: corpora.train: pipe is a named pipe, expected a file\n"
        "      train: pipe\n             ^\n"
    )


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_a_device_is_refused(check, tmp_path, device):
    done = check(device)
    assert done.returncode == 4
    assert f"corpora.train: {device} is a device, expected a file" in done.stderr
    for words in (["check", device], ["learn", device], ["segment", "utf8-bytes", device]):
        done = bounded([*words, *(["--merges", "1"] * (words[0] == "learn"))], tmp_path)
        assert (done.returncode, done.stderr) == (4, f"error: {device}: is a device; give a file\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "pipe"],
        ["learn", "pipe", "--merges", "1"],
        ["segment", "utf8-bytes", "pipe"],
    ],
)
def test_no_command_waits_for_a_pipe(tmp_path, arguments):
    os.mkfifo(tmp_path / "pipe")
    done = bounded(arguments, tmp_path)
    assert (done.returncode, done.stderr) == (4, "error: pipe: is a named pipe; give a file\n")


def test_standard_input_is_read_though_it_is_a_pipe(tmp_path):
    learned = tokbench("learn", "/dev/stdin", "--learner", "char", stdin=b"low\n", cwd=tmp_path)
    assert learned.returncode == 0
    cut = tokbench("segment", "utf8-bytes", "/dev/stdin", stdin=b"low\n", cwd=tmp_path)
    assert (cut.returncode, cut.stdout) == (0, "l o w\n")


def test_counts_that_come_through_a_pipe_in_pieces_are_known(tmp_path):
    code = 'exec "$@" <(printf "#tok"; sleep 1; printf "bench-counts\\t{}\\nlow\\t1\\n")'
    words = ["bash", "-c", code, "bash", *TOKBENCH, "learn", "--learner", "char"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, timeout=300, check=False)
    assert done.returncode == 4
    assert b":1: found the word counts of `tokbench count`, expected text" in done.stderr


def test_what_a_shell_writes_for_a_command_is_read(tmp_path):
    code = f'exec "$@" <(gzip < {__file__})'
    words = ["bash", "-c", code, "bash", *TOKBENCH, "learn", "--learner", "char"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


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


def too_long(place: str) -> str:
    return (
        f"error: {place}: a line of more than 50,000,000 bytes; put line ends into it, as "
        "`fold -s -w 10000 OLD > NEW` does\n"
    )


@pytest.mark.ci
def test_a_line_that_is_too_long_is_refused(check, write, tmp_path):
    write("long.txt", b"low\n" + b"x y " * 13_000_000)
    assert bounded(["segment", "utf8-bytes", "long.txt"], tmp_path).stderr == too_long("long.txt:2")
    assert check("long.txt").stderr == too_long("long.txt:2")
    assert check("short.txt", "long.txt").stderr == too_long("long.txt:2")
    stdin = tokbench_here("segment", "utf8-bytes", stdin=(tmp_path / "long.txt").read_bytes())
    assert (stdin.returncode, stdin.stderr) == (4, too_long("<stdin>:2"))


@given(text=st.text("ab é한😀\n", max_size=60), chunk=st.integers(1, 9))
def test_chunks_are_whole_lines_with_their_numbers(tmp_path, sizes, text, chunk):
    (tmp_path / "a.txt").write_bytes(text.encode())
    with sizes(chunk=chunk), open_text(tmp_path / "a.txt") as stream:
        chunks = [*chunks_of_stream(stream, tmp_path / "a.txt")]
    assert b"".join(raw for _, raw in chunks).decode() == text
    assert all(raw.endswith(b"\n") for _, raw in chunks[:-1])
    before = 1
    for number, raw in chunks:
        assert number == before
        before += raw.count(b"\n")


@pytest.mark.parametrize("length", [20, 21])
def test_the_last_line_of_a_chunk_may_be_as_long_as_any(tmp_path, sizes, length):
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\n" * 30 + b"b" * (length - 1) + b"\nc")
    with sizes(chunk=10, longest_line=20), open_text(path) as stream:
        if length == 20:
            assert b"".join(raw for _, raw in chunks_of_stream(stream, path)) == path.read_bytes()
        else:
            with pytest.raises(InputError, match=r"a\.txt:31: a line of more than 20 bytes"):
                list(chunks_of_stream(stream, path))


UTF16 = ["utf-16", "utf-16-le", "utf-16-be", "utf-32"]


@pytest.mark.parametrize("encoding", UTF16)
def test_utf_16_is_named_with_what_to_do(check, write, tmp_path, encoding):
    data = "low lower lowest\n".encode(encoding)
    write("wide.txt", data)
    name = encoding.upper().replace("-LE", "LE").replace("-BE", "BE")
    said = f"found {name}, expected UTF-8: convert it, as `iconv -f {name} -t UTF-8 OLD > NEW` does"
    for train in ("wide.txt", "{path: wide.txt, errors: replace}"):
        done = check(train)
        assert (done.returncode, done.stderr) == (4, f"error: wide.txt: {said}\n")
    packed = gzip.compress(data)
    write("wide.gz", packed)
    assert check("wide.gz").stderr == f"error: wide.gz: {said}\n"
    done = tokbench_here("segment", "utf8-bytes", stdin=data)
    assert (done.returncode, done.stderr) == (4, f"error: <stdin>: {said}\n")
    done = bounded(["check", "wide.txt"], tmp_path)
    assert (done.returncode, done.stderr) == (2, f"error: wide.txt:1:1: {said}\n")


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_no_text_without_nuls_is_taken_for_utf_16(text):
    assert wide_encoding(text.encode()) is None


@given(st.text(st.characters(max_codepoint=127, exclude_characters="\0"), min_size=4))
@pytest.mark.parametrize("encoding", UTF16)
def test_letters_of_ascii_tell_utf_16(encoding, text):
    found = wide_encoding(text.encode(encoding))
    assert found == encoding.upper().replace("-LE", "LE").replace("-BE", "BE")
