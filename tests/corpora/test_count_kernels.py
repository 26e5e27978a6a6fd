"""The compiled kernels one by one, on any bytes at all, against a line of Python each."""

from array import array
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokbench.corpora.splitters import KERNELS, KNOWN, SPECIAL, WordSplitter, character_classes
from tokbench.corpora.words import may_hold_overlong

_count = pytest.importorskip(KERNELS)

ANY = st.lists(
    st.one_of(
        st.binary(max_size=12),
        st.text(max_size=5).map(str.encode),
        st.sampled_from([b" ", b"\n", b"\n", b"\r\n", b"\x0b", b"\xef\xb7\x90", b"\xef\xb7\x93"]),
    ),
    max_size=20,
).map(b"".join)


def columns(counter) -> list[tuple[bytes, int]]:
    utf8, ends, counts = counter.columns()
    ends, counts = memoryview(ends).cast("q"), memoryview(counts).cast("q")
    begins = [0, *ends][:-1]
    return [(utf8[b:e], n) for b, e, n in zip(begins, ends, counts, strict=True)]


@given(ANY)
def test_words_between_white_space(text):
    counter = _count.Counter()
    counter.spaced(text)
    assert columns(counter) == [*Counter(text.split()).items()]
    assert len(counter) == len(set(text.split()))


@given(st.lists(ANY, max_size=8))
def test_counts_of_counters_add_up_in_their_order(chunks):
    total = _count.Counter()
    for chunk in chunks:
        counter = _count.Counter()
        counter.spaced(chunk)
        total.add(*counter.columns())
    expected = Counter(word for chunk in chunks for word in chunk.split())
    assert columns(total) == [*expected.items()]


def numbers(*values: int) -> bytes:
    return array("q", values).tobytes()


def test_counts_of_64_bits_add_up():
    counter = _count.Counter()
    counter.add(b"ab", numbers(1, 2), numbers(2**40, 1))
    counter.add(b"b", numbers(1), numbers(2**50))
    assert columns(counter) == [(b"a", 2**40), (b"b", 2**50 + 1)]


@pytest.mark.parametrize(
    "part",
    [
        (b"ab", numbers(1, 3), numbers(1, 1)),
        (b"ab", numbers(2, 1), numbers(1, 1)),
        (b"ab", numbers(-1), numbers(1)),
        (b"ab", numbers(1, 2), numbers(1)),
        (b"ab", numbers(1) + b"x", numbers(1) + b"x"),
    ],
)
def test_columns_must_belong_together(part):
    with pytest.raises(ValueError, match="columns that do not belong together"):
        _count.Counter().add(*part)


def special(char: str) -> bool:
    page, place = divmod(ord(char), 256)
    return bool(character_classes(page)[place] & SPECIAL)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_runs_of_classes(text):
    """It stops before a run with a special character, which is left out here."""
    text = "".join(char for char in text if not special(char))
    counter, utf8 = _count.Counter(), text.encode()
    at, stopped = counter.runs(utf8, 0)
    while stopped >= 0:
        assert chr(stopped) in text
        counter.classify(stopped // 256 * 256, character_classes(stopped // 256))
        at, stopped = counter.runs(utf8, at)
    assert at == len(utf8)
    expected = Counter(word.encode() for word in WordSplitter().words(text))
    assert columns(counter) == [*expected.items()]


def test_runs_stop_before_a_run_with_a_special_character():
    counter = _count.Counter()
    counter.classify(0, character_classes(0))
    assert counter.runs(b"ab cd\xc2\xade", 0) == (3, 0xAD)
    assert columns(counter) == [(b"ab", 1)]


@pytest.mark.parametrize(
    "text",
    [b"a\xff", b"\x80", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a\xc3", b"\xf0\x9f"],
)
def test_runs_need_valid_utf8(text):
    counter = _count.Counter()
    for number in range(0x110000 // 256):
        counter.classify(number * 256, bytes([KNOWN]) * 256)
    with pytest.raises(ValueError, match="the text is not valid UTF-8"):
        counter.runs(text, 0)


def test_wrong_arguments():
    counter = _count.Counter()
    for start in (-1, 4):
        with pytest.raises(ValueError, match="the start lies outside the text"):
            counter.runs(b"abc", start)
    for begin, classes in ((-1, b"\4"), (0x110000, b"\4"), (0, b"\3"), (0, b"\x10"), (2**40, b"")):
        with pytest.raises(ValueError, match="expected a class from 4 to 15"):
            counter.classify(begin, classes)
    counter.classify(0x110000, b"")
    with pytest.raises(TypeError):
        counter.spaced("text")
    for wrong in ((), (b"", b""), (b"", b"", "")):
        with pytest.raises(TypeError):
            counter.add(*wrong)
    with pytest.raises(TypeError):
        _count.Counter(1)


def overlong(text: bytes, longest: int) -> bool:
    return any(len(run.decode()) > longest for run in text.split())


@given(st.lists(st.sampled_from(["a", "é", "한" * 9, " ", "\n", "\t", "b" * 15])).map("".join))
def test_overlong_words_are_found(sizes, text):
    with sizes(longest=14):
        assert may_hold_overlong(text.encode()) == overlong(text.encode(), 14)
