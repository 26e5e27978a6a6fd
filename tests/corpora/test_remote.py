"""Counting in other processes, and putting together what several counters found."""

import io
import subprocess
import sys
import threading
from collections import Counter
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokbench.api.engine import chosen, using
from tokbench.corpora import counting, files, plain
from tokbench.corpora.counting import count_words
from tokbench.corpora.handout import count_together
from tokbench.corpora.plain import HEADER, PlainCounter, read, serve
from tokbench.corpora.remote import RemoteCounter, merged
from tokbench.corpora.splitters import WORDS, WhitespaceSplitter, WordSplitter
from tokbench.errors import InputError, TokbenchError

TEXT = st.text(st.sampled_from("abcé한 \n\xa0.👩\u200d\x00"))
PIECE = st.one_of(TEXT.map(str.encode), st.lists(st.text("abé.👩\x00\xa0", min_size=1)))


def words_of(piece) -> list[str]:
    if isinstance(piece, bytes):
        text = piece.decode()
        return [text[begin:end] for begin, end in WordSplitter().split(text)]
    return piece


@given(st.lists(PIECE), st.data())
def test_parts_merge_into_the_order_of_the_text(pieces, data):
    counters = [PlainCounter(WORDS) for _ in range(3)]
    for number, piece in enumerate(pieces):
        data.draw(st.sampled_from(counters)).add(piece, number)
    expected = Counter(word for piece in pieces for word in words_of(piece))
    assert [*merged([c.columns() for c in counters]).items()] == [*expected.items()]


@given(st.lists(PIECE))
def test_a_process_counts_what_it_is_sent(pieces):
    here, sent, result = PlainCounter(WORDS), io.BytesIO(), io.BytesIO()
    for number, piece in enumerate(pieces):
        here.add(piece, number)
        text = piece if isinstance(piece, bytes) else "\n".join(piece).encode()
        sent.write(HEADER.pack(number, len(text), not isinstance(piece, bytes)) + text)
    sent.seek(0)
    serve(WORDS, sent, result)
    result.seek(0)
    assert read(result) == here.columns()


@pytest.mark.parametrize("sent", [b"\0" * 5, HEADER.pack(0, 9, False) + b"cut"])
def test_a_process_whose_sender_is_gone_ends_without_a_word(sent):
    command = [sys.executable, "-P", plain.__file__, WORDS]
    done = subprocess.run(command, input=sent, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_counting_threads_use_the_engine_that_is_asked_for():
    class Asking(PlainCounter):
        def add(self, piece, number):
            met.wait()  # until both counters have a piece
            asked.append(chosen())
            super().add(piece, number)

    asked, met = [], threading.Barrier(2, timeout=30)
    with using("python"):
        count_together([b"a", b"b"], [Asking(WORDS), Asking(WORDS)])
    assert asked == ["python", "python"]


def test_where_no_thread_can_be_started_one_counter_does_it_alone():
    counters = [PlainCounter(WORDS), PlainCounter(WORDS)]
    with patch.object(threading.Thread, "start", side_effect=RuntimeError("can't start")):
        count_together([b"a b", b"a"], counters)
    assert dict(merged([counter.columns() for counter in counters])) == {"a": 2, "b": 1}


def test_columns_that_end_too_early():
    result = io.BytesIO()
    plain.write(PlainCounter().columns(), result)
    with pytest.raises(EOFError):
        read(io.BytesIO(result.getvalue()[:-1]))


@pytest.mark.parametrize("splitter", [WhitespaceSplitter(), WordSplitter()])
def test_a_long_text_is_counted_in_processes_of_their_own(write, splitter):
    # Words over 10,000 characters and joiners show that lists are sent as they are.
    lines = [f"{i} a{i % 7}, \u200d👩\u200d{i % 5} b{i % 3}\r\n" for i in range(900)]
    text = "".join(lines) + "c" * 20_001 + " .👩" + "\u200d" * 10_000 + "\n" + "".join(lines[::-1])
    path = write("a.txt", text)
    with patch.object(files, "CHUNK", 1 << 10):
        with using("python"), patch.object(counting, "ALONE", 1 << 20):
            alone = count_words(path, splitter)
        with using("python"), patch.object(counting, "ALONE", 3):
            together = count_words(path, splitter)
    assert len(alone) > 900
    assert [*together.items()] == [*alone.items()]


def test_where_no_process_can_be_started_this_one_counts_on(write):
    path = write("a.txt", "".join(f"{i} a{i % 7}\n" for i in range(300)))
    with (
        patch.object(files, "CHUNK", 64),
        patch.object(counting, "ALONE", 3),
        patch("subprocess.Popen", side_effect=OSError("no more processes")) as started,
        using("python"),
    ):
        words = count_words(path, WhitespaceSplitter())
    assert started.called
    assert [*words.items()] == [*Counter(path.read_text().split()).items()]


def test_an_error_ends_the_processes(write):
    path = write("a.txt", b"a b\n" * 100 + b"\xff\n")
    with (
        patch.object(files, "CHUNK", 16),
        patch.object(counting, "ALONE", 3),
        using("python"),
        pytest.raises(InputError, match=r"a\.txt:101: not valid UTF-8"),
    ):
        count_words(path, WhitespaceSplitter())


def test_a_process_that_dies_is_told_of():
    with RemoteCounter("(") as counter:  # no pattern, so it ends at the first piece
        counter.add(b"a", 0)
        with pytest.raises(TokbenchError, match=r"ended too early, with exit code 1$"):
            counter.columns()
    with RemoteCounter("") as counter:
        counter._process.kill()
        counter._process.wait()
        with pytest.raises(TokbenchError, match=r"ended too early, with exit code -9$"):
            counter.add(b"a" * 1_000_000, 0)
