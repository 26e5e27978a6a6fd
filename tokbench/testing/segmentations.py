"""Small segmentations with all that metrics must cope with: of words, of pairs and in context."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np

from tokbench.api import EndMark, Marks, Segmenter, TextSegmenter, Token, Vocabulary
from tokbench.api.arrays import LineTokens, Segmentation
from tokbench.api.segmentation import WHOLE, InContext
from tokbench.api.text import EOW, byte_length
from tokbench.api.words import Pairs
from tokbench.corpora.pairs import same_ends
from tokbench.corpora.running import RunningText
from tokbench.corpora.words import build_words, with_counts
from tokbench.cut import BoundSegmenter, segment

TEXT = (
    "the cat sat on the mat",
    "a cat and a hat",
    "the unhappiest cat never sleeps",
    "한국어 문장 도 있다",
    "zigzag quiz the cat",
    "never never land",
    "naïve cats hate cold water",
    "on",
)
LINES = tuple(line.split() for line in TEXT)
DISTINCT = tuple(dict.fromkeys(word for line in LINES for word in line))
TOKENS = ("the", "cat", "s", "at", "a", "on", "un", "happi", "est", "nev", "er", "ha", "land")
LETTERS = tuple("abcdehilmnoprstuvw한국어문장도")


def longest_matches(text: str, vocabulary: Vocabulary) -> Iterator[tuple[int, int]]:
    """Cut a text into the longest tokens of a vocabulary, and single characters elsewhere."""
    start = 0
    while start < len(text):
        ends = range(len(text), start, -1)
        end = next((end for end in ends if text[start:end] in vocabulary.ids), start + 1)
        yield start, end
        start = end


class _Sampler(Segmenter):
    """Takes the longest token that it knows; drops q, does not know k, z and some more."""

    def segment(self, word: str, prepared: Vocabulary) -> list[Token]:
        tokens: list[Token] = []
        for start, end in longest_matches(word, prepared):
            piece = word[start:end]
            token = piece if piece in prepared.ids else "<unk>"
            tokens.append((None if piece == "q" else token, byte_length(piece)))
        # Bare marks, but not everywhere, so that some words are one token.
        return [*tokens, (EOW, 0)] if len(word) % 2 else tokens


def sample_segmenter() -> BoundSegmenter:
    """Return a segmenter with a vocabulary of letters and longer tokens."""
    tokens = dict.fromkeys((*LETTERS, EOW, *TOKENS))
    vocabulary = Vocabulary(
        tokens=("<pad>", "<unk>", *tokens),
        marks=Marks(eow=EndMark(kind="separate")),
        special=(0,),
        unknown=1,
    )
    return BoundSegmenter(_Sampler(), vocabulary)


def sample(lines: Sequence[Sequence[str]] = LINES) -> Segmentation:
    """Cut a text of words seen and unseen, known, unknown and dropped, with gold and bare marks.

    Other lines may be made of the same words, which keep their gold, category and count.
    """
    words = build_words((line, number // 3, 0) for number, line in enumerate(lines))
    words = with_counts(words, {word: len(word) for word in DISTINCT[::2]})
    numbers = [DISTINCT.index(word) for word in words.text]
    words = replace(
        words,
        gold=tuple(map(_gold, numbers)),
        category=tuple("odd" if number % 2 else "even" for number in numbers),
    )
    return segment(sample_segmenter(), words)


def _gold(number: int) -> tuple[tuple[int, ...], ...]:
    """Return no alternative, one without a boundary, one with a boundary, or two, in turn."""
    inner = tuple(accumulate(map(byte_length, DISTINCT[number][:-1])))
    return ((), ((),), (inner[:1],), (inner[-1:], inner[:2]))[number % 4]


def paired(segmentation: Segmentation) -> Segmentation:
    """Return the same with pairs: each word is changed into the next one."""
    words = segmentation.words
    original = np.arange(len(words) - 1)
    prefix, suffix = same_ends(words.text[:-1], words.text[1:])
    pairs = Pairs(original.astype(np.uint32), original, original + 1, prefix, suffix)
    return replace(segmentation, words=replace(words, pairs=pairs))


def alternating(segmentation: Segmentation) -> Segmentation:
    """Return a copy in which words have two states with the same tokens, used in turn."""
    order = segmentation.words.order
    states, order = np.unique(2 * order + np.arange(len(order)) % 2, return_inverse=True)
    # One state a word, numbered alike.
    taken = segmentation.take(states // 2, segmentation.vocabulary)
    context = InContext(
        order=order.astype(np.uint32),
        part=np.full(len(taken.ids), WHOLE, dtype=np.int8),
        outside=np.zeros(len(segmentation.words.lines) - 1, dtype=np.int64),
        chars=segmentation.words.line_chars,
        bytes=segmentation.words.sum_lines(segmentation.words.bytes),
    )
    return replace(taken, context=context)


class _LineSampler(TextSegmenter):
    """Takes the longest token that it knows; drops q, does not know k, z and some more."""

    def segment_lines(self, lines: Sequence[str], prepared: Vocabulary) -> LineTokens:
        row, tokens = [0], []
        for line in lines:
            for start, end in longest_matches(line, prepared):
                if line[start] != "q":
                    token = prepared.ids.get(line[start:end], prepared.unknown)
                    tokens.append((token, start, end))
            row.append(len(tokens))
        return LineTokens.from_characters(lines, row, *zip(*tokens, strict=True))


def sample_in_context() -> Segmentation:
    """Return the sample text cut by lines: some tokens are spaces or cover two words."""
    words = sample().words
    tokens = dict.fromkeys((*LETTERS, *TOKENS, " ", "the cat", "er l"))
    vocabulary = Vocabulary(("<pad>", "<unk>", *tokens), special=(0,), unknown=1)
    begins = np.array(
        [byte_length(line[: word.start()]) for line in TEXT for word in re.finditer(r"\S+", line)]
    )
    size = np.array([byte_length(line) for line in TEXT], dtype=np.int64)
    text = RunningText(TEXT, begins, begins + words.bytes[words.order], size)
    return segment(BoundSegmenter(_LineSampler(), vocabulary), words, text)
