"""Find, load, check and index plugins."""

from tokbench.plugins.declarations import TEXTS, has_type, is_file_name
from tokbench.plugins.kinds import BASES, KINDS, Kind, hook_of
from tokbench.plugins.loading import GROUP, load
from tokbench.plugins.registry import (
    Broken,
    Offer,
    Plugin,
    Registry,
    check_requirements,
)
