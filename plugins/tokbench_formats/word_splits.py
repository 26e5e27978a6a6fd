"""The `vocab.txt` of course programs: the segmented training words with counts, then the merges.

    ==== Vocabulary ====
    l o w 5

    ==== Merge Rules ====
    l o

Symbols are spelled for people and joined by one space. Such programs look for these two titles
only; what the format has no place for, marks and letters that no word shows, stands before them in
sections of our own, which are left out where they would say nothing.
"""

import json
from collections.abc import Iterable, Iterator, Sequence

from pydantic import ValidationError

from tokbench.api import (
    Exported,
    ExportInput,
    Imported,
    InputError,
    Learned,
    Marks,
    Recognised,
    SourceFile,
    Vocabulary,
    VocabularyFormat,
)
from tokbench_formats.carried import check_characters, check_pairs, left_out, spell
from tokbench_formats.reading import head_of, lines_of

NAME = "word-splits"
LOOK = Recognised("word splits", (NAME,), readers=("{use: vocabulary, path: ...}",))

MARKS, ALPHABET, WORDS, MERGES = (
    f"==== {title} ====" for title in ("Marks", "Alphabet", "Vocabulary", "Merge Rules")
)
SECTIONS = (MARKS, ALPHABET, WORDS, MERGES)


class WordSplitsFormat(VocabularyFormat):
    """The `vocab.txt` of course programs."""

    uses_text = True

    def write(self, vocabulary: Vocabulary, inputs: ExportInput) -> Exported:
        """Write the words of the text that is given, if any, and the merges."""
        check_characters(vocabulary, NAME)
        check_pairs(vocabulary, NAME)
        built = {*vocabulary.alphabet, *vocabulary.products}
        for i, token in enumerate(vocabulary.tokens):
            if token not in built and i not in vocabulary.unproduced:
                shown = vocabulary.show(token)
                raise InputError(f"{NAME} cannot carry {shown!r}, which no merge builds")
        notes = left_out(vocabulary)
        if (use := vocabulary.segmenter.get("use")) != "bpe":
            notes.append(f"the file does not name the segmenter {use!r}: it is read back with bpe")
        lines = _written(vocabulary, inputs.splits or ())
        return Exported({"vocab.txt": "".join(f"{line}\n" for line in lines)}, tuple(notes))

    def read(self, sources: Sequence[SourceFile]) -> Imported:
        """Read the merges, and the letters of words and merges; counts of merges are not there.

        Raises InputError, naming the line, for anything that is not of this format.
        """
        (source,) = sources
        marks, alphabet = Marks(), None
        words: list[tuple[tuple[str, ...], int]] = []
        learned: list[Learned] = []
        for place, section, line in _lines(source):
            fields = line.split(" ")
            if section == MARKS:
                marks = _marks(line, place)
            elif section == ALPHABET:
                alphabet = tuple(map(marks.read, fields))
            elif section == WORDS:
                if len(fields) < 2 or not (fields[-1].isascii() and fields[-1].isdecimal()):
                    raise InputError(f"{place}: found {line!r}, expected symbols and a count")
                words.append((tuple(map(marks.read, fields[:-1])), int(fields[-1])))
            elif len(fields) != 2:
                raise InputError(f"{place}: found {line!r}, expected the two parts of a merge")
            else:
                learned.append(Learned(tuple(map(marks.read, fields))))
        letters = _seen(words, learned) if alphabet is None else alphabet
        vocabulary = Vocabulary.build(letters, learned, marks=marks, segmenter={"use": "bpe"})
        return Imported(vocabulary)

    def recognise(self, data: bytes) -> Recognised | None:
        """Recognise the title of a section."""
        return LOOK if head_of(data).startswith(SECTIONS) else None


def _written(vocabulary: Vocabulary, splits: Sequence[tuple[Sequence[str], int]]) -> Iterator[str]:
    marks = vocabulary.marks

    def spelled(symbols: Iterable[str]) -> str:
        return " ".join(spell(symbol, NAME, marks, marks.read, " \n\r") for symbol in symbols)

    if marks != Marks():
        options = marks.model_dump(mode="json", exclude_defaults=True)
        yield from (MARKS, json.dumps(options, ensure_ascii=False), "")
    if vocabulary.alphabet != _seen(splits, vocabulary.learned):
        yield from (ALPHABET, spelled(vocabulary.alphabet), "")
    yield WORDS
    yield from (f"{spelled(tokens)} {count}" for tokens, count in splits)
    yield from ("", MERGES)
    yield from (spelled(item.parts) for item in vocabulary.learned)


def _seen(
    words: Iterable[tuple[Sequence[str], int]], learned: Sequence[Learned]
) -> tuple[str, ...]:
    """Return the symbols of words and merges that no merge builds, in code-point order."""
    symbols = {token for tokens, _ in words for token in tokens}
    symbols |= {part for item in learned for part in item.parts}
    return tuple(sorted(symbols - {Marks.join(item.parts) for item in learned}))


def _lines(source: SourceFile) -> Iterator[tuple[str, str, str]]:
    """List each line that is not empty: its place, its section, and the line."""
    section = ""
    for place, line in lines_of(source):
        if line in SECTIONS:
            section = line
        elif line and not section:
            raise InputError(f"{place}: found {line!r}, expected {WORDS!r}")
        elif line:
            yield place, section, line
    if section != MERGES:
        raise InputError(f"{source.where}: there is no {MERGES!r}")


def _marks(line: str, place: str) -> Marks:
    try:
        return Marks.model_validate(json.loads(line))
    except (ValueError, ValidationError):
        raise InputError(f"{place}: found {line!r}, expected marks as JSON") from None
