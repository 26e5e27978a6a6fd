"""The merge table of subword-nmt (`codes`): one merge a line, by rank.

    #version: 0.2
    e s
    es t</w>

`</w>` ends a word. In version 0.2 it is fused to the last letter; in 0.1, which files without a
version line are of too, it is a symbol of its own. Source: Sennrich, Haddow and Birch (2016), and
`apply_bpe.py` of subword-nmt 0.3.8, which reads these files.
"""

from collections.abc import Sequence

from tokbench.api import (
    EndMark,
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
from tokbench.api.text import EOW
from tokbench.printing import counted
from tokbench_formats.carried import (
    LINE_ENDS,
    check_characters,
    check_marks,
    check_pairs,
    check_segmenter,
    left_out,
    spell,
)
from tokbench_formats.reading import lines_of, parts_of, recognise_merges

NAME = "subword-nmt"
VERSION = "#version:"
KINDS = {"0.1": "separate", "0.2": "fused"}
CARRIED = {"eow": dict.fromkeys(KINDS.values(), "</w>")}


class SubwordNmtFormat(VocabularyFormat):
    """The merge table of subword-nmt."""

    def write(self, vocabulary: Vocabulary, inputs: ExportInput) -> Exported:
        """Write the merges; raises InputError for marks, symbols or items that it cannot carry."""
        marks = vocabulary.marks
        check_characters(vocabulary, NAME)
        check_segmenter(vocabulary, NAME, ("bpe", NAME))
        check_marks(marks, NAME, CARRIED)
        check_pairs(vocabulary, NAME)
        if not vocabulary.learned:
            raise InputError(f"{NAME} reads no table without merges, and this vocabulary has none")
        version = next(number for number, kind in KINDS.items() if kind == marks.eow.kind)
        lines = [f"{VERSION} {version}"]
        for item in vocabulary.learned:
            parts = [spell(part, NAME, marks, marks.read, " " + LINE_ENDS) for part in item.parts]
            lines.append(" ".join(parts))
        used = {part for item in vocabulary.learned for part in item.parts}
        notes = left_out(vocabulary)
        if unused := sum(symbol not in used for symbol in vocabulary.alphabet):
            notes.append(f"the file has merges only: {unused} symbols that no merge uses left out")
        return Exported({"codes": "\n".join(lines) + "\n"}, tuple(notes))

    def read(self, sources: Sequence[SourceFile]) -> Imported:
        """Read the merges; the alphabet is what no merge builds, in code-point order.

        Raises InputError, naming the line, for anything that is no merge table.
        """
        (source,) = sources
        lines = list(lines_of(source))
        version = "0.1"
        if lines[0][1].startswith(VERSION):
            place, line = lines.pop(0)
            version = line.removeprefix(VERSION).strip()
            if version not in KINDS:
                raise InputError(f"{place}: found version {version!r}, expected 0.1 or 0.2")
        marks = Marks(eow=EndMark.model_validate({"kind": KINDS[version], "text": "</w>"}))
        merges = [_merge(line, place, marks) for place, line in lines]
        built = {Marks.join(item.parts) for item in merges}
        alphabet = sorted({part for item in merges for part in item.parts} - built)
        vocabulary = Vocabulary.build(alphabet, merges, marks=marks, segmenter={"use": "bpe"})
        return Imported(vocabulary, _notes(vocabulary))

    def recognise(self, data: bytes) -> Recognised | None:
        """Recognise merges with a version line, if they cannot only be of GPT-2."""
        look = recognise_merges(data)
        return look if look and NAME in look.formats else None


def _merge(line: str, place: str, marks: Marks) -> Learned:
    parts = parts_of(line.strip(" "), place)
    left, right = map(marks.read, parts)
    if EOW in left:
        raise InputError(f"{place}: nothing can follow {parts[0]!r}, which ends a word")
    return Learned((left, right))


def _notes(vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return notes on merges that nothing leads to: no merge builds a part of several letters."""
    never = [s for s in vocabulary.alphabet if len(Marks.strip(s)) > 1]
    if not never:
        return ()
    shown = ", ".join(repr(vocabulary.show(symbol)) for symbol in never[:3])
    parts = counted(len(never), "part")
    return (f"no merge builds {parts} of merges, so these merges never apply: {shown}",)
