"""The charts as Vega-Lite 6 specifications; the page puts the points of a choice into them.

Each point has `system`, `x`, `y`, `low` and `high`, or `group` in place of `x`. Labels have
`pixel`, their height, so that none stands on another.
"""

from typing import Any

Spec = dict[str, Any]

TOOLTIP = [
    {"field": "system", "title": "system"},
    {"field": "shown_x", "title": "at"},
    {"field": "shown_y", "title": "value"},
]
SYSTEM = {"field": "system", "type": "nominal", "legend": None}
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"


def charts() -> dict[str, Spec]:
    """Return the specifications by the kind of chart."""
    return {"lines": lines(), "dots": dots(), "paths": paths()}


def _chart(height: Any, **parts: Any) -> Spec:
    return {
        "$schema": SCHEMA,
        "width": "container",
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": {"name": "points"},
        "height": height,
        **parts,
    }


def lines() -> Spec:
    """Return values against a number, such as the size: a line a system with its interval."""
    x = {"field": "x", "type": "quantitative", "scale": {"type": "log", "nice": False}}
    y = {"field": "y", "type": "quantitative", "scale": {"zero": False, "nice": False}}
    band = {"type": "area", "opacity": 0.12, "line": False}
    ends = {"y": {**y, "field": "low"}, "y2": {"field": "high"}, "tooltip": None}
    label = {"type": "text", "align": "left", "dx": 8, "fontWeight": 600}
    return _chart(
        300,
        encoding={"x": x, "color": SYSTEM},
        layer=[
            {"mark": band, "encoding": ends},
            {"data": {"name": "curve"}, "mark": {"type": "line"}, "encoding": {"y": y}},
            {
                "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1},
                "encoding": {"y": y, "shape": SYSTEM, "tooltip": TOOLTIP},
            },
            {
                "data": {"name": "labels"},
                "mark": label,
                "encoding": {
                    "x": {"value": "width"},
                    "y": {"field": "pixel", "type": "quantitative", "scale": None},
                    "text": {"field": "text"},
                },
            },
        ],
    )


def dots() -> Spec:
    """Return values by group, such as bands: one row a group, one point a system."""
    y = {"field": "group", "type": "nominal", "sort": None, "title": None}
    x = {"field": "y", "type": "quantitative", "scale": {"zero": False}}
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
            {
                "mark": {"type": "point", "filled": True, "size": 90, "opacity": 0.9},
                "encoding": {"x": x, "color": SYSTEM, "shape": SYSTEM, "tooltip": TOOLTIP},
            },
        ],
    )


def paths() -> Spec:
    """Return one measure against another: the sizes of a system on a line, the front dashed."""
    x = {"field": "x", "type": "quantitative", "scale": {"zero": False}}
    y = {"field": "y", "type": "quantitative", "scale": {"zero": False}}
    size = {"field": "size", "type": "quantitative", "legend": None, "scale": {"range": [30, 160]}}
    front = {"type": "line", "strokeDash": [5, 4], "color": "gray", "strokeWidth": 1.5}
    return _chart(
        300,
        encoding={"x": x, "y": y},
        layer=[
            {"data": {"name": "front"}, "mark": front, "encoding": {"order": {"field": "x"}}},
            {
                "mark": {"type": "line", "opacity": 0.5},
                "encoding": {"color": SYSTEM, "order": {"field": "size"}},
            },
            {
                "mark": {"type": "point", "filled": True, "opacity": 0.95},
                "encoding": {"color": SYSTEM, "shape": SYSTEM, "size": size, "tooltip": TOOLTIP},
            },
        ],
    )
