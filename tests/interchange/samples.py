"""Vocabularies and words that several tests of formats share."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import regex
from tokbench_bpe.learner import Bpe
from tokbench_bpe.segmenters import BpeRank
from tokbench_commands.import_ import import_files
from tokbench_unigram.learner import Unigram
from tokbench_unigram.segmenter import UnigramBest
from tokbench_wordpiece.learner import WordPiece
from tokbench_wordpiece.segmenter import WordPieceMatch

from tokbench import plugins
from tokbench.api import (
    Exported,
    ExportInput,
    Imported,
    Segmenter,
    Size,
    SourceFile,
    Vocabulary,
    VocabularyFormat,
)
from tokbench.api.component import Use
from tokbench.api.text import to_bytes_text
from tokbench.corpora.splitters import PATTERNS, WORDS
from tokbench.interchange import build_format, export_files

REGISTRY = plugins.load()
FORMATS = [offer.name for offer in REGISTRY.offers if offer.kind == "format"]
LOW = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
HARD = "abc안ㄱé\u0301\u200d👩🏽‍\u0600ا</w>▁#@Ġ[]\u2028\x00\ufffe'"
"""Letters that formats, libraries or marks have a meaning for, or that are hard Unicode."""

SEGMENTERS: dict[str, type[Segmenter]] = {
    "bpe": BpeRank,
    "byte-bpe": BpeRank,
    "unigram": UnigramBest,
    "wordpiece": WordPieceMatch,
}


def words_of(path: Path) -> Counter[str]:
    """Count the words of a text as the splitter `words` finds them."""
    return Counter(regex.findall(WORDS, path.read_text("utf-8")))


def bpe(words: Mapping[str, int], merges: int, **options: Any) -> Vocabulary:
    """Learn BPE."""
    return Bpe.configure(**options).learn(words, Size(learned=merges))


def wordpiece(words: Mapping[str, int], merges: int, **options: Any) -> Vocabulary:
    """Learn WordPiece."""
    return WordPiece.configure(**options).learn(words, Size(learned=merges))


def unigram(words: Mapping[str, int], pieces: int, **options: Any) -> Vocabulary:
    """Learn a Unigram model."""
    return Unigram.configure(**options).learn(words, Size(learned=pieces))


def byte_bpe(words: Mapping[str, int], merges: int) -> Vocabulary:
    """Learn BPE on bytes, all 256 of them in the alphabet."""
    spelled = {to_bytes_text(word): count for word, count in words.items()}
    learned = bpe(spelled, merges, eow="absent").learned
    letters = [chr(byte) for byte in range(256)]
    return Vocabulary.build(letters, learned, units="bytes", segmenter={"use": "bpe"})


def ids_of(vocabulary: Vocabulary, words: Iterable[str], unknown: int = -1) -> list[list[int]]:
    """Cut words with the vocabulary's own segmenter; what is unknown has the id `unknown`."""
    segmenter = SEGMENTERS[vocabulary.segmenter["use"]]()
    prepared = segmenter.prepare(vocabulary)
    apart = vocabulary.unproduced
    cuts = []
    for word in words:
        tokens = segmenter.segment(word, prepared)
        names = [token if isinstance(token, str) else token[0] for token in tokens]
        ids = [vocabulary.ids.get(str(name), unknown) for name in names]
        cuts.append([unknown if i in apart else i for i in ids])
    return cuts


def splits_of(vocabulary: Vocabulary, words: Mapping[str, int]) -> list[tuple[list[str], int]]:
    """Cut counted words into known tokens."""
    cuts = ids_of(vocabulary, words)
    return [
        ([vocabulary.tokens[i] for i in cut], n)
        for cut, n in zip(cuts, words.values(), strict=True)
    ]


def with_options(form: str, **options: Any) -> VocabularyFormat:
    """Build a format that has these options."""
    built = REGISTRY.build("format", Use(use=form, **options))
    assert isinstance(built, VocabularyFormat)
    return built


def written(
    vocabulary: Vocabulary, form: str, splits: Sequence[Any] | None = None, **options: Any
) -> Exported:
    """Write a vocabulary in a format that has these options."""
    export_input = ExportInput(splits, PATTERNS, force=True)
    return export_files(with_options(form, **options), form, vocabulary, export_input)


def export(vocabulary: Vocabulary, form: str, **options: Any) -> dict[str, str]:
    """Write a vocabulary in a format: the text of each file."""
    return dict(written(vocabulary, form, **options).files)


def notes(vocabulary: Vocabulary, form: str, **options: Any) -> Sequence[str]:
    """Return the notes of an export."""
    return written(vocabulary, form, **options).notes


def imported(form: str, *texts: str | bytes) -> Imported:
    """Read files of a format, called a, b and so on."""
    raws = (text.encode() if isinstance(text, str) else text for text in texts)
    return read([SourceFile(n, raw) for n, raw in zip("abc", raws, strict=False)], form)


def read(sources: Sequence[SourceFile], form: str) -> Imported:
    """Read files of a format."""
    return import_files(REGISTRY, build_format(REGISTRY, form), form, sources)


def again(vocabulary: Vocabulary, form: str, **options: Any) -> Vocabulary:
    """Write a vocabulary in a format and read it back."""
    return imported(form, *export(vocabulary, form, **options).values()).vocabulary


def uncounted(vocabulary: Vocabulary) -> Vocabulary:
    """Leave out the counts of merges, which no format has a place for."""
    return replace(vocabulary, learned=tuple(replace(i, count=None) for i in vocabulary.learned))
