"""The `vocab.txt` of course programs: the segmented training words, then the merges.

    ==== Vocabulary ====
    low er</w> 2

    ==== Merge Rules ====
    l o

Symbols are spelled for people and joined by one space. The file holds neither the kinds of the
marks nor letters that no word has, so whoever reads it says what they were.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tokbench.api import InputError, Learned, Marks, Vocabulary
from tokbench_bpe.alphabet import Alphabet
from tokbench_bpe.segmenters import BpeRank

WORDS, MERGES = "==== Vocabulary ====", "==== Merge Rules ===="


def write(vocabulary: Vocabulary, words: Mapping[str, int]) -> str:
    """Write the counted training words as the segmenter `bpe` cuts them, and the merges.

    Raises InputError for a symbol that would be read back as another, and for learned items
    that are no merges.
    """
    segmenter = BpeRank()
    splits = segmenter.segment_many(words, segmenter.prepare(vocabulary))
    lines = [WORDS]
    for tokens, count in zip(splits, words.values(), strict=True):
        lines.append(f"{_spell(map(str, tokens), vocabulary.marks)} {count}")
    lines += ["", MERGES]
    for parts, _ in vocabulary.learned:
        if len(parts) != 2:
            raise InputError(f"word splits hold merges of two parts, not {parts}")
        lines.append(_spell(parts, vocabulary.marks))
    return "\n".join(lines) + "\n"


def read(
    text: str,
    marks: Marks | None = None,
    alphabet: Alphabet | None = None,
    where: str = "word splits",
) -> Vocabulary:
    """Read the vocabulary that was learned with these marks and this choice of alphabet.

    Without marks the words have none; without an alphabet it is that of the words as they stand.
    The counts of the merges are not in the file. Raises InputError, naming `where` and the line.
    """
    marks = marks or Marks()
    alphabet = alphabet or Alphabet(forms="seen")
    words: dict[str, int] = {}
    learned: list[Learned] = []
    for place, section, fields in _lines(text, where):
        tokens = [marks.read(field) for field in fields]
        if section == MERGES:
            if len(fields) != 2:
                raise InputError(f"{place}: a merge has two parts, found {len(fields)}")
            learned.append(Learned(tuple(tokens)))
            continue
        if len(fields) < 2 or not fields[-1].isdecimal():
            raise InputError(f"{place}: a word is its symbols and a count, found {fields}")
        word = Marks.strip("".join(tokens[:-1]))
        words[word] = words.get(word, 0) + int(fields[-1])
    built = {Marks.join(item.parts) for item in learned}
    parts = {part for item in learned for part in item.parts}
    symbols = sorted(parts.difference(built).union(alphabet.symbols(words, marks)))
    return Vocabulary.build(symbols, learned, marks=marks, segmenter={"use": "bpe"})


def _lines(text: str, where: str) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Give each line that is not empty: its place, its section, its fields."""
    section = ""
    for number, line in enumerate(text.split("\n"), start=1):
        place = f"{where}:{number}"
        if line in (WORDS, MERGES):
            section = line
        elif line and not section:
            raise InputError(f"{place}: expected {WORDS!r}, found {line!r}")
        elif line:
            yield place, section, line.split(" ")
    if section != MERGES:
        raise InputError(f"{where}: there is no {MERGES!r}")


def _spell(symbols: Iterable[str], marks: Marks) -> str:
    """Join spelled symbols by spaces, where each can be read back."""
    spelled = []
    for symbol in symbols:
        shown = marks.show(symbol)
        if " " in shown or "\n" in shown or marks.read(shown) != symbol:
            raise InputError(f"{shown!r} cannot be written to word splits and read back")
        spelled.append(shown)
    return " ".join(spelled)
