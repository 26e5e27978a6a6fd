"""Learn merges with the program's own function."""

import io
from collections.abc import Mapping


def learn_pairs(words: Mapping[str, int], merges: int, min_frequency: int) -> list[list[str]]:
    """Return the learned pairs, spelled, of words without whitespace; at most `merges`."""
    from subword_nmt.learn_bpe import learn_bpe

    if not any(len(word) > 1 for word in words):
        return []  # the program looks for the most frequent pair, whether there is one or not
    counted = io.StringIO("".join(f"{word} {count}\n" for word, count in words.items()))
    codes = io.StringIO()
    learn_bpe(counted, codes, merges, min_frequency, is_dict=True)
    _version, *lines = codes.getvalue().rstrip("\n").split("\n")
    return [line.split(" ") for line in lines]
