"""Modules of the package that commands need early load nothing heavy."""

import json

from tests.run_cli import fresh

PROGRAM = """
import json, sys
from tokbench.corpora import splitters
first = [*sys.modules]
from tokbench.corpora import source, corpus_reader, training, counting
print(json.dumps([first, [*sys.modules]]))
"""


def test_what_is_light_loads_nothing_heavy():
    first, then = map(set, json.loads(fresh(PROGRAM)))
    assert "tokbench.corpora.splitters" in first
    assert not first & {"numpy", "regex", "yaml", "urllib.request"}
    assert "tokbench.corpora.counting" in then
    assert not then & {"numpy", "urllib.request"}
