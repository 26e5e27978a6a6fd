"""A plugin that tests give to runs: tokenizers of lines, and learners of all that can be read."""

from itertools import count

from tokbench.api import Learned, Learner, TextSegmenter, Vocabulary, hookimpl

RUNS = count()


class Spaced(TextSegmenter):
    """Words with the space before them where known, else single characters."""

    def segment_lines(self, lines, prepared):
        import re

        from tokbench.api.arrays import LineTokens

        row, tokens = [0], []
        for line in lines:
            for match in re.finditer(r" ?[^ ]+| ", line):
                self.add(tokens, match[0], match.start(), prepared)
            row.append(len(tokens))
        return LineTokens.from_characters(lines, row, *zip(*tokens, strict=True))

    def add(self, tokens, text, start, prepared):
        parts = [text] if text in prepared.ids else text
        for part in parts:
            tokens.append((prepared.ids.get(part, -1), start, start + len(part)))
            start += len(part)


class Plain(Spaced):
    """Single characters, spaces left out: context has no effect."""

    def add(self, tokens, text, start, prepared):
        for i, part in enumerate(text, start=start):
            if part != " ":
                tokens.append((prepared.ids.get(part, -1), i, i + 1))


class Beyond(Spaced):
    """Returns offsets that lie outside the line."""

    def add(self, tokens, text, start, prepared):
        tokens.append((0, start, start + 1000))


class Ready(Learner):
    """A ready-made vocabulary."""

    segmenter: str = "spaced"
    tokens: tuple[str, ...] = ("a", "b", "c", " ", "ab", " ab", " abd")

    @property
    def reads(self):
        return "nothing"

    def load(self):
        return Vocabulary(self.tokens, segmenter={"use": self.segmenter})


class Unready(Learner):
    """Says that it learns from words, but only loads."""

    def load(self):
        return Vocabulary(())


class ByLines(Learner):
    """Knows the first lines, spaces and all, going through them twice."""

    def learn_lines(self, lines, size):
        several = len(set(lines)) > 0
        tokens = dict.fromkeys(line for line in lines if several)
        return Vocabulary(tuple(tokens)[: size.total], segmenter={"use": "spaced"})

    @property
    def reads(self):
        return "lines"


class Counter(Learner):
    """Knows a, then b, then c: one more each time it learns."""

    runs: str = "each"

    @property
    def deterministic(self):
        return False

    def learn(self, words, size):
        tokens = tuple("abc"[: 1 + next(RUNS) % 3])
        return Vocabulary(tokens, segmenter={"use": "word"})


class Pairs(Learner):
    """Joins a and b, and is cut to all sizes."""

    @property
    def prefix_closed(self):
        return True

    def learn(self, words, size):
        learned = [Learned(("a", "b")), Learned(("ab", "c")), Learned((" ", "ab"))]
        vocabulary = Vocabulary.build(tuple("abc "), learned, segmenter={"use": "with-timeline"})
        return vocabulary.cut(size)


class WithTimeline(Spaced):
    """Cuts lines, but replays words alone, each as one unknown token."""

    def timeline(self, words, prepared, since=0):
        from tokbench.api.arrays import Timeline

        many = len(words)
        return Timeline(
            word=range(many),
            row=range(many + 1),
            ids=[-1] * many,
            ends=[len(word.encode()) for word in words],
            since=[since] * many,
            until=[len(prepared.learned) + 1] * many,
        )


@hookimpl
def tokbench_learners():
    return {
        "ready": Ready,
        "by-lines": ByLines,
        "counter": Counter,
        "unready": Unready,
        "pairs": Pairs,
    }


@hookimpl
def tokbench_segmenters():
    return {"spaced": Spaced, "plain": Plain, "beyond": Beyond, "with-timeline": WithTimeline}
