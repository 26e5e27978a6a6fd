"""Load all corpora of an experiment: the counted training text, and the test corpora."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Literal, NamedTuple

import numpy as np
import regex
from numpy.typing import NDArray

from tokbench.api import CountedWords
from tokbench.api.words import Words
from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.corpora.counting import count_training, frequent_words
from tokbench.corpora.entries import WrongRows, read_gold, read_listed
from tokbench.corpora.groups import Groups
from tokbench.corpora.lines import IssueCounter
from tokbench.corpora.normalise import Normalise
from tokbench.corpora.overlap import Overlap, overlap_warnings
from tokbench.corpora.pairs import finished, make_pairs, read_pairs
from tokbench.corpora.running import CorpusLines, RunningText, running_text, words_by_document
from tokbench.corpora.source import Bands, DescribedCorpus, Generated, GoldSource, Split
from tokbench.corpora.split import STAYS, draw, split_digest
from tokbench.corpora.words import WordsBuilder, with_counts
from tokbench.errors import InputError, UsageError

CorpusKind = Literal["text", "list", "gold", "pairs"]
ENTRIES = "entries"
"""The name used in place of a splitter's for lists, whose entries are never split."""

UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]{2}")


@dataclass(frozen=True)
class Training:
    """The counted training text.

    `name` is the file name up to its first dot, `words` stand in the order in which they first
    occur, without those that occur less often than `min-word-count`, `running` is the sum of their
    counts, `digest` the SHA-256 of the text as bytes (after a split, of the split too), `words_by`
    the splitter. `lines` reads the text again, whatever `min-word-count` says. `good_turing` is
    the share of running words that should be unseen in a text of the same kind: that of words
    which occur once in the whole text (Good 1953). It is None where none occurs once, as in word
    counts without rare words, and for a list of words, which is no running text.
    """

    name: str
    words: CountedWords
    running: int
    digest: str
    words_by: str
    lines: CorpusLines = field(compare=False)
    good_turing: float | None

    @cached_property
    def running_words(self) -> Words:
        """The scoring words line by line, read again when they are first asked for."""
        return self.lines.words()[0]


@dataclass(frozen=True)
class TestCorpus:
    """A test text, list, gold list or list of pairs; `name` is its key in the config.

    `open_reader` makes its files, which had the digest `content`, ready to be read again.
    """

    __test__ = False  # else pytest would take it for tests

    name: str
    kind: CorpusKind
    words: Words
    digest: str
    words_by: str
    open_reader: Callable[[], CorpusReader] | None = field(default=None, compare=False)
    content: str = field(default="", compare=False)

    @property
    def unspaced(self) -> bool:
        """Whether a text has words of a script that puts no spaces between them."""
        return self.kind == "text" and any(map(UNSPACED.search, self.words.text))

    @cached_property
    def text(self) -> RunningText:
        """The running text, read when it is first asked for; lists and gold words have none."""
        if self.kind != "text" or self.open_reader is None:
            raise UsageError(f"{self.name}: the words of a {self.kind} have no context")
        return running_text(self.open_reader(), self.words, self.content)


@dataclass(frozen=True)
class Corpora:
    """All corpora of an experiment; tests in the config's order: texts, lists, gold, pairs.

    Ready-made tokenizers need no training text.
    """

    train: Training | None
    tests: tuple[TestCorpus, ...]
    warnings: tuple[str, ...]


def load_corpora(
    train: DescribedCorpus | None,
    tests: Mapping[str, DescribedCorpus],
    lists: Mapping[str, DescribedCorpus],
    gold: Mapping[str, DescribedCorpus],
    seed: int,
    bands: Bands = (),
    pairs: Mapping[str, DescribedCorpus] | None = None,
) -> Corpora:
    """Read everything that a config's `corpora` names; the seed draws the test splits and pairs.

    `bands` group the words of test corpora by how often they occur in the training text.

    Raises InputError for what cannot be read or understood, or holds no words; UsageError for a
    treatment that makes no sense; PluginError for a splitter that fails.
    """
    splits = {name: c.source for name, c in tests.items() if isinstance(c.source, Split)}
    open_training = partial(CorpusReader, corpus=train) if train else None
    drawn = _drawn(open_training("train"), splits, seed) if open_training and splits else None
    read = [
        *_texts(open_training, tests, splits, drawn, seed),
        *(_read_entries(partial(CorpusReader, name, one), "list") for name, one in lists.items()),
        *(_read_entries(partial(CorpusReader, name, one), "gold") for name, one in gold.items()),
    ]
    tests_read = [one.corpus for one in read]
    warnings = [warning for one in read for warning in one.warnings]
    training = None
    if train and open_training:
        overlaps = [one.overlap for one in read if one.overlap]
        stays = None if drawn is None else drawn == STAYS
        reader = open_training("train", chosen=stays)
        counted = count_training(reader, train.splitter, overlaps)
        if not counted:
            raise reader.no_words()
        # A word is seen if the text holds it, whatever `min-word-count` says.
        counts = counted.among(word for test in tests_read for word in test.words.text)
        groups = Groups(counted, bands)
        tests_read = [
            replace(test, words=groups.add_to(with_counts(test.words, counts)))
            for test in tests_read
        ]
        words = frequent_words(reader, counted)
        digest = reader.digest
        once, running_text = sum(n == 1 for n in counted.values()), reader.source.format != "words"
        training = Training(
            name=reader.name,
            words=words,
            running=sum(words.values()),
            digest=split_digest(digest, splits, seed, STAYS) if splits else digest,
            words_by=reader.words_by,
            lines=CorpusLines(partial(open_training, "train", chosen=stays), digest),
            good_turing=once / sum(counted.values()) if once and running_text else None,
        )
        warnings = [*reader.warnings, *warnings, *overlap_warnings(overlaps)]
    normalise = {one.corpus.name: one.normalise for one in read}
    with_pairs, of_pairs = _pairs(pairs or {}, tests_read, normalise, seed)
    return Corpora(training, (*tests_read, *with_pairs), (*warnings, *of_pairs))


def _pairs(
    pairs: Mapping[str, DescribedCorpus],
    tests: Sequence[TestCorpus],
    normalise: Mapping[str, Normalise],
    seed: int,
) -> tuple[list[TestCorpus], list[str]]:
    """Read and make all pairs; return the warnings too."""
    words, found, warnings = {test.name: test.words for test in tests}, [], list[str]()
    for name, corpus in pairs.items():
        if isinstance(corpus.source, Generated):
            of = corpus.source.of
            found.append(make_pairs(name, corpus, words[of], normalise[of], seed))
        else:
            read, warned = read_pairs(name, corpus)
            found.append(read)
            warnings += warned
    return [
        TestCorpus(one.name, "pairs", words, one.digest, ENTRIES)
        for one, words in zip(found, finished(found), strict=True)
    ], warnings


def _drawn(reader: CorpusReader, splits: Mapping[str, Split], seed: int) -> NDArray[np.int16]:
    if reader.source.format == "counts":
        raise UsageError("train: word counts have no lines, so no test text can be split off")
    reader.check_is_file("a text that is split")
    documents = reader.documents()
    if not len(documents):
        raise reader.no_words()
    return draw(documents, splits, seed)


class _Read(NamedTuple):
    """A test corpus that was read, whose words have no counts in the training text yet."""

    corpus: TestCorpus
    warnings: Sequence[str]
    normalise: Normalise
    overlap: Overlap | None = None


def _texts(
    open_training: partial[CorpusReader] | None,
    tests: Mapping[str, DescribedCorpus],
    splits: Mapping[str, Split],
    drawn: NDArray[np.int16] | None,
    seed: int,
) -> Iterator[_Read]:
    """Read the test texts, and the shares of the training text that are split off."""
    numbers = {name: number for number, name in enumerate(splits)}
    for name, test in tests.items():
        if name not in splits or drawn is None or open_training is None:
            yield _read_text(partial(CorpusReader, name, test))
        else:
            share = _read_text(partial(open_training, name, chosen=drawn == numbers[name]))
            digest = split_digest(share.corpus.digest, splits, seed, numbers[name])
            yield share._replace(corpus=replace(share.corpus, digest=digest))


def _read_text(open_reader: Callable[[], CorpusReader]) -> _Read:
    """Read a test text, or the chosen lines of the training text.

    Raises InputError if it holds no words.
    """
    reader = open_reader()
    if reader.source.format == "counts":
        raise UsageError(
            f"{reader.where}: word counts have no lines, so they serve as training text only"
        )
    builder = WordsBuilder()
    overlap = Overlap(reader.where) if reader.source.format == "text" else None
    for lines in reader.lines():
        for line, words_of_line in zip(lines, reader.words_of(lines), strict=True):
            builder.add(words_of_line, line.document, line.number)
        if overlap:
            overlap.watch(lines)
    if not builder:
        raise reader.no_words()
    words = builder.build()
    test = TestCorpus(
        name=reader.where,
        kind="text",
        words=words_by_document(words) if reader.joins_lines else words,
        digest=reader.digest,
        words_by=reader.words_by,
        open_reader=open_reader,
        content=reader.digest,
    )
    if reader.joins_lines:
        _ = test.text  # a document that is too long is found before anything is learned
    # The training text's issues are reported once, when all of it is read.
    warnings = reader.warnings if reader.chosen is None else reader.cut_warnings
    return _Read(test, warnings, reader.normalise, overlap)


def _read_entries(open_reader: Callable[[], CorpusReader], kind: Literal["list", "gold"]) -> _Read:
    """Read a list or a gold list; of entries that become the same word, the first stands.

    Raises InputError if it holds none, and for rows that cannot be used, all of them at once. Where
    these are skipped, at least one row must have boundaries.
    """
    reader = open_reader()
    if kind == "list" and reader.source.format != "text":
        raise UsageError(f"{reader.where}: `format` has no meaning for a {kind}; leave it out")
    skip = isinstance(reader.source, GoldSource) and reader.source.mismatch == "skip"
    builder, gold, category, morphs = WordsBuilder(), [], [], []
    repeated, emptied, wrong = IssueCounter(), IssueCounter(), WrongRows()
    for line in reader:
        try:
            if kind == "gold" and reader.gold is not None:
                entry = read_gold(line, reader.normalise, reader.gold)
            else:
                entry = read_listed(line, reader.normalise)
        except InputError as error:
            wrong.add(line.short_place, str(error))
            continue
        if entry is None:
            continue
        wrong.read += 1
        if entry.mismatch and not (skip and entry.gold):
            wrong.add(line.short_place, entry.mismatch, mismatch=True)
        if not entry.word:
            emptied.add(line.short_place)
        elif entry.word in builder:
            repeated.add(f"{line.short_place}, {entry.word!r}")
        else:
            builder.add([entry.word], line.document)
            gold.append(entry.gold)
            morphs.append(entry.morphs)
            category.append(entry.category)
    if not (skip and any(gold)):
        wrong.check(reader.paths[0], skip)
    if not builder:
        raise reader.no_words()
    is_gold = kind == "gold"
    words = builder.build(
        gold if is_gold else None,
        category if any(category) else None,
        morphs if is_gold else None,
    )
    warnings = [
        *reader.warnings,
        *repeated.warnings(f"{reader.where}: repeated entries", "the first of each stands"),
        *emptied.warnings(f"{reader.where}: entries that `normalise` empties", "left out"),
        *wrong.warnings(reader.where),
    ]
    corpus = TestCorpus(reader.where, kind, words, reader.digest, ENTRIES)
    return _Read(corpus, warnings, reader.normalise)
