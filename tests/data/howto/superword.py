"""Superword BPE: merges inside words, then across spaces. Liu et al. (2025), SuperBPE."""

import re
from collections import Counter

from pydantic import Field
from tokbench_bpe.learner import Bpe
from tokbench_bpe.segmenters import BpeRank

from tokbench.api import Learned, Learner, Size, SizeError, TextSegmenter, Vocabulary, hookimpl

WORD = re.compile(r" ?\S+|\s")  # a word with the space before it
FIRST = 0xF0000  # a private character for each token, so that a line is a word of them


class SuperwordBpe(Learner):
    """Merge pairs inside words first; then go on with whole lines, spaces and all."""

    inside: float = Field(0.8, ge=0, le=1, description="the share of merges inside words")
    reads = property(lambda self: "lines")  # words alone do not show which stand together

    def learn_lines(self, lines, size):
        """Learn twice: from counted words, then from lines of what these became."""
        bpe, texts = Bpe.configure(eow="absent"), list(lines)
        alphabet = sorted(set("".join(texts)))
        number = size.number - (0 if size.total is None else len(alphabet))
        if number < 0:
            raise SizeError(f"size {size} is below the alphabet", len(alphabet))
        words = Counter(word for text in texts for word in WORD.findall(text))
        merges = bpe.learn(words, Size(learned=round(self.inside * number))).learned
        inner = Vocabulary.build(alphabet, merges)
        ready, segment = BpeRank().prepare(inner), BpeRank().segment
        cut = {w: "".join(chr(FIRST + inner.ids[t]) for t in segment(w, ready)) for w in words}
        spelled = Counter("".join(map(cut.get, WORD.findall(text))) for text in texts if text)
        outer = bpe.learn(spelled, Size(learned=number - len(merges))).learned
        read = {chr(FIRST + i): token for token, i in inner.ids.items()}
        wide = [Learned(tuple("".join(map(read.get, p)) for p in m.parts), m.count) for m in outer]
        return Vocabulary.build(alphabet, (*merges, *wide), segmenter={"use": "superword"})


class SuperwordSegmenter(TextSegmenter):
    """Merge by rank in the whole line."""

    def prepare(self, vocabulary):
        return BpeRank().prepare(vocabulary)

    def segment_lines(self, lines, prepared):
        from tokbench_bytes.lines import cut  # with NumPy, which is imported late

        return cut(lines, lambda line: [line] if line else [], BpeRank(), prepared)


@hookimpl
def tokbench_learners():
    return {"superword": SuperwordBpe}


@hookimpl
def tokbench_segmenters():
    return {"superword": SuperwordSegmenter}
