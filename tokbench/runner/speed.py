"""How fast a system cuts: much text at once, and one short request."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from tokbench.api import Splitter
from tokbench.api.text import byte_length
from tokbench.api.words import Words
from tokbench.corpora.load import TestCorpus
from tokbench.corpora.running import RunningText
from tokbench.cut import BoundSegmenter
from tokbench.cut.bound import FEW_WORDS
from tokbench.run_folder.record import Speed

REPETITIONS = 5
REQUEST_WORDS = 12
LEAST_SECONDS, MOST_SECONDS = 0.006, 0.02
"""Texts that take as long are enough; until then they are doubled."""
FEW_SECONDS = 0.2
"""So few words are cut one by one, which is slower: they are enough only if they take so long."""
STARTS = 4
"""How often the time of a single text, which is mostly that of a start, fits into that of all."""
LONGEST = 1 << 13
"""So many characters of a line are taken at most, since a line may be a whole document."""

Texts = Sequence[str]


def speed(
    system: str,
    size: str,
    bound: BoundSegmenter,
    corpus: TestCorpus,
    splitter: Splitter | None,
    in_context: bool,
) -> Speed:
    """Measure how fast the first lines of a corpus are cut, or the first of its distinct words.

    The request is the first line with 12 words, up to the last of these, or else the line with most
    words; a list has none. Both are repeated five times, once the vocabulary is prepared. What is
    returned is checked, as in the run.
    """
    cut = bound.lines if in_context else partial(bound.alone, splitter=splitter)
    text = corpus.text if in_context else None
    texts = [line[:LONGEST] for line in text.lines] if text else corpus.words.text
    request = _request(corpus.words, text) if corpus.kind == "text" else ()
    cut(texts[:1])  # so that the vocabulary is prepared
    # The faster of two, since the operating system may interrupt one of them.
    start = min(_repeated(cut, texts[:1], 2))
    enough = min(max(LEAST_SECONDS, STARTS * start), MOST_SECONDS)
    many = 1
    while many < len(texts):
        seconds = min(_repeated(cut, texts[:many], 2))
        if seconds >= (FEW_SECONDS if not in_context and many < FEW_WORDS else enough):
            break
        many *= 2
    return Speed(
        system=system,
        size=size,
        cut_bytes=sum(map(byte_length, texts[:many])),
        cut_seconds=_repeated(cut, texts[:many]),
        request_bytes=sum(map(byte_length, request)) if request else None,
        request_seconds=_repeated(cut, request) if request else (),
    )


def _repeated(
    cut: Callable[[Texts], object], texts: Texts, times: int = REPETITIONS
) -> tuple[float, ...]:
    """Return the seconds of each repetition."""
    marks = [time.perf_counter()]
    for _ in range(times):
        cut(texts)
        marks.append(time.perf_counter())
    return tuple(end - begin for begin, end in pairwise(marks))


def _request(words: Words, text: RunningText | None) -> Texts:
    """Return the words of the request, or in a text the part of their line up to the last one."""
    many = np.minimum(np.diff(words.lines), REQUEST_WORDS)
    line = int(many.argmax())
    begin = int(words.lines[line])
    end = begin + int(many[line])
    if text is None:
        return [words.text[number] for number in words.order[begin:end].tolist()]
    utf8 = text.lines[line].encode("utf-8", "surrogatepass")
    return [utf8[: int(text.ends[end - 1])].decode("utf-8", "surrogatepass")]
