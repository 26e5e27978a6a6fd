"""The components that tokbench brings, as the plugins offer them."""

from typing import Any

from tokbench import plugins
from tokbench.plugins import Kind


def offered(kind: Kind) -> dict[str, Any]:
    """Return all components of a kind by name."""
    found = [offer for offer in plugins.load().offers if offer.plugin.package == "tokbench"]
    return {offer.name: offer.component for offer in found if offer.kind == kind}
