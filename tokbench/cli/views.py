"""What plugins show of a run."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from pydantic import ValidationError

from tokbench.api import View
from tokbench.api.component import Use
from tokbench.errors import BrokenPromiseError, UsageError, cropped
from tokbench.issues import Location, attempt
from tokbench.plugins import Registry

if TYPE_CHECKING:
    from tokbench.run_folder import Run

Files = Mapping[str, View]
"""The views that each run folder holds, by the names of their files."""


def files_of(registry: Registry) -> tuple[Files, list[str]]:
    """Return the views that run folders hold, and why others cannot be built."""
    built, issues = registry.build_all("view")
    views = {name: view for name, view in built.items() if isinstance(view, View)}
    failures = [issue.text for issue in issues]
    files: dict[str, View] = {}
    for name, view in views.items():
        if view.file_name in files:
            failures.append(f"view {name}: another view has the file {view.file_name}")
        elif view.file_name:
            files[view.file_name] = view
    return files, failures


def view_of(registry: Registry, name: str, options: Mapping[str, str] = {}) -> View:
    """Build a view; raises what `Registry.find` raises, and UsageError for wrong options."""
    try:
        view = registry.build("view", Use.model_validate({**options, "use": name}))
    except ValidationError as error:
        raise UsageError(f"view {name}: {error.errors()[0]['msg']}") from None
    assert isinstance(view, View)
    return view


def shown(view: View, run: "Run", form: str = "") -> str:
    """Show a run, by default in the first format of the view.

    Raises UsageError for another format, BrokenPromiseError for what is no text.
    """
    form = form or view.formats[0]
    if form not in view.formats:
        known = ", ".join(view.formats)
        raise UsageError(f"--format: found {form!r}; the view can be shown as {known}")
    text = view.text(run, form)
    if not isinstance(text, str):
        raise BrokenPromiseError(f"`text` returned {cropped(text)}, expected a text")
    return text


def documents(files: Files, run: "Run") -> tuple[dict[str, str], list[str]]:
    """Return the texts of files, and why others could not be made: that must not cost the run."""
    texts, failures = {}, []
    for name, view in files.items():
        made = attempt(Location(part=name), partial(shown, view, run, name.rpartition(".")[2]))
        failures += [issue.text for issue in made.issues]
        if made.value is not None:
            texts[name] = made.value
    return texts, failures
