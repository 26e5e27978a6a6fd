"""Load all corpora of an experiment: the counted training text, and the test corpora."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from tokbench.api import CountedWords
from tokbench.api.segmentation import Words
from tokbench.corpora.drafts import Draft, Kind, read_entries, read_text
from tokbench.corpora.reading import CorpusLike, Reading
from tokbench.corpora.running import Lines, RunningText, running_text
from tokbench.corpora.source import Split
from tokbench.corpora.split import STAYS, draw, split_digest
from tokbench.corpora.training import count_training, frequent
from tokbench.errors import InputError, UsageError


@dataclass(frozen=True)
class Training:
    """The counted training text.

    `name` is the file name up to its first dot, `words` stand in the order in which they first
    occur, without those that occur less often than `min-word-count`, `running` is the sum of their
    counts, `digest` the SHA-256 of the text as bytes (after a split, of the split too), `words_by`
    the splitter. `lines` reads the text again, whatever `min-word-count` says.
    """

    name: str
    words: CountedWords
    running: int
    digest: str
    words_by: str
    lines: Lines = field(compare=False)


@dataclass(frozen=True)
class TestCorpus:
    """A test text, list or gold list; `name` is its key in the config.

    `reading` makes its files, which had the digest `content`, ready to be read again.
    """

    __test__ = False  # else pytest would take it for tests

    name: str
    kind: Kind
    words: Words
    digest: str
    words_by: str
    reading: Callable[[], Reading] | None = field(default=None, compare=False)
    content: str = field(default="", compare=False)

    @cached_property
    def text(self) -> RunningText:
        """The running text, read when it is first asked for; lists and gold words have none."""
        if self.kind != "text" or self.reading is None:
            raise UsageError(f"{self.name}: the words of a {self.kind} stand in no context")
        return running_text(self.reading(), self.words, self.content)


@dataclass(frozen=True)
class Corpora:
    """All corpora of an experiment; tests in the config's order: texts, then lists, then gold."""

    train: Training
    tests: tuple[TestCorpus, ...]
    warnings: tuple[str, ...]


def load_corpora(
    train: CorpusLike,
    tests: Mapping[str, CorpusLike],
    lists: Mapping[str, CorpusLike],
    gold: Mapping[str, CorpusLike],
    seed: int,
) -> Corpora:
    """Read everything that a config's `corpora` names; the seed draws the test splits.

    Raises InputError for what cannot be read or understood, or holds no words; UsageError for a
    treatment that makes no sense; PluginError for a splitter that fails.
    """
    splits = {name: c.source for name, c in tests.items() if isinstance(c.source, Split)}
    drawn = _drawn(Reading("train", train), splits, seed) if splits else None
    drafts = [
        *_texts(train, tests, splits, drawn, seed),
        *(read_entries(partial(Reading, name, corpus), "list") for name, corpus in lists.items()),
        *(read_entries(partial(Reading, name, corpus), "gold") for name, corpus in gold.items()),
    ]
    overlaps = [draft.overlap for draft in drafts if draft.overlap]
    stays = None if drawn is None else drawn == STAYS
    reading = Reading("train", train, stays)
    counted = count_training(reading, train.splitter, overlaps)
    # Whether a word is unseen does not depend on `min-word-count`: it stands in the text or not.
    known = counted.among(word for draft in drafts for word in draft.builder)
    words = frequent(reading, counted)
    digest = reading.reader.digest
    training = Training(
        name=reading.name,
        words=words,
        running=sum(words.values()),
        digest=split_digest(digest, splits, seed, STAYS) if splits else digest,
        words_by=reading.words_by,
        lines=Lines(lambda: Reading("train", train, stays), digest),
    )
    return Corpora(
        train=training,
        tests=tuple(_finished(draft, known) for draft in drafts),
        warnings=(
            *reading.warnings,
            *(warning for draft in drafts for warning in draft.warnings),
            *(warning for overlap in overlaps for warning in overlap.warnings),
        ),
    )


def _drawn(reading: Reading, splits: Mapping[str, Split], seed: int) -> NDArray[np.int16]:
    if reading.source.format == "counts":
        raise UsageError("train: word counts have no lines, so no test text can be split off")
    for path in reading.paths:
        if path.exists() and not path.is_file():
            raise InputError(
                f"{path}: a text that is split is read twice, so it must be a file, not a pipe"
            )
    documents = reading.documents()
    if not len(documents):
        raise reading.no_words()
    return draw(documents, splits, seed)


def _texts(
    train: CorpusLike,
    tests: Mapping[str, CorpusLike],
    splits: Mapping[str, Split],
    drawn: NDArray[np.int16] | None,
    seed: int,
) -> Iterator[Draft]:
    numbers = {name: number for number, name in enumerate(splits)}
    for name, corpus in tests.items():
        if name not in splits or drawn is None:
            yield read_text(partial(Reading, name, corpus))
        else:
            draft = read_text(partial(Reading, name, train, drawn == numbers[name]))
            draft.digest = split_digest(draft.digest, splits, seed, numbers[name])
            yield draft


def _finished(draft: Draft, training: Mapping[str, int]) -> TestCorpus:
    words = draft.builder.build(training, draft.gold, draft.category)
    again = (draft.read_again, draft.content)
    return TestCorpus(draft.name, draft.kind, words, draft.digest, draft.words_by, *again)
