"""`tokbench new-plugin`: a package with components of some kinds, whose tests pass."""

import re
from collections.abc import Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import click

from tokbench import __version__
from tokbench.api import UsageError
from tokbench.commands import PATH, Kind, hook_of, load
from tokbench_commands.shared import write_files

TEMPLATES = {
    "pyproject.toml": "pyproject.txt",
    "README.md": "README.md",
    "tests/test_promises.py": "test_promises.txt",
    "text.txt": "text.txt",
}
"""The files of a package, and the templates that they are made of."""

KINDS: tuple[Kind, ...] = ("learner", "segmenter", "metric", "splitter", "view", "format")
"""The kinds that have a template, which becomes a module of the package."""

EXAMPLE = """corpora:
  train: text.txt
  test: {{held-out: {{split: 0.2, of: train, by: line}}}}
merges: [10, 40]
systems: [{systems}]
metrics: [{metrics}]
"""
SYSTEMS = {
    "learner": "@NAME@",
    "segmenter": "{learner: char, segmenter: @NAME@}",
    "splitter": "{name: split, learner: bpe, split: @NAME@}",
}
"""How a config uses a kind as a system."""

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
LONGEST = 50


@click.command("new-plugin")
@click.argument("name")
@click.option(
    "--with", "kinds", default="learner,segmenter", metavar="KIND,...",
    help=f"What it offers: some of {', '.join(KINDS)}.  [default: learner,segmenter]",
)  # fmt: skip
@click.option("-o", "--output", type=PATH, help="The folder to write [default: tokbench-NAME].")
def command(name: str, kinds: str, output: Path | None) -> None:
    """Write the package tokbench-NAME into a new folder.

    It has a learner and a segmenter called NAME, or the kinds of --with, an example config, and the
    tests of the conformance kit, which pass. No file is written over.
    """
    if not NAME.fullmatch(name) or len(name) > LONGEST:
        raise UsageError(
            f"{name!r}: expected small letters, digits and single hyphens, beginning with a letter,"
            f" at most {LONGEST}, such as my-tokenizer"
        )
    wanted = {kind.strip() for kind in kinds.split(",")}
    chosen = [kind for kind in KINDS if kind in wanted]
    if wanted - {*chosen}:
        raise UsageError(f"--with: found {kinds!r}, expected some of {','.join(KINDS)}")
    module = f"tokbench_{name.replace('-', '_')}"
    for offer in load(lazy=True).offers:
        if offer.name == name:
            raise UsageError(
                f"{name!r}: choose another name: {offer.plugin.package} offers a {offer.kind} of"
                " this name"
            )
    if find_spec(module) is not None:
        raise UsageError(f"{name!r}: choose another name: the package {module} is installed")
    folder = output or Path(f"tokbench-{name}")
    if folder.exists() or folder.is_symlink():
        raise UsageError(f"{folder}: already exists: choose another name")
    values = {
        "@NAME@": name,
        "@MODULE@": module,
        "@CLASS@": "".join(part.capitalize() for part in name.split("-")),
        "@KINDS@": " and ".join(filter(None, (", ".join(chosen[:-1]), chosen[-1]))),
        # A metric has a command of its own, and a format is only listed.
        "@SHOW@": {"metric": f"metrics {name}", "format": "plugins"}.get(kinds, f"plugins {name}"),
        "@SEGMENTER@": name if "segmenter" in chosen else "longest-match",
        "@VERSION@": __version__,
    }
    templates = TEMPLATES | {f"{module}/{kind}.py": f"{kind}.txt" for kind in chosen}
    texts = {
        target: files("tokbench_commands").joinpath("templates", template).read_text("utf-8")
        for target, template in templates.items()
    }
    texts[f"{module}/py.typed"] = ""
    texts[f"{module}/__init__.py"] = _hooks(chosen)
    texts["example.yaml"] = _example(chosen)
    for mark, value in values.items():
        texts = {target: text.replace(mark, value) for target, text in texts.items()}
    write_files({folder / target: text for target, text in texts.items()})
    click.echo(
        f"{folder}: {values['@KINDS@']} called {name}\n"
        f"Next: cd {folder} && pip install -e '.[test]' && pytest && tokbench run example.yaml"
    )


SECTIONS = '''

@hookimpl
def tokbench_report_sections(run: "Run") -> dict[str, str]:
    """Show the view in report.md too."""
    from @MODULE@.view import @CLASS@View

    return {"@NAME@": @CLASS@View().text(run, "md")}


@hookimpl
def tokbench_page_sections(run: "Run") -> dict[str, str]:
    """Show the view on the page too, as plain text."""
    from @MODULE@.view import @CLASS@View

    return {"@NAME@": f"<pre>{escape(@CLASS@View().text(run, 'md'))}</pre>"}
'''


def _hooks(kinds: Sequence[Kind]) -> str:
    """Return the module that offers a component of each kind."""
    text = '"""The hooks of tokbench-@NAME@."""\n\n'
    if "view" in kinds:
        text += "from html import escape\nfrom typing import TYPE_CHECKING\n\n"
    text += "from tokbench.api import hookimpl\n"
    if "view" in kinds:
        text += "\nif TYPE_CHECKING:\n    from tokbench.run_folder import Run\n"
    text += "".join(
        f'''

@hookimpl
def {hook_of(kind)}() -> dict[str, str]:
    """Offer the {kind}, whose module is imported when it is used."""
    return {{"@NAME@": "@MODULE@.{kind}:@CLASS@{kind.capitalize()}"}}
'''
        for kind in kinds
    )
    return text + SECTIONS * ("view" in kinds)


def _example(kinds: Sequence[Kind]) -> str:
    """Return a config that uses what it can of the kinds."""
    without = {"segmenter"} if "learner" in kinds else set()  # its vocabulary names the segmenter
    uses = [use for kind, use in SYSTEMS.items() if kind in {*kinds} - without]
    systems = ", ".join([*uses, "bpe", "char"])
    metrics = ", ".join(["oov-words-running", "fertility", *["@NAME@"] * ("metric" in kinds)])
    return EXAMPLE.format(systems=systems, metrics=metrics)
