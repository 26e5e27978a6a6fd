"""Which tokens of a vocabulary never come: on the training text, on the test, on any text."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

from tokbench.api import Analysis, Cell, Column, UsedVocabulary
from tokbench.printing import json_text

if TYPE_CHECKING:
    from tokbench_health.fates import Flags, TokenFates

WORST = 20


class Health(Analysis):
    """Counts tokens that never come, or that say the same as another, by kind of token.

    Learned tokens that are never emitted on the training text are called *residues* here; LiteToken
    (arXiv 2602.04706) calls tokens so by a ratio of counts. *Unreachable* is a token that comes
    neither in training nor test texts nor from its own text: alone, beside each of the ten most
    frequent characters on one side, then on both, where its marks allow it; in context also after a
    space.
    """

    columns: ClassVar[Mapping[str, Column]] = {
        "kind": "text",
        "tokens": "number",
        "emitted-training": "number",
        "never-training": "number",
        "never-test": "number",
        "unreachable": "number",
        "residues": "number",
        "cuts-characters": "number",
        "near-duplicates": "number",
        "any": "number",
        "worst": "text",
    }

    def rows(self, used: UsedVocabulary) -> Iterator[Mapping[str, Cell]]:
        """Yield a row for each kind of token that there is: learned, alphabet, byte, special."""
        from tokbench_health.fates import TokenFates

        found = TokenFates.of(used)
        for kind, of_kind in found.kinds.items():
            if of_kind.any():
                yield self._row(used, found, kind, of_kind)

    def _row(
        self, used: UsedVocabulary, found: "TokenFates", kind: str, of_kind: "Flags"
    ) -> Mapping[str, Cell]:
        import numpy as np  # only where it is used

        learned, trained = kind == "learned", used.training is not None and kind != "special"
        tested = used.test is not None and kind != "special"
        unemitted = of_kind & found.never_training
        flags: dict[str, Flags | None] = {
            "unreachable": of_kind & found.unreachable,
            "residues": unemitted if learned and trained else None,
            "cuts-characters": of_kind & found.cutting,
            "near-duplicates": of_kind & found.near_duplicates if learned else None,
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
            "never-test": count(of_kind & found.never_test if tested else None),
            **{name: count(flag) for name, flag in flags.items()},
            "any": None if kind == "special" else len(every),
            "worst": json_text(names),
        }
