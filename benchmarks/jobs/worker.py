"""Start workers for a plugin of another: the first, with the fork server, or one more."""

from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from tokbench import plugins
from tokbench.api.component import Use

PLUGIN = """
from tokbench.api import Segmenter, hookimpl
class Letters(Segmenter):
    "Cut into letters."
    def segment(self, word, prepared):
        return [*word]
@hookimpl
def tokbench_segmenters():
    return {"letters": Letters}
"""
MORE = 5


def run(name: str) -> dict[str, Any]:
    """Time what there is before the first worker has built a segmenter, or each one after it."""
    with TemporaryDirectory() as created:
        path = Path(created) / "letters.py"
        path.write_text(PLUGIN, encoding="utf-8")
        # What takes time only because nothing of tokbench is loaded yet is no worker's.
        plugins.load(lazy=True, trusted=True)
        begin = perf_counter()
        registry = plugins.load([path], lazy=True)
        registry.build("segmenter", Use(use="letters"), worker="first")
        first = perf_counter() - begin
        begin = perf_counter()
        for number in range(MORE):
            registry.build("segmenter", Use(use="letters"), worker=f"more {number}")
        more = (perf_counter() - begin) / MORE
        registry.end_workers()
    return {"seconds": first if name == "the first" else more}
