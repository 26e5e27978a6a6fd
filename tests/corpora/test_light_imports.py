"""Modules of the package that commands need early load nothing heavy."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("names", "heavy"),
    [
        ("splitters", {"numpy", "regex", "yaml", "urllib.request"}),
        ("source, corpus_reader, training, counting", {"numpy", "urllib.request"}),
    ],
)
def test_what_is_light_loads_nothing_heavy(names, heavy):
    code = f"import sys; from tokbench.corpora import {names}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert not heavy & {*done.stdout.decode().split()}
