"""All ways of counting a training text give the same: engines, chunk sizes, threads, by line."""

import gzip
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tokbench.api import CountedWords, Splitter
from tokbench.api.engine import using
from tokbench.corpora import counting, files, reading, scan, words
from tokbench.corpora.counting import count_words
from tokbench.corpora.handout import count_together
from tokbench.corpora.load import load_corpora
from tokbench.corpora.reader import TextReader
from tokbench.corpora.source import Source
from tokbench.corpora.splitters import KERNELS, WhitespaceSplitter, WordSplitter
from tokbench.errors import InputError, TokbenchError

NOT_BUILT = pytest.mark.skipif(find_spec(KERNELS) is None, reason="kernels were not built")
COMPILED = pytest.param("compiled", marks=NOT_BUILT)
ENGINES = ["python", COMPILED]
SPLITTERS = {"words": WordSplitter(), "whitespace": WhitespaceSplitter()}
STEPS = [[], ["lowercase"], ["nfc", "lowercase"], ["nfkd"], ["nfkc"], [{"remove": "[aσ]\\s?"}]]

# Joiners, marks, case that depends on neighbours, forms that join or fall apart over characters.
LETTERS = "a A _ 1 Σ σ İ é e\u0301 ﬁ \u1e9b\u0323 ᄒ ᅡ ᆫ 한 ह\u093f \u200c \u200d"
SYMBOLS = "👩 ❤\ufe0f . « \x00 \x1c \ufdd3"
SPACES = " |\t|\v|\f|\n|\n\n|\r|\r\n|\x85|\xa0|\u2003|\u2028|\u3000|\ufeff"
BROKEN = [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf0\x9f\x91", "\ufdd0".encode()]
VALID = st.sampled_from(
    [part.encode() for part in [*LETTERS.split(" "), *SYMBOLS.split(" "), *SPACES.split("|")]]
)
TEXT = st.lists(VALID, max_size=30).map(b"".join)
HOSTILE = st.lists(st.one_of(VALID, VALID, VALID, st.sampled_from(BROKEN)), max_size=30).map(
    b"".join
)


def corpus(path: Path, splitter: str, **treatment: object) -> SimpleNamespace:
    source = Source.model_validate({"path": path, **treatment})
    return SimpleNamespace(source=source, splitter_name=splitter, splitter=SPLITTERS[splitter])


def outcome(train, test):
    """Give all that reading gives, or the error that ended it."""
    try:
        loaded = load_corpora(train, {"t": test}, {}, {}, seed=0)
    except TokbenchError as error:
        return type(error), str(error)
    counts = loaded.tests[0].words.train_count.tolist()
    return [*loaded.train.words.items()], loaded.train.digest, counts, loaded.warnings


@contextmanager
def sizes(chunk: int, threads: int = 2, longest: int = 9) -> Iterator[None]:
    """Let all that depends on size happen in short texts."""
    with (
        patch.object(files, "CHUNK", chunk),
        patch.object(counting, "THREADS", threads),
        patch.object(scan, "LONGEST", longest),
        patch.object(words, "LONGEST", longest),
    ):
        yield


@pytest.mark.parametrize("engine", ENGINES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    text=HOSTILE,
    again=TEXT,
    chunk=st.integers(1, 20),
    threads=st.integers(1, 2),
    splitter=st.sampled_from([*SPLITTERS]),
    errors=st.sampled_from(["strict", "replace", "skip-line"]),
    steps=st.sampled_from(STEPS),
)
@example("ΑΣ\nΣ".encode(), b"a", 1, 2, "words", "strict", ["lowercase"])
@example(b"a\n" + b"d" * 12 + b" e\n", b"a", 2, 2, "whitespace", "strict", [])
@example(b"a b\nc\xff " + b"d" * 12, b"c\nd", 4, 2, "words", "replace", [])
@example("\xa0\n\u2003\n".encode(), b"a", 3, 2, "words", "strict", [])
@example(b"\xef\xbb\xbfa\n\xef\xbb\xbfa", b"a", 2, 1, "whitespace", "strict", [])
def test_chunks_give_what_lines_give(
    tmp_path, engine, text, again, chunk, threads, splitter, errors, steps
):
    (tmp_path / "train.txt").write_bytes(text)
    (tmp_path / "test.txt").write_bytes(b"z\n" + again)
    train = corpus(tmp_path / "train.txt", splitter, errors=errors, normalise=steps)
    test = corpus(tmp_path / "test.txt", splitter)
    with sizes(1 << 20), using("python"), patch.object(reading, "built_in", lambda _: False):
        by_line = outcome(train, test)
    with sizes(chunk, threads), using(engine):
        assert outcome(train, test) == by_line


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("splitter", SPLITTERS.values(), ids=SPLITTERS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=TEXT, chunk=st.integers(1, 20))
def test_words_stand_in_the_order_in_which_they_first_occur(
    tmp_path, engine, splitter, text, chunk
):
    path = tmp_path / "a.txt"
    path.write_bytes(text)
    expected: Counter[str] = Counter()
    for line in TextReader([path]):
        expected.update(line.text[begin:end] for begin, end in splitter.split(line.text))
    with patch.object(files, "CHUNK", chunk), using(engine):
        assert [*count_words(path, splitter).items()] == [*expected.items()]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_splitter_of_somebody_else_is_asked_for_each_line(tmp_path, engine):
    class Lines(WhitespaceSplitter):
        def split(self, text):
            return [(0, len(text))]

    (tmp_path / "a.txt").write_bytes(b"a b\nc\r\n\na b\n")
    with using(engine):
        found = count_words(tmp_path / "a.txt", Lines())
    assert isinstance(found, CountedWords)
    assert found == {"a b": 2, "c": 1}


@pytest.mark.parametrize("engine", ENGINES)
def test_the_first_of_several_errors_is_told_whatever_the_threads(tmp_path, engine):
    path = tmp_path / "a.txt"
    path.write_bytes(b"fine\n" * 1000 + b"\xff\n" + b"fine\n" * 1000 + b"\xfe\n" * 1000)
    for _ in range(20):
        with patch.object(files, "CHUNK", 16), using(engine), pytest.raises(InputError) as caught:
            count_words(path, WhitespaceSplitter())
        assert str(caught.value).startswith(f"{path}:1001: not valid UTF-8: found byte 0xff")


class Failing:
    """A counter that cannot."""

    def add(self, piece, number):
        raise MemoryError("no room")


class Slow:
    def __init__(self):
        self.pieces = []

    def add(self, piece, number):
        self.pieces.append(number)


def test_what_fails_in_a_thread_of_its_own_is_raised():
    with pytest.raises(MemoryError, match="no room"):
        count_together((b"a" for _ in iter(int, 1)), [Slow(), Failing()])
    with pytest.raises(MemoryError, match="no room"):
        count_together((b"a" for _ in iter(int, 1)), [Failing(), Slow()])


def test_each_piece_is_counted_once():
    counters = [Slow(), Slow(), Slow()]
    count_together((b"a" for _ in range(1000)), counters)
    assert all(counter.pieces == sorted(counter.pieces) for counter in counters)
    assert sorted(n for counter in counters for n in counter.pieces) == [*range(1000)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("splitter", SPLITTERS.values(), ids=SPLITTERS)
def test_many_distinct_words(tmp_path, engine, splitter: Splitter):
    # Enough for every table to grow several times, and lengths on both sides of eight bytes.
    spelled = [f"{'x' * (i % 17)}{i}ß" for i in range(20_000)]
    text = "\n".join(" ".join(spelled[i : i + 50] * 2) for i in range(0, len(spelled), 50))
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    with patch.object(files, "CHUNK", 1 << 14), using(engine):
        found = count_words(tmp_path / "a.txt", splitter)
    assert [*found.items()] == [(word, 2) for word in spelled]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_shakespeare(shared, engine):
    path = shared / "shakespeare" / "pg100_2018-06-14.txt.gz"
    text = gzip.decompress(path.read_bytes()).removeprefix(b"\xef\xbb\xbf")
    with using(engine):
        found = count_words(path, WhitespaceSplitter())
        runs = count_words(path, WordSplitter())
    expected = Counter(text.split())
    assert [*found.items()] == [(word.decode(), count) for word, count in expected.items()]
    decoded = text.decode()
    split = Counter(decoded[begin:end] for begin, end in WordSplitter().split(decoded))
    assert [*runs.items()] == [*split.items()]


PEAK = """
import sys
from pathlib import Path
from tokbench.corpora.counting import count_words
from tokbench.corpora.splitters import WhitespaceSplitter, WordSplitter
splitter = {"words": WordSplitter, "whitespace": WhitespaceSplitter}[sys.argv[2]]()
words = count_words(Path(sys.argv[1]), splitter)
peak = Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]
print(len(words), sum(words.values()), peak)
assert not {"numpy", "pandas"} & set(sys.modules)
"""


@pytest.mark.slow
# What getrusage gives begins with the memory of the process that started this one.
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs VmHWM of Linux")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("splitter", SPLITTERS)
def test_memory_grows_with_distinct_words_only(tmp_path, engine, splitter):
    block = "".join(f"word{i % 7000} and{i % 11}{'.' * (i % 3)}\n" for i in range(200_000))
    (tmp_path / "1.txt").write_text(block)
    (tmp_path / "20.txt").write_text(block * 20)
    found = []
    for name in ("1.txt", "20.txt"):
        done = subprocess.run(
            [sys.executable, "-c", PEAK, tmp_path / name, splitter],
            env={**os.environ, "TOKBENCH_ENGINE": engine},
            capture_output=True,
            check=True,
            encoding="utf-8",
        )
        found.append([int(number) for number in done.stdout.split()])
    (distinct, running, peak), (distinct_20, running_20, peak_20) = found
    assert (distinct_20, running_20) == (distinct, 20 * running)
    # The text itself grows by 57 MB.
    assert (peak_20 - peak) * 1024 < 8e6
