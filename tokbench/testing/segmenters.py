"""The promises of segmenters, checked with every vocabulary that they should be able to use."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from tokbench.api import Segmenter, Size, TextSegmenter, Timeline, Vocabulary
from tokbench.api.segmentation import known_tokens, spans
from tokbench.api.tokenizer import REPLACEMENT
from tokbench.cut import BoundSegmenter
from tokbench.cut.timeline import grows_at_the_end
from tokbench.cut.written import WrittenBytes
from tokbench.testing.cutter import Cutter, checked_pairs, cutters
from tokbench.testing.offers import Check, Subject
from tokbench.testing.promise import checking, expect, short
from tokbench.testing.samples import ALL, HARD, HARD_LINES, LINES, PLAIN

MOST_CUTS, MOST_TOKENS = 200, 400_000


def covers(subject: Subject[Segmenter]) -> None:
    """Check that the tokens of a word cover it, and that none is a special token.

    A word that spells a special token is an ordinary word.
    """
    for cutter in cutters(subject):
        for word in (*PLAIN, *cutter.special):
            cutter.ids(word, cutter.cut(word))


def hard_unicode(subject: Subject[Segmenter]) -> None:
    """Check that the tokens of words full of odd characters cover them too."""
    for cutter in cutters(subject):
        for word in HARD:
            cutter.ids(word, cutter.cut(word))


def decodes(subject: Subject[Segmenter]) -> None:
    """Check that decoding gives a word back where its tokens are all known, U+FFFD for id -1.

    Tokens given with their bytes may stand for other text (lower case, a part of a character).
    """
    for cutter in cutters(subject):
        unproduced = cutter.vocabulary.unproduced
        for word in ALL:
            tokens = cutter.cut(word)
            ids = cutter.ids(word, tokens)
            text = cutter.decode(ids)
            is_plain = all(isinstance(token, str) for token in tokens)
            is_known = all(i >= 0 and i not in unproduced for i in ids)
            what = f"the ids {short(ids)} of {cutter.what(word)}"
            kept = text == word or not (is_plain and is_known)
            expect(kept, f"{what} to decode", text, repr(word))
        unknown = cutter.decode([-1])
        expect(REPLACEMENT in unknown, "the ids [-1] to decode", repr(unknown), "U+FFFD")


def deterministic(subject: Subject[Segmenter]) -> None:
    """Check that a word has the same tokens after other words, and after preparing anew."""
    for cutter in cutters(subject):
        once = {word: cutter.cut(word) for word in ALL}
        with checking(f"the vocabulary of {cutter.name} to prepare"):
            anew = replace(cutter, prepared=cutter.segmenter.prepare(cutter.vocabulary))
        for again, when in ((cutter, "after other words"), (anew, "prepared anew")):
            for word in reversed(ALL):
                tokens = again.cut(word)
                what = f"{cutter.what(word)} {when}"
                expect(tokens == once[word], what, tokens, f"{short(once[word])} as before")


def many_equals_loop(subject: Subject[Segmenter]) -> None:
    """Check that `segment_many` gives what `segment` gives, also for one word and for none."""
    for cutter in cutters(subject):
        for words in (ALL, PLAIN[:1], ()):
            what = f"{len(words)} words to segment_many and the vocabulary of {cutter.name}"
            with checking(what):
                many = cutter.segmenter.segment_many(iter(words), cutter.prepared)
                many = [list(tokens) for tokens in many]
            expect(len(many) == len(words), what, f"{len(many)} segmentations", str(len(words)))
            for word, tokens in zip(words, many, strict=True):
                alone = cutter.cut(word)
                what = f"{cutter.what(word)} among {len(words)} words to segment_many"
                expect(tokens == alone, what, tokens, f"{short(alone)} as from segment")


def explains(subject: Subject[Segmenter]) -> None:
    """Check that an explanation ends in the tokens that `segment` gives, if there is one."""
    for cutter in cutters(subject):
        for word in (*PLAIN, *HARD[:-1]):  # the last one's steps would be 10,000
            with checking(f"the explanation of {cutter.what(word)}"):
                explanation = cutter.segmenter.explain(word, cutter.prepared)
                if explanation is None:
                    continue
                explained, right = list(explanation.tokens), cutter.cut(word)
                ends, right_ends = (
                    checked_pairs(tokens, word, cutter.vocabulary) for tokens in (explained, right)
                )
            what = f"the explanation of {cutter.what(word)}"
            expect(ends == right_ends, what, explained, f"{short(right)} as from segment")


def bytes_add_up(subject: Subject[Segmenter]) -> None:
    """Check that known tokens write as many bytes as a text has, if they decode to it.

    Where text is changed, to lower case for example, nothing is promised. A space that is put
    before a line is no change.
    """
    for cutter in cutters(subject):
        by_line = isinstance(cutter.segmenter, TextSegmenter)
        with checking(f"the vocabulary of {cutter.name}"):
            written = WrittenBytes.of(cutter.bound)
        for text in (*LINES, *HARD_LINES) if by_line else (*PLAIN, *HARD):
            what = f"{short(repr(text))} and the vocabulary of {cutter.name}"
            with checking(what):
                tokens = cutter.bound.lines([text]) if by_line else cutter.bound.tokens([text])
                (decoded,) = cutter.bound.decode(tokens.row, tokens.ids)
                (account,) = written.account([text])
            all_known = known_tokens(tokens.ids, cutter.vocabulary).all()
            if all_known and decoded in (text, f" {text}"):
                right = f"{account.size}: see `tokbench bytes`"
                expect(account.adds_up, what, f"tokens of {account.written} bytes", right)


def timelines(subject: Subject[Segmenter]) -> None:
    """Check that states are those of every cut, the same again, and clipped at `since`.

    A segmenter with neither timeline nor fixed cuts promises nothing.
    """
    if not BoundSegmenter(subject.component, Vocabulary(())).has_states:
        return
    for cutter in cutters(subject):
        vocabulary = cutter.vocabulary
        since = 0 if grows_at_the_end(vocabulary) else len(vocabulary.learned)
        states = _states(cutter, since)
        if states is not None:
            _same(states, _states(cutter, since), f"{_call(cutter, since)} again")
            _check_cuts(cutter, states, since)
            for later in ((since + len(vocabulary.learned)) // 2, len(vocabulary.learned)):
                _same(clipped(states, later), _states(cutter, later), _call(cutter, later))


def clipped(states: Timeline, since: int) -> Timeline:
    """Return the states that hold from `since` on; those that began before begin there."""
    kept = np.flatnonzero(states.until > since)
    size = np.diff(states.row)[kept]
    chosen = spans(states.row[kept], size)
    return Timeline(
        word=states.word[kept],
        row=np.concatenate(([0], np.cumsum(size))),
        ids=states.ids[chosen],
        ends=states.ends[chosen],
        since=np.maximum(states.since[kept], since),
        until=states.until[kept],
    )


def _call(cutter: Cutter, since: int) -> str:
    return f"the vocabulary of {cutter.name} to timeline(since={since})"


def _states(cutter: Cutter, since: int) -> Timeline | None:
    with checking(_call(cutter, since)):
        return cutter.bound.states(ALL, since)


def _check_cuts(cutter: Cutter, states: Timeline, since: int) -> None:
    """Check the states of plain words with every cut, those of all words with three."""
    vocabulary, segmenter = cutter.vocabulary, cutter.segmenter
    learned = len(vocabulary.learned)
    for number in _cuts(since, learned, len(vocabulary.tokens)):
        words = ALL if number in (since, (since + learned) // 2, learned) else PLAIN
        what = f"the vocabulary of {cutter.name} cut to {number} learned items"
        with checking(what):
            cut = vocabulary.cut(Size(learned=number))
            prepared = segmenter.prepare(cut)
            rows = [checked_pairs(segmenter.segment(word, prepared), word, cut) for word in words]
        for word, right, row in zip(words, rows, _at(states, number), strict=False):
            what = f"the word {short(repr(word))} at {number} learned items of {cutter.name}"
            expected = f"{short(right)} (id, end) as from segment with the cut vocabulary"
            expect(row == right, f"{what} to timeline", row, expected)


def _cuts(since: int, learned: int, tokens: int) -> Sequence[int]:
    """List all numbers of learned items; only some where there are very many, or many tokens."""
    step = 1 + (learned - since) // max(1, min(MOST_CUTS, MOST_TOKENS // tokens))
    return sorted({*range(since, learned + 1, step), (since + learned) // 2, learned})


def _at(states: Timeline, number: int) -> Iterator[list[tuple[int, int]]]:
    """Return each word's tokens at a number of learned items."""
    ids, ends = states.ids.tolist(), states.ends.tolist()
    for state in np.flatnonzero((states.since <= number) & (number < states.until)):
        row = slice(states.row[state], states.row[state + 1])
        yield list(zip(ids[row], ends[row], strict=True))


def _same(right: Timeline, states: Timeline | None, what: str) -> None:
    for name, values in vars(right).items():
        got = None if states is None else getattr(states, name)
        is_same = got is not None and np.array_equal(got, values)
        expect(is_same, what, f"{name} {short(got)}", f"{short(values)} as before, clipped")


CHECKS: Mapping[str, Check[Segmenter]] = {
    "covers": covers,
    "hard Unicode": hard_unicode,
    "decodes": decodes,
    "deterministic": deterministic,
    "segment_many": many_equals_loop,
    "timeline": timelines,
    "explain": explains,
    "bytes add up": bytes_add_up,
}
