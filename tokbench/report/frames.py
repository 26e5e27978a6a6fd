"""The tables of a run folder as pandas data frames, for notebooks."""

from pathlib import Path

import pandas as pd

from tokbench.errors import InputError

TEXT = frozenset(
    {"system", "learner", "segmenter", "train", "corpus", "subset", "context", "size", "metric"}
    | {"better", "baseline", "signature"}
)


def read_frame(table: Path | str) -> pd.DataFrame:
    """Read a table of a run (results.csv, curves.csv, ...) with its columns as they are meant.

    Names and sizes are text, also where they look like numbers or like `NA`, and empty where there
    is none; all else is numbers, NaN where undefined. Raises InputError for a file that cannot be
    read, or holds something else.
    """
    try:
        frame = pd.read_csv(table, dtype=str, keep_default_na=False, encoding="utf-8")
        for column in frame.columns.difference(list(TEXT)):
            frame[column] = pd.to_numeric(frame[column].mask(frame[column] == ""))
    except (OSError, ValueError) as error:
        raise InputError(f"{table}: not a table of a run: {error}") from None
    return frame
