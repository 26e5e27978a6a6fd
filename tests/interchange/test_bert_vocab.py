"""BERT's vocab.txt: ids are line numbers, and the real tokenizer cuts words as we do."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_formats.bert_vocab import LOOK, BertFormat
from tokenizers import Tokenizer, models, pre_tokenizers

from tests.interchange.samples import (
    HARD,
    LOW,
    again,
    bpe,
    export,
    ids_of,
    imported,
    notes,
    wordpiece,
)
from tokbench.api import InputError, Learned, Vocabulary
from tokbench.api.text import CONTINUATION

WORD = st.text(HARD, min_size=1, max_size=6)


def library(text: str, folder: Path) -> Tokenizer:
    path = folder / "vocab.txt"
    path.write_text(text, encoding="utf-8", newline="")
    tokenizer = Tokenizer(models.WordPiece.from_file(str(path), unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


def test_the_vocabulary_of_bert_is_read_with_its_ids_and_written_as_it_was(shared: Path) -> None:
    """[UNK] is 100 and unknown; |V| counts no special token: 30,522 less 5."""
    raw = (shared / "tokenizers" / "bert-base-uncased" / "vocab.txt").read_bytes()
    vocabulary = imported("bert-vocab", raw).vocabulary
    assert (vocabulary.unknown, vocabulary.size) == (100, 30_522 - 5)
    assert [vocabulary.tokens[i] for i in (0, 101, 102, 103)] == [
        "[PAD]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
    ]
    assert {0, 101, 102, 103} == {*vocabulary.special}
    assert vocabulary.tokens[2015] == CONTINUATION + "s"
    assert ids_of(vocabulary, ["hello", "unaffable", "안녕☃"], 100) == [
        [7592],
        [14477, 20961, 3468],
        [100],
    ]
    assert export(vocabulary, "bert-vocab")["vocab.txt"].encode() == raw


@given(st.dictionaries(WORD, st.integers(1, 9), min_size=1, max_size=8), st.integers(1, 20))
def test_any_vocabulary_is_read_back_or_refused(words: dict[str, int], merges: int) -> None:
    vocabulary = wordpiece(words, merges, unknown="[UNK]")
    spelled = [vocabulary.show(token) for token in vocabulary.tokens]
    ambiguous = any(
        token != "##" and vocabulary.marks.read(shown) != token
        for token, shown in zip(vocabulary.tokens, spelled, strict=True)
    )
    if ambiguous or "\u2028" in "".join(spelled):
        with pytest.raises(InputError, match="bert-vocab cannot carry the token"):
            export(vocabulary, "bert-vocab")
        return
    assert again(vocabulary, "bert-vocab") == replace(vocabulary, alphabet=(), learned=())


def test_an_unknown_token_is_added_and_what_is_lost_is_reported() -> None:
    vocabulary = bpe(LOW, 3, eow="absent", continuation="fused")
    number = len(vocabulary.tokens)
    assert export(vocabulary, "bert-vocab")["vocab.txt"].endswith("\n[UNK]\n")
    assert notes(vocabulary, "bert-vocab") == (
        f"[UNK] added as id {number}: BERT needs an unknown token",
        "BERT cuts words by longest match, not by the segmenter 'bpe'",
        "no [CLS] and [SEP]: some programs that read the file need them",
        "the file has tokens only: 3 merges left out",
    )


def test_whole_words_need_no_mark(tmp_path: Path) -> None:
    words = [Learned(("low",)), Learned(("lower",)), Learned(("##",))]
    vocabulary = Vocabulary.build((), words, segmenter={"use": "word"})
    text = export(vocabulary, "bert-vocab")["vocab.txt"]
    assert text == "low\nlower\n##\n[UNK]\n"
    assert library(text, tmp_path).encode("lower lowest low ##").ids == [1, 3, 0, 2]
    assert imported("bert-vocab", text).vocabulary.tokens == ("low", "lower", "##", "[UNK]")


def test_tokens_of_white_space_keep_their_ids(tmp_path: Path) -> None:
    text = "[UNK]\n\u2028\nnew\n\xa0\n##er\n"
    vocabulary = imported("bert-vocab", text).vocabulary
    assert vocabulary.tokens == ("[UNK]", "\u2028", "new", "\xa0", CONTINUATION + "er")
    assert ids_of(vocabulary, ["newer", "zoo"], 0) == [[2, 4], [0]]
    assert library(text, tmp_path).encode("newer zoo").ids == [2, 4, 0]
    for ending in ("", "##\u2028\n", "\x85\n"):
        assert BertFormat().recognise((text + ending).encode()) == LOOK
    assert BertFormat().recognise(b"[UNK]\na b\n") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[UNK]\n\nnew\n", "a:2: found an empty line, expected a token"),
        ("new\n[UNK]\nnew\n", "a:3: 'new' stands twice, first in a:1"),
    ],
)
def test_what_only_the_library_reads_names_its_learner(text: str, message: str) -> None:
    hint = (
        "; the learner {use: hf, kind: bert-vocab, vocab: ...} reads the file as the library does"
    )
    with pytest.raises(InputError) as caught:
        imported("bert-vocab", text)
    assert str(caught.value) == message + hint
