"""A line cut into pre-tokens, and each of them explained."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from tokbench.api import Decision, Explanation, Token


def explain_pieces(pieces: Sequence[str], explained: Callable[[str], Explanation]) -> Explanation:
    """Explain each pre-token of a line; the steps of one of several say which it is."""
    steps = [
        Decision(
            "pre-tokens",
            [{"text": piece} for piece in pieces],
            range(len(pieces)),
            "each is cut into tokens alone",
        )
    ]
    tokens: list[Token] = []
    for piece in pieces:
        found = explained(piece)
        of = f"{piece!r}: " if len(pieces) > 1 else ""
        steps += [replace(step, title=f"{of}{step.title}") for step in found.decisions]
        tokens += found.tokens
    return Explanation(steps, tokens)
