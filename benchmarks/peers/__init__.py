"""One module for each peer, with the same few functions, written as its users would write them.

- `learn(text, size)` learns a vocabulary of that size from a file.
- `learned(model)` returns the tokens that merging made, in order.
- `load(vocabulary, text)` builds a segmenter with the merges of a tokbench vocabulary. A peer that
  cannot load one learns its own of the same size from the text.
- `segment(segmenter, words)` cuts a list of words by the fastest way that the peer offers for it.
- `segment_learned(model, words)` does so with what `learn` returned.

`MARKS` are the options with which tokbench's `bpe` writes word edges as the peer does.
"""

from importlib import import_module
from types import ModuleType


def peer(name: str) -> ModuleType:
    """Import the module of a peer: of "tokbench python", too, that of its package."""
    return import_module(f"peers.{name.partition(' ')[0].replace('-', '_')}")
