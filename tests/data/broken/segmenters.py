"""Segmenters that each break a promise, besides one that keeps all."""

from itertools import count

from tokbench.api import Learner, Segmenter, Vocabulary, hookimpl

YES = property(lambda self: True)
NO = property(lambda self: False)
CALLS = count()


class Letters(Segmenter):
    """Cut into letters."""

    def segment(self, word, prepared):
        return list(word)


class Lowercase(Letters):
    """Cut into lower-cased letters, each with the bytes that it stands for."""

    def segment(self, word, prepared):
        return [(c.lower()[0], len(c.encode("utf-8", "surrogatepass"))) for c in word]


class DropsText(Letters):
    """Forget the last letter."""

    def segment(self, word, prepared):
        return list(word[:-1])


class WrongTypes(Letters):
    """Give numbers."""

    def segment(self, word, prepared):
        return [prepared.ids.get(c, 0) for c in word]


class SpecialTokens(Letters):
    """Write everything with a special token."""

    def segment(self, word, prepared):
        return [(prepared.tokens[0], len(word.encode("utf-8", "surrogatepass")))]


class Raises(Letters):
    """Fail at what ASCII does not hold."""

    def segment(self, word, prepared):
        return list(word.encode("ascii").decode())


class Unpreparable(Letters):
    """Fail before the first word."""

    def prepare(self, vocabulary):
        return vocabulary.extra["model"]


class LosesOnDecode(Letters):
    """Decode into capitals."""

    def decode(self, ids, vocabulary):
        return super().decode(ids, vocabulary).upper()


class HidesUnknown(Letters):
    """Decode without a trace of what is unknown."""

    def decode(self, ids, vocabulary):
        return super().decode([i for i in ids if i >= 0], vocabulary)


class Moody(Letters):
    """Cut every other word."""

    def segment(self, word, prepared):
        return list(word) if next(CALLS) % 2 else [word]


class OtherMany(Letters):
    """Leave words whole when there are many."""

    def segment_many(self, words, prepared):
        return ([word] for word in words)


class FewerMany(Letters):
    """Forget the first word when there are many."""

    def segment_many(self, words, prepared):
        return (list(word) for word in list(words)[1:])


class Padded(Learner):
    """Know letters and a special token."""

    sized = NO
    order_free = YES

    def learn(self, words, size):
        letters = sorted(set().union(*words))
        return Vocabulary(("<pad>", *letters), special=(0,), segmenter={"use": "letters"})


@hookimpl
def tokbench_learners():
    return {"padded": Padded}


@hookimpl
def tokbench_segmenters():
    return {
        "letters": Letters,
        "lowercase": Lowercase,
        "drops-text": DropsText,
        "wrong-types": WrongTypes,
        "special-tokens": SpecialTokens,
        "raises": Raises,
        "unpreparable": Unpreparable,
        "loses-on-decode": LosesOnDecode,
        "hides-unknown": HidesUnknown,
        "moody": Moody,
        "other-many": OtherMany,
        "fewer-many": FewerMany,
    }
