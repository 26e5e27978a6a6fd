"""Fill the tables of docs/reference/reliability.md from what the tests found.

python docs/reliability.py FACTS.jsonl...

The facts are those of `pytest --facts FACTS.jsonl`; of a test that ran twice the last counts.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent / "reference" / "reliability.md"
Facts = Mapping[str, Mapping[str, Any]]


def main() -> None:
    """Fill the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("facts", nargs="+", type=Path)
    given = parser.parse_args()
    facts: dict[str, Mapping[str, Any]] = {}
    for path in given.facts:
        for line in path.read_text(encoding="utf-8").splitlines():
            facts[json.loads(line)["test"]] = json.loads(line)
    tables = {"fuzz": fuzz(facts), "soak": soak(facts)}
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
            f"| child processes and runs killed | {fact['killed']} |",
            f"| results lost or changed | {0 if fact['outcome'] == 'passed' else 'some'} |",
            f"| memory of the process after ten jobs | {fact['memory-begin']:.1f} MB |",
            f"| its memory at the end | {fact['memory-end']:.1f} MB |",
            f"| the most in between | {fact['memory-most']:.1f} MB |",
        ]
    return rows


if __name__ == "__main__":
    main()
