"""The learners: the library's two trainers, and model files from disk."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field
from tokbench_ready_made import ReadyMade

from tokbench.api import InputFile, Learner, Size, Vocabulary
from tokbench_sentencepiece import NeedsSentencePiece

# One meta piece, <unk>, which is not in |V|; <s>, </s> and <pad> would only take up ids.
_META = {"unk_id": 0, "bos_id": -1, "eos_id": -1, "pad_id": -1}


class SentencePiece(NeedsSentencePiece, ReadyMade):
    """Load a SentencePiece model file (`.model`), of any kind: Unigram, BPE, words, characters."""

    path: InputFile = Field(description="the model file, which SentencePiece names `.model`")

    def load(self) -> Vocabulary:
        """Read the model; raises InputError where it is damaged, cut short or of another kind."""
        # The library is loaded only when there is work to do.
        from tokbench_sentencepiece.model import vocabulary_of

        return vocabulary_of(self.path.read_bytes(), str(self.path.path), declares=True)


class ModelTrainer(NeedsSentencePiece, Learner):
    """The common part of both trainers: every default that changes results is an option."""

    model_type: ClassVar[str]

    read: Literal["words", "lines"] = Field(
        "words",
        description="learn from counted scoring `words`, each a line of its own; or from whole"
        " `lines`, which SentencePiece splits itself",
    )
    normalisation: Literal["identity", "nfkc", "nfkc_cf", "nmt_nfkc", "nmt_nfkc_cf"] = Field(
        "identity",
        description="how text is changed before it is cut, in training and ever after; the"
        " library's default is `nmt_nfkc`, which would normalise for this system alone",
    )
    character_coverage: float = Field(
        1.0,
        ge=0.98,
        le=1,
        description="share of the running characters that are known; the library's default is"
        " 0.9995, which would leave rare letters unknown that other learners know",
    )
    byte_fallback: bool = Field(
        False, description="cut unknown characters into 256 byte tokens, which count in the size"
    )
    hard_vocab_limit: bool = Field(
        False,
        description="refuse a size that the text is too small for, as the library does by default,"
        " instead of learning a smaller vocabulary",
    )
    add_dummy_prefix: bool = Field(
        True, description="put a space before each line, so that words that begin one have their ▁"
    )
    remove_extra_whitespaces: bool = Field(
        False,
        description="remove spaces at both ends of a line and all but one of several, as the"
        " library does by default",
    )
    split_by_whitespace: bool = Field(True, description="keep tokens from spanning spaces")
    split_by_unicode_script: bool = Field(
        True, description="keep tokens from joining letters of two scripts"
    )
    split_by_number: bool = Field(True, description="keep tokens from joining digits and letters")
    split_digits: bool = Field(False, description="make each digit a token")
    treat_whitespace_as_suffix: bool = Field(
        False, description="write ▁ at the end of words instead of before them"
    )
    allow_whitespace_only_pieces: bool = Field(
        False, description="learn tokens of several spaces too"
    )
    max_piece_length: int = Field(16, ge=1, le=512, description="the most characters of a token")
    num_threads: int = Field(
        1,
        ge=1,
        le=1024,
        description="threads of the trainer; with more threads Unigram learns other tokens",
    )

    @property
    def reads(self) -> Literal["words", "lines"]:
        """The text that it learns from, as the option `read` says."""
        return self.read

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Train on counted words.

        Raises SizeError below the characters to be known, InputError where there are none, and what
        the trainer raises.
        """
        # The library is loaded only when there is work to do.
        from tokbench_sentencepiece.training import rows_of_words

        return self._learn(rows_of_words(words), "tsv", size)

    def learn_lines(self, lines: Iterable[str], size: Size) -> Vocabulary:
        """Train on lines; raises as `learn` does."""
        from tokbench_sentencepiece.training import rows_of_lines

        return self._learn(rows_of_lines(lines), "text", size)

    def _learn(self, rows: Iterable[str], form: str, size: Size) -> Vocabulary:
        from tokbench_sentencepiece.model import vocabulary_of
        from tokbench_sentencepiece.training import train

        model = train(rows, {**self._options(), "input_format": form}, size)
        return vocabulary_of(model, "the trained model")

    def _options(self) -> dict[str, Any]:
        """Return the trainer's options by its own names."""
        ours = {"read", "normalisation", "max_piece_length"}
        return {
            **self.model_dump(exclude=ours),
            "model_type": self.model_type,
            "normalization_rule_name": self.normalisation,
            "max_sentencepiece_length": self.max_piece_length,
            "max_sentence_length": 2**30,  # longer lines are left out
            "input_sentence_size": 0,
            "minloglevel": 2,
            **_META,
        }


class SentencePieceBpe(ModelTrainer):
    """Learn BPE with SentencePiece: merges of characters, with ▁ at the beginning of a word.

    Source: Kudo and Richardson (2018), SentencePiece: A simple and language independent subword
    tokenizer and detokenizer for Neural Text Processing. Of equally frequent pairs the shorter is
    merged first; of equally long ones, the first by spelling. Each size is trained separately.
    """

    model_type: ClassVar[str] = "bpe"

    order_free: ClassVar[bool] = True  # counts and spelling decide


class SentencePieceUnigram(ModelTrainer):
    """Learn a Unigram language model with SentencePiece: prune the tokens whose loss costs least.

    Source: Kudo (2018), Subword Regularization: Improving Neural Network Translation Models with
    Multiple Subword Candidates. Trained on `words`, the first, large set of tokens is chosen from
    distinct words, whatever their counts; on `lines`, from running text.
    """

    model_type: ClassVar[str] = "unigram"

    seed_size: int = Field(
        1_000_000, ge=1, description="how many tokens to begin with, before pruning"
    )
    shrinking_factor: float = Field(
        0.75, ge=0.5, le=0.95, description="share of the tokens that each round of pruning keeps"
    )
    sub_iterations: int = Field(
        2, ge=1, le=10, description="rounds of expectation and maximisation before each pruning"
    )

    def _options(self) -> dict[str, Any]:
        options = super()._options()
        options["seed_sentencepiece_size"] = options.pop("seed_size")
        options["num_sub_iterations"] = options.pop("sub_iterations")
        return options
