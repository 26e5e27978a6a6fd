"""BERT's `vocab.txt`: one token a line, its id the number of lines before it.

`##` begins what does not begin a word, `[UNK]` stands for what is unknown; `[PAD]`, `[CLS]`,
`[SEP]` and `[MASK]` are special. Source: Devlin and others (2019), BERT, whose
program cuts words by longest match and makes a word with an unknown part one `[UNK]`.
"""

import re
from collections.abc import Sequence

from tokbench.api import (
    ContinuationMark,
    Exported,
    ExportInput,
    Imported,
    InputError,
    Marks,
    Recognised,
    SourceFile,
    Vocabulary,
    VocabularyFormat,
)
from tokbench.printing import counted
from tokbench_formats.carried import (
    LINE_ENDS,
    check_characters,
    check_marks,
    spell_all,
    with_unknown,
)
from tokbench_formats.reading import head_lines, lines_of, shown

NAME = "bert-vocab"
UNKNOWN, PREFIX = "[UNK]", "##"
NEEDED = ("[CLS]", "[SEP]")
SPECIAL = re.compile(r"\[(PAD|CLS|SEP|MASK)\]")
MARKS = Marks(continuation=ContinuationMark(kind="fused", text=PREFIX))
CARRIED = {"continuation": {"fused": PREFIX}}
SPACES = " \t\xa0\u3000"
"""Readers take white space from the ends of lines, and some cut there."""
SPACE_BEFORE_TEXT = re.compile(r"\s\S")
OTHERWISE = "the learner {use: hf, kind: bert-vocab, vocab: ...} reads the file as the library does"
PLAIN = (
    "the file does not say how text is prepared: an uncased BERT lower-cases it and strips accents"
    " before it cuts; the learner {use: hf, kind: bert-vocab, vocab: ...} does so too"
)
LOOK = Recognised(
    "the vocab.txt of BERT", (NAME,), readers=("{use: hf, kind: bert-vocab, vocab: ...}",)
)


class BertFormat(VocabularyFormat):
    """The `vocab.txt` of BERT."""

    def write(self, vocabulary: Vocabulary, inputs: ExportInput) -> Exported:
        """Write the tokens; an `[UNK]` is added as the last one where there is no unknown token.

        Raises InputError for marks and tokens that the lines cannot carry.
        """
        check_characters(vocabulary, NAME)
        use = vocabulary.segmenter.get("use")
        if use != "word" or vocabulary.marks != Marks():
            check_marks(vocabulary.marks, NAME, CARRIED)
        notes = []
        if vocabulary.unknown is None:
            vocabulary = with_unknown(vocabulary, NAME, UNKNOWN)
            notes.append(f"{UNKNOWN} added as id {vocabulary.unknown}: BERT needs an unknown token")
        elif (name := vocabulary.tokens[vocabulary.unknown]) != UNKNOWN:
            raise InputError(
                f"{NAME} calls the unknown token {UNKNOWN}; this vocabulary's is {name!r}"
            )
        tokens = spell_all(vocabulary, NAME, read_token, SPACES + LINE_ENDS)
        _check_special(vocabulary)
        if use not in ("wordpiece", "word"):
            notes.append(f"BERT cuts words by longest match, not by the segmenter {use!r}")
        if missing := [token for token in NEEDED if token not in vocabulary.ids]:
            notes.append(f"no {' and '.join(missing)}: some programs that read the file need them")
        if vocabulary.learned and use != "word":
            notes.append(
                f"the file has tokens only: {counted(len(vocabulary.learned), 'merge')} left out"
            )
        return Exported({"vocab.txt": "\n".join(tokens) + "\n"}, tuple(notes))

    def read(self, sources: Sequence[SourceFile]) -> Imported:
        """Read the tokens; how they were learned is not in the file.

        A token of white space keeps its id. Raises InputError, naming the line, for empty lines and
        tokens that stand twice, and where there is no `[UNK]`.
        """
        (source,) = sources
        places: dict[str, str] = {}
        for place, line in lines_of(source):
            token = line.rstrip() or line
            if not token or token != token.strip() != "":
                raise InputError(f"{place}: found {shown(line)}, expected a token; {OTHERWISE}")
            if token in places:
                first = places[token]
                raise InputError(f"{place}: {token!r} stands twice, first in {first}; {OTHERWISE}")
            places[token] = place
        if UNKNOWN not in places:
            raise InputError(f"{source.where}: there is no {UNKNOWN}: not a vocabulary of BERT")
        lines = tuple(places)
        vocabulary = Vocabulary(
            tokens=tuple(map(read_token, lines)),
            marks=MARKS,
            special=tuple(i for i, line in enumerate(lines) if SPECIAL.fullmatch(line)),
            unknown=lines.index(UNKNOWN),
            segmenter={"use": "wordpiece"},
        )
        return Imported(vocabulary, (PLAIN,))

    def recognise(self, data: bytes) -> Recognised | None:
        """Recognise tokens in which no text follows white space, one of them `[UNK]`."""
        lines = head_lines(data)
        return LOOK if UNKNOWN in lines and not any(map(SPACE_BEFORE_TEXT.search, lines)) else None


def read_token(line: str) -> str:
    """Read a token of the file; `##` alone is text, since a mark needs what it marks."""
    return line if line == PREFIX else MARKS.read(line)


def _check_special(vocabulary: Vocabulary) -> None:
    special = frozenset(vocabulary.special)
    for i, token in enumerate(vocabulary.tokens):
        named = bool(SPECIAL.fullmatch(token))
        if named != (i in special):
            what = "special" if named else "an ordinary token"
            raise InputError(f"{NAME} cannot carry the token {token!r}: there it is {what}")
