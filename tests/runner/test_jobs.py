"""The jobs of a run need no more than plain data: another process does them from a file alone."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from tests.runner.conftest import MakeWords
from tests.runner.jobs_as_data import do_jobs
from tokbench.api import Vocabulary
from tokbench.api.text import byte_length
from tokbench.run_folder.arrays import words_arrays

LINES = ("ab abd c", "abc 한b", "ab \ud800 ab") * 10


def test_another_process_does_the_jobs_from_plain_data(
    tmp_path: Path, root: Path, make_words: MakeWords
) -> None:
    """Learning, segmenting alone and in context, replaying and scoring give the same there."""
    words = make_words(*LINES, train={"ab": 4, "abc": 2})
    running = [word for line in LINES for word in line.split(" ")]
    sizes = [byte_length(word) + 1 for word in running]
    ends = np.cumsum(sizes)
    line_ends = ends[words.lines[1:] - 1]
    first = np.repeat(np.append(0, line_ends[:-1]), np.diff(words.lines))
    job = {
        "plugins": [str(root / "tests" / "plugin_in_context.py")],
        "learner": {"use": "bpe", "eow": {"kind": "separate", "text": "_"}},
        "training": {"ab": 4, "abc": 2, "b": 1, "c": 1},
        "size": {"total": 6},
        "segmenter": {"use": "bpe"},
        "of-lines": {"use": "spaced"},
        "vocabulary": Vocabulary(("a", "b", "c", " ", " ab", "ab")).to_json(),
        "lines": LINES,
        "metrics": {
            "fertility": {"use": "fertility"},
            "renyi": {"use": "renyi-efficiency-observed", "power": 3},
        },
        "resamples": 50,
        "seed": 1,
    }
    arrays = {
        **words_arrays("words", words),
        "begins": ends - sizes - first,
        "size": np.array([byte_length(line) for line in LINES]),
    }
    learned, here = do_jobs(job, arrays)
    (tmp_path / "job.json").write_text(json.dumps(job))
    np.savez(tmp_path / "job.npz", **arrays)
    program = root / "tests" / "runner" / "jobs_as_data.py"
    subprocess.run([sys.executable, program, tmp_path], cwd=tmp_path, check=True)
    assert (tmp_path / "vocabulary.json").read_text(encoding="utf-8") == learned
    with np.load(tmp_path / "results.npz", allow_pickle=False) as there:
        assert {*there} == {*here}
        for name, values in here.items():
            assert there[name].dtype == values.dtype, name
            assert np.array_equal(there[name], values, equal_nan=True), name
    assert len(here["fertility/all/samples"]) == 50
    assert (here["in-context/part"] > 0).any(), "tokens with the space before them extend outside"
