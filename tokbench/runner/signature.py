"""The signature beside each number: what someone else needs to get it again."""

from collections.abc import Callable
from importlib.metadata import version

from tokbench import __version__
from tokbench.api import Size
from tokbench.api.component import compact
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


def signer(
    experiment: Experiment,
    system: System,
    size: Size | None,
    train: Training,
    test: TestCorpus,
    in_context: bool = False,
) -> Callable[[str], str]:
    """Give the function that signs the numbers of one system, size and corpus, by metric.

    A signature names system, size, corpora with digests, words, whether they were cut in context,
    metric, resampling, and the versions of tokbench and of what its components wrap.
    """
    given = {**experiment.tests, **experiment.lists, **experiment.gold}[test.name]
    words = (
        test.words_by
        if test.words_by == train.words_by
        else (f"{test.words_by},train:{train.words_by}")
    )
    head = [
        system_signature(system),
        *([] if size is None else [_spelled(size)]),
        f"train={_corpus(train.name, train.digest, experiment.train)}",
        f"test={_corpus(test.name, test.digest, given)}",
        f"words={words}",
        *(["in-context"] if in_context else []),
    ]
    tail = [
        f"resamples={experiment.resamples},seed={experiment.seed}",
        *_wrapped(system),
        f"tokbench={__version__}",
    ]
    return lambda metric: "|".join([*head, metric, *tail])


def _wrapped(system: System) -> list[str]:
    """Give the versions of the libraries whose work a system's components do."""
    parts = (system.learner, system.segmenter, system.splitter)
    packages = {package for part in parts if part is not None for package in part.requires_version}
    return [f"{package}={version(package)}" for package in sorted(packages)]


def _spelled(size: Size) -> str:
    return f"size={size.total}" if size.total is not None else f"merges={size.learned}"


def treatment(corpus: Corpus) -> str:
    """Spell how a corpus is treated, where that is not the default."""
    given = corpus.source.model_dump(
        mode="json", by_alias=True, exclude_defaults=True, exclude={"path", "catalog", "words"}
    )
    return ",".join(f"{key}={compact(value)}" for key, value in given.items())


def _corpus(name: str, digest: str, corpus: Corpus) -> str:
    """Name a corpus with its digest and its treatment."""
    options = treatment(corpus)
    return f"{name}@{digest[:DIGITS]}" + (f"({options})" if options else "")
