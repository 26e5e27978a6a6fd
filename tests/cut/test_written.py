"""The edge of a word that its tokens tell, and the lines that come back from their ids."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cutting import made
from tests.incontext import GivenTokens, Matching, Tokens
from tests.tiny import tiny_run
from tokbench.api import Marks, Segmenter, Vocabulary
from tokbench.api.text import BOW, CONTINUATION
from tokbench.cut import BoundSegmenter
from tokbench.cut.written import WrittenLines, told_edge

ABSENT = {"bow": "absent", "eow": "absent", "continuation": "absent"}


class Letters(Segmenter):
    def segment(self, word: str, prepared: Any) -> Sequence[str]:
        return prepared.marks.spell(word)


class Whole(Letters):
    @property
    def whole_words(self) -> bool:
        return True


def vocabulary(*tokens: str, **marks: str) -> Vocabulary:
    return Vocabulary(tokens, marks=Marks.model_validate({**ABSENT, **marks}))


def bound(segmenter: type[Segmenter], of: Vocabulary) -> BoundSegmenter:
    return BoundSegmenter(segmenter(), of)


@pytest.mark.parametrize(
    ("marks", "edge"),
    [
        ({}, "none"),
        ({"continuation": "display"}, "none"),
        ({"continuation": "fused"}, "beginning"),
        *(({"bow": kind}, "beginning") for kind in ("fused", "separate", "fenced")),
        *(({"eow": kind}, "end") for kind in ("fused", "separate", "fenced")),
        ({"bow": "fused", "eow": "separate"}, "end"),
    ],
)
def test_a_mark_inside_tokens_tells_an_edge(marks: dict[str, str], edge: str) -> None:
    assert told_edge(bound(Letters, vocabulary("a", **marks))) == edge
    assert told_edge(bound(Letters, vocabulary("a", **marks)), pieces=True) == "none"


def test_a_token_a_word_tells_both_edges_unless_words_are_cut_into_pieces() -> None:
    segmenter = bound(Whole, vocabulary("a"))
    assert told_edge(segmenter) == "both"
    assert told_edge(segmenter, pieces=True) == "none"


def lines(vocabulary: Vocabulary, tokens: Mapping[str, Tokens]) -> BoundSegmenter:
    return bound(made(GivenTokens, tokens=tokens), vocabulary)


def test_the_space_before_a_line_tells_where_a_word_begins() -> None:
    """As GPT-2 with `add_prefix_space`; without it, a word alone has no space."""
    of = Vocabulary((" cat", "cat"), units="bytes")
    assert told_edge(lines(of, {"cat": [(0, 0, 3)]})) == "beginning"
    assert told_edge(lines(of, {"cat": [(1, 0, 3)]})) == "none"


def test_a_sign_for_the_space_that_no_word_alone_has_tells_nothing() -> None:
    of = vocabulary(f"{BOW}cat", "cat", bow="separate")
    assert told_edge(lines(of, {"cat": [(0, 0, 3)]})) == "beginning"
    assert told_edge(lines(of, {"cat": [(1, 0, 3)]})) == "none"


def returned(of: BoundSegmenter, *texts: str) -> list[bool]:
    return [*map(bool, WrittenLines.of(of).returned(texts, of.lines(texts)))]


def test_spaces_and_case_count() -> None:
    """`b` is written for `B`, and of two spaces one is dropped."""
    of = Vocabulary(("a", "b", " "))
    tokens: Mapping[str, Tokens] = {
        "a b": [(0, 0, 1), (2, 1, 2), (1, 2, 3)],
        "a B": [(0, 0, 1), (2, 1, 2), (1, 2, 3)],
        "a  b": [(0, 0, 1), (2, 1, 2), (1, 3, 4)],
        "a x": [(0, 0, 1), (2, 1, 2), (-1, 2, 3)],
    }
    assert returned(lines(of, tokens), *tokens) == [True, False, False, False]


def test_a_token_that_continues_no_word_writes_a_space() -> None:
    """As in BERT: `a,b` and `a , b` have the same tokens, and the second is what they write."""
    of = vocabulary("a", "b", f"{CONTINUATION}b", ",", continuation="fused")
    tokens: Mapping[str, Tokens] = {
        "a ab": [(0, 0, 1), (0, 2, 3), (2, 3, 4)],
        "a,b": [(0, 0, 1), (3, 1, 2), (1, 2, 3)],
        "a , b": [(0, 0, 1), (3, 2, 3), (1, 4, 5)],
    }
    assert returned(lines(of, tokens), *tokens) == [True, False, True]


def test_a_decode_of_its_own_is_asked() -> None:
    class Shouting(Matching):
        pattern = "[ab ]"

        def decode(self, ids: Sequence[int], vocabulary: Vocabulary) -> str:
            return super().decode(ids, vocabulary).upper()

    assert returned(bound(Shouting, Vocabulary(("a", "b", " "))), "a b", " ") == [False, True]


LINES = ("the cat sat", "the  cat sat", " the cat", "the cat ", "The cat", "forever", "fore ver")
TRAIN = "the cat sat on the mat\nThe mat\nforever  fore ver\n" * 3


@pytest.mark.parametrize(
    ("options", "edge", "kept"),
    [
        ("", "beginning", LINES),
        ("remove-extra-whitespaces: true, ", "beginning", (LINES[0], *LINES[4:])),
        ("normalisation: nmt_nfkc_cf, ", "beginning", (*LINES[:4], *LINES[5:])),
        ("add-dummy-prefix: false, ", "none", LINES),
        ("treat-whitespace-as-suffix: true, ", "end", LINES),
    ],
)
def test_sentencepiece_that_strips_spaces_or_case(
    tmp_path: Path, options: str, edge: str, kept: tuple[str, ...]
) -> None:
    """Words all come back; lines do if spaces and case do too, as the library's `decode` says."""
    pytest.importorskip("sentencepiece")
    learner = f"{{use: sentencepiece-bpe, {options}read: lines}}"
    run = tiny_run(
        tmp_path, texts={"train": TRAIN, "test": "\n".join(LINES) + "\n"}, sizes="[40]",
        systems=f"[{{name: spm, learner: {learner}}}]", metrics="[round-trip, round-trip-text]",
    )  # fmt: skip
    (outcome,) = run.record.outcomes
    assert outcome.told_edge == edge
    assert not outcome.loses_word_ends()
    assert outcome.loses_word_ends("isolated") == (edge == "none")
    (row,) = (r for r in run.rows if r.metric == "round-trip-text" and r.subset == "all")
    assert row.value == pytest.approx(len(kept) / len(LINES))
    context = run.segmentation("spm", "held-out", outcome.size).context
    assert context is not None
    assert [line for line, back in zip(LINES, context.returned, strict=True) if back] == [*kept]


def test_words_alone_have_no_lines_that_come_back(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems="[char]", metrics="[round-trip, round-trip-text]")
    assert {row.metric for row in run.rows} == {"round-trip"}
