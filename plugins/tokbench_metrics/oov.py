"""Out of vocabulary: four things that are often confused, each under its own name; round trip."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tokbench.api import Ratio
from tokbench.api.arrays import ones

if TYPE_CHECKING:
    from tokbench.api.arrays import Segmentation


class WordShare(Ratio):
    """The share of the words that `select` selects."""

    range = (0.0, 1.0)
    numerator = "selected"
    denominator = "words"

    @abstractmethod
    def select(self, segmentation: "Segmentation") -> Any:
        """Return for each state whether its word counts in the numerator."""

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count a state's word, and whether it is selected."""
        selected = self.select(segmentation).astype("int64")
        return {"selected": selected, "words": ones(len(segmentation))}


class RoundTrip(WordShare):
    """The share of running words that decoding their token ids gives back unchanged.

    Below 1 text is lost or altered, and every other number describes another text than the one
    shown: a gate, to be read first.
    """

    label = "words written exactly"
    evidence = (
        "No study relates it to the quality of a model, but text that is lost cannot be modelled."
    )
    family = "oov"
    better = "higher"
    formula = "running words with decode(ids) = word / running words"
    source = "known as lossless tokenization (Kudo and Richardson 2018, SentencePiece)"

    def select(self, segmentation: "Segmentation") -> Any:
        """Select the words that decoding restored."""
        return segmentation.round_trip


class UnseenWords(WordShare):
    """Words that never occur in the training text."""

    evidence = "No study is needed: it describes the two texts, and no tokenizer."
    family = "oov"
    needs = frozenset({"training"})
    source = "the out-of-vocabulary rate of word models (Jurafsky and Martin 2009)"

    def select(self, segmentation: "Segmentation") -> Any:
        """Select the words with a training count of 0."""
        return segmentation.words.unseen[segmentation.word]


class UnseenWordsRunning(UnseenWords):
    """The share of running words that never occur in the training text.

    It describes how far the test text is from the training text, not a tokenizer: every system
    with the same words has the same value.
    """

    label = "unseen words"
    formula = "running words with training count 0 / running words"


class UnseenWordsDistinct(UnseenWords):
    """The share of distinct words that never occur in the training text.

    It describes how far the test text is from the training text, not a tokenizer; rare words weigh
    as much as frequent ones, so it grows with the length of the test text.
    """

    label = "unseen distinct words"
    unit = "word"
    formula = "distinct words with training count 0 / distinct words"


class OovWords(WordShare):
    """Words that this system cannot write with known tokens alone."""

    evidence = (
        "For: Sennrich et al. 2016 translate rare words better once subwords make all of them "
        "known; against: with bytes it is 0 for every tokenizer, good or bad."
    )
    family = "oov"
    better = "lower"
    source = "the out-of-vocabulary rate against the tokenizer's own vocabulary"

    def select(self, segmentation: "Segmentation") -> Any:
        """Select the words with a token that is not known, or with dropped text."""
        return segmentation.oov


class OovWordsRunning(OovWords):
    """The share of running words that hold a token that is not known, or whose text is dropped.

    Byte fallback brings it to 0 without any word being understood better: read it together with
    `single-characters` and `fertility`.
    """

    label = "words it cannot write"
    formula = "running words with an unknown token or dropped text / running words"


class OovWordsDistinct(OovWords):
    """The share of distinct words that hold a token that is not known, or whose text is dropped.

    Rare words weigh as much as frequent ones, so it exceeds the running share and grows with the
    length of the test text. In context a word that is cut in several ways counts in each of them
    by its share of the word's occurrences.
    """

    label = "distinct words it cannot write"
    unit = "word"
    formula = "distinct words with an unknown token or dropped text / distinct words"


class KeptWhole(WordShare):
    """Words that one known token writes without dropping anything; bare marks do not count."""

    evidence = (
        "For: Rust et al. 2021 find better models in languages whose tokenizers split fewer "
        "words; against: Schmidt et al. 2024 find no gain from fewer tokens at equal size."
    )
    family = "oov"
    better = "higher"

    def select(self, segmentation: "Segmentation") -> Any:
        """Select the words that are one known token."""
        return segmentation.kept_whole


class KeptWholeRunning(KeptWhole):
    """The share of running words that one known token writes; bare marks do not count.

    Also known as word coverage. It rises with the vocabulary whatever is learned: compare equal
    sizes. `continued-words` counts a word that is one unknown token as one piece; this does not.
    """

    label = "words kept as one token"
    evidence = (
        f"{KeptWhole.evidence[:-1]}; ours (docs/explanation/which-metric.md): among 23 systems on "
        "Shakespeare at 4,000 it ordered 35 of 84 separable pairs as the count model did (55 with "
        "Witten-Bell smoothing)."
    )
    formula = "running words that are one known token / running words"
    source = "known as word coverage"


class ContinuedWords(WordShare):
    """The share of running words that are cut into two tokens or more, known or not.

    A word that is one unknown token is not continued, so a tokenizer that knows few words looks
    good here: read `oov-words-running` first.
    """

    label = "split words"
    evidence = KeptWhole.evidence
    better = "lower"
    gated = True
    formula = "running words of two tokens or more / running words"
    source = "Rust et al. 2021, How Good is Your Tokenizer? (as PCW)"

    def select(self, segmentation: "Segmentation") -> Any:
        """Select the words of two tokens or more."""
        return segmentation.tokens > 1


class KeptWholeDistinct(KeptWhole):
    """The share of distinct words that one known token writes; bare marks do not count.

    Also known as STRR, the single token retention rate. It rises with the vocabulary whatever is
    learned: compare equal sizes. In context a word that is cut in several ways counts in each of
    them by its share of the word's occurrences.
    """

    label = "distinct words kept as one token"
    unit = "word"
    formula = "distinct words that are one known token / distinct words"
    source = "Nayeem et al. 2025, Beyond Fertility (as STRR, in per cent)"


class UnknownTokens(Ratio):
    """The share of tokens that are not known: without an id, or the vocabulary's `unknown`.

    One unknown token can hide a whole word, and dropped text leaves no token at all, so fewer is
    not better: read it together with `unknown-characters`.
    """

    label = "unknown tokens"
    evidence = (
        "No study relates it to the quality of a model: one unknown token can hide a letter or a "
        "whole word."
    )
    family = "oov"
    range = (0.0, 1.0)
    formula = "tokens that are not known / tokens"
    source = "known as the UNK rate"
    numerator = "unknown"
    denominator = "tokens"

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count the tokens of each state, and those not known."""
        return {"unknown": segmentation.unknown_tokens, "tokens": segmentation.tokens}


class UnknownCharacters(Ratio):
    """The share of characters that stand, wholly or in part, under no known token.

    Unlike `unknown-tokens` it sees dropped text, and how much text an unknown token swallows. A
    character under a known token and an unknown one counts as known: SentencePiece may cut ½ into
    `1 <unk> 2`. Its word still counts in `oov-words-running`.
    """

    label = "characters it cannot write"
    evidence = (
        "For: Pfeiffer et al. 2021 find that models suffer where a script is unknown to the "
        "tokenizer; no study of small shares is known."
    )
    family = "oov"
    better = "lower"
    range = (0.0, 1.0)
    formula = "characters not wholly under known tokens / characters"
    source = "1 - character coverage, in SentencePiece's term"
    numerator = "unknown"
    denominator = "characters"

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count the characters of each state's word, and the unknown ones."""
        return {"unknown": segmentation.unknown_chars, "characters": segmentation.chars}
