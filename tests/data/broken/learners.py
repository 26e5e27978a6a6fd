"""Learners that each break a promise, besides one that keeps all."""

import sys
from itertools import count

from pydantic import Field

from tokbench.api import Learned, Learner, Segmenter, Size, SizeError, Vocabulary, hookimpl

YES = property(lambda self: True)
NO = property(lambda self: False)
NUMBERS = count()
HIDDEN = []


class Good(Learner):
    """All letters, then the most frequent words."""

    prefix_closed = order_free = YES

    def learn(self, words, size):
        letters = sorted(set().union(*words))
        if size.total is not None and size.total < len(letters):
            raise SizeError("below the alphabet", len(letters))
        return self.build(letters, self.ranked(words), size)

    def ranked(self, words):
        return sorted((w for w in words if len(w) > 1), key=lambda w: (-words[w], w))

    def build(self, letters, ranked, size):
        room = size.learned if size.total is None else size.total - len(letters)
        learned = [Learned((word,)) for word in ranked[:room]]
        return Vocabulary.build(letters, learned, segmenter={"use": "longest-match"})


class Undocumented(Good):
    pass


class Undescribed(Good):
    """Does not describe its option."""

    with_letters: bool = True


class NoSegmenter(Good):
    """Names no segmenter."""

    def learn(self, words, size):
        vocabulary = super().learn(words, size)
        return Vocabulary(vocabulary.tokens, vocabulary.alphabet, vocabulary.learned)


class WrongType(Good):
    """Returns the tokens alone."""

    prefix_closed = order_free = NO

    def learn(self, words, size):
        return list(super().learn(words, size).tokens)


class TooLarge(Good):
    """Learns one token too many."""

    prefix_closed = NO

    def learn(self, words, size):
        if size.learned is not None:
            size = Size(learned=size.learned + 1)
        return super().learn(words, size)


class OneSize(Good):
    """Says that the size matters, though it does not."""

    prefix_closed = NO

    def learn(self, words, size):
        super().learn(words, size)
        return super().learn(words, Size(learned=0))


class SizedAfterAll(Good):
    """Says that the size does not matter, though it does."""

    sized = NO


class WrongMinimum(Good):
    """Names a minimum that is none."""

    def learn(self, words, size):
        try:
            return super().learn(words, size)
        except SizeError as error:
            raise SizeError("too small", error.minimum - 1) from None


class Unstable(Good):
    """Learns another token each time."""

    prefix_closed = order_free = NO

    def build(self, letters, ranked, size):
        return super().build(letters, [f"#{next(NUMBERS)}", *ranked], size)


class HashOrder(Good):
    """Takes words in the order of a set, which differs between processes."""

    prefix_closed = order_free = NO

    def ranked(self, words):
        return list(set(words))


class NotPrefixClosed(Good):
    """Takes the words backwards for larger sizes."""

    def build(self, letters, ranked, size):
        return super().build(letters, ranked[:: -1 if (size.total or 0) > 40 else 1], size)


class NotOrderFree(Good):
    """Takes the words in their order, though it promises not to."""

    def ranked(self, words):
        return [word for word in words if len(word) > 1]


class Utf8Only(Good):
    """Cannot cope with lone surrogates."""

    def ranked(self, words):
        return sorted(super().ranked(words), key=lambda word: word.encode("utf-8"))


class Exits(Good):
    """Ends the program."""

    def learn(self, words, size):
        sys.exit("bye")


class HiddenState(Good):
    """Keeps what its segmenter needs outside the vocabulary."""

    prefix_closed = order_free = NO

    def learn(self, words, size):
        HIDDEN[:] = words
        vocabulary = super().learn(words, size)
        return Vocabulary(vocabulary.tokens, (), vocabulary.learned, segmenter={"use": "hidden"})


class Hidden(Segmenter):
    """Keeps words whole that were learned from in this process."""

    def segment(self, word, prepared):
        return [word] if word in HIDDEN else list(word)


class Demanding(Good):
    """Cannot do without an option."""

    letters: int = Field(description="how many letters")


@hookimpl
def tokbench_learners():
    return {
        "good": Good,
        "undocumented": Undocumented,
        "undescribed": Undescribed,
        "no-segmenter": NoSegmenter,
        "wrong-type": WrongType,
        "too-large": TooLarge,
        "one-size": OneSize,
        "sized-after-all": SizedAfterAll,
        "wrong-minimum": WrongMinimum,
        "unstable": Unstable,
        "hash-order": HashOrder,
        "not-prefix-closed": NotPrefixClosed,
        "not-order-free": NotOrderFree,
        "utf8-only": Utf8Only,
        "exits": Exits,
        "hidden-state": HiddenState,
        "demanding": Demanding,
    }


@hookimpl
def tokbench_segmenters():
    return {"hidden": Hidden}
