"""The trainers of the library as learners; each default that changes results is an option."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from tokbench.api import Learner, Size, SizeError, Vocabulary
from tokbench_hf.segmenters import EXTRA_NEEDED, MODULES, VERSIONS


class HfTrainer(Learner):
    """The common part of the four trainers.

    Words have at most 10,000 characters, since trainers take time with the square of that.
    """

    requires: ClassVar[str | None] = EXTRA_NEEDED
    requires_modules: ClassVar[tuple[str, ...]] = MODULES
    requires_version: ClassVar[Mapping[str, str]] = VERSIONS

    kind: ClassVar[str]
    """The model's name in the library."""

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Learn with the library, whose size also counts the token for unknown text.

        Raises SizeError where the vocabulary cannot be so small, and InputError for words that are
        too long or too many for the trainer or hold the text of the token for what is unknown.
        """
        # The library stays off the start-up path.
        from tokbench_hf.trained import trained

        vocabulary = trained(self.asked(), words, size)
        if size.total is not None and vocabulary.size > size.total:
            raise SizeError(
                f"size {size} is below the alphabet of {vocabulary.size}", vocabulary.size
            )
        return vocabulary

    def asked(self) -> dict[str, Any]:
        """Return the options of model and trainer as the library names them."""
        unknown = getattr(self, "unk_token", None)
        return {
            "kind": self.kind,
            "spelling": None,
            "model": {"unk_token": unknown} if unknown is not None else {},
            "trainer": {"special_tokens": [] if unknown is None else [unknown]},
        }


def _filled(**options: Any) -> dict[str, Any]:
    """Leave out options that are not set, which the library takes as no None."""
    return {name: value for name, value in options.items() if value is not None}


class HfBpe(HfTrainer):
    """Train the BPE model of the library on words, by default without affixes, as its trainer does.

    With an affix or a limited alphabet the merges differ from run to run: the library then decides
    ties by the order of a hash table.
    """

    kind: ClassVar[str] = "BPE"

    unk_token: str | None = Field(
        "[UNK]",
        min_length=2,
        description="the token for unknown characters, in brackets or held by no word;"
        " none drops them",
    )
    fuse_unk: bool = Field(False, description="write neighbouring unknown characters as one token")
    min_frequency: int = Field(0, ge=0, description="the least count of a pair that is merged")
    limit_alphabet: int | None = Field(
        None, ge=1, description="keep so many characters, the most frequent ones"
    )
    initial_alphabet: str = Field("", description="characters that are known in any case")
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
        """Only where no hash table decides ties."""
        return (self.continuing_subword_prefix, self.end_of_word_suffix, self.limit_alphabet) == (
            None,
            None,
            None,
        )

    @property
    def order_free(self) -> bool:
        """Characters are sorted by code point, and ties of pairs go by their numbers."""
        return self.deterministic

    def asked(self) -> dict[str, Any]:
        """Return the options of model and trainer as the library names them."""
        asked = super().asked()
        affixes = _filled(
            continuing_subword_prefix=self.continuing_subword_prefix,
            end_of_word_suffix=self.end_of_word_suffix,
        )
        asked["model"] |= {"fuse_unk": self.fuse_unk, **affixes}
        asked["trainer"] |= {
            "min_frequency": self.min_frequency,
            "initial_alphabet": sorted(set(self.initial_alphabet)),
            **affixes,
            **_filled(limit_alphabet=self.limit_alphabet, max_token_length=self.max_token_length),
        }
        return asked


class HfByteBpe(HfTrainer):
    """Train the BPE model of the library on the UTF-8 bytes of words, as GPT-2's was.

    Words have no space before them here. If all bytes are known, no text is unknown.
    """

    kind: ClassVar[str] = "BPE"

    min_frequency: int = Field(0, ge=0, description="the least count of a pair that is merged")
    initial_alphabet: Literal["bytes", "seen"] = Field(
        "bytes", description="know all 256 `bytes`, or only those `seen` in the training text"
    )
    max_token_length: int | None = Field(
        None, ge=1, description="the most bytes that a merged token has"
    )

    @property
    def order_free(self) -> bool:
        """Bytes are sorted, and ties of pairs go by their numbers."""
        return True

    def asked(self) -> dict[str, Any]:
        """Return the options of model and trainer as the library names them."""
        asked = super().asked()
        asked["spelling"] = "byte-level"
        asked["trainer"] |= {
            "min_frequency": self.min_frequency,
            "initial_alphabet": "bytes" if self.initial_alphabet == "bytes" else [],
            **_filled(max_token_length=self.max_token_length),
        }
        return asked


class HfWordPiece(HfTrainer):
    """Train the WordPiece model of the library: merges by count as BPE, then longest match.

    Two runs give different vocabularies: ties are decided by the order of a hash table.
    """

    kind: ClassVar[str] = "WordPiece"

    unk_token: str = Field(
        "[UNK]",
        min_length=2,
        description="the token for unknown words, in brackets or held by no word",
    )
    max_input_chars_per_word: int = Field(
        100, ge=1, description="longer words are unknown, as a whole"
    )
    min_frequency: int = Field(0, ge=0, description="the least count of a pair that is merged")
    limit_alphabet: int | None = Field(
        None, ge=1, description="keep so many characters, the most frequent ones"
    )
    initial_alphabet: str = Field("", description="characters that are known in any case")
    continuing_subword_prefix: str = Field(
        "##", min_length=1, description="the mark of what does not begin a word"
    )

    @property
    def deterministic(self) -> bool:
        """The order of a hash table decides ties."""
        return False

    def asked(self) -> dict[str, Any]:
        """Return the options of model and trainer as the library names them."""
        asked = super().asked()
        prefix = {"continuing_subword_prefix": self.continuing_subword_prefix}
        asked["model"] |= {"max_input_chars_per_word": self.max_input_chars_per_word}
        asked["trainer"] |= {
            "min_frequency": self.min_frequency,
            "initial_alphabet": sorted(set(self.initial_alphabet)),
            **prefix,
            **_filled(limit_alphabet=self.limit_alphabet),
        }
        return asked


class HfUnigram(HfTrainer):
    """Train the Unigram model of the library: expectation maximisation, pruning, best path.

    Two runs differ in the last digits of the scores, which can decide a tie in another way, and in
    the scores of rare characters: the characters that pruning left out are added again in the order
    of a hash table.
    """

    kind: ClassVar[str] = "Unigram"

    unk_token: str = Field(
        "<unk>",
        min_length=2,
        description="the token for unknown characters, in brackets or held by no word",
    )
    metaspace: bool = Field(True, description="write `▁` before each word")
    initial_alphabet: str = Field("", description="characters that are known in any case")
    max_piece_length: int = Field(16, ge=1, description="the most characters that a token has")
    n_sub_iterations: int = Field(2, ge=1, description="rounds of estimating before each pruning")
    shrinking_factor: float = Field(
        0.75, gt=0, lt=1, description="the share of tokens that a pruning keeps"
    )
    seed_size: int = Field(1_000_000, ge=1, description="how many pieces pruning begins with")

    @property
    def deterministic(self) -> bool:
        """Sums of fractions are taken in the order of a hash table."""
        return False

    def asked(self) -> dict[str, Any]:
        """Return the options of model and trainer as the library names them."""
        asked = super().asked()
        asked["model"] = {}
        asked["spelling"] = "metaspace" if self.metaspace else None
        asked["trainer"] |= {
            "unk_token": self.unk_token,
            "initial_alphabet": sorted(set(self.initial_alphabet)),
            "max_piece_length": self.max_piece_length,
            "n_sub_iterations": self.n_sub_iterations,
            "shrinking_factor": self.shrinking_factor,
            "seed_size": self.seed_size,
        }
        return asked

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
