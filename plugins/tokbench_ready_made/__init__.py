"""Ready-made tokenizers: vocabularies in files of ours, and published ones known by digest."""

from collections.abc import Mapping
from typing import ClassVar

from tokbench.api import Learner, Reads, hookimpl


class ReadyMade(Learner):
    """A vocabulary that was made elsewhere. Subclass it and define `load`."""

    reads: ClassVar[Reads] = "nothing"  # there is nothing to learn from


@hookimpl
def tokbench_learners() -> Mapping[str, str]:
    """Offer the learner `vocabulary`."""
    return {"vocabulary": "tokbench_ready_made.vocabulary:VocabularyFile"}
