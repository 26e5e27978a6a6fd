"""Figures for papers: the charts of the page, drawn without it, with the numbers of one choice."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tokbench_views.shared import ENDS_LOST, ENDS_LOST_MEANS, headline_metrics, main_metrics, signs
from tokbench_views.tables import Chosen, chosen
from tokbench_views.views import OneTable

from tokbench.api import UsageError
from tokbench.printing import NARROW_MEANS
from tokbench.recommend import recommend
from tokbench.run_folder import BAND, Run, Subset
from tokbench_page.charts import Spec, dots, lines, paths, style
from tokbench_page.data import first_shown

Datum = dict[str, Any]

HEADLINES = ("fertility", "boundary-kappa")
"""The metrics that are drawn where none is named."""
COLUMNS = {"bands": "subset", "intervals": "metric", "scatter": "size", "sizes": "size"}
"""The columns of the table whose numbers each kind draws."""
MEANS = {
    "bands": "Lines: from the lowest to the highest system.",
    "intervals": "Lines: 95 % intervals, for other text of this kind.",
    "scatter": "Larger points are larger vocabularies.",
    "sizes": "Bands: 95 % intervals, for other text of this kind.",
}
LACKS = {
    "bands": "no words are counted by how often the training text has them",
    "intervals": "no system has a value that may be compared",
    "scatter": "no system has values of both metrics that may be compared",
    "sizes": "no system has two sizes that may be compared; `intervals` draws systems of one size",
}

WIDTH, HEIGHT, ROW, FONT_SIZE = 400, 250, 26, 13
"""Pixels. At the width of a column, 84 mm, the text is 7.7 points high."""
AXIS = {"labelFontSize": FONT_SIZE, "titleFontSize": FONT_SIZE, "titleFontWeight": "normal"}
LEGEND = {
    "orient": "bottom",
    "title": None,
    "labelFontSize": FONT_SIZE,
    "symbolOpacity": 1,
    "symbolStrokeWidth": 0,
}
LEGEND_WIDTH = 45
"""The characters of a line of the legend, of which each symbol takes the place of three."""
ROOM = {"zero": False, "nice": False, "padding": 8}
"""The scale of an axis, with room for whole points at its ends."""


class Figure(NamedTuple):
    """A Vega-Lite specification with its numbers, and a caption that says what it shows."""

    spec: Spec
    caption: str


def figure(run: Run, kind: str, choice: OneTable) -> Figure:
    """Draw a metric of some systems, for a `scatter` two; `kind` is one of `COLUMNS`.

    Raises UsageError for a name that the run does not have, and where there is nothing to draw.
    """
    needed = 2 if kind == "scatter" else 1
    headlines = headline_metrics(HEADLINES, main_metrics(run))
    metrics = choice.metric or tuple(dict.fromkeys([*headlines, *main_metrics(run)]))[:needed]
    if len(metrics) != needed:
        raise UsageError(f"--metric: found {len(metrics)}, expected {needed} for {kind}")
    if kind != "intervals" and getattr(choice, COLUMNS[kind]) not in ("", "all"):
        raise UsageError(f"--{COLUMNS[kind]}: a chart of {kind} shows each {COLUMNS[kind]}")
    changes = [{"metric": (metric,), "columns": COLUMNS[kind]} for metric in metrics]
    tables = [chosen(run, choice.model_copy(update=change))[0] for change in changes]
    points = _drawn(run, kind, tables)
    if not points:
        raise UsageError(f"there is nothing to draw: {LACKS[kind]}")
    titles = [_title(run, table) for table in tables]
    if kind == "sizes":
        spec = _sizes(points, titles[0])
    else:
        spec = _scatter(points, titles) if kind == "scatter" else _groups(points, titles[0], kind)
    _style(run, spec, points, kind != "intervals")
    return Figure(spec, _caption(kind, tables, points))


def _drawn(run: Run, kind: str, tables: Sequence[Chosen]) -> list[Datum]:
    """Return the points of a kind: of systems with several sizes, of bands, or of two metrics."""
    points = [*_points(run, tables[0])]
    if kind == "sizes":
        counts = Counter(point["system"] for point in points)
        return [point for point in points if counts[point["system"]] > 1]
    if kind == "bands":
        families = [Subset.parse(point["column"]).family for point in points]
        drawn = {"unseen", BAND} if BAND in families else ()
        # In older runs the first band is that of unseen words.
        return [
            point
            for point, family in zip(points, families, strict=True)
            if family in drawn and point["column"] != "band:0"
        ]
    if kind == "intervals":
        sign = -1 if run.record.better[tables[0].columns[0]] == "higher" else 1
        return sorted(points, key=lambda point: sign * point["y"])
    across = {(point["system"], point["size"]): point for point in points}
    pairs = ((across.get((up["system"], up["size"])), up) for up in _points(run, tables[1]))
    return [
        {**up, "size": up["x"], "x": right["y"], "lost": up["lost"] or right["lost"]}
        for right, up in pairs
        if right is not None
    ]


def _caption(kind: str, tables: Sequence[Chosen], points: Sequence[Datum]) -> str:
    """Say what a figure shows, what its marks mean, and what its signatures share."""
    # A table of one metric has its name as the title of its column.
    named = [f"{table.titles[0]}, " * (COLUMNS[kind] == "metric") + table.about for table in tables]
    sentences = [" against ".join(named) + ".", MEANS[kind]]
    if any(point["short"] for point in points) and kind in ("sizes", "intervals"):
        sentences.append(f"Intervals {NARROW_MEANS}.")
    if any(point["lost"] for point in points):
        sentences.append(f"Hollow: {ENDS_LOST_MEANS}.")
    drawn = {point["name"] for point in points}
    if absent := [name for name, _ in tables[0].systems if name not in drawn]:
        sentences.append(f"Not drawn: {', '.join(absent)}.")
    shared = [table.shared.split("|") for table in tables]
    return " ".join([*sentences, "|".join(p for p in shared[0] if p in shared[-1])])


def _points(run: Run, table: Chosen) -> Iterator[Datum]:
    """Yield the values of a table that may be compared, each with its column."""
    for name, rows in table.systems:
        for column, row in zip(table.columns, rows, strict=True):
            if row is not None and row.value is not None and not row.gated:
                yield {
                    "system": row.system,
                    "name": name,
                    "size": row.size,
                    "column": column,
                    "x": row.vocabulary_size,
                    "y": row.value,
                    "low": row.value if row.low is None else row.low,
                    "high": row.value if row.high is None else row.high,
                    "lost": ENDS_LOST in signs(run, row),
                    "short": bool(row.short_text),
                }


def _title(run: Run, table: Chosen) -> str:
    """Return the title of an axis: a metric, and which direction is better."""
    metrics = {row.metric for _, rows in table.systems for row in rows if row is not None}
    better = {run.record.better[metric] for metric in metrics} - {"neither"}
    labels = [run.record.labels[metric] for metric in metrics]
    return "".join([*labels, *(f" ({direction} is better)" for direction in better)])


def _sizes(points: Sequence[Datum], title: str) -> Spec:
    spec = lines()
    ticks = sorted({point["x"] for point in points})
    axis = {"grid": False, "format": ",~g", "values": ticks}
    spec["encoding"]["x"] |= {"title": "vocabulary size", "axis": axis}
    spec["encoding"]["x"]["scale"] = {"type": "log", "nice": False, "padding": 8}
    for layer in spec["layer"]:
        if layer["encoding"]["y"]["field"] != "pixel":
            layer["encoding"]["y"] |= {"title": title, "scale": ROOM}
    spec["datasets"] = {"points": points, "curve": points, "labels": [], "edges": []}
    return spec | {"height": HEIGHT}


def _scatter(points: Sequence[Datum], titles: Sequence[str]) -> Spec:
    spec = paths()
    for channel, title in zip("xy", titles, strict=True):
        spec["encoding"][channel] |= {"title": title, "scale": ROOM}
    spec["datasets"] = {"points": points, "curve": points, "front": [], "edges": []}
    return spec | {"height": HEIGHT}


def _groups(points: Sequence[Datum], title: str, kind: str) -> Spec:
    """Return a row for each band with the systems as points, or for each system with its interval.

    The interval of a band spans its systems.
    """
    for point in points:
        band = kind == "bands"
        point["group"] = _band(point["column"]) if band else point["name"]
        point |= {"low": point["y"], "high": point["y"]} if band else {}
    spec = dots()
    for layer in spec["layer"]:
        layer["encoding"]["x"] |= {"title": title, "scale": ROOM}
    spec["encoding"]["y"]["sort"] = [*dict.fromkeys(point["group"] for point in points)]
    spec["datasets"] = {"points": points, "edges": []}
    if kind == "intervals":  # the points may not hide them
        rule, marks, *_ = spec["layer"]
        rule["mark"]["opacity"], marks["mark"]["size"] = 1, 30
    return spec | {"height": {"step": ROW}}


def _band(subset: str) -> str:
    """Say how often the training text has the words of a band.

    >>> [_band(subset) for subset in ("unseen", "band:1", "band:2-5")]
    ['never seen', 'seen once', 'seen 2-5 times']
    """
    name = Subset.parse(subset).name
    return {"": "never seen", "1": "seen once"}.get(name, f"seen {name} times")


def _style(run: Run, spec: Spec, points: Sequence[Datum], legend: bool) -> None:
    """Set the style of each system as on the page, and the size of the text."""
    names = [*dict.fromkeys(outcome.name for outcome in run.record.outcomes)]
    order = [*dict.fromkeys([*first_shown(run, names, recommend(run)), *names])]
    drawn = sorted({point["system"] for point in points}, key=order.index)
    columns = max(1, LEGEND_WIDTH // (3 + max(map(len, drawn))))
    for layer in spec["layer"]:
        for channel in style(0):
            encoding = layer["encoding"].get(channel, {})
            if encoding.get("field") == "system":
                styles = [style(order.index(name))[channel] for name in drawn]
                layer["encoding"][channel] = encoding | {
                    "scale": {"domain": drawn, "range": styles},
                    "legend": LEGEND | {"columns": columns} if legend else None,
                }
    spec["width"] = WIDTH
    spec["config"] = {"background": "white", "axis": AXIS, "view": {"stroke": None}}
