"""The tokens of one vocabulary by what becomes of them; loads NumPy."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from tokbench.api import BOW, CONTINUATION, EOW, UsedVocabulary

NEIGHBOURS = 10
"""An unreachable token is looked for beside so many characters."""

LONGEST_TRIED = 50
"""Longer tokens are not tried, and not called unreachable: each would be a long text 111 times."""

AT_ONCE = 2_000

Ids = frozenset[int]
Placed = tuple[str, str, str]
"""What stands before a token's text, the text, and what stands behind it."""


@dataclass(frozen=True, eq=False)
class TokenFates:
    """The ids of a vocabulary: by kind, and those that never come or stand for the same."""

    kinds: Mapping[str, Ids]
    never_training: Ids
    never_test: Ids
    unreachable: Ids
    near_duplicates: Ids
    cutting: Ids

    @classmethod
    def of(cls, used: UsedVocabulary) -> "TokenFates":
        """Look at each token of a vocabulary."""
        vocabulary = used.vocabulary
        every = frozenset(range(len(vocabulary.tokens)))
        special = vocabulary.unproduced
        in_bytes = vocabulary.units == "bytes"
        short = frozenset(i for i, token in enumerate(vocabulary.tokens) if len(_bare(token)) == 1)
        single = (frozenset(vocabulary.bytes) | (short if in_bytes else frozenset())) - special
        letters = frozenset(vocabulary.ids[letter] for letter in vocabulary.alphabet)
        letters = (letters | short) - special - single
        kinds = {
            "learned": every - special - single - letters,
            "alphabet": letters,
            "byte": single,
            "special": special,
        }
        texts = {i: _text(used, i) for i in sorted(every - special)}
        cutting = frozenset(i for i, text in texts.items() if text is None)
        test = every if used.test is None else _never(used.test)
        training = every if used.training is None else _never(used.training)
        wanted = (test & training) - special - cutting
        return cls(
            kinds=kinds,
            never_training=frozenset() if used.training is None else training,
            never_test=test,
            unreachable=_unreachable(used, {i: texts[i] or "" for i in sorted(wanted)}),
            near_duplicates=_near_duplicates(used, {i: texts[i] for i in sorted(kinds["learned"])}),
            cutting=cutting,
        )


def _never(counts: NDArray[np.int64]) -> Ids:
    return frozenset(np.flatnonzero(counts[:-1] == 0).tolist())


def _text(used: UsedVocabulary, i: int) -> str | None:
    """Return the text of a token without marks; None if it begins or ends inside a character."""
    vocabulary = used.vocabulary
    if i in vocabulary.bytes:
        byte = vocabulary.bytes[i]
        return chr(byte) if byte < 0x80 else None
    token = vocabulary.tokens[i]
    if vocabulary.units == "bytes":
        try:
            text = token.encode("latin-1").decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return None
        return text if used.in_context else text.removeprefix(" ")
    return _bare(token)


def _bare(token: str) -> str:
    """Return a token without marks."""
    return token.strip(BOW + EOW + CONTINUATION)


def _near_duplicates(used: UsedVocabulary, texts: Mapping[int, str | None]) -> Ids:
    """Return the tokens that differ from one before them by case or by a space at the beginning."""
    first: dict[str, int] = {}
    found = set()
    for i, text in texts.items():
        end = used.vocabulary.tokens[i][-1:]
        edge = end if end in (EOW, CONTINUATION) else ""
        plain = (text or "").lstrip(" ▁").casefold() + edge
        if plain != edge and first.setdefault(plain, i) != i:
            found.add(i)
    return frozenset(found)


def _unreachable(used: UsedVocabulary, texts: Mapping[int, str]) -> Ids:
    """Return the tokens that come from none of the places where their text may stand."""
    left = {i: text for i, text in texts.items() if len(text) <= LONGEST_TRIED}
    around = used.characters[:NEIGHBOURS]
    for beside in (_alone, _on_one_side, _on_both_sides):
        tried = [*left.items()]
        places = ((i, placed) for i, text in tried for placed in beside(used, i, text, around))
        for number, texts_of in _batches(places):
            cut = used.cut(texts_of)
            text = np.repeat(np.array(number), np.diff(cut.row))
            for i in set(cut.ids[cut.ids == text].tolist()):
                left.pop(i, None)
    return frozenset(left)


def _batches(places: Iterator[tuple[int, str]]) -> Iterator[tuple[list[int], list[str]]]:
    """Return ids and texts, some at a time; what is reached meanwhile is cut in vain."""
    while part := list(islice(places, AT_ONCE)):
        yield [i for i, _ in part], [text for _, text in part]


def _alone(used: UsedVocabulary, i: int, text: str, around: str) -> Iterator[str]:
    yield from _allowed(used, [text, f" {text}"] if used.in_context else [text])


def _on_one_side(used: UsedVocabulary, i: int, text: str, around: str) -> Iterator[str]:
    before, behind = _open(used, i)
    yield from _allowed(used, [char + text for char in around if before])
    yield from _allowed(used, [text + char for char in around if behind])


def _on_both_sides(used: UsedVocabulary, i: int, text: str, around: str) -> Iterator[str]:
    if all(_open(used, i)):
        yield from _allowed(used, [a + text + b for a, b in product(around, repeat=2)])


def _open(used: UsedVocabulary, i: int) -> tuple[bool, bool]:
    """Return whether a word may go on before a token, and behind it."""
    token = used.vocabulary.tokens[i]
    # In bytes a space at the beginning marks a word that is cut alone.
    begins = used.vocabulary.units == "bytes" and token.startswith(" ") and not used.in_context
    return BOW not in token and not begins, EOW not in token


def _allowed(used: UsedVocabulary, texts: Sequence[str]) -> Iterator[str]:
    """Return the texts that can be cut: lines, or words, which hold no white space."""
    for text in texts:
        if text and (used.in_context or not any(map(str.isspace, text))):
            yield text
