"""Morphology: gold segmentations, metrics against them, and published segmentations as systems."""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_metrics() -> Mapping[str, str]:
    """Offer the metrics of boundaries and of morphemes."""
    return {
        "boundary-precision-micro": "tokbench_morphology.boundaries:BoundaryPrecisionMicro",
        "boundary-recall-micro": "tokbench_morphology.boundaries:BoundaryRecallMicro",
        "boundary-f1-micro": "tokbench_morphology.boundaries:BoundaryF1Micro",
        "boundary-f1-chance": "tokbench_morphology.boundaries:BoundaryF1Chance",
        "boundary-kappa": "tokbench_morphology.boundaries:BoundaryKappa",
        "boundary-precision-bpr": "tokbench_morphology.boundaries:BoundaryPrecisionBpr",
        "boundary-recall-bpr": "tokbench_morphology.boundaries:BoundaryRecallBpr",
        "boundary-f1-bpr": "tokbench_morphology.boundaries:BoundaryF1Bpr",
        "exact-match": "tokbench_morphology.boundaries:ExactMatch",
        "morpheme-precision-canonical": "tokbench_morphology.morphemes:MorphemePrecisionCanonical",
        "morpheme-recall-canonical": "tokbench_morphology.morphemes:MorphemeRecallCanonical",
        "morpheme-f1-canonical": "tokbench_morphology.morphemes:MorphemeF1Canonical",
        "morpheme-precision-surface": "tokbench_morphology.morphemes:MorphemePrecisionSurface",
        "morpheme-recall-surface": "tokbench_morphology.morphemes:MorphemeRecallSurface",
        "morpheme-f1-surface": "tokbench_morphology.morphemes:MorphemeF1Surface",
        "morpheme-distance": "tokbench_morphology.morphemes:MorphemeDistance",
    }


@hookimpl
def tokbench_gold_readers() -> Mapping[str, str]:
    """Offer the formats of gold files."""
    return {
        "tsv": "tokbench_morphology.gold:TsvReader",
        "pipes": "tokbench_morphology.gold:PipesReader",
        "sigmorphon": "tokbench_morphology.gold:SigmorphonReader",
        "morphynet": "tokbench_morphology.gold:MorphyNetReader",
        "unimorph": "tokbench_morphology.gold:UniMorphReader",
        "unisegments": "tokbench_morphology.gold:UniSegmentsReader",
        "morpho-challenge": "tokbench_morphology.gold:MorphoChallengeReader",
        "morfessor": "tokbench_morphology.gold:MorfessorReader",
        "conllu": "tokbench_morphology.gold:ConlluReader",
    }


@hookimpl
def tokbench_learners() -> Mapping[str, str]:
    """Offer the learner `segmentations`."""
    return {"segmentations": "tokbench_morphology.segmentations:PublishedSegmentations"}


@hookimpl
def tokbench_segmenters() -> Mapping[str, str]:
    """Offer the segmenter `segmentations`."""
    return {"segmentations": "tokbench_morphology.segmentations:PublishedSegmenter"}
