"""Proofs that no word yields a token, against all short words; and the search where none is."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise, product
from random import Random

import pytest
from hypothesis import settings
from tokbench_bpe.apart import words_apart
from tokbench_bpe.segmenters import BpeLearnedOrder, BpeRank, FewestTokens, LongestMatch
from tokbench_health.token_flags import TokenFlags
from tokbench_unigram.segmenter import UnigramBest
from tokbench_wordpiece.segmenter import WordPieceMatch

from tokbench.api import Learned, Marks, Segmenter, Vocabulary
from tokbench.api.arrays import UsedVocabulary
from tokbench.api.text import BOW, CONTINUATION, EOW
from tokbench.cut import BoundSegmenter

MARKS = (
    {},
    {"eow": "fused"},
    {"bow": "fused"},
    {"bow": "fused", "eow": "fused"},
    {"continuation": "fused"},
    {"continuation": "fused", "eow": "fused"},
    {"continuation": "fused", "bow": "separate"},
    {"bow": "separate"},
    {"eow": "separate"},
    {"bow": "separate", "eow": "fenced"},
)
SEGMENTERS: dict[str, Segmenter] = {
    "bpe": BpeRank(),
    "bpe-learned-order": BpeLearnedOrder(),
    "longest-match": LongestMatch(),
    "fewest-tokens": FewestTokens(),
    "fewest-tokens-first": FewestTokens(ties="longest-first"),
    "wordpiece": WordPieceMatch(),
    "wordpiece-letters": WordPieceMatch(whole_word_unknown=False),
    "wordpiece-short": WordPieceMatch(max_characters=3),
    "unigram": UnigramBest(),
}
ROUNDS = settings().max_examples // 10
WORDS = ["".join(word) for n in range(1, 6) for word in product("abx", repeat=n)]
"""All words of up to five letters; x is in no vocabulary."""


def vocabularies(random: Random) -> Iterator[Vocabulary]:
    """Draw pairs of symbols that are merged; all tokens have scores, of which many are equal."""
    for kinds in MARKS:
        marks = Marks.model_validate(kinds)
        alphabet = sorted({*chain.from_iterable(map(marks.forms, "ab")), *marks.symbols})
        tokens, learned = dict.fromkeys(alphabet), []
        for _ in range(random.randint(2, 7)):
            word = marks.spell("".join(random.choices("ab", k=4)))
            cuts = sorted(random.sample(range(len(word) + 1), 3))
            parts = tuple(Marks.join(word[a:b]) for a, b in pairwise(cuts))
            learned.append(Learned(parts))
            tokens[Marks.join(parts)] = None
        scores = {token: -random.randint(1, 8) / 2 for token in tokens}
        yield Vocabulary(
            tuple(tokens), tuple(alphabet), tuple(learned), marks, extra={"scores": scores}
        )


@pytest.mark.parametrize("name", SEGMENTERS)
def test_what_is_disproved_comes_from_no_short_word(name: str) -> None:
    segmenter, random = SEGMENTERS[name], Random(name)
    settled = {"shown": 0, "disproved": 0, "open": 0}
    for vocabulary in (drawn for _ in range(ROUNDS) for drawn in vocabularies(random)):
        bound = BoundSegmenter(segmenter, vocabulary)
        every = {*bound.tokens(WORDS).ids.tolist()}
        ids = range(len(vocabulary.tokens))
        words = segmenter.proofs(ids, bound.prepared)
        assert words is not None
        for i, word in zip(ids, words, strict=True):
            if word is None:
                settled["open"] += 1
            elif i in bound.tokens([word]).ids:
                settled["shown"] += 1
            else:
                settled["disproved"] += 1
                assert i not in every, f"{vocabulary.tokens[i]!r} of {vocabulary.tokens}"
    assert settled["shown"] > 0
    # A known letter must follow, or a shorter word might do.
    assert bool(settled["open"]) == (name in ("wordpiece", "wordpiece-short"))


def proofs(segmenter: Segmenter, vocabulary: Vocabulary, *tokens: str) -> Sequence[str | None]:
    """Return the words that settle whether these tokens are reachable."""
    words = segmenter.proofs([vocabulary.ids[t] for t in tokens], segmenter.prepare(vocabulary))
    assert words is not None
    return words


def test_a_token_without_the_mark_of_an_edge_stands_beside_a_stranger() -> None:
    fused = Marks.model_validate({"bow": "fused", "eow": "fused"})
    tokens = (f"{BOW}ab", "ab", f"ab{EOW}", f"{BOW}ab{EOW}")
    x = chr(0xF0000)
    words = proofs(LongestMatch(), Vocabulary(tokens, marks=fused), *tokens)
    assert words == [f"ab{x}", f"{x}ab{x}", f"{x}ab", "ab"]
    vocabulary = Vocabulary((*tokens, f"a{x}"), marks=fused)
    assert proofs(LongestMatch(), vocabulary, "ab") == [f"{chr(0xF0001)}ab{chr(0xF0001)}"]


def test_a_mark_that_is_a_token_stands_at_a_stranger() -> None:
    apart = Vocabulary((BOW, "a"), marks=Marks.model_validate({"bow": "separate"}))
    assert words_apart(apart, [0]) == [chr(0xF0000)]


def test_a_part_of_a_letter_has_no_word() -> None:
    vocabulary = Vocabulary(("ab", "\xc3", "\xc3\xa9"), units="bytes")
    assert words_apart(vocabulary, range(3)) == ["ab", None, "é"]


def test_word_pieces_stand_behind_a_token_that_begins_no_longer_one() -> None:
    marks = Marks.model_validate({"continuation": "fused"})
    x, y, z = f"{CONTINUATION}x", f"{CONTINUATION}y", "z" * 101
    vocabulary = Vocabulary(("a", "ax", "c", "cy", "dx", x, y, z), marks=marks)
    assert proofs(WordPieceMatch(), vocabulary, x, y, "a") == ["axx", "axy", "a"]
    assert proofs(WordPieceMatch(), vocabulary, z) == [z], "no word may be so long"
    short = WordPieceMatch(max_characters=2)
    assert proofs(short, vocabulary, x) == [None], "behind a shorter token it might come"
    ended = Vocabulary(("a", x, f"{x}{EOW}"), marks=marks.model_copy(update={"eow": fused_end()}))
    assert proofs(WordPieceMatch(), ended, x, f"{x}{EOW}") == [None, "ax"]


def fused_end() -> object:
    return Marks.model_validate({"eow": "fused"}).eow


def test_nearly_equal_sums_of_scores_settle_nothing() -> None:
    """Alone, the path a b is better by 1e-9; in a long word both sums are rounded to one."""
    scores = {"a": -1.0, "b": -1.0, "ab": -2.0 - 1e-9, "ba": -2.0 - 1e-5}
    vocabulary = Vocabulary(tuple(scores), extra={"scores": scores})
    assert proofs(UnigramBest(), vocabulary, *scores) == ["a", "b", None, "ba"]
    single = UnigramBest(precision="single")
    assert single.proofs([0], single.prepare(vocabulary)) is None


def flags_of(vocabulary: Vocabulary, characters: str, with_proofs: bool = False) -> TokenFlags:
    """Look at a vocabulary that is cut by word pieces, of which no token came in any text."""
    bound = BoundSegmenter(WordPieceMatch(), vocabulary)
    proofs = partial(bound.segmenter.proofs, prepared=bound.prepared)
    settled = proofs if with_proofs else None
    return TokenFlags.of(
        UsedVocabulary("", vocabulary, None, None, characters, False, bound.tokens, settled)
    )


def test_neighbours_that_no_token_joins_come_first() -> None:
    """##x comes behind z alone, which is the rarest letter and the last in the vocabulary."""
    often = "abcdefghijkl"
    x = f"{CONTINUATION}x"
    tokens = (*often, *(f"{letter}x" for letter in often), x, "z")
    pieces = Vocabulary(tokens, marks=Marks.model_validate({"continuation": "fused"}))
    token_flags = flags_of(pieces, often)
    assert token_flags.unreachable is None
    assert not token_flags.not_found.any()


def test_what_is_not_found_says_how_many_texts_were_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without proofs: its text alone, behind and before each of 4 letters, and between any two."""
    x = f"{CONTINUATION}x"
    pieces = Vocabulary(("a", "b", "c", x), marks=Marks.model_validate({"continuation": "fused"}))
    longer = replace(pieces, bytes={3: 0x78})  # a byte token, which is not sought
    unproved = flags_of(longer, "")
    assert unproved.not_found.tolist() == [False, False, False, True]
    assert unproved.trials[3] == 1 + 4 + 4 + 16
    monkeypatch.setattr("tokbench_health.reach.AT_ONCE", 1)
    monkeypatch.setattr("tokbench_health.reach.MOST_TEXTS", 5)
    # A second letter before it is tried, and one of all other kinds of place.
    assert flags_of(longer, "").trials[3] == 1 + 4 + 1 + 1
    proved = flags_of(longer, "", with_proofs=True)
    assert proved.unreachable is not None
    assert proved.unreachable.tolist() == unproved.not_found.tolist()
    assert not proved.not_found.any()


def test_the_longest_tokens_are_not_looked_for_where_all_would_take_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 2, 3 and 1 letters, the two shorter ones have squares that add up to 5."""
    pieces = Vocabulary(("ab", "abc", "x"))
    monkeypatch.setattr("tokbench_health.reach.MOST_SQUARES", 5)
    assert flags_of(pieces, "").trials.tolist() == [1, 0, 1]
    monkeypatch.setattr("tokbench_health.reach.MOST_SQUARES", 14)
    assert flags_of(pieces, "").trials.tolist() == [1, 1, 1]
