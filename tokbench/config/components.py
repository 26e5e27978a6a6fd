"""From names to components: every name is looked up, every option checked where it stands."""

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from tokbench.api import Component, Learner
from tokbench.api.component import Use, kebab
from tokbench.config.messages import Fault, coerced, faults
from tokbench.config.options import keys_of, unknown_key
from tokbench.config.parts import Parts
from tokbench.config.problems import Where
from tokbench.errors import BrokenPluginError, PluginError, TokbenchError
from tokbench.failures import reported
from tokbench.plugins import Kind, Registry


@dataclass(frozen=True)
class Built:
    """A component under its name, and its JSON form `{"use": name, option: value}`.

    `sized` says of a learner whether a size has any effect on it.
    """

    name: str
    component: Component
    plain: dict[str, Any]
    sized: bool


class Builder:
    """Builds the components that a config names; their problems go to `parts`."""

    def __init__(self, parts: Parts, registry: Registry, seed: int) -> None:
        self.parts = parts
        self.registry = registry
        self.seed = seed

    def at(self, kind: Kind, where: Where) -> Built | None:
        """Build the component written at a place; None, with problems, if that can't be done."""
        use = self.parts.checked(Use, where)
        return self.build(kind, use, where) if use else None

    def build(self, kind: Kind, use: Use, where: Where) -> Built | None:
        """Build a component; None, with problems at `where`, if that can't be done."""
        name = (*where, "use")
        at_name = name if self.parts.get(name) is not None else where
        try:
            component = self.registry.find(kind, use.use).component
            if self._misspelt(component, use, where):
                return None
            folder = self.parts.document.path.parent
            seeded = "seed" in component.model_fields and "seed" not in use.options
            options = use.options | ({"seed": self.seed} if seeded else {})
            built = self.registry.build(kind, Use(use=use.use, **options), folder)
            plain = built.model_dump(mode="json", by_alias=True)
            sized = not isinstance(built, Learner) or built.sized
        except BrokenPluginError as error:
            self.parts.problem(at_name, error.missing, error=PluginError, causes=error.causes)
            return None
        except TokbenchError as error:
            self.parts.problem(at_name, str(error), error=type(error))
            return None
        except ValidationError as error:
            self.parts.faults(where, faults(error, component, use.options))
            return None
        except (KeyboardInterrupt, MemoryError):
            raise
        except BaseException as error:
            # Validators and properties belong to plugins, and may raise anything.
            what = f"the {kind} '{use.use}' failed on these options: {reported(error)}"
            self.parts.problem(where, what, error=PluginError)
            return None
        if self.parts.faults(where, coerced(use.options, plain)):
            return None
        return Built(use.use, built, {"use": use.use, **plain}, sized)

    def _misspelt(self, component: type[Component], use: Use, where: Where) -> bool:
        """Refuse options spelled as Python spells them, which pydantic would accept."""
        known = keys_of(component)
        python = [key for key in use.options if key not in known and kebab(key) in known]
        return self.parts.faults(
            where, (Fault((key,), unknown_key(key, known), at_key=True) for key in python)
        )
