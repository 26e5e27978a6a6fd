"""Pipes, devices, files that change, and normalisation that depends on neighbours."""

import os
from pathlib import Path

import pytest

from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.corpora.load import load_corpora
from tokbench.errors import InputError


def refused(train, tests=None, gold=None) -> str:
    with pytest.raises(InputError) as caught:
        load_corpora(train, tests or {}, {}, gold or {}, seed=0)
    return str(caught.value)


def test_a_device_is_no_corpus(corpus):
    assert refused(corpus(Path("/dev/zero"))) == "/dev/zero: is a device; give a file"


def test_a_pipe_cannot_be_split_since_it_can_be_read_only_once(corpus, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    message = refused(corpus(pipe), {"dev": corpus(split=0.5)})
    expected = "a text that is split may be read again, so it must be a file, not a pipe"
    assert message == f"{pipe}: {expected}"


@pytest.mark.parametrize("later", ["a\nb\nc\nd\ne\n", "a\n"])
def test_a_text_that_changes_between_two_readings_is_refused(corpus, write, later):
    train = write("train.txt", "a\nb\nc\n")
    chosen = CorpusReader("train", corpus(train)).documents() == 0
    train.write_text(later)
    with pytest.raises(InputError, match=r"train\.txt: changed while it was being read; run again"):
        list(CorpusReader("train", corpus(train), chosen).lines())


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
