"""Ready-made tokenizers of the library, from files; GPT-2 and BERT also by name.

The files of BERT, GPT-2 and RoBERTa become the tokenizer.json that they amount to.
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator
from tokbench_formats.gpt2 import read_merges
from tokbench_formats.hf_spelling import TokenizerJson
from tokbench_formats.reading import document_of, lines_of, tokens_of
from tokbench_ready_made.published import PublishedFile, PublishedTokenizer

from tokbench.api import BYTE_LETTERS, InputError, InputFile, Learner, Reads, SourceFile, Vocabulary
from tokbench_hf import NeedsTokenizers
from tokbench_hf.document import load, parse
from tokbench_hf.mapping import vocabulary

NEEDED = {
    "tokenizer-json": ("path",),
    "bert-vocab": ("vocab",),
    "gpt2": ("vocab", "merges"),
    "roberta": ("vocab", "merges"),
}
BERT_ONLY = ("lowercase", "strip_accents", "handle_chinese_chars", "clean_text")
BERT_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
ROBERTA_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
GPT2_SPECIAL = ("<|endoftext|>",)
OPENAI = "https://openaipublic.blob.core.windows.net/gpt-2/encodings/main"
GOOGLE = "https://huggingface.co/google-bert/bert-base-uncased/resolve/main"


class Hf(NeedsTokenizers, Learner):
    """Read a tokenizer that was trained elsewhere, from files on disk: nothing is downloaded."""

    kind: Literal["tokenizer-json", "bert-vocab", "gpt2", "roberta"] = Field(
        description="what the files are: a `tokenizer-json` (`path`), BERT's `vocab`, or the"
        " `vocab` (encoder.json) and `merges` (vocab.bpe) of `gpt2` or `roberta`",
    )
    path: InputFile | None = Field(None, description="the file tokenizer.json")
    vocab: InputFile | None = Field(
        None, description="the vocabulary: a token a line (BERT), or JSON (GPT-2, RoBERTa)"
    )
    merges: InputFile | None = Field(None, description="the merges, a pair a line")
    add_prefix_space: bool = Field(
        False, description="gpt2, roberta: write a space before a line that begins without one"
    )
    lowercase: bool = Field(True, description="bert-vocab: write all text in lower case")
    strip_accents: bool | None = Field(
        None, description="bert-vocab: take accents off letters; not set, it is as `lowercase`"
    )
    handle_chinese_chars: bool = Field(
        True, description="bert-vocab: cut before and after each Chinese character"
    )
    clean_text: bool = Field(
        True, description="bert-vocab: drop control characters, and write white space as spaces"
    )

    @model_validator(mode="after")
    def _check_files(self) -> Self:
        needed = NEEDED[self.kind]
        for name in ("path", "vocab", "merges"):
            named = getattr(self, name) is not None
            if named != (name in needed):
                fault = f"has no file `{name}`" if named else f"needs the file `{name}`"
                raise ValueError(f"kind: {self.kind} {fault}")
        foreign: tuple[str, ...] = () if self.kind == "bert-vocab" else BERT_ONLY
        foreign += () if self.kind in ("gpt2", "roberta") else ("add_prefix_space",)
        for name in foreign:
            if getattr(self, name) != type(self).model_fields[name].default:
                raise ValueError(f"kind: {self.kind} has no option `{name.replace('_', '-')}`")
        return self

    @property
    def reads(self) -> Reads:
        """There is nothing to learn from."""
        return "nothing"

    def load(self) -> Vocabulary:
        """Read the files; raises InputError for files of another kind, or damaged ones."""
        # Which of the files are there was checked with the options.
        sources = [SourceFile(str(file.path), file.read_bytes()) for file in self.files]
        if self.kind == "tokenizer-json":
            document = parse(sources[0])
        elif self.kind == "bert-vocab":
            document = self._bert(sources[0])
        else:
            document = self._byte_level(*sources)
        return vocabulary(document, load(document, sources[0].where), "hf", declares=True)

    def _bert(self, vocab: SourceFile) -> TokenizerJson:
        """Read a token a line; the number of the line, from 0, is the id.

        Source: Devlin et al. (2019), the code of BERT (`BasicTokenizer`, `WordpieceTokenizer`).
        """
        ids = {line.rstrip(): number for number, (_, line) in enumerate(lines_of(vocab))}
        if "[UNK]" not in ids:
            raise InputError(
                f"{vocab.where}: no token [UNK] in {len(ids)} lines, expected a vocabulary of BERT"
            )
        normalizer = {
            "type": "BertNormalizer",
            "clean_text": self.clean_text,
            "handle_chinese_chars": self.handle_chinese_chars,
            "strip_accents": self.strip_accents,
            "lowercase": self.lowercase,
        }
        model = {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": ids,
        }
        decoder = {"type": "WordPiece", "prefix": "##", "cleanup": True}
        return _document(model, normalizer, {"type": "BertPreTokenizer"}, decoder, BERT_SPECIAL)

    def _byte_level(self, vocab: SourceFile, merges: SourceFile) -> TokenizerJson:
        """Source: Radford et al. (2019), the code of GPT-2 (`encoder.py`)."""
        tokens = tokens_of(document_of(vocab), vocab.where)
        ids = {token: i for i, token in enumerate(tokens)}
        if missing := [letter for letter in BYTE_LETTERS.values() if letter not in ids]:
            raise InputError(
                f"{vocab.where}: no token for {len(missing)} of the 256 bytes, as {missing[0]!r};"
                f" expected the vocabulary of a byte-level tokenizer (kind: {self.kind})"
            )
        self._check_kind(vocab, ids)
        model = {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": "",
            "end_of_word_suffix": "",
            "fuse_unk": False,
            "byte_fallback": False,
            "vocab": ids,
            "merges": _all_merges(merges, vocab, ids),
        }
        bytewise = {
            "type": "ByteLevel",
            "add_prefix_space": self.add_prefix_space,
            "trim_offsets": False,
            "use_regex": True,
        }
        special = ROBERTA_SPECIAL if self.kind == "roberta" else GPT2_SPECIAL
        return _document(model, None, bytewise, bytewise, special)

    def _check_kind(self, vocab: SourceFile, ids: Mapping[str, int]) -> None:
        """Raise InputError for GPT-2's vocabulary instead of RoBERTa's, or the other way round."""
        roberta = {"<s>", "</s>", "<unk>"} <= ids.keys()
        if self.kind == "roberta" and not roberta:
            raise InputError(f"{vocab.where}: no tokens <s>, </s> and <unk>, expected kind: gpt2")
        if self.kind == "gpt2" and roberta and "<|endoftext|>" not in ids:
            raise InputError(
                f"{vocab.where}: tokens <s>, </s> and <unk>, no <|endoftext|>: expected kind:"
                " roberta"
            )


def _all_merges(
    merges: SourceFile, vocab: SourceFile, ids: Mapping[str, int]
) -> list[tuple[str, str]]:
    """Read the merges; refuse those that leave more unbuilt than a few tokens added by hand."""
    pairs = read_merges(merges, ids, vocab.where)
    built = {left + right for left, right in pairs}
    unbuilt = sum(len(token) > 1 and token not in built for token in ids)
    if unbuilt > 100 and unbuilt > len(ids) // 100:
        raise InputError(
            f"{merges.where}: its {len(pairs)} merges leave {unbuilt} tokens of {vocab.where}"
            " unbuilt: cut off, or those of another vocabulary?"
        )
    return pairs


def _document(
    model: Mapping[str, Any],
    normalizer: Mapping[str, Any] | None,
    pre_tokenizer: Mapping[str, Any],
    decoder: Mapping[str, Any],
    special: Iterable[str],
) -> TokenizerJson:
    """Put a tokenizer.json together; special tokens are those that the vocabulary has."""
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    added = [
        {"id": model["vocab"][token], "content": token, **flags, "special": True}
        for token in special
        if token in model["vocab"]
    ]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": sorted(added, key=lambda token: token["id"]),
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": None,
        "decoder": decoder,
        "model": model,
    }


class Gpt2(NeedsTokenizers, PublishedTokenizer):
    """GPT-2's tokenizer, byte-level BPE, from its files `encoder.json` and `vocab.bpe`.

    Source: Radford et al. (2019), Language Models are Unsupervised Multitask Learners.
    """

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


class BertBaseUncased(NeedsTokenizers, PublishedTokenizer):
    """BERT's tokenizer of English in lower case, WordPiece, from its file `vocab.txt`.

    Source: Devlin et al. (2019), BERT.
    """

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
