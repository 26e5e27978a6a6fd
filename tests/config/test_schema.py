"""The JSON Schema agrees with what the loader takes and refuses."""

import re

import jsonschema
import pytest
import yaml
from tokbench_commands.schema import schema

from tests.shipped import ROOT
from tokbench import plugins
from tokbench.config import ConfigError, load_experiment

VALIDATOR = jsonschema.Draft202012Validator(schema())
SHIPPED = sorted((ROOT / "configs").glob("*.yaml"))
CORPORA = "corpora: {train: train.txt, test: test.txt}\n"


def errors(text):
    return [error.message for error in VALIDATOR.iter_errors(yaml.safe_load(text))]


def test_the_schema_is_a_schema():
    VALIDATOR.check_schema(schema())


def test_every_shipped_config_fits_the_schema():
    assert {path.name for path in SHIPPED} >= {"bpe.yaml", "korean.yaml", "toy.yaml"}
    for path in SHIPPED:
        assert errors(path.read_text(encoding="utf-8")) == [], path.name


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_shipped_config_can_be_run_as_it_is(path, shared, monkeypatch):
    if path.stem == "korean-morphemes":
        pytest.importorskip("mecab", reason="python-mecab-ko has no wheel for Python 3.13")
    monkeypatch.setenv("TOKBENCH_MODELS", str(shared / "tokenizers"))
    experiment = load_experiment(path, plugins.load())
    assert experiment.systems
    assert all("`all` leaves out" in warning for warning in experiment.warnings)


def test_the_example_of_the_readme_fits_the_schema_and_can_be_run(root, tmp_path):
    page = (root / "configs/README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert errors(example) == []
    (tmp_path / "corpora").symlink_to(root / "corpora")
    (tmp_path / "configs").mkdir()
    path = tmp_path / "configs/example.yaml"
    path.write_text(example, encoding="utf-8")
    experiment = load_experiment(path, plugins.load())
    names = [system.name for system in experiment.systems]
    assert names == ["bpe", "textbook", "bpe+longest-match", "char", "word"]


@pytest.mark.parametrize(
    "text",
    [
        CORPORA + "sizes: {from: 100, to: 900, curve: true}\nsystems: [bpe]\n",
        CORPORA + "systems: [{learner: bpe, merges: {list: [0, 5], to: 9}}]\n",
        CORPORA + "merges: [0]\nsystems: [{learner: {use: bpe, merge: list}}]\nbaseline: null\n",
        "corpora: {train: a, test: {b: {split: 0.1}, c: d}}\nsizes: [1]\nsystems: [char]\n",
        "corpora: {train: {path: [a, b]}, gold: {c: {path: d}}}\nsizes: [1]\nsystems: [char]\n",
    ],
)
def test_the_schema_takes_what_the_loader_takes(text):
    assert errors(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "corpora: {train: train.txt}\nsizes: [100]\nsystems: [bpe]\n",
        CORPORA + "sizes: [100]\nsystems: []\n",
        CORPORA + "sizes: {from: 100}\nsystems: [bpe]\n",
        CORPORA + "sizes: [1]\nmerges: [1]\nsystems: [bpe]\n",
        CORPORA + "sizes: [1]\nsystems: [{use: bpe}]\n",
        CORPORA + "sizes: [1]\nsystems: [{learner: bpe, sises: [1]}]\n",
        CORPORA + "sizes: [1]\nsystems: [bpe]\nseed: -1\n",
        "corpora: {train: {path: a, catalog: b}, test: c}\nsizes: [1]\nsystems: [bpe]\n",
        "corpora: {train: a, lists: b}\nsizes: [1]\nsystems: [bpe]\n",
    ],
)
def test_the_schema_refuses_what_the_loader_refuses(text, load):
    assert errors(text)
    with pytest.raises(ConfigError):
        load(text)
