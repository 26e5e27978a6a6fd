import os
from pathlib import Path

import pytest
from tokbench_morphology.gold import PipesReader, TsvReader

from tokbench.corpora.entries import (
    ListEntry,
    read_count,
    read_listed,
    read_word,
    recognise_gold,
)
from tokbench.corpora.normalise import normaliser
from tokbench.corpora.source import Remove
from tokbench.errors import InputError


def read_gold(text: str, normalise):
    """Read a line of the default format; raise what is wrong with it."""
    entry = read_listed(text, normalise, TsvReader())
    if entry.mismatch:
        raise InputError(entry.mismatch)
    return entry._replace(morphs=())


def test_a_word_is_never_split():
    assert read_word(" don't-stop! ", str) == "don't-stop!"


def test_counts():
    assert read_count("Low\t0005 ", str.lower) == ("low", 5)


def test_listed_words():
    assert read_listed("https://a.b\tURL", str, None) == ListEntry("https://a.b", "URL")
    assert read_listed("glumcast", str, None) == ListEntry("glumcast")


def test_gold_boundaries_are_byte_positions():
    # é takes two bytes, each Hangul syllable three.
    assert read_gold("rétro\tré tro\tprefix", str) == ListEntry("rétro", "prefix", ((3,),))
    assert read_gold("끝에는\t끝 에 는", str) == ListEntry("끝에는", "", ((3, 6),))
    assert read_gold("cat\tcat\tsimple", str).gold == ((),)


def test_gold_alternatives_keep_their_order_and_lose_repeats():
    entry = read_gold("unbreakable\tun break able, un breakable, un  break able", str)
    assert entry.gold == ((2, 7), (2,))


def test_gold_is_normalised_like_its_word():
    normalise = normaliser(("lowercase", Remove(remove="[-']")))
    assert read_gold("Half-Time's\tHalf - Time 's", normalise) == ListEntry(
        "halftimes", "", ((4, 8),)
    )


def test_gold_segments_follow_the_word_where_letters_depend_on_neighbours():
    """The last sigma of a Greek word is another letter: Unicode 16.0, section 3.13, Final_Sigma."""
    assert read_gold("ΑΣ\tΑ Σ\tx", str.lower) == ListEntry("ας", "x", ((2,),))
    assert read_gold("ΣΟΣ\tΣΟ Σ\tx", str.lower) == ListEntry("σος", "x", ((4,),))


def test_an_entry_that_normalisation_empties_is_empty():
    normalise = normaliser((Remove(remove="[0-9]"),))
    assert read_word("123", normalise) == ""
    assert read_count("123\t4", normalise) == ("", 4)
    assert read_gold("123\t1 23\tnumber", normalise).word == ""


def listed(text: str, normalise):
    return read_listed(text, normalise, None)


COUNT = "a count is a whole number from 1, of at most 15 digits"
RETURN = "found a carriage return in the category 'a\\rb'"
LONG = "found an entry of 10,001 characters; at most 10,000 are scored as one word"
COUNTS = ("0", "-1", "1.5", "1e3", "1,000", "٣", "9" * 16)
WRONG = [
    *((read_count, f"low\t{count}", f"found the count {count!r}; {COUNT}") for count in COUNTS),
    (read_count, "low\t", f"found no count; {COUNT}"),
    (listed, "low\ta\rb", RETURN),
    (read_gold, "low\tlow\ta\rb", RETURN),
    (listed, "x" * 10_001, LONG),
    # NFKC turns the no-break space into a space.
    (read_word, "a\xa0b", "found white space in 'a b'; an entry is one word"),
]


@pytest.mark.parametrize(("read", "text", "expected"), WRONG)
def test_wrong_lines(read, text, expected):
    with pytest.raises(InputError) as caught:
        read(text, normaliser(("nfkc",)))
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("rows", "recognised"),
    [
        ("abba\tab|ba\nab\tab\nabc\ta bc\nabcd\ta|bcd\n", "pipes"),
        ("abba\tab|ba\nab\tab\n\nabc\ta bc\n", "tsv"),
        ("ab\tab\n", "tsv"),
        ("the cat sat\n", "tsv"),
    ],
)
def test_the_format_is_that_of_most_rows(tmp_path, rows, recognised):
    """The first reader stands where two read as many."""
    (tmp_path / "gold.txt").write_text(rows)
    readers = {"tsv": TsvReader(), "pipes": PipesReader()}
    assert recognise_gold(tmp_path / "gold.txt", readers) == recognised


def test_a_pipe_is_not_read_to_recognise_its_format():
    outlet, inlet = os.pipe()
    os.write(inlet, b"abba\tab|ba\n")
    os.close(inlet)
    assert recognise_gold(Path(f"/dev/fd/{outlet}"), {"pipes": PipesReader()}) == "tsv"
    assert os.read(outlet, 99) == b"abba\tab|ba\n"
    os.close(outlet)
