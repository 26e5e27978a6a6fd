"""From names and options to components: every option is checked where it stands."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from unicodedata import category

from pydantic import AfterValidator, ValidationError, ValidationInfo

from tokbench.api import Component, Learner
from tokbench.api.component import Use
from tokbench.config.problems import Problem, WrittenAs, WrongValueError, problems_in
from tokbench.errors import BrokenPluginError, PluginError, TokbenchError
from tokbench.failures import reported
from tokbench.plugins import Kind, Registry

MAX_NAME = 100
MAX_NAME_BYTES = 200
_IN_NAME = " .,+=()-_"


def named(name: str) -> str:
    """Check a name that will stand in file names and tables; raises ValueError."""
    kinds = [category(char)[0] for char in name]
    if not (
        0 < len(name) <= MAX_NAME
        and all(kind in "LMN" or char in _IN_NAME for kind, char in zip(kinds, name, strict=True))
        and (kinds[0] in "LN" or name[0] == "_")
        and name[-1] not in " ."
    ):
        raise ValueError(
            f"found {name!r}, expected a name that begins with a letter, digit or _, of at most "
            "100 letters, digits, spaces and any of . , + = ( ) - _"
        )
    if len(name.encode()) > MAX_NAME_BYTES:
        raise ValueError(
            f"found a name of {len(name.encode())} bytes, expected at most {MAX_NAME_BYTES}, since "
            "it will be part of file names"
        )
    return name


Name = Annotated[str, AfterValidator(named)]
"""The name of a system or a corpus."""


@dataclass(frozen=True)
class Built:
    """A component under its name, and its JSON form `{"use": name, option: value}`.

    `sized` says of a learner whether a size has any effect on it.
    """

    name: str
    component: Any
    plain: dict[str, Any]
    sized: bool

    @property
    def described(self) -> str:
        """The name with the options that differ from their defaults."""
        component: Component = self.component
        return component.describe(self.name)


@dataclass(frozen=True)
class Builder:
    """Builds the components of a registry; their options name files from a `folder` on.

    Components that draw random numbers are given the `seed`, unless their options name one. In a
    config the files of corpora are looked for too, unless `looks_for_files` is False.
    """

    registry: Registry
    folder: Path | None = None
    seed: int | None = None
    looks_for_files: bool = True

    def build(self, kind: Kind, use: Use) -> Built:
        """Build a component of a kind, from its name and options.

        Raises WrongValueError for its options, UsageError or PluginError for its name.
        """
        component = self.registry.find(kind, use.use).component
        options = use.options
        if self.seed is not None and "seed" in component.model_fields:
            options = {"seed": self.seed, **options}
        try:
            built = self.registry.build(kind, Use(use=use.use, **options), self.folder)
            plain = built.model_dump(mode="json", by_alias=True)
            sized = not isinstance(built, Learner) or built.sized
        except ValidationError as error:
            raise WrongValueError(*problems_in(error, component, options)) from None
        except (KeyboardInterrupt, MemoryError, TokbenchError):
            raise
        except BaseException as error:
            # Validators and properties belong to plugins, and may raise anything.
            what = f"'{use.use}' failed on these options: {reported(error)}"
            raise WrongValueError(Problem((), what, error=PluginError)) from error
        return Built(use.use, built, {"use": use.use, **plain}, sized)

    def build_in_config(self, kind: Kind, use: Use, *where: str) -> Built:
        """Build a component that is written at a place of a config's part.

        Raises WrongValueError for whatever is wrong, at that place.
        """
        try:
            return self.build(kind, use)
        except WrongValueError as error:
            problems = [problem.inside(*where) for problem in error.problems]
        except BrokenPluginError as error:
            what = error.missing
            problems = [Problem((*where, "use"), what, error=PluginError, causes=error.causes)]
        except TokbenchError as error:
            problems = [Problem((*where, "use"), str(error), error=type(error))]
        raise WrongValueError(*problems)


Info = ValidationInfo[Builder]
"""What a check of a config's key is given, with the builder as its context."""


def component(kind: Kind) -> WrittenAs:
    """Mark a key that names a component of a kind, which is built as the key is checked."""

    def built(use: Use, info: Info) -> Built:
        return info.context.build_in_config(kind, use)

    return WrittenAs(Use, built)
