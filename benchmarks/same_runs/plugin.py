"""A plugin for the runs that same.py compares: it does unusual things on purpose."""

from collections import Counter

from tokbench.api import Learner, Segmenter, Splitter, Vocabulary, hookimpl

RUNS = Counter()


class Shifting(Learner):
    """Learn the most frequent words, from another rank on each time."""

    @property
    def deterministic(self) -> bool:
        return False

    def learn(self, words, size):
        start = RUNS[len(words), size.total] % 3
        RUNS[len(words), size.total] += 1
        ordered = sorted(words, key=lambda word: (-words[word], word))
        return Vocabulary(
            tuple(ordered[start : start + (size.total or 0)]), segmenter={"use": "word"}
        )


class Halves(Splitter):
    """Cut words of four letters or more in the middle."""

    def split(self, text):
        spans, start = [], 0
        for word in text.split(" "):
            middle = len(word) // 2 if len(word) >= 4 else 0
            if middle:
                spans.append((start, start + middle))
            if word:
                spans.append((start + middle, start + len(word)))
            start += len(word) + 1
        return spans


class NeverLearns(Learner):
    """Fail to learn."""

    def learn(self, words, size):
        raise RuntimeError("this learner always fails")


class Lossy(Segmenter):
    """Drop everything after the third letter, and have no token for words that begin with t."""

    def segment(self, word, prepared):
        if word.startswith("t"):
            return [(None, len(word.encode("utf-8", "surrogatepass")))]
        head, rest = word[:3], word[3:]
        tokens = [(letter, len(letter.encode("utf-8", "surrogatepass"))) for letter in head]
        if rest:
            tokens.append((None, len(rest.encode("utf-8", "surrogatepass"))))
        return tokens


class Refusing(Segmenter):
    """Return tokens that do not cover the word."""

    def segment(self, word, prepared):
        return [word[:1]]


@hookimpl
def tokbench_learners():
    return {"shifting": Shifting, "never-learns": NeverLearns}


@hookimpl
def tokbench_segmenters():
    return {"lossy": Lossy, "refusing": Refusing}


@hookimpl
def tokbench_splitters():
    return {"halves": Halves}
