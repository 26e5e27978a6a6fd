import re
from pathlib import Path

import numpy as np
import pytest

from tokbench.api import Splitter
from tokbench.corpora.files import Line
from tokbench.corpora.splitters import WhitespaceSplitter
from tokbench.corpora.words import WordFinder, build_words, with_counts
from tokbench.errors import PluginError

LONGEST = 10_000


def line(text: str) -> Line:
    return Line(Path("folder/a.txt"), 7, 0, text)


def splitter_of(spans) -> Splitter:
    class Given(Splitter):
        def split(self, text):
            if isinstance(spans, BaseException):
                raise spans
            return spans

    return Given()


def test_overlong_words_are_cut_and_counted():
    finder = WordFinder(WhitespaceSplitter(), "whitespace")
    assert [len(w) for w in finder(line(f"{'x' * (2 * LONGEST + 1)} y {'z' * LONGEST}"))] == [
        LONGEST, LONGEST, 1, 1, LONGEST
    ]  # fmt: skip
    assert finder.overlong.warnings("overlong", "cut") == [
        "overlong: 1 (first: a.txt:7, 20,001 characters); cut"
    ]


@pytest.mark.parametrize(
    ("spans", "reason"),
    [
        ([(0, 2), (1, 3)], "SpansError: it gave (1, 3) after a word that ends at 2"),
        ([(1, 1)], "SpansError: it gave (1, 1) after a word that ends at 0"),
        ([(0, 9)], "SpansError: it gave a word that ends at 9 in a text of 3"),
        ([7], "TypeError: cannot unpack non-iterable int object"),
        (KeyError("lexicon"), "KeyError: 'lexicon'"),
        (SystemExit("no model"), "SystemExit: no model"),
    ],
)
def test_a_splitter_that_fails_is_named_with_the_line(spans, reason):
    with pytest.raises(PluginError) as caught:
        WordFinder(splitter_of(spans), "odd")(line("abc"))
    own_line = r"( \(\S*test_words\.py:\d+\))?"
    message = re.escape(f"folder/a.txt:7: the splitter 'odd' failed: {reason}")
    assert re.fullmatch(message + own_line, str(caught.value))


def test_columns_of_two_lines():
    lines = [(["b", "a", "b"], 0, 1), ([], 1, 2), (["c", "a"], 2, 3)]
    words = with_counts(build_words(lines), {"a": 5, "c": 1})
    assert words.text == ("b", "a", "c")
    assert words.order.tolist() == [0, 1, 0, 2, 1]
    assert words.order.dtype.itemsize == 4
    # The line without words is no line, but documents keep their numbers.
    assert words.lines.tolist() == [0, 3, 5]
    assert words.documents.tolist() == [0, 2]
    assert words.train_count.tolist() == [0, 5, 1]
    assert words.count.tolist() == [2, 2, 1]
    sums = [words.sum_lines(np.array(row)).tolist() for row in ([1, 0, 0], [0, 1, 0], [0, 0, 1])]
    assert sums == [[2, 0], [1, 1], [0, 1]]
