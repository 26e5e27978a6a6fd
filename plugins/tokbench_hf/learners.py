"""The trainers of the library as learners; each default that changes results is an option."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from tokbench.api import Learner, Size, SizeError, Vocabulary
from tokbench.api.text import BYTE_LETTERS
from tokbench_hf import NeedsTokenizers


def _in_brackets(token: str) -> str:
    """Refuse a token that a trainer may build from words."""
    if (token[:1], token[-1:]) not in (("[", "]"), ("<", ">")):
        raise ValueError(f"found {token!r}, expected a token in brackets, as [UNK] or <unk>")
    return token


Unknown = Annotated[str, AfterValidator(_in_brackets)]
PairCount = Annotated[int, Field(ge=0, description="the least count of a pair that is merged")]
LetterLimit = Annotated[
    int | None, Field(ge=1, description="keep so many characters, the most frequent ones")
]
Letters = Annotated[str, Field(description="characters that are known in any case")]


class HfTrainer(NeedsTokenizers, Learner):
    """The common part of the four trainers."""

    kind: ClassVar[str]
    """The model's name in the library."""

    of_model: ClassVar[frozenset[str]] = frozenset()
    """The options that the library's model takes; its trainer takes the others."""

    @property
    def spelling(self) -> Literal["byte-level", "metaspace"] | None:
        """How words are spelled for the model: as bytes, with `▁` before them, or as they are."""
        return None

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Learn with the library, whose size also counts the token for unknown text.

        Raises SizeError where the vocabulary cannot be so small, and InputError for more words than
        the trainer can count.
        """
        # The library stays off the start-up path.
        from tokbench_hf.training import train

        trainer = self.model_dump(exclude_none=True)
        trainer.pop("metaspace", None)  # that of words, not of the trainer
        unknown = trainer.get("unk_token")
        trainer["special_tokens"] = [] if unknown is None else [unknown]
        trainer["initial_alphabet"] = self.characters(trainer["initial_alphabet"])
        model = {name: trainer.pop(name) for name in self.of_model & trainer.keys()}
        vocabulary = train(self.kind, model, trainer, self.spelling, words, size)
        if size.total is not None and vocabulary.size > size.total:
            raise SizeError(
                f"size {size} is below the alphabet of {vocabulary.size}", vocabulary.size
            )
        return vocabulary

    def characters(self, initial_alphabet: str) -> list[str]:
        """Return the characters that are known in any case, as the option says."""
        return sorted(set(initial_alphabet))


class HfBpe(HfTrainer):
    """Train the BPE model of the library on words, by default without affixes, as its trainer does.

    With an affix or a limited alphabet the merges differ from run to run: the library then decides
    ties by the order of a hash table.
    """

    kind: ClassVar[str] = "BPE"
    of_model: ClassVar = frozenset({"unk_token", "fuse_unk"})

    unk_token: Unknown | None = Field(
        "[UNK]",
        description="the token for unknown characters, in brackets; none drops them",
    )
    fuse_unk: bool = Field(False, description="write neighbouring unknown characters as one token")
    min_frequency: PairCount = 0
    limit_alphabet: LetterLimit = None
    initial_alphabet: Letters = ""
    continuing_subword_prefix: str | None = Field(
        None, min_length=1, description="the mark of what does not begin a word"
    )
    end_of_word_suffix: str | None = Field(
        None, min_length=1, description="the mark at the end of a word"
    )
    max_token_length: int | None = Field(
        None, ge=1, description="the most characters that a merged token has"
    )

    @property
    def deterministic(self) -> bool:
        """Only where no hash table decides ties.

        Without these options tokens are numbered by code point. With one of them a hash table
        numbers them, and two runs in four differed.
        """
        by_hash_table = (
            self.continuing_subword_prefix,
            self.end_of_word_suffix,
            self.limit_alphabet,
        )
        return all(option is None for option in by_hash_table)

    @property
    def order_free(self) -> bool:
        """Characters are sorted by code point, and ties of pairs go by their numbers."""
        return self.deterministic


class HfByteBpe(HfTrainer):
    """Train the BPE model of the library on the UTF-8 bytes of words, as GPT-2's was.

    Words have no space before them here. If all bytes are known, no text is unknown.
    """

    kind: ClassVar[str] = "BPE"

    min_frequency: PairCount = 0
    initial_alphabet: Literal["bytes", "seen"] = Field(
        "bytes", description="know all 256 `bytes`, or only those `seen` in the training text"
    )
    max_token_length: int | None = Field(
        None, ge=1, description="the most bytes that a merged token has"
    )

    order_free: ClassVar[bool] = True  # bytes are sorted, and ties of pairs go by their numbers
    spelling: ClassVar[Literal["byte-level"]] = "byte-level"

    def characters(self, initial_alphabet: str) -> list[str]:
        """Return the letters of all bytes, or none, as the option says."""
        return [*BYTE_LETTERS.values()] if initial_alphabet == "bytes" else []


class HfWordPiece(HfTrainer):
    """Train the WordPiece model of the library: merges by count as BPE, then longest match.

    Two runs give different vocabularies: ties are decided by the order of a hash table.
    """

    kind: ClassVar[str] = "WordPiece"
    of_model: ClassVar = frozenset({"unk_token", "max_input_chars_per_word"})

    unk_token: Unknown = Field("[UNK]", description="the token for unknown words, in brackets")
    max_input_chars_per_word: int = Field(
        100, ge=1, description="longer words are unknown, as a whole"
    )
    min_frequency: PairCount = 0
    limit_alphabet: LetterLimit = None
    initial_alphabet: Letters = ""
    continuing_subword_prefix: str = Field(
        "##", min_length=1, description="the mark of what does not begin a word"
    )

    deterministic: ClassVar[bool] = False  # the order of a hash table decides ties


class HfUnigram(HfTrainer):
    """Train the Unigram model of the library: expectation maximisation, pruning, best path.

    Two runs differ in the last digits of the scores, which can decide a tie in another way, and in
    the scores of rare characters: the characters that pruning left out are added again in the order
    of a hash table.
    """

    kind: ClassVar[str] = "Unigram"

    unk_token: Unknown = Field("<unk>", description="the token for unknown characters, in brackets")
    metaspace: bool = Field(True, description="write `▁` before each word")
    initial_alphabet: Letters = ""
    max_piece_length: int = Field(16, ge=1, description="the most characters that a token has")
    n_sub_iterations: int = Field(2, ge=1, description="rounds of estimating before each pruning")
    shrinking_factor: float = Field(
        0.75, gt=0, lt=1, description="the share of tokens that a pruning keeps"
    )
    seed_size: int = Field(1_000_000, ge=1, description="how many pieces pruning begins with")

    # Sums of fractions are taken in the order of a hash table.
    deterministic: ClassVar[bool] = False

    @property
    def spelling(self) -> Literal["metaspace"] | None:
        """Whether `▁` is written before each word."""
        return "metaspace" if self.metaspace else None

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Learn as the others do; merges there are none, so `learned` counts longer pieces.

        Raises SizeError too where the size is that of the characters alone: the trainer then
        overshoots.
        """
        letters = len(set(self.initial_alphabet).union(*words)) + self.metaspace
        total = letters + size.number if size.total is None else size.total
        if total < letters:
            raise SizeError(f"size {size} is below the alphabet of {letters}", letters + 1)
        try:
            return super().learn(words, Size(total=total))
        except SizeError as error:
            if size.total is None:
                return super().learn(words, Size(total=letters + 1))
            raise SizeError(str(error), letters + 1) from None
