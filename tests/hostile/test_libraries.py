"""Libraries that are missing, too old, broken or rude cost one system; nothing is left behind."""

import importlib.util
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.hostile.places import Place, system
from tests.run_cli import TOKBENCH

HIDING = """
import os
from importlib.machinery import PathFinder

hidden, find = os.environ["HIDDEN"].split(","), PathFinder.find_spec
PathFinder.find_spec = staticmethod(
    lambda name, *rest: None if name in hidden else find(name, *rest)
)
"""
LIBRARIES = {
    "tokenizers": ("hf-bpe", "tokenizers 0.22", "tokbench[hf]"),
    "sentencepiece": ("sentencepiece-bpe", "sentencepiece 0.2.3", "tokbench[sentencepiece]"),
    "tiktoken": (system("t", "ranks.tiktoken", "ranks.tiktoken"), "tiktoken 0.13",
                 "tokbench[tiktoken]"),
    "morfessor": ("morfessor", "morfessor 2.0.6", "tokbench[morfessor]"),
    "subword_nmt": ("subword-nmt", "subword-nmt 0.3.8", "tokbench[subword-nmt]"),
    "kiwipiepy": ("{name: k, learner: char, split: kiwi}", "kiwipiepy 0.24", "tokbench[korean]"),
}  # fmt: skip


@pytest.fixture
def hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process look for the wrapped libraries in vain."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name in LIBRARIES else find(name)
    )


@pytest.mark.usefixtures("hidden")
def test_libraries_that_are_missing_are_named_with_the_install_command(place: Place) -> None:
    done = place.check("\n- bpe\n- " + "\n- ".join(row[0] for row in LIBRARIES.values()))
    assert done.code == 3
    for line, (module, (_, _, extra)) in enumerate(LIBRARIES.items(), start=7):
        (refusal,) = (text for text in done.err.splitlines() if f"config.yaml:{line}:" in text)
        assert refusal.endswith(f"needs {module}: pip install '{extra}'")


def in_processes(place: Place, hidden: str = "") -> Place:
    """The place with commands as processes of their own, which first look in its folder `site`."""
    (place.folder / "site").mkdir(exist_ok=True)
    place.write("site/sitecustomize.py", HIDING)
    path = os.pathsep.join([str(place.folder / "site"), *filter(None, sys.path)])
    return Place(place.folder, {"PYTHONPATH": path, "HIDDEN": hidden})


def test_libraries_that_are_too_old_are_named_with_the_install_command(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokbench.plugins.registry.version", lambda package: "0.1")
    done = place.check("\n- bpe\n- " + "\n- ".join(row[0] for row in LIBRARIES.values()))
    assert done.code == 3
    for line, (_, wanted, extra) in enumerate(LIBRARIES.values(), start=7):
        (refusal,) = (text for text in done.err.splitlines() if f"config.yaml:{line}:" in text)
        assert refusal.endswith(
            f"needs {wanted} or newer, found 0.1: pip install --upgrade '{extra}'"
        )


def test_a_vocabulary_whose_library_is_missing(place: Place) -> None:
    learned = place.do("learn", "--learner", "hf-bpe", "--size", "30", "train.txt")
    place.write("learned.json", learned.out)
    hidden = in_processes(place, "tokenizers")
    needs = "'hf-words' needs tokenizers: pip install 'tokbench[hf]'"
    done = hidden.do("segment", "learned.json", "test.txt")
    assert (done.code, done.err) == (3, f"error: {needs}\n")
    done = hidden.run(f"[char, {system('learned', 'ours.json', 'learned.json')}]")
    assert done.code == 1
    assert done.failed == {"learned": needs}
    assert done.sizes == {"char": 14}


@pytest.mark.nightly
def test_a_library_that_cannot_be_imported(place: Place) -> None:
    """It is installed and new enough, but a part of it is missing."""
    (place.folder / "site" / "sentencepiece").mkdir(parents=True)
    fault = "raise ImportError('libprotobuf.so: cannot open shared object file')\n"
    place.write("site/sentencepiece/__init__.py", fault)
    broken = in_processes(place)
    done = broken.run(f"[char, {system('s', 'my.model', 'my.model')}, word]")
    assert done.code == 1
    assert done.failed == {
        "s": "ImportError: libprotobuf.so: cannot open shared object file "
        "(tokbench_sentencepiece/model.py:8)"
    }
    assert done.sizes == {"char": 14, "word": 14}


RUDE = """
import os, sys, time
from tokbench.api import Learner, Segmenter, Vocabulary, hookimpl

class Panic(BaseException):
    pass

class Rude(Learner):
    "Do what a rude library does."
    how: str

    def learn(self, words, size):
        vocabulary = Vocabulary.build(
            sorted(set("".join(words))), [], segmenter={"use": "longest-match"}
        )
        if self.how == "panic":
            raise Panic("called `unwrap()` on a `None` value\\n  at line 3")
        if self.how == "exit":
            sys.exit("usage: ...")
        if self.how == "loud":
            os.write(2, b"noise\\n" * 500_000)
            print("noise " * 1_000_000)
        if self.how == "abort":
            sys.stderr.write("about to abort\\n")
            os.abort()
        if self.how == "wait":
            with open(os.path.join(FOLDER, "child.pid"), "w") as file:
                file.write(str(os.getpid()))
            time.sleep(600)
        return vocabulary

class RudeSegmenter(Segmenter):
    "Panic at a word."

    def segment(self, word, prepared):
        if word == "mat":
            raise Panic("cannot cut")
        return list(word)

tokbench_learners = hookimpl(lambda: {"rude": Rude})
tokbench_segmenters = hookimpl(lambda: {"rude": RudeSegmenter})
"""


@pytest.fixture
def rude(place: Place) -> Place:
    folder = f"FOLDER = {str(place.folder)!r}\n"
    place.write("plugin.py", folder + RUDE)
    return place


def learning(how: str) -> str:
    return f"[char, {{name: mine, learner: {{use: rude, how: {how}}}}}, word]"


@pytest.mark.parametrize(
    ("system", "where", "message"),
    [
        ("learner: {use: rude, how: panic}", "mine at size 60",
         "Panic: called `unwrap()` on a `None` value at line 3 (plugin.py:18)"),
        ("learner: {use: rude, how: exit}", "mine at size 60",
         "SystemExit: usage: ... (plugin.py:20)"),
        ("learner: char, segmenter: rude", "mine", "Panic: cannot cut (plugin.py:38)"),
    ],
)  # fmt: skip
def test_a_rude_library_costs_only_its_system(
    rude: Place, system: str, where: str, message: str
) -> None:
    done = rude.run(f"[char, {{name: mine, {system}}}, word]", "-p", "plugin.py")
    assert done.code == 1
    assert done.failed == {where: message}
    assert done.sizes == {"char": 14, "word": 14}


def test_an_abort_costs_only_its_system_and_shows_the_line(rude: Place) -> None:
    done = rude.run(learning("abort"), "-p", "plugin.py")
    assert done.code == 1
    assert done.failed == {"mine": "learner rude(how=abort) was ended by SIGABRT"}
    assert done.sizes == {"char": 14, "word": 14}
    assert done.err.count("about to abort\n") == 2, "it is tried once more"
    assert re.search(r'plugin\.py", line \d+ in learn\n', done.err)


def test_of_megabytes_on_stderr_the_last_64_000_are_passed_on(rude: Place) -> None:
    done = rude.run(learning("loud"), "-p", "plugin.py")
    assert done.code == 0
    assert done.sizes == {"char": 14, "mine": 14, "word": 14}
    assert "noise" not in done.out
    noise = done.err.partition("system mine printed:\n")[2]
    assert 60_000 < len(noise) < 66_000


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.nightly)]
)
def test_an_interrupt_ends_the_child_too_and_leaves_nothing(rude: Place, number: int) -> None:
    rude.config(learning("wait"))
    (rude.folder / "temporary").mkdir()
    process = subprocess.Popen(
        [*TOKBENCH, "run", "-p", "plugin.py", "config.yaml"],
        cwd=rude.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(rude.folder / "temporary")},
    )
    with process:
        child = waiting(rude.folder / "child.pid")
        process.send_signal(number)
        out, err = process.communicate(timeout=300)
    *before, end = err.decode().splitlines()
    assert (process.returncode, out, end) == (130, b"", "interrupted")
    assert not any("Traceback" in line for line in before)
    assert not Path(f"/proc/{child}").exists()
    assert not [*(rude.folder / "temporary").iterdir()]
    assert not [*rude.folder.glob("runs/*"), *rude.folder.glob(".tok*")]


def waiting(file: Path) -> int:
    """Wait until a child has written its process id."""
    until = monotonic() + 300
    while monotonic() < until:
        if file.exists() and (text := file.read_text()):
            return int(text)
        sleep(0.02)
    pytest.fail("the child never started")
