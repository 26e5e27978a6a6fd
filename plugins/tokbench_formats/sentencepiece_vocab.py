"""SentencePiece's `.vocab`: one piece a line, a tab and its score.

    <unk>	0
    ▁the	-3.2

Only pieces and scores: the `.model` beside such a file also holds the algorithm, normalisation and
the types of the pieces. `▁` at the beginning of a piece marks the beginning of a word, elsewhere it
is a space. Scores that are all written as whole numbers are BPE's, where the highest joined piece
is merged first; others are the logarithms of a Unigram model. Source: Kudo and Richardson (2018),
SentencePiece.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import isfinite

from tokbench.api import (
    BeginMark,
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
from tokbench.api.text import BOW
from tokbench_formats.carried import check_characters, check_marks, scores_of, spell_all
from tokbench_formats.merging import recovered
from tokbench_formats.reading import each_line_is, lines_of, shown

NAME = "sentencepiece-vocab"
SPACE = "▁"
UNKNOWN = "<unk>"
SPECIAL = re.compile(r"<[^<>\s]+>")
BYTE = re.compile(r"<0x([0-9A-F]{2})>")
MARKS = Marks(bow=BeginMark(kind="separate", text=SPACE))
CARRIED = {"bow": {"absent": None, "separate": SPACE}}
PIECE = re.compile(r"(\t|[^\t]+)\t-?\d+(\.\d+)?([eE][+-]?\d+)?")
LOOK = Recognised("pieces and scores of SentencePiece", (NAME,))
MODEL = Recognised(
    "a binary model of SentencePiece",
    hint="the learner `sentencepiece` reads it",
    readers=("{use: sentencepiece, path: ...}",),
)
LOST = "the file has pieces and scores only: no merges, no normalisation, no algorithm"


class SentencePieceFormat(VocabularyFormat):
    """The `.vocab` of SentencePiece."""

    def write(self, vocabulary: Vocabulary, inputs: ExportInput) -> Exported:
        """Write pieces and scores: those of a Unigram vocabulary, or else 0, -1, -2, ... by rank.

        Symbols of the alphabet come after all that is learned, as SentencePiece scores them for
        BPE. A decimal point distinguishes the scores of a Unigram vocabulary from ranks.
        Raises InputError for marks and tokens that the lines cannot carry.
        """
        check_characters(vocabulary, NAME)
        check_marks(vocabulary.marks, NAME, CARRIED)
        unproduced = vocabulary.unproduced
        for i, token in enumerate(vocabulary.tokens):
            named = bool(SPECIAL.fullmatch(token))
            if named != (i in unproduced or i in vocabulary.bytes):
                raise InputError(
                    f"{NAME} cannot carry the token {token!r:.80}: it would be read back as another"
                )
        spelled = spell_all(vocabulary, NAME, read_piece, "\t\n", SPACE)
        if (piece := _suffixed(spelled)) is not None:
            raise InputError(
                f"{NAME} cannot carry the token {piece!r:.80}, which ends with a space, where none"
                " begins a word: it would be read back as another"
            )
        rows = zip(spelled, _spelled_scores(vocabulary), strict=True)
        lines = [f"{piece}\t{score}\n" for piece, score in rows]
        return Exported({"spm.vocab": "".join(lines)}, (LOST,))

    def read(self, sources: Sequence[SourceFile]) -> Imported:
        """Read pieces and scores, for the segmenter `bpe` or `unigram` by what the scores are.

        Pieces in angle brackets are special, `<unk>` is the unknown token, `<0x00>` to `<0xFF>` are
        bytes. Raises InputError, naming the line, for anything that is no piece with its score.
        """
        (source,) = sources
        scores, ranked = _scored_pieces(source)
        vocabulary = _vocabulary(scores)
        vocabulary = _with_merges(vocabulary) if ranked else vocabulary
        why = (
            "BPE, since scores are all"
            if ranked
            else "Unigram, since scores are not all written as"
        )
        notes = [f"read as {why} whole numbers; normalisation is not in the file"]
        if vocabulary.bytes:
            use = vocabulary.segmenter["use"]
            notes.append(f"the segmenter {use!r} writes no bytes: what is unknown stays unknown")
        return Imported(vocabulary, tuple(notes))

    def recognise(self, data: bytes) -> Recognised | None:
        """Recognise lines of a piece and a score, and the `.model` beside them."""
        if b"\n\x05<unk>" in data[:64]:
            return MODEL
        return LOOK if each_line_is(PIECE, data) else None


def read_piece(piece: str) -> str:
    """Read a piece: `▁` at its beginning is the mark, later ones are spaces."""
    return MARKS.read(piece).replace(SPACE, " ")


def _scored_pieces(source: SourceFile) -> tuple[dict[str, float], bool]:
    """Return the score of each piece, and whether all are ranks."""
    scores: dict[str, float] = {}
    ranked = True
    for place, line in lines_of(source):
        piece, tab, score = line.rpartition("\t")
        if not tab or not piece or (number := _number(score)) is None:
            raise InputError(f"{place}: found {shown(line)}, expected a piece, a tab, a score")
        if piece in scores:
            raise InputError(f"{place}: {piece!r:.80} stands twice")
        scores[piece] = number
        ranked = ranked and _is_rank(score)
    if (wrong := _suffixed(scores)) is not None:
        raise InputError(
            f"{source.where}:{[*scores].index(wrong) + 1}: the piece {wrong!r:.80} ends with"
            f" {SPACE}, and none begins with it: the model was trained with"
            " treat_whitespace_as_suffix; expected the mark before words; the learner"
            " `sentencepiece` reads the `.model`"
        )
    return scores, ranked


def _suffixed(pieces: Collection[str]) -> str | None:
    """Return the first piece that ends with the mark, where none of several letters begins so."""
    longer = [piece for piece in pieces if piece.strip(SPACE)]
    if any(piece.startswith(SPACE) for piece in longer):
        return None
    return next((piece for piece in longer if piece.endswith(SPACE)), None)


def _vocabulary(scores: Mapping[str, float]) -> Vocabulary:
    """Build a Unigram vocabulary of pieces; those in angle brackets stand for no text."""
    pieces = tuple(scores)
    named = {i for i, piece in enumerate(pieces) if SPECIAL.fullmatch(piece)}
    tokens = tuple(p if i in named else read_piece(p) for i, p in enumerate(pieces))
    matches = {i: BYTE.fullmatch(pieces[i]) for i in sorted(named)}
    produced = [i for i in range(len(pieces)) if i not in named]
    return Vocabulary(
        tokens=tokens,
        marks=MARKS if any(tokens[i].startswith(BOW) for i in produced) else Marks(),
        special=tuple(i for i, byte in matches.items() if not byte and pieces[i] != UNKNOWN),
        unknown=pieces.index(UNKNOWN) if UNKNOWN in scores else None,
        bytes={i: int(byte[1], 16) for i, byte in matches.items() if byte},
        segmenter={"use": "unigram"},
        extra={"scores": {tokens[i]: scores[pieces[i]] for i in produced}},
    )


def _with_merges(vocabulary: Vocabulary) -> Vocabulary:
    """Find the merge that builds each piece for BPE: the highest joined piece is merged first."""
    scores = vocabulary.extra["scores"]
    order = sorted(scores, key=lambda token: -scores[token])
    items = recovered({token: rank for rank, token in enumerate(order)})
    return replace(
        vocabulary,
        alphabet=tuple(token for token in scores if len(token) == 1),
        # What isn't built of two parts is no merge.
        learned=tuple(item for item in items if len(item.parts) == 2),
        segmenter={"use": "bpe"},
    )


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _spelled_scores(vocabulary: Vocabulary) -> list[str]:
    """Spell the scores of a Unigram vocabulary with a decimal point, others as whole numbers.

    Where they are no ranks, those are 0, -1, -2, ... by rank, then the letters that nothing builds.
    """
    scores = scores_of(vocabulary, NAME)
    if scores is not None and _is_unigram(vocabulary):
        return [_pointed(score) for score in scores]
    if scores is None or not all(score.is_integer() for score in scores):
        return [str(rank) for rank in _by_rank(vocabulary)]
    return [str(int(score)) for score in scores]


def _is_rank(spelled: str) -> bool:
    """Return whether a score is spelled as a whole number; ranks from a million on are -1e+06."""
    return "." not in spelled and float(spelled).is_integer()


def _by_rank(vocabulary: Vocabulary) -> list[int]:
    unranked = vocabulary.unproduced | set(vocabulary.bytes)
    learned = dict.fromkeys(vocabulary.products)
    others = [t for i, t in enumerate(vocabulary.tokens) if t not in learned and i not in unranked]
    ranks = {token: -rank for rank, token in enumerate([*learned, *others])}
    return [ranks.get(token, 0) for token in vocabulary.tokens]


def _is_unigram(vocabulary: Vocabulary) -> bool:
    """Return whether scores are logarithms; of SentencePiece's models only BPE's have merges."""
    use = vocabulary.segmenter.get("use")
    return use == "unigram" or (use != "bpe" and not vocabulary.learned)


def _pointed(score: float) -> str:
    """Write a score with a decimal point, which Python leaves out in 1e-05."""
    text = str(score)
    return text if "." in text else text.replace("e", ".0e")
