"""All ways of counting give the same: engines, chunk sizes, parts and threads, by line."""

import pickle
import threading
from collections import Counter
from importlib.util import find_spec
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.engines import using
from tokbench.api import CountedWords, Splitter
from tokbench.corpora.counting import CountedPart, count_part, count_words, merge_counts
from tokbench.corpora.load import load_corpora
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


def counted(corpus) -> CountedWords:
    return load_corpora(corpus, {}, {}, {}, seed=0).train.words


def outcome(train, test):
    """Return all that reading gives, or the error that ended it.

    What an error guesses about the encoding depends on how much of the line was read.
    """
    try:
        loaded = load_corpora(train, {"t": test}, {}, {}, seed=0)
    except TokbenchError as error:
        return type(error), str(error).partition("; save it as UTF-8")[0]
    counts = loaded.tests[0].words.train_count.tolist()
    return [*loaded.train.words.items()], loaded.train.digest, counts, loaded.warnings


@pytest.mark.parametrize("engine", ENGINES)
@given(
    text=HOSTILE,
    again=TEXT,
    chunk=st.integers(1, 20),
    threads=st.integers(1, 2),
    splitter=st.sampled_from([*SPLITTERS]),
    errors=st.sampled_from(["strict", "replace", "skip-line"]),
    steps=st.sampled_from(STEPS),
)
@example(b"\xc3a \xcf\x83", b"", 1, 1, "words", "strict", [])
@example("ΑΣ\nΣ".encode(), b"a", 1, 2, "words", "strict", ["lowercase"])
@example(b"a\n" + b"d" * 12 + b" e\n", b"a", 2, 2, "whitespace", "strict", [])
@example(b"a b\nc\xff " + b"d" * 12, b"c\nd", 4, 2, "words", "replace", [])
@example("\xa0\n\u2003\n".encode(), b"a", 3, 2, "words", "strict", [])
@example(b"\xef\xbb\xbfa\n\xef\xbb\xbfa", b"a", 2, 1, "whitespace", "strict", [])
def test_chunks_give_what_lines_give(
    tmp_path,
    corpus,
    sizes,
    by_line,
    engine,
    text,
    again,
    chunk,
    threads,
    splitter,
    errors,
    steps,
):
    (tmp_path / "train.txt").write_bytes(text)
    (tmp_path / "test.txt").write_bytes(b"z\n" + again)
    train = corpus(tmp_path / "train.txt", splitter=splitter, errors=errors, normalise=steps)
    test = corpus(tmp_path / "test.txt", splitter=splitter)
    with sizes(longest=9), using("python"), by_line():
        expected = outcome(train, test)
    with sizes(chunk=chunk, threads=threads, longest=9), using(engine):
        assert outcome(train, test) == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_a_splitter_of_somebody_else_is_asked_for_each_line(corpus, write, engine):
    class WholeLines(WhitespaceSplitter):
        def split(self, text):
            return [(0, len(text))]

    text = corpus(write("a.txt", b"a b\nc\r\n\na b\n"))
    text.splitter = WholeLines()
    with using(engine):
        found = counted(text)
    assert isinstance(found, CountedWords)
    assert found == {"a b": 2, "c": 1}


@pytest.mark.parametrize("engine", ENGINES)
def test_the_first_of_several_errors_is_raised_whatever_the_threads(corpus, write, sizes, engine):
    path = write("a.txt", b"fine\n" * 1000 + b"\xff\n" + b"fine\n" * 1000 + b"\xfe\n" * 1000)
    for _ in range(20):
        with sizes(chunk=16), using(engine), pytest.raises(InputError) as caught:
            counted(corpus(path, splitter="whitespace"))
        assert str(caught.value).startswith(f"{path}:1001: not valid UTF-8: found byte 0xff")


CHUNK = st.one_of(TEXT, st.lists(st.text("abé.👩\x00\xa0", min_size=1), max_size=9))


def words_of(chunk: bytes | list[str], splitter: Splitter) -> list[str]:
    if isinstance(chunk, list):
        return chunk
    text = chunk.decode()
    return [text[begin:end] for begin, end in splitter.split(text)]


def in_one_pass(chunks, splitter: Splitter) -> list[tuple[str, int]]:
    return [*Counter(word for chunk in chunks for word in words_of(chunk, splitter)).items()]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("splitter", SPLITTERS.values(), ids=SPLITTERS)
@given(chunks=st.lists(CHUNK, max_size=8), data=st.data())
def test_any_parts_merge_to_what_one_pass_counts(engine, splitter, chunks, data):
    owner = [data.draw(st.integers(0, 2)) for _ in chunks]
    shared_out = [
        [(number, chunk) for number, chunk in enumerate(chunks) if owner[number] == part]
        for part in data.draw(st.permutations([0, 1, 2]))
    ]
    with using(engine):
        parts = [count_part(part, splitter) for part in shared_out]
        whole = merge_counts(parts)
        again = merge_counts([merge_counts(parts[1:]), parts[0]])
        one = count_part(enumerate(chunks), splitter)
    expected = in_one_pass(chunks, splitter)
    assert [[*part.words.items()] for part in (whole, again, one)] == [expected] * 3


@NOT_BUILT
def test_parts_of_different_engines_merge():
    chunks = [b"c b", b"b a a", b"d c"]
    parts = []
    for number, engine in enumerate(("python", "compiled", "python")):
        with using(engine):
            parts.append(count_part([(number, chunks[number])], WordSplitter()))
    for engine in ("python", "compiled"):
        with using(engine):
            words = merge_counts(parts).words
        assert [*words.items()] == [("c", 2), ("b", 2), ("a", 2), ("d", 1)]


def test_a_part_can_be_sent_to_another_process():
    part = count_part([(3, "é low é".encode())], WhitespaceSplitter())
    received = pickle.loads(pickle.dumps(part))
    assert received == part
    assert isinstance(received, CountedPart)
    columns = (part.ends.tolist(), part.counts.tolist(), [place >> 40 for place in part.places])
    assert (part.utf8, columns) == ("élow".encode(), ([2, 5], [2, 1], [3, 3]))


@NOT_BUILT
def test_two_threads_count_with_compiled_kernels():
    names, met = set(), threading.Barrier(2, timeout=120)

    def counting(chunks, splitter):
        names.add(threading.current_thread().name)
        met.wait()  # until both threads are here
        return count_part(chunks, splitter)

    with using("compiled"), patch("tokbench.corpora.counting.count_part", counting):
        words = count_words([b"a", b"b"], WordSplitter())
    assert words == {"a": 1, "b": 1}
    assert len(names) == 2


@NOT_BUILT
def test_where_no_thread_can_be_started_this_one_does_it_alone():
    with (
        using("compiled"),
        patch.object(threading.Thread, "start", side_effect=RuntimeError("can't start")) as start,
    ):
        assert count_words([b"a b", b"a"], WordSplitter()) == {"a": 2, "b": 1}
    assert start.called


@NOT_BUILT
@pytest.mark.parametrize("failing", ["MainThread", "tokbench-counter"])
def test_what_fails_in_one_thread_ends_the_other(failing):
    def count(chunks, splitter):
        for _ in chunks:
            if threading.current_thread().name == failing:
                raise MemoryError("no room")

    with (
        using("compiled"),
        patch("tokbench.corpora.counting.count_part", count),
        pytest.raises(MemoryError, match="no room"),
    ):
        count_words((b"a" for _ in iter(int, 1)), WordSplitter())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("splitter", SPLITTERS)
def test_many_distinct_words(corpus, write, sizes, engine, splitter):
    # Enough for every table to grow several times, and lengths on both sides of eight bytes.
    spelled = [f"{'x' * (i % 17)}{i}ß" for i in range(20_000)]
    text = "\n".join(" ".join(spelled[i : i + 50] * 2) for i in range(0, len(spelled), 50))
    with sizes(chunk=1 << 14), using(engine):
        found = counted(corpus(write("a.txt", text), splitter=splitter))
    assert [*found.items()] == [(word, 2) for word in spelled]
