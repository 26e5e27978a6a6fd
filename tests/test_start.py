"""Options and names are checked without waiting for what a command does not need."""

import pytest

from tokbench.api import Learner
from tokbench.config.components import MAX_NAME, named


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
