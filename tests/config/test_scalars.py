"""Read plain YAML values as all readers do, and refuse those that they read differently."""

import pytest

from tokbench.config.scalars import AmbiguousError, read_plain


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


# PyYAML, a reader of YAML 1.1, makes of them: False, True, the texts "1e-3", "1e3", "2.50e1" and
# "1e-40", 750, 8, 31, 1000, datetime.date(2026, 11, 20).
@pytest.mark.parametrize(
    ("text", "reading", "better"),
    [
        ("no", "as false", "write false, or 'no' in quotes for text"),
        ("On", "as true", "write true, or 'On' in quotes for text"),
        ("1e-3", "as a number", "write 0.001, or '1e-3' in quotes for text"),
        ("1e3", "as a number", "write 1000, or '1e3' in quotes for text"),
        ("2.50e1", "as a number", "write 25, or '2.50e1' in quotes for text"),
        ("1e-40", "as a number", "write '1e-40' in quotes"),
        ("12:30", "in base 60", "write '12:30' in quotes"),
        ("010", "as an octal number", "write 10, or '010' in quotes for text"),
        ("0x1F", "as a number", "write 31, or '0x1F' in quotes for text"),
        ("1_000", "as a number", "write 1000, or '1_000' in quotes for text"),
        ("2026-11-20", "as a date", "write '2026-11-20' in quotes"),
    ],
)
def test_a_value_that_readers_disagree_about_is_refused_with_a_hint(text, reading, better):
    with pytest.raises(AmbiguousError) as caught:
        read_plain(text)
    assert str(caught.value) == f"some YAML readers read {text} {reading}, others don't: {better}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (".inf", "found .inf, expected a finite number"),
        (".NaN", "found .NaN, expected a finite number"),
        ("1.0e+999", "found 1.0e+999, expected a smaller number"),
        ("1" * 5000, "found a number of 5000 digits, expected a smaller one"),
        ("1" * 5000 + ".5", f"found {'1' * 40}, expected a smaller number"),
    ],
)
def test_numbers_that_are_not_finite_or_too_long_are_refused(text, message):
    with pytest.raises(AmbiguousError) as caught:
        read_plain(text)
    assert str(caught.value) == message


@pytest.mark.parametrize("text", ["0x" + "f" * 5000, "0" * 5000, "1e" + "9" * 5000])
def test_what_is_too_long_for_any_reader_to_be_a_number_is_text(text):
    assert read_plain(text) == text
