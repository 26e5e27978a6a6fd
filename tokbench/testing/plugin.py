"""The promises of plugins as such."""

from collections.abc import Sequence
from pathlib import Path

from tokbench.plugins import Plugin, Registry
from tokbench.testing.fresh import in_fresh_process
from tokbench.testing.promise import expect


def loads(plugin: Plugin, registry: Registry) -> None:
    """Check that the plugin can be imported and its hooks give components."""
    reasons = [broken.reason for broken in registry.broken if broken.plugin is plugin]
    expect(not reasons, "the import of the plugin", "; ".join(reasons), "components from its hooks")


def imports_little(plugin: Plugin, files: Sequence[Path]) -> None:
    """Check that the import loads no more than the standard library, tokbench and plugins."""
    own = [file for file in files if str(file) == plugin.package]
    found = in_fresh_process("heavy imports", own, name=plugin.name, package=plugin.package)
    expect(
        not found,
        "the import of the plugin's top module",
        f"an import of {', '.join(found)}",
        "such imports inside the methods that need them, so that a config error is shown at once",
    )
