"""tokbench; where TOKBENCH_ENGINE is `python`, plain Python does the work."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tokbench_bpe.learner import Bpe
from tokbench_bpe.segmenters import BpeRank

from tokbench.api import Size, Vocabulary
from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.corpora.counting import count_training
from tokbench.corpora.source import Source
from tokbench.corpora.splitters import WhitespaceSplitter

if TYPE_CHECKING:
    # It loads NumPy, which learning does without.
    from tokbench.api.arrays import Timeline


class Corpus(NamedTuple):
    """A text as it is, with its words between white space; it needs no config."""

    source: Source
    splitter_name: str = "whitespace"
    splitter: WhitespaceSplitter = WhitespaceSplitter()
    gold: None = None


def count(text: Path) -> Mapping[str, int]:
    corpus = Corpus(Source(path=(text,)))
    return count_training(CorpusReader("train", corpus))


def learn(text: Path, size: int, **options: object) -> Vocabulary:
    return Bpe.configure(**options).learn(count(text), Size(total=size))


def learned(model: Vocabulary) -> list[str]:
    return [model.marks.show(token) for token in model.products]


class Ready:
    """A vocabulary made ready for segmenting."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.learned = len(vocabulary.learned)
        self.segmenter = BpeRank()
        self.prepared = self.segmenter.prepare(vocabulary)


def load(vocabulary: Vocabulary, text: Path) -> Ready:
    return Ready(vocabulary)


def segment(model: Ready, words: Sequence[str]) -> "Timeline":
    states = model.segmenter.timeline(words, model.prepared, model.learned)
    assert states is not None
    return states


def lengths(vocabulary: Vocabulary, words: Sequence[str]) -> list[int]:
    """Return the number of tokens of each word."""
    row = segment(Ready(vocabulary), words).row
    return [int(length) for length in row[1:] - row[:-1]]
