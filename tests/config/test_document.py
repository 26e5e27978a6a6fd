"""Read plain YAML values as all readers do, and refuse those that they read differently."""

from pathlib import Path

import pytest

from tokbench.api import Size
from tokbench.config import ConfigError
from tokbench.config.document import read_plain, with_sizes


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("bpe+longest-match", "bpe+longest-match"),
        ("../corpora/english.train.txt", "../corpora/english.train.txt"),
        ("1.2.3", "1.2.3"),
        ("</w>", "</w>"),
        ("n", "n"),
        ("null", None),
        ("~", None),
        ("true", True),
        ("False", False),
        ("-4", -4),
        ("+12", 12),
        (".5", 0.5),
        ("-2.", -2.0),
        ("1.0e-3", 0.001),
    ],
)
def test_a_value_that_all_readers_agree_about_is_read(text, value):
    assert read_plain(text) == value
    assert type(read_plain(text)) is type(value)


DIGITS = "write it in decimal digits, or '{}' in quotes for text"


# PyYAML, a reader of YAML 1.1, makes of them: False, the texts "1e-3", "1e3" and "2.50e1", 750, 8,
# 31, 1000, datetime.date(2026, 11, 20). YAML 1.2 reads 0o17 as 15.
@pytest.mark.parametrize(
    ("text", "reading", "better"),
    [
        ("no", "true or false", "write true or false, or 'no' in quotes for text"),
        ("1e-3", "a number", DIGITS),
        ("1e3", "a number", DIGITS),
        ("2.50e1", "a number", DIGITS),
        ("12:30", "a number", DIGITS),
        ("010", "an octal number", DIGITS),
        ("0x1F", "a number", DIGITS),
        ("0o17", "a number", DIGITS),
        ("1_000", "a number", DIGITS),
        ("2026-11-20", "a date", "write '2026-11-20' in quotes"),
    ],
)
def test_a_value_that_readers_disagree_about_is_refused_with_a_hint(text, reading, better):
    with pytest.raises(ValueError, match=r"^some YAML readers") as caught:
        read_plain(text)
    advice = better.format(text)
    assert (
        str(caught.value) == f"some YAML readers read {text} as {reading}, others don't: {advice}"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (".inf", "found .inf, expected a finite number"),
        (".NaN", "found .NaN, expected a finite number"),
        ("1.0e+999", "found 1.0e+999, expected a finite number"),
    ],
)
def test_numbers_that_are_not_finite_are_refused(text, message):
    with pytest.raises(ValueError, match=r"^found") as caught:
        read_plain(text)
    assert str(caught.value) == message


def test_a_value_that_could_not_be_read_is_one_problem(load):
    with pytest.raises(ConfigError) as caught:
        load("seed: 010\nseed: 1\ncorpora: {train: train.txt, test: test.txt}\n")
    problems = [line for line in str(caught.value).splitlines() if line.startswith("config.yaml:")]
    missing, octal, twice = problems
    assert missing == "config.yaml:1:1: the key `systems` is missing"
    assert octal.startswith("config.yaml:1:7: seed: some YAML readers read 010 as an octal number")
    assert twice == "config.yaml:2:1: the key `seed` stands twice, first on line 1"


@pytest.mark.parametrize(
    ("text", "sizes", "expected"),
    [
        ("sizes: [1, 2] # few\nseed: 1\n", ["8", "16"], "sizes: [8, 16] # few\nseed: 1\n"),
        ("sizes:\n  - 1\n  - 2\n\nseed: 1\n", ["8"], "sizes: [8]\n\nseed: 1\n"),
        ("merges: {from: 1, to: 9}\nseed: 1\n", ["8"], "sizes: [8]\nseed: 1\n"),
        ("sizes: 5\n", ["merges:8"], "merges: [8]\n"),
        ("{sizes: [1], seed: 1}\n", ["8"], "{sizes: [8], seed: 1}\n"),
        ("{seed: 1}\n", ["8"], "{seed: 1, sizes: [8]}\n"),
        ("seed: 1", ["8"], "seed: 1\nsizes: [8]\n"),
        ("systems: [{sizes: [3]}]\n", ["8"], "systems: [{sizes: [3]}]\nsizes: [8]\n"),
    ],
)  # fmt: skip
def test_other_sizes_leave_all_else_as_written(
    text: str, sizes: list[str], expected: str, tmp_path: Path
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    assert with_sizes(path, [*map(Size.parse, sizes)]) == expected
