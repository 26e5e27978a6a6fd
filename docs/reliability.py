"""Fill the tables of docs/reliability.md from what the tests found.

python docs/reliability.py FACTS.jsonl... [--benchmarks RESULTS.json]

The facts are those of `pytest --facts FACTS.jsonl`; of a test that ran twice the last counts.
"""

import argparse
import json
import re
import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("reliability.md")
Facts = Mapping[str, Mapping[str, Any]]

WORK = "test_an_animal_costs_only_itself"
LOADING = "test_commands_survive_what_a_plugin_does_before_any_work"
CORPORA = "test_an_animal_that_reads_or_makes_a_corpus"
KIT = "test_the_kit_survives_and_names_the_check"
COMMANDS = "test_an_animal_in_what_only_commands_call"
PLACES = {
    WORK: "run",
    LOADING: "`plugins`, `check`",
    CORPORA: "run",
    COMMANDS: "its command",
    KIT: "the kit",
}


def main() -> None:
    """Fill the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("facts", nargs="+", type=Path)
    parser.add_argument("--benchmarks", type=Path)
    given = parser.parse_args()
    facts: dict[str, Mapping[str, Any]] = {}
    for path in given.facts:
        for line in path.read_text(encoding="utf-8").splitlines():
            facts[json.loads(line)["test"]] = json.loads(line)
    tables = {"zoo": zoo(facts), "faults": faults(facts), "fuzz": fuzz(facts), "soak": soak(facts)}
    if given.benchmarks:
        tables["overheads"] = overheads(json.loads(given.benchmarks.read_text(encoding="utf-8")))
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")
    wrong = [name for name, fact in facts.items() if fact["outcome"] == "failed"]
    sys.exit("\n".join(["failed:", *wrong]) if wrong else 0)


def filled(page: str, tables: Mapping[str, Sequence[str]]) -> str:
    """Put each table that there is in its place."""
    for name, lines in tables.items():
        if len(lines) > 2:
            begin, end = f"<!-- {name} -->\n", "<!-- end -->"
            before, _, rest = page.partition(begin)
            after = rest.partition(end)[2]
            page = before + begin + "\n".join(lines) + "\n" + end + after
    return page


def of(facts: Facts, test: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the parameters and facts of a test."""
    for name, fact in facts.items():
        if found := re.search(rf"::{test}(?:\[(.*)\])?$", name):
            yield found[1] or "", fact


def zoo(facts: Facts) -> list[str]:
    """Count animals by the place they were in."""
    rows = ["| place | tried by | animals | as expected |", "| --- | --- | ---: | ---: |"]
    for test, who in PLACES.items():
        tried, kept = Counter[str](), Counter[str]()
        for given, fact in of(facts, test):
            hook = given.partition("-")[0]
            tried[hook] += 1
            kept[hook] += fact["outcome"] == "passed"
        rows += [f"| `{hook}` | {who} | {tried[hook]} | {kept[hook]} |" for hook in tried]
    return rows


def faults(facts: Facts) -> list[str]:
    """Show the steps at which each command was disturbed."""
    rows = ["| command | how | steps | one whole result each time |", "| --- | --- | ---: | --- |"]
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for given, fact in of(facts, "test_every_step"):
        command, way, _ = given.split("-")
        found.setdefault((command, way), []).append(fact)
    for (command, way), shares in found.items():
        steps = min((fact["steps"] for fact in shares if "steps" in fact), default="?")
        whole = "yes" if all(fact["outcome"] == "passed" for fact in shares) else "no"
        rows.append(f"| {command} | {way} | {steps} | {whole} |")
    return rows


def fuzz(facts: Facts) -> list[str]:
    """Count the damaged files that were tried."""
    rows = ["| damaged | files tried | tracebacks |", "| --- | ---: | ---: |"]
    for what in ("config", "corpus", "model", "run"):
        for given, fact in of(facts, f"test_a_damaged_{what}"):
            kind = f" ({given})" if given else ""
            none = 0 if fact["outcome"] == "passed" else "some"
            rows.append(f"| {what}{kind} | {fact.get('cases', '?')} | {none} |")
    return rows


def soak(facts: Facts) -> list[str]:
    """Show what the long run found."""
    rows = ["| what | found |", "| --- | ---: |"]
    for _, fact in of(facts, "test_nothing_is_lost_and_memory_stays"):
        rows += [
            f"| jobs | {fact['jobs']} |",
            f"| workers and runs killed | {fact['killed']} |",
            f"| results lost or changed | {0 if fact['outcome'] == 'passed' else 'some'} |",
            f"| memory of the process after ten jobs | {fact['memory-begin']:.1f} MB |",
            f"| its memory at the end | {fact['memory-end']:.1f} MB |",
            f"| the most in between | {fact['memory-most']:.1f} MB |",
        ]
    return rows


def overheads(results: Mapping[str, Any]) -> list[str]:
    """Show what isolation costs: medians, and the ratio within rounds."""
    seconds: dict[tuple[str, str], dict[int, float]] = {}
    for one in results["measurements"]:
        seconds.setdefault((one["task"], one["peer"]), {})[one["round"]] = one["seconds"]
    none, foreign = (seconds["isolation", name] for name in ("none", "foreign"))
    ratio = statistics.median(foreign[number] / none[number] for number in none)
    more, first = (seconds["worker", name].values() for name in ("one more", "the first"))
    run = "time of a run of tokbench's own systems, `foreign` against `none`"
    return [
        "| what | found | at most |",
        "| --- | ---: | ---: |",
        f"| {run} | {ratio:.3f} | 1.05 |",
        f"| the first worker, with the fork server | {1000 * statistics.median(first):.0f} ms | |",
        f"| one more worker | {1000 * statistics.median(more):.0f} ms | 200 ms |",
    ]


if __name__ == "__main__":
    main()
