"""Find the two parts that each token of a rank table was merged from.

A rank table names what is joined and not its parts. They are what the token's bytes become when
everything of lower rank is merged, since that was the state when it was learned.
"""

from collections.abc import Mapping

from tokbench.api import Learned


def recovered(ranks: Mapping[str, int]) -> list[Learned]:
    """Return each token of two characters or more with its parts, by rising rank.

    They are more than two where no sequence of merges builds the token.
    """
    ordered = sorted(ranks.items(), key=lambda entry: entry[1])
    return [Learned(parts(token, ranks)) for token, _ in ordered if len(token) > 1]


def parts(token: str, ranks: Mapping[str, int]) -> tuple[str, ...]:
    """Merge the characters of a token by all tokens of lower rank.

    >>> parts("low", {"lo": 1, "ow": 2, "low": 3})
    ('lo', 'w')
    """
    symbols, own = list(token), ranks[token]
    while len(symbols) > 2:
        best, at, before = own, 0, symbols[0]
        for i, symbol in enumerate(symbols[1:]):
            rank = ranks.get(before + symbol, own)
            if rank < best:
                best, at = rank, i + 1
            before = symbol
        if best == own:
            break
        symbols[at - 1 : at + 1] = [symbols[at - 1] + symbols[at]]
    return tuple(symbols)
