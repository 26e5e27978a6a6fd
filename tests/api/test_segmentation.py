"""The segmentation's derived numbers, by hand on flat literals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cutting import boundaries
from tokbench.api import Learned, Marks, Vocabulary
from tokbench.api.segmentation import (
    SHARED_FIRST,
    SHARED_REST,
    WHOLE,
    InContext,
    Segmentation,
    token_lengths,
)
from tokbench.api.text import BOW, CONTINUATION, EOW
from tokbench.api.words import Words, spans


def make_words(text, order=None, lines=None, **fields):
    order = range(len(text)) if order is None else order
    return Words(
        text=tuple(text),
        order=np.array(order, dtype=np.uint32),
        lines=np.array([0, len(order)] if lines is None else lines),
        documents=np.zeros(1 if lines is None else len(lines) - 1, dtype=np.int32),
        train_count=np.zeros(len(text), dtype=np.int64),
        **fields,
    )


def make(words, vocabulary, states):
    """Build a segmentation from one list of (id, start, end) a word."""
    flat = [token for state in states for token in state]
    ids, starts, ends = np.array(flat, dtype=np.int64).reshape(-1, 3).T
    return Segmentation(
        words=words if isinstance(words, Words) else make_words(words),
        vocabulary=vocabulary,
        word=np.arange(len(states)),
        row=np.cumsum([0, *map(len, states)]),
        ids=ids,
        starts=starts,
        ends=ends,
        round_trip=np.ones(len(states), dtype=bool),
    )


def of(*tokens, **fields):
    return Vocabulary(tokens, **fields)


def by_line(words):
    """Return how often each line (row) holds each distinct word (column)."""
    return np.transpose([words.sum_lines(row) for row in np.eye(len(words), dtype=int)]).tolist()


def test_words_count_themselves_by_corpus_and_by_line():
    words = make_words(["low", "né", "new"], order=[0, 1, 0, 0], lines=[0, 2, 2, 4])
    assert len(words) == 3
    assert words.count.tolist() == [3, 1, 0]
    assert words.chars.tolist() == [3, 2, 3]
    assert words.bytes.tolist() == [3, 3, 3]
    assert by_line(words) == [[1, 1, 0], [0, 0, 0], [2, 0, 0]]


def test_known_is_an_id_that_is_neither_unknown_nor_special():
    vocabulary = of("<unk>", "<s>", "a", unknown=0, special=(1,))
    cut = make(["aaaa"], vocabulary, [[(2, 0, 1), (0, 1, 2), (1, 2, 3), (-1, 3, 4)]])
    assert cut.known.tolist() == [True, False, False, False]
    assert cut.unknown_tokens.tolist() == [3]
    assert cut.oov.tolist() == [True]
    assert cut.histogram.toarray().tolist() == [[0, 0, 1, 3]]
    assert cut.ids.tolist() == [2, 0, 1, -1]


def test_unknown_chars_are_those_not_wholly_under_known_tokens():
    vocabulary = of("a", "EC")
    states = [
        [(0, 0, 1), (1, 1, 2), (1, 2, 3), (1, 3, 4)],  # a안 all under known tokens
        [(0, 0, 1), (1, 1, 2), (-1, 2, 3), (1, 3, 4)],  # one byte of 안 not known
        [(-1, 0, 2), (1, 2, 6)],  # the unknown token ends inside é
        [(0, 0, 1)],  # two characters dropped
    ]
    cut = make(["a안", "b안", "aé안", "azz"], vocabulary, states)
    assert cut.dropped.tolist() == [0, 0, 0, 2]
    assert cut.unknown_chars.tolist() == [0, 1, 2, 2]
    assert cut.oov.tolist() == [False, True, True, True]


def test_kept_whole_is_one_known_token_that_drops_nothing():
    vocabulary = of("low", EOW)
    states = [
        [(0, 0, 3)],
        [(0, 0, 3), (1, 3, 3)],
        [(-1, 0, 3)],
        [(0, 0, 3)],  # of four bytes
        [(0, 0, 2), (0, 2, 3)],
        [],
        [(1, 0, 0)],
    ]
    cut = make(["low", "law", "lew", "lows", "liw", "luw", "lyw"], vocabulary, states)
    assert cut.kept_whole.tolist() == [True, True, False, False, False, False, False]
    assert cut.with_text.tolist() == [True, True, False, True, True, True, True, False]


def test_states_without_tokens_sum_to_0():
    cut = make(["a", "b", "c"], of("a"), [[], [(0, 0, 1)], []])
    assert cut.tokens.tolist() == [0, 1, 0]
    assert cut.dropped.tolist() == [1, 0, 1]
    assert cut.sum_tokens(np.array([7])).tolist() == [0, 7, 0]
    assert cut.histogram.toarray().tolist() == [[0, 0], [1, 0], [0, 0]]


@given(st.lists(st.text(st.sampled_from([*"aé안😀\ud800\0", BOW, EOW, CONTINUATION])), unique=True))
def test_token_lengths_are_those_of_texts_without_marks(tokens):
    lengths = token_lengths(of(*tokens))
    assert lengths.tolist() == [len(Marks.strip(token)) for token in tokens]


def test_boundaries_are_where_tokens_with_text_meet():
    vocabulary = of("un", "able", EOW, BOW)
    cut = make(
        ["unable", "unable", "né", "abc"],
        vocabulary,
        [
            [(3, 0, 0), (0, 0, 2), (1, 2, 6), (2, 6, 6)],
            [(1, 0, 6)],
            [(-1, 0, 2), (-1, 2, 3)],  # inside é
            [(0, 0, 1), (2, 2, 2)],  # bc dropped around a bare mark
        ],
    )
    assert [boundaries(cut, state) for state in range(4)] == [{2}, frozenset(), {2}, {1}]


@pytest.mark.parametrize(
    ("vocabulary", "word", "tokens", "pieces"),
    [
        (of("low" + EOW, marks=Marks(eow="fused")), "low", [(0, 0, 3)], ["low</w>"]),
        (of("l"), "law", [(0, 0, 1), (-1, 1, 3)], ["l", "aw"]),
        (of("l"), "안", [(-1, 0, 2), (-1, 2, 3)], ["\ufffd", "\ufffd"]),
        (
            of("lo", "w", marks=Marks(continuation={"kind": "display", "text": "@@"})),
            "low",
            [(0, 0, 2), (1, 2, 3)],
            ["lo", "@@w"],
        ),
        (of(" \xec\x95\x88", units="bytes"), "안", [(0, 0, 3)], ["Ġ안"]),
        (
            of("\xec", "\x95\x88", units="bytes"),
            "안",
            [(0, 0, 1), (1, 1, 3)],
            ["<0xEC>", "<0x95><0x88>"],
        ),
    ],
)
def test_pieces_are_spelled_for_people(vocabulary, word, tokens, pieces):
    """Unknown tokens are shown as the text that they cover."""
    assert make([word], vocabulary, [tokens]).pieces(0) == pieces


def test_spans_are_positions_one_span_after_the_other():
    assert spans(np.array([5, 9, 0]), np.array([2, 0, 3])).tolist() == [5, 6, 0, 1, 2]
    assert spans(np.array([], dtype=int), np.array([], dtype=int)).tolist() == []


def test_words_lie_one_after_the_other_as_bytes():
    words = make_words(["né", "\ud800", "안"])
    assert words.utf8.tobytes() == "né\ud800안".encode("utf-8", "surrogatepass")
    assert words.offset.tolist() == [0, 3, 6]


def test_gold_as_flat_arrays():
    """The second word has no gold, the third one alternative without a boundary."""
    gold = make_words(["abc", "b", "cd"], gold=(((1,), (1, 2)), (), ((),))).gold_table
    assert gold.first.tolist() == [0, 2, 2, 3]
    assert gold.row.tolist() == [0, 1, 3, 3]
    assert gold.position.tolist() == [1, 1, 2]
    assert make_words(["a"]).gold_table.first.tolist() == [0, 0]


def replay():
    """The words ab and 안b: ab is learned first, and then nothing that is in 안b."""
    vocabulary = Vocabulary.build(("a", "b"), [Learned(("a", "b")), Learned(("b", "b"))])
    return Segmentation(
        words=make_words(["ab", "안b"], order=[0, 1, 0]),
        vocabulary=vocabulary,
        word=np.array([0, 0, 1]),
        row=np.array([0, 2, 3, 5]),
        ids=np.array([0, 1, 2, -1, 1]),
        starts=np.array([0, 1, 0, 0, 3]),
        ends=np.array([1, 2, 2, 3, 4]),
        round_trip=np.array([True, True, False]),
        since=np.array([0, 1, 0]),
        until=np.array([1, 3, 3]),
    )


def test_each_state_has_its_numbers():
    states = replay()
    assert len(states) == 3
    assert states.tokens.tolist() == [2, 1, 2]
    assert states.state_of.tolist() == [0, 0, 1, 2, 2]
    assert states.chars.tolist() == [2, 2, 2]
    assert states.bytes.tolist() == [2, 2, 4]
    assert states.unknown_chars.tolist() == [0, 0, 1]
    assert states.kept_whole.tolist() == [False, True, False]
    assert states.histogram.toarray().tolist() == [
        [1, 1, 0, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 1, 0, 0, 1],
    ]
    assert [boundaries(states, state) for state in range(3)] == [{1}, frozenset(), {3}]


@pytest.mark.parametrize(
    ("learned", "row", "ids"), [(0, [0, 2, 4], [0, 1, -1, 1]), (1, [0, 1, 3], [2, -1, 1])]
)
def test_the_states_at_a_number_of_learned_items(learned, row, ids):
    states = replay()
    cuts = states.at(learned, states.vocabulary)
    assert cuts.word.tolist() == [0, 1]
    assert cuts.row.tolist() == row
    assert cuts.ids.tolist() == ids
    assert cuts.round_trip.tolist() == [True, False]
    assert cuts.sum_lines(cuts.tokens).tolist() == [2 * (2 - learned) + 2]
    assert (cuts.since.tolist(), cuts.until.tolist()) == ([0, 0], [3, 3])


def test_without_lives_states_hold_for_every_vocabulary():
    vocabulary = Vocabulary.build(("a",), [Learned(("a", "a"))])
    cut = make(["a"], vocabulary, [[(0, 0, 1)]])
    assert (cut.since.tolist(), cut.until.tolist()) == ([0], [2])
    assert len(cut.at(0, vocabulary)) == len(cut.at(1, vocabulary)) == 1


def in_context(words, vocabulary, states, order, outside):
    """Build a segmentation from (word, [(id, start, end, part)]) states and each place's state."""
    flat = [token for _, state in states for token in state]
    ids, starts, ends, part = np.array(flat, dtype=np.int64).reshape(-1, 4).T
    return Segmentation(
        words=words,
        vocabulary=vocabulary,
        word=np.array([word for word, _ in states]),
        row=np.cumsum([0, *(len(state) for _, state in states)]),
        ids=ids,
        starts=starts,
        ends=ends,
        round_trip=np.ones(len(states), dtype=bool),
        context=InContext(
            np.array(order, dtype=np.uint32),
            part.astype(np.int8),
            np.array(outside),
            words.line_chars,
            words.line_chars,
        ),
    )


def new_york():
    """`New York` as one token and s, `York` alone and unknown, twice with a space outside."""
    words = make_words(["New", "Yorks", "York"], order=[0, 1, 2, 2], lines=[0, 2, 3, 4])
    states = [
        (0, [(0, 0, 3, SHARED_FIRST)]),
        (1, [(0, 0, 4, SHARED_REST), (1, 4, 5, WHOLE)]),
        (2, [(2, 0, 4, WHOLE)]),
        (2, [(-1, 0, 4, WHOLE)]),
    ]
    return in_context(words, of("New York", "s", "York"), states, [0, 1, 3, 2], [0, 1, 1])


def test_a_token_of_two_words_is_counted_in_the_first_and_keeps_none_whole():
    cut = new_york()
    assert cut.rows.tolist() == [1, 2, 1, 1]
    assert cut.tokens.tolist() == [1, 1, 1, 1]
    assert cut.counted.tolist() == [True, False, True, True, True]
    assert cut.shared.tolist() == [True, True, False, False, False]
    assert cut.histogram.toarray().tolist() == np.eye(4).tolist()
    assert cut.kept_whole.tolist() == [False, False, True, False]
    assert boundaries(cut, 1) == {4}
    assert cut.dropped.tolist() == [0, 0, 0, 0]
    assert cut.unknown_tokens.tolist() == [0, 0, 0, 1]
    assert cut.oov.tolist() == [False, False, False, True]


def test_an_unknown_token_of_two_words_is_counted_once_but_both_are_oov():
    words = make_words(["a", "b"])
    states = [(0, [(-1, 0, 1, SHARED_FIRST)]), (1, [(-1, 0, 1, SHARED_REST)])]
    cut = in_context(words, of("c"), states, [0, 1], [0])
    assert cut.unknown_tokens.tolist() == [1, 0]
    assert cut.oov.tolist() == [True, True]
    assert cut.unknown_chars.tolist() == [1, 1]


def test_states_in_context_count_where_they_stand():
    cut = new_york()
    assert cut.count.tolist() == [1, 1, 1, 1]
    assert cut.states_at().tolist() == [0, 1, 3, 2]
    assert cut.states_at([3, 0]).tolist() == [2, 0]
    assert cut.outside.tolist() == [0, 1, 1]
    assert cut.line_tokens.tolist() == [2, 2, 2]
    assert cut.sum_lines(cut.unknown_tokens).tolist() == [0, 1, 0]
    assert cut.sum_lines(cut.chars).tolist() == [8, 4, 4]


def test_words_alone_have_nothing_outside_or_shared():
    cut = make(make_words(["a", "b"], order=[0, 1, 0], lines=[0, 2, 3]), of("a"), [[(0, 0, 1)]] * 2)
    assert cut.outside.tolist() == [0, 0]
    assert not cut.shared.any()
    assert cut.counted.all()
    assert cut.line_tokens.tolist() == [2, 1]
    assert cut.count.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("word", "tokens", "dropped", "unknown"),
    [
        ("안ab", [(0, 0, 3), (0, 0, 3), (0, 2, 4)], 1, 1),  # b is under no token
        ("안a", [(0, 0, 3), (-1, 0, 4)], 0, 1),
        ("a안b", [(0, 1, 3), (0, 2, 4), (-1, 4, 5)], 1, 2),
        ("abcd", [(0, 0, 4), (-1, 1, 4), (-1, 4, 4)], 0, 0),
    ],
)
def test_bytes_that_tokens_share_are_covered_once(word, tokens, dropped, unknown):
    cut = make([word], of("x"), [tokens])
    assert (cut.dropped.tolist(), cut.unknown_chars.tolist()) == ([dropped], [unknown])


@pytest.mark.parametrize(
    ("vocabulary", "lengths"),
    [
        (of(BOW + "lo", CONTINUATION + "w" + EOW, EOW, "<0xEC>", bytes={3: 0xEC}), [2, 1, 0, 1]),
        (
            of("a", "\xec\x95\x88", "\x95\x88", "\xec", " \xec\x95", "", units="bytes"),
            [1] * 5 + [0],
        ),
        (of(" the", " a b", " ", "  ", units="bytes"), [3, 3, 0, 1]),
    ],
)
def test_token_lengths_count_neither_marks_nor_the_space_before_a_word(vocabulary, lengths):
    assert token_lengths(vocabulary).tolist() == lengths
