"""Read Markdown as GitHub does, so that tests see what a reader sees."""

import re

Table = list[list[str]]


def section(report: str, title: str) -> str:
    """Return the text of one `##` or `###` section, up to the next title.

    That of a metric is found by its name, which the title holds as an anchor.
    """
    name = re.escape(title)
    own_title = rf'(?:{name}|<a id="{name}"></a>[^\n]*)'
    (text,) = re.findall(rf"^##+ {own_title}\n(.*?)(?=^#|\Z)", report, re.DOTALL | re.M)
    return str(text)


def tables(text: str) -> list[Table]:
    """Return the cells of every table, head first; each row must have as many as the rule."""
    blocks: list[Table] = []
    inside = False
    for line in text.split("\n"):
        if line.startswith("|"):
            assert line.endswith(" |"), line
            # A pipe ends a cell unless a backslash stands right before it, inside code too.
            cells = [cell.strip(" ") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if not inside:
                blocks.append([])
            blocks[-1].append(cells)
        inside = line.startswith("|")
    for head, rule, *rows in blocks:
        assert all(re.fullmatch("---:?", cell) for cell in rule), rule
        assert {len(head), *map(len, rows)} == {len(rule)}, (head, rule, rows)
    return [[head, *rows] for head, _, *rows in blocks]


def code_text(span: str) -> str:
    """Return the text of a code span in a table cell."""
    fence, inner = re.fullmatch(r"(`+)(?!`)(.*)(?<!`)\1", span).groups()
    assert fence not in re.findall("`+", inner), "a run of backticks as long ends the span"
    if inner.startswith(" ") and inner.endswith(" ") and inner.strip(" "):
        inner = inner[1:-1]
    return str(inner).replace("\\|", "|")
