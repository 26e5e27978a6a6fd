"""The systems of a config: their parts, names and sizes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import BaseModel

from tokbench.api import Learner, Segmenter, Splitter, TextSegmenter
from tokbench.config.components import Builder, Built
from tokbench.config.experiment import Contexts, System
from tokbench.config.messages import found
from tokbench.config.models import ConfigKeys, SystemKeys, named
from tokbench.config.parts import Parts
from tokbench.config.problems import Where
from tokbench.config.sizes import SizeList, read_sizes
from tokbench.plugins import Kind


@dataclass
class SystemsPart:
    """The systems in order, the names that are known, and the JSON form."""

    systems: list[System] = field(default_factory=list)
    names: list[str | None] = field(default_factory=list)
    plain: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    training_samples: int = 0
    training_shares: tuple[float, ...] = ()


class SystemsReader:
    """Checks `systems`; problems go to `parts`, and what is right is returned."""

    def __init__(self, parts: Parts, builder: Builder) -> None:
        self.parts = parts
        self.builder = builder
        self.found = SystemsPart()
        self.shared: SizeList | None = SizeList()
        self.without_sizes = False

    def read(self) -> SystemsPart:
        """Return the systems that can be used."""
        self.shared = read_sizes(self.parts, ())
        self.found.training_samples = self._training_samples(ConfigKeys, ("training-samples",)) or 0
        self.found.training_shares = self._training_samples(ConfigKeys, ("training-shares",)) or ()
        listed = self.parts.get(("systems",))
        if isinstance(listed, list) and listed:
            for i in range(len(listed)):
                self._system(("systems", i))
        elif ("systems",) in self.parts.document.values:
            what = f"found {found(listed)}, expected a list of systems such as [bpe, char]"
            self.parts.problem(("systems",), what)
        self._warn_of_no_curve()
        return self.found

    def _warn_of_no_curve(self) -> None:
        """Warn if the config asks for curves at its sizes, which no system takes."""
        span = self.shared.span if self.shared else None
        taken = any(system.span is span for system in self.found.systems)
        if span is not None and span.curve and self.found.systems and not taken:
            self.found.warnings.append("`curve: true` draws nothing: no system takes these sizes")

    def _system(self, where: Where) -> None:
        alone = isinstance(self.parts.get(where), str)
        given = {} if alone else self.parts.keys(where, SystemKeys)
        keys: tuple[tuple[str, Kind], ...] = (("segmenter", "segmenter"), ("split", "splitter"))
        written = [(key, kind) for key, kind in keys if given.get(key) is not None]
        name = self._name(where, given)
        parts = {key: self.builder.at(kind, (*where, key)) for key, kind in written}
        learner = None
        if alone or "learner" in given:
            learner = self.builder.at("learner", where if alone else (*where, "learner"))
        sizes = self._sizes(where, learner)
        context = self.parts.field(SystemKeys, (*where, "context"))
        samples = self._training_samples(SystemKeys, (*where, "training-samples"))
        self._check_lines(where, learner, parts)
        self._check_context(where, context, parts)
        if name and learner and sizes is not None and None not in parts.values():
            self._add(name, learner, parts, sizes, context, samples)

    def _check_lines(self, where: Where, learner: Built | None, parts: Mapping[str, Any]) -> None:
        """Refuse what cannot be done for a learner that reads whole lines."""
        if learner is None or cast(Learner, learner.component).reads != "lines":
            return
        if parts.get("split") is not None:
            what = f"`split` cuts words, but {learner.name} reads whole lines: leave it out"
            self.parts.problem((*where, "split"), what)
        if self.parts.get(("corpora", "train", "format")) == "counts":
            what = f"{learner.name} reads whole lines, which a training file of counts has not"
            self.parts.problem(where, what)

    def _training_samples(self, model: type[BaseModel], where: Where) -> Any:
        """Return what is written; refuse samples and shares where no lines can be drawn."""
        samples = self.parts.field(model, where)
        if samples and self.parts.get(("corpora", "train")) is None:
            self.parts.problem(where, "there is no training text to draw from: add `train`")
        if samples and self.parts.get(("corpora", "train", "format")) == "counts":
            what = "the training text holds word counts, which have no documents to draw"
            self.parts.problem(where, what)
        return samples

    def _check_context(
        self, where: Where, context: Contexts | None, parts: Mapping[str, Built | None]
    ) -> None:
        """Refuse whole lines where words are cut; a vocabulary's own segmenter is known later."""
        if context in (None, "isolated"):
            return
        segmenter = parts.get("segmenter")
        if parts.get("split") is not None:
            why = "`split` cuts words"
        elif segmenter and not isinstance(segmenter.component, TextSegmenter):
            why = f"the segmenter {segmenter.name} cuts words"
        else:
            return
        what = f"`{context}` asks for whole lines, but {why}: write `isolated`, or leave it out"
        self.parts.problem((*where, "context"), what)

    def _add(
        self,
        name: str,
        learner: Built,
        parts: Mapping[str, Built | None],
        sizes: SizeList,
        context: Contexts | None,
        samples: int | None,
    ) -> None:
        component = cast(Learner, learner.component)
        learns = component.reads != "nothing"
        segmenter, split = parts.get("segmenter"), parts.get("split")
        self.found.systems.append(
            System(
                name=name,
                learner_name=learner.name,
                learner=component,
                segmenter_name=segmenter.name if segmenter else None,
                segmenter=cast(Segmenter, segmenter.component) if segmenter else None,
                splitter_name=split.name if split else None,
                splitter=cast(Splitter, split.component) if split else None,
                sizes=sizes.listed,
                span=sizes.span,
                context=context,
                training_samples=learns
                * (self.found.training_samples if samples is None else samples),
            )
        )
        self.found.plain.append(
            {
                "name": name,
                "learner": learner.plain,
                "segmenter": segmenter.plain if segmenter else None,
                "split": split.plain if split else None,
                "context": context,
                "training-samples": samples,
                **sizes.plain,
            }
        )

    def _name(self, where: Where, given: dict[str, Any]) -> str | None:
        """Return a system's name, written or made from its parts; check that no other has it."""
        written = given.get("name") is not None
        name: str | None = (
            self.parts.field(SystemKeys, (*where, "name"))
            if written
            else self._default_name(where, given)
        )
        self.found.names.append(name)
        if name is None:
            return None
        folded = [other and other.casefold() for other in self.found.names[:-1]]
        if name.casefold() in folded:
            first = ("systems", folded.index(name.casefold()))
            line = self.parts.document.place(first).line
            at = (*where, "name") if written else where
            what = f"the system on line {line} is called '{name}' too: give one of them a `name`"
            self.parts.problem(at, what)
        return name

    def _default_name(self, where: Where, given: dict[str, Any]) -> str | None:
        """Name a system `learner` or `learner+segmenter`; None if these names are not known."""
        parts = [given[key] for key in ("learner", "segmenter") if given.get(key) is not None]
        uses = [part.get("use") if isinstance(part, dict) else part for part in parts]
        names = [use for use in uses or [self.parts.get(where)] if use and isinstance(use, str)]
        if not names or len(names) < len(uses) or (given and "learner" not in given):
            return None
        name = "+".join(names)
        try:
            return named(name)
        except ValueError:
            what = f"'{name}' can't be part of file names: give the system a `name`"
            self.parts.problem(where, what)
            return None

    def _sizes(self, where: Where, learner: Built | None) -> SizeList | None:
        """Return a system's sizes, its own or the shared ones; none if its learner takes none."""
        own = read_sizes(self.parts, where)
        if learner is None or own is None:
            return None
        if not learner.sized:
            if own.listed:
                self.found.warnings.append(
                    f"system {self.found.names[-1]}: {learner.name} takes no size and ignores them"
                )
            return SizeList()
        if not own.listed and self.shared == SizeList() and not self.without_sizes:
            self.without_sizes = True
            what = "has no sizes: write `sizes` (or `merges`) here or for all systems"
            self.parts.problem(where, what)
        return own if own.listed else self.shared
