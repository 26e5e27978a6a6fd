"""Load all corpora of an experiment: the counted training text, and the test corpora."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import regex

from tokbench.api import GoldReader
from tokbench.api.arrays import CountedWords
from tokbench.api.words import Words
from tokbench.corpora.corpus_reader import CorpusReader, ReadFile
from tokbench.corpora.counting import count_training, cut_warnings, frequent_words
from tokbench.corpora.drawing import parts
from tokbench.corpora.entries import ListEntry, WrongRows, read_listed
from tokbench.corpora.files import IssueCounter, Line
from tokbench.corpora.groups import Groups, form_warnings
from tokbench.corpora.pairs import add_common, make_pairs, read_pairs
from tokbench.corpora.running import RunningText, read_text, words_of_lines
from tokbench.corpora.source import Bands, DescribedCorpus, Generated, GoldSource, Split
from tokbench.corpora.splitters import ASCII_SPACE
from tokbench.corpora.words import build_words, with_counts
from tokbench.errors import InputError, PluginError
from tokbench.printing import counted

CorpusKind = Literal["text", "list", "gold", "pairs"]
ENTRIES = "entries"
"""The name used in place of a splitter's for lists, whose entries are never split."""
MOST_SHARED = 0.01
"""A larger share of test lines that also occur in the training text is worth a warning."""
QUOTED = 60
"""The characters of a line that a warning quotes."""

UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]{2}")

FAR_MORE = 2
"""So many times more unseen words than expected make us compare the parts of the training text."""

PARTS = 10


@dataclass(frozen=True)
class Training:
    """The counted training text.

    `name` is the file name up to its first dot, `words` stand in the order in which they first
    occur, without those that occur less often than `min-word-count`, `running` is the sum of their
    counts, `digest` the SHA-256 of the text as bytes (after a split, of the split too), `words_by`
    the splitter. `lines` reads the text again, whatever `min-word-count` says. `good_turing` is
    the share of running words that should be unseen in a text of the same kind: that of words
    which occur once in the whole text (Good 1953). It is None where none occurs once, as in word
    counts without rare words, and for a list of words, which is no running text. `between_parts`
    is the mean share of the words of a tenth of the text that the other tenths lack, counted only
    where a test text has more than twice as many unseen words as `good_turing` says.
    """

    name: str
    words: CountedWords
    running: int
    digest: str
    words_by: str
    lines: CorpusReader = field(compare=False)
    good_turing: float | None
    between_parts: float | None = None
    files: tuple[ReadFile, ...] = ()

    @cached_property
    def running_words(self) -> Words:
        """The scoring words line by line, read again when they are first asked for."""
        return words_of_lines(self.lines)[0]


@dataclass(frozen=True)
class TestCorpus:
    """A test text, list, gold list or list of pairs; `name` is its key in the config.

    Only a text has a `reader`, which has read it, and a running `text`.
    """

    __test__ = False  # else pytest would take it for tests

    name: str
    kind: CorpusKind
    words: Words
    digest: str
    words_by: str
    reader: CorpusReader | None = field(default=None, compare=False)
    text: RunningText | None = field(default=None, compare=False)
    files: tuple[ReadFile, ...] = ()

    @property
    def unspaced(self) -> bool:
        """Whether a text has words of a script that puts no spaces between them."""
        return self.kind == "text" and any(map(UNSPACED.search, self.words.text))


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
    reader = CorpusReader("train", train) if train else None
    shares = dict[str, CorpusReader]()
    if reader and splits:
        *parts_of_text, reader = parts(reader, splits, seed)
        shares = dict(zip(splits, parts_of_text, strict=True))
    scored, warnings, test_lines = list[TestCorpus](), list[str](), dict[str, Counter[bytes]]()
    for name, described in tests.items():
        text = shares.get(name) or CorpusReader(name, described)
        corpus, test_lines[name] = _read_text(text)
        # The training text's issues are reported once, when all of it is read.
        warnings += text.cut_warnings if name in shares else text.warnings
        scored.append(corpus)
    of_lists = [(name, described, None) for name, described in lists.items()]
    of_gold = [(name, described, described.gold) for name, described in gold.items()]
    for name, described, gold_reader in (*of_lists, *of_gold):
        entries = CorpusReader(name, described, of_entries=True)
        corpus, issues = _read_entries(entries, gold_reader)
        scored.append(corpus)
        warnings += issues
    training = None
    if train and reader:
        watched, in_both = set[bytes]().union(*test_lines.values()), set[bytes]()

        def compare(text: bytes) -> None:
            in_both.update(watched.intersection(map(bytes.strip, text.split(b"\n"))))

        counted = count_training(reader, compare if watched else None)
        if not counted:
            raise reader.no_words()
        # A word is seen if the text holds it, whatever `min-word-count` says.
        counts = counted.among(word for test in scored for word in test.words.text)
        groups = Groups(counted, bands)
        scored = [
            replace(test, words=groups.add_to(with_counts(test.words, counts))) for test in scored
        ]
        training = _training(reader, counted, scored)
        if reader.source.format in ("counts", "words"):
            texts = {name: test for name, test in tests.items() if name not in splits}
            warnings += cut_warnings(counted, texts)
        for test in scored:
            warnings += form_warnings(test.name, test.words)
        warnings = [*reader.warnings, *warnings, *_overlap_warnings(test_lines, in_both)]
    with_pairs, of_pairs = _pairs(pairs or {}, scored, seed)
    return Corpora(training, (*scored, *with_pairs), (*warnings, *of_pairs))


def _training(
    reader: CorpusReader, counted: CountedWords, scored: Sequence[TestCorpus]
) -> Training:
    """Return the training text whose words were counted; its count is that of test words too."""
    words, running = frequent_words(reader, counted), sum(counted.values())
    once = sum(count == 1 for count in counted.values())
    good_turing = once / running if once and reader.source.format != "words" else None
    texts = [test.words for test in scored if test.kind == "text"]
    unseen = [text.count[text.unseen].sum() / text.count.sum() for text in texts]
    is_surprising = good_turing is not None and max(unseen, default=0) > FAR_MORE * good_turing
    return Training(
        name=reader.name,
        words=words,
        running=sum(words.values()),
        digest=reader.digest_of_lines,
        words_by=reader.words_by,
        lines=reader,
        good_turing=good_turing,
        between_parts=_between_parts(reader, counted, running) if is_surprising else None,
        files=reader.files,
    )


def _between_parts(reader: CorpusReader, counted: CountedWords, running: int) -> float | None:
    """Return the mean share of the words in a tenth of the text that no other tenth holds.

    Words cluster by topic, which Good-Turing leaves out. None where the text cannot be read again
    or divided.
    """
    if reader.source.format != "text" or not all(path.is_file() for path in reader.paths):
        return None
    part, done, shares = Counter[str](), 0, list[float]()
    for _, words in copy(reader).lines_with_words():
        part.update(words)
        done += len(words)
        if words and PARTS * done >= (len(shares) + 1) * running:
            everywhere = counted.among(part)
            alone = sum(count for word, count in part.items() if everywhere[word] == count)
            shares.append(alone / part.total())
            part.clear()
    return sum(shares) / PARTS if len(shares) == PARTS else None


def _overlap_warnings(
    test_lines: Mapping[str, Counter[bytes]], in_both: Collection[bytes]
) -> Iterator[str]:
    """Return one warning of all test texts with many lines that also occur in the training text."""
    shared = []
    for name, times in test_lines.items():
        both = [line for line in times if line in in_both]
        lines = sum(times[line] for line in both)
        if lines > MOST_SHARED * times.total():
            text = both[0].decode()
            quoted = repr(text if len(text) <= QUOTED else f"{text[:QUOTED]}…")
            all_lines = counted(times.total(), "line")
            shared.append(f"{lines:,} of {all_lines} of {name} (first: {quoted})")
    if shared:
        why = "scores may look too good"
        yield f"some test lines are also in the training text, so {why}: {'; '.join(shared)}"


def _pairs(
    pairs: Mapping[str, DescribedCorpus], tests: Sequence[TestCorpus], seed: int
) -> tuple[list[TestCorpus], list[str]]:
    """Read and make all pairs; return the warnings too."""
    texts = {test.name: test for test in tests}
    corpora, warnings = dict[str, TestCorpus](), list[str]()
    by_origin: dict[tuple[str, str], list[str]] = {}
    for name, corpus in pairs.items():
        if isinstance(corpus.source, Generated):
            text, origin = texts[corpus.source.of], ("text", corpus.source.of)
            assert text.reader is not None  # the config refuses other corpora
            words, digest = make_pairs(name, corpus, text.words, text.reader.normalise, seed)
            files = text.files
        else:
            reader, origin = CorpusReader(name, corpus, of_entries=True), ("file", name)
            words, digest, files = read_pairs(reader), reader.digest, reader.files
            warnings += reader.warnings
        corpora[name] = TestCorpus(name, "pairs", words, digest, ENTRIES, files=files)
        by_origin.setdefault(origin, []).append(name)
    for names in by_origin.values():
        of_one_origin = add_common([corpora[name].words for name in names])
        for name, words in zip(names, of_one_origin, strict=True):
            corpora[name] = replace(corpora[name], words=words)
    return [*corpora.values()], warnings


def _read_text(reader: CorpusReader) -> tuple[TestCorpus, Counter[bytes]]:
    """Read a test text, and count its lines without the ASCII white space around them.

    Raises InputError if it holds no words.
    """
    times = Counter[bytes]()

    def count(line: Line) -> None:
        if bare := line.text.strip(ASCII_SPACE):
            times[bare.encode()] += 1

    words, text = read_text(reader, count if reader.source.format == "text" else lambda line: None)
    if not len(words):
        raise reader.no_words()
    test = TestCorpus(
        name=reader.where,
        kind="text",
        words=words,
        digest=reader.digest_of_lines,
        words_by=reader.words_by,
        reader=reader,
        text=text,
        files=reader.files,
    )
    return test, times


def _read_entries(
    reader: CorpusReader, gold_reader: GoldReader | None
) -> tuple[TestCorpus, list[str]]:
    """Read a list or, by its reader, a gold list; of entries that become one word, the first stays.

    Other analyses of the same gold word are more alternatives, in the order of the rows.
    Returns the warnings too. Raises InputError if it holds none, and for rows that cannot be used,
    all of them at once. Where these are skipped, at least one row must have boundaries.
    """
    source = reader.source if isinstance(reader.source, GoldSource) else None
    skip = source is not None and source.mismatch == "skip"
    entries, documents = dict[str, ListEntry](), list[int]()
    repeated, emptied = IssueCounter(), IssueCounter()
    wrong = WrongRows(source.format.use if source else "")
    for line in reader.lines():
        try:
            entry = read_listed(line.text, reader.normalise, gold_reader)
        except InputError as error:
            wrong.add(line, str(error))
            continue
        except PluginError as error:
            raise line.placed(error) from None
        if entry is None:
            continue
        wrong.read += 1
        if entry.mismatch and not (skip and entry.gold):
            wrong.add(line, entry.mismatch, mismatch=True)
        if not entry.word:
            emptied.add(line.short_place)
        elif entry.word in entries:
            joined = entries[entry.word].joined(entry)
            if joined == entries[entry.word]:
                repeated.add(f"{line.short_place}, {entry.word!r}")
            entries[entry.word] = joined
        else:
            entries[entry.word] = entry
            documents.append(line.document)
    gold = tuple(entry.gold for entry in entries.values())
    if gold_reader and entries and not any(map(any, gold)) and gold_reader.without_boundaries:
        raise InputError(f"{reader.paths[0]}: {gold_reader.without_boundaries}")
    if not (skip and any(gold)):
        wrong.check(reader.paths[0], skip)
    if not entries:
        raise reader.no_words()
    rows = zip(entries, documents, strict=True)
    words = build_words(([word], document, 0) for word, document in rows)
    if gold_reader:
        words = replace(words, gold=gold, morphs=tuple(e.morphs for e in entries.values()))
    categories = tuple(entry.category for entry in entries.values())
    if any(categories):
        words = replace(words, category=categories)
    warnings = [
        *reader.warnings,
        *repeated.warnings(f"{reader.where}: repeated entries", "the first of each stands"),
        *emptied.warnings(f"{reader.where}: entries that `normalise` empties", "left out"),
        *wrong.warnings(reader.where),
    ]
    kind: CorpusKind = "gold" if gold_reader else "list"
    corpus = TestCorpus(reader.where, kind, words, reader.digest, ENTRIES, files=reader.files)
    return corpus, warnings
