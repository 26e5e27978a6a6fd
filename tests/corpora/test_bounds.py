"""Whatever a file holds, reading it ends, in bounded memory: bombs, pipes, devices, long lines."""

import gzip
import os
import resource
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.run_cli import TOKBENCH, Done, tokbench, tokbench_here
from tokbench.api.files import wide_encoding
from tokbench.corpora.files import raw_chunks

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
def test_a_bomb_of_gzip_names_the_option_that_lets_it_in(check, write):
    path = write("bomb.gz", bomb(20))
    done = check("bomb.gz")
    assert done.returncode == 4
    assert done.stderr == (
        f"error: bomb.gz: a gzip file of {path.stat().st_size:,} bytes that holds more than 200 "
        "times as many; if that is right, raise `max-compression` (of a command: "
        "--max-compression)\n"
    )
    assert check("{path: bomb.gz, max-compression: 1030}").returncode == 0
    assert check("short.txt", "bomb.gz").stderr == done.stderr


def test_a_bomb_is_refused_by_commands_too(write, tmp_path):
    write("bomb.gz", gzip.compress((b"a" * 99 + b"\n") * 200_000))
    arguments = "learn", "bomb.gz", "--learner", "char"
    done = tokbench_here(*arguments, cwd=tmp_path)
    assert done.returncode == 4
    assert "holds more than 200 times as many; if that is right, raise" in done.stderr
    assert tokbench_here(*arguments, "--max-compression", "1030", cwd=tmp_path).returncode == 0
    assert tokbench_here(*arguments, "--max-compression", "0", cwd=tmp_path).returncode == 2


def test_a_short_text_may_compress_as_well_as_it_can(check, write):
    write("short.gz", bomb(15))
    assert check("short.gz").returncode == 0


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
        f"error: {place}: a line of more than 10,000,000 bytes, which is needed whole: put line "
        "ends into it, as `fold -s -w 10000 OLD > NEW` does\n"
    )


def test_a_long_line_that_is_needed_whole_is_refused(check, write, tmp_path):
    write("long.txt", b"low\n" + b"x y " * 2_600_000)
    assert bounded(["segment", "utf8-bytes", "long.txt"], tmp_path).stderr == too_long("long.txt:2")
    assert check("{path: long.txt, errors: skip-line}").stderr == too_long("long.txt:2")
    assert check("long.txt").returncode == 0
    stdin = tokbench_here("segment", "utf8-bytes", stdin=(tmp_path / "long.txt").read_bytes())
    assert (stdin.returncode, stdin.stderr) == (4, too_long("<stdin>:2"))


def test_a_line_that_is_blank_for_long_is_refused(check, write):
    write("blank.txt", b" " * 11_000_000 + b"low\n")
    assert check("blank.txt").stderr == too_long("blank.txt:1")


@given(text=st.text("ab é한😀\n", max_size=60), chunk=st.integers(1, 9), most=st.integers(4, 20))
@example(text="😀" * 9, chunk=3, most=4)
@example(text="한😀😀", chunk=6, most=4)
@example(text="a한" * 9 + "\na b", chunk=1, most=7)
def test_long_parts_join_to_the_text_and_begin_with_characters(tmp_path, sizes, text, chunk, most):
    (tmp_path / "a.txt").write_bytes(text.encode())
    with sizes(chunk=chunk, longest_line=most):
        parts = [part.raw for part in raw_chunks(tmp_path / "a.txt", b" \t")]
    assert "".join(part.decode() for part in parts) == text
    # Two chunks are read before a line is cut into parts.
    bound = max(most + chunk, 2 * chunk)
    assert all(len(run) <= bound for part in parts for run in part.split())


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


@pytest.mark.nightly
@pytest.mark.parametrize("role", ["train", "test"])
@pytest.mark.parametrize("name", ["long.txt", "{path: bomb.gz, max-compression: 1030}"])
def test_200_mb_without_a_space_take_little_memory(check, write, role, name):
    write("bomb.gz", bomb(200))
    write("long.txt", b"x" * 200 * MB)
    texts = (name,) if role == "train" else ("short.txt", name)
    done = check(*texts, memory=500 * MB)
    assert done.returncode == 0, done.stderr
    assert "20000 words, 1 distinct" in done.stdout


@pytest.mark.nightly
def test_200_mb_of_a_bomb_are_not_unpacked(check, write):
    write("bomb.gz", bomb(200))
    assert check("bomb.gz", memory=400 * MB).returncode == 4
