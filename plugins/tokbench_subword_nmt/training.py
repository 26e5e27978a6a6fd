"""Runs in a child process: learn merges with the program's own function.

It imports nothing of tokbench, so that the child starts fast.
"""

import io
from collections.abc import Mapping
from typing import Any


def learn(asked: Mapping[str, Any]) -> list[list[str]]:
    """Return the learned pairs, spelled, of words without whitespace; at most `merges`."""
    from subword_nmt.learn_bpe import learn_bpe

    words = asked["words"]
    if not any(len(word) > 1 for word in words):
        return []  # the program looks for the most frequent pair, whether there is one or not
    counted = io.StringIO("".join(f"{word} {count}\n" for word, count in words.items()))
    codes = io.StringIO()
    learn_bpe(counted, codes, asked["merges"], asked["min_frequency"], is_dict=True)
    _version, *lines = codes.getvalue().rstrip("\n").split("\n")
    return [line.split(" ") for line in lines]
