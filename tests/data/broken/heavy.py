"""A plugin that imports NumPy before anyone needs it."""

import numpy

from tokbench.api import Splitter, hookimpl


class Whole(Splitter):
    """Take the whole text for one word."""

    def split(self, text):
        return [(0, len(text))] if len(text) else []


@hookimpl
def tokbench_splitters():
    return {"whole": Whole if numpy else None}
