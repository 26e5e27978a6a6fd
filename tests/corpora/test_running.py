"""Running text: the lines of a corpus, and where their words begin."""

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tokbench.api import Splitter
from tokbench.api.text import byte_length
from tokbench.corpora.load import Corpora, load_corpora
from tokbench.corpora.normalise import normaliser
from tokbench.corpora.source import Source
from tokbench.corpora.splitters import WhitespaceSplitter, WordSplitter
from tokbench.errors import InputError, UsageError

SPLITTERS = {"words": WordSplitter(), "whitespace": WhitespaceSplitter()}
Build = Callable[..., Any]
Write = Callable[[str, str | bytes], Path]


def load(train: Any, **tests: Any) -> Corpora:
    return load_corpora(train, tests, {}, {}, seed=0)


def test_lines_are_normalised_and_blank_ones_left_out(corpus: Build, write: Write) -> None:
    path = write("train.txt", "\ufeffLow\r\n\n  \nNEW  er\u2028est \nlast")
    lines = load(corpus(path, normalise=["lowercase"])).train.lines
    assert [*lines] == ["low", "new  er\u2028est ", "last"]
    assert [*lines] == [*lines], "they can be gone through again"


@pytest.mark.parametrize("words_by", ["words", "whitespace"])
def test_words_begin_at_bytes_by_hand(corpus: Build, write: Write, words_by: str) -> None:
    """The é takes two bytes, 안 three; the line of spaces has no words."""
    path = write("test.txt", " né 안 x\n \t \n안é\n")
    text = load(corpus(path, splitter=words_by), t=corpus(path, splitter=words_by)).tests[0].text
    assert text.lines == (" né 안 x", "안é")
    assert text.begins.tolist() == [1, 5, 9, 0]
    assert text.size.tolist() == [10, 5]


SHORT = {"longest": 5}


STEPS = [
    [],
    ["lowercase"],
    ["nfkc", "lowercase"],
    ["nfd"],
    [{"remove": r"[^a-zσ\s]"}, "nfc"],
    [{"remove": "a?$"}],
]
PARTS = (
    "a|b|aa|Σ|σ.|e\u0301|\u0301|ᄒ|ᅡ|ᆫ|한|\u200d|\xad|aa\xada\xad\xada|ﬁ|.|\x00| |  |\t|\r"
    "|\f|\xa0|\ufeff|\n|\r\n|\u2028"
)
TEXT = st.lists(st.sampled_from([*PARTS.split("|"), " ", "\n"]), max_size=50).map("".join)


def by_whole_lines(text: str, steps: list[Any], splitter: str) -> list[str]:
    """Read each line that holds words by itself."""
    normalise = normaliser(Source.model_validate({"path": "x", "normalise": steps}).normalise)
    lines = text.removeprefix("\ufeff").split("\n")
    # White space alone is blank, whatever normalisation would make of it.
    full = [line for line in lines if line.strip(" \t\n\r\f\v")]
    normalised = [normalise(line.removesuffix("\r")) for line in full]
    return [line for line in normalised if SPLITTERS[splitter].words(line)]


@given(
    text=TEXT,
    steps=st.sampled_from(STEPS),
    splitter=st.sampled_from([*SPLITTERS]),
    chunk=st.integers(1, 12),
)
@example("a a a a a a a a        \n\nb", [], "words", 2)
@example("a\r\n", [], "words", 1)
@example("aaaaaaaaaaaa aaaaaa a\n", [], "whitespace", 2)
def test_words_stand_where_they_begin(
    tmp_path: Path,
    corpus: Build,
    sizes: Build,
    text: str,
    steps: list[Any],
    splitter: str,
    chunk: int,
) -> None:
    # Of two \r that end a part and its line, which stand in two parts, both are taken off.
    assume("\r\r" not in text)
    (tmp_path / "train.txt").write_text("a b")
    (tmp_path / "test.txt").write_bytes(text.encode())
    expected = by_whole_lines(text, steps, splitter)
    with sizes(chunk=chunk, **SHORT):
        test = corpus(tmp_path / "test.txt", splitter=splitter, normalise=steps)
        train = corpus(tmp_path / "train.txt", splitter=splitter)
        try:
            (loaded,) = load(train, t=test).tests
        except InputError:
            assert not expected
            return
        running_text = loaded.text
    assert [*running_text.lines] == expected
    assert running_text.size.tolist() == [byte_length(line) for line in expected]
    ends = loaded.words.lines.tolist()
    for number, line in enumerate(expected):
        raw, last = line.encode("utf-8", "surrogatepass"), 0
        for place in range(ends[number], ends[number + 1]):
            begin, end = int(running_text.begins[place]), int(running_text.ends[place])
            word = loaded.words.text[loaded.words.order[place]]
            shown = raw[begin:end].decode()
            assert (shown.replace("\xad", "") if splitter == "words" else shown) == word
            assert begin >= last
            last = end


def test_word_counts_have_no_lines(corpus: Build, write: Write) -> None:
    train = load(corpus(write("train.tsv", "low\t5\nnew\t6\n"), format="counts")).train
    with pytest.raises(UsageError, match="train: word counts have no lines, which are asked for"):
        next(iter(train.lines))


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX")
def test_a_pipe_has_no_lines(corpus: Build, write: Write) -> None:
    """It can be read once, and counting has done that."""
    path = write("train.txt", "low")
    lines = load(corpus(path)).train.lines
    path.unlink()
    os.mkfifo(path)
    message = r"train.txt: its lines may be read again, so it must"
    with pytest.raises(InputError, match=message):
        next(iter(lines))


def test_lists_stand_in_no_context(corpus: Build, write: Write) -> None:
    (novel,) = load_corpora(None, {}, {"novel": corpus(write("a", "new\n"))}, {}, seed=0).tests
    assert novel.text is None


@pytest.mark.parametrize("text", ["low new", "low", "low\nnew", "low\nold new\n"])
def test_a_text_that_has_changed_is_an_error(corpus: Build, write: Write, text: str) -> None:
    path = write("a.txt", "low\nnew new\n")
    train = load(corpus(path), t=corpus(path)).train
    write("a.txt", text)
    for read in (lambda: [*train.lines], lambda: train.running_words):
        with pytest.raises(InputError, match=r"a\.txt: changed while it was being read; run again"):
            read()


class Pieces(Splitter):
    """Cut after two letters."""

    def split(self, text: str) -> list[tuple[int, int]]:
        return [(i, min(i + 2, len(text))) for i in range(0, len(text), 2)]


def test_words_of_a_splitter_of_ones_own_begin_at_bytes(corpus: Build, write: Write) -> None:
    """The é takes two bytes."""
    source = replace(corpus(write("test.txt", "aéabc\n")), splitter=Pieces())
    assert load(source, t=source).tests[0].text.begins.tolist() == [0, 3, 5]
