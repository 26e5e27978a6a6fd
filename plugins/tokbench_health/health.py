"""Which tokens of a vocabulary never come: on the training text, on the test, on any text."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

from tokbench.api import Analysis, Cell, Column, UsedVocabulary
from tokbench.printing import json_text

if TYPE_CHECKING:
    from tokbench_health.fates import TokenFates

WORST = 20


class Health(Analysis):
    """Counts tokens that never come, or that say the same as another, by kind of token.

    Learned tokens that are never emitted on the training text are *residues* (LiteToken,
    arXiv 2602.04706). *Unreachable* is a token that comes neither in training nor test texts nor
    from its own text: alone, beside each of the ten most frequent characters on one side, then on
    both, where its marks allow it; in context also after a space.
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
        for kind, ids in found.kinds.items():
            if ids:
                yield self._row(used, found, kind, ids)

    def _row(
        self, used: UsedVocabulary, found: "TokenFates", kind: str, ids: frozenset[int]
    ) -> Mapping[str, Cell]:
        learned, trained = kind == "learned", used.training is not None and kind != "special"
        tested = used.test is not None and kind != "special"
        unemitted = ids & found.never_training
        flags: dict[str, frozenset[int] | None] = {
            "unreachable": ids & found.unreachable,
            "residues": unemitted if learned and trained else None,
            "cuts-characters": ids & found.cutting,
            "near-duplicates": ids & found.near_duplicates if learned else None,
        }
        if kind == "special":  # they are never produced
            flags = dict.fromkeys(flags)
        held = [one or frozenset() for one in flags.values()]
        every = frozenset[int]().union(*held)
        ranked = sorted(every, key=lambda i: ([i not in one for one in held], -i))
        names = [used.vocabulary.show(used.vocabulary.tokens[i]) for i in ranked[:WORST]]
        return {
            "kind": kind,
            "tokens": len(ids),
            "emitted-training": len(ids - unemitted) if trained else None,
            "never-training": len(unemitted) if trained else None,
            "never-test": len(ids & found.never_test) if tested else None,
            **{name: None if one is None else len(one) for name, one in flags.items()},
            "any": None if kind == "special" else len(every),
            "worst": json_text(names),
        }
