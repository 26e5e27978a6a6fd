"""The promises of plugins as such."""

from collections.abc import Sequence
from pathlib import Path

from tokbench.plugins import Plugin, Registry
from tokbench.testing.fresh import in_fresh_process
from tokbench.testing.promise import PromiseError, expect


def loads(plugin: Plugin, registry: Registry) -> None:
    """Check that the plugin can be imported and its hooks give components."""
    for broken in registry.broken:
        if broken.plugin is plugin:
            raise PromiseError(f"given the import of the plugin: {broken.reason}")


def imports_little(plugin: Plugin, files: Sequence[Path]) -> None:
    """Check that the import loads no more than the standard library, tokbench and plugins."""
    own = [file for file in files if str(file) == plugin.package]
    found = in_fresh_process("heavy imports", own, name=plugin.name, package=plugin.package)
    expect(
        not found,
        "the import of the plugin's top module",
        f"{', '.join(found)} imported too",
        "imports of other packages inside the methods that need them",
    )
