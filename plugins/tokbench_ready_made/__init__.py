"""Ready-made tokenizers: vocabularies in files of ours, and published ones known by digest."""

from collections.abc import Mapping

from tokbench.api import Learner, Reads, hookimpl


class ReadyMade(Learner):
    """A vocabulary that was made elsewhere. Subclass it and define `load`."""

    @property
    def reads(self) -> Reads:
        """There is nothing to learn from."""
        return "nothing"


@hookimpl
def tokbench_learners() -> Mapping[str, str]:
    """Offer the learner `vocabulary`."""
    return {"vocabulary": "tokbench_ready_made.vocabulary:VocabularyFile"}
