"""The training text that a metric may read, and the way in which a system cuts any text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from tokbench.api.lines import LineTokens
    from tokbench.api.words import Words

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class TrainingLines:
    """The running text that a system learned from, and how the system cuts texts at one size.

    `words` are the scoring words of the text, line by line. `cut` cuts texts as the system does:
    whole lines `in_context`, else words alone.
    """

    words: "Words"
    cut: "Callable[[Sequence[str]], LineTokens]"
    in_context: bool

    @cached_property
    def _made(self) -> dict[Any, Any]:
        return {}

    def once(self, function: "Callable[[TrainingLines], T]") -> T:
        """Return what a function makes of this text; metrics and analyses share the result.

        It is kept until the system has been scored, so it should be small.
        """
        if function not in self._made:
            self._made[function] = function(self)
        made: T = self._made[function]
        return made
