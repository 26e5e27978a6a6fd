"""Cutting many words, with every state that each passes through; compiled.

Numbers come in as buffers of 64-bit integers (`array("q")`), and go out as bytes of such integers:
the columns word, row, ids, ends, since and until of `tokbench.api.arrays.Timeline`. Texts come in
as UTF-32 in the byte order of this machine; the mark of continuation ends each of `words`. Symbols
are numbers: a token's is its id, further symbols follow, the number after the last stands for all
unknown ones. `letters` is (code points, four symbols of each: inside a word, first, last and alone;
the symbols put before and after each word, -1 for none; the unknown symbol). Raises ValueError for
numbers out of range.
"""

from array import array

Column = array[int]
Letters = tuple[Column, Column, int, int, int]
Columns = tuple[bytearray, bytearray, bytearray, bytearray, bytearray, bytearray]

def merge(
    words: bytes,
    since: int,
    tokens: int,
    letters: Letters,
    merges: tuple[Column, Column, Column],
    in_order: bool,
) -> Columns:
    """Merge words by rank.

    `merges` is the left parts, right parts and products by rank, -1 for the parts of a learned
    item that is no merge. With `in_order` every rank is merged once, in order; without, a rank may
    be merged after a higher one. Symbols from `tokens` on have no id.
    """

def match(
    words: bytes,
    since: int,
    learned: int,
    letters: Letters,
    trie: tuple[bytes, Column, Column, Column, int, int, bool],
    scores: tuple[array[float], float, bool] | None,
) -> Columns:
    """Cut words, which stand between the marks of their edges, into longest or best tokens.

    `trie` is the letters of the tokens to look for, how many there are up to the end of each token,
    the tokens' ids, the births of all ids (the number of learned items at which each is in the
    vocabulary), how the marks at begin and end of a word are written (0 absent, 1 fused to the
    letter, 2 separate), and whether letters after the first have a fused mark of continuation.
    There are `learned` items.

    With `scores`, the tokens are those whose scores add up to most, and `since` is `learned`. They
    are the score of each id, that of a letter which no token covers alone, and whether each sum is
    rounded to single precision.
    """
