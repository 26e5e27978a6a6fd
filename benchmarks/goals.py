"""The limits that tokbench holds itself to, each a figure of the same call."""

from collections.abc import Iterator
from dataclasses import dataclass

from figures import Figures


@dataclass(frozen=True)
class Goal:
    """A figure and the most that it may be; None where it was not measured."""

    text: str
    limit: float
    found: float | None
    unit: str = ""

    @property
    def reached(self) -> bool | None:
        """Whether the figure is within its limit."""
        return None if self.found is None else self.found <= self.limit


def goals(figures: Figures) -> list[Goal]:
    """Compare what was found with every limit."""
    return [*_learning(figures), *_sizes(figures), *_other(figures), *_starting(figures)]


def _learning(figures: Figures) -> Iterator[Goal]:
    for scale in (1, 10, 100):
        yield _ratio(figures, "learn", scale, "tokbench", "gigatoken", 1.0)
    for scale in (1, 10, 100):
        yield _ratio(figures, "learn", scale, "tokbench", "gigatoken", 1.5, "peak-mb")
    for scale, limit in ((1, 1.5), (10, 1.1), (100, 0.9)):
        yield _ratio(figures, "learn", scale, "tokbench python", "tokenizers", limit)
    for of, limit in (("seconds", 10.0), ("peak-mb", 5.0)):
        for engine in ("tokbench", "tokbench python"):
            grown = figures.growth("learn", (10, 100), engine, of)
            yield Goal(f"learn, {engine}: {NAMES[of]} at x100 against x10", limit, grown)


def _sizes(figures: Figures) -> Iterator[Goal]:
    hugging_face = "tokenizers, distinct words"
    yield _ratio(figures, "sweep", 1, "tokbench", hugging_face, 1 / 20)
    # Plain Python has one learner and one replay, and no faster ways for short words.
    yield _ratio(figures, "sweep", 1, "tokbench python", hugging_face, 1 / 2)
    yield _ratio(figures, "curve", 1, "tokbench, every size", "tokbench, listed sizes", 1.5)
    yield _ratio(figures, "run", 1, "tokbench", "tokenizers", 1.0)


def _other(figures: Figures) -> Iterator[Goal]:
    yield Goal("segment, tokbench", 0.5, microseconds(figures, "tokbench"), "µs a word")
    yield _ratio(figures, "segment", 1, "tokbench", "gigatoken", 1.0)
    yield _ratio(figures, "histogram", 1, "tokbench", "tokenization-scorer", 1.0)
    yield _ratio(figures, "oov", 1, "bands", "no bands", 1.3)
    yield _ratio(figures, "oov", 1, "noise", "bands", 2.0)
    for how, limit in (("order 8", 20.0), ("order chosen", 60.0)):
        priced = figures.answer("model", 1, f"bytes, {how}")
        took = None if priced is None else figures.seconds("model", 1, f"bytes, {how}").median
        yield Goal(f"bits per byte of bytes, {how}", limit, took, "s")
    yield _ratio(figures, "jobs", 1, "jobs: 2", "jobs: 1", 0.65)
    yield _ratio(figures, "page", 1, "with page", "without page", 1.25)
    many = figures.answer("page", 1, "50 systems")
    seconds = None if many is None else figures.seconds("page", 1, "50 systems").median
    yield Goal("page of 50 systems at 6 sizes", 1.5, seconds, "s")
    megabytes = None if many is None else float(many["page-mb"])
    yield Goal("page of 50 systems at 6 sizes", 3.0, megabytes, "MB")
    for tokenizer in ("gpt2", "bert", "cl100k", "xlnet", "mistral"):
        yield _ratio(figures, "wrap", 1, f"{tokenizer}: tokbench", f"{tokenizer}: library", 1.2)


def _starting(figures: Figures) -> Iterator[Goal]:
    limits = {
        "tokbench --version": 60,
        "tokbench --help": 120,
        "a config error": 300,
        "first line of a run": 500,
    }
    known = figures.peers("start", 1)
    for peer, limit in limits.items():
        found = 1000 * figures.seconds("start", 1, peer).median if peer in known else None
        yield Goal(f"start: {peer}", limit, found, "ms")


NAMES = {"seconds": "time", "peak-mb": "memory"}


def _ratio(
    figures: Figures, task: str, scale: int, peer: str, other: str, limit: float,
    of: str = "seconds",
) -> Goal:  # fmt: skip
    spread = figures.ratio(task, scale, peer, other, of)
    text = f"{task} x{scale}: {NAMES[of]} of {peer} against {other}"
    return Goal(text, limit, None if spread is None else spread.median)


def microseconds(figures: Figures, peer: str) -> float | None:
    """Return the microseconds that a distinct word takes to segment."""
    answer = figures.answer("segment", 1, peer)
    if answer is None:
        return None
    return 1e6 * figures.seconds("segment", 1, peer).median / float(answer["words"])
