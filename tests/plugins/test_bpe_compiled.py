"""The compiled learning kernel against the textbook engines, and against what it must refuse."""

import signal
from array import array
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokbench_bpe import alphabet
from tokbench_bpe.alphabet import SymbolNumbers
from tokbench_bpe.learner import Bpe, compiled_letters, compiled_merges

from tests.engines import using
from tests.plugins.test_bpe_engines import hard_words
from tokbench.api import Learned, Size
from tokbench.api.arrays import CountedWords
from tokbench.api.text import CONTINUATION, EOW

KERNEL = "tokbench_bpe._learn"
TIES = ["greatest", "smallest", "first"]
ALL = Size(learned=10**6)

pytestmark = pytest.mark.skipif(
    not find_spec(KERNEL),
    reason=f"{KERNEL} was not built: install again where there is a C compiler",
)


def learn(words: Mapping[str, int], size: Size = ALL, **chosen: Any) -> tuple[Learned, ...]:
    """Learn with the kernel, whatever the learner would do where the kernel refuses."""
    module, columns = import_module(KERNEL), CountedWords.of(words)
    bpe = Bpe.configure(**chosen)
    letters = compiled_letters(module, columns)
    spelled = SymbolNumbers.of(bpe.alphabet.symbols(letters, bpe.marks), letters, bpe.marks)
    how = spelled, bpe.marks, bpe.ties, bpe.min_pair_count, size
    return compiled_merges(module, columns, *how)


def plain(words: Mapping[str, int], size: Size = ALL, **chosen: Any) -> tuple[Learned, ...]:
    """Learn in Python."""
    with using("python"):
        return Bpe.configure(**chosen).learn(words, size).learned


@pytest.mark.parametrize(("ties", "last"), [("greatest", "b" + EOW), ("smallest", "bc")])
def test_equally_shown_products_are_distinguished_by_their_raw_texts(ties: str, last: str) -> None:
    # Two products are shown as `##xbc`; in one of them the c is the mark at the end of the word.
    words = {"Lxb": 2, "LxbcY": 1, "LxbcZ": 1}
    words |= {letter + rest: 1 for letter in "MNOP" for rest in ("xb", "xbcU")}
    chosen = {"ties": ties, "continuation": "fused", "eow": {"kind": "fused", "text": "c"}}
    merges = learn(words, **chosen)
    rarer = [item.parts for item in merges if item.count == 2]
    assert rarer[0] == ("L", CONTINUATION + "x" + last)
    assert merges == plain(words, merge="list", **chosen)


@pytest.mark.parametrize("ties", TIES)
def test_a_shipped_text(root: Path, ties: str) -> None:
    text = (root / "corpora" / "korean.train.txt").read_text("utf-8")
    words, size = Counter(text.split()[:4_000]), Size(learned=200)
    merges = learn(words, size, ties=ties)
    assert len(merges) == 200
    assert merges == plain(words, size, ties=ties)


@pytest.mark.parametrize(
    "words", [{"ab": 2**62}, {"a": 2**62, "b": 2**62}, {"a": 2**63 - 1, "b": 1}]
)
def test_counts_that_sum_to_64_bits_are_refused(words: dict[str, int]) -> None:
    columns = CountedWords.of(words)
    with pytest.raises(OverflowError, match="sum to 2\\^63 or more"):
        compiled_letters(import_module(KERNEL), columns)
    with pytest.raises(OverflowError, match="sum to 2\\^63 or more"):
        kernel(utf8=columns.utf8, ends=columns.ends, counts=columns.counts)


def test_the_highest_sum_is_counted() -> None:
    assert learn({"aa": 2**62 - 1}, eow="absent") == (Learned(("a", "a"), 2**62 - 1),)


ARGUMENTS = {
    "utf8": b"abab",
    "ends": array("q", [2, 4]),
    "counts": array("q", [1, 2]),
    "letters": array("i", [97, 1, 1, 1, 1, 98, 2, 2, 2, 2]),
    "begin": 0,
    "end": 0,
    "raw": (b"a", b"b"),
    "shown": (b"a", b"b"),
    "continuation": b"##",
    "ties": "greatest",
    "minimum": 1,
    "limit": 9,
}


def kernel(**changed: Any) -> list[int]:
    """Call the kernel itself with some arguments changed."""
    return array("q", import_module(KERNEL).learn(*(ARGUMENTS | changed).values())).tolist()


def test_what_the_kernel_gives() -> None:
    assert kernel() == [1, 2, 3]
    assert kernel(minimum=-5) == [1, 2, 3]
    assert kernel(limit=-1) == []
    # Letters without a symbol are borders, as number 0 is.
    assert kernel(letters=array("i", [97, 1, 1, 1, 1])) == []
    assert kernel(letters=array("i", [97, 1, 1, 1, 1, 98, 0, 0, 0, 0])) == []


MARK = CONTINUATION.encode()


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"ends": array("q", [2, 2**63 - 1])}, "ends"),
        ({"ends": array("q", [4])}, "of one length"),
        ({"ends": array("i", [2, 4])}, "integers of 8 bytes"),
        ({"counts": array("d", [2, 4])}, "integers of 8 bytes"),
        ({"counts": b"12345678"}, "integers of 8 bytes"),
        ({"letters": array("i", [97, 1, 1, 1])}, "letters"),
        ({"letters": array("i", [97, 1, 1, 1, 3])}, "letters"),
        ({"letters": array("i", [97, 1, -1, 1, 1])}, "letters"),
        ({"letters": array("i", [0x110000, 1, 1, 1, 1])}, "letters"),
        ({"letters": array("q", [97, 1, 1, 1, 1])}, "integers of 4 bytes"),
        ({"begin": 3}, "letters"),
        ({"end": -1}, "letters"),
        ({"shown": (b"a",)}, "of one length"),
        ({"raw": (b"a", MARK + b"b")}, "continuation mark"),
        ({"raw": (b"a", MARK + b"b"), "shown": (b"a", b"#")}, "continuation mark"),
        ({"ties": "last"}, "ties: found 'last', expected greatest, smallest or first"),
    ],
)
def test_wrong_arguments(changed: dict[str, Any], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        kernel(**changed)


@pytest.mark.parametrize(
    "changed", [{"utf8": "abab"}, {"ends": [2, 4]}, {"raw": ("a", "b")}, {"shown": [b"a", b"b"]}]
)
def test_wrong_types(changed: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        kernel(**changed)


encoded = st.one_of(
    st.binary(max_size=5), hard_words.map(lambda word: word.encode("utf-8", "surrogatepass"))
)


@given(st.lists(encoded, min_size=1, max_size=4))
@example([b"\xc0\x80"])
@example([b"\xe0\x9f\xbf"])
@example([b"\xf0\x8f\xbf\xbf"])
@example([b"\xf4\x90\x80\x80"])
@example([b"\xf4\x8f\xbf\xbf"])
@example([b"\xed\xa0\x80\xed\xb0\x80"])
@example([b"\xe2\x82", b"\xac"])
@example([b"\x80"])
def test_bytes_are_letters_exactly_where_python_decodes_them(words: list[bytes]) -> None:
    columns = {
        "utf8": b"".join(words),
        "ends": array("q", accumulate(map(len, words))),
        "counts": array("q", range(1, len(words) + 1)),
    }
    decoded: Counter[str] = Counter()
    try:
        for count, word in enumerate(words, start=1):
            decoded[word.decode("utf-8", "surrogatepass")] += count
    except UnicodeDecodeError:
        with pytest.raises(ValueError, match="UTF-8"):
            import_module(KERNEL).letter_counts(*columns.values())
        with pytest.raises(ValueError, match="UTF-8"):
            kernel(**columns)
    else:
        counted = compiled_letters(import_module(KERNEL), CountedWords(*columns.values()))
        decoded.pop("", None)
        assert counted == alphabet.letter_counts(decoded)
        assert list(counted) == sorted(counted)
        kernel(**columns)


@given(st.text("abc", max_size=9), st.lists(st.integers(-1, 10), max_size=3).map(sorted))
def test_ends_rise_to_the_number_of_bytes_or_are_refused(text: str, ends: list[int]) -> None:
    columns = {"utf8": text.encode(), "ends": array("q", ends), "counts": array("q", ends)}
    if not ends or (ends[0] >= 0 and ends[-1] == len(text)):
        kernel(**columns)
    else:
        with pytest.raises(ValueError, match=r"ends|below 0"):
            kernel(**columns)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer signals on this system")
def test_it_can_be_interrupted() -> None:
    class Interrupted(Exception):  # noqa: N818 - like KeyboardInterrupt, it is no error
        pass

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise Interrupted

    def interrupted(work: Callable[..., object], **arguments: Any) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.001)
        work(**arguments)

    # Six million letters take longer by far than the millisecond until the signal comes.
    # The last word is wrong, so that whoever reads to the end gives another error.
    ends = array("q", range(10, 6_000_001, 10))
    columns = b"ab" * 3_000_000, ends, array("q", [1]) * (len(ends) - 1) + array("q", [-1])
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(Interrupted):
            interrupted(kernel, **dict(zip(ARGUMENTS, columns, strict=False)))
        with pytest.raises(Interrupted):
            interrupted(partial(import_module(KERNEL).letter_counts, *columns))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
