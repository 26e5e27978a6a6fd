"""GPT-2's two files: `encoder.json`, token to id, and `vocab.bpe`, the merges by rank.

Bytes are spelled in letters: a space is `Ġ`. Tokens that are neither a byte nor built by a merge,
such as `<|endoftext|>`, are special.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence

from tokbench.api import (
    Exported,
    ExportInput,
    Imported,
    InputError,
    Learned,
    Recognised,
    SourceFile,
    Vocabulary,
    VocabularyFormat,
)
from tokbench.api.text import BYTE_LETTERS
from tokbench.printing import counted
from tokbench_formats.carried import (
    BYTE_BPE,
    check_bytes,
    check_pairs,
    check_parts,
    check_segmenter,
    notes_on_split,
    own_split,
)
from tokbench_formats.reading import (
    document_of,
    first_repeated,
    lines_of,
    parts_of,
    recognise_json,
    recognise_merges,
    tokens_of,
)

NAME = "gpt2"
BYTES = {ord(letter): byte for byte, letter in BYTE_LETTERS.items()}
SPLIT = "gpt2"
VERSION = "#version: 0.2"
SPECIAL = re.compile(r"<.*>|\[.*\]|madeupword\d+", re.DOTALL)
"""How special tokens are spelled by GPT-2, and by RoBERTa, which has the same files."""
ENCODER, MERGES = "encoder.json", "vocab.bpe"
TABLE = Recognised(
    "a table of token: id",
    (NAME,),
    "import it with its merges --from gpt2",
    ("{use: hf, kind: gpt2, vocab: ...}", "{use: hf, kind: roberta, vocab: ...}"),
)


def to_letters(token: str) -> str:
    """Spell a token whose characters are bytes.

    >>> to_letters(" the")
    'Ġthe'
    """
    return token.translate(BYTE_LETTERS)


def from_letters(spelled: str) -> str:
    """Read a spelled token; raises ValueError for a letter that stands for no byte."""
    if foreign := next((letter for letter in spelled if ord(letter) not in BYTES), None):
        raise ValueError(f"{foreign!r} stands for no byte")
    return spelled.translate(BYTES)


def spell_bytes(vocabulary: Vocabulary, form: str) -> list[str]:
    """Spell all tokens of bytes in id order, special ones as they are."""
    unproduced = vocabulary.unproduced
    spelled = [t if i in unproduced else to_letters(t) for i, t in enumerate(vocabulary.tokens)]
    if len({*spelled}) < len(spelled):
        raise InputError(f"{form} cannot carry a special token that is spelled as another token")
    return spelled


class Gpt2Format(VocabularyFormat):
    """The two files of GPT-2, and those of RoBERTa."""

    folder_names = ((ENCODER, MERGES), ("vocab.json", "merges.txt"))

    def write(self, vocabulary: Vocabulary, inputs: ExportInput) -> Exported:
        """Write both files.

        Raises InputError unless tokens are bytes, merges join two parts, and lines, if the
        segmenter cuts them, are split as GPT-2 splits them.
        """
        check_bytes(vocabulary, NAME)
        check_segmenter(vocabulary, NAME, BYTE_BPE)
        if (split := own_split(vocabulary)) not in (None, SPLIT):
            raise InputError(
                f"{NAME} cannot carry the split {split!r}: whoever reads the files splits lines by"
                f" {SPLIT!r}"
            )
        check_pairs(vocabulary, NAME)
        encoder = {token: i for i, token in enumerate(spell_bytes(vocabulary, NAME))}
        check_parts(vocabulary, NAME)
        merges = dict.fromkeys(" ".join(map(to_letters, item.parts)) for item in vocabulary.learned)
        notes = notes_on_split(vocabulary, SPLIT)
        if vocabulary.unknown is not None:
            name = vocabulary.tokens[vocabulary.unknown]
            notes.append(f"the file does not say that {name!r} is the unknown token")
        files = {ENCODER: json.dumps(encoder), MERGES: "\n".join([VERSION, *merges]) + "\n"}
        return Exported(files, tuple(notes))

    def read(self, sources: Sequence[SourceFile]) -> Imported:
        """Read both files, in either order; raises InputError for what is wrong, with the line."""
        encoder, table = sorted(
            sources, key=lambda source: not source.data.lstrip().startswith(b"{")
        )
        spelled = tokens_of(document_of(encoder), encoder.where)
        merges = read_merges(table, frozenset(spelled), encoder.where)
        if (twice := first_repeated(merges)) is not None:
            raise InputError(f"{table.where}: the merge {' '.join(twice)!r:.80} stands twice")
        built = {"".join(pair) for pair in merges}
        built.update(map(chr, BYTES))
        special = [i for i, token in enumerate(spelled) if token not in built]
        if odd := [spelled[i] for i in special if not SPECIAL.fullmatch(spelled[i])]:
            raise InputError(
                f"{table.where}: no merge builds {counted(len(odd), 'token')} of {encoder.where}, "
                f"such as {odd[0]!r:.80}: it is cut short, or they do not belong together"
            )
        plain = frozenset(special)
        tokens = [t if i in plain else from_letters(t) for i, t in enumerate(spelled)]
        vocabulary = Vocabulary(
            tokens=tuple(tokens),
            alphabet=tuple(token for token in tokens if len(token) == 1),
            learned=tuple(Learned(tuple(map(from_letters, pair))) for pair in merges),
            special=tuple(special),
            segmenter={"use": "byte-bpe", "split": SPLIT},
            units="bytes",
        )
        return Imported(vocabulary)

    def recognise(self, data: bytes) -> Recognised | None:
        """Recognise either file."""
        return recognise_merges(data) or recognise_json(data, _is_table, TABLE)


def _is_table(document: Mapping[str, object]) -> bool:
    return bool(document) and all(type(i) is int for i in document.values())


def read_merges(table: SourceFile, tokens: Collection[str], where: str) -> list[tuple[str, str]]:
    """Read a merge a line, after a line with the version that may be there.

    Raises InputError, naming the line, for a merge whose parts or product are not among the
    `tokens`, which the file `where` has.
    """
    return [
        _merge(line, place, tokens, where)
        for place, line in lines_of(table)
        if not line.startswith("#version:") or not place.endswith(":1")
    ]


def _merge(line: str, place: str, tokens: Collection[str], where: str) -> tuple[str, str]:
    left, right = parts_of(line, place)
    for token in (left, right, left + right):
        if token not in tokens:
            raise InputError(
                f"{place}: {token!r:.80} is no token of {where}: expected the merges of that"
                " vocabulary, whole"
            )
    try:
        from_letters(left + right)
    except ValueError as error:
        raise InputError(f"{place}: {line!r:.80}: {error}") from None
    return left, right
