"""Other counts of the same pairs, from the tables alone: `recounts.csv`, a row a primary metric.

- `weight-ordered`: the share of the separable pairs that a metric orders as the count model does,
  where each pair has the weight that it has in tau.
- `...-witten-bell`: the same systems and pairs, but with `bits-per-byte-witten-bell` as the bits of
  the model. Only values are used: which pairs are separable is known for Kneser-Ney alone.
- `tau-without-wordpiece`: tau without the family whose words fall to single characters.
- `common-...`: the separable pairs of systems that are there at all sizes of a text, so that sizes
  compare.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from agreement import Floats, Places, ordered, tau, weights
from parts import write_rows
from tables import BITS, PRIMARY, WITTEN_BELL, Point, Tables


def write_recounts(folder: Path) -> None:
    """Write `recounts.csv` beside the tables that it is counted from."""
    tables = Tables(folder)
    write_rows(
        folder / "recounts.csv", [row for point in tables.points for row in recounts(tables, point)]
    )


def recounts(tables: Tables, point: Point) -> Iterator[Mapping[str, object]]:
    """Count the pairs of a point again: a row a primary metric."""
    systems = tables.systems(point)
    families = [tables.families[name] for name in systems]
    kept = [at for at, family in enumerate(families) if family != "wordpiece"]
    sizes = [other for other in tables.points if other[:2] == point[:2]]
    common = [name for name in systems if all(name in tables.systems(one) for one in sizes)]
    pairs = places(tables.separable(point), systems)
    same = places(tables.separable(point, common), systems)
    weight = weights(families, *pairs.T)
    model, witten_bell = (column(tables, point, name, -1) for name in (BITS, WITTEN_BELL))
    for metric, sign in PRIMARY.items():
        values = column(tables, point, metric, sign)
        agreed = ordered(values, model, pairs)
        yield {
            **dict(zip(("text", "test", "size"), point, strict=True)),
            "metric": metric,
            "separable": len(pairs),
            "ordered": agreed.sum(),
            "weight-ordered": (weight * agreed).sum() / weight.sum(),
            "ordered-witten-bell": ordered(values, witten_bell, pairs).sum(),
            "tau-witten-bell": float(tau(values, witten_bell, families)),
            "tau-without-wordpiece": float(
                tau(values[kept], model[kept], [families[at] for at in kept])
            ),
            "common-systems": len(common),
            "common-separable": len(same),
            "common-ordered": ordered(values, model, same).sum(),
            "common-ordered-witten-bell": ordered(values, witten_bell, same).sum(),
        }


def places(pairs: Sequence[tuple[str, str]], systems: Sequence[str]) -> Places:
    """Return where the two systems of each pair stand."""
    return np.array([(systems.index(a), systems.index(b)) for a, b in pairs]).reshape(-1, 2)


def column(tables: Tables, point: Point, metric: str, sign: int) -> Floats:
    """Return a metric of the systems of a point, with its sign."""
    return np.array([tables.value(point, name, metric) for name in tables.systems(point)]) * sign
