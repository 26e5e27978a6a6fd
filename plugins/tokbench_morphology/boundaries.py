"""Boundaries inside words against gold segmentations."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tokbench.api import Metric, Ratio
from tokbench.api.arrays import quotient

if TYPE_CHECKING:
    from tokbench.api.arrays import Segmentation
    from tokbench_morphology.alternatives import Alternatives


class AgainstGold(Metric):
    """The base of all metrics of morphology: gold words, each distinct one once.

    A word with an unknown token or dropped text is one that the system cannot write: its gold
    boundaries and morphemes are missed, and nothing that is cut there counts as right or wrong.
    """

    evidence = (
        "For: Hofmann et al. 2021 classify derived words better where they are split at "
        "morphemes; against: Arnett et al. 2025 find that morphology explains little of the "
        "differences between models."
    )
    family = "boundaries"
    unit = "word"
    needs = frozenset({"gold"})
    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"
    range = (0.0, 1.0)


class Boundaries(AgainstGold):
    """The base of all boundary metrics: cuts inside a word, compared with those of gold."""

    @abstractmethod
    def columns(self, compared: "Alternatives", segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count one row a state from its comparisons with gold."""

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Compare each state with its word's gold; a word without gold counts nowhere.

        Nothing counts where some tokens have text but no place in their word: canonical morphemes.
        """
        from tokbench_morphology.alternatives import compare, without_place

        columns = self.columns(segmentation.once(compare), segmentation)
        if without_place(segmentation).any():
            return {name: column * 0 for name, column in columns.items()}
        return columns


class Micro(Boundaries):
    """Boundaries pooled over all words, each word against its best alternative."""

    source = (
        "boundaries pooled over words; Uzan et al. 2024 pool only words outside the vocabulary "
        "whose gold pieces are in it"
    )

    def columns(self, compared: "Alternatives", segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count hits, predicted and gold boundaries of the alternative with the highest F1.

        `opposed` are the gaps that a word adds to the predicted ones where each of its gaps is to
        disagree, since the system cannot write it.
        """
        rows = compared.best_row()
        gold, gaps = compared.at(rows, compared.gold), compared.judged * (segmentation.chars - 1)
        return {
            "hits": compared.at(rows, compared.hits),
            "predicted": compared.at(rows, compared.predicted),
            "gold": gold,
            "gaps": gaps,
            "opposed": compared.at(rows, compared.lost.astype("int64")) * (gaps - gold),
            "words": compared.judged,
        }


class BoundaryPrecisionMicro(Micro, Ratio):
    """The share of predicted boundaries that are gold, over all words together.

    Undefined for a tokenizer that never splits; long words with many boundaries weigh most.
    """

    label = "cuts at morphemes"
    formula = "TP / (TP + FP), each word's alternative the one of highest F1"
    numerator = "hits"
    denominator = "predicted"


class BoundaryRecallMicro(Micro, Ratio):
    """The share of gold boundaries that are predicted, over all words together.

    Cutting everywhere brings it to 1: read it together with precision.
    """

    label = "morpheme boundaries cut"
    formula = "TP / (TP + FN), each word's alternative the one of highest F1"
    numerator = "hits"
    denominator = "gold"


class BoundaryF1Micro(Micro):
    """The balance of boundary precision and recall, over all words together.

    Defined also where precision is not: a tokenizer that never splits has 0. Words without a
    boundary on either side count nothing, so `boundary-f1-bpr` can rank systems otherwise.
    """

    label = "F1 of morpheme boundaries"
    formula = "2 TP / (2 TP + FP + FN), each word's alternative the one of highest F1"
    denominator = "words"
    events = ("hits",)
    chance = "boundary-f1-chance"

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        """Pool the counts; NaN where there is no boundary on either side."""
        return quotient(2 * sums["hits"], sums["predicted"] + sums["gold"])


class BoundaryF1Chance(Micro):
    """The boundary F1 of a tokenizer that cuts as often, but anywhere.

    A boundary F1 near it shows no more than how many boundaries there are: single characters have
    exactly this value. Alternatives are those that the observed F1 chose.
    """

    label = "F1 of morpheme boundaries by chance"
    better = "neither"
    formula = "2 g q / (g + q), g and q the shares of gaps cut in gold and by the system"
    source = "the expected F1 of independent cuts, in the limit of many gaps"
    denominator = "gaps"

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        """Compute it from the two shares; NaN where neither side cuts."""
        gold = quotient(sums["gold"], sums["gaps"])
        predicted = quotient(sums["predicted"], sums["gaps"])
        return quotient(2 * gold * predicted, gold + predicted)


class BoundaryKappa(Micro):
    """The agreement with gold on all gaps between characters, beyond what chance gives.

    1 is full agreement, 0 what cutting as often but anywhere gives: never splitting and single
    characters both have 0. Unlike F1 it also counts gaps that both leave uncut.
    """

    label = "agreement with morphemes"
    evidence = (
        f"{AgainstGold.evidence[:-1]}; ours (docs/explanation/which-metric.md): among 23 systems "
        "on Shakespeare at 4,000 it ordered 47 of 84 separable pairs as the count model did (43 "
        "with Witten-Bell smoothing)."
    )
    range = (-1.0, 1.0)
    formula = "(p - e) / (1 - e), p the share of gaps that agree, e = g q + (1 - g)(1 - q)"
    source = "Cohen 1960, A Coefficient of Agreement for Nominal Scales"
    denominator = "gaps"
    events = ("hits",)

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        """Compare the agreement with the expected one; NaN where chance alone agrees fully."""
        gaps, cut = sums["gaps"], sums["predicted"] + sums["opposed"]
        gold, predicted = quotient(sums["gold"], gaps), quotient(cut, gaps)
        both_or_none = gaps - sums["gold"] - cut + 2 * sums["hits"]
        expected = gold * predicted + (1 - gold) * (1 - predicted)
        return quotient(quotient(both_or_none, gaps) - expected, 1 - expected)


class Bpr(Boundaries):
    """Boundary precision and recall word by word, then averaged over words that can be cut."""

    source = "Virpioja et al. 2011 (BPR); Morfessor 2.0, morphoeval"
    denominator = "words"
    events = ()  # means of shares count none

    def columns(self, compared: "Alternatives", segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count each word's best precision and best recall; words under 2 characters count not.

        A word that the system cannot write has no precision.
        """
        counted = compared.judged * (segmentation.chars >= 2)
        written = counted * (compared.best(compared.lost) == 0)
        return {
            "precision": compared.best(compared.precision) * written,
            "recall": compared.best(compared.recall) * counted,
            "written": written,
            "words": counted,
        }


class BoundaryPrecisionBpr(Bpr, Ratio):
    """The mean over words of two or more characters of the share of predicted boundaries in gold.

    A word without a predicted boundary counts 1, so a tokenizer that never splits has 1: read it
    together with recall. Each word takes its best alternative.
    """

    label = "cuts at morphemes, by word"
    formula = "mean over words of max over alternatives of TP / (TP + FP), 0/0 = 1"
    numerator = "precision"
    denominator = "written"


class BoundaryRecallBpr(Bpr, Ratio):
    """The mean over words of two or more characters of the share of gold boundaries predicted.

    A word without a gold boundary counts 1, so it never falls to 0 where whole words are gold.
    Each word takes its best alternative.
    """

    label = "morpheme boundaries cut, by word"
    formula = "mean over words of max over alternatives of TP / (TP + FN), 0/0 = 1"
    numerator = "recall"
    denominator = "words"


class BoundaryF1Bpr(Bpr):
    """The harmonic mean of the mean boundary precision and the mean boundary recall.

    Each word of two or more characters weighs the same; others can have no boundary, and are left
    out. Morfessor's evaluator leaves them out of its sums, but divides by all words. A tokenizer
    that never splits still gets credit for every word without a gold boundary (0.5 where
    `boundary-f1-micro` says 0): don't compare the two.
    """

    label = "F1 of morpheme boundaries, by word"
    formula = "2 P R / (P + R), P and R the means over words; 0 where both are 0"

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        """Combine the means; 0, their harmonic mean's limit, where both are 0."""
        precision = quotient(sums["precision"], sums["written"])
        recall = quotient(sums["recall"], sums["words"])
        both = precision + recall
        return 2 * precision * recall / (both + (both == 0))


class ExactMatch(Boundaries, Ratio):
    """The share of gold words whose boundaries all agree with one of their alternatives.

    A strict count: one boundary too many costs as much as ten. Words that gold leaves whole are
    won by never splitting.
    """

    label = "words cut as in gold"
    formula = "gold words with the boundaries of an alternative / gold words"
    source = "known as word accuracy in morphological segmentation"
    numerator = "equal"
    denominator = "words"

    def columns(self, compared: "Alternatives", segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count each word that has gold, and whether it equals an alternative."""
        return {
            "equal": compared.best(compared.equal).astype("int64"),
            "words": compared.judged,
        }
