r"""Files of one entry a line: word counts, word lists, categorised lists, gold segmentations.

The place of a line is added to the errors of these functions by those who read the lines.
An entry is one whole word that no splitter touches. Fields stand between tabs, and white space
around them is ignored. Where normalisation leaves nothing of a word, the word is empty.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import accumulate, chain, islice, pairwise, product
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import ValidationError

from tokbench.api import GoldReader
from tokbench.api.component import Options, compact
from tokbench.api.text import MARKS, byte_length
from tokbench.corpora.files import COUNTS, Line
from tokbench.corpora.normalise import Normalise
from tokbench.corpora.opening import files_of, kind_of, raw_lines
from tokbench.corpora.source import Remove, TextForm
from tokbench.corpora.splitters import ASCII_SPACE
from tokbench.corpora.words import LONGEST
from tokbench.errors import InputError, PluginError, TokbenchError, UsageError
from tokbench.failures import described
from tokbench.printing import counted, one_line, told_apart

Segmented = tuple[int, ...]
"""The byte positions of the boundaries inside a word."""

# Fifteen digits leave room for the sum of many counts in 64 bits.
_COUNT = re.compile(r"0*[1-9][0-9]{0,14}", re.ASCII)
_SPACE = re.compile(f"[{ASCII_SPACE}]+")
# Below a header, a backslash is escaped only where it would begin an escape.
_UNSAFE = re.compile(rf"[{ASCII_SPACE}]|\\(?=x)")
_ESCAPE = re.compile(r"\\x([0-9a-f]{2})")
_VERSION = re.compile(r"\.v\d+(?=\(|$)")  # as `Component.describe` spells it
SHOWN_ROWS = 20
EXAMPLES = 3
_NOT_IN_WORD = re.compile(rf"[\s{MARKS}]")
_MOST_ROWS = 200
"""The rows of a gold file that show its format."""


class ListEntry(NamedTuple):
    """A word of a list, with its category ("" for none) and its gold segmentations, best first.

    `mismatch` says which segments do not join to the word; they are among its morphs all the same.
    """

    word: str
    category: str = ""
    gold: tuple[Segmented, ...] = ()
    morphs: tuple[tuple[str, ...], ...] = ()
    mismatch: str = ""

    def joined(self, other: "ListEntry") -> "ListEntry":
        """Return this entry with the analyses of another row of the same word."""
        gold = dict.fromkeys(self.gold + other.gold)
        morphs = dict.fromkeys(self.morphs + other.morphs)
        return self._replace(gold=tuple(gold), morphs=tuple(morphs))


class ChangedWord(NamedTuple):
    """A changed word, its original, and the kind of the change."""

    changed: str
    original: str
    kind: str


class CountsHeader(Options):
    """How the words of a file of counts were found; `tokbench count` writes it as the first line.

    Below it words are not normalised again, and white space in them is escaped.
    """

    format: Literal[1] = 1
    words: str
    normalise: tuple[TextForm | Remove, ...]

    @classmethod
    def of(cls, path: Path, wanted: "CountsHeader | None" = None) -> "CountsHeader | None":
        """Read the header of a file, if it has one, as `read` does."""
        raw = next(raw_lines(path, may_be_counts=True), b"")
        if not raw.startswith(COUNTS):
            return None
        return cls.read(Line(path, 1, 0, raw.decode(errors="replace").rstrip("\r\n")), wanted)

    @classmethod
    def read(cls, line: Line, wanted: "CountsHeader | None" = None) -> "CountsHeader | None":
        """Read the header in a first line, if it is one; raises UsageError if not as `wanted`."""
        data = line.text.removeprefix(COUNTS.decode())
        if line.number > 1 or data == line.text or not data.startswith("{"):
            return None
        try:
            header = cls.model_validate_json(data)
        except ValidationError:
            expected = "expected one of this version of `tokbench count`: count again"
            raise InputError(f"{line.place}: found the header {line.text!r}, {expected}") from None
        if wanted and not header.agrees(wanted):
            raise UsageError(f"{line.place}: its words were found with {header}, expected {wanted}")
        return header

    def agrees(self, other: "CountsHeader") -> bool:
        """Return whether words were found in the same way, by any version of the splitter."""
        names = {_VERSION.sub("", header.words) for header in (self, other)}
        return len(names) == 1 and self.normalise == other.normalise

    def lines(self, words: Mapping[str, int]) -> Iterator[bytes]:
        """Return the lines of a file with this header."""
        yield COUNTS + json.dumps(self.model_dump(mode="json")).encode() + b"\n"
        for word, count in words.items():
            safe = _UNSAFE.sub(lambda match: f"\\x{ord(match[0]):02x}", word)
            yield f"{safe}\t{count}\n".encode()

    def __str__(self) -> str:
        steps = compact(self.model_dump(mode="json")["normalise"])
        return f"`words: {self.words}`, `normalise: {steps}`"


def read_word(text: str, normalise: Normalise) -> str:
    """Read a line that holds one word."""
    return _word(_fields(text, "one word", 1, 1)[0], normalise)


def read_count(text: str, normalise: Normalise | None) -> tuple[str, int]:
    """Read `word<TAB>count`; below a header, where the word is escaped, nothing normalises it."""
    field, count = _fields(text, "word<TAB>count", 2, 2)
    if not _COUNT.fullmatch(count):
        wrong = f"the count {count!r}" if count else "no count"
        raise InputError(f"found {wrong}; a count is a whole number from 1, of at most 15 digits")
    word = _word(field, normalise or str)
    if normalise is None:
        word = _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), word)
    return word, int(count)


def read_listed(text: str, normalise: Normalise, reader: GoldReader | None) -> ListEntry | None:
    """Read `word<TAB>category`, whose category may be missing; or gold, in the format of a reader.

    Returns None for a line of gold without any, as a comment is. A segmentation that does not join
    to the word has no boundaries. Raises InputError for a wrong line, PluginError where the reader
    fails.
    """
    if reader is None:
        word, category = (*_fields(text, "word<TAB>category", 1, 2), "")[:2]
        return ListEntry(_listed_word(word, normalise), _category(category))
    try:
        entry = reader.read(text)
        if entry is None:
            return None
        texts = (entry.word, entry.category, *chain.from_iterable(entry.alternatives))
        if not all(isinstance(text, str) for text in texts):
            raise TypeError(f"it gave {entry!r:.100}, expected a GoldEntry of texts")
    except (ValueError, InputError) as error:
        raise InputError(str(error)) from None
    except (Exception, SystemExit) as error:
        who = f"the gold reader {type(reader).__name__}"
        raise PluginError(f"{who} failed: {described(error)}") from None
    word = _listed_word(entry.word, normalise, reader.spaces)
    alternatives = [_segmented(word, parts, normalise) for parts in entry.alternatives]
    mismatch = ""
    if wrong := next((segments for segments, cuts in alternatives if cuts is None), None):
        joined, expected = told_apart("".join(wrong), word)
        mismatch = f"the segments {' '.join(wrong)!r} join to {joined}, not to {expected}"
    gold = dict.fromkeys(cuts for _, cuts in alternatives if cuts is not None)
    morphs = dict.fromkeys(segments for segments, _ in alternatives)
    return ListEntry(word, _category(entry.category), tuple(gold), tuple(morphs), mismatch)


def read_pair(text: str, normalise: Normalise) -> ChangedWord:
    """Read `changed<TAB>original<TAB>kind`."""
    changed, original, kind = _fields(text, "changed<TAB>original<TAB>kind", 3, 3)
    pair = ChangedWord(
        _listed_word(changed, normalise),
        _listed_word(original, normalise),
        _category(kind),
    )
    wrong = wrong_change(pair.original, pair.changed)
    if not pair.original:
        wrong = "nothing is left of the original"
    elif not wrong and not kind:
        wrong = "found no kind"
    if wrong:
        raise InputError(wrong)
    return pair


def wrong_change(original: str, changed: object) -> str:
    """Return what is wrong with a changed word, "" if it can stand in a pair."""
    if not isinstance(changed, str):
        return f"it changed {original!r} into {changed!r:.100}, expected a text"
    if not changed or changed == original:
        return f"{original!r} is changed into {'nothing' if not changed else 'itself'}"
    if len(changed) > LONGEST:
        return f"{original!r} is changed into {len(changed):,} characters, at most {LONGEST:,}"
    added = set(_NOT_IN_WORD.findall(changed)) - set(original)
    if added:
        return (
            f"{original!r} is changed into {changed!r}, which holds U+{ord(min(added)):04X}: "
            "neither white space nor mark characters can be added"
        )
    return ""


def recognise_gold(path: Path, readers: Mapping[str, GoldReader]) -> str:
    """Return the format of a gold file, by its name, or else by its first rows.

    It is the first of those whose reader finds gold in most rows or, where none finds any, can
    read most; `tsv` for a file that cannot be read. What is wrong with the file itself is said when
    it is read.
    """
    try:
        path = files_of(path)[0]
        if kind_of(path) == "conllu":
            return "conllu"
        if not path.is_file():  # a pipe can be read only once
            return "tsv"
        raws = [*islice(raw_lines(path), _MOST_ROWS)]
    except TokbenchError:
        return "tsv"
    rows = [raw.decode("utf-8-sig", errors="replace").rstrip("\r\n") for raw in raws]
    with_gold, readable = Counter[str](), Counter[str]()
    for (name, reader), row in product(readers.items(), rows):
        with suppress(InputError, PluginError):
            entry = read_listed(row, str, reader)
            with_gold[name] += entry is not None and bool(entry.gold)
            readable[name] += 1
    fitting = with_gold if any(with_gold.values()) else readable
    return max(readers, key=fitting.__getitem__, default="tsv")


def _category(category: str) -> str:
    """Check a category, and make it safe to show in tables and files of one line a row."""
    if "\r" in category:
        raise InputError(f"found a carriage return in the category {category!r}")
    return one_line(category)


def _fields(text: str, layout: str, least: int, most: int) -> list[str]:
    fields = [field.strip(ASCII_SPACE) for field in text.split("\t")]
    if not least <= len(fields) <= most:
        raise InputError(
            f"found {counted(len(fields), 'field')} in {text!r}; a line holds {layout}"
        )
    return fields


def _word(field: str, normalise: Normalise, spaces: bool = False) -> str:
    if not field:
        raise InputError("found no word before the tab")
    word = normalise(field).strip(ASCII_SPACE)
    if _SPACE.search(word.replace(" ", "") if spaces else word):
        raise InputError(f"found white space in {word!r}; an entry is one word")
    return word


def _listed_word(field: str, normalise: Normalise, spaces: bool = False) -> str:
    word = _word(field, normalise, spaces)
    if len(word) > LONGEST:
        raise InputError(
            f"found an entry of {len(word):,} characters; at most {LONGEST:,} are "
            "scored as one word"
        )
    return word


def _segmented(
    word: str, parts: Sequence[str], normalise: Normalise
) -> tuple[tuple[str, ...], Segmented | None]:
    """Return the segments as normalised, and their boundaries if they join to the word."""
    segments = [normalise(segment) for segment in parts]
    joined = "".join(segments)
    if joined != word == normalise("".join(parts)) and len(joined) == len(word):
        # A letter may depend on its neighbours, as the Greek sigma at the end of a word does.
        cuts = list(accumulate(map(len, segments), initial=0))
        segments = [word[begin:end] for begin, end in pairwise(cuts)]
        joined = word
    # A segment that normalisation empties gives no boundary, hence the set.
    ends = {*accumulate(map(byte_length, segments))} - {0, byte_length(word)}
    # What normalisation empties is no segment; what was empty before counts as its reader says.
    both = zip(segments, parts, strict=True)
    morphs = tuple(segment for segment, part in both if segment or not part)
    return morphs, tuple(sorted(ends)) if joined == word else None


@dataclass
class WrongRows:
    """The rows of a file that cannot be used, each with its place and a message, in order.

    Those counted as `mismatches` can be used in part: their segments do not join to the word.
    `format` is what reads gold.
    """

    format: str = ""
    read: int = 0
    mismatches: int = 0
    rows: list[tuple[str, str]] = field(default_factory=list)

    def add(self, line: Line, message: str, mismatch: bool = False) -> None:
        """Add the next wrong row."""
        self.mismatches += mismatch
        self.rows.append((line.place, message))

    @property
    def left_out(self) -> int:
        """The number of rows of which nothing can be used."""
        return len(self.rows) - self.mismatches

    def check(self, path: Path, skipped: bool = False) -> None:
        """Raise InputError with the first rows, if any are wrong; `skipped` leaves none."""
        if not self.rows:
            return
        count, total = len(self.rows), self.read + self.left_out
        lines = [f"{place}: {message}" for place, message in self.rows[:SHOWN_ROWS]]
        if count > 1 or skipped:
            rows = f"{count:,} of {counted(total, 'row')}"
            lines = [f"{path}: {rows} cannot be used:", *lines]
        if count > SHOWN_ROWS:
            lines.append(f"and {count - SHOWN_ROWS:,} more")
        if self.format and 2 * count >= total:
            what = f"the rows were read as `format: {self.format}`"
            lines.append(f"{what}; `tokbench plugins` lists the gold readers")
        if skipped:
            lines.append("`mismatch: skip` leaves no row to score: does `format` fit the file?")
        elif count > 1 and self.read > self.mismatches > 0:
            lines.append("`mismatch: skip` uses the other rows, and of these what it can")
        raise InputError("\n".join(lines))

    def warnings(self, where: str) -> list[str]:
        """Return a warning of the skipped rows, if there are any."""
        if not self.rows:
            return []
        counts = []
        if self.mismatches:
            words = counted(self.mismatches, "word")
            counts.append(f"without boundaries: {words} whose segments do not join to the word")
        if self.left_out:
            counts.append(f"left out: {counted(self.left_out, 'row')} that cannot be read")
        examples = (f"{Path(place).name}: {what:.100}" for place, what in self.rows[:EXAMPLES])
        shown = "; ".join(examples)
        return [f"{where}: {', '.join(counts)}, such as {shown}"]
