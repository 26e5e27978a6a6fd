"""The promises of segmenters, checked with every vocabulary that they should be able to use."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from tokbench.api import Segmenter, Size, TextSegmenter, Vocabulary
from tokbench.api.arrays import Timeline
from tokbench.api.segmentation import known_tokens
from tokbench.api.tokenizer import REPLACEMENT
from tokbench.cut import BoundSegmenter
from tokbench.cut.timeline import grows_at_the_end, states_at
from tokbench.cut.written import WrittenBytes
from tokbench.testing.cutter import Cutter, checked_pairs, cutters
from tokbench.testing.offers import Subject
from tokbench.testing.promise import checking, each_input, expect, expect_same, short
from tokbench.testing.samples import ALL, HARD, HARD_LINES, LINES, PLAIN

MOST_CUTS, MOST_TOKENS = 200, 400_000
"""The cuts of a vocabulary that are compared with its timeline, and the tokens of all of them."""


def covers(subject: Subject[Segmenter]) -> None:
    """Check that the tokens of a word cover it, and that none is a special token.

    A word that spells a special token is an ordinary word. Of `whole_words` each is one token.
    """
    for cutter in cutters(subject):
        for word in (*PLAIN, *cutter.special):
            with each_input():
                tokens = cutter.cut_word(word)
                cutter.ids(word, tokens)
                is_whole = len(tokens) == 1 or not cutter.segmenter.whole_words
                expect(is_whole, cutter.what(word), tokens, "one token, as `whole_words` promises")


def hard_unicode(subject: Subject[Segmenter]) -> None:
    """Check that the tokens of words full of odd characters cover them too."""
    for cutter in cutters(subject):
        for word in HARD:
            with each_input():
                cutter.ids(word, cutter.cut_word(word))


def decodes(subject: Subject[Segmenter]) -> None:
    """Check that decoding gives a word back where its tokens are all known, U+FFFD for id -1.

    Tokens given with their bytes may stand for other text (lower case, a part of a character).
    """
    for cutter in cutters(subject):
        for word in ALL:
            with each_input():
                _check_decoded(cutter, word)
        unknown = cutter.text_of([-1])
        expect(REPLACEMENT in unknown, "the ids [-1] to decode", repr(unknown), "U+FFFD")


def _check_decoded(cutter: Cutter, word: str) -> None:
    tokens = cutter.cut_word(word)
    ids = cutter.ids(word, tokens)
    text, unproduced = cutter.text_of(ids), cutter.vocabulary.unproduced
    is_plain = all(isinstance(token, str) for token in tokens)
    is_known = all(i >= 0 and i not in unproduced for i in ids)
    what = f"the ids {short(ids)} of {cutter.what(word)}"
    kept = text == word or not (is_plain and is_known)
    expect(kept, f"{what} to decode", text, repr(word))


def deterministic(subject: Subject[Segmenter]) -> None:
    """Check that a word has the same tokens after other words, and after preparing anew."""
    for cutter in cutters(subject):
        once = {word: cutter.cut_word(word) for word in ALL}
        with checking(f"the vocabulary of {cutter.name} to prepare"):
            anew = replace(cutter)
            _ = anew.prepared
        for same, when in ((cutter, "after other words"), (anew, "prepared anew")):
            for word in reversed(ALL):
                with each_input():
                    expect_same(f"{cutter.what(word)} {when}", same.cut_word(word), once[word])


def many_equals_loop(subject: Subject[Segmenter]) -> None:
    """Check that `segment_many` gives what `segment` gives, also for one word and for none."""
    for cutter in cutters(subject):
        for words in (ALL, PLAIN[:1], ()):
            what = f"{len(words)} words to segment_many and the vocabulary of {cutter.name}"
            with checking(what):
                cuts = [*cutter.segmenter.segment_many(iter(words), cutter.prepared)]
            expect(len(cuts) == len(words), what, f"{len(cuts)} segmentations", str(len(words)))
            for word, tokens in zip(words, cuts, strict=True):
                what = f"{cutter.what(word)} among {len(words)} words to segment_many"
                with each_input(), checking(what):
                    alone = cutter.cut_word(word)
                    expect_same(what, [*tokens], alone, "as from segment")


def explains(subject: Subject[Segmenter]) -> None:
    """Check that an explanation ends in the tokens that `segment` gives, if there is one."""
    for cutter in cutters(subject):
        for word in (*PLAIN, *HARD[:-1]):  # the last one's steps would be 10,000
            with checking(f"the explanation of {cutter.what(word)}"):
                explanation = cutter.segmenter.explain(word, cutter.prepared)
                if explanation is None:
                    continue
                explained, right = list(explanation.tokens), cutter.cut_word(word)
                ends, right_ends = (
                    checked_pairs(tokens, word, cutter.vocabulary) for tokens in (explained, right)
                )
            what = f"the explanation of {cutter.what(word)}"
            expect(ends == right_ends, what, explained, f"{short(right)} as from segment")


def proofs(subject: Subject[Segmenter]) -> None:
    """Check that a token that comes in any word comes in the word of its proof, if it has one.

    A segmenter without proofs promises nothing.
    """
    if type(subject.component).proofs is Segmenter.proofs:
        return
    for cutter in cutters(subject):
        cuts = {i for word in ALL for i in cutter.ids(word, cutter.cut_word(word))}
        ids = sorted(cuts.difference(cutter.vocabulary.unproduced, {-1}))
        with checking(f"the tokens {short(ids)} of {cutter.name} to proofs"):
            words = cutter.segmenter.proofs(ids, cutter.prepared)
            proved = [*zip(ids, words or (), strict=words is not None)]
        for i, word in proved:
            with each_input():
                if word is not None:
                    what = f"{cutter.what(word)}, the proof of token {i}"
                    ids_of_word = cutter.ids(word, cutter.cut_word(word))
                    expect(
                        i in ids_of_word, what, f"the ids {short(ids_of_word)}", f"{i} among them"
                    )


def bytes_add_up(subject: Subject[Segmenter]) -> None:
    """Check that known tokens write as many bytes as a text has, if they decode to it.

    Where text is changed, to lower case for example, nothing is promised. A space that is put
    before a line is no change.
    """
    for cutter in cutters(subject):
        by_line = isinstance(cutter.segmenter, TextSegmenter)
        with checking(f"the vocabulary of {cutter.name}"):
            written = WrittenBytes.of(cutter)
        for text in (*LINES, *HARD_LINES) if by_line else (*PLAIN, *HARD):
            with each_input():
                what = f"{short(repr(text))} and the vocabulary of {cutter.name}"
                with checking(what):
                    tokens = cutter.lines([text]) if by_line else cutter.tokens([text])
                    (decoded,) = cutter.decode(tokens.row, tokens.ids)
                    (account,) = written.account([text])
                all_known = known_tokens(tokens.ids, cutter.vocabulary).all()
                if all_known and decoded in (text, f" {text}"):
                    right = f"{account.size}: see `tokbench bytes`"
                    expect(account.adds_up, what, f"tokens of {account.written} bytes", right)


def timelines(subject: Subject[Segmenter]) -> None:
    """Check that states begin at `since`, are those of every cut, and are the same again.

    A segmenter with neither timeline nor fixed cuts promises nothing.
    """
    if not BoundSegmenter(subject.component, Vocabulary(())).has_states:
        return
    for cutter in cutters(subject):
        learned = len(cutter.vocabulary.learned)
        first = 0 if grows_at_the_end(cutter.vocabulary) else learned
        # Every cut for the timeline from the first on, the ends of two later ones.
        cuts = _cuts(first, learned, len(cutter.vocabulary.tokens))
        for since, between in {first: cuts, (first + learned) // 2: (), learned: ()}.items():
            states = _states(cutter, since)
            if states is None:
                continue
            _expect_same(states, _states(cutter, since), f"{_call(cutter, since)} again")
            for number in sorted({since, *between, learned}):
                words = ALL if number in (since, learned) else PLAIN
                _check_cut(cutter, states, number, words)


def _expect_same(right: Timeline, states: Timeline | None, what: str) -> None:
    for name, values in vars(right).items():
        got = getattr(states, name, None)
        same = got is not None and np.array_equal(got, values)
        expect(same, what, f"{name} {short(got)}", f"{short(values)} as before")


def _call(cutter: Cutter, since: int) -> str:
    return f"the vocabulary of {cutter.name} to timeline(since={since})"


def _states(cutter: Cutter, since: int) -> Timeline | None:
    with checking(_call(cutter, since)):
        return cutter.states(ALL, since)


def _cuts(first: int, learned: int, tokens: int) -> range:
    """List numbers of learned items; only some where there are very many, or many tokens."""
    step = 1 + (learned - first) // max(1, min(MOST_CUTS, MOST_TOKENS // tokens))
    return range(first, learned + 1, step)


def _check_cut(cutter: Cutter, states: Timeline, number: int, words: Sequence[str]) -> None:
    """Check that states at a number of learned items are how the cut vocabulary cuts words."""
    with checking(f"the vocabulary of {cutter.name} cut to {number} learned items"):
        cut = cutter.vocabulary.cut(Size(learned=number))
        prepared = cutter.segmenter.prepare(cut)
        rows = [
            checked_pairs(cutter.segmenter.segment(word, prepared), word, cut) for word in words
        ]
    at_number = states_at(states, np.array([number]))
    ids, ends, row = at_number.ids.tolist(), at_number.ends.tolist(), at_number.row.tolist()
    for word, right, (begin, end) in zip(words, rows, pairwise(row), strict=False):
        tokens = [*zip(ids[begin:end], ends[begin:end], strict=True)]
        what = f"the word {short(repr(word))} at {number} learned items of {cutter.name}"
        why = "(id, end) as from segment with the cut vocabulary"
        expect_same(f"{what} to timeline", tokens, right, why)
