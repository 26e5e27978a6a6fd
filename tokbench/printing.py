"""Print tables, numbers and texts, safe to show: tokens come from texts that nobody has vetted."""

import csv
import html
import io
import json
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import zip_longest
from math import inf
from typing import Any, NamedTuple

_UNSAFE = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f"  # control characters, but for the end of a line
    r"\u2028\u2029\ud800-\udfff"  # line and paragraph separators, lone surrogates
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional controls
    r"\u200b\u2060\ufeff]"  # spaces of no width
)


_FORMULA = tuple("=+-@\t\r")
"""How a text begins that spreadsheets take for a formula."""


def printable(text: str) -> str:
    """Escape what would move a cursor, reorder or hide text; the end of a line stays.

    These are control characters, line and paragraph separators, lone surrogates, bidirectional
    controls, and spaces of no width.
    """
    return _UNSAFE.sub(lambda char: char[0].encode("unicode_escape").decode("ascii"), text)


def json_text(value: object, **style: Any) -> str:
    """Write JSON that people can read: only what is not printable is escaped.

    `style` are arguments of `json.dumps`.
    """
    text = json.dumps(value, ensure_ascii=False, **style)
    return _UNSAFE.sub(lambda char: json.dumps(char[0])[1:-1], text)


def one_line(text: str) -> str:
    """Make a text safe to show where it may not end the line."""
    return printable(text).replace("\n", "\\n")


def harmless(text: str) -> str:
    """Make a text safe as a cell: on one line, printable, and nothing that a spreadsheet runs.

    >>> harmless("=1+1"), harmless("a-b")
    ("'=1+1", 'a-b')
    """
    return ("'" if text[:1] in _FORMULA else "") + one_line(text)


def code_points(text: str) -> str:
    """Name the characters of a text by their numbers.

    >>> code_points("é")
    'U+00E9'
    """
    return " ".join(f"U+{ord(char):04X}" for char in text)


def whole_characters(pieces: Sequence[str]) -> list[str]:
    """Join tokens that hold parts of a character where they make whole ones, for people to read.

    >>> whole_characters(["a", "<0xE5>", "<0x9C>", "<0x8B>", "<0xE5>"])
    ['a', '國 (3 bytes)', '<0xE5>']
    """
    shown: list[str] = []
    begin = 0
    while begin < len(pieces):
        last = min(begin + _MOST_BYTES, len(pieces)) if _BYTE.search(pieces[begin]) else begin
        ends = range(begin + 1, last + 1)
        end = next((end for end in ends if _decoded(pieces[begin:end])), None)
        shown.append(pieces[begin] if end is None else _whole(pieces[begin:end]))
        begin = end or begin + 1
    return shown


def _whole(pieces: Sequence[str]) -> str:
    """Spell tokens of bytes as their text, with how many there are."""
    unit = "byte" if all(map(_BYTE.fullmatch, pieces)) else "token"
    return f"{_decoded(pieces)} ({counted(len(pieces), unit)})"


def _decoded(pieces: Sequence[str]) -> str:
    """Return the text of tokens, their bytes as characters; empty where these are not whole."""
    try:
        text = _BYTES.sub(
            lambda run: bytes.fromhex("".join(_BYTE.findall(run[0]))).decode(), "".join(pieces)
        )
    except UnicodeDecodeError:
        return ""
    return text if text.isprintable() else ""


def called(name: str, names: Iterable[str]) -> list[str]:
    """Return which names a name means: itself, or else those that are it with options.

    >>> called("parity", ["fertility", "parity(reference=en)"])
    ['parity(reference=en)']
    """
    every = [*names]
    return [name] if name in every else [each for each in every if each.startswith(f"{name}(")]


def closest(name: str, names: Iterable[str]) -> str | None:
    """Return the name that is spelled most alike, whatever its capitals; None where none is.

    >>> closest("BPE", ["byte-bpe", "bpe"]), closest("vocab_file", ["path"])
    ('bpe', None)
    """
    plain = {_plain(each): each for each in names}
    close = get_close_matches(_plain(name), plain, n=1)
    return plain[close[0]] if close else None


def hint(name: str, names: Iterable[str]) -> str:
    """Say which of some names was meant, or which there are.

    >>> hint("BPE", ["bpe", "char"]), hint("x", ["bpe", "char"])
    ("did you mean 'bpe'?", 'there are: bpe, char')
    """
    every = [*names]
    close = closest(name, every)
    return f"did you mean {close!r}?" if close else f"there are: {', '.join(every) or 'none'}"


def _plain(name: str) -> str:
    return name.replace("_", "-").lower()


def told_apart(first: str, second: str) -> tuple[str, str]:
    r"""Quote two texts; where they look alike but differ, with the code points of each.

    >>> told_apart("a", "b")
    ("'a'", "'b'")
    >>> told_apart("a b", "a\u00a0b")[1]
    "'a\\xa0b' (U+0061 U+00A0 U+0062)"
    """
    seen, other = (unicodedata.normalize("NFKC", text) for text in (first, second))
    if first == second or seen != other:
        return repr(first), repr(second)
    return f"{first!r} ({code_points(first)})", f"{second!r} ({code_points(second)})"


def escaped(text: str) -> str:
    """Escape what Markdown or a table would take as markup."""
    return one_line(re.sub(r"[\\`*_\[\]<>|]", r"\\\g<0>", text))


def metric_title(label: str, name: str) -> str:
    """Return the title of a metric's section in Markdown; links reach it by the metric's name.

    >>> metric_title("tokens per word", "fertility")
    '<a id="fertility"></a>Tokens per word (fertility)'
    """
    title = name if label == name else f"{label[:1].upper()}{label[1:]} ({name})"
    return f'<a id="{html.escape(name)}"></a>{escaped(title)}'


class Markdown(str):
    """A text that is Markdown already: a table escapes nothing of it but the bars."""

    __slots__ = ()


class Latex(str):
    """A text that is LaTeX already: a table escapes nothing of it."""

    __slots__ = ()


def code(text: str) -> Markdown:
    """Show a text verbatim inside Markdown: its fence is longer than any backticks inside."""
    text = one_line(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    pad = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) else ""
    return Markdown(f"{fence}{pad}{text}{pad}{fence}")


_BYTE = re.compile("<0x([0-9A-F]{2})>")
_BYTES = re.compile("(?:<0x[0-9A-F]{2}>)+")
_MOST_BYTES = 4
"""The most bytes of a character."""

NARROW = "~"
"""Marks an interval of a text that is too short for blocks of the length that fits its lines."""
NARROW_MEANS = "may be too narrow: the text is short"
PUNCTUATION_COUNTS = "punctuation counts as words"
"""Says why there are more words than white space divides."""

_GAP = 2
"""The spaces between two columns of aligned text."""
_LONGEST_WORD = 28
"""Words of more characters may be broken, where a table would be wider than the terminal."""

LATEX = {
    "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"$\sim$", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar\allowbreak{}",
    "[": "{[}",  # behind the end of a row it would begin an option
    "†": r"$^\dagger$", "‡": r"$^\ddagger$", "±": r"$\pm$",
    "▲": r"$\bigtriangleup$", "▼": r"$\bigtriangledown$",
    "▁": r"\rule{.5em}{.4pt}", "Ġ": r"\.{G}", "Ċ": r"\.{C}",
}  # fmt: skip
"""The classic fonts of pdfLaTeX have none of these characters, or others in their place."""
_TABULAR = r"""\begin{{tabular}}{{{alignment}}}
\toprule
{head}\midrule
{body}\bottomrule
\end{{tabular}}
"""


def latex(text: str) -> str:
    """Escape what LaTeX would take as markup, and spell the marks of tokens in its fonts."""
    return "".join(LATEX.get(char, char) for char in printable(text))


def cell(value: object) -> str:
    """Spell one cell: nothing for None, numbers with 12 significant digits."""
    if value is None:
        return ""
    return format(value, ".12g") if isinstance(value, float) else str(value)


class Table(NamedTuple):
    """The titles of some columns, and rows of cells: text, numbers, or None where there is nothing.

    Markdown and LaTeX align columns from number `right` on to the right.

    >>> print(Table(("system", "value"), [("bpe", 0.5)], right=1).to("md"), end="")
    | system | value |
    | --- | ---: |
    | bpe | 0.5 |
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    right: int | None = None

    @classmethod
    def of(
        cls,
        records: Sequence[Mapping[str, object]],
        columns: Iterable[str] | None = None,
        right: int | None = None,
    ) -> "Table":
        """Return the table of some columns of records, or of all that the first one has."""
        titles = [*(records[0] if columns is None else columns)]
        return cls(titles, [[record[title] for title in titles] for record in records], right)

    def to(self, form: str) -> str:
        """Write it as `table` (aligned text), `csv`, `json`, `md` or `latex` (a `tabular`).

        Aligned text is wrapped and split where standard output is a terminal without room for it.
        JSON holds an object for each row, with numbers as such. CSV holds the texts as they are;
        all other forms escape what is not printable or would be markup.
        """
        match form:
            case "json":
                records = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
                return json_text(records, indent=1) + "\n"
            case "csv":
                return _csv(self)
            case "md":
                return _markdown(self)
            case "latex":
                return _tabular(self)
        return _aligned(self)

    @property
    def alignment(self) -> str:
        """A letter for each column: `l` for left, `r` for right."""
        left = len(self.columns) if self.right is None else self.right
        return "l" * left + "r" * (len(self.columns) - left)


def _csv(table: Table) -> str:
    out = io.StringIO()
    rows = (map(cell, row) for row in table.rows)
    csv.writer(out, lineterminator="\n").writerows([table.columns, *rows])
    return out.getvalue()


def _markdown(table: Table) -> str:
    titles, *rows = ([*map(_in_markdown, line)] for line in (table.columns, *table.rows))
    rule = ["---" if side == "l" else "---:" for side in table.alignment]
    return "".join(f"| {' | '.join(line)} |\n" for line in (titles, rule, *rows))


def _in_markdown(value: object) -> str:
    return value.replace("|", "\\|") if isinstance(value, Markdown) else escaped(cell(value))


def _tabular(table: Table) -> str:
    lines = (
        [value if isinstance(value, Latex) else latex(cell(value)) for value in line]
        for line in (table.columns, *table.rows)
    )
    head, *body = (" & ".join(line) + " \\\\\n" for line in lines)
    return _TABULAR.format(alignment=table.alignment, head=head, body="".join(body))


def _aligned(table: Table) -> str:
    """Let columns line up; on a terminal, wrap them, then split the table into parts with room.

    Elsewhere lines stay whole, for other programs.
    """
    lines = [[one_line(cell(value)) for value in line] for line in (table.columns, *table.rows)]
    first, *others = zip(*lines, strict=True)
    room = shutil.get_terminal_size((0, 1)).columns if sys.stdout.isatty() else 0
    parts = [[first]]
    for column in others:
        part = [*parts[-1], column]
        if room and part[2:] and sum(map(_least_width, part)) + _GAP * (len(part) - 1) > room:
            part = [first, column]
            parts.append(part)
        parts[-1] = part
    return "\n".join(_lined_up(part, room) for part in parts)


def _lined_up(columns: Sequence[Sequence[str]], room: int) -> str:
    """Wrap the texts of the widest columns, as far as there is no room for them."""
    from rich.cells import set_cell_size

    widths = [_width(column) for column in columns]
    least = [_least_width(column) for column in columns]
    while room and sum(widths) + _GAP * (len(widths) - 1) > room and widths != least:
        widest = max(range(len(widths)), key=lambda i: (widths[i] > least[i], widths[i]))
        widths[widest] -= 1
    text = ""
    for line in zip(*columns, strict=True):
        for part in zip_longest(*map(wrapped, line, widths), fillvalue=""):
            text += (" " * _GAP).join(map(set_cell_size, part, widths)).rstrip() + "\n"
    return text


def _width(column: Iterable[str]) -> int:
    """Return the width of a column, wide characters counted as two cells."""
    from rich.cells import cell_len

    return max(map(cell_len, column))


def _least_width(column: Iterable[str]) -> int:
    """Return the width to which a column can be wrapped, that of its longest word at most."""
    return min(_width(word for text in column for word in text.split(" ")), _LONGEST_WORD)


def wrapped(text: str, width: int) -> list[str]:
    """Break a text at spaces, and words that are wider than a line anywhere.

    Wide characters count as two cells.

    >>> wrapped("a bc def", 4)
    ['a bc', 'def']
    """
    from rich.cells import cell_len, chop_cells

    if cell_len(text) <= width:
        return [text]
    lines = [""]
    for piece in (piece for word in text.split(" ") for piece in chop_cells(word, width)):
        joined = f"{lines[-1]} {piece}".lstrip(" ")
        if cell_len(joined) <= width:
            lines[-1] = joined
        else:
            lines.append(piece)
    return lines


def rounded(value: float, decimals: int, over: float = inf) -> str:
    """Spell a number with so many decimals; where these would all be zeros, with two digits.

    A number above the limit `over` gets as many decimals as show that it is above.

    >>> rounded(6.25, 1), rounded(0.0129, 1), rounded(0, 1), rounded(1.004, 1, over=1)
    ('6.2', '0.013', '0.0', '1.004')
    """
    text = f"{value:.{decimals}f}"
    if value > over >= float(text):
        return rounded(value, decimals + 1, over)
    return text if float(text) or not value else f"{value:.2g}"


def number(value: float | None) -> str:
    """Spell a number for reading: three decimals below a hundred, none above a thousand.

    Nothing where it is undefined.
    """
    if value is None or value != value:
        return ""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return rounded(value, 1 if abs(value) >= 100 else 3)


def integer(value: int | None) -> str:
    """Spell a whole number for reading; nothing where it is undefined."""
    return "" if value is None else f"{value:,}"


def counted(number: int, unit: str) -> str:
    """Write a number with its unit, whose plural has an s.

    >>> counted(1200, "word"), counted(1, "line")
    ('1,200 words', '1 line')
    """
    return f"{number:,} {unit}{'s' * (number != 1)}"


def percent(share: float, decimals: int | None = None, over: float = inf) -> str:
    """Spell a share as a percentage, as `rounded` does or with all its digits."""
    value = 100 * share
    return f"{value:.12g} %" if decimals is None else f"{rounded(value, decimals, 100 * over)} %"
