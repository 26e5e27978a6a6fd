"""What is checked: one component with its options, among all that are on offer."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from tokbench.api import Component, Segmenter, Vocabulary
from tokbench.api.component import Use
from tokbench.plugins import Offer, Registry

C = TypeVar("C", bound=Component, covariant=True)

Options = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Subject(Generic[C]):
    """A component built with options, where it comes from, and what else is there."""

    offer: Offer
    options: Options
    component: C
    registry: Registry
    files: tuple[Path, ...]

    def __str__(self) -> str:
        return f"{self.offer.kind} {self.component.describe(self.offer.name)}"


def default_segmenter(vocabulary: Vocabulary, registry: Registry) -> Segmenter:
    """Build the segmenter that a vocabulary names; raises what `Registry.build` raises."""
    segmenter = registry.build("segmenter", Use.model_validate(dict(vocabulary.segmenter)))
    assert isinstance(segmenter, Segmenter)  # the registry holds only segmenters of that kind
    return segmenter
