"""Words in which a token stands apart: no token holds its letters together with others.

A segmenter that decides inside a token by the token's own letters yields it there, if anywhere.
"""

from collections.abc import Iterable, Sequence
from itertools import chain

from tokbench.api import Marks, Vocabulary
from tokbench.api.text import BOW, CONTINUATION, EOW


def words_apart(vocabulary: Vocabulary, ids: Iterable[int]) -> Sequence[str | None]:
    r"""Return for each token a word in which it stands apart; None if it is no text.

    The token stands alone; where it lacks the mark of an edge, beside a stranger.

    >>> words_apart(Vocabulary(("a", "ab"), marks=Marks.model_validate({"eow": "fused"})), [1])
    ['ab\U000f0000']
    """
    letter, words = stranger(vocabulary), list[str | None]()
    for i in ids:
        text = text_of(vocabulary, i)
        before, behind = is_inside(vocabulary.tokens[i], vocabulary.marks)
        # The mark of an edge may be a token, which any word has.
        words.append(None if text is None else letter * before + text + letter * behind or letter)
    return words


def text_of(vocabulary: Vocabulary, i: int) -> str | None:
    """Return the letters of a token without marks; None for bytes that are no whole letters."""
    text = Marks.strip(vocabulary.tokens[i])
    if vocabulary.units == "characters":
        return text
    try:
        return text.encode("latin-1").decode("utf-8", "surrogatepass")
    except UnicodeError:  # a special token may hold what is no byte
        return None


def is_inside(token: str, marks: Marks) -> tuple[bool, bool]:
    """Return whether a token lacks the mark of the beginning, and whether that of the end."""
    before = marks.bow.kind != "absent" and not token.startswith(BOW)
    if marks.continuation.kind == "fused":
        before = token.startswith(CONTINUATION)
    return before, marks.eow.kind != "absent" and not token.endswith(EOW)


def stranger(vocabulary: Vocabulary) -> str:
    """Return a letter that no token joins to others; only words with marks need one."""
    longer = (token for token in (*vocabulary.tokens, *vocabulary.products) if len(token) > 1)
    joined = set(chain.from_iterable(longer))
    return next(letter for letter in map(chr, range(0xF0000, 0x110000)) if letter not in joined)
