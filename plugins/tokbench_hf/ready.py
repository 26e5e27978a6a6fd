"""Ready-made tokenizers of the library, from files; GPT-2 and BERT also by name.

The files of BERT, GPT-2 and RoBERTa become the tokenizer.json that they amount to.
"""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator
from tokbench_formats.gpt2 import read_merges
from tokbench_formats.reading import document_of, lines_of, tokens_of
from tokbench_ready_made import ReadyMade
from tokbench_ready_made.published import PublishedTokenizer

from tokbench.api import InputError, InputFile, SourceFile, Vocabulary
from tokbench.api.text import BYTE_LETTERS
from tokbench.printing import counted
from tokbench_hf import NeedsTokenizers
from tokbench_hf.document import load, parse
from tokbench_hf.hub import tokenizer_of
from tokbench_hf.mapping import vocabulary

if TYPE_CHECKING:
    from tokenizers import Tokenizer

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


class Hf(NeedsTokenizers, ReadyMade):
    """Read a tokenizer that was trained elsewhere, from files on disk or by its name on the hub.

    Only a `name` downloads anything: a tokenizer.json that the cache of huggingface_hub lacks. The
    record of a run has the commit as `revision`, and signatures the digest of the file.
    """

    kind: Literal["tokenizer-json", "bert-vocab", "gpt2", "roberta"] = Field(
        description="what the files are: a `tokenizer-json` (`path`), BERT's `vocab`, or the"
        " `vocab` (encoder.json) and `merges` (vocab.bpe) of `gpt2` or `roberta`",
    )
    path: InputFile | None = Field(None, description="the file tokenizer.json")
    name: str | None = Field(
        None,
        description="instead of `path`, a model of the Hugging Face hub, `org/model`: its"
        " tokenizer.json is read from the cache of huggingface_hub, or downloaded into it",
    )
    revision: str | None = Field(
        None, description="of `name`: a branch, a tag or a commit; by default `main`"
    )
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

    @model_validator(mode="before")
    @classmethod
    def _from_hub(cls, options: Any) -> Any:
        if not isinstance(options, dict) or not isinstance(name := options.get("name"), str):
            return options
        if "path" in options:
            raise ValueError("give either `name` or `path`")
        revision = options.get("revision")
        path = tokenizer_of(name, revision if isinstance(revision, str) else None)
        # A file of the cache stands in a folder with the name of its commit.
        file = InputFile(f"{name}/{path.name}", path)
        kind = {"kind": "tokenizer-json"}
        return {**kind, **options, "path": file, "revision": path.parent.name}

    @model_validator(mode="after")
    def _check_files(self) -> Self:
        if self.revision is not None and self.name is None:
            raise ValueError("`revision` goes with `name`")
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

    def describe(self, name: str) -> str:
        """Describe it without the commit: the digest of its file says which it is."""
        return super(Hf, self.model_copy(update={"revision": None})).describe(name)

    def load(self) -> Vocabulary:
        """Read the files; raises InputError for files of another kind, or damaged ones."""
        # Which of the files are there was checked with the options.
        sources = [SourceFile(str(file.path), file.read_bytes()) for file in self.files]
        if self.kind == "tokenizer-json":
            document = parse(sources[0])
            return vocabulary(document, load(document, sources[0].where), "hf", declares=True)
        bert = self.kind == "bert-vocab"
        tokenizer = self._bert(*sources) if bert else self._byte_level(*sources)
        written = json.loads(tokenizer.to_str())
        if not bert:
            # So vocabularies keep their bytes, whatever defaults a version of the library writes.
            del written["model"]["ignore_merges"]
            written["decoder"] = written["pre_tokenizer"]
        return vocabulary(written, tokenizer, "hf", declares=True)

    def _bert(self, vocab: SourceFile) -> "Tokenizer":
        """Read a token a line; the number of the line, from 0, is the id.

        Source: Devlin et al. (2019), the code of BERT (`BasicTokenizer`, `WordpieceTokenizer`).
        """
        from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

        ids = {line.rstrip(): number for number, (_, line) in enumerate(lines_of(vocab))}
        if "[UNK]" not in ids:
            raise InputError(
                f"{vocab.where}: no token [UNK] in {counted(len(ids), 'line')}, expected a"
                " vocabulary of BERT"
            )
        tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(**self.model_dump(include={*BERT_ONLY}))
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.WordPiece()
        tokenizer.add_special_tokens([token for token in BERT_SPECIAL if token in ids])
        return tokenizer

    def _byte_level(self, vocab: SourceFile, merges: SourceFile) -> "Tokenizer":
        """Source: Radford et al. (2019), the code of GPT-2 (`encoder.py`)."""
        from tokenizers import Tokenizer, models, pre_tokenizers

        tokens = tokens_of(document_of(vocab), vocab.where)
        ids = {token: i for i, token in enumerate(tokens)}
        if missing := [letter for letter in BYTE_LETTERS.values() if letter not in ids]:
            raise InputError(
                f"{vocab.where}: no token for {len(missing)} of the 256 bytes, as {missing[0]!r};"
                f" expected the vocabulary of a byte-level tokenizer (kind: {self.kind})"
            )
        self._check_kind(vocab, ids)
        pairs = _all_merges(merges, vocab, ids)
        affixes = dict.fromkeys(("continuing_subword_prefix", "end_of_word_suffix"), "")
        tokenizer = Tokenizer(models.BPE(ids, pairs, **affixes))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(
            add_prefix_space=self.add_prefix_space, trim_offsets=False
        )
        special = ROBERTA_SPECIAL if self.kind == "roberta" else GPT2_SPECIAL
        tokenizer.add_special_tokens([token for token in special if token in ids])
        return tokenizer

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
            f"{merges.where}: of {vocab.where} {counted(unbuilt, 'token')} cannot be built by its"
            f" {counted(len(pairs), 'merge')}: cut off, or those of another vocabulary?"
        )
    return pairs


class Gpt2(NeedsTokenizers, PublishedTokenizer):
    """GPT-2's tokenizer, byte-level BPE, from its files `encoder.json` and `vocab.bpe`.

    Source: Radford et al. (2019), Language Models are Unsupervised Multitask Learners.
    """

    in_catalogue: ClassVar[str] = "gpt2"

    def load(self) -> Vocabulary:
        """Read the files."""
        vocab, merges = self.files
        return Hf(kind="gpt2", vocab=vocab, merges=merges).load()


class BertBaseUncased(NeedsTokenizers, PublishedTokenizer):
    """BERT's tokenizer of English in lower case, WordPiece, from its file `vocab.txt`.

    Source: Devlin et al. (2019), BERT.
    """

    in_catalogue: ClassVar[str] = "bert-base-uncased"

    def load(self) -> Vocabulary:
        """Read the file."""
        (vocab,) = self.files
        return Hf(kind="bert-vocab", vocab=vocab).load()
