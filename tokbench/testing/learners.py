"""The promises of learners."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import zip_longest
from typing import Any
from unittest import SkipTest

from tokbench.api import Learner, Size, SizeError, Vocabulary
from tokbench.cut import BoundSegmenter
from tokbench.testing.cutter import cut_samples
from tokbench.testing.offers import CountedLines, Subject, learn, learn_some
from tokbench.testing.process import in_fresh_process
from tokbench.testing.promise import PromiseError, checking, expect, expect_same, short
from tokbench.testing.samples import HARD, LEARNED, TOTALS, WORDS


def learns(subject: Subject[Learner]) -> None:
    """Check that learning gives a vocabulary that names a segmenter on offer."""
    vocabulary = learn_some(subject.component)
    segmenter = dict(vocabulary.segmenter)
    right = 'one to use: segmenter={"use": name}'
    expect("use" in segmenter, "the sample words", f"segmenter={segmenter!r}", right)
    with checking(f"the segmenter {segmenter!r} that the vocabulary names"):
        subject.offers.registry.segmenter_of(vocabulary)


def sizes(subject: Subject[Learner]) -> None:
    """Check that no vocabulary is larger than asked, and that a SizeError's minimum exists.

    A learner that is not sized gives one vocabulary whatever is asked for.
    """
    if not subject.component.sized:
        smallest, largest = (learn(subject.component, Size(total=total)) for total in (0, 1_000))
        what = "size 1000 after size 0 to a learner whose `sized` is False"
        _expect_same(smallest, largest, what)
        return
    asked = (*_totals(subject), *LEARNED)
    vocabularies = {size: learn(subject.component, size) for size in asked}
    for size, vocabulary in vocabularies.items():
        if isinstance(vocabulary, Vocabulary):
            got, unit = len(vocabulary.learned), "learned items"
            if size.total is not None:
                got, unit = vocabulary.size, "tokens"
            right = f"at most {size.number}: return vocabulary.cut(size)"
            expect(got <= size.number, f"size {size}", f"{got} {unit}", right)
    differ = len(set(map(_shown, vocabularies.values()))) > 1
    right = "more tokens for more size, or a property `sized` that is False"
    what = f"the sizes {', '.join(map(str, vocabularies))}"
    expect(differ, what, "the same tokens each time", right)


def deterministic(subject: Subject[Learner]) -> None:
    """Check that learning twice gives the same vocabulary, here and in a fresh process."""
    once = learn_some(subject.component)
    _expect_same(once, learn_some(subject.component), "the same words twice")
    there = Vocabulary.from_json(_elsewhere(subject, once.to_json())["learned"])
    _expect_same(once, there, "the words in a fresh process with another PYTHONHASHSEED")


def promises_prefixes(learner: Learner) -> bool:
    """Return whether a learner promises `prefix_closed`."""
    return learner.deterministic and learner.sized and learner.prefix_closed


def prefix_closed(subject: Subject[Learner]) -> None:
    """Check that learning a size equals learning a larger one and cutting it."""
    for sizes in (_totals(subject), LEARNED):
        largest = learn(subject.component, sizes[-1])
        for size in sizes[:-1]:
            what = f"size {size} by cutting the vocabulary of size {sizes[-1]}"
            _expect_same(learn(subject.component, size), _cut(largest, size), what)


def order_free(subject: Subject[Learner]) -> None:
    """Check that words in another order give the same vocabulary."""
    once = learn_some(subject.component)
    for order in (dict(reversed(WORDS.items())), dict(sorted(WORDS.items()))):
        what = f"the words in the order {short(list(order))}"
        _expect_same(once, learn_some(subject.component, order), what)


def hard_unicode(subject: Subject[Learner]) -> None:
    """Check learning from words full of odd characters, each alone and all together."""
    for words in (*({word: 1} for word in HARD), dict.fromkeys(HARD, 2)):
        vocabulary = learn_some(subject.component, words, more=5)
        with checking(f"the vocabulary of the words {short(list(words))}"):
            read_back = Vocabulary.from_json(vocabulary.to_json())
        _expect_same(vocabulary, read_back, "the vocabulary written as JSON and read back")


def produced(subject: Subject[Learner]) -> None:
    """Check that learned tokens are parts of the text, and that the segmenter produces some."""
    vocabulary = learn_some(subject.component)
    learned = [token for token in vocabulary.products if token in vocabulary.ids]
    text = "\n".join(CountedLines(WORDS)).encode()
    ids = [vocabulary.ids[token] for token in learned]
    foreign = [vocabulary.show(vocabulary.tokens[i]) for i in ids if vocabulary.raw(i) not in text]
    right = "parts of its words; the mark of a word's end is `EOW` of tokbench.api.text"
    expect(not foreign, "the learned tokens", foreign, right)
    if "use" not in vocabulary.segmenter:
        return  # which `learns` reports
    with _of_segmenter():
        segmenter = subject.offers.registry.segmenter_of(vocabulary)[1]
        cut = BoundSegmenter(segmenter, vocabulary).tokens([*WORDS]).ids.tolist()
    shown = short([*map(vocabulary.show, learned)])
    kept = not learned or not {*ids}.isdisjoint(cut)
    expect(kept, "the words it learned from", f"none of the learned tokens {shown}", "some")


def survives_json(subject: Subject[Learner]) -> None:
    """Check that a vocabulary read from JSON in a fresh process segments as it does here."""
    vocabulary = learn_some(subject.component)
    segmenter = subject.offers.registry.segmenter_of(vocabulary)[1]
    with _of_segmenter():
        cut = cut_samples(segmenter, vocabulary)
    there = _elsewhere(subject, vocabulary.to_json())
    expect(not there["failed"], "a fresh process", there["failed"], "tokens as here")
    for text, tokens in json.loads(json.dumps(cut)).items():
        what = f"{text} and the vocabulary from JSON in a fresh process"
        expect_same(what, there["cut"][text], tokens, "as here")


@lru_cache(1)  # a process is started once for both promises that need one
def _elsewhere(subject: Subject[Learner], vocabulary: str) -> Any:
    """In a fresh process cut the samples with a vocabulary (JSON), and then learn it again."""
    use = {**subject.options, "use": subject.offer.name}
    job = {"learner": use, "vocabulary": vocabulary}
    return in_fresh_process("tokbench.testing.jobs:cut_and_learn", subject.offers.files, **job)


@contextmanager
def _of_segmenter() -> Iterator[None]:
    """Skip the check of a learner where the segmenter fails, which its own checks find."""
    try:
        with checking("its vocabulary to its segmenter"):
            yield
    except PromiseError as broken:
        wrong = broken.failures[0].wrong
        raise SkipTest(f"not checked: its segmenter fails: {wrong}") from None


def _totals(subject: Subject[Learner]) -> list[Size]:
    """List whole sizes from the smallest that exists upwards; a SizeError names that one."""
    smallest = 1
    result = learn(subject.component, Size(total=smallest))
    if isinstance(result, SizeError):
        smallest = result.minimum
        expect(smallest > 1, "size 1", f"SizeError with the minimum {smallest}", "a larger one")
        second = learn(subject.component, Size(total=smallest))
        right = "a vocabulary, since SizeError named this minimum"
        expect(isinstance(second, Vocabulary), f"size {smallest}", "SizeError again", right)
    return [Size(total=smallest + more) for more in TOTALS]


def _cut(largest: Vocabulary | SizeError, size: Size) -> Vocabulary | SizeError:
    try:
        return largest if isinstance(largest, SizeError) else largest.cut(size)
    except SizeError as error:
        return error


def _expect_same(right: Vocabulary | SizeError, got: Vocabulary | SizeError, what: str) -> None:
    """Raise PromiseError unless two vocabularies are equal in all that JSON holds."""
    if isinstance(right, SizeError) or isinstance(got, SizeError):
        expect(type(right) is type(got), what, _shown(got), _shown(right))
        return
    for i, (wrong, token) in enumerate(zip_longest(got.tokens, right.tokens)):
        expect(wrong == token, what, f"{wrong!r} as token {i}", f"{token!r}")
    same = got.to_json() == right.to_json()
    expect(same, what, "the same tokens", "the same learned items, marks and extra data too")


def _shown(result: Vocabulary | SizeError) -> str:
    if isinstance(result, SizeError):
        return "SizeError"
    return f"a vocabulary of {result.size} tokens"
