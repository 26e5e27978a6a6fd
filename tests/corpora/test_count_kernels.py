"""The compiled kernels one by one, on any bytes at all, against a line of Python each."""

from array import array
from collections import Counter
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engines import using
from tokbench.corpora.scan import may_hold_overlong, plain_check
from tokbench.corpora.splitters import KERNELS, KNOWN, WordSplitter, character_classes

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
    utf8, ends, counts, places = counter.columns()
    ends, counts = memoryview(ends).cast("q"), memoryview(counts).cast("q")
    assert [*memoryview(places).cast("Q")] == sorted(set(memoryview(places).cast("Q")))
    begins = [0, *ends][:-1]
    return [(utf8[b:e], n) for b, e, n in zip(begins, ends, counts, strict=True)]


def merged(*counters) -> list[tuple[bytes, int]]:
    counter = _count.Counter()
    counter.merge(*(counter.columns() for counter in counters))
    return columns(counter)


def plain_in_python(text: bytes) -> bool:
    with using("python"):
        return plain_check()(text)


@given(ANY)
def test_words_between_white_space(text):
    counter = _count.Counter()
    counter.spaced(text, 0)
    assert columns(counter) == [*Counter(text.split()).items()]
    assert len(counter) == len(set(text.split()))


@given(st.lists(ANY, max_size=8), st.data())
def test_counters_merge_into_the_order_of_the_text(chunks, data):
    counters = [_count.Counter() for _ in range(3)]
    for number, chunk in enumerate(chunks):
        counters[data.draw(st.integers(0, 2))].spaced(chunk, number << 40)
    expected = Counter(word for chunk in chunks for word in chunk.split())
    assert merged(*counters) == merged(*counters[::-1]) == [*expected.items()]


def test_places_may_be_anything_up_to_64_bits():
    early, late = _count.Counter(), _count.Counter()
    late.spaced(b"a b", 2**64 - 4)
    early.spaced(b"c b", 2**63)
    assert merged(late, early) == [(b"c", 1), (b"b", 2), (b"a", 1)]


def numbers(*given: int) -> bytes:
    return array("q", given).tobytes()


def test_counts_of_64_bits_add_up():
    counter = _count.Counter()
    part = (b"ab", numbers(1, 2), numbers(2**40, 1), numbers(3, 9))
    counter.merge(part, (b"b", numbers(1), numbers(2**50), numbers(2)))
    assert columns(counter) == [(b"b", 2**50 + 1), (b"a", 2**40)]


@pytest.mark.parametrize(
    "part",
    [
        (b"ab", numbers(1, 3), numbers(1, 1), numbers(0, 1)),
        (b"ab", numbers(2, 1), numbers(1, 1), numbers(0, 1)),
        (b"ab", numbers(-1), numbers(1), numbers(0)),
        (b"ab", numbers(1, 2), numbers(1), numbers(0, 1)),
        (b"ab", numbers(1, 2), numbers(1, 1), numbers(0)),
        (b"ab", numbers(1) + b"x", numbers(1) + b"x", numbers(0) + b"x"),
    ],
)
def test_columns_must_belong_together(part):
    with pytest.raises(ValueError, match="columns that do not belong together"):
        _count.Counter().merge((b"", b"", b"", b""), part)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_runs_of_classes(text):
    counter, utf8 = _count.Counter(), text.encode()
    at, unknown = counter.runs(utf8, 0, 0)
    while unknown >= 0:
        assert chr(unknown) in text
        counter.classify(unknown // 256 * 256, character_classes(unknown // 256))
        at, unknown = counter.runs(utf8, 0, at)
    assert at == len(utf8)
    spans = WordSplitter().split(text)
    expected = Counter(text[begin:end].encode() for begin, end in spans)
    assert columns(counter) == [*expected.items()]


@given(ANY)
def test_text_is_plain_where_python_says_so(text):
    assert _count.is_plain(text) == plain_in_python(text)


def test_many_line_ends():
    # More than the 255 that a byte can count.
    assert _count.newlines(b"\n" * 100_003) == 100_003


@given(ANY, ANY)
def test_hashes_tell_lines_apart_but_for_the_white_space_around_them(one, two):
    def hashes(text: bytes) -> list[int]:
        return memoryview(_count.line_hashes(text)).cast("q").tolist()

    lines = one.split(b"\n") + two.split(b"\n")
    found = hashes(one) + hashes(two)
    assert len(found) == len(lines)
    assert len(set(found)) == len({line.strip() for line in lines})


@pytest.mark.parametrize(
    "text",
    [b"a\xff", b"\x80", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a\xc3", b"\xf0\x9f"],
)
def test_runs_need_valid_utf8(text):
    counter = _count.Counter()
    for number in range(0x110000 // 256):
        counter.classify(number * 256, bytes([KNOWN]) * 256)
    with pytest.raises(ValueError, match="the text is not valid UTF-8"):
        counter.runs(text, 0, 0)


def test_wrong_arguments():
    counter = _count.Counter()
    for start in (-1, 4):
        with pytest.raises(ValueError, match="the start lies outside the text"):
            counter.runs(b"abc", 0, start)
    for begin, classes in ((-1, b"\4"), (0x110000, b"\4"), (0, b"\3"), (0, b"\x08"), (2**40, b"")):
        with pytest.raises(ValueError, match="expected a class from 4 to 7"):
            counter.classify(begin, classes)
    counter.classify(0x110000, b"")
    with pytest.raises(TypeError):
        counter.spaced("text", 0)
    for wrong in (None, (b"", b"", b""), (b"", b"", b"", "")):
        with pytest.raises(TypeError):
            counter.merge((b"", b"", b"", b""), wrong)
    with pytest.raises(TypeError):
        _count.Counter(1)


def test_a_counter_in_use_refuses_a_second_user():
    counter, refused = _count.Counter(), []

    def use(text: bytes) -> None:
        try:
            counter.spaced(text, 0)
        except RuntimeError as error:
            refused.append(str(error))

    # The interpreter's lock is let go of while such a text is counted.
    threads = [Thread(target=use, args=(b"word " * 10_000_000,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == ["the counter is in use by another thread"]
    assert columns(counter) == [(b"word", 10_000_000)]
    counter.spaced(b"free again", 2**40)
    assert len(columns(counter)) == 3


def overlong(text: bytes, longest: int) -> bool:
    return any(len(run.decode()) > longest for run in text.split())


@given(st.lists(st.sampled_from(["a", "é", "한" * 9, " ", "\n", "\t", "b" * 15])).map("".join))
def test_overlong_words_are_found(sizes, text):
    with sizes(longest=14):
        assert may_hold_overlong(text.encode()) == overlong(text.encode(), 14)
