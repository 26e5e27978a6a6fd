"""The formats, by name: how each is written and read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tokbench.api import InputError, Vocabulary
from tokbench.interchange.bert_vocab import read_bert_vocab, write_bert_vocab
from tokbench.interchange.carried import check_characters, left_out
from tokbench.interchange.detect_format import detect_format
from tokbench.interchange.exchange import Exported, ExportInput, Imported, SourceFile, text_of
from tokbench.interchange.gpt2 import read_gpt2, write_gpt2
from tokbench.interchange.hf_read import read_hf
from tokbench.interchange.hf_write import write_hf
from tokbench.interchange.sentencepiece_vocab import (
    read_sentencepiece_vocab,
    write_sentencepiece_vocab,
)
from tokbench.interchange.subword_nmt import read_subword_nmt, write_subword_nmt
from tokbench.interchange.tiktoken import read_tiktoken, write_tiktoken
from tokbench.interchange.word_splits import read_word_splits, write_word_splits


@dataclass(frozen=True)
class Format:
    """How a format is written and read, and of how many files it is."""

    write: Callable[[Vocabulary, ExportInput], Exported]
    read: Callable[[Sequence[SourceFile]], Imported]
    files: int = 1


def _write_word_splits(vocabulary: Vocabulary, given: ExportInput) -> Exported:
    check_characters(vocabulary, "word-splits")
    text = write_word_splits(vocabulary, given.splits or ())
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InputError("word-splits cannot carry lone surrogates: they have no UTF-8")
    notes = left_out(vocabulary)
    if (use := vocabulary.segmenter.get("use")) != "bpe":
        notes.append(f"the file does not tell of the segmenter {use!r}: it is read back with bpe")
    return Exported({"vocab.txt": text}, tuple(notes))


def _read_word_splits(sources: Sequence[SourceFile]) -> Imported:
    (source,) = sources
    return Imported(read_word_splits(text_of(source), source.where))


FORMATS: Mapping[str, Format] = {
    "hf": Format(write_hf, read_hf),
    "gpt2": Format(write_gpt2, read_gpt2, files=2),
    "subword-nmt": Format(write_subword_nmt, read_subword_nmt),
    "tiktoken": Format(write_tiktoken, read_tiktoken),
    "sentencepiece-vocab": Format(write_sentencepiece_vocab, read_sentencepiece_vocab),
    "bert-vocab": Format(write_bert_vocab, read_bert_vocab),
    "word-splits": Format(_write_word_splits, _read_word_splits),
}


def import_files(sources: Sequence[SourceFile], name: str) -> Imported:
    """Read files of a format; raises InputError where they look like another one, or are wrong."""
    form = FORMATS[name]
    if len(sources) != form.files:
        raise InputError(f"{name} is {form.files} files, found {len(sources)}")
    for source in sources:
        seen = detect_format(source.data)
        if seen is not None and name not in seen.formats:
            raise InputError(
                f"{source.where}: this looks like {seen.what}, not {name}: {seen.hint}"
            )
    try:
        return form.read(sources)
    except ValueError as error:
        # The vocabulary itself refuses, for example, two lines that are the same token.
        where = " and ".join(source.where for source in sources)
        raise InputError(f"{where}: {error}") from None
