"""The part `corpora`: forms, names, files."""

from pathlib import Path

import pytest

from tests.tiny import installed
from tokbench.config import load_experiment

REST = "sizes: [100]\nsystems: [bpe]\n"


def corpora(text):
    return f"corpora: {text}\n{REST}"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("{train: train.txt, test: {split: 0.1, by: document}}", ["test"]),
        ("{train: train.txt, test: {catalog: shakespeare}}", ["test"]),
        ("{train: train.txt, test: {'no': test.txt, \"010\": {split: 0.2}}}", ["no", "010"]),
    ],
)
def test_a_test_text_stands_alone_or_by_name(load, text, names):
    assert [*load(corpora(text)).tests] == names


def test_paths_are_relative_to_the_folder_of_the_config(load, tmp_path, monkeypatch):
    load(corpora("{train: {path: [train.txt, more.txt]}, test: test.txt}"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    experiment = load_experiment(Path("../config.yaml"), installed())
    assert experiment.train.source.path == (Path("../train.txt"), Path("../more.txt"))
    assert experiment.resolved["corpora"]["train"]["path"] == ["train.txt", "more.txt"]


def test_a_split_takes_its_words_as_its_training_text_does(load):
    text = "{train: {path: train.txt, words: whitespace}, test: {split: 0.1}}"
    assert load(corpora(text)).tests["test"].splitter_name == "whitespace"


def test_an_absolute_path_leaves_only_its_name_in_the_resolved_config(load, tmp_path):
    experiment = load(corpora(f"{{train: {tmp_path}/train.txt, test: test.txt}}"))
    assert experiment.train.source.path == (tmp_path / "train.txt",)
    assert experiment.resolved["corpora"]["train"]["path"] == ["train.txt"]
