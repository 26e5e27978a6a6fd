"""Pairs of an original and a changed word: read from files, or made by generators."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from tokbench.api import PairGenerator, spans
from tokbench.api.words import COMMON, PERTURBED, Ints, Pairs, Subset, Words, code_points
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


class FoundPairs(NamedTuple):
    """The pairs of a corpus, in running text where a generator changed one."""

    name: str
    pairs: Sequence[ChangedWord]
    order: NDArray[np.uint32]
    lines: Ints
    documents: NDArray[np.int32]
    digest: str
    made_from: str = ""
    """The test text whose words were changed."""


def read_pairs(name: str, corpus: DescribedCorpus) -> tuple[FoundPairs, Sequence[str]]:
    """Read a file of pairs, one a line; return the warnings too.

    Raises InputError if it holds none, and for all rows that cannot be read at once.
    """
    reader, pairs, wrong = CorpusReader(name, corpus), list[ChangedWord](), WrongRows()
    for line in reader:
        try:
            pairs.append(read_pair(line, reader.normalise))
            wrong.read += 1
        except InputError as error:
            wrong.add(line.short_place, str(error))
    wrong.check(reader.paths[0])
    if not pairs:
        raise reader.no_words()
    order = np.arange(len(pairs), dtype=np.uint32)
    lines, documents = np.arange(len(pairs) + 1), np.zeros(len(pairs), dtype=np.int32)
    return FoundPairs(name, pairs, order, lines, documents, reader.digest), reader.warnings


def make_pairs(
    name: str, corpus: DescribedCorpus, words: Words, normalise: Normalise, seed: int
) -> FoundPairs:
    """Change the words of a test text of four letters or more, each five times.

    The draws of a word depend on the seed, the corpus, the generator and the word alone. Changed
    words are normalised as their text is; a word to which that gives a change back is left. Raises
    PluginError where the generator fails, InputError where it can change no word.
    """
    assert isinstance(corpus.source, Generated)
    assert corpus.generator is not None
    drawn: dict[ChangedWord, int] = {}  # each once, with its number
    draws: list[int] = []
    first, size = np.zeros(len(words), dtype=np.int64), np.zeros(len(words), dtype=np.int64)
    changing = [(number, word) for number, word in enumerate(words.text) if _is_changed(word)]
    starts = ("\0".join((str(seed), name, corpus.generated_by, word)) for _, word in changing)
    seeds = [start.encode("utf-8", "surrogatepass") for start in starts]
    many = _changes(corpus.generator, corpus.generated_by, [word for _, word in changing], seeds)
    for (number, word), drawn_now in zip(changing, many, strict=True):
        left = ((one, normalise(one)) for one in drawn_now)
        changed = [new for one, new in left if new == one or not wrong_change(word, new)]
        if len(changed) == DRAWS:
            first[number], size[number] = len(draws), DRAWS
            found = (ChangedWord(one, word, corpus.source.generate.use) for one in changed)
            draws += [drawn.setdefault(pair, len(drawn)) for pair in found]
    if not drawn:
        raise InputError(
            f"corpora.pairs.{name}: {corpus.generated_by} can change no word of "
            f"{corpus.source.of} that has {LEAST_LETTERS} letters"
        )
    ends = np.concatenate(([0], np.cumsum(size[words.order])))[words.lines]
    held = np.diff(ends) > 0
    pairs, numbers = [*drawn], np.array(draws, dtype=np.uint32)
    rows = "".join("\t".join(pairs[number]) + "\n" for number in draws)
    return FoundPairs(
        name=name,
        pairs=pairs,
        order=numbers[spans(first[words.order], size[words.order])],
        lines=np.append(0, ends[1:][held]),
        documents=words.documents[held],
        digest=hashlib.sha256(rows.encode("utf-8", "surrogatepass")).hexdigest(),
        made_from=corpus.source.of,
    )


def _is_changed(word: str) -> bool:
    # A Korean syllable counts as its two or three letters, so that words of two have noise too.
    letters = sum(map(str.isalpha, normalize("NFD", word)))
    return letters >= LEAST_LETTERS and len(word) <= LONGEST_CHANGED


def _changes(
    generator: PairGenerator, described_as: str, words: Sequence[str], seeds: Sequence[bytes]
) -> Iterator[list[str]]:
    """Change all words at once; where that fails, one by one, to know where."""
    try:
        many: Iterable[Sequence[str | None]] = [*generator.change_many(words, seeds, DRAWS)]
    except (Exception, SystemExit):
        one_by_one = zip(words, seeds, strict=True)
        many = (next(generator.change_many([w], [seed], DRAWS)) for w, seed in one_by_one)
    found = iter(many)
    for word in words:
        try:
            changed = next(found)
            drawn = (wrong_change(word, one) for one in changed if one is not None)
            wrong = next(filter(None, drawn), "")
        except (Exception, SystemExit) as error:
            wrong = f"it failed on {word!r}: {described(error)}"
        if wrong:
            raise PluginError(f"the pair generator {described_as!r}: {wrong}")
        yield [one for one in changed if one is not None]


def finished(found: Sequence[FoundPairs]) -> list[Words]:
    """Return the words of each corpus of pairs, grouped by kind.

    Kinds are comparable on the words that all of them change: those of one file, and all kinds that
    were made from one text.
    """
    kinds: dict[str, dict[tuple[str, str], set[str]]] = {}
    for corpus in found:
        changed = kinds.setdefault(corpus.made_from or f"file {corpus.name}", {})
        for pair in corpus.pairs:
            changed.setdefault((corpus.name, pair.kind), set()).add(pair.original)
    common = {place: set.intersection(*of.values()) for place, of in kinds.items() if len(of) > 1}
    return [_words(one, common.get(one.made_from or f"file {one.name}", set())) for one in found]


def _words(found: FoundPairs, common: set[str]) -> Words:
    numbers: dict[str, int] = {}
    for pair in found.pairs:
        numbers.setdefault(pair.original, len(numbers))
        numbers.setdefault(pair.changed, len(numbers))
    sides = [pair.original for pair in found.pairs], [pair.changed for pair in found.pairs]
    prefix, suffix = same_ends(*sides)
    pairs = Pairs(
        order=found.order,
        original=np.array([numbers[word] for word in sides[0]], dtype=np.int64),
        changed=np.array([numbers[word] for word in sides[1]], dtype=np.int64),
        prefix=prefix,
        suffix=suffix,
    )
    kinds = np.array([pair.kind for pair in found.pairs], dtype=object)
    shared = np.array([pair.original in common for pair in found.pairs])
    names = sorted(set(kinds.tolist()))
    groups = {str(Subset(PERTURBED, kind)): np.equal(kinds, kind) for kind in names}
    if shared.any():
        groups |= {str(Subset(COMMON, kind)): np.equal(kinds, kind) & shared for kind in names}
    return Words(
        text=tuple(numbers),
        order=pairs.changed[found.order].astype(np.uint32),
        lines=found.lines,
        documents=found.documents,
        train_count=None,
        groups=groups,
        pairs=pairs,
    )


def same_ends(*sides: Sequence[str]) -> tuple[Ints, Ints]:
    """Return the characters of the longest common prefix, then suffix of the rest, by pair."""
    chars = [code_points("".join(side)) for side in sides]
    sizes = [np.array([*map(len, side)]) for side in sides]
    least = np.minimum(*sizes)
    pair, at = np.repeat(np.arange(len(least)), least), spans(np.zeros_like(least), least)
    ends = [np.cumsum(size) for size in sizes]

    def same(places: Sequence[Ints]) -> Ints:
        a, b = (codes[where] for codes, where in zip(chars, places, strict=True))
        first: Ints = least.copy()
        np.minimum.at(first, pair[a != b], at[a != b])
        return first

    prefix = same([(end - size)[pair] + at for end, size in zip(ends, sizes, strict=True)])
    suffix = same([end[pair] - 1 - at for end in ends])
    return prefix, np.minimum(suffix, least - prefix)
