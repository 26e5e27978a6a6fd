"""Analyses: tables about vocabularies, from what their tokens did in a run."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from tokbench.api.component import Component
from tokbench.api.vocabulary import Vocabulary

if TYPE_CHECKING:
    from tokbench.api.count_table import Ints
    from tokbench.api.lines import LineTokens
    from tokbench.api.words import Words

T = TypeVar("T")

Cell = str | int | float | None
Column = Literal["text", "number"]
"""What the cells of a column hold."""


@dataclass(frozen=True, eq=False)
class UsedVocabulary:
    """The vocabulary of a system at one size, and what was done with it.

    `training` and `test` hold how often each id was emitted on the training text and on all test
    texts, None where there is none; one more number is that of all tokens without an id.
    `characters` are those of the training words, or else of the test words, the most frequent ones
    first. `cut` cuts texts as the system does: whole lines `in_context`, else words alone.
    """

    size: str
    vocabulary: Vocabulary
    training: "Ints | None"
    test: "Ints | None"
    characters: str
    in_context: bool
    cut: "Callable[[Sequence[str]], LineTokens]"


@dataclass(frozen=True, eq=False)
class TrainingLines:
    """The running text that a system learned from, and how the system cuts texts at one size.

    `words` are the scoring words of the text, line by line. `cut` cuts texts as the system does:
    whole lines `in_context`, else words alone; or `pieces` of words, which have the marks then.
    """

    words: "Words"
    cut: "Callable[[Sequence[str]], LineTokens]"
    in_context: bool
    pieces: bool = False

    @cached_property
    def _made(self) -> dict[Any, Any]:
        return {}

    def once(self, function: "Callable[[TrainingLines], T]") -> T:
        """Return what a function makes of this text; it is kept while the size is scored."""
        if function not in self._made:
            self._made[function] = function(self)
        made: T = self._made[function]
        return made


class Analysis(Component):
    """Makes a table of each system's vocabularies. Define `columns` and `rows`.

    The run folder has it as a CSV file of the name under which the analysis is offered.
    """

    columns: ClassVar[Mapping[str, Column]]
    """The columns after `system` and `size`, and what they hold."""

    @abstractmethod
    def rows(self, used: UsedVocabulary) -> Iterable[Mapping[str, Cell]]:
        """Return the rows of one vocabulary, with all columns; a number may be None: undefined."""
