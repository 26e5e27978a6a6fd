"""Count the same pairs in other ways, from the tables alone, and write `recounts.csv`.

There is one row for each primary metric at each point:

- `weight-ordered`: the share of the separable pairs that a metric orders as the count model does,
  where each pair has the weight that it has in tau.
- `...-witten-bell`: the same systems and pairs, but with `bits-per-byte-witten-bell` as the bits of
  the model. Only values are used, since only Kneser-Ney's bits decide which pairs are separable.
- `tau-without-wordpiece`: tau without the family whose words are cut into single characters.
- `common-...`: the separable pairs of the systems that exist at all sizes of a text, so that sizes
  can be compared.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from agreement import Floats, ordered, places_of, tau, tau_without, weights
from parts import write_rows
from tables import BITS, PRIMARY, WITTEN_BELL, Point, Tables


def write_recounts(folder: Path) -> None:
    """Write `recounts.csv` beside the tables that it is counted from."""
    tables = Tables(folder)
    write_rows(
        folder / "recounts.csv", [row for point in tables.points for row in recounts(tables, point)]
    )


def recounts(tables: Tables, point: Point) -> Iterator[Mapping[str, object]]:
    """Yield the row of each primary metric at a point."""
    systems = tables.systems(point)
    families = [tables.families[name] for name in systems]
    sizes = [other for other in tables.points if other[:2] == point[:2]]
    common = [name for name in systems if all(name in tables.systems(size) for size in sizes)]
    pairs = places_of(tables.separable(point), systems)
    common_pairs = places_of(tables.separable(point, common), systems)
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
            "tau-without-wordpiece": tau_without("wordpiece", values, model, families),
            "common-systems": len(common),
            "common-separable": len(common_pairs),
            "common-ordered": ordered(values, model, common_pairs).sum(),
            "common-ordered-witten-bell": ordered(values, witten_bell, common_pairs).sum(),
        }


def column(tables: Tables, point: Point, metric: str, sign: int) -> Floats:
    """Return the signed values of a metric for the systems of a point."""
    return np.array([tables.value(point, name, metric) for name in tables.systems(point)]) * sign
