"""Which tokens of a vocabulary never come: on the training text, on the test, on any text."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

from tokbench.api import Analysis, Cell, Column
from tokbench.api.arrays import UsedVocabulary
from tokbench.printing import json_text

if TYPE_CHECKING:
    from tokbench_health.reach import Flags
    from tokbench_health.token_flags import TokenFlags

WORST = 20


class Health(Analysis):
    """Counts tokens that never come, or that say the same as another, by kind of token.

    Learned tokens that are never emitted on the training text are called *residues* here; LiteToken
    (arXiv 2602.04706) calls tokens so by a ratio of counts. A token is reachable if the training
    text, a test text or a text made for it yields it. *Unreachable* is a token that no text yields,
    as follows from how the segmenter cuts. *Not found* is a token of which neither is known: it
    came from none of the `trials`, which are its own text alone, in context after a space, and
    beside up to ten characters on one side, then on both. Characters that no token joins with the
    text are tried first. Of a vocabulary with tokens of thousands of characters, the longest are
    not tried, and nothing is said of them.
    """

    columns: ClassVar[Mapping[str, Column]] = {
        "kind": "text",
        "tokens": "number",
        "emitted-training": "number",
        "never-training": "number",
        "never-test": "number",
        "unreachable": "number",
        "not-found": "number",
        "trials": "number",
        "residues": "number",
        "cuts-characters": "number",
        "near-duplicates": "number",
        "any": "number",
        "worst": "text",
    }

    def rows(self, used: UsedVocabulary) -> Iterator[Mapping[str, Cell]]:
        """Yield a row for each kind of token that there is: learned, alphabet, byte, special."""
        from tokbench_health.token_flags import TokenFlags

        tokens = TokenFlags.of(used)
        for kind, of_kind in tokens.kinds.items():
            if of_kind.any():
                yield self._row(used, tokens, kind, of_kind)

    def _row(
        self, used: UsedVocabulary, tokens: "TokenFlags", kind: str, of_kind: "Flags"
    ) -> Mapping[str, Cell]:
        import numpy as np  # only where it is used

        learned, trained = kind == "learned", used.training is not None and kind != "special"
        tested = used.test is not None and kind != "special"
        unemitted = of_kind & tokens.never_training
        flags: dict[str, Flags | None] = {
            "unreachable": None if tokens.unreachable is None else of_kind & tokens.unreachable,
            "not-found": of_kind & tokens.not_found,
            "residues": unemitted if learned and trained else None,
            "cuts-characters": of_kind & tokens.cutting,
            "near-duplicates": of_kind & tokens.near_duplicates if learned else None,
        }
        if kind == "special":  # they are never produced
            flags = dict.fromkeys(flags)
        defined = [np.zeros_like(of_kind) if flag is None else flag for flag in flags.values()]
        every = np.flatnonzero(np.any(defined, axis=0))
        # The last key counts most.
        ranked = every[np.lexsort((-every, *(~flag[every] for flag in reversed(defined))))]
        names = [used.vocabulary.show(used.vocabulary.tokens[i]) for i in ranked[:WORST]]

        def count(flag: "Flags | None") -> int | None:
            return None if flag is None else int(np.count_nonzero(flag))

        return {
            "kind": kind,
            "tokens": count(of_kind),
            "emitted-training": count(of_kind & ~unemitted if trained else None),
            "never-training": count(unemitted if trained else None),
            "never-test": count(of_kind & tokens.never_test if tested else None),
            "unreachable": count(flags["unreachable"]),
            "not-found": count(flags["not-found"]),
            "trials": None if kind == "special" else tokens.fewest_trials(of_kind),
            "residues": count(flags["residues"]),
            "cuts-characters": count(flags["cuts-characters"]),
            "near-duplicates": count(flags["near-duplicates"]),
            "any": None if kind == "special" else len(every),
            "worst": json_text(names),
        }
