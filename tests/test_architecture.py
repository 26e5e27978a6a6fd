"""Imports point one way, plugins know only the public interface, and start-up stays light."""

import ast
import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import tokbench
from tokbench import api, commands, interchange, printing, recommend, run_folder
from tokbench.api import arrays, text
from tokbench.cli import COMMANDS, GROUP
from tokbench.commands import texts
from tokbench.sizes import advice

from .conftest import ROOT

# Each part may import those that stand after it.
ORDER = (
    "__main__",
    "commands",
    "notebook",
    "cli",
    "runner",
    "recommend",
    "sizes",
    "run_folder",
    "score",
    "cut",
    "config",
    "corpora",
    "interchange",
    "cluster",
    "assertions",
    "significance",
    "plugins",
    "issues",
    "hookspecs",
    "api",
    "printing",
    "failures",
    "errors",
)
PLUGINS = sorted(path.name for path in (ROOT / "plugins").glob("tokbench_*"))
OURS = ("tokbench", *PLUGINS)


@cache
def tree(path: Path) -> ast.Module:
    """Parse a module; most are looked at by several tests."""
    return ast.parse(path.read_text(encoding="utf-8"))


def modules(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Return (module, imported module, imported name) of each import of ours below a folder."""
    for path in sorted(folder.rglob("*.py")):
        module = ".".join(path.relative_to(folder.parent).with_suffix("").parts)
        for node in ast.walk(tree(path)):
            imports = []
            if isinstance(node, ast.Import):
                imports = [(alias.name, "") for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{module} imports relatively"
                imports = [(node.module or "", alias.name) for alias in node.names]
            for imported, name in imports:
                if imported.partition(".")[0] in OURS:
                    yield module, imported, name


def part(module: str, name: str = "") -> str:
    """Return the part of tokbench that an import is of: `tokbench.api.vocabulary` is of `api`."""
    full_name = module if "." in module else f"{module}.{name}"
    return full_name.split(".")[1]


@cache
def core() -> list[tuple[str, str, str]]:
    return [*modules(ROOT / "tokbench")]


@cache
def of_plugins() -> list[tuple[str, str, str]]:
    return [entry for name in PLUGINS for entry in modules(ROOT / "plugins" / name)]


def test_every_part_has_its_place_in_the_order() -> None:
    parts = {path.stem for path in (ROOT / "tokbench").iterdir() if path.suffix in ("", ".py")}
    assert parts - {"__init__", "__pycache__"} == {*ORDER, "testing"}


def test_the_core_imports_downwards_only() -> None:
    upwards = []
    for module, imported, name in core():
        importer, importee = part(module), part(imported, name)
        # The package itself holds the version, and imports its other names only on first use.
        if importer in ("testing", "__init__") or importee == "__version__":
            continue
        if importee not in ORDER[ORDER.index(importer) :]:
            upwards.append(f"{module} imports {imported}")
    assert len(core()) > 200
    assert not upwards


def test_the_run_folder_knows_neither_config_nor_engine() -> None:
    ours = {"api", "errors", "printing", "run_folder", "significance"}
    parts = {
        part(imported, name) for module, imported, name in core() if part(module) == "run_folder"
    }
    assert parts <= ours


def test_cutting_and_scoring_know_neither_config_nor_plugins_nor_failures() -> None:
    unknown = {"config", "plugins", "failures", "interchange", "run_folder", "runner", "cli"}
    for package in ("cut", "score"):
        parts = {
            part(imported, name) for module, imported, name in core() if part(module) == package
        }
        assert not parts & unknown, package


def test_nothing_imports_the_conformance_kit() -> None:
    users = {module for module, imported, name in core() if part(imported, name) == "testing"}
    assert {part(module) for module in users} == {"testing"}


def test_the_core_imports_no_plugin() -> None:
    assert not [entry for entry in core() if entry[1].partition(".")[0] in PLUGINS]


def public_names() -> Iterator[tuple[str, str, bool]]:
    """Yield (name, where, whether it is a class) of each public class and type alias of ours."""
    for top in (ROOT / "tokbench", ROOT / "plugins"):
        for path in sorted(top.rglob("*.py")):
            where = str(path.relative_to(ROOT))
            for node in tree(path).body:
                if isinstance(node, ast.ClassDef):
                    yield node.name, where, True
                elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    name = node.targets[0].id
                    if name[0].isupper() and not name.isupper():
                        yield name, where, False


def test_one_public_class_name_has_one_meaning() -> None:
    """A class shares its name with no other class and with no type alias."""
    definitions: dict[str, list[tuple[str, bool]]] = {}
    for name, where, is_class in public_names():
        if not name.startswith("_"):
            definitions.setdefault(name, []).append((where, is_class))
    assert len(definitions) > 300
    shared = {
        name: [where for where, _ in places]
        for name, places in definitions.items()
        if len(places) > 1 and any(is_class for _, is_class in places)
    }
    assert not shared


PUBLIC = {"tokbench": tokbench, "tokbench.api": api, "tokbench.run_folder": run_folder}
PUBLIC |= {"tokbench.api.arrays": arrays, "tokbench.api.text": text}
PUBLIC["tokbench.printing"] = printing
PUBLIC["tokbench.sizes.advice"] = advice
PUBLIC["tokbench.recommend"] = recommend
PUBLIC["tokbench.commands"] = commands
PUBLIC["tokbench.commands.texts"] = texts
PUBLIC["tokbench.interchange"] = interchange


@cache
def public_in(module: str) -> list[str]:
    """Return the names in a module that are public: those it lists, else all it has or defines."""
    if module not in PUBLIC:
        return []
    imported = PUBLIC[module]
    if module.startswith(("tokbench.commands", "tokbench.run_folder")):  # which hold nothing else
        return [name for name in vars(imported) if not name.startswith("_")]
    defined = tree(Path(str(imported.__file__))).body
    names = [getattr(node, "name", "") for node in defined]
    names += [ast.unparse(target) for node in defined for target in getattr(node, "targets", ())]
    return getattr(imported, "__all__", [name for name in names if name[:1] not in ("", "_")])


def test_plugins_import_only_what_is_public() -> None:
    beyond = []
    for module, imported, name in of_plugins():
        own = imported.partition(".")[0] == module.partition(".")[0]
        public = name in public_in(imported)
        parts = [*imported.split("."), name]
        of_other_plugin = parts[0] in PLUGINS and not any(p.startswith("_") for p in parts)
        if not (own or public or of_other_plugin):
            beyond.append(f"{module} imports {name} from {imported}")
    assert {module.partition(".")[0] for module, *_ in of_plugins()} == set(PLUGINS)
    assert not beyond


RUNNER = "tokbench." + "runner"
INSIDE = {
    "tests/runner/test_children.py": "starts a child of its own",
    "tests/conftest.py": "gives each test a cache of its own",
    "tests/runner/test_cache.py": "damages what a run leaves in the cache",
    "tests/runner/test_remote.py": "runs systems on workers of its own",
    "tests/runner/test_training_samples.py": "tests the formula of the spread",
    "tests/run_cli.py": "imports plugins in this process, not in a child first",
    "tests/tiny.py": "makes a run what tests ask of it",
    "benchmarks/jobs/page.py": "times the views of a run, with and without the page",
    "tests/cutting.py": "measures no speed, since what segmenters were given is counted",
    "benchmarks/product.py": "times what a run does once it has read the texts, and counted words",
}
"""The tests and benchmarks that may know what a run is made of, each with its reason."""


OPEN = ("__version__", "__main__")


def inside(path: Path) -> Iterator[str]:
    """Return what a test or benchmark uses that is not public: the runner, and private names."""
    text = path.read_text(encoding="utf-8")
    if not re.search(r"runner|\b_[A-Za-z]", text):  # most files: parsing takes its time
        return
    for node in ast.walk(ast.parse(text)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            # Programs that are started, and modules that are patched.
            names = [RUNNER] if RUNNER in node.value else []
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith((".object", "setattr")):
            replaced = [arg.value for arg in node.args[1:2] if isinstance(arg, ast.Constant)]
            private = [str(name) for name in replaced if str(name).startswith("_")]
            yield from (name for name in private if not name.endswith("__"))
        for name in names:
            parts = name.split(".")
            hidden = any(part.startswith("_") and part not in OPEN for part in parts)
            if parts[0] in OURS and (hidden or f"{name}.".startswith(f"{RUNNER}.")):
                yield name


def test_tests_and_benchmarks_use_what_is_public() -> None:
    users: dict[str, list[str]] = {}
    for folder in ("tests", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if names := [*inside(path)]:
                users[path.relative_to(ROOT).as_posix()] = names
    assert users.keys() == INSIDE.keys(), users


LOADED = """
import json, os, sys
for name, commands in json.loads(sys.argv[1]).items():
    sys.stdout.flush()
    if os.fork():
        os.wait()
        continue
    from tokbench.cli import main
    codes = set()
    for command in commands:
        sys.argv[1:] = command
        try:
            main()
        except SystemExit as exit:
            codes.add(exit.code)
    print(json.dumps({"name": name, "codes": [*codes], "modules": sorted(sys.modules)}), flush=True)
    os._exit(0)
"""
HEAVY = {"numpy", "pandas", "scipy"}
LIBRARIES = {"dask", "distributed", "fsspec", "pyarrow", "zstandard"}
READING = """
import json, sys, tokbench
before = [name for name in ('numpy', 'tokbench.run_folder') if name in sys.modules]
tokbench.Run
print(json.dumps([before, sorted(sys.modules)]))
"""


Loaded = Mapping[str, tuple[int, set[str]]]


def loaded(groups: Mapping[str, Sequence[Sequence[str]]]) -> Loaded:
    """Run groups of commands, each group in a process of its own that has loaded nothing before.

    Return the one exit code of each group, and the modules loaded at its end.
    """
    program = [sys.executable, "-c", LOADED, json.dumps(groups)]
    done = subprocess.run(program, capture_output=True, check=True, encoding="utf-8")
    by_group = {}
    for line in done.stdout.splitlines():
        if line.startswith('{"name": '):
            group = json.loads(line)
            (code,) = group["codes"]
            by_group[group["name"]] = code, set(group["modules"])
    return by_group


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    """The modules that commands load, and their exit codes."""
    folder = tmp_path_factory.mktemp("configs")
    unknown, missing = folder / "unknown.yaml", folder / "missing.yaml"
    unknown.write_text("corpora: {train: no.txt}\nsystems: [bpee]\n", encoding="utf-8")
    text = "corpora: {train: no.txt, test: no.txt}\nsizes: [9]\n"
    text += "systems: [bpe, char]\nmetrics: [fertility]\n"
    missing.write_text(text, encoding="utf-8")
    there = folder / "there.yaml"
    there.write_text(text.replace("no.txt", "there.txt"), encoding="utf-8")
    (folder / "there.txt").write_text("low lower lowest\n" * 30)
    return loaded(
        {
            "version and help": [["--version"], ["--help"]],
            "help of commands": [[name, "--help"] for name in COMMANDS if name != "show"],
            "help of show": [["show", "--help"], ["show", "table", "--help"]],
            "unknown name": [["run", str(unknown)]],
            "missing file": [["run", str(missing)]],
            "run": [["run", "-q", "-o", str(folder / "run"), str(there)]],
        }
    )


def test_version_and_help_load_no_more_than_the_command_line(started: Loaded) -> None:
    code, names = started["version and help"]
    parts = {name.split(".")[1] for name in names if name.startswith("tokbench.")}
    assert code == 0
    assert parts <= {"cli", "errors", "failures", "printing"}
    assert not names & {*HEAVY, *PLUGINS}


def test_the_help_of_each_command_loads_no_plugin_and_nothing_heavy(started: Loaded) -> None:
    code, names = started["help of commands"]
    assert code == 0
    offered = {entry.name: entry.module for entry in entry_points(group=GROUP)}
    assert {offered.get(name, f"tokbench.cli.{name}") for name in COMMANDS} - {
        "tokbench_commands.show"
    } <= names
    assert not names & {*HEAVY, *LIBRARIES, *PLUGINS} - {"tokbench_commands"}
    code, names = started["help of show"]  # which lists what plugins offer
    assert code == 0
    assert not names & {*HEAVY, *LIBRARIES} - {"pydantic"}


def test_a_run_is_read_without_plugins_scipy_or_pandas() -> None:
    command = [sys.executable, "-c", READING]
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    before, after = json.loads(done.stdout)
    assert not before, "the package itself is light"
    assert "tokbench.run_folder.run" in after
    assert not {*after} & {*PLUGINS, *HEAVY - {"numpy"}}
    parts = {name.split(".")[1] for name in after if name.startswith("tokbench.")}
    assert not parts & {"runner", "config"}
    with pytest.raises(AttributeError, match=r"^module 'tokbench' has no attribute 'Runs'$"):
        _ = tokbench.Runs


def test_a_run_loads_neither_scipy_nor_pandas(started: Loaded) -> None:
    code, names = started["run"]
    assert code == 0
    assert names & {*HEAVY, "rich"} == {"numpy"}


def test_a_config_error_loads_nothing_heavy(started: Loaded) -> None:
    """Neither `regex` nor what reads vocabularies, which take their time too."""
    code, names = started["unknown name"]
    assert code == 2
    # No plugins themselves: they are loaded where a library is called, or a command.
    others = {"tokbench_commands"}
    assert {*PLUGINS} - names == others, "plugins are loaded, to know the names"
    assert names >= {"tokbench.config", "tokbench_metrics"}
    assert not names & {*HEAVY, "regex", "rich", "tokbench_ready_made.vocabulary"}


def test_a_config_error_loads_no_component_that_the_config_does_not_name(started: Loaded) -> None:
    code, names = started["missing file"]
    assert code == 4
    inside = {
        name.partition(".")[0] for name in names if name.startswith("tokbench_") and "." in name
    }
    assert inside == {"tokbench_bpe", "tokbench_metrics"}
    assert {name for name in names if name.startswith("tokbench_metrics.")} == {
        "tokbench_metrics.length",
    }


def test_scripts_import_what_there_is() -> None:
    """Benchmarks, studies and scripts of the docs run seldom, so that no other test would tell."""
    missing = []
    for folder in ("benchmarks", "docs", "studies"):
        for script in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tokbench"):
                    missing += [
                        f"{script.name}: {node.module}.{alias.name}"
                        for alias in node.names
                        if not is_there(f"{node.module}", alias.name)
                    ]
    assert not missing


def is_there(module: str, name: str) -> bool:
    try:
        return hasattr(importlib.import_module(module), name) or bool(
            importlib.util.find_spec(f"{module}.{name}")
        )
    except ModuleNotFoundError:
        return False
