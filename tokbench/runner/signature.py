"""The signature beside each number: what someone else needs to get it again."""

from tokbench import __version__
from tokbench.api import Size
from tokbench.config import Corpus, Experiment, System
from tokbench.corpora.load import TestCorpus, Training

DIGITS = 6


def system_signature(system: System) -> str:
    """Describe a system by its components, each with the options that differ from defaults."""
    signature = system.learner.describe(system.learner_name)
    if system.segmenter is not None and system.segmenter_name is not None:
        signature += "+" + system.segmenter.describe(system.segmenter_name)
    if system.splitter is not None and system.splitter_name is not None:
        signature += "|split=" + system.splitter.describe(system.splitter_name)
    return signature


def signature(
    experiment: Experiment,
    system: System,
    size: Size | None,
    train: Training,
    test: TestCorpus,
    metric: str,
) -> str:
    """Sign one number: system, size, corpora with digests, words, metric, resampling, version."""
    given = {**experiment.tests, **experiment.lists, **experiment.gold}[test.name]
    words = (
        test.words_by
        if test.words_by == train.words_by
        else (f"{test.words_by},train:{train.words_by}")
    )
    parts = [
        system_signature(system),
        *([] if size is None else [_spelled(size)]),
        f"train={_corpus(train.name, train.digest, experiment.train)}",
        f"test={_corpus(test.name, test.digest, given)}",
        f"words={words}",
        metric,
        f"resamples={experiment.resamples},seed={experiment.seed}",
        f"tokbench={__version__}",
    ]
    return "|".join(parts)


def _spelled(size: Size) -> str:
    return f"size={size.total}" if size.total is not None else f"merges={size.learned}"


def _corpus(name: str, digest: str, corpus: Corpus) -> str:
    """Name a corpus with its digest, and with its treatment where that is not the default."""
    treatment = corpus.source.model_dump(
        mode="json", by_alias=True, exclude_defaults=True, exclude={"path", "catalog", "words"}
    )
    options = ",".join(f"{key}:{value}" for key, value in treatment.items())
    return f"{name}@{digest[:DIGITS]}" + (f"({options})".replace(" ", "") if options else "")
