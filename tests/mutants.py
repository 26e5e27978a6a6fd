"""Breaks core lines, one at a time, and counts the tests that notice.

`python -m tests.mutants` works on a copy of the checkout and prints a table. Its exit code is 1 if
a mutant (a broken line) is missed. Where more than eight tests catch one, some may be redundant.
`python -m tests.mutants Holm gate` tries only the mutants whose names hold one of these texts.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from shutil import copytree, ignore_patterns
from tempfile import TemporaryDirectory
from typing import NamedTuple

# A name; a file, and the tests to run; a text that stands once in the file; what replaces it.
MUTANTS = """
# Holm multiplies every p-value by the number of tests
tokbench/significance.py tests/test_stats.py tests/score/test_compare.py
- (tests - rank) * p_values[i]
+ tests * p_values[i]
# intervals of 90 %
tokbench/score/resample.py tests/test_stats.py tests/score/test_compare.py
- LEVEL = 0.95
+ LEVEL = 0.90
# p-values may be 0
tokbench/score/resample.py tests/test_stats.py tests/score/test_compare.py
- 1 + int(min(np
+ int(min(np
# each system has draws of its own
tokbench/score/resample.py tests/test_stats.py tests/score/test_test_set.py
- self._drawn[first : first + rows].astype(kind)
+ np.random.default_rng().permutation(self._drawn)[first : first + rows].astype(kind)
# pairs are not corrected for how many they are (max-T)
tokbench/score/compare.py tests/score/test_compare.py
- np.max(distances, axis=0, where=varying[:, None], initial=0)
+ distances[0]
# fertility counts rows instead of tokens
plugins/tokbench_metrics/length.py tests/metrics/test_length.py
- {"tokens": segmentation.tokens, "words": ones(len(segmentation))}
+ {"tokens": segmentation.rows, "words": ones(len(segmentation))}
# Rényi entropy of the power 2, whatever is asked for
plugins/tokbench_metrics/entropy.py tests/metrics/test_entropy.py
- np.power(shares / largest, power,
+ np.power(shares / largest, 2,
# kappa expects agreement on cuts only
plugins/tokbench_morphology/boundaries.py tests/metrics/test_boundaries.py
- gold * predicted + (1 - gold) * (1 - predicted)
+ gold * predicted
# boundaries are compared with the worst alternative
plugins/tokbench_morphology/alternatives.py tests/metrics/test_boundaries.py
- np.lexsort((-self.f1, self.state))
+ np.lexsort((self.f1, self.state))
# a length exactly at the gate is marked
tokbench/runner/results.py tests/runner/test_gate.py
- self.uncovered.get(corpus, 0) > gate
+ self.uncovered.get(corpus, 0) >= gate
# bits per byte exactly at the gate are marked
tokbench/runner/rows.py tests/plugins/test_lm.py
- share.value > gate
+ share.value >= gate
# Good-Turing counts words that occur twice
tokbench/corpora/load.py tests/runner/test_groups.py
- sum(n == 1 for n in counted.values())
+ sum(n <= 2 for n in counted.values())
# words below min-word-count are unseen
tokbench/corpora/load.py tests/corpora/test_load.py
- counts = counted.among(
+ counts = frequent_words(reader, counted).among(
# a byte order mark is lost wherever a line begins
tokbench/corpora/lines.py tests/corpora/test_corpus_reader.py
- body = raw if offset else raw.removeprefix(codecs.BOM_UTF8)
+ body = raw.removeprefix(codecs.BOM_UTF8)
# the textbook takes the smallest of equal pairs for the greatest
plugins/tokbench_bpe/textbook.py tests/plugins/test_bpe_textbook.py
- max if ties == "greatest" else min
+ min if ties == "greatest" else max
# the textbook leaves out pairs at the minimum count
plugins/tokbench_bpe/textbook.py tests/plugins/test_bpe_engines.py
- most < minimum
+ most <= minimum
# a smaller vocabulary lacks its last token
tokbench/api/vocabulary.py tests/api/test_vocabulary.py
- if birth <= learned]
+ if birth < learned]
# states hold one size too long
tokbench/api/segmentation.py tests/api/test_segmentation.py
- (learned < self.until)
+ (learned <= self.until)
# tokens are known one size too late
tokbench/cut/timeline.py tests/cut/test_fixed_cuts.py
- births[tokens] <= np.repeat(begins, many)
+ births[tokens] < np.repeat(begins, many)
# offsets inside words are those of the line
tokbench/cut/words.py tests/cut/test_aligning.py
- starts=np.maximum(starts[token], begin[word]) - begin[word]
+ starts=np.maximum(starts[token], begin[word]) - base[of_line[token]]
# a changed file of a run is read
tokbench/run_folder/seal.py tests/run_folder/test_load.py
- if _digest(data) != self.digests.get(name):
+ if name not in self.digests:
# numbers of 11 digits
tokbench/run_folder/tables.py tests/run_folder/test_tables.py
- float(f"{v:.12g}")
+ float(f"{v:.11g}")
# a signature leaves out the last option
tokbench/api/component.py tests/api/test_component.py tests/runner/test_signature.py
- for field, declared in type(self).model_fields.items()
+ for field, declared in [*type(self).model_fields.items()][:-1]
# a file that cannot be read has the exit code of a wrong config
tokbench/errors.py tests/test_messages.py
- exit_code = 4
+ exit_code = 2
# an assertion that does not hold is no failure
tokbench/cli/run.py tests/test_assertions.py
- 0 if held else NOT_HELD
+ 0
"""


class Mutant(NamedTuple):
    """A text that stands once in a file, what replaces it, and the tests to run."""

    name: str
    file: str
    tests: Sequence[str]
    old: str
    new: str


def mutants() -> list[Mutant]:
    """Read the list of mutants."""
    blocks = (block.splitlines() for block in MUTANTS.removeprefix("\n# ").split("\n# "))
    split = ((name, files.split(), old[2:], new[2:]) for name, files, old, new in blocks)
    return [Mutant(name, file, tests, old, new) for name, (file, *tests), old, new in split]


def main(wanted: Sequence[str]) -> int:
    """Try the mutants and print the table; return 1 if one is missed."""
    tried = [m for m in mutants() if not wanted or any(text in m.name for text in wanted)]
    if not tried:
        sys.exit(f"no mutant is named like {' or '.join(wanted)}")
    begin, missed = time.monotonic(), 0
    with TemporaryDirectory() as folder:
        copy = Path(folder, "copy")
        copytree(Path(__file__).parents[1], copy, ignore=ignore_patterns(".*", "__pycache__"))
        check(tried, copy)
        for mutant in tried:
            path = copy / mutant.file
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
            tests = failing(mutant.tests, copy)
            path.write_text(text, encoding="utf-8")
            missed += not tests
            mark = "MISSED" if not tests else "many" if len(tests) > 8 else ""
            shown = [f"{len(tests):3} {mark:6} {mutant.name}", *tests[:3]]
            print("\n           ".join(shown), flush=True)
    print(f"{len(tried)} mutants, {missed} missed, {time.monotonic() - begin:.0f} s")
    return int(missed > 0)


def check(tried: Sequence[Mutant], copy: Path) -> None:
    """Stop unless each mutant can be made, Python imports the copy, and its tests pass so far."""
    for mutant in tried:
        times = (copy / mutant.file).read_text(encoding="utf-8").count(mutant.old)
        if times != 1:
            sys.exit(f"{mutant.file}: found {times} times, expected once: {mutant.old}")
        module = mutant.file.removeprefix("plugins/").removesuffix(".py").replace("/", ".")
        code = f"import importlib; print(importlib.import_module({module!r}).__file__)"
        imported = in_copy(["-c", code], copy).stdout.strip()
        if imported != str(copy / mutant.file):
            sys.exit(f"tests would import {imported}, expected {copy / mutant.file}")
    if tests := failing(sorted({file for mutant in tried for file in mutant.tests}), copy):
        sys.exit(f"fails without a mutant: {', '.join(tests)}")


def failing(tests: Sequence[str], copy: Path) -> list[str]:
    """Run tests in the copy; return the names of those that fail."""
    facts = copy / "facts.jsonl"
    facts.unlink(missing_ok=True)
    run = in_copy(["-m", "pytest", "-q", "--timeout=60", f"--facts={facts}", *tests], copy)
    if run.returncode not in (0, 1):  # all passed, or some failed
        sys.exit(f"pytest ended with {run.returncode}:\n{run.stdout}{run.stderr}")
    outcomes = map(json.loads, facts.read_text(encoding="utf-8").splitlines())
    return list(dict.fromkeys(o["test"] for o in outcomes if o["outcome"] == "failed"))


def in_copy(arguments: Sequence[str], copy: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in the copy, whose packages come before the installed ones."""
    path = os.pathsep.join([str(copy), str(copy / "plugins")])
    command, env = [sys.executable, *arguments], {**os.environ, "PYTHONPATH": path}
    return subprocess.run(command, cwd=copy, env=env, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
