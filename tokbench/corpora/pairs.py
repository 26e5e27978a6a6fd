"""Pairs of an original and a changed word: read from files, or made by generators."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from tokbench.api import PairGenerator
from tokbench.api.arrays import spans
from tokbench.api.words import COMMON, PERTURBED, Ints, Pairs, Subset, Words
from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.corpora.entries import ChangedWord, WrongRows, read_pair, wrong_change
from tokbench.corpora.normalise import Normalise
from tokbench.corpora.source import DescribedCorpus, Generated
from tokbench.corpora.words import LONGEST
from tokbench.errors import InputError, PluginError
from tokbench.failures import described

DRAWS = 5
"""A generator changes each word so many times."""

LEAST_LETTERS = 4
"""Shorter words are not changed: too little would be left of them. Hangul counts by jamo."""

LONGEST_CHANGED = LONGEST // 2
"""Longer words are not changed either, so that changed ones are no longer than words may be."""


def read_pairs(reader: CorpusReader) -> Words:
    """Read files of pairs, one a line.

    Raises InputError if they hold none, and for all rows that cannot be read at once.
    """
    pairs, wrong = list[ChangedWord](), WrongRows()
    for line in reader.lines():
        try:
            pairs.append(read_pair(line.text, reader.normalise))
            wrong.read += 1
        except InputError as error:
            wrong.add(line, str(error))
    wrong.check(reader.paths[0])
    if not pairs:
        raise reader.no_words()
    order = np.arange(len(pairs), dtype=np.uint32)
    documents = np.zeros(len(pairs), dtype=np.int32)
    return _words(pairs, order, np.arange(len(pairs) + 1), documents)


def make_pairs(
    name: str, corpus: DescribedCorpus, words: Words, normalise: Normalise, seed: int
) -> tuple[Words, str]:
    """Change the words of a test text of four letters or more, each five times.

    Returns the pairs in the lines of the text, and their digest. The draws of a word depend on the
    seed, the corpus, the generator and the word alone. Changed words are normalised as their text
    is; a word to which that gives a change back is left. Raises PluginError where the generator
    fails, InputError where it can change no word.
    """
    assert isinstance(corpus.source, Generated)
    assert corpus.generator is not None
    numbers: dict[ChangedWord, int] = {}  # each pair once
    draws: list[int] = []
    begin, size = np.zeros(len(words), dtype=np.int64), np.zeros(len(words), dtype=np.int64)
    for place, word in enumerate(words.text):
        if not _is_changed(word):
            continue
        start = "\0".join((str(seed), name, corpus.generated_by, word))
        random = Random(start.encode("utf-8", "surrogatepass"))
        changes = _changes(corpus.generator, corpus.generated_by, word, random)
        normalised = ((change, normalise(change)) for change in changes)
        # A change that normalisation gives back, or breaks, would make a pair of nothing.
        usable = [new for old, new in normalised if new == old or not wrong_change(word, new)]
        if len(usable) == DRAWS:
            begin[place], size[place] = len(draws), DRAWS
            pairs = (ChangedWord(new, word, corpus.source.generate.use) for new in usable)
            draws += [numbers.setdefault(pair, len(numbers)) for pair in pairs]
    if not draws:
        raise InputError(
            f"corpora.pairs.{name}: {corpus.generated_by} can change no word of "
            f"{corpus.source.of} that has {LEAST_LETTERS} letters"
        )
    ends = np.concatenate(([0], np.cumsum(size[words.order])))[words.lines]
    has_pairs = np.diff(ends) > 0
    distinct = [*numbers]
    rows = "".join("\t".join(distinct[number]) + "\n" for number in draws)
    order = np.array(draws, dtype=np.uint32)[spans(begin[words.order], size[words.order])]
    lines = np.append(0, ends[1:][has_pairs])
    digest = hashlib.sha256(rows.encode("utf-8", "surrogatepass")).hexdigest()
    return _words(distinct, order, lines, words.documents[has_pairs]), digest


def _is_changed(word: str) -> bool:
    # A Korean syllable counts as its two or three letters, so that words of two have noise too.
    letters = sum(map(str.isalpha, normalize("NFD", word)))
    return letters >= LEAST_LETTERS and len(word) <= LONGEST_CHANGED


def _changes(generator: PairGenerator, described_as: str, word: str, random: Random) -> list[str]:
    """Draw the changes of a word, none after a None; raises PluginError if the generator fails."""
    changes, wrong = list[str](), ""
    try:
        while len(changes) < DRAWS and (changed := generator.change(word, random)) is not None:
            wrong = wrong or wrong_change(word, changed)
            changes.append(changed)
    except (Exception, SystemExit) as error:
        wrong = f"it failed on {word!r}: {described(error)}"
    if wrong:
        raise PluginError(f"the pair generator {described_as!r}: {wrong}")
    return changes


def _words(
    pairs: Sequence[ChangedWord],
    order: NDArray[np.uint32],
    lines: Ints,
    documents: NDArray[np.int32],
) -> Words:
    """Return the words of distinct pairs, grouped by kind; `order` is that of the running pairs."""
    numbers: dict[str, int] = {}
    for pair in pairs:
        numbers.setdefault(pair.original, len(numbers))
        numbers.setdefault(pair.changed, len(numbers))
    originals, changed = [pair.original for pair in pairs], [pair.changed for pair in pairs]
    prefix, suffix = same_ends(originals, changed)
    columns = Pairs(
        order=order,
        original=np.array([numbers[word] for word in originals], dtype=np.int64),
        changed=np.array([numbers[word] for word in changed], dtype=np.int64),
        prefix=prefix,
        suffix=suffix,
    )
    kinds = np.array([pair.kind for pair in pairs], dtype=object)
    return Words(
        text=tuple(numbers),
        order=columns.changed[order].astype(np.uint32),
        lines=lines,
        documents=documents,
        train_count=None,
        groups={str(Subset(PERTURBED, kind)): np.equal(kinds, kind) for kind in sorted({*kinds})},
        pairs=columns,
    )


def add_common(corpora: Sequence[Words]) -> list[Words]:
    """Add groups of the pairs whose original word all kinds change.

    Kinds can be compared on these words. The corpora are one file, or all made from one text.
    """
    of_pairs = [(words, words.pairs) for words in corpora if words.pairs is not None]
    originals = [
        {words.text[number] for number in pairs.original[flags]}
        for words, pairs in of_pairs
        for flags in words.groups.values()
    ]
    common = set.intersection(*originals) if len(originals) > 1 else set[str]()
    with_common = []
    for words, pairs in of_pairs:
        shared = np.array([words.text[number] in common for number in pairs.original])
        groups = {
            str(Subset.parse(name)._replace(family=COMMON)): flags & shared
            for name, flags in words.groups.items()
            if shared.any()
        }
        with_common.append(replace(words, groups={**words.groups, **groups}))
    return with_common


def same_ends(originals: Sequence[str], changed: Sequence[str]) -> tuple[Ints, Ints]:
    """Return the length of the common prefix of each pair, and of the suffix of the rest."""
    ends = []
    for original, other in zip(originals, changed, strict=True):
        prefix = _same_start(original, other)
        ends.append((prefix, _same_start(original[prefix:][::-1], other[prefix:][::-1])))
    prefixes, suffixes = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    return prefixes, suffixes


def _same_start(a: str, b: str) -> int:
    differ = (at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y)
    return next(differ, min(len(a), len(b)))
