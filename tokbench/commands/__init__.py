"""The public interface for commands: shared options, assertions, the catalogue, configs.

All names here are public. A package offers a command by an entry point of the group
`tokbench.commands`, whose name is that of the command, and whose object is a click command.
`core` has the names of `tokbench.commands.texts`, and `run_folder` those of `tokbench.run_folder`:
both load NumPy when a name is first asked for. `tokbench.interchange` has the formats.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tokbench.api.component import Use, active, kebab
from tokbench.api.files import GZIP, cache_folder, is_address, needing, tokenizer_in
from tokbench.assertions import AssertedNumber, AssertionResult
from tokbench.assertions import results as assertion_results
from tokbench.cli import load_command
from tokbench.cli.assertions import (
    NOT_HELD,
    assert_option,
    parse_assertions,
    say_results,
    warn_of_names,
)
from tokbench.cli.options import (
    PATH,
    Command,
    Decorator,
    plugin_option,
    read_path,
    say,
    verbose_option,
    warn_broken,
    warn_of_plain_python,
)
from tokbench.cli.progress import showing_progress
from tokbench.cli.views import files_of, shown, with_additions, write_views
from tokbench.cluster import LOST, connected, wait_for
from tokbench.config import load_experiment
from tokbench.config.components import Builder
from tokbench.config.document import read_value
from tokbench.config.experiment import Limits, Recommend
from tokbench.config.models import ConfigKeys
from tokbench.config.problems import WrongValueError, checked, keys_of, models_in, worst
from tokbench.corpora.catalogue import (
    CatalogueEntry,
    catalogue_entry,
    find_corpus,
    other_edition,
    read_catalogue,
    recognise_corpus,
    search_folders,
    shipped_folder,
)
from tokbench.corpora.files import STDIN, telling
from tokbench.corpora.opening import Address, shards_of, text_digest
from tokbench.corpora.source import DescribedCorpus, Source, Split
from tokbench.corpora.splitters import PATTERNS
from tokbench.errors import (
    BrokenPromiseError,
    ClashError,
    EncodingError,
    MissingExtraError,
    PluginError,
    TokbenchError,
    cropped,
)
from tokbench.failures import run_plugin_code
from tokbench.plugins import (
    KINDS,
    Kind,
    Offer,
    Plugin,
    Registry,
    check_requirements,
    hook_of,
    load,
)
from tokbench.significance import ALPHA, MINIMUM_UNITS, holm_by_family

if TYPE_CHECKING:
    from tokbench import run_folder
    from tokbench.commands import texts as core
else:

    class _Late:
        """Stands for a module that loads NumPy, for which help and wrong usage need not wait."""

        def __init__(self, module: str) -> None:
            self._module = module

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):  # asked of anything by who looks through a module
                raise AttributeError(name)
            return getattr(import_module(self._module), name)

    core, run_folder = _Late("tokbench.commands.texts"), _Late("tokbench.run_folder")


def crash_on_import() -> Callable[[Plugin], str]:
    """Return what says how the import of a plugin would end this process; "" where it would not."""
    from tokbench.runner.children import ImportTrial  # few commands start a child

    return ImportTrial()
