"""Imports point one way, plugins know only the public interface, and start-up stays light."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tokbench import api
from tokbench.cli import COMMANDS, module_of

from .conftest import ROOT

# Each part may import those that stand after it.
ORDER = (
    "__main__",
    "cli",
    "report",
    "runner",
    "config",
    "corpora",
    "metrics",
    "interchange",
    "stats",
    "significance",
    "plugins",
    "hookspecs",
    "api",
    "docstrings",
    "failures",
    "errors",
)
PLUGINS = sorted(path.name for path in (ROOT / "plugins").glob("tokbench_*"))
OURS = ("tokbench", *PLUGINS)


def modules(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Give (module, imported module, imported name) of each import of ours below a folder."""
    for path in sorted(folder.rglob("*.py")):
        module = ".".join(path.relative_to(folder.parent).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            found = []
            if isinstance(node, ast.Import):
                found = [(alias.name, "") for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{module} imports relatively"
                found = [(node.module or "", alias.name) for alias in node.names]
            for imported, name in found:
                if imported.partition(".")[0] in OURS:
                    yield module, imported, name


def part(module: str, name: str = "") -> str:
    """Give the part of tokbench that an import is of: `tokbench.api.marks` is of `api`."""
    whole = module if "." in module else f"{module}.{name}"
    return whole.split(".")[1]


CORE = [*modules(ROOT / "tokbench")]
OF_PLUGINS = [found for name in PLUGINS for found in modules(ROOT / "plugins" / name)]


def test_every_part_has_its_place_in_the_order() -> None:
    parts = {path.stem for path in (ROOT / "tokbench").iterdir() if path.suffix in ("", ".py")}
    assert parts - {"__init__", "__pycache__"} == {*ORDER, "testing"}


def test_the_core_imports_downwards_only() -> None:
    upwards = []
    for module, imported, name in CORE:
        importer, importee = part(module), part(imported, name)
        # The version stands in the package itself.
        if importer == "testing" or importee == "__version__":
            continue
        if importee not in ORDER[ORDER.index(importer) :]:
            upwards.append(f"{module} imports {imported}")
    assert len(CORE) > 200
    assert not upwards


def test_nothing_imports_the_conformance_kit() -> None:
    users = {module for module, imported, name in CORE if part(imported, name) == "testing"}
    assert {part(module) for module in users} == {"testing"}


def test_the_core_imports_no_plugin() -> None:
    assert not [found for found in CORE if found[1].partition(".")[0] in PLUGINS]


def test_plugins_import_only_what_is_public() -> None:
    beyond = []
    for module, imported, name in OF_PLUGINS:
        own = imported.partition(".")[0] == module.partition(".")[0]
        public = imported == "tokbench.api" and name in api.__all__
        parts = [*imported.split("."), name]
        of_other_plugin = parts[0] in PLUGINS and not any(p.startswith("_") for p in parts)
        if not (own or public or of_other_plugin):
            beyond.append(f"{module} imports {name} from {imported}")
    assert {module.partition(".")[0] for module, *_ in OF_PLUGINS} == set(PLUGINS)
    assert not beyond


LOADED = """
import json, sys
from tokbench.cli import COMMANDS, main
commands = [[name, '--help'] for name in COMMANDS] if sys.argv[1:] == ['each'] else [sys.argv[1:]]
for command in commands:
    sys.argv[1:] = command
    try:
        main()
    except SystemExit as exit:
        code = exit.code
print(json.dumps([code, sorted(sys.modules)]))
"""
HEAVY = {"numpy", "pandas", "scipy"}


def loaded(*arguments: str) -> tuple[int, set[str]]:
    """Run a command in a fresh process; give its exit code and the modules loaded at its end."""
    command = [sys.executable, "-c", LOADED, *arguments]
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    code, names = json.loads(done.stdout.splitlines()[-1])
    return code, set(names)


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_version_and_help_load_no_more_than_the_command_line(argument: str) -> None:
    code, names = loaded(argument)
    parts = {name.split(".")[1] for name in names if name.startswith("tokbench.")}
    assert code == 0
    assert parts <= {"cli", "errors", "failures", "report"}
    assert not names & {*HEAVY, *PLUGINS}


def test_the_help_of_each_command_loads_no_plugin_and_nothing_heavy() -> None:
    code, names = loaded("each")
    assert code == 0
    assert set(map(module_of, COMMANDS)) <= names
    assert not names & {*HEAVY, *PLUGINS}


def test_a_config_error_loads_nothing_heavy(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("corpora: {train: no.txt}\nsystems: [bpee]\n", encoding="utf-8")
    code, names = loaded("run", str(config))
    assert code == 2
    assert set(PLUGINS) <= names, "plugins are loaded, to know the names that a config may use"
    assert not names & HEAVY
