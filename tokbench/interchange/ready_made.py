"""Vocabularies in our own files: the JSON of `tokbench learn` and `import`, or word splits.

The learner `vocabulary` learns nothing: it loads such a file.
"""

from collections.abc import Mapping

from pydantic import Field

from tokbench.api import InputFile, Learner, Reads, SourceFile, Vocabulary, hookimpl


class VocabularyFile(Learner):
    """Load a vocabulary as `tokbench learn` and `tokbench import` write it, or word splits."""

    path: InputFile = Field(description="the file: our JSON, or word splits")

    @property
    def reads(self) -> Reads:
        """The vocabulary is there already."""
        return "nothing"

    def load(self) -> Vocabulary:
        """Read the file; raises InputError where it is no vocabulary."""
        # Every config loads this module, and few read a vocabulary.
        from tokbench.interchange.files import read_own

        return read_own(SourceFile(str(self.path.path), self.path.read_bytes()))


@hookimpl
def tokbench_learners() -> Mapping[str, type[Learner]]:
    """Offer the learner `vocabulary`."""
    return {"vocabulary": VocabularyFile}
