import pytest

from tokbench.config.scalars import AmbiguousError, read_plain


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("bpe", "bpe"),
        ("bpe+longest-match", "bpe+longest-match"),
        ("../corpora/english.train.txt", "../corpora/english.train.txt"),
        ("1.2.3", "1.2.3"),
        ("24h", "24h"),
        ("</w>", "</w>"),
        ("_", "_"),
        ("n", "n"),
        ("null", None),
        ("~", None),
        ("true", True),
        ("False", False),
        ("0", 0),
        ("-4", -4),
        ("+12", 12),
        ("0.1", 0.1),
        (".5", 0.5),
        ("-2.", -2.0),
        ("1.0e-3", 0.001),
    ],
)
def test_a_value_that_all_readers_agree_about_is_read(text, value):
    assert read_plain(text) == value
    assert type(read_plain(text)) is type(value)


# What PyYAML makes of them (YAML 1.1) stands in the comment.
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (  # False
            "no",
            "some YAML readers read no as false, others don't: "
            "write false, or 'no' in quotes for text",
        ),
        (  # True
            "On",
            "some YAML readers read On as true, others don't: "
            "write true, or 'On' in quotes for text",
        ),
        (  # the text "1e-3"
            "1e-3",
            "some YAML readers read 1e-3 as a number, others don't: "
            "write 0.001, or '1e-3' in quotes for text",
        ),
        (  # the text "1e3"
            "1e3",
            "some YAML readers read 1e3 as a number, others don't: "
            "write 1000, or '1e3' in quotes for text",
        ),
        (  # the text "2.50e1"
            "2.50e1",
            "some YAML readers read 2.50e1 as a number, others don't: "
            "write 25, or '2.50e1' in quotes for text",
        ),
        (  # the text "1e-40"
            "1e-40",
            "some YAML readers read 1e-40 as a number, others don't: write '1e-40' in quotes",
        ),
        (  # 750
            "12:30",
            "some YAML readers read 12:30 in base 60, others don't: write '12:30' in quotes",
        ),
        (  # 8
            "010",
            "some YAML readers read 010 as an octal number, others don't: "
            "write 10, or '010' in quotes for text",
        ),
        (  # 31
            "0x1F",
            "some YAML readers read 0x1F as a number, others don't: "
            "write 31, or '0x1F' in quotes for text",
        ),
        (  # 1000
            "1_000",
            "some YAML readers read 1_000 as a number, others don't: "
            "write 1000, or '1_000' in quotes for text",
        ),
        (  # datetime.date(2026, 11, 20)
            "2026-11-20",
            "some YAML readers read 2026-11-20 as a date, others don't: "
            "write '2026-11-20' in quotes",
        ),
        (".inf", "found .inf, expected a finite number"),  # inf
        (".NaN", "found .NaN, expected a finite number"),  # nan
        ("1.0e+999", "found 1.0e+999, expected a smaller number"),  # inf
        ("1" * 20, "found a number of 20 digits, expected a smaller one"),  # that number
    ],
)
def test_a_value_that_readers_disagree_about_is_refused_with_a_hint(text, message):
    with pytest.raises(AmbiguousError) as caught:
        read_plain(text)
    assert str(caught.value) == message


@pytest.mark.parametrize("text", ["1" * 5000, "1" * 5000 + ".5"])
def test_a_number_that_is_too_long_gets_a_short_message(text):
    with pytest.raises(AmbiguousError) as caught:
        read_plain(text)
    assert len(str(caught.value)) < 100


@pytest.mark.parametrize("text", ["0x" + "f" * 5000, "0" * 5000, "1e" + "9" * 5000])
def test_what_is_too_long_for_any_reader_to_be_a_number_is_text(text):
    assert read_plain(text) == text
