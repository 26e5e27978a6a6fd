"""Time learning BPE merges on a text against subword-nmt, in rounds that take turns.

python benchmarks/learn_bpe.py TEXT [--merges 1000] [--rounds 3] [--list]

Times on a busy machine vary; the ratios of one round to the next are what to compare. Lines say
for each program the fastest round, and how many times as long subword-nmt took.
"""

import argparse
import gzip
import io
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr
from pathlib import Path

from subword_nmt.learn_bpe import learn_bpe
from tokbench_bpe.learner import Bpe

from tokbench.api import Size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("text", type=Path, help="a UTF-8 text, .gz allowed")
    parser.add_argument("--merges", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--list", action="store_true", help="time the slow textbook code too")
    options = parser.parse_args()
    words = count_words(options.text)
    print(f"{words.total():,} words, {len(words):,} distinct, {options.merges:,} merges")
    programs = {"subword-nmt": subword_nmt, "indexed greatest": tokbench("indexed", "greatest")}
    programs["indexed first"] = tokbench("indexed", "first")
    if options.list:
        programs["list greatest"] = tokbench("list", "greatest")
    report(programs, words, options.merges, options.rounds)


def count_words(path: Path) -> Counter[str]:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
    return Counter(text.split())


Program = Callable[[Mapping[str, int], int], object]


def tokbench(merge: str, ties: str) -> Program:
    learner = Bpe.configure(merge=merge, ties=ties, **{"min-pair-count": 2})
    return lambda words, merges: learner.learn(words, Size(learned=merges))


def subword_nmt(words: Mapping[str, int], merges: int) -> None:
    counted = io.StringIO("".join(f"{word} {count}\n" for word, count in words.items()))
    # Its progress bar would be drawn over ours.
    with redirect_stderr(io.StringIO()):
        learn_bpe(counted, io.StringIO(), merges, is_dict=True)


def report(
    programs: Mapping[str, Program], words: Mapping[str, int], merges: int, rounds: int
) -> None:
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, program in programs.items():
            start = time.perf_counter()
            program(words, merges)
            seconds[name].append(time.perf_counter() - start)
    theirs = seconds["subword-nmt"]
    for name, ours in seconds.items():
        ratios = sorted(their / our for their, our in zip(theirs, ours, strict=True))
        print(f"{name:17} {min(ours):8.3f} s   median ratio {ratios[len(ratios) // 2]:6.2f}")


if __name__ == "__main__":
    main()
