"""The sections on tokens that never come, and on numbers."""

from pathlib import Path

import pytest
from tokbench_views.health import health, numbers

from tests.tiny import tiny_run

from .markdown import tables


def test_residues_stand_beside_what_is_emitted(tmp_path: Path) -> None:
    """abc is learned as a + bc; bc never occurs in the training text without its a."""
    run = tiny_run(
        tmp_path, texts={"train": "abc abc abc\n", "test": "ab abc\n"}, sizes="[5]",
        systems="[{name: bpe, learner: {use: bpe, eow: absent}}]", metrics="[fertility]",
    )  # fmt: skip
    ((_, row),) = tables(health(run))
    assert row == ["bpe@5", "2", "1", "1", "1", "0", "0", "0", "bc"]


CUTS = {
    "char": ["1", "1+1", "1+1+1", "digit by digit"],
    "{name: bpe, learner: {use: bpe, eow: absent}}": ["1", "1+1 (99%)", "1+1+1 (98%)", "no"],
}


@pytest.mark.parametrize("system", CUTS)
def test_the_commonest_cut_stands_with_its_share(tmp_path: Path, system: str) -> None:
    """BPE has learned one pair of digits, 12."""
    texts = {"train": "12 12 0345 6789\n", "test": "12\n"}
    run = tiny_run(
        tmp_path, texts=texts, systems=f"[{system}]", sizes=None, merges="[1]",
        metrics="[fertility]",
    )  # fmt: skip
    ((head, (_, *row)),) = tables(numbers(run))
    assert head == ["system", "1", "2", "3", "4", "5", "6", "consistent"]
    assert [*row[:3], row[-1]] == CUTS[system]


def test_where_digits_are_not_known_nothing_is_called_consistent(tmp_path: Path) -> None:
    texts = {"train": "1 2 3\n", "test": "1\n"}
    run = tiny_run(tmp_path, texts=texts, systems="[char]", sizes=None, metrics="[fertility]")
    ((_, (_, *row)),) = tables(numbers(run))
    assert row[:2] == ["1, 70% not known", "1+1, 90% not known"]
    assert row[-1] == ""
