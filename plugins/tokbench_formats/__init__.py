"""The files in which other programs keep their vocabularies."""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_formats() -> Mapping[str, str]:
    """Offer the formats of the programs that people use, and word splits."""
    return {
        "hf": "tokbench_formats.hf:HfFormat",
        "gpt2": "tokbench_formats.gpt2:Gpt2Format",
        "subword-nmt": "tokbench_formats.subword_nmt:SubwordNmtFormat",
        "tiktoken": "tokbench_formats.tiktoken:TiktokenFormat",
        "sentencepiece-vocab": "tokbench_formats.sentencepiece_vocab:SentencePieceFormat",
        "bert-vocab": "tokbench_formats.bert_vocab:BertFormat",
        "word-splits": "tokbench_formats.word_splits:WordSplitsFormat",
    }
