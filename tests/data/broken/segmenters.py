"""Segmenters that each break a promise, besides one that keeps all."""

from itertools import count

from tokbench.api import Explanation, Learned, Learner, Segmenter, Vocabulary, hookimpl

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


class WrongLengths(Letters):
    """Gives the first letter none of its bytes, and the last one those too."""

    def segment(self, word, prepared):
        sizes = [len(c.encode("utf-8", "surrogatepass")) for c in word]
        return [*zip(word, [0, *sizes[1:-1], sizes[-1] + sizes[0]])] if word[1:] else list(word)


class DropsText(Letters):
    """Forget the last letter."""

    def segment(self, word, prepared):
        return list(word[:-1])


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


class WrongProofs(Letters):
    """Prove every token with the same word."""

    def proofs(self, ids, prepared):
        return ["low"] * len(ids)


class Whole(Segmenter):
    """Leave a word whole that is known, cut any other into letters."""

    def segment(self, word, prepared):
        known = prepared.ids.get(word, -1) not in {-1, *prepared.special}
        return [word] if known else list(word)

    def timeline(self, words, prepared, since=0):
        from array import array

        from tokbench.api.arrays import Timeline

        columns = {name: array("q") for name in ("word", "row", "ids", "ends", "since", "until")}
        columns["row"].append(0)
        for number, word in enumerate(words):
            for tokens, begin, end in self.states(word, prepared, since):
                columns["word"].append(number)
                columns["since"].append(begin)
                columns["until"].append(end)
                at = 0
                for token in tokens:
                    at += len(token.encode("utf-8", "surrogatepass"))
                    columns["ids"].append(prepared.ids.get(token, -1))
                    columns["ends"].append(at)
                columns["row"].append(len(columns["ids"]))
        return Timeline(**columns)

    def states(self, word, prepared, since):
        """Return tokens, begin and end of each state."""
        all_of_it = len(prepared.learned) + 1
        begin = self.begin(word, prepared)
        if begin is None:
            return [(list(word), since, all_of_it)]
        if begin <= since:
            return [([word], since, all_of_it)]
        return [(list(word), since, begin), ([word], begin, all_of_it)]

    def begin(self, word, prepared):
        """Return the number of learned items with which a word is first known."""
        if word in prepared.alphabet:
            return 0
        return prepared.products.index(word) + 1 if word in prepared.products else None


class LateTimeline(Whole):
    """Begin each state one learned item late."""

    def begin(self, word, prepared):
        begin = super().begin(word, prepared)
        return None if begin is None else min(begin + 1, len(prepared.learned))


class UnclippedTimeline(Whole):
    """Begin with no learned items, whatever is asked for."""

    def timeline(self, words, prepared, since=0):
        return super().timeline(words, prepared, 0)


class MoodyTimeline(Whole):
    """Return another timeline each time."""

    def begin(self, word, prepared):
        if word == "low" and next(CALLS) % 2:
            return None
        return super().begin(word, prepared)


class FalseFixedCuts(Whole):
    """Say that cuts do not depend on the size, which they do."""

    fixed_cuts = YES


class FalseWholeWords(Letters):
    """Say that a word is one token, which its letters are not."""

    whole_words = YES


class Frequent(Learner):
    """Know letters, then the most frequent words."""

    prefix_closed = YES
    order_free = YES

    def learn(self, words, size):
        frequent = sorted(words, key=lambda word: (-words[word], word))
        items = [Learned((word,), words[word]) for word in frequent]
        letters = sorted(set().union(*words))
        return Vocabulary.build(letters, items, segmenter={"use": "whole"}).cut(size)


class Padded(Learner):
    """Know letters and a special token."""

    sized = NO
    order_free = YES

    def learn(self, words, size):
        letters = sorted(set().union(*words))
        return Vocabulary(("<pad>", *letters), special=(0,), segmenter={"use": "letters"})


class Excuses(Letters):
    """Explain another word than it cuts."""

    def explain(self, word, prepared):
        return Explanation([], list(word.upper()))


@hookimpl
def tokbench_learners():
    return {"padded": Padded, "frequent": Frequent}


@hookimpl
def tokbench_segmenters():
    return {
        "letters": Letters,
        "lowercase": Lowercase,
        "wrong-lengths": WrongLengths,
        "drops-text": DropsText,
        "special-tokens": SpecialTokens,
        "raises": Raises,
        "unpreparable": Unpreparable,
        "loses-on-decode": LosesOnDecode,
        "hides-unknown": HidesUnknown,
        "moody": Moody,
        "other-many": OtherMany,
        "fewer-many": FewerMany,
        "wrong-proofs": WrongProofs,
        "whole": Whole,
        "late-timeline": LateTimeline,
        "unclipped-timeline": UnclippedTimeline,
        "moody-timeline": MoodyTimeline,
        "false-fixed-cuts": FalseFixedCuts,
        "false-whole-words": FalseWholeWords,
        "excuses": Excuses,
    }
