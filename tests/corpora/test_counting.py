"""All ways of counting give the same: engines, chunk sizes, parts, by line."""

import pickle
from collections import Counter
from dataclasses import replace
from importlib.util import find_spec

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.engines import using
from tokbench.api import Splitter
from tokbench.api.arrays import CountedWords
from tokbench.corpora.counting import WordCounter, add_up
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
    """Return all that reading gives, or the error that ended it."""
    try:
        loaded = load_corpora(train, {"t": test}, {}, {}, seed=0)
    except TokbenchError as error:
        return type(error), str(error)
    counts = loaded.tests[0].words.train_count.tolist()
    return [*loaded.train.words.items()], loaded.train.digest, counts, loaded.warnings


@pytest.mark.parametrize("engine", ENGINES)
@given(
    text=HOSTILE,
    again=TEXT,
    chunk=st.integers(1, 20),
    splitter=st.sampled_from([*SPLITTERS]),
    errors=st.sampled_from(["strict", "replace", "skip-line"]),
    steps=st.sampled_from(STEPS),
)
@example(b"\xc3a \xcf\x83", b"", 1, "words", "strict", [])
@example("ΑΣ\nΣ".encode(), b"a", 1, "words", "strict", ["lowercase"])
@example(b"a\n" + b"d" * 12 + b" e\n", b"a", 2, "whitespace", "strict", [])
@example(b"a b\nc\xff " + b"d" * 12, b"c\nd", 4, "words", "replace", [])
@example("\xa0\n\u2003\n".encode(), b"a", 3, "words", "strict", [])
@example(b"\xef\xbb\xbfa\n\xef\xbb\xbfa", b"a", 2, "whitespace", "strict", [])
def test_chunks_give_what_lines_give(
    tmp_path,
    corpus,
    sizes,
    by_line,
    engine,
    text,
    again,
    chunk,
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
    with sizes(chunk=chunk, longest=9), using(engine):
        assert outcome(train, test) == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_a_splitter_of_somebody_else_is_asked_for_each_line(corpus, write, engine):
    class WholeLines(WhitespaceSplitter):
        def split(self, text):
            return [(0, len(text))]

    text = replace(corpus(write("a.txt", b"a b\nc\r\n\na b\n")), splitter=WholeLines())
    with using(engine):
        counts = counted(text)
    assert isinstance(counts, CountedWords)
    assert counts == {"a b": 2, "c": 1}


@pytest.mark.parametrize("engine", ENGINES)
def test_the_first_of_several_errors_is_raised(corpus, write, sizes, engine):
    path = write("a.txt", b"fine\n" * 1000 + b"\xff\n" + b"fine\n" * 1000 + b"\xfe\n" * 1000)
    with sizes(chunk=16), using(engine), pytest.raises(InputError) as caught:
        counted(corpus(path, splitter="whitespace"))
    assert str(caught.value).startswith(f"{path}:1001: not valid UTF-8: found byte 0xff")


CHUNK = st.one_of(TEXT, st.lists(st.text("abé.👩\x00\xa0", min_size=1), max_size=9))


def words_of(chunk: bytes | list[str], splitter: Splitter) -> list[str]:
    if isinstance(chunk, list):
        return chunk
    text = chunk.decode()
    return [text[begin:end] for begin, end in splitter.split(text)]


def counted_chunks(chunks, splitter: Splitter) -> CountedWords:
    counter = WordCounter(splitter)
    for chunk in chunks:
        if isinstance(chunk, bytes):
            counter.add(chunk)
        else:
            counter.add_words(chunk)
    return counter.words()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("splitter", SPLITTERS.values(), ids=SPLITTERS)
@given(chunks=st.lists(CHUNK, max_size=8), cut=st.integers(0, 8))
def test_parts_add_up_to_what_one_pass_counts(engine, splitter, chunks, cut):
    with using(engine):
        parts = [counted_chunks(part, splitter) for part in (chunks[:cut], chunks[cut:])]
        total = add_up(parts)
        in_one = counted_chunks(chunks, splitter)
    expected = Counter(word for chunk in chunks for word in words_of(chunk, splitter))
    assert [*total.items()] == [*in_one.items()] == [*expected.items()]


@pytest.mark.parametrize("protocol", [2, 5])
def test_counts_can_be_sent_to_another_process(protocol):
    words = counted_chunks(["é low é".encode()], WhitespaceSplitter())
    received = pickle.loads(pickle.dumps(words, protocol))
    assert [*received.items()] == [("é", 2), ("low", 1)]
    assert isinstance(received, CountedWords)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("splitter", SPLITTERS)
def test_many_distinct_words(corpus, write, sizes, engine, splitter):
    # Enough for every table to grow several times, and lengths on both sides of eight bytes.
    spelled = [f"{'x' * (i % 17)}{i}ß" for i in range(20_000)]
    text = "\n".join(" ".join(spelled[i : i + 50] * 2) for i in range(0, len(spelled), 50))
    with sizes(chunk=1 << 14), using(engine):
        counts = counted(corpus(write("a.txt", text), splitter=splitter))
    assert [*counts.items()] == [(word, 2) for word in spelled]
