"""The promises of segmenters, checked with every vocabulary that they should be able to use."""

from collections.abc import Iterable, Mapping
from typing import Any

from tokbench.api import Segmenter, TextSegmenter, Token
from tokbench.api.segmentation import known_tokens
from tokbench.api.segmenter import REPLACEMENT
from tokbench.cut import BoundSegmenter
from tokbench.cut.checks import checked_words
from tokbench.cut.written import WrittenBytes
from tokbench.testing import lines
from tokbench.testing.promise import checking, expect, short
from tokbench.testing.samples import ALL, HARD, HARD_LINES, LINES, PLAIN
from tokbench.testing.subject import SegmenterCheck, Subject, Usable, Vocabularies, usable
from tokbench.testing.timelines import timelines


def covers(subject: Subject[Segmenter], vocabularies: Vocabularies) -> None:
    """Check that the tokens of a word cover it, and that none is a special token.

    A word that spells a special token is an ordinary word.
    """
    for cutter in usable(subject, vocabularies, _UsableForWords):
        for word in (*PLAIN, *cutter.special):
            cutter.ids(word, cutter.cut(word))


def hard_unicode(subject: Subject[Segmenter], vocabularies: Vocabularies) -> None:
    """Check that the tokens of words full of odd characters cover them too."""
    for cutter in usable(subject, vocabularies, _UsableForWords):
        for word in HARD:
            cutter.ids(word, cutter.cut(word))


def decodes(subject: Subject[Segmenter], vocabularies: Vocabularies) -> None:
    """Check that decoding gives a word back where its tokens are all known, U+FFFD for id -1.

    Tokens given with their bytes may stand for other text (lower case, a part of a character).
    """
    for cutter in usable(subject, vocabularies, _UsableForWords):
        unproduced = cutter.vocabulary.unproduced
        for word in ALL:
            tokens = cutter.cut(word)
            ids = cutter.ids(word, tokens)
            text = cutter.decode(ids)
            plain = all(isinstance(token, str) for token in tokens)
            known = all(i >= 0 and i not in unproduced for i in ids)
            what = f"the ids {short(ids)} of {cutter.what(word)}"
            expect(text == word or not (plain and known), f"{what} to decode", text, repr(word))
        unknown = cutter.decode([-1])
        expect(REPLACEMENT in unknown, "the ids [-1] to decode", repr(unknown), "U+FFFD")


def deterministic(subject: Subject[Segmenter], vocabularies: Vocabularies) -> None:
    """Check that a word has the same tokens after other words, and after preparing anew."""
    for cutter, other in zip(
        usable(subject, vocabularies, _UsableForWords),
        usable(subject, vocabularies, _UsableForWords),
        strict=True,
    ):
        once = {word: cutter.cut(word) for word in ALL}
        for again, when in ((cutter, "after other words"), (other, "prepared anew")):
            for word in reversed(ALL):
                tokens = again.cut(word)
                what = f"{cutter.what(word)} {when}"
                expect(tokens == once[word], what, tokens, f"{short(once[word])} as before")


def many_equals_loop(subject: Subject[Segmenter], vocabularies: Vocabularies) -> None:
    """Check that `segment_many` gives what `segment` gives, also for one word and for none."""
    for cutter in usable(subject, vocabularies, _UsableForWords):
        for words in (ALL, PLAIN[:1], ()):
            what = f"{len(words)} words to segment_many and the vocabulary of {cutter.name}"
            many = cutter.cut_many(words, what)
            expect(len(many) == len(words), what, f"{len(many)} segmentations", str(len(words)))
            for word, tokens in zip(words, many, strict=True):
                one = cutter.cut(word)
                what = f"{cutter.what(word)} among {len(words)} words to segment_many"
                expect(tokens == one, what, tokens, f"{short(one)} as from segment")


def explains(subject: Subject[Segmenter], vocabularies: Vocabularies) -> None:
    """Check that an explanation ends in the tokens that `segment` gives, if there is one."""
    for cutter in usable(subject, vocabularies, _UsableForWords):
        for word in (*PLAIN, *HARD[:-1]):  # the last one's steps would be 10,000
            with checking(f"the explanation of {cutter.what(word)}"):
                explanation = cutter.segmenter.explain(word, cutter.prepared)
                if explanation is None:
                    continue
                tokens = [list(explanation.tokens), cutter.cut(word)]
                found, right = (checked_words([one], [word], cutter.vocabulary) for one in tokens)
            same = [*map(list, (found.ids, found.ends))] == [*map(list, (right.ids, right.ends))]
            what = f"the explanation of {cutter.what(word)}"
            expect(same, what, tokens[0], f"{short(tokens[1])} as from segment")


def bytes_add_up(subject: Subject[Segmenter], vocabularies: Vocabularies) -> None:
    """Check that known tokens write as many bytes as a text has, if they decode to it.

    Where text is changed, to lower case for example, nothing is promised. A space that is put
    before a line is no change.
    """
    for one in usable(subject, vocabularies, Usable):
        bound = BoundSegmenter(one.segmenter, one.vocabulary)
        by_line = isinstance(one.segmenter, TextSegmenter)
        with checking(f"the vocabulary of {one.name}"):
            written = WrittenBytes.of(bound)
        for text in (*LINES, *HARD_LINES) if by_line else (*PLAIN, *HARD):
            what = f"{short(repr(text))} and the vocabulary of {one.name}"
            with checking(what):
                found = bound.lines([text]) if by_line else bound.tokens([text])
                (decoded,) = bound.decode(found.row, found.ids)
                (account,) = written.account([text])
            known = known_tokens(found.ids, one.vocabulary).all()
            if known and decoded in (text, f" {text}"):
                right = f"{account.size}: see `tokbench bytes`"
                expect(account.adds_up, what, f"tokens of {account.written} bytes", right)


CHECKS: Mapping[str, SegmenterCheck[Segmenter]] = {
    "covers": covers,
    "hard Unicode": hard_unicode,
    "decodes": decodes,
    "deterministic": deterministic,
    "segment_many": many_equals_loop,
    "timeline": timelines,
    "explain": explains,
    "bytes add up": bytes_add_up,
}


def checks(segmenter: Segmenter) -> Mapping[str, SegmenterCheck[Any]]:
    """Return the checks that apply to a segmenter, by name."""
    return {**CHECKS, **lines.CHECKS} if isinstance(segmenter, TextSegmenter) else CHECKS


class _UsableForWords(Usable):
    """Cuts words; whatever the segmenter raises names the word."""

    def what(self, word: str) -> str:
        return f"the word {short(repr(word))} and the vocabulary of {self.name}"

    def cut(self, word: str) -> list[Token]:
        with checking(self.what(word)):
            return list(self.segmenter.segment(word, self.prepared))

    def cut_many(self, words: Iterable[str], what: str) -> list[list[Token]]:
        with checking(what):
            many = self.segmenter.segment_many(iter(words), self.prepared)
            return [list(tokens) for tokens in many]

    def ids(self, word: str, tokens: list[Token]) -> list[int]:
        """Return the ids of a word's tokens, having checked that they cover it."""
        with checking(self.what(word)):
            ids: list[int] = checked_words([tokens], [word], self.vocabulary).ids.tolist()
        special = [self.vocabulary.tokens[i] for i in ids if i in self.vocabulary.special]
        expect(not special, self.what(word), special, "no special token")
        return ids

    def decode(self, ids: list[int]) -> str:
        what = f"the ids {short(ids)} to decode and the vocabulary of {self.name}"
        with checking(what):
            text: str = self.segmenter.decode(ids, self.vocabulary)
        expect(isinstance(text, str), what, text, "a str")
        return text
