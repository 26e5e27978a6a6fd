"""How many tokens a text takes, and how long they are."""

from collections.abc import Mapping
from math import inf
from typing import TYPE_CHECKING, Any

from tokbench.api import Metric, Ratio
from tokbench.api.arrays import ones, quotient

if TYPE_CHECKING:
    from tokbench.api.arrays import Segmentation


COMPRESSION = (
    "For: Goldman et al. 2024 find that better compression goes with better models; against: "
    "Schmidt et al. 2024 (64 models) and Ali et al. 2024 find that it does not."
)

_AT_A_TIME = 2**16
"""States looked at together, so that memory does not grow with their number."""


class TokenTotal(Metric):
    """The tokens of the whole corpus, bare marks and tokens outside words included.

    A model takes one step for each token. Fewer tokens are cheaper, but not better by themselves,
    and a tokenizer that drops text looks good here: read `unknown-characters` first.
    """

    label = "tokens"
    evidence = COMPRESSION
    per = "line"
    better = "lower"
    gated = True
    range = (0.0, inf)
    formula = "sum of tokens over lines"
    source = "Gallé 2019, The Power of Shorter Sequences; Schmidt et al. 2024 for the caveat"
    denominator = "lines"

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count the tokens of each line."""
        tokens = segmentation.line_tokens
        return {"tokens": tokens, "lines": ones(len(tokens))}

    def count_states(self, segmentation: "Segmentation") -> Mapping[str, Any] | None:
        """Count the tokens of each state: their sum over words is that over lines."""
        return None if segmentation.outside.any() else {"tokens": segmentation.tokens}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        """Return the sum itself."""
        return sums["tokens"]


class TokensOfReference(Metric):
    """The tokens of a text divided by those of its reference, line by line; a base of metrics."""

    per = "line"
    texts_only = True
    gated = True
    range = (0.0, inf)
    denominator = "lines"

    def count(
        self, segmentation: "Segmentation", reference: "Segmentation | None" = None
    ) -> Mapping[str, Any]:
        """Count the tokens of each line in a text and its `reference`, by default itself."""
        tokens = segmentation.line_tokens
        others = tokens if reference is None else reference.line_tokens
        return {"tokens": tokens, "reference": others, "lines": ones(len(tokens))}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        """Divide the sums; NaN where the reference has no token."""
        return quotient(sums["tokens"], sums["reference"])


class Fertility(Ratio):
    """The mean number of tokens to a running word, bare marks included.

    It depends on what a word is as much as on the tokenizer: compare values only where the words
    were found by the same splitter.
    """

    label = "tokens per word"
    evidence = COMPRESSION
    better = "lower"
    gated = True
    range = (0.0, inf)
    formula = "tokens / running words"
    source = "Ács 2019, Exploring BERT's Vocabulary; Rust et al. 2021"
    numerator = "tokens"
    denominator = "words"

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count the tokens of each state, and its word."""
        return {"tokens": segmentation.tokens, "words": ones(len(segmentation))}


class CharsPerToken(Ratio):
    """The mean number of characters (code points) of the scoring words that a token takes.

    Spaces and marks are not counted as characters, bare marks are counted as tokens; scripts with
    more to say in a character have lower values.
    """

    label = "characters per token"
    evidence = COMPRESSION
    better = "higher"
    gated = True
    range = (0.0, inf)
    formula = "characters / tokens"
    source = "a compression ratio, by characters"
    numerator = "characters"
    denominator = "tokens"

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count the characters of each state's word, and its tokens."""
        return {"characters": segmentation.chars, "tokens": segmentation.tokens}


class BytesPerToken(Ratio):
    """The mean number of UTF-8 bytes of the scoring words that a token takes.

    Spaces and marks are not counted as bytes, bare marks are counted as tokens; scripts that UTF-8
    writes in three bytes a character look three times as good.
    """

    label = "bytes per token"
    evidence = COMPRESSION
    better = "higher"
    gated = True
    range = (0.0, inf)
    formula = "UTF-8 bytes / tokens"
    source = "a compression ratio, by bytes"
    numerator = "bytes"
    denominator = "tokens"

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count the bytes of each state's word, and its tokens."""
        return {"bytes": segmentation.bytes, "tokens": segmentation.tokens}


class SingleCharacters(Ratio):
    """The share of running words of two characters or more that fall to single characters.

    No token of such a word covers more than one character: a token for a part of a character (a
    byte) or an unknown one counts too, bare marks do not. The tokenizer says no more of such a
    word than its spelling.
    """

    label = "words split into characters"
    evidence = (
        "No study relates it to the quality of a model; Clark et al. 2022 (CANINE) show that "
        "models of characters alone can be good."
    )
    better = "lower"
    range = (0.0, 1.0)
    formula = "running words cut into single characters / running words of 2 or more characters"
    numerator = "fallen"
    denominator = "words"

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count each state whose word is long enough, and whether it fell to characters."""
        within = segmentation.sum_tokens(within_one_character(segmentation))
        all_within = (within > 0) & (within == segmentation.sum_tokens(segmentation.with_text))
        long_enough = segmentation.chars >= 2
        return {
            "fallen": (all_within & long_enough).astype("int64"),
            "words": long_enough.astype("int64"),
        }


def within_one_character(segmentation: "Segmentation") -> Any:
    """Return for each row whether its token covers text, and all of it in one code point."""
    import numpy as np

    from tokbench.api.arrays import begins_character

    words = segmentation.words
    begun = np.zeros(len(words.utf8) + 1, dtype=np.uint32)
    np.cumsum(begins_character(words.utf8), dtype=np.uint32, out=begun[1:])
    within = segmentation.with_text & ~segmentation.shared
    for begin in range(0, len(segmentation), _AT_A_TIME):
        states = slice(begin, min(begin + _AT_A_TIME, len(segmentation)))
        rows = slice(segmentation.row[begin], segmentation.row[states.stop])
        offset = np.repeat(words.offset[segmentation.word[states]], segmentation.rows[states])
        first, last = offset + segmentation.starts[rows] + 1, offset + segmentation.ends[rows]
        here = within[rows]
        here[here] = begun[first[here]] == begun[last[here]]
    return within


class SplitCharacters(Ratio):
    """The share of the cuts inside words that fall inside a character.

    Tokens of bytes can cut the bytes of one character apart. Such a cut is no boundary between
    characters, so boundary metrics leave it out.
    """

    label = "cuts inside characters"
    evidence = (
        "For: Wang et al. 2020 must repair invalid text where tokens end inside characters; no "
        "study relates the share to quality."
    )
    better = "lower"
    range = (0.0, 1.0)
    formula = "cuts inside a character / cuts inside words"
    source = "tokens of parts of characters (Wang et al. 2020, Byte-Level Subwords)"
    numerator = "split"
    denominator = "cuts"

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count the tokens of each state that follow another one, and begin inside a character."""
        import numpy as np

        from tokbench.api.arrays import begins_character

        words, text = segmentation.words, np.flatnonzero(segmentation.with_text)
        state, starts = segmentation.state_of[text], segmentation.starts[text]
        later = np.diff(state, prepend=-1) == 0
        # Where a library does not tell which byte of a character a token has, tokens overlap.
        split = starts < np.append(0, segmentation.ends[text][:-1])[: len(starts)]
        offset = words.offset[segmentation.word][state]
        split |= ~begins_character(words.utf8[offset + starts])
        states = len(segmentation)
        return {
            "split": np.bincount(state[later & split], minlength=states),
            "cuts": np.bincount(state[later], minlength=states),
        }


class AttentionCost(Metric):
    """The cost of self-attention over tokens, as a share of its cost over characters.

    Attention compares each token of a line with each, so a line costs its length squared and long
    lines weigh most; bare marks count as tokens, so a value above 1 is possible. In context tokens
    and characters are those of the whole line, spaces included; of words that are cut alone, those
    of the words. It leaves out all other costs of a model, those of a larger vocabulary among them.
    """

    label = "attention cost"
    evidence = (
        "It is arithmetic, not a prediction: what a model costs, not how good it is (for length "
        "see `tokens`)."
    )
    per = "line"
    better = "lower"
    gated = True
    range = (0.0, inf)
    formula = "sum over lines of tokens² / sum over lines of characters²"
    source = "the quadratic cost of self-attention (Vaswani et al. 2017)"
    denominator = "lines"

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count each line's tokens and characters, squared."""
        tokens, characters = segmentation.line_tokens, segmentation.line_chars
        return {"tokens": tokens**2, "characters": characters**2, "lines": ones(len(tokens))}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        """Divide the sums of squares; NaN where no line has a character."""
        return quotient(sums["tokens"], sums["characters"])
