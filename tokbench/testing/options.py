"""Checks for every component: what it says of itself."""

from collections.abc import Iterator

from tokbench.api import Component
from tokbench.api.component import Options, kebab
from tokbench.docstrings import docstring
from tokbench.testing.promise import expect
from tokbench.testing.subject import Subject


def documented(subject: Subject[Component]) -> None:
    """Check that a docstring says what the component does, and a description each option."""
    component = type(subject.component)
    expect(
        bool(docstring(component)),
        f"the class {component.__name__}",
        "no docstring",
        "one sentence that says what it does",
    )
    without = list(_undescribed(component))
    expect(
        not without,
        f"the options of {component.__name__}",
        f"no description of {', '.join(without)}",
        'each as `Field(default, description="...")`',
    )


def _undescribed(model: type[Options]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        if not field.description:
            yield kebab(name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, Options):
            yield from (f"{kebab(name)}.{inner}" for inner in _undescribed(field.annotation))
