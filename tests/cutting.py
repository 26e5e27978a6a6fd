"""Segmentations as runs give them: a test says how words or lines are cut, and reads the arrays."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

from tests.tiny import TinyRun, offering, tiny_run
from tokbench.api import (
    Component,
    Learned,
    Learner,
    Marks,
    Segmenter,
    Size,
    Splitter,
    Token,
    Vocabulary,
)
from tokbench.api.arrays import Segmentation
from tokbench.errors import TokbenchError
from tokbench.runner.one_system import SystemRun
from tokbench.runner.results import SystemResult

SYSTEM, CORPUS = "s", "t"


class Ready(Learner):
    """Loads the vocabulary of a test."""

    vocabulary: ClassVar[Vocabulary]

    @property
    def reads(self) -> Any:
        return "nothing"

    def load(self) -> Vocabulary:
        return self.vocabulary


class Cuttable(Learner):
    """Learns the vocabulary of a test, which is cut to all sizes."""

    vocabulary: ClassVar[Vocabulary]

    @property
    def prefix_closed(self) -> bool:
        return True

    def learn(self, words: Any, size: Size) -> Vocabulary:
        return self.vocabulary.cut(size)


def of_merges(merges: Iterable[Sequence[str]], marks: Marks) -> Vocabulary:
    """Build from the spelled parts of merges; the alphabet is what no merge builds."""
    items = [Learned(tuple(map(marks.read, parts))) for parts in merges]
    built = {Marks.join(item.parts) for item in items}
    alphabet = sorted({part for item in items for part in item.parts} - built)
    return Vocabulary.build(alphabet, items, marks=marks)


class Fixed(Segmenter):
    """Returns the tokens that a test wants."""

    cuts: ClassVar[Mapping[str, Sequence[Token]]]

    def segment(self, word: str, prepared: Any) -> Sequence[Token]:
        return self.cuts[word]


class Halves(Splitter):
    """Finds the letters b, so that what stands before belongs to the piece before."""

    def split(self, text: str) -> list[tuple[int, int]]:
        return [(i, i + 1) for i, letter in enumerate(text) if letter == "b"]


class Solid(Splitter):
    """Finds what stands between white space of any kind."""

    def split(self, text: str) -> list[tuple[int, int]]:
        return [match.span() for match in re.finditer(r"\S+", text)]


def fixed(cuts: Mapping[str, Sequence[Any]]) -> type[Fixed]:
    """Return a segmenter that cuts each word as `cuts` says."""
    return made(Fixed, cuts=cuts)


def made(base: type[Any], **constants: Any) -> type[Any]:
    """Return a component class with the constants of a test."""
    return type(base.__name__, (base,), {"__module__": __name__, **constants})


def run_with(
    folder: Path,
    vocabulary: Vocabulary,
    segmenter: type[Segmenter],
    lines: Sequence[str],
    *,
    train: str = "x",
    words: type[Splitter] | str = Solid,
    options: str = "",
    split: type[Splitter] | None = None,
    merges: str | None = None,
    others: Mapping[str, type[Segmenter]] | None = None,
    components: Mapping[str, type[Component]] | None = None,
    **keys: str | None,
) -> TinyRun:
    """Cut lines with one vocabulary, as it is or cut to sizes, in words that `words` finds.

    `options` are those of the system; `others` are further systems, with other segmenters, and
    `components` further components.
    """
    sized = merges is not None or keys.get("sizes") is not None
    learner = made(Cuttable if sized else Ready, vocabulary=vocabulary)
    segmenters = {SYSTEM: segmenter, **(others or {})}
    parts = {"ready": learner, **{f"cutter_{name}": kind for name, kind in segmenters.items()}}
    parts |= {"finder": words} if isinstance(words, type) else {}
    parts |= {**({} if split is None else {"parts": split}), **(components or {})}
    finder = "finder" if isinstance(words, type) else words
    options += "" if split is None else ", split: parts"
    systems = [
        f"{{name: {name}, learner: ready, segmenter: cutter-{name}{options}}}"
        for name in segmenters
    ]
    train_file, test_file = (f"{{path: {name}.txt, words: {finder}}}" for name in ("train", "test"))
    # What these segmenters were given is counted: nothing may measure their speed.
    with patch.object(SystemRun, "_speed", lambda *_: SystemResult()):
        return tiny_run(
            folder,
            offering(**parts),
            {"train": f"{train}\n", "test": "".join(f"{line}\n" for line in lines)},
            **{
                "corpora": f"{{train: {train_file}, test: {{{CORPUS}: {test_file}}}}}",
                "systems": f"[{', '.join(systems)}]",
                "sizes": None,
                "merges": merges,
                "metrics": "[fertility]",
                "resamples": "1",
                **keys,
            },
        )


def cut(folder: Path, *arguments: Any, size: str = "", **options: Any) -> Segmentation:
    """Return how `run_with` cuts; raises TokbenchError with what failed."""
    run = run_with(folder, *arguments, **options)
    if run.failures:
        raise TokbenchError("; ".join(run.failures))
    return run.segmentation(SYSTEM, CORPUS, size)


def boundaries(segmentation: Segmentation, state: int) -> frozenset[int]:
    """Return the byte positions inside a word at which a token with text begins or ends."""
    rows = slice(segmentation.row[state], segmentation.row[state + 1])
    text = segmentation.with_text[rows]
    cuts = {
        *segmentation.starts[rows][text].tolist(),
        *segmentation.ends[rows][text].tolist(),
    }
    return frozenset(cuts - {0, int(segmentation.bytes[state])})
