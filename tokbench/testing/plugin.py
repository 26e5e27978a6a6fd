"""The promises of every plugin, and of what each component says of itself."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from tokbench.api import Component
from tokbench.api.component import Options, kebab
from tokbench.plugins import Plugin, Registry
from tokbench.testing.fresh import in_fresh_process
from tokbench.testing.promise import PromiseError, expect
from tokbench.testing.subject import Subject


def loads(plugin: Plugin, registry: Registry) -> None:
    """Check that the plugin can be imported and its hooks give components."""
    for broken in registry.broken:
        if broken.plugin is plugin:
            raise PromiseError(f"given the import of the plugin: {broken.reason}")


def imports_little(plugin: Plugin, files: Sequence[Path]) -> None:
    """Check that the import loads no more than the standard library, tokbench and plugins."""
    own = [file for file in files if str(file) == plugin.package]
    found = in_fresh_process(
        "tokbench.plugins.importing:heavy_imports", own, name=plugin.name, package=plugin.package
    )
    got = f"{', '.join(found)} imported too"
    right = "imports of other packages inside the methods that need them"
    expect(not found, "the import of the plugin's top module", got, right)


def documented(subject: Subject[Component]) -> None:
    """Check that a docstring says what the component does, and a description each option."""
    component = type(subject.component)
    what = f"the class {component.__name__}"
    expect(bool(component.__doc__), what, "no docstring", "one sentence that says what it does")
    without = list(_undescribed(component))
    got = f"no description of {', '.join(without)}"
    right = 'each as `Field(default, description="...")`'
    expect(not without, f"the options of {component.__name__}", got, right)


def _undescribed(model: type[Options]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        if not field.description:
            yield kebab(name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, Options):
            yield from (f"{kebab(name)}.{inner}" for inner in _undescribed(field.annotation))
