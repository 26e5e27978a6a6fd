"""Which metric orders tokenizers as a count model does: run the study, a part of it, or a row.

    python studies/which_metric/study.py row shakespeare 4000 bpe    # one row again, in a minute
    python studies/which_metric/study.py run                         # all parts that are missing
    python studies/which_metric/study.py transformer                 # the check at its end
    python studies/which_metric/study.py page         # recounts.csv and the page in docs again

`plan.md` says what is done and why. Results are in `results/`; texts, and parts that are done, are
kept in the folder that `--work` names, so that a run that was ended goes on where it was. The
transformer and the picture need `pip install -r studies/requirements.txt`.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

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
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--work", type=Path, default=Path("build") / "which_metric")
    commands = parser.add_subparsers(dest="command", required=True)
    row = commands.add_parser("row", help="score one system again, beside the committed row")
    part = commands.add_parser("part", help="run one part")
    for one in (row, part):
        one.add_argument("text", choices=[text.name for text in TEXTS])
        one.add_argument("size", type=int)
    row.add_argument("system")
    commands.add_parser("run", help="run all parts that are missing, two at a time")
    commands.add_parser("transformer", help="train the transformers that are missing")
    commands.add_parser("page", help="write the recounts and the page from the results")
    given = parser.parse_args()
    if given.command == "run":
        run(given.work)
    elif given.command == "transformer":
        train(given.work)
    elif given.command == "page":
        from page import write_page
        from recounts import write_recounts

        write_recounts(RESULTS)
        write_page(RESULTS)
    else:
        text = asked(given.text, given.size)
        if given.command == "part":
            from parts import write_part

            write_part(text, given.size, given.work, folder_of(given.work, text, given.size))
        else:
            show_row(text, given.size, given.system, given.work)


def asked(name: str, size: int) -> Text:
    """Return a text of the study that has a size; ends the program if it has not."""
    text = next(text for text in TEXTS if text.name == name)
    if size not in text.sizes:
        sys.exit(f"{name} has the sizes {', '.join(map(str, text.sizes))}, not {size}")
    return text


def folder_of(work: Path, text: Text, size: int) -> Path:
    """Return the folder of a part."""
    return work / "parts" / f"{text.name}-{size}"


def run(work: Path) -> None:
    """Run what is missing, two parts at a time, each in a process of one thread."""
    parts = [(text, size) for text in TEXTS for size in text.sizes]
    done = {part for part in parts if (folder_of(work, *part) / f"{TABLES[-1]}.csv").is_file()}
    # The longest first, so that none is left for one core at the end.
    missing = sorted({*parts} - done, key=lambda part: -part[1])
    for text, _ in missing:
        require_gold(text, work / text.name)
    with ThreadPoolExecutor(2) as pool:
        wrong = [*filter(None, pool.map(lambda part: run_part(work, *part), missing))]
    if wrong:
        sys.exit(f"failed: {', '.join(wrong)}")
    join(parts, work)


def run_part(work: Path, text: Text, size: int) -> str:
    """Run a part in a process of its own; return its name if it fails."""
    name, begin = f"{text.name} {size}", time.monotonic()
    command = [sys.executable, __file__, "--work", work, "part", text.name, str(size)]
    done = subprocess.run(
        [*map(str, command)], env={**os.environ, **ONE_THREAD}, capture_output=True, text=True
    )
    print(f"{name}: {time.monotonic() - begin:.0f} s", flush=True)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
    return name if done.returncode else ""


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
    """Choose the rate, train what is missing, two at a time, and write `transformer.csv`."""
    from events import write_events

    events = work / "events"
    if missing := [name for name in CHECKED if not (events / f"{name}.npz").is_file()]:
        write_events(asked("shakespeare", 4_000), 4_000, missing, work, events)
    with ThreadPoolExecutor(2) as pool:
        chosen = [*pool.map(lambda rate: trained(work, CHECKED[0], 0, rate, True), RATES)]
        best = min(chosen, key=lambda row: float(str(row["bits-per-byte"])))["rate"]
        jobs = [(name, seed) for seed in SEEDS for name in CHECKED]
        runs = [*pool.map(lambda job: trained(work, *job, float(str(best)), False), jobs)]
    rows = [{"scored": "held-back", **row} for row in chosen]
    rows += [{"scored": "held-out", **row} for row in runs]
    for row in rows:
        del row["seconds"]
    with (RESULTS / "transformer.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def trained(work: Path, name: str, seed: int, rate: float, choose: bool) -> dict[str, object]:
    """Train one transformer in a process of its own, unless that is done."""
    path = work / "transformers" / f"{name}-{seed}-{rate}{'-choose' * choose}.json"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        events = work / "events" / f"{name}.npz"
        command = [sys.executable, HERE / "transformer.py", events, "--seed", seed, "--rate", rate]
        command += ["--windows", WINDOWS]
        done = subprocess.run(
            [*map(str, command), *(["--choose"] * choose)],
            env={**os.environ, **ONE_THREAD}, capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode:
            sys.exit(done.stderr)
        print(done.stdout.strip(), flush=True)
        partial = path.with_suffix(".partial")
        partial.write_text(done.stdout, "utf-8")
        partial.rename(path)
    found: dict[str, object] = json.loads(path.read_text("utf-8"))
    return found


def show_row(text: Text, size: int, name: str, work: Path) -> None:
    """Score one system, and print its values beside the committed ones."""
    from parts import compared_rows, score_part, value_rows
    from systems import SYSTEMS

    chosen = [one for one in SYSTEMS if one.name == name]
    if not chosen:
        sys.exit(f"{name} is not one of {', '.join(one.name for one in SYSTEMS)}")
    found = score_part(text, size, work, chosen, samples=0).results
    print(f"{'test':14}{'metric':36}{'here':>14}{'committed':>14}")
    for row in compared_rows(value_rows(text, size, found), RESULTS / "values.csv"):
        print(f"{row[0]:14}{row[1]:36}{row[2]:>14}{row[3]:>14}")


if __name__ == "__main__":
    try:
        main()
    except (TokbenchError, OSError) as error:
        sys.exit(f"error: {error}")
