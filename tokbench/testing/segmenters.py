"""The promises of segmenters, checked with every vocabulary that they should be able to use."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from tokbench.api import Segmenter, Size, Vocabulary
from tokbench.api.arrays import Timeline
from tokbench.api.segmentation import known_tokens
from tokbench.api.text import encodable
from tokbench.api.tokenizer import REPLACEMENT
from tokbench.cut import BoundSegmenter
from tokbench.cut.timeline import grows_at_the_end, states_at
from tokbench.cut.written import WrittenBytes
from tokbench.testing.cutter import Cutter, checked_pairs, cutters, tokens_by_line
from tokbench.testing.offers import Subject
from tokbench.testing.promise import checking, each_input, expect, expect_same, short
from tokbench.testing.samples import ALL, HARD, LINES, PLAIN

MOST_CUTS, MOST_TOKENS = 200, 400_000
"""The cuts of a vocabulary that are compared with its timeline, and the tokens of all of them."""


def covers(subject: Subject[Segmenter]) -> None:
    """Check that the tokens of a word cover it, and that none is a special token.

    Of a line, that their offsets lie inside it and never fall. A text that spells a special token
    is an ordinary text. Of `whole_words` each is one token.
    """
    for cutter in cutters(subject):
        for text in (*cutter.plain, *cutter.special):
            with each_input():
                tokens = cutter.tokens_of(text)
                cutter.ids(text, tokens)
                is_kept = len(tokens) == 1 or text in LINES or not cutter.segmenter.whole_words
                expect(is_kept, cutter.what(text), tokens, "one token, as `whole_words` promises")


def hard_unicode(subject: Subject[Segmenter]) -> None:
    """Check that the tokens of texts full of odd characters cover them too."""
    for cutter in cutters(subject):
        for text in cutter.hard:
            with each_input():
                cutter.ids(text, cutter.tokens_of(text))


def decodes(subject: Subject[Segmenter]) -> None:
    """Check that decoding gives a text back, and U+FFFD for id -1.

    Of a word nothing is promised if a token is unknown, or is given with its bytes: then it may
    stand for other text (lower case, a part of a character). Of a line nothing is promised unless
    the vocabulary has all bytes; a space may be put before it, and a lone surrogate be replaced.
    """
    for cutter in cutters(subject):
        for text in (*cutter.plain, *cutter.hard):
            with each_input():
                _check_decoded(cutter, text)
        unknown = cutter.text_of([-1])
        expect(REPLACEMENT in unknown, "the ids [-1] to decode", repr(unknown), "U+FFFD")


def _check_decoded(cutter: Cutter, text: str) -> None:
    tokens = cutter.tokens_of(text)
    ids = cutter.ids(text, tokens)
    decoded = cutter.text_of(ids)
    if cutter.cuts_lines:
        is_promised = _has_all_bytes(cutter.vocabulary) and text == encodable(text)
        is_right = decoded in (text, f" {text}")
    else:
        unproduced = cutter.vocabulary.unproduced
        is_known = all(i >= 0 and i not in unproduced for i in ids)
        is_promised = is_known and all(isinstance(token, str) for token in tokens)
        is_right = decoded == text
    what = f"the ids {short(ids)} of {cutter.what(text)} to decode"
    expect(is_right or not is_promised, what, decoded, repr(text))


def _has_all_bytes(vocabulary: Vocabulary) -> bool:
    ids = (vocabulary.ids.get(chr(byte)) for byte in range(256))
    return vocabulary.units == "bytes" and all(
        i is not None and i not in vocabulary.unproduced for i in ids
    )


def deterministic(subject: Subject[Segmenter]) -> None:
    """Check that a text has the same tokens after other texts, and after preparing anew."""
    for cutter in cutters(subject):
        texts = (*cutter.plain, *cutter.hard)
        once = {text: cutter.tokens_of(text) for text in texts}
        with checking(f"the vocabulary of {cutter.name} to prepare"):
            anew = replace(cutter)
            _ = anew.prepared
        for same, when in ((cutter, "after other texts"), (anew, "prepared anew")):
            for text in reversed(texts):
                with each_input():
                    expect_same(f"{cutter.what(text)} {when}", same.tokens_of(text), once[text])


def together(subject: Subject[Segmenter]) -> None:
    """Check that a text is cut alike alone and among others, also in another order and twice.

    `segment_many` cuts words together, `segment_lines` lines. Both cut one text and none, too.
    """
    for cutter in cutters(subject):
        method = "segment_lines" if cutter.cuts_lines else "segment_many"
        plain, both = cutter.plain, (*cutter.plain, *cutter.hard)
        alone = {text: cutter.tokens_of(text) for text in both}
        for texts in (both, both[::-1], (*plain, *plain), plain[:1], ()):
            what = f"{len(texts)} texts to {method} and the vocabulary of {cutter.name}"
            with checking(what):
                cuts = _cut_together(cutter, texts)
            expect(len(cuts) == len(texts), what, f"{len(cuts)} segmentations", str(len(texts)))
            for text, tokens in zip(texts, cuts, strict=True):
                what = f"{cutter.what(text)} among {len(texts)} texts to {method}"
                with each_input(), checking(what):
                    expect_same(what, [*tokens], alone[text], "as alone")


def _cut_together(cutter: Cutter, texts: Sequence[str]) -> Sequence[Sequence[Any]]:
    if cutter.cuts_lines:
        return tokens_by_line(cutter.lines(texts))
    return [*cutter.segmenter.segment_many(iter(texts), cutter.prepared)]


def explains(subject: Subject[Segmenter]) -> None:
    """Check that an explanation ends in the tokens that `segment` gives, if there is one."""
    for cutter in cutters(subject):
        for word in (*PLAIN, *HARD[:-1]):  # the last one's steps would be 10,000
            with checking(f"the explanation of {cutter.what(word)}"):
                explanation = cutter.segmenter.explain(word, cutter.prepared)
                if explanation is None:
                    continue
                explained = list(explanation.tokens)
                right = list(cutter.segmenter.segment(word, cutter.prepared))
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
        cuts = {i for word in ALL for i in cutter.ids(word, cutter.tokens_of(word))}
        ids = sorted(cuts.difference(cutter.vocabulary.unproduced, {-1}))
        with checking(f"the tokens {short(ids)} of {cutter.name} to proofs"):
            words = cutter.segmenter.proofs(ids, cutter.prepared)
            proved = [*zip(ids, words or (), strict=words is not None)]
        for i, word in proved:
            with each_input():
                if word is not None:
                    what = f"{cutter.what(word)}, the proof of token {i}"
                    ids_of_word = cutter.ids(word, cutter.tokens_of(word))
                    expect(
                        i in ids_of_word, what, f"the ids {short(ids_of_word)}", f"{i} among them"
                    )


def bytes_add_up(subject: Subject[Segmenter]) -> None:
    """Check that known tokens write as many bytes as a text has, if they decode to it.

    Where text is changed, to lower case for example, nothing is promised. A space that is put
    before a line is no change.
    """
    for cutter in cutters(subject):
        with checking(f"the vocabulary of {cutter.name}"):
            written = WrittenBytes.of(cutter)
        for text in (*cutter.plain, *cutter.hard):
            with each_input():
                what = f"{short(repr(text))} and the vocabulary of {cutter.name}"
                with checking(what):
                    tokens = cutter.alone([text])
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
