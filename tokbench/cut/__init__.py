"""From text to tokens: segmenters cut words and lines, and all that they return is checked.

`BoundSegmenter` calls a segmenter. `segment` and `replay` cut the words of a corpus with it.
Nothing here knows configs, registries, metrics or failures.
"""

from tokbench.cut.bound import BoundSegmenter
from tokbench.cut.words import replay, segment
from tokbench.errors import BrokenPromiseError

__all__ = ["BoundSegmenter", "BrokenPromiseError", "replay", "segment"]
