"""The results as one Markdown document.

python benchmarks/tables.py RESULTS.json
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from figures import Figures, Spread
from goals import goals
from tasks import TASKS, Task

INTRODUCTION = """\
# Benchmarks

This page was made by `python {command}`. Every figure comes from fresh processes that took turns
(rounds: {rounds}); each round began with another process. Wall time and peak memory are measured
from outside. A ratio is that of two processes of the same round: median (least to greatest). Times
on a busy machine vary, so read the ratios. `benchmarks/README.md` shows
how each peer is used, and which figures cannot be compared.
"""


def main() -> None:
    results = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    sys.stdout.write(document(results))


def document(results: dict[str, Any]) -> str:
    """Write the whole document."""
    figures = Figures(results["measurements"])
    parts = [
        INTRODUCTION.format(**results),
        *_machine(results),
        *_goals(figures),
        *_verified(results["verified"]),
        *(part for task in TASKS for part in _task(task, figures, results["choices"])),
        *_texts(results["texts"]),
    ]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Write a Markdown table whose columns after the first `left` are numbers."""
    dashes = ["---" if column < left else "---:" for column in range(len(head))]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (head, dashes, *rows))


def _machine(results: dict[str, Any]) -> Iterator[str]:
    machine, versions = results["machine"], results["versions"]
    load = ", ".join(map(str, machine["load"]))
    yield (
        f"{machine['cpu']}, {machine['cores']} cores, {machine['memory-gb']} GB, "
        f"{machine['system']}, Python {machine['python']}, load {load}. "
        f"No memory below {machine['own-peak-mb']} MB can be measured."
    )
    yield f"{', '.join(f'{name} {version}' for name, version in versions.items())}."


def _goals(figures: Figures) -> Iterator[str]:
    rows = [
        (
            goal.text,
            f"{goal.figure:.3g} {goal.unit}".rstrip(),
            f"{goal.limit:.3g} {goal.unit}".rstrip(),
            _yes_or_no(goal.figure <= goal.limit),
        )
        for goal in goals(figures)
        if goal.figure is not None
    ]
    if rows:
        yield "## Limits that tokbench must keep\n\nMedians; numbers without a unit are ratios.\n"
        yield table(("what", "found", "at most", "reached"), rows)


def _yes_or_no(answer: bool) -> str:
    return "yes" if answer else "no"


def _verified(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    if rows:
        yield "## Do the peers do the same work?\n"
        head = ("what", "peer", "found", "agrees")
        cells = [
            (row["what"], row["peer"], row["finding"], _yes_or_no(row["agrees"])) for row in rows
        ]
        yield table(head, cells, left=4)


def _task(task: Task, figures: Figures, choices: dict[str, str]) -> Iterator[str]:
    for scale in figures.scales(task.name):
        where = f", x{scale}" if task.scaled else ""
        yield f"## {task.title.format(**choices)}{where}\n"
        if scale == figures.scales(task.name)[0] and task.note:
            yield f"{task.note}\n"
        rows = [_row(task, scale, peer, figures) for peer in figures.peers(task.name, scale)]
        head = ("", task.unit, "MB", f"time against {task.reference}", "memory against it")
        yield table(head, rows)
        for (name, at, peer), error in figures.errors.items():
            if (name, at) == (task.name, scale):
                yield f"{peer} failed: {error}\n"


def _row(task: Task, scale: int, peer: str, figures: Figures) -> tuple[str, ...]:
    factor = _factor(task, figures.answer(task.name, scale, peer))
    return (
        peer,
        _spread(figures.spread(task.name, scale, peer), factor),
        f"{figures.spread(task.name, scale, peer, of='peak-mb').median:.0f}",
        _spread(figures.ratio(task.name, scale, peer, task.reference)),
        _spread(figures.ratio(task.name, scale, peer, task.reference, of="peak-mb")),
    )


def _factor(task: Task, answer: Any) -> float:
    if task.unit == "ms":
        return 1e3
    return 1e6 / answer["words"] if task.unit == "µs a word" else 1.0


def _spread(spread: Spread | None, factor: float = 1.0) -> str:
    if spread is None:
        return ""
    middle, least, greatest = (
        f"{value * factor:.3g}" for value in (spread.median, spread.least, spread.greatest)
    )
    return f"{middle} ({least} to {greatest})"


def _texts(texts: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield "## The texts\n\n`benchmarks/enlarge.py` makes the larger texts.\n"
    head = (
        "text", "MB", "words", "distinct words", "occur once", "Heaps exponent",
        "Zipf slope, frequent words", "rare words",
    )  # fmt: skip
    yield table(head, [_text(text) for text in texts])


def _text(text: dict[str, Any]) -> tuple[str, ...]:
    def number(key: str) -> str:
        return "" if text[key] is None else f"{text[key]:.3f}"

    return (
        f"x{text['scale']}{' in letters' if text['letters'] else ''}",
        f"{text['bytes'] / 1e6:.1f}",
        f"{text['words']:,}",
        f"{text['distinct']:,}",
        f"{text['once']:.1%}",
        number("heaps-exponent"),
        number("slope-frequent"),
        number("slope-rare"),
    )


if __name__ == "__main__":
    main()
