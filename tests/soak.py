"""Many runs by one process, while children and other runs are killed at random.

    python -m tests.soak JOBS SEED

Every other job is a run in this process with a plugin of another, whose child is killed at
a random moment; its results must be those of an undisturbed run, since a crash is tried once more.
The jobs between are runs of their own that are killed at a random moment, and then done again.
Prints what was found as JSON: `lost` names every job whose results differ, or that left something.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from tests.run_cli import TOKBENCH, tokbench_here
from tests.tiny import TEXTS, config

PLUGIN = """
import time
from tokbench.api import Segmenter, hookimpl
class Slow(Segmenter):
    "Cut into letters, slowly."
    def segment(self, word, prepared):
        time.sleep(0.0003)
        return [*word]
@hookimpl
def tokbench_segmenters():
    return {"slow": Slow}
"""
RUN = ("run", "-q", "tiny.yaml", "-p", "slow.py", "-o")
SETTLED = 10
"""After so many jobs a process has imported and kept all that it keeps."""


def main() -> None:
    """Do the jobs that the command line asks for."""
    jobs, seed = map(int, sys.argv[1:])
    with tempfile.TemporaryDirectory() as created:
        print(json.dumps(soak(Path(created), jobs, random.Random(seed))))


def soak(folder: Path, jobs: int, draw: random.Random) -> dict[str, Any]:
    """Do so many jobs; return how many were killed, which were lost, and the memory in MB."""
    temporary = folder / "temporary"  # what killed runs leave goes with the folder
    temporary.mkdir()
    os.environ["TMPDIR"] = tempfile.tempdir = str(temporary)
    for name, text in TEXTS.items():
        (folder / f"{name}.txt").write_text(text)
    (folder / "slow.py").write_text(PLUGIN)
    systems = "[{name: bpe, learner: {use: bpe, eow: absent}}, {learner: char, segmenter: slow}]"
    (folder / "tiny.yaml").write_text(config(systems=systems, resamples="20"))
    begin = time.perf_counter()
    assert tokbench_here(*RUN, "right", cwd=folder, in_children=True).returncode == 0
    took = time.perf_counter() - begin
    right = results(folder / "right")
    lost, killed, memory = [], 0, []
    for job in range(jobs):
        out = folder / f"out{job % 3}"  # an older run stands there from the fourth job on
        moment = draw.uniform(0, took)
        if job % 2:
            killed += killed_run(folder, out, 3 * moment)
            done = tokbench_here(*RUN, out, cwd=folder, in_children=True)
        else:
            with killing_a_child(moment, draw) as kills:
                done = tokbench_here(*RUN, out, cwd=folder, in_children=True)
            killed += len(kills)
        left = [path.name for path in folder.glob(".tokbench-*")]
        if done.returncode or left or results(out) != right:
            lost.append(f"job {job}: exit code {done.returncode}, left {left}: {done.stderr}")
        memory.append(resident())
    settled = memory[min(SETTLED, jobs // 2) :]
    return {
        "jobs": jobs, "killed": killed, "lost": lost, "seconds": time.perf_counter() - begin,
        "memory-begin": settled[0], "memory-end": settled[-1], "memory-most": max(settled),
    }  # fmt: skip


def results(folder: Path) -> dict[str, bytes]:
    """Return what is the same each time."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    varies = {"run.json", "cost.md", "report.html"}
    return {str(f.relative_to(folder)): f.read_bytes() for f in files if f.name not in varies}


def killed_run(folder: Path, out: Path, moment: float) -> int:
    """Start a run of its own and kill it; return whether it had not ended before."""
    process = subprocess.Popen(
        [*TOKBENCH, *RUN, str(out)], cwd=folder,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(moment)
    process.kill()
    return int(process.wait() == -signal.SIGKILL)


@contextlib.contextmanager
def killing_a_child(moment: float, draw: random.Random) -> Any:
    """Kill a child of this process after a while, if there is one then."""
    kills: list[int] = []
    ended = threading.Event()

    def kill() -> None:
        ended.wait(moment)
        children = below(os.getpid())
        if children and not ended.is_set():
            kills.append(draw.choice(children))
            with contextlib.suppress(ProcessLookupError):
                os.kill(kills[0], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield kills
    finally:
        ended.set()
        thread.join()


def below(pid: int) -> list[int]:
    """Return the children of a process."""
    children: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):  # a thread has its own
        with contextlib.suppress(OSError):
            children += map(int, path.read_text().split())
    return children


def resident() -> float:
    """Return the memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    main()
