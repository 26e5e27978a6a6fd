"""What a notebook shows of a run: the answer, and the first chart as a drawing without scripts."""

import math
from html import escape

from tokbench_views.answer import answer
from tokbench_views.shared import headline_metrics, main_metrics

from tokbench.printing import one_line
from tokbench.run_folder import Run, size_number
from tokbench_page.charts import COLORS

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 300, 56, 150, 24, 36
LINE = 16


def notebook(run: Run) -> str:
    """Write the answer as a list, and tokens per word, or the first metric, by vocabulary size."""
    facts = "".join(f"<li>{escape(one_line(fact.text))}</li>" for fact in answer(run))
    name = escape(one_line(run.record.name))
    return f"<div><strong>{name}</strong><ul>{facts}</ul>{_chart(run)}</div>"


def _chart(run: Run) -> str:
    """Draw a line a system over sizes; nothing where fewer than two sizes were measured."""
    corpus = run.record.tests[0].name
    (metric,) = headline_metrics(("fertility",), main_metrics(run)) or ("",)
    curves: dict[str, list[tuple[float, float]]] = {}
    for row in run.rows:
        is_shown = (row.corpus, row.subset, row.metric) == (corpus, "all", metric)
        if is_shown and row.size and row.value is not None and row.training_share == 1:
            curves.setdefault(row.system, []).append((size_number(row.size), row.value))
    lines = {name: sorted(points) for name, points in curves.items() if len(points) > 1}
    shown = dict([*lines.items()][: len(COLORS)])
    if not shown:
        return ""
    every = [point for points in shown.values() for point in points]
    sizes = sorted({size for size, _ in every})
    low, high = min(value for _, value in every), max(value for _, value in every)
    left, right = (math.log(max(size, 1)) for size in (sizes[0], sizes[-1]))

    def place(size: float, value: float) -> tuple[float, float]:
        across = (math.log(max(size, 1)) - left) / ((right - left) or 1)
        up = (value - low) / ((high - low) or 1)
        x = LEFT + across * (WIDTH - LEFT - RIGHT)
        return x, HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    title = f"{run.record.labels[metric]} on {corpus}, by vocabulary size"
    parts = [f'<text x="{LEFT}" y="14">{escape(one_line(title))}</text>']
    for size in sizes:
        x, _ = place(size, low)
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - 12}" text-anchor="middle">{size:,.0f}</text>')
    for value in (low, high):
        _, y = place(sizes[0], value)
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:.3g}</text>')
    for number, ((name, points), colour) in enumerate(zip(shown.items(), COLORS, strict=False)):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in points))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        label = f'x="{WIDTH - RIGHT + 8}" y="{TOP + LINE * number}" fill="{colour}"'
        parts.append(f"<text {label}>{escape(one_line(name))}</text>")
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img"'
    style = 'font-family="sans-serif" font-size="12" fill="currentColor"'
    return f"<svg {box} {style}>{''.join(parts)}</svg>"
