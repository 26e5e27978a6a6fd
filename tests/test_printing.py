"""Texts that nobody has vetted, tables that may hold any, and numbers for reading."""

import json
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokbench.printing import (
    Latex,
    Markdown,
    Table,
    code,
    escaped,
    harmless,
    integer,
    json_text,
    latex,
    number,
    one_line,
    percent,
    printable,
)

from .views.markdown import code_text, tables

HARD = st.text("ab `|\\*_[]<>\n\x1b\u202e", max_size=8)
ROWS = [["bpe", "1.5"], ["char", "한"]]
HARD_CHARACTERS = st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp"])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", r"a\x1b[31mb"),
        ("\t", r"\t"),
        ("\u2028\u2029", r"\u2028\u2029"),
        ("\u202eevil\u202c", r"\u202eevil\u202c"),
        ("\u2066\u2069\u061c\u200f", r"\u2066\u2069\u061c\u200f"),
        ("a\u200bb\ufeffc\u2060", r"a\u200bb\ufeffc\u2060"),
        ("\ud800", r"\ud800"),
    ],
)
def test_what_moves_reorders_or_hides_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "low",
        "한국어",
        "👩\u200d👩",
        "नी\u200cना",
        "a\u00a0b",
        "\\",
    ],
)
def test_other_text_stays(text: str) -> None:
    assert printable(text) == text


def test_only_one_line_escapes_the_end_of_a_line() -> None:
    assert printable("a\nb") == "a\nb"
    assert one_line("a\nb") == r"a\nb"


@given(st.text(HARD_CHARACTERS | st.characters(), min_size=1))
def test_nothing_dangerous_is_left(text: str) -> None:
    shown = one_line(text)
    assert not {"Cc", "Cs", "Zl", "Zp"} & {unicodedata.category(char) for char in shown}
    assert shown.encode("utf-8")


def test_a_table_is_aligned_to_the_right_from_a_column_on() -> None:
    table = Table(("system", "500"), ROWS, right=1)
    assert table.to("md") == "| system | 500 |\n| --- | ---: |\n| bpe | 1.5 |\n| char | 한 |\n"
    assert table.to("latex").startswith("\\begin{tabular}{lr}\n")


def test_titles_and_cells_are_escaped() -> None:
    """A category of a list becomes a title, and may hold anything but a tab."""
    shown = Table(("|V|", "a\x1b[0m*"), [("`x`", "<b>\n")]).to("md")
    assert shown == ("| \\|V\\| | a\\x1b\\[0m\\* |\n| --- | --- |\n| \\`x\\` | \\<b\\>\\n |\n")


def test_of_markdown_the_bars_are_escaped() -> None:
    table = Table(("|",), [(Markdown("[x](#x)"),), (code("a|b"),)])
    assert table.to("md") == "| \\| |\n| --- |\n| [x](#x) |\n| `a\\|b` |\n"


@given(HARD, HARD, HARD)
def test_no_text_changes_the_number_of_columns(title: str, cell: str, word: str) -> None:
    plain = Table((title, "b"), [(cell, cell), ("", cell), (code(word), code(word))])
    ((head, *rows),) = tables(plain.to("md"))
    assert [len(row) for row in (head, *rows)] == [2, 2, 2, 2]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("low", "`low`"),
        ("a`b", "``a`b``"),
        ("a`b``c", "```a`b``c```"),
        ("``", "``` `` ```"),
        (" a", "`  a `"),
        ("a\nb", "`a\\nb`"),
        ("\x1b", "`\\x1b`"),
        ("*_<b>", "`*_<b>`"),
    ],
)
def test_code_is_fenced_by_more_backticks_than_it_holds(text: str, shown: str) -> None:
    assert code(text) == shown


@given(st.text("ab`| *", min_size=1, max_size=8))
def test_code_shows_the_text_itself(text: str) -> None:
    shown = code_text(code(text))
    assert shown.strip(" ") == text.strip(" ")
    if text.strip(" "):
        assert shown == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a_b", "a\\_b"), ("[x](y)", "\\[x\\](y)"), ("\\|", "\\\\\\|"), ("a\nb", "a\\nb")],
)
def test_markup_is_escaped(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_aligned_columns_count_wide_characters_twice_and_show_no_control_character() -> None:
    shown = Table(("system", "x"), [("한국어", "1"), ("\x1b[m", "2")]).to("table")
    assert shown == "system  x\n한국어  1\n\\x1b[m  2\n"
    shown = Table(("a", "x"), [("한국어", "1")]).to("table")
    assert shown == "a       x\n한국어  1\n"


@pytest.mark.parametrize(
    ("form", "written"),
    [
        ("csv", 'system,x_y\nbpe,"a,b"\nchar,0.25\nword,\n'),
        ("md", "| system | x\\_y |\n| --- | --- |\n| bpe | a,b |\n| char | 0.25 |\n| word |  |\n"),
        ("table", "system  x_y\nbpe     a,b\nchar    0.25\nword\n"),
        (
            "latex",
            "\\begin{tabular}{ll}\n\\toprule\nsystem & x\\_y \\\\\n\\midrule\n"
            "bpe & a,b \\\\\nchar & 0.25 \\\\\nword &  \\\\\n\\bottomrule\n\\end{tabular}\n",
        ),
    ],
)
def test_a_table_is_written_in_the_form_asked_for(form: str, written: str) -> None:
    assert Table(("system", "x_y"), [("bpe", "a,b"), ("char", 0.25), ("word", None)]).to(
        form
    ) == written  # fmt: skip


def test_json_is_a_list_of_objects_with_numbers_as_such() -> None:
    records = [{"system": "bpe", "x": 1.5}, {"system": "char", "x": None}]
    assert json.loads(Table.of(records).to("json")) == records
    assert json.loads(Table.of(records, ("x",)).to("json")) == [{"x": 1.5}, {"x": None}]


def test_latex_is_escaped() -> None:
    assert latex("5 % ± a_b†‡\\") == r"5 \% $\pm$ a\_b$^\dagger$$^\ddagger$\textbackslash{}"
    assert latex("&# [▁the] <Ġb>|~") == (
        r"\&\# {[}\rule{.5em}{.4pt}the] \textless{}\.{G}b\textgreater{}\textbar\allowbreak{}$\sim$"
    )
    assert Table((Latex(r"\textbf{a}"),), []).to("latex").count(r"\textbf{a} \\") == 1


@given(st.text(HARD_CHARACTERS | st.characters(), max_size=20))
def test_json_is_printable_and_says_the_same(text: str) -> None:
    """But for two lone surrogates side by side, which JSON joins to one character."""
    written = json_text({text: [text]}, indent=1)
    assert printable(written) == written
    assert json.loads(written) == json.loads(json.dumps({text: [text]}))


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@x", "'@x"), ("\t=1", r"'\t=1"),
        ("a=1", "a=1"), ("3+1", "3+1"), ("", ""), ("a\nb", r"a\nb"), ("\x1b", r"\x1b"),
    ],
)  # fmt: skip
def test_cells_are_no_formulas(text: str, cell: str) -> None:
    assert harmless(text) == cell


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.000"),
        (-0.0004321, "-0.00043"),
        (0.0006, "0.001"),
        (99.5, "99.500"),
        (123.45, "123.5"),
        (1000.0, "1,000"),
        (1234567.8, "1,234,568"),
    ],
)
def test_numbers_have_the_digits_that_a_reader_can_use(value: float, text: str) -> None:
    assert number(value) == text


def test_a_share_that_is_not_zero_is_not_spelled_as_zero() -> None:
    shares = (0, 0.000129, 0.000403, 0.0004999, 0.0005, 0.0625, 1e-9)
    assert [percent(share, 1) for share in shares] == [
        "0.0 %", "0.013 %", "0.04 %", "0.05 %", "0.1 %", "6.2 %", "1e-07 %",
    ]  # fmt: skip
    assert [percent(share, 0) for share in (0, 0.004, 0.006)] == ["0 %", "0.4 %", "1 %"]
    assert percent(0.000129) == "0.0129 %"


def test_whole_numbers_are_grouped_by_thousands() -> None:
    assert [integer(x) for x in (None, 0, 999, 1_234_567)] == ["", "0", "999", "1,234,567"]


@pytest.mark.parametrize(
    ("room", "lines"),
    [
        ("", ["name  text          number", "a     one two 國國  12", "long  x             3"]),
        ("23", ["name  text       number", "a     one two    12", "      國國",
                "long  x          3"]),
        ("15", ["name  text", "a     one two", "      國國", "long  x", "",
                "name  number", "a     12", "long  3"]),
    ],
)  # fmt: skip
def test_aligned_text_is_wrapped_then_split_where_the_terminal_has_no_room(
    room: str, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: bool(room))
    monkeypatch.setenv("COLUMNS", room or "23")
    table = Table(("name", "text", "number"), [("a", "one two 國國", 12), ("long", "x", 3)])
    assert table.to("table").splitlines() == lines
    assert table.to("csv").splitlines()[1] == "a,one two 國國,12"


def test_a_word_that_is_longer_than_the_terminal_is_broken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    lines = Table(("a", "b"), [("x", "y" * 40)]).to("table").splitlines()
    assert [len(line) for line in lines[1:]] == [40, 6]
