"""The parts of signatures, which name what someone else needs to get a number again."""

from importlib.metadata import version

from tokbench import __version__
from tokbench.api import Size
from tokbench.api.component import compact
from tokbench.config import DescribedCorpus, Experiment, System
from tokbench.corpora.load import TestCorpus, Training
from tokbench.run_folder.tables import SignatureRow

DIGITS = 6


def system_signature(system: System) -> str:
    """Describe a system by its components, each with the options that differ from defaults."""
    signature = system.learner.describe(system.learner_name)
    if system.segmenter is not None and system.segmenter_name is not None:
        signature += "+" + system.segmenter.describe(system.segmenter_name)
    if system.splitter is not None and system.splitter_name is not None:
        signature += "|split=" + system.splitter.describe(system.splitter_name)
    return signature


def signature_of_size(experiment: Experiment, system: System, size: Size | None) -> SignatureRow:
    """Sign a system and size: its components, and the versions of all that does the work."""
    beginning = system_signature(system)
    if size is not None:
        named = "merges" if size.total is None else "size"
        beginning += f"|{named}={size.number}"
    drawn = f"resamples={experiment.resamples},seed={experiment.seed}"
    end = "|".join([drawn, *_wrapped(system), f"tokbench={__version__}"])
    return SignatureRow(system.name, "" if size is None else str(size), "", beginning, end)


def signature_of_corpus(experiment: Experiment, train: Training, test: TestCorpus) -> SignatureRow:
    """Sign a corpus: the training text and the test corpus with digests, and how words are cut."""
    words = test.words_by
    if train.words_by != words:
        words += f",train:{train.words_by}"
    training = _corpus(train.name, train.digest, experiment.train)
    tested = _corpus(test.name, test.digest, given(experiment, test.name))
    return SignatureRow("", "", test.name, f"train={training}|test={tested}|words={words}", "")


def given(experiment: Experiment, corpus: str) -> DescribedCorpus:
    """Return a test corpus as the config gives it."""
    return {**experiment.tests, **experiment.lists, **experiment.gold}[corpus]


def _wrapped(system: System) -> list[str]:
    """Return the versions of the libraries whose work a system's components do."""
    parts = (system.learner, system.segmenter, system.splitter)
    packages = {package for part in parts if part is not None for package in part.requires_version}
    return [f"{package}={version(package)}" for package in sorted(packages)]


def treatment(corpus: DescribedCorpus) -> str:
    """Spell how a corpus is treated, where that is not the default."""
    options = corpus.source.model_dump(
        mode="json", by_alias=True, exclude_defaults=True, exclude={"path", "catalog", "words"}
    )
    return ",".join(f"{key}={compact(value)}" for key, value in options.items())


def _corpus(name: str, digest: str, corpus: DescribedCorpus) -> str:
    """Name a corpus with its digest and its treatment."""
    options = treatment(corpus)
    return f"{name}@{digest[:DIGITS]}" + (f"({options})" if options else "")
