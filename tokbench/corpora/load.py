"""Load all corpora of an experiment: the counted training text, and the test corpora."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
import regex
from numpy.typing import NDArray

from tokbench.api import CountedWords
from tokbench.api.segmentation import Words
from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.corpora.groups import Groups
from tokbench.corpora.normalise import Normalise
from tokbench.corpora.overlap import overlap_warnings
from tokbench.corpora.pairs import finished, make_pairs, read_pairs
from tokbench.corpora.running import CorpusLines, RunningText, running_text, words_by_document
from tokbench.corpora.source import Bands, DescribedCorpus, Generated, Split
from tokbench.corpora.split import STAYS, draw, split_digest
from tokbench.corpora.training import count_training, frequent_words
from tokbench.corpora.unfinished import (
    ENTRIES,
    CorpusKind,
    UnfinishedCorpus,
    read_entries,
    read_text,
)
from tokbench.errors import UsageError

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
    split = CorpusReader("train", train) if train and splits else None
    drawn = _drawn(split, splits, seed) if split else None
    training_reader = partial(CorpusReader, corpus=train, first=split) if train else None
    unfinished = [
        *_texts(training_reader, tests, splits, drawn, seed),
        *(read_entries(partial(CorpusReader, name, one), "list") for name, one in lists.items()),
        *(read_entries(partial(CorpusReader, name, one), "gold") for name, one in gold.items()),
    ]
    warnings = [warning for corpus in unfinished for warning in corpus.warnings]
    training, known, groups = None, None, None
    if train and training_reader:
        overlaps = [corpus.overlap for corpus in unfinished if corpus.overlap]
        stays = None if drawn is None else drawn == STAYS
        reader = training_reader("train", chosen=stays)
        counted = count_training(reader, train.splitter, [overlap.see for overlap in overlaps])
        if not counted:
            raise reader.no_words()
        # A word is seen if the text holds it, whatever `min-word-count` says.
        known = counted.among(word for corpus in unfinished for word in corpus.builder)
        groups = Groups(counted, bands)
        words = frequent_words(reader, counted)
        digest = reader.files.digest
        once, running_text = sum(n == 1 for n in counted.values()), reader.source.format != "words"
        training = Training(
            name=reader.name,
            words=words,
            running=sum(words.values()),
            digest=split_digest(digest, splits, seed, STAYS) if splits else digest,
            words_by=reader.words_by,
            lines=CorpusLines(partial(training_reader, "train", chosen=stays), digest),
            good_turing=once / sum(counted.values()) if once and running_text else None,
        )
        warnings = [*reader.warnings, *warnings]
        warnings += overlap_warnings(overlaps)
    if split:
        split.kept.clear()
    tests_read = [_finished(corpus, known, groups) for corpus in unfinished]
    normalise = {corpus.reader.where: corpus.reader.normalise for corpus in unfinished}
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


def _texts(
    training_reader: partial[CorpusReader] | None,
    tests: Mapping[str, DescribedCorpus],
    splits: Mapping[str, Split],
    drawn: NDArray[np.int16] | None,
    seed: int,
) -> Iterator[UnfinishedCorpus]:
    numbers = {name: number for number, name in enumerate(splits)}
    for name, test in tests.items():
        if name not in splits or drawn is None or training_reader is None:
            yield read_text(partial(CorpusReader, name, test))
        else:
            chosen = drawn == numbers[name]
            corpus = read_text(partial(training_reader, name, chosen=chosen))
            corpus.digest = split_digest(corpus.digest, splits, seed, numbers[name])
            yield corpus


def _finished(
    corpus: UnfinishedCorpus, training: Mapping[str, int] | None, groups: Groups | None
) -> TestCorpus:
    words = corpus.builder.build(training, corpus.gold, corpus.category, corpus.morphs)
    if groups:
        words = groups.add_to(words)
    reader = corpus.reader
    if reader.joins_lines:
        words = words_by_document(words)
    test = TestCorpus(
        name=reader.where,
        kind=corpus.kind,
        words=words,
        digest=corpus.digest,
        words_by=reader.words_by if corpus.kind == "text" else ENTRIES,
        open_reader=corpus.open_reader,
        content=reader.files.digest,
    )
    if reader.joins_lines:
        _ = test.text  # a document that is too long is found before anything is learned
    return test
