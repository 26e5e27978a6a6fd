"""What plugins show of a run."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokbench import plugins
from tokbench.api import View
from tokbench.api.component import Use
from tokbench.config.experiment import Limits
from tokbench.errors import BrokenPromiseError, UsageError, cropped
from tokbench.issues import Location, attempt
from tokbench.plugins import Registry

if TYPE_CHECKING:
    from tokbench.run_folder import Run
    from tokbench.runner.children import Here

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
    """Build a view; raises what `Registry.build` raises."""
    view = registry.build("view", Use.model_validate({**options, "use": name}))
    assert isinstance(view, View)
    return view


def shown(view: View, run: "Run", form: str = "") -> str:
    """Show a run, by default in the first format of the view.

    Raises UsageError for another format, BrokenPromiseError for what is no text.
    """
    form = form or view.formats[0]
    if form not in view.formats:
        formats = ", ".join(view.formats)
        raise UsageError(f"--format: found {form!r}; the view can be shown as {formats}")
    text = view.text(run, form)
    if not isinstance(text, str):
        raise BrokenPromiseError(f"`text` returned {cropped(text)}, expected a text")
    return text


def with_additions(run: "Run", registry: Registry) -> tuple["Run", list[str]]:
    """Return a run with what plugins add to its views, and why some could not."""
    added, issues = registry.added(run)
    return replace(run, added=added), [issue.text for issue in issues]


def write_views(
    folder: Path, run: "Run", registry: Registry, files: Files, limits: Limits
) -> tuple[list[str], list[str]]:
    """Write the views that a run folder holds; a view that fails costs only its file.

    Views of others are made in a child process, from the folder, which must be locked. Returns the
    paths of the files inside it, and why others could not be made. Raises InputError where nothing
    can be written.
    """
    from tokbench.run_folder import write_documents

    described = {"folder": str(folder.resolve()), "plugins": registry.plugin_files}
    texts: dict[str, str] = {}
    failures: list[str] = []
    with ExitStack() as stack:
        if registry.foreign([*files.values()]):
            from tokbench.runner.children import Child  # few runs have views of others

            child = stack.enter_context(closing(Child(limits.seconds, limits.megabytes)))
        for name, view in files.items():
            make: Callable[[], str] = partial(shown, view, run, _form(name))
            if registry.foreign([view]):  # a crash of it must not cost the report
                data = {**described, "file": name}
                make = partial(child.call, f"{__name__}:view_there", data, name=name)
            made = attempt(Location(part=name), make)
            failures += [issue.text for issue in made.issues]
            if made.value is not None:
                texts[name] = made.value
    return write_documents(folder, texts), failures


def _form(file_name: str) -> str:
    return file_name.rpartition(".")[2]


def view_there(data: Mapping[str, Any], here: "Here") -> str:
    """Make one view of a run folder in a child process."""
    registry, run = _run_there(data["folder"], *data["plugins"])
    files, _ = files_of(registry.writing_calls(here.calls))
    return shown(files[data["file"]], run, _form(data["file"]))


@lru_cache(1)
def _run_there(folder: str, *plugin_files: str) -> "tuple[Registry, Run]":
    from tokbench.run_folder import Run

    return plugins.load([*map(Path, plugin_files)], lazy=True), Run.load(folder)
