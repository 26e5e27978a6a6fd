"""Tokenizers of the library that have a name: GPT-2 and BERT."""

from collections.abc import Mapping
from typing import ClassVar

from tokbench_ready_made.published import PublishedFile, PublishedTokenizer

from tokbench.api import Vocabulary
from tokbench_hf.ready import Hf
from tokbench_hf.segmenters import EXTRA_NEEDED, MODULES, VERSIONS

OPENAI = "https://openaipublic.blob.core.windows.net/gpt-2/encodings/main"
GOOGLE = "https://huggingface.co/google-bert/bert-base-uncased/resolve/main"


class Gpt2(PublishedTokenizer):
    """GPT-2's tokenizer, byte-level BPE, from its files `encoder.json` and `vocab.bpe`.

    Source: Radford et al. (2019), Language Models are Unsupervised Multitask Learners.
    """

    requires: ClassVar[str | None] = EXTRA_NEEDED
    requires_modules: ClassVar[tuple[str, ...]] = MODULES
    requires_version: ClassVar[Mapping[str, str]] = VERSIONS
    published: ClassVar = (
        PublishedFile(
            "encoder.json",
            "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
            f"{OPENAI}/encoder.json",
        ),
        PublishedFile(
            "vocab.bpe",
            "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
            f"{OPENAI}/vocab.bpe",
        ),
    )

    def load(self) -> Vocabulary:
        """Read the files."""
        vocab, merges = self.files
        return Hf(kind="gpt2", vocab=vocab, merges=merges).load()


class BertBaseUncased(PublishedTokenizer):
    """BERT's tokenizer of English in lower case, WordPiece, from its file `vocab.txt`.

    Source: Devlin et al. (2019), BERT.
    """

    requires: ClassVar[str | None] = EXTRA_NEEDED
    requires_modules: ClassVar[tuple[str, ...]] = MODULES
    requires_version: ClassVar[Mapping[str, str]] = VERSIONS
    published: ClassVar = (
        PublishedFile(
            "vocab.txt",
            "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
            f"{GOOGLE}/vocab.txt",
        ),
    )

    def load(self) -> Vocabulary:
        """Read the file."""
        (vocab,) = self.files
        return Hf(kind="bert-vocab", vocab=vocab).load()
