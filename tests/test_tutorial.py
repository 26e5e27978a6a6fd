"""The plugin tutorial: its code is what the tests run, and it leaves out nothing public."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tokbench import api, hookspecs
from tokbench.api import arrays, text
from tokbench.testing import promises
from tokbench.testing.collect import collected

from .run_cli import tokbench_here

DATA = Path(__file__).parent / "data"
FIRST = DATA / "first_plugin"
FORMAT = DATA / "format_plugin" / "token_list.py"
VIEW = DATA / "view_plugin" / "longest.py"
SAMPLE = DATA / "sample_plugin"
MODULE = SAMPLE / "tokbench_syllables" / "__init__.py"
NOISE = SAMPLE / "tokbench_syllables" / "jamo.py"
SHOWN = {
    FIRST / "lexicon.py": "python",
    FIRST / "lexicon.yaml": "yaml",
    FORMAT: "python",
    VIEW: "python",
    SAMPLE / "pyproject.toml": "toml",
    SAMPLE / "syllables.yaml": "yaml",
    SAMPLE / "tests" / "test_promises.py": "python",
    MODULE: "python",
    NOISE: "python",
}


@pytest.fixture(scope="module")
def tutorial(root: Path) -> str:
    return (root / "plugins" / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Path:
    """A folder with the shipped corpora, and a folder for configs, as the tutorial assumes."""
    shutil.copytree(root / "corpora", tmp_path / "corpora")
    (tmp_path / "configs").mkdir()
    return tmp_path


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.name)
def test_the_tutorial_shows_the_tested_files(tutorial: str, path: Path) -> None:
    assert f"```{SHOWN[path]}\n{path.read_text(encoding='utf-8')}```" in tutorial


def test_the_plugins_are_as_short_as_the_tutorial_says(tutorial: str) -> None:
    first_plugin = (FIRST / "lexicon.py").read_text(encoding="utf-8").splitlines()
    package = MODULE.read_text(encoding="utf-8").splitlines()
    assert len(first_plugin) <= 15
    assert len(package) <= 45
    assert "first one of 15 lines" in tutorial
    assert "in 45 lines" in tutorial


def test_every_hook_and_every_public_name_is_mentioned(tutorial: str) -> None:
    hooks = {name for name in vars(hookspecs) if name.startswith("tokbench_")}
    words = set(re.findall(r"\w+", tutorial))
    assert len(hooks) == 12
    assert hooks <= words
    assert {*api.__all__, *arrays.__all__, *text.__all__} <= words


BASES = (
    api.Component,
    api.Learner,
    api.Segmenter,
    api.Splitter,
    api.VocabularyFormat,
    api.PairGenerator,
    api.Analysis,
    api.View,
    api.PairMetric,
    api.Metric,
    api.Metric,
)
FOR_THE_CORE = {"configure", "describe"}


@pytest.mark.parametrize("base", BASES, ids=lambda base: base.__name__)
def test_everything_that_a_plugin_can_define_is_mentioned(tutorial: str, base: type) -> None:
    own = {*vars(base), *vars(base).get("__annotations__", {})}
    names = {name for name in own if not name.startswith(("_", "model_"))} - FOR_THE_CORE
    assert names
    assert names <= set(re.findall(r"\w+", tutorial))


def test_every_promise_is_mentioned(tutorial: str) -> None:
    broken = [DATA / "broken" / f"{kind}.py" for kind in ("learners", "splitters")]
    names = {promise.name for promise in [*promises(), *promises(files=broken)]}
    mentioned = re.findall(r"^\| [\w ,]+ \| `([^`]+)` \|", tutorial, flags=re.MULTILINE)
    missing = {"installed"}  # in place of all promises where a library is not there
    assert set(mentioned) == names - missing


def test_the_broken_promise_in_the_tutorial_is_a_real_one(tutorial: str) -> None:
    name = "segmenter drops-text: covers"
    checks = collected(None, [DATA / "broken" / "segmenters.py"], {})
    (promise,) = (promise for _, promise in checks if str(promise) == name)
    with pytest.raises(AssertionError) as broken:
        promise.check()
    assert str(broken.value).splitlines()[0] in " ".join(tutorial.split())


@pytest.mark.ci
@pytest.mark.parametrize(
    "path", [FIRST / "lexicon.py", FORMAT, VIEW, MODULE, NOISE], ids=lambda path: path.name
)
def test_the_plugins_of_the_tutorial_keep_their_promises(path: Path) -> None:
    for promise in promises(files=[path]):
        promise.check()


@pytest.mark.ci
def test_the_first_plugin_gives_what_the_tutorial_shows(
    tutorial: str, root: Path, checkout: Path, golden: Callable[[Path, str], None]
) -> None:
    for path in FIRST.glob("lexicon.*"):
        shutil.copy(path, checkout / "configs")
    command, *shown = re.search(r"```\n\$ (tokbench run .*?)```", tutorial, re.S)[1].splitlines()
    done = tokbench_here(*command.split()[1:], cwd=checkout)
    assert (done.returncode, done.stderr) == (0, "")
    assert shown
    printed = [line.rstrip() for line in done.stdout.splitlines()][: len(shown)]
    golden(root / "plugins" / "README.md", tutorial.replace("\n".join(shown), "\n".join(printed)))
