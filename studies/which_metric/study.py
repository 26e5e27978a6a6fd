"""Which metric orders tokenizers as a count model does? Run the study, or score one row again.

    python studies/which_metric/study.py row shakespeare 4000 bpe    # one row again, in a minute
    python studies/which_metric/study.py run                         # all parts that are missing
    python studies/which_metric/study.py transformer                 # the check at its end
    python studies/which_metric/study.py page         # recounts.csv and the page in docs again

`plan.md` explains what is done and why. Results are in `results/`. The folder `--work` keeps texts
and finished parts, so that an interrupted run continues where it stopped. The transformer and the
picture need `pip install -r studies/requirements.txt`.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from texts import TEXTS, Text, require_gold

from tokbench.errors import TokbenchError

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
TABLES = ("values", "pairs", "agreement")

CHECKED = (
    "bpe", "bpe-no-mark", "bpe-words", "byte-bpe", "byte-bpe-gpt2", "unigram", "unigram-words",
    "wordpiece", "random-cuts", "duplicated",
)  # fmt: skip
"""The systems that a transformer learns from, on Shakespeare at 4,000."""

RATES, SEEDS, WINDOWS = (0.001, 0.003, 0.01), (0, 1, 2), 1_500


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--work", type=Path, default=Path("build") / "which_metric")
    commands = parser.add_subparsers(dest="command", required=True)
    row = commands.add_parser("row", help="score one system again, beside the committed row")
    row.add_argument("text", choices=[text.name for text in TEXTS])
    row.add_argument("size", type=int)
    row.add_argument("system")
    commands.add_parser("run", help="run all parts that are missing, two at a time")
    commands.add_parser("transformer", help="train the transformers that are missing")
    commands.add_parser("page", help="write the recounts and the page from the results")
    options = parser.parse_args()
    if options.command == "run":
        run(options.work)
    elif options.command == "transformer":
        train(options.work)
    elif options.command == "page":
        from page import write_page
        from recounts import write_recounts

        write_recounts(RESULTS)
        write_page(RESULTS)
    else:
        show_row(find_text(options.text, options.size), options.size, options.system, options.work)


def find_text(name: str, size: int) -> Text:
    """Return a text of the study; end the program if it is not studied at the size."""
    text = next(text for text in TEXTS if text.name == name)
    if size not in text.sizes:
        sys.exit(f"{name} has the sizes {', '.join(map(str, text.sizes))}, not {size}")
    return text


def two_processes() -> Executor:
    """Return a pool of two processes, each of one thread."""
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    return ProcessPoolExecutor(2, get_context("spawn"))


def run(work: Path) -> None:
    """Run the parts that are missing, and join all."""
    parts = [(text, size) for text in TEXTS for size in text.sizes]
    done = {part for part in parts if (folder_of(work, *part) / f"{TABLES[-1]}.csv").is_file()}
    # The longest first, so that none is left for one core at the end.
    missing = sorted({*parts} - done, key=lambda part: -part[1])
    for text, _ in missing:
        require_gold(text, work / text.name)
    with two_processes() as pool:
        for name in pool.map(run_part, missing, [work] * len(missing)):
            print(name, flush=True)
    join(parts, work)


def folder_of(work: Path, text: Text, size: int) -> Path:
    """Return the folder of a part."""
    return work / "parts" / f"{text.name}-{size}"


def run_part(part: tuple[Text, int], work: Path) -> str:
    """Run a part, and return its name."""
    from parts import write_part

    write_part(*part, work, folder_of(work, *part))
    return f"{part[0].name} {part[1]}"


def join(parts: Sequence[tuple[Text, int]], work: Path) -> None:
    """Write the tables of all parts together."""
    RESULTS.mkdir(exist_ok=True)
    for name in TABLES:
        lines: list[str] = []
        for part in parts:
            header, *rows = (folder_of(work, *part) / f"{name}.csv").read_text("utf-8").splitlines()
            lines += rows if lines else [header, *rows]
        (RESULTS / f"{name}.csv").write_text("\n".join(lines) + "\n", "utf-8")


def train(work: Path) -> None:
    """Choose the learning rate, train what is missing, and write `transformer.csv`."""
    from events import write_events
    from parts import write_rows

    events = work / "events"
    if missing := [name for name in CHECKED if not (events / f"{name}.npz").is_file()]:
        write_events(find_text("shakespeare", 4_000), 4_000, missing, work, events)
    with two_processes() as pool:
        choices = [*pool.map(partial(train_one, work, True, CHECKED[0], 0), RATES)]
        best = min(choices, key=lambda row: float(row["bits-per-byte"]))["rate"]
        jobs = [(name, seed, best) for seed in SEEDS for name in CHECKED]
        runs = [*pool.map(partial(train_one, work, False), *zip(*jobs, strict=True))]
    rows = [{"scored": "held-back", **row} for row in choices]
    rows += [{"scored": "held-out", **row} for row in runs]
    write_rows(RESULTS / "transformer.csv", [{key: str(row[key]) for key in row} for row in rows])


def train_one(work: Path, choose: bool, name: str, seed: int, rate: float) -> dict[str, Any]:
    """Train one transformer, unless its result is there; return the result."""
    from transformer import train_and_price

    path = work / "transformers" / f"{name}-{seed}-{rate}{'-choose' * choose}.json"
    if not path.is_file():
        result = train_and_price(work / "events" / f"{name}.npz", seed, rate, WINDOWS, choose)
        print(result, flush=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(result), "utf-8")
    return dict(json.loads(path.read_text("utf-8")))


def show_row(text: Text, size: int, name: str, work: Path) -> None:
    """Score one system, and print its values beside the committed ones."""
    from parts import committed_values, score_part, value_rows
    from systems import SYSTEMS

    chosen = [system for system in SYSTEMS if system.name == name]
    if not chosen:
        sys.exit(f"{name} is not one of {', '.join(system.name for system in SYSTEMS)}")
    results = score_part(text, size, work, chosen, samples=0).results
    print(f"{'test':14}{'metric':36}{'here':>14}{'committed':>14}")
    for row in committed_values(RESULTS / "values.csv", value_rows(text, size, results)):
        print(f"{row[0]:14}{row[1]:36}{row[2]:>14}{row[3]:>14}")


if __name__ == "__main__":
    try:
        main()
    except (TokbenchError, OSError) as error:
        sys.exit(f"error: {error}")
