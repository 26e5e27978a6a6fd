"""One module a peer, each with the same few functions, written as its users would write them.

`learn(text, size)` learns a vocabulary of that size from a file; `learned(model)` gives the tokens
that merging made, in order; `learned_lengths(model, words)` the number of tokens of each word.
`load(vocabulary, text)` builds the peer's segmenter with the merges of a tokbench vocabulary or,
where it can load none, its own learned from the text; `segment(model, words)` cuts a list of words
by the fastest way that the peer offers for one; `lengths(model, words)` gives their tokens.

`MARKS` are the options with which tokbench's `bpe` writes word edges as the peer does when it
learns, `LOADS` those of a vocabulary that it can load (None where it loads none), `SPLIT` says how
it finds words when it learns.
"""

from importlib import import_module
from types import ModuleType


def peer(name: str) -> ModuleType:
    """Import the module of a peer, named as its package is; engines are no part of the name."""
    return import_module(f"peers.{name.partition(' ')[0].replace('-', '_')}")
