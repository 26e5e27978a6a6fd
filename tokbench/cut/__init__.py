"""How text becomes tokens: words and lines cut by a segmenter, all that comes back checked.

`BoundSegmenter` is the one door to a segmenter. `segment` and `replay` cut the words of a corpus
through it. Nothing here knows configs, registries, metrics or failures.
"""

from tokbench.cut.bound import BoundSegmenter
from tokbench.cut.words import replay, segment
from tokbench.errors import BrokenPromiseError

__all__ = ["BoundSegmenter", "BrokenPromiseError", "replay", "segment"]
