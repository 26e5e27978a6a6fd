"""The charts as Vega-Lite 6 specifications; the page puts the points of a choice into them.

Each point has `system`, `x`, `y`, `low` and `high`, or `group` in place of `x`; it is hollow if its
length has `lost` word ends. `edges` are the texts of outliers, which stand at the edge of a chart.
Labels have `pixel`, their height, so that none stands on another.
"""

from typing import Any

Spec = dict[str, Any]

TOOLTIP = [
    {"field": "system", "title": "system"},
    {"field": "shown_x", "title": "at"},
    {"field": "shown_y", "title": "value"},
]
SYSTEM = {"field": "system", "type": "nominal", "legend": None}
LINE = {"color": SYSTEM, "strokeDash": SYSTEM}
POINT = {
    "color": SYSTEM,
    "stroke": SYSTEM,
    "shape": SYSTEM,
    "fillOpacity": {"condition": {"test": "datum.lost", "value": 0}, "value": 1},
}
EDGE = {
    "data": {"name": "edges"},
    "mark": {
        "type": "text",
        "align": {"expr": "datum.is_left ? 'left' : 'right'"},
        "dx": {"expr": "datum.is_left ? 9 : 0"},
        "dy": {"expr": "datum.dy"},
        "fontWeight": 600,
    },
}
WRAPPED = {
    "labelExpr": r"split(trim(replace(datum.label, /(.{1,26})(?: |$)/g, '$1\n')), '\n')",
}
"""An axis of long labels, on several lines, which leaves room on a phone."""
COLORS = (
    "#2f7fbf", "#d0611a", "#1f9070", "#c0559f", "#a07d10", "#4a83a8", "#b3506b", "#7d8524",
    "#7a6fd0", "#3f8f8a", "#a862b8", "#7f7f7f",
)  # fmt: skip
"""Each has a contrast of 3:1 or more on white and on dark paper."""
SHAPES = (
    "M-.9,0a.9,.9 0 1,0 1.8,0a.9,.9 0 1,0 -1.8,0Z", "M-.8,-.8H.8V.8H-.8Z", "M0,-1L1,.75H-1Z",
    "M0,-1.1L.95,0L0,1.1L-.95,0Z",
    "M-.35,-1H.35V-.35H1V.35H.35V1H-.35V.35H-1V-.35H-.35Z", "M0,1L1,-.75H-1Z",
    "M-.95,-.55L-.55,-.95L0,-.4L.55,-.95L.95,-.55L.4,0L.95,.55L.55,.95L0,.4L-.55,.95L-.95,.55"
    "L-.4,0Z",
    "M-.95,-.95H.95L.25,0L.95,.95H-.95L-.25,0Z",
)  # fmt: skip
"""In a square from -1 to 1, for charts and legend alike."""
DASHES = ((1, 0), (7, 3), (2, 2), (9, 3, 2, 3), (4, 2), (12, 3), (5, 2, 1, 2, 1, 2))
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"


def charts() -> dict[str, Spec]:
    """Return the specifications by the kind of chart."""
    return {"lines": lines(), "dots": dots(), "paths": paths()}


def style(rank: int) -> dict[str, Any]:
    """Return colour, shape and dash of the system at a rank, by channel.

    No two of the first 56 systems have both shape and dash alike.
    """
    turns, shape = divmod(rank, len(SHAPES))
    color = COLORS[rank % len(COLORS)]
    dash = DASHES[(shape + turns) % len(DASHES)]
    return {"color": color, "stroke": color, "shape": SHAPES[shape], "strokeDash": dash}


def _chart(height: Any, **parts: Any) -> Spec:
    return {
        "$schema": SCHEMA,
        "width": "container",
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": {"name": "points"},
        "height": height,
        **parts,
    }


def _points(size: Any, **encoding: Any) -> Spec:
    """Return a layer of points, each with the shape and colour of its system."""
    mark = {"type": "point", "filled": True, "strokeWidth": 1.5, "opacity": 1}
    if isinstance(size, int):
        return {"mark": {**mark, "size": size}, "encoding": {**POINT, **encoding}}
    return {"mark": mark, "encoding": {**POINT, **encoding, "size": size}}


def _number(field: str) -> Spec:
    scale = {"zero": False, "nice": False}
    return {"field": field, "type": "quantitative", "scale": scale}


def lines() -> Spec:
    """Return values against a number, such as the size: a line a system with its interval."""
    x = {**_number("x"), "scale": {"type": "log", "nice": False}}
    y = _number("y")
    band = {"type": "area", "opacity": 0.12, "line": False, "clip": True}
    ends = {"y": {**y, "field": "low"}, "y2": {"field": "high"}, "tooltip": None}
    label = {
        "x": {"value": "width"},
        "y": {"field": "pixel", "type": "quantitative", "scale": None},
    }
    symbol = _points(45, **label)
    symbol["mark"]["xOffset"] = 12
    return _chart(
        300,
        encoding={"x": x},
        layer=[
            {"mark": band, "encoding": {"color": SYSTEM, **ends}},
            {
                "data": {"name": "curve"},
                "mark": {"type": "line", "clip": True},
                "encoding": {**LINE, "y": y},
            },
            _points(55, y=y, tooltip=TOOLTIP),
            {**EDGE, "encoding": {"y": y, "text": {"field": "text"}}},
            {"data": {"name": "labels"}, **symbol},
            {
                "data": {"name": "labels"},
                "mark": {"type": "text", "align": "left", "dx": 22},
                "encoding": {**label, "text": {"field": "text"}},
            },
        ],
    )


def dots() -> Spec:
    """Return values by group, such as bands: one row a group, one point a system."""
    y = {"field": "group", "type": "nominal", "sort": None, "title": None, "axis": WRAPPED}
    x = _number("y")
    return _chart(
        {"step": 46},
        encoding={"y": y},
        layer=[
            {
                "mark": {"type": "rule", "opacity": 0.35},
                "encoding": {
                    "x": {**x, "field": "low", "aggregate": "min"},
                    "x2": {"field": "high", "aggregate": "max"},
                },
            },
            _points(90, x=x, tooltip=TOOLTIP),
            {**EDGE, "encoding": {"x": x, "text": {"field": "text"}}},
        ],
    )


def paths() -> Spec:
    """Return one measure against another: the sizes of a system on a line, the front in grey."""
    size = {"field": "size", "type": "quantitative", "legend": None, "scale": {"range": [30, 160]}}
    front = {"type": "line", "color": "gray", "opacity": 0.3, "strokeWidth": 7, "clip": True}
    by_size = {"order": {"field": "size"}}
    return _chart(
        300,
        encoding={"x": _number("x"), "y": _number("y")},
        layer=[
            {"data": {"name": "front"}, "mark": front, "encoding": {"order": {"field": "x"}}},
            {
                "data": {"name": "curve"},
                "mark": {"type": "line", "opacity": 0.5, "clip": True},
                "encoding": {**LINE, **by_size},
            },
            _points(size, tooltip=TOOLTIP),
            {**EDGE, "encoding": {"text": {"field": "text"}}},
        ],
    )
