"""Checks a config part by part, so that one wrong value hides no other."""

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from tokbench.config.document import Document
from tokbench.config.messages import Fault, coerced, faults, found
from tokbench.config.options import keys_of, meant, unknown_key
from tokbench.config.problems import Problem, Where, as_error
from tokbench.errors import TokbenchError, UsageError


class Parts:
    """The parts of a document; their problems are collected in `problems`."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Problem] = []

    def get(self, where: Where) -> Any:
        """Return the plain value at a place, None where there is none."""
        return self.document.get(where)

    def problem(
        self,
        where: Where,
        what: str,
        *,
        at_key: bool = False,
        error: type[TokbenchError] = UsageError,
        causes: tuple[str, ...] = (),
    ) -> None:
        """Add a problem at a value, or at its key."""
        place = self.document.place(where, key=at_key)
        self.problems.append(Problem(place, where, what, error, causes))

    def faults(self, where: Where, found: Iterable[Fault]) -> bool:
        """Add the faults of a part; return whether there were any."""
        before = len(self.problems)
        for fault in found:
            self.problem((*where, *fault.path), fault.what, at_key=fault.at_key)
        return len(self.problems) > before

    def mapping(self, where: Where) -> dict[str, Any] | None:
        """Return the mapping at a place; None, with a problem, if something else stands there."""
        value = self.get(where)
        if isinstance(value, dict):
            return value
        self.problem(where, f"found {found(value)}, expected a mapping (`key: value`)")
        return None

    def keys(self, where: Where, model: type[BaseModel]) -> dict[str, Any]:
        """Return the mapping at a place, its keys checked: none unknown, none missing."""
        value = self.mapping(where)
        if value is None:
            return {}
        known = keys_of(model)
        unknown = [key for key in value if key not in known]
        for key in unknown:
            self.problem((*where, key), unknown_key(key, known), at_key=True)
        misspelt = {meant(key, known) for key in unknown}
        for name, field in model.model_fields.items():
            key = field.alias or name
            if field.is_required() and key not in value and key not in misspelt:
                self.problem(where, f"the key `{key}` is missing")
        return value

    def checked(self, annotation: Any, where: Where) -> Any:
        """Check the value at a place against a type; None, with problems, if it doesn't fit."""
        data = self.get(where)
        adapter = TypeAdapter(annotation)
        try:
            value = adapter.validate_python(data)
        except ValidationError as error:
            self.faults(where, faults(error, annotation, data))
            return None
        plain = adapter.dump_python(value, mode="json", by_alias=True)
        return None if self.faults(where, coerced(data, plain)) else value

    def field(self, model: type[BaseModel], where: Where) -> Any:
        """Check the value of a model's key; its default if it isn't written."""
        key = where[-1]
        field = next(f for name, f in model.model_fields.items() if (f.alias or name) == key)
        if where not in self.document.values:
            return field.get_default(call_default_factory=True)
        return self.checked(field.rebuild_annotation(), where)

    def raise_all(self) -> None:
        """Raise what is wrong with the YAML and with the parts, if anything is."""
        document = self.document
        unread = {(problem.place, problem.where) for problem in document.problems}
        # An error about a value that could not be read is only a consequence.
        others = [p for p in self.problems if (p.place, p.where) not in unread]
        if problems := [*document.problems, *others]:
            raise as_error(document.path, document.lines, problems)
