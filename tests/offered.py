"""The components that tokbench brings, as the plugins offer them."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from tests.tiny import installed
from tokbench.plugins import Kind


@cache
def offered(kind: Kind) -> Mapping[str, Any]:
    """Return all components of a kind by name."""
    offers = [offer for offer in installed().offers if offer.plugin.package == "tokbench"]
    return MappingProxyType({offer.name: offer.component for offer in offers if offer.kind == kind})
