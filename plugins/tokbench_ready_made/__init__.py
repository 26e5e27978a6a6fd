"""Ready-made tokenizers: vocabularies in files of ours, and published ones known by digest."""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_learners() -> Mapping[str, str]:
    """Offer the learner `vocabulary`."""
    return {"vocabulary": "tokbench_ready_made.vocabulary:VocabularyFile"}
