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


# PyYAML, a reader of YAML 1.1, makes of them: False, the texts "1e-3", "1e3" and "2.50e1", 750, 8,
# 31, 1000, datetime.date(2026, 11, 20). YAML 1.2 reads 0o17 as 15. The last three are not finite.
@pytest.mark.parametrize(
    "text",
    [
        *("no", "1e-3", "1e3", "2.50e1", "12:30", "010", "0x1F", "0o17", "1_000", "2026-11-20"),
        *(".inf", ".NaN", "1.0e+999"),
    ],
)
def test_a_value_that_readers_disagree_about_is_refused_with_a_hint(text):
    advice = f"write true, false or a finite number in decimal digits, or '{text}' in quotes"
    with pytest.raises(ValueError, match=r"^YAML readers do not agree") as caught:
        read_plain(text)
    assert str(caught.value) == f"YAML readers do not agree what {text} is: {advice} for text"


def test_a_value_that_could_not_be_read_is_one_problem(load):
    with pytest.raises(ConfigError) as caught:
        load("seed: 010\nseed: 1\ncorpora: {train: train.txt, test: test.txt}\n")
    problems = [line for line in str(caught.value).splitlines() if line.startswith("config.yaml:")]
    missing, octal, twice = problems
    assert missing == "config.yaml:1:1: the key `systems` is missing"
    assert octal.startswith("config.yaml:1:7: seed: YAML readers do not agree what 010 is: write")
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
