"""A config error waits for nothing that it does not need."""

from pathlib import Path

import pytest

from tests.test_architecture import loaded
from tokbench.api import Learner
from tokbench.config.models import MAX_NAME, named


def test_a_config_error_loads_neither_regex_nor_readers_of_vocabularies(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("corpora: {train: no.txt}\nsystems: [bpee]\n", encoding="utf-8")
    code, names = loaded(["run", str(config)])
    assert code == 2
    assert names >= {"tokbench.config", "tokbench.metrics"}
    assert not names & {"numpy", "regex", "tokbench.interchange.files", "rich"}


def test_the_checks_of_options_are_built_when_they_are_first_used() -> None:
    class Mine(Learner):
        """A learner."""

        number: int = 3

    assert not Mine.__pydantic_complete__
    assert Mine.configure(number=4) == Mine(number=4)
    assert Mine.__pydantic_complete__


def test_names_are_words_and_a_few_marks() -> None:
    right = ("bpe", "_a", "9", "bpe+longest-match", "한국어", "e\u0301", "a b.c", "a" * MAX_NAME)
    wrong = ("", "-a", ".a", "\u0301a", "a ", "a.", "a/b", "a\n", "a" * (MAX_NAME + 1))
    for name in right:
        assert named(name) == name
    for name in wrong:
        with pytest.raises(ValueError, match="expected a name"):
            named(name)
