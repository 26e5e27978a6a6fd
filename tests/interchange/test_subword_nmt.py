"""Merge tables of subword-nmt: its own program cuts words as we do."""

import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

from tests.interchange.samples import (
    HARD,
    LOW,
    again,
    bpe,
    export,
    ids_of,
    imported,
    notes,
    uncounted,
)
from tokbench.api import InputError, Marks, Vocabulary

WORD = st.text(HARD, min_size=1, max_size=6)


def program(vocabulary: Vocabulary) -> BPE:
    return BPE(io.StringIO(export(vocabulary, "subword-nmt")["codes"], newline=""))


def compare(vocabulary: Vocabulary, words: list[str]) -> None:
    """The program gives our tokens, without marks."""
    tokens = tuple(known(vocabulary, words))
    texts = [Marks.strip(token) for token in tokens]
    cuts = ids_of(replace(vocabulary, tokens=tokens), words)
    ours = [[texts[i] for i in ids if texts[i]] for ids in cuts]
    assert cut(program(vocabulary), words) == ours


def known(vocabulary: Vocabulary, words: list[str]) -> dict[str, None]:
    """All tokens, and letters that are none: the program leaves these as they are."""
    letters = {form for word in words for a in word for form in vocabulary.marks.forms(a)}
    return dict.fromkeys([*vocabulary.tokens, *sorted(letters)])


def cut(codes: BPE, words: list[str]) -> list[list[str]]:
    cuts = [codes.segment_tokens([word]) for word in words]
    return [[*(token.removesuffix("@@") for token in c[:-1]), c[-1]] for c in cuts]


@given(
    st.dictionaries(WORD, st.integers(1, 9), min_size=1, max_size=8),
    st.lists(WORD, max_size=4),
    st.sampled_from(["fused", "separate"]),
    st.integers(0, 20),
)
def test_any_vocabulary_is_cut_alike_or_refused(
    words: dict[str, int], others: list[str], kind: str, merges: int
) -> None:
    vocabulary = bpe(words, merges, eow=kind)
    marks = vocabulary.marks
    parts = {part for item in vocabulary.learned for part in item.parts}
    if not parts:
        with pytest.raises(InputError, match="subword-nmt reads no table without merges"):
            export(vocabulary, "subword-nmt")
        return
    if "\u2028" in "".join(parts) or any(marks.read(marks.show(part)) != part for part in parts):
        with pytest.raises(InputError, match="subword-nmt cannot carry the token"):
            export(vocabulary, "subword-nmt")
        return
    compare(vocabulary, [*words, *others])
    read = again(vocabulary, "subword-nmt")
    assert (read.learned, read.marks) == (uncounted(vocabulary).learned, marks)


def test_a_table_of_the_program_is_read_and_written_as_it_was() -> None:
    table = io.StringIO()
    learn_bpe(io.StringIO("low lower newest newest widest low\n" * 3), table, 12)
    (text,) = export(imported("subword-nmt", table.getvalue()).vocabulary, "subword-nmt").values()
    assert text == table.getvalue()
    assert text.startswith("#version: 0.2\n")


def test_files_without_a_version_have_marks_of_their_own() -> None:
    vocabulary = imported("subword-nmt", "w </w>\r\nl o\r\nlo w</w>\r\n").vocabulary
    assert vocabulary.marks == Marks.model_validate({"eow": "separate"})
    assert [vocabulary.show(token) for token in vocabulary.tokens][4:] == ["w</w>", "lo", "low</w>"]
    assert export(vocabulary, "subword-nmt")["codes"].startswith("#version: 0.1\nw </w>\n")


def test_what_the_table_has_no_place_for_is_reported() -> None:
    vocabulary = bpe(LOW, 4, alphabet={"forms": "seen"})
    unused = len(vocabulary.alphabet) - len(
        imported("subword-nmt", *export(vocabulary, "subword-nmt").values()).vocabulary.alphabet
    )
    note = f"the file has merges only: {unused} symbols that no merge uses left out"
    assert notes(vocabulary, "subword-nmt") == (note,)
    special = replace(vocabulary, tokens=("<s>", *vocabulary.tokens), special=(0,))
    assert notes(special, "subword-nmt")[0] == (
        "the file has no place for special and unknown tokens: '<s>' left out"
    )


def test_merges_that_never_apply_are_reported() -> None:
    assert imported("subword-nmt", "#version: 0.2\nest </w>\nab c\n").notes == (
        "no merge builds 2 parts of merges, so these merges never apply: 'ab', 'est'",
    )
