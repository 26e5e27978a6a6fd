"""The front door of the package: all its names, and nothing heavy behind it."""

import subprocess
import sys

import pytest

from tokbench import corpora


def test_every_name_can_be_imported():
    exported = [name for names in corpora._MODULES.values() for name in names]
    assert sorted(exported) == sorted(corpora.__all__)
    for name in exported:
        getattr(corpora, name)


def test_other_names_are_refused():
    with pytest.raises(
        AttributeError, match=r"'tokbench\.corpora' has no attribute 'load_corpsora'"
    ):
        _ = corpora.load_corpsora


@pytest.mark.parametrize(
    ("names", "heavy"),
    [
        ("WordSplitter, WhitespaceSplitter", {"numpy", "regex", "yaml", "urllib.request"}),
        ("Source, CorpusReader, countable_chunks, count_words", {"numpy", "urllib.request"}),
    ],
)
def test_what_is_light_loads_nothing_heavy(names, heavy):
    code = f"import sys; from tokbench.corpora import {names}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert not heavy & {*done.stdout.decode().split()}
