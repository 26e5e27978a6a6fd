"""Cutting many words, with every state that each passes through; compiled.

Numbers come in as buffers of 64-bit integers (`array("q")`), and go out as bytes of such integers:
the columns word, row, ids, ends, since and until of `tokbench.api.Timeline`. Symbols are numbers: a
token's is its id, further symbols follow, the number after the last stands for all unknown ones.
`letters` is (code points, four symbols of each: inside a word, first, last and alone; the symbols
put before and after each word, -1 for none; the unknown symbol). Raises ValueError for numbers
out of range.
"""

from array import array

Column = array[int]
Letters = tuple[Column, Column, int, int, int]
Columns = tuple[bytes, bytes, bytes, bytes, bytes, bytes]

def merge(
    words: tuple[str, ...],
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
    words: tuple[str, ...],
    since: int,
    learned: int,
    letters: Letters,
    trie: tuple[tuple[str, ...], Column, Column, int, int, bool],
) -> Columns:
    """Cut words into longest tokens.

    `trie` is the tokens to look for, their ids, the births of all ids (the number of learned items
    at which each is in the vocabulary), how the marks at begin and end of a word are written (0
    absent, 1 fused to the letter, 2 separate), and whether letters after the first have a fused
    mark of continuation. There are `learned` items.
    """
