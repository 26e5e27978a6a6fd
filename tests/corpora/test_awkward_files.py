"""Pipes, devices, files that change, and normalisation that depends on neighbours."""

import os

import pytest

from tokbench.corpora.load import load_corpora
from tokbench.errors import InputError


def refused(train, tests=None, gold=None) -> str:
    with pytest.raises(InputError) as caught:
        load_corpora(train, tests or {}, {}, gold or {}, seed=0)
    return str(caught.value)


def test_a_pipe_cannot_be_split_since_it_can_be_read_only_once(corpus, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    message = refused(corpus(pipe), {"dev": corpus(split=0.5)})
    expected = "a text that is split may be read again, so it must be a file, not a pipe"
    assert message == f"{pipe}: {expected}"


def test_skipping_every_line_is_reported_as_such(corpus, write):
    train = write("train.txt", b"a\xff\nb\xfe\n")
    message = refused(corpus(train, errors="skip-line"))
    assert message == (f"{train}: found no words: all 2 lines are not valid UTF-8 and were skipped")


def test_gold_segments_follow_the_word_where_letters_depend_on_neighbours(corpus, write):
    """The last sigma of a Greek word is another letter: Unicode 16.0, section 3.13, Final_Sigma."""
    train = write("train.txt", "ας\n")
    gold = write("gold.tsv", "ΑΣ\tΑ Σ\tx\nΣΟΣ\tΣΟ Σ\tx\n")
    loaded = load_corpora(
        corpus(train), {}, {}, {"g": corpus(gold, normalise=["lowercase"])}, seed=0
    )
    words = loaded.tests[0].words
    assert words.text == ("ας", "σος")
    assert words.gold == (((2,),), ((4,),))
