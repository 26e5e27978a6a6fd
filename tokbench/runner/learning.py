"""Learn the vocabularies of one system: once where sizes can be cut, else once a size."""

from collections.abc import Iterator, Mapping

from tokbench.api import CountedWords, Size, Splitter, Vocabulary
from tokbench.config import System
from tokbench.errors import TokbenchError
from tokbench.runner.pieces import pieces


def training_words(words: Mapping[str, int], splitter: Splitter | None) -> CountedWords:
    """Give the words that a system learns from: the training words, or their pieces.

    They cannot be changed: what one learner does with them must not reach the next.
    """
    if splitter is None:
        return CountedWords.of(words)
    counted: dict[str, int] = {}
    for word, count in words.items():
        for piece in pieces(word, splitter):
            counted[piece] = counted.get(piece, 0) + count
    return CountedWords.of(counted)


def learning_runs(system: System) -> Iterator[Size | None]:
    """Give the sizes that `learn` is called with; None where the learner takes no size."""
    if not system.learner.sized:
        yield None
    elif system.learner.prefix_closed:
        ends = () if system.span is None else (system.span.last,)
        yield max((*system.sizes, *ends), key=lambda size: size.number)
    else:
        yield from system.sizes


def learn(system: System, words: Mapping[str, int], run: Size | None) -> Vocabulary:
    """Make one learning run; raises SizeError where that size does not exist."""
    vocabulary = system.learner.learn(words, Size(total=0) if run is None else run)
    if not isinstance(vocabulary, Vocabulary):
        raise TokbenchError(f"learn gave {type(vocabulary).__name__}, not a Vocabulary")
    return vocabulary
