"""Which metric orders tokenizers as a count model does: run the study, a part of it, or a row.

    python studies/which_metric/study.py row shakespeare 4000 bpe    # one row again, in a minute
    python studies/which_metric/study.py run                         # all parts that are missing
    python studies/which_metric/study.py page                        # docs/which-metric.md again

`plan.md` says what is done and why. Results are in `results/`; texts, and parts that are done, are
kept in the folder that `--work` names, so that a run that was ended goes on where it was.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from texts import TEXTS, Text

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
TABLES = ("values", "pairs", "agreement")


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
    commands.add_parser("page", help="write the page from the results")
    given = parser.parse_args()
    if given.command == "run":
        run(given.work)
    elif given.command == "page":
        from page import write_page

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
    missing = [
        part for part in parts if not (folder_of(work, *part) / f"{TABLES[-1]}.csv").is_file()
    ]
    with ThreadPoolExecutor(2) as pool:
        wrong = [*filter(None, pool.map(lambda part: run_part(work, *part), missing))]
    if wrong:
        sys.exit(f"failed: {', '.join(wrong)}")
    join(parts, work)


def run_part(work: Path, text: Text, size: int) -> str:
    """Run a part in a process of its own; return its name if it fails."""
    name, begin = f"{text.name} {size}", time.monotonic()
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    command = [sys.executable, __file__, "--work", work, "part", text.name, str(size)]
    done = subprocess.run(
        [*map(str, command)], env={**os.environ, **threads}, capture_output=True, text=True
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


def show_row(text: Text, size: int, name: str, work: Path) -> None:
    """Score one system, and print its values beside the committed ones."""
    from parts import compared_rows, score_part, value_rows
    from systems import SYSTEMS

    chosen = [one for one in SYSTEMS if one.name == name]
    if not chosen:
        sys.exit(f"{name} is not one of {', '.join(one.name for one in SYSTEMS)}")
    found = score_part(text, size, work, chosen, samples=0).results
    print(f"{'test':14} {'metric':28} {'here':>12} {'committed':>12}")
    for row in compared_rows(value_rows(text, size, found), RESULTS / "values.csv"):
        print(f"{row[0]:14} {row[1]:28} {row[2]:>12} {row[3]:>12}")


if __name__ == "__main__":
    main()
