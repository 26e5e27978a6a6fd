"""Tokens against gold morphemes as strings, in their order, as SIGMORPHON 2022 scores them."""

from collections.abc import Mapping, Sequence
from itertools import chain, pairwise, repeat
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

from tokbench.api import Ratio
from tokbench.api.arrays import quotient
from tokbench_morphology.boundaries import AgainstGold

if TYPE_CHECKING:
    from tokbench.api.arrays import Segmentation

Morphs = Sequence[str]
Judged = tuple[int, Morphs, Sequence[Morphs]]
"""A state, its tokens, and the alternatives of its word, as strings."""


class Morphemes(AgainstGold):
    """Tokens and gold morphemes in common, pooled over words; each word takes its best alternative.

    What they have in common is their longest common subsequence.
    """

    source = "Batsuren et al. 2022, The SIGMORPHON 2022 Shared Task on Morpheme Segmentation"
    canonical: ClassVar[bool]

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count what is in common, tokens and morphemes of each word that has gold."""
        return segmentation.once(canonical_in_common if self.canonical else surface_in_common)


class Precision(Morphemes, Ratio):
    """The share of tokens that are gold morphemes."""

    formula = "longest common subsequence of tokens and gold morphemes / tokens, over all words"
    numerator = "common"
    denominator = "tokens"


class Recall(Morphemes, Ratio):
    """The share of gold morphemes that are tokens."""

    formula = "longest common subsequence of tokens and gold morphemes / morphemes, over all words"
    numerator = "common"
    denominator = "morphemes"


class F1(Morphemes):
    """The balance of morpheme precision and recall."""

    formula = "2 LCS / (tokens + gold morphemes), over all words"
    denominator = "words"
    events = ("common",)

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        """Pool the counts; NaN without words."""
        return quotient(2 * sums["common"], sums["tokens"] + sums["morphemes"])


class MorphemePrecisionCanonical(Precision):
    """The share of tokens that are canonical morphemes of their word, in order.

    A tokenizer that only cuts cannot write a morpheme that changes at its border (*funny* and *er*
    for *funnier*), so it stays below 1: compare systems of one kind.
    """

    label = "tokens that are canonical morphemes"
    canonical = True


class MorphemeRecallCanonical(Recall):
    """The share of canonical morphemes that are tokens of their word, in order.

    A morpheme that changes at its border is out of reach for a tokenizer that only cuts.
    """

    label = "canonical morphemes that are tokens"
    canonical = True


class MorphemeF1Canonical(F1):
    """The balance of precision and recall over canonical morphemes.

    It uses every gold word, also those whose morphemes do not join to them.
    """

    label = "F1 of canonical morphemes"
    canonical = True


class MorphemePrecisionSurface(Precision):
    """The share of the pieces of a word that are gold morphemes, where these join to the word.

    A piece counts only if both its ends are right, so it is stricter than boundary precision.
    """

    label = "pieces that are morphemes"
    canonical = False


class MorphemeRecallSurface(Recall):
    """The share of gold morphemes that are pieces of the word, where these join to the word.

    A word that stays whole still counts where gold leaves it whole.
    """

    label = "morphemes that are pieces"
    canonical = False


class MorphemeF1Surface(F1):
    """The balance of precision and recall over morphemes that join to their word.

    Both ends of a piece must be right; words whose gold does not join to them are left out.
    """

    label = "F1 of morphemes"
    canonical = False


class MorphemeDistance(AgainstGold):
    """The mean number of letters to change, add or delete, from tokens to canonical morphemes.

    Both are written with a bar between their parts, which counts as a letter. Each word takes its
    nearest alternative.
    """

    label = "letters from morphemes"
    better = "lower"
    range = (0.0, inf)
    formula = "mean over words of the Levenshtein distance of in|accurate|cy and the tokens"
    source = Morphemes.source
    denominator = "words"

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count the distance of each word that has gold."""
        import numpy as np
        from tokbench_metrics.changes import text_distances

        rows = np.zeros((2, len(segmentation)), dtype=np.int64)
        if words := judged(segmentation, canonical=True):
            states, tokens, gold = zip(*words, strict=True)
            many = np.array([*map(len, gold)], dtype=np.int64)
            of_gold = chain.from_iterable(map(repeat, tokens, many))
            sides = (map("|".join, of_gold), map("|".join, chain.from_iterable(gold)))
            distances = text_distances(*map(list, sides))
            rows[0, states] = np.minimum.reduceat(distances, np.cumsum(many) - many)
            rows[1, states] = 1
        return {"distance": rows[0], "words": rows[1]}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        """Return the mean; NaN without words."""
        return quotient(sums["distance"], sums["words"])


def canonical_in_common(segmentation: "Segmentation") -> Mapping[str, Any]:
    """Count what tokens have in common with canonical morphemes."""
    return _in_common(segmentation, judged(segmentation, canonical=True))


def surface_in_common(segmentation: "Segmentation") -> Mapping[str, Any]:
    """Count what pieces have in common with morphemes that join to their word.

    Nothing counts where some tokens have text but no place in their word: canonical morphemes.
    """
    from tokbench_morphology.alternatives import without_place

    nothing = without_place(segmentation).any()
    return _in_common(segmentation, () if nothing else judged(segmentation, canonical=False))


def _in_common(segmentation: "Segmentation", words: Sequence[Judged]) -> Mapping[str, Any]:
    import numpy as np

    rows = np.zeros((4, len(segmentation)), dtype=np.int64)
    for state, tokens, alternatives in words:
        common = [longest_common(tokens, morphs) for morphs in alternatives]
        sizes = [len(tokens) + len(morphs) for morphs in alternatives]
        best = max(range(len(common)), key=lambda i: common[i] / sizes[i])
        rows[:, state] = common[best], len(tokens), len(alternatives[best]), 1
    rows.flags.writeable = False
    return dict(zip(("common", "tokens", "morphemes", "words"), rows, strict=True))


def judged(segmentation: "Segmentation", canonical: bool) -> Sequence[Judged]:
    """Return each state whose word has gold, with its tokens and the alternatives, as strings.

    Canonical morphemes are compared with the tokens' own texts, others with pieces of the word. A
    word that the system cannot write has no tokens here.
    """
    from tokbench_morphology.alternatives import lost

    words = segmentation.words
    is_lost = lost(segmentation).tolist()
    gold = words.morphs if canonical else _surface(words)
    texts = _own_texts(segmentation) if canonical else {}
    judgements = []
    ids, row = segmentation.ids.tolist(), segmentation.row.tolist()
    starts, ends = segmentation.starts.tolist(), segmentation.ends.tolist()
    for state, word in enumerate(segmentation.word.tolist()):
        if not gold or not gold[word]:
            continue
        raw = words.text[word].encode("utf-8", "surrogatepass")
        span = range(row[state], row[state + 1])
        if is_lost[state]:
            tokens: list[str] = []
        elif canonical:
            tokens = [texts[ids[i]] for i in span if ids[i] in texts]
        else:
            tokens = [_piece(raw, starts[i], ends[i]) for i in span if ends[i] > starts[i]]
        judgements.append((state, tokens, gold[word]))
    return judgements


def _piece(raw: bytes, start: int, end: int) -> str:
    return raw[start:end].decode("utf-8", "replace")


def _own_texts(segmentation: "Segmentation") -> Mapping[int, str]:
    """Return the text of each token that is used, without marks; a bare mark has none."""
    vocabulary = segmentation.vocabulary
    used = {int(i) for i in segmentation.ids[segmentation.known]}
    texts = {i: vocabulary.raw(i).decode("utf-8", "replace") for i in used}
    return {i: text for i, text in texts.items() if text or not vocabulary.tokens[i]}


def _surface(words: Any) -> Sequence[Sequence[Morphs]]:
    """Return the pieces of each word between its gold boundaries."""
    pieces = []
    for text, alternatives in zip(words.text, words.gold or (), strict=False):
        raw = text.encode("utf-8", "surrogatepass")
        cuts = ((0, *inner, len(raw)) for inner in alternatives)
        pieces.append([[_piece(raw, a, b) for a, b in pairwise(cut)] for cut in cuts])
    return pieces


def longest_common(tokens: Morphs, morphs: Morphs) -> int:
    """Return the length of the longest common subsequence.

    >>> longest_common(["in", "accurate", "s"], ["in", "accurate", "cy", "s"])
    3
    """
    lengths = [0] * (len(morphs) + 1)
    for part in tokens:
        before = 0
        for i, another in enumerate(morphs, start=1):
            before, lengths[i] = (
                lengths[i],
                before + 1 if part == another else max(lengths[i], lengths[i - 1]),
            )
    return lengths[-1]
