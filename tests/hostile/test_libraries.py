"""Libraries that are missing, too old or broken cost one system."""

import os
import sys
from importlib.metadata import PackageNotFoundError, version

import pytest

from tests.hostile.places import Place, system

LIBRARIES = {
    "tokenizers": ("hf-bpe", "tokenizers 0.22", "tokbench[hf]"),
    "sentencepiece": ("sentencepiece-bpe", "sentencepiece 0.2.3", "tokbench[sentencepiece]"),
    "tiktoken": (system("t", "ranks.tiktoken", "ranks.tiktoken"), "tiktoken 0.13",
                 "tokbench[tiktoken]"),
    "morfessor": ("morfessor", "morfessor 2.0.6", "tokbench[morfessor]"),
    "subword-nmt": ("subword-nmt", "subword-nmt 0.3.8", "tokbench[subword-nmt]"),
    "kiwipiepy": ("{name: k, learner: char, split: kiwi}", "kiwipiepy 0.24", "tokbench[korean]"),
}  # fmt: skip


def hide_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process look for the wrapped libraries in vain."""

    def installed(package: str) -> str:
        if package in LIBRARIES:
            raise PackageNotFoundError(package)
        return version(package)

    monkeypatch.setattr("tokbench.plugins.registry.version", installed)


@pytest.mark.parametrize("is_missing", [True, False])
def test_libraries_that_are_missing_or_too_old_are_named_with_the_install_command(
    place: Place, monkeypatch: pytest.MonkeyPatch, is_missing: bool
) -> None:
    if is_missing:
        hide_libraries(monkeypatch)
    else:
        monkeypatch.setattr("tokbench.plugins.registry.version", lambda package: "0.1")
    done = place.check("\n- bpe\n- " + "\n- ".join(row[0] for row in LIBRARIES.values()))
    assert done.code == 3
    for line, (package, (_, wanted, extra)) in enumerate(LIBRARIES.items(), start=7):
        (refusal,) = (text for text in done.err.splitlines() if f"config.yaml:{line}:" in text)
        old = f"{wanted} or newer, found 0.1: pip install --upgrade"
        what = f"{package}: pip install" if is_missing else old
        assert refusal.endswith(f"needs {what} '{extra}'")


def test_a_vocabulary_whose_library_is_missing(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned = place.do("learn", "--learner", "hf-bpe", "--size", "30", "train.txt")
    place.write("learned.json", learned.out)
    hide_libraries(monkeypatch)
    needs = "'hf-words' needs tokenizers: pip install 'tokbench[hf]'"
    done = place.do("segment", "learned.json", "test.txt")
    assert (done.code, done.err) == (3, f"error: {needs}\n")
    done = place.run(f"[char, {system('learned', 'ours.json', 'learned.json')}]")
    assert done.code == 1
    assert done.failed == {"learned": needs}
    assert done.sizes == {"char": 14}


@pytest.mark.nightly
def test_a_library_that_cannot_be_imported(place: Place) -> None:
    """It is installed and new enough, but a part of it is missing."""
    (place.folder / "site" / "sentencepiece").mkdir(parents=True)
    fault = "raise ImportError('libprotobuf.so: cannot open shared object file')\n"
    place.write("site/sentencepiece/__init__.py", fault)
    path = os.pathsep.join([str(place.folder / "site"), *filter(None, sys.path)])
    broken = Place(place.folder, {"PYTHONPATH": path})
    done = broken.run(f"[char, {system('s', 'my.model', 'my.model')}, word]")
    assert done.code == 1
    assert done.failed == {
        "s": "ImportError: libprotobuf.so: cannot open shared object file "
        "(tokbench_sentencepiece/model.py:9)"
    }
    assert done.sizes == {"char": 14, "word": 14}
