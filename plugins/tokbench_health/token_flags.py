"""The tokens of one vocabulary by what becomes of them; loads NumPy."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokbench_bpe.apart import text_of

from tokbench.api.arrays import UsedVocabulary
from tokbench.api.text import BOW, CONTINUATION, EOW
from tokbench_health.reach import Flags, Search

MARKS = BOW + EOW + CONTINUATION


@dataclass(frozen=True, eq=False)
class TokenFlags:
    """The tokens of a vocabulary: by kind, and those that never come or stand for the same.

    `unreachable` is None where nothing can be proved. `trials` is how many texts were cut to find
    each token.
    """

    kinds: Mapping[str, Flags]
    never_training: Flags
    never_test: Flags
    unreachable: Flags | None
    not_found: Flags
    trials: NDArray[np.int64]
    near_duplicates: Flags
    cutting: Flags

    @classmethod
    def of(cls, used: UsedVocabulary) -> "TokenFlags":
        """Look at each token of a vocabulary."""
        vocabulary, none = used.vocabulary, np.zeros(len(used.vocabulary.tokens), np.bool_)
        bare = [token.strip(MARKS) for token in vocabulary.tokens]
        short = np.array([*map(len, bare)]) == 1
        special = _flags(none, vocabulary.unproduced)
        single = _flags(none, vocabulary.bytes)
        single = (single | short if vocabulary.units == "bytes" else single) & ~special
        letters = _flags(none, (vocabulary.ids[letter] for letter in vocabulary.alphabet))
        letters = (letters | short) & ~(special | single)
        learned = ~(special | single | letters)
        spelled = _texts(used, bare)
        cutting = np.array([text is None for text in spelled], np.bool_) & ~special
        texts = [text or "" for text in spelled]
        test = ~none if used.test is None else used.test[:-1] == 0
        training = ~none if used.training is None else used.training[:-1] == 0
        search = Search.of(used, texts, test & training & ~(special | cutting))
        search.alone()
        unreachable = search.disproved()
        search.beside()
        return cls(
            kinds={"learned": learned, "alphabet": letters, "byte": single, "special": special},
            never_training=none if used.training is None else training,
            never_test=test,
            unreachable=unreachable,
            not_found=search.left & (search.trials > 0),
            trials=search.trials,
            near_duplicates=_near_duplicates(used, texts, learned),
            cutting=cutting,
        )

    def fewest_trials(self, of_kind: Flags) -> int | None:
        """Return how many texts were cut for each token that was not found, the fewest of all."""
        trials = self.trials[of_kind & self.not_found]
        return int(trials.min()) if len(trials) else None


def _flags(none: Flags, ids: Iterable[int]) -> Flags:
    """Return flags of some ids."""
    flags = none.copy()
    flags[[*ids]] = True
    return flags


def _texts(used: UsedVocabulary, bare: Sequence[str]) -> Sequence[str | None]:
    """Return the texts of tokens without marks; None if one begins or ends inside a character."""
    vocabulary = used.vocabulary
    texts: list[str | None] = [*bare]
    if vocabulary.units == "bytes":
        texts = [text_of(vocabulary, i) for i in range(len(bare))]
        if not used.in_context:
            texts = [text if text is None else text.removeprefix(" ") for text in texts]
    for i, byte in vocabulary.bytes.items():
        texts[i] = chr(byte) if byte < 0x80 else None
    return texts


def _near_duplicates(used: UsedVocabulary, texts: Sequence[str], learned: Flags) -> Flags:
    """Return the tokens that differ from one before them by case or by a space at the beginning."""
    first: dict[str, int] = {}
    duplicates = []
    for i in np.flatnonzero(learned).tolist():
        end = used.vocabulary.tokens[i][-1:]
        edge = end if end in (EOW, CONTINUATION) else ""
        plain = texts[i].lstrip(" ▁").casefold() + edge
        if plain != edge and first.setdefault(plain, i) != i:
            duplicates.append(i)
    return _flags(np.zeros_like(learned), duplicates)
