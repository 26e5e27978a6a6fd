"""From names and options to components: every option is checked where it stands."""

import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError, ValidationInfo

from tokbench.api import Component, Learner
from tokbench.api.component import Use
from tokbench.config.messages import WrittenAs, problems_in
from tokbench.config.problems import Problem, WrongValueError
from tokbench.errors import BrokenPluginError, PluginError, TokbenchError
from tokbench.failures import reported
from tokbench.plugins import Kind, Registry


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
            with redirect_stdout(sys.stderr):  # stdout is for data, whatever a plugin prints
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
            raise WrongValueError(*(one.inside(*where) for one in error.problems)) from None
        except BrokenPluginError as error:
            problem = Problem((*where, "use"), error.missing, False, PluginError, error.causes)
        except TokbenchError as error:
            problem = Problem((*where, "use"), str(error), error=type(error))
        raise WrongValueError(problem)


Info = ValidationInfo[Builder]
"""What a check of a config's key is given, with the builder as its context."""


def component(kind: Kind) -> WrittenAs:
    """Mark a key that names a component of a kind, which is built as the key is checked."""

    def built(use: Use, info: Info) -> Built:
        return info.context.build_in_config(kind, use)

    return WrittenAs(Use, built)
