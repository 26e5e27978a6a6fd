"""`tokbench new-plugin`: a package with a learner and a segmenter, whose tests pass."""

import re
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import click

from tokbench import __version__
from tokbench.api import UsageError
from tokbench.commands import load
from tokbench_commands.shared import write_files

TEMPLATES = {
    "pyproject.toml": "pyproject.txt",
    "README.md": "README.md",
    "{module}/__init__.py": "plugin.txt",
    "tests/test_promises.py": "test_promises.txt",
    "example.yaml": "example.yaml",
    "text.txt": "text.txt",
}
"""The files of a package, and the templates that they are made of."""

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
LONGEST = 50


@click.command("new-plugin")
@click.argument("name")
def command(name: str) -> None:
    """Write the package tokbench-NAME into a new folder of that name.

    It has a learner and a segmenter called NAME, an example config, and the tests of the
    conformance kit, which pass. No file is written over.
    """
    if not NAME.fullmatch(name) or len(name) > LONGEST:
        raise UsageError(
            f"{name!r}: expected small letters, digits and single hyphens, beginning with a letter,"
            f" at most {LONGEST}, such as my-tokenizer"
        )
    module = f"tokbench_{name.replace('-', '_')}"
    for offer in load(lazy=True).offers:
        if offer.name == name:
            raise UsageError(
                f"{name!r}: choose another name: {offer.plugin.package} offers a {offer.kind} of"
                " this name"
            )
    if find_spec(module) is not None:
        raise UsageError(f"{name!r}: choose another name: the package {module} is installed")
    folder = Path(f"tokbench-{name}")
    if folder.exists() or folder.is_symlink():
        raise UsageError(f"{folder}: already exists: choose another name")
    values = {
        "@NAME@": name,
        "@MODULE@": module,
        "@CLASS@": "".join(part.capitalize() for part in name.split("-")),
        "@VERSION@": __version__,
    }
    written = {}
    for target, template in TEMPLATES.items():
        text = files("tokbench_commands").joinpath("templates", template).read_text("utf-8")
        for mark, value in values.items():
            text = text.replace(mark, value)
        written[folder / target.format(module=module)] = text
    write_files(written)
    click.echo(
        f"{folder}: a learner and a segmenter called {name}\n"
        f"Next: cd {folder} && pip install -e '.[test]' && pytest && tokbench run example.yaml"
    )
