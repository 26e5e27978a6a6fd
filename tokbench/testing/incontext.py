"""Small segmentations in context: words with several states, shared tokens, tokens outside."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np

from tokbench.api import LineTokens, Segmentation, TextSegmenter, Vocabulary
from tokbench.api.segmentation import WHOLE, InContext, byte_length
from tokbench.corpora.running import RunningText
from tokbench.cut import BoundSegmenter, segment
from tokbench.testing.reorder_lines import LETTERS, LINES, TOKENS, longest_matches, sample


def alternating(whole: Segmentation) -> Segmentation:
    """Return a copy in which words have two states with the same tokens, used in turn."""
    seen: Counter[int] = Counter()
    turns = []
    for number in whole.words.order.tolist():
        turns.append(2 * number + seen[number] % 2)
        seen[number] += 1
    states, order = np.unique(turns, return_inverse=True)
    # One state a word, numbered alike.
    taken = whole.take(states // 2, whole.vocabulary)
    context = InContext(
        order=order.astype(np.uint32),
        part=np.full(len(taken.ids), WHOLE, dtype=np.int8),
        outside=np.zeros(len(whole.words.lines) - 1, dtype=np.int64),
        chars=whole.words.line_chars,
        bytes=whole.words.sum_lines(whole.words.bytes),
    )
    return replace(taken, context=context)


class _LineSampler(TextSegmenter):
    """Takes the longest token that it knows; drops q, does not know k, z and some more."""

    def segment_lines(self, lines: Sequence[str], prepared: Vocabulary) -> LineTokens:
        row, tokens = [0], []
        for line in lines:
            for start, end in longest_matches(line, prepared):
                if line[start] != "q":
                    known = prepared.ids.get(line[start:end], prepared.unknown)
                    tokens.append((known, start, end))
            row.append(len(tokens))
        return LineTokens.from_characters(lines, row, *zip(*tokens, strict=True))


def sample_in_context() -> Segmentation:
    """Return the sample text cut by lines: some tokens are spaces or cover two words."""
    words = sample().words
    known = dict.fromkeys((*LETTERS, *TOKENS, " ", "the cat", "er l"))
    vocabulary = Vocabulary(("<pad>", "<unk>", *known), special=(0,), unknown=1)
    begins = [
        begin
        for line in LINES
        for begin in accumulate((byte_length(word) + 1 for word in line.split()[:-1]), initial=0)
    ]
    size = np.array([byte_length(line) for line in LINES], dtype=np.int64)
    text = RunningText(LINES, np.array(begins, dtype=np.int64), size)
    return segment(BoundSegmenter(_LineSampler(), vocabulary), words, text)
