"""SentencePiece's .vocab: with pieces and scores alone we cut words as the real models do."""

from dataclasses import replace
from pathlib import Path

import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st
from tokbench_formats.sentencepiece_vocab import MARKS, SentencePieceFormat

from tests.interchange.samples import (
    HARD,
    LOW,
    again,
    bpe,
    export,
    ids_of,
    imported,
    notes,
    unigram,
)
from tokbench.api import InputError, Vocabulary
from tokbench.api.text import BOW

WORD = st.text(HARD.replace("▁", "").replace("<", ""), min_size=1, max_size=6)
WORDS = st.dictionaries(WORD, st.integers(1, 9), min_size=1, max_size=8)


@pytest.fixture(
    scope="module", params=["mistral-sp-bpe/tokenizer.model.v1", "xlnet-sp-unigram/spiece.model"]
)
def model(request: pytest.FixtureRequest, shared: Path) -> sentencepiece.SentencePieceProcessor:
    """A real model: BPE with byte fallback, or Unigram."""
    path = shared / "tokenizers" / request.param
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


def table(model: sentencepiece.SentencePieceProcessor) -> str:
    """Spell a model as spm_export_vocab does, with all digits."""
    return "".join(
        f"{model.id_to_piece(i)}\t{model.get_score(i):.9g}\n" for i in range(model.get_piece_size())
    )


@pytest.mark.nightly
def test_real_pieces_and_scores_give_the_ids_of_the_model_and_come_back(
    model: sentencepiece.SentencePieceProcessor, root: Path
) -> None:
    vocabulary = imported("sentencepiece-vocab", table(model)).vocabulary
    assert vocabulary.unknown == model.unk_id()
    text = (root / "corpora" / "english.test.txt").read_text("utf-8")
    words = sorted({word for word in text.split() if word.isascii() and word.isalpha()})
    theirs = [model.encode(word) for word in words]
    assert len(words) > 1000
    assert ids_of(vocabulary, words, model.unk_id()) == theirs
    assert again(vocabulary, "sentencepiece-vocab") == vocabulary


def test_the_table_that_training_writes_is_read(root: Path, tmp_path: Path) -> None:
    """Its scores have six digits, which decide nearly all words as the model's own do."""
    for kind, use in (("bpe", "bpe"), ("unigram", "unigram")):
        sentencepiece.SentencePieceTrainer.train(
            input=str(root / "corpora" / "english.test.txt"),
            model_prefix=str(tmp_path / kind),
            vocab_size=400,
            model_type=kind,
            minloglevel=2,
        )
        model = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / f"{kind}.model"))
        vocabulary = imported(
            "sentencepiece-vocab", (tmp_path / f"{kind}.vocab").read_bytes()
        ).vocabulary
        assert vocabulary.segmenter == {"use": use}
        assert vocabulary.special == (1, 2)
        words = ["the", "lowest", "tokenization", "Headphones", "x"]
        assert ids_of(vocabulary, words, 0) == [model.encode(word) for word in words]


@given(WORDS, st.integers(0, 20))
def test_any_unigram_vocabulary_comes_back_whole(words: dict[str, int], pieces: int) -> None:
    vocabulary = unigram(words, pieces)
    expected = replace(vocabulary, alphabet=(), learned=())
    assert again(vocabulary, "sentencepiece-vocab") == expected


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_any_scores_of_unigram_come_back_as_they_are(numbers: list[float]) -> None:
    scores = dict(zip("abcde", numbers, strict=False))
    vocabulary = Vocabulary((*scores,), segmenter={"use": "unigram"}, extra={"scores": scores})
    assert again(vocabulary, "sentencepiece-vocab") == vocabulary


def test_a_decimal_point_tells_scores_from_ranks() -> None:
    for rows, use in (("a\t-2.0\nb\t0\n", "unigram"), ("a\t-1e+06\nb\t-0\n", "bpe")):
        assert imported("sentencepiece-vocab", rows).vocabulary.segmenter == {"use": use}
    assert imported("sentencepiece-vocab", "a\t1e-05\n").notes == (
        "read as Unigram, since scores are not all written as whole numbers; normalisation is not "
        "in the file",
    )


def test_scores_that_are_no_ranks_are_not_those_of_bpe() -> None:
    vocabulary = bpe(LOW, 2, eow="absent", bow="separate")
    odd = replace(vocabulary, extra={"scores": dict.fromkeys(vocabulary.tokens, -0.5)})
    assert export(odd, "sentencepiece-vocab") == export(vocabulary, "sentencepiece-vocab")


PLAIN = st.text("▁ x" + BOW, min_size=1, max_size=3)


@given(st.lists(PLAIN, min_size=1, max_size=4, unique=True))
def test_tokens_of_signs_and_spaces_are_carried_whole_or_refused(tokens: list[str]) -> None:
    """Refuse what begins with a space: it would be read back as the beginning of a word.

    Refuse what ends with one where nothing begins a word: it would be the end of a word.
    """
    vocabulary = Vocabulary(tuple(tokens), marks=MARKS, segmenter={"use": "bpe"})
    words = [token for token in tokens if token.strip(BOW + " ")]
    after = any(token.endswith(" ") for token in words)
    suffixed = after and not any(token.startswith(BOW) for token in words)
    wrong = any("▁" in token or token[0] == " " or BOW in token[1:] for token in tokens)
    if suffixed or wrong:
        with pytest.raises(InputError, match="it would be read back as another"):
            export(vocabulary, "sentencepiece-vocab")
    else:
        assert again(vocabulary, "sentencepiece-vocab").tokens == vocabulary.tokens


@given(WORDS, st.integers(0, 20))
def test_any_bpe_vocabulary_comes_back_with_its_tokens(words: dict[str, int], merges: int) -> None:
    vocabulary = bpe(words, merges, eow="absent", bow="separate")
    read = again(vocabulary, "sentencepiece-vocab")
    assert (read.tokens, read.marks) == (vocabulary.tokens, vocabulary.marks)
    assert {*read.alphabet} == {*vocabulary.alphabet}


def test_scores_fall_by_rank_and_letters_come_last() -> None:
    vocabulary = bpe(LOW, 2, eow="absent", bow="separate")
    text = export(vocabulary, "sentencepiece-vocab")["spm.vocab"]
    rows = dict(line.split("\t") for line in text.rstrip("\n").split("\n"))
    first, second = (vocabulary.show(product) for product in vocabulary.products)
    assert (rows[first], rows[second], rows["d"]) == ("0", "-1", "-2")
    assert notes(vocabulary, "sentencepiece-vocab") == (
        "the file has pieces and scores only: no merges, no normalisation, no algorithm",
    )


def test_special_pieces_bytes_and_spaces_are_recognised_by_their_names() -> None:
    result = imported("sentencepiece-vocab", "<unk>\t0\n<s>\t0\n<0x41>\t0\n▁a▁b\t-1\n▁\t-2\n")
    vocabulary = result.vocabulary
    assert vocabulary.tokens == ("<unk>", "<s>", "<0x41>", BOW + "a b", BOW)
    assert (vocabulary.unknown, vocabulary.special, vocabulary.bytes) == (0, (1,), {2: 0x41})
    assert result.notes == (
        "read as BPE, since scores are all whole numbers; normalisation is not in the file",
        "the segmenter 'bpe' writes no bytes: what is unknown stays unknown",
    )
    assert export(vocabulary, "sentencepiece-vocab")["spm.vocab"].split("\n")[3] == "▁a▁b\t-1"


def test_a_sign_behind_a_piece_is_a_space_where_marks_stand_before_words() -> None:
    rows = "<unk>\t0\nnew▁\t-1\n▁\t-2\nn\t-3\n"
    read = imported("sentencepiece-vocab", rows + "▁n\t-4\n").vocabulary
    assert read.tokens[1] == "new ", "a mark before words: the sign behind is a space"


def test_a_piece_may_be_a_tab() -> None:
    rows = "<unk>\t0\n\t\t0\n▁x\t-1.5\n"
    assert imported("sentencepiece-vocab", rows).vocabulary.tokens == ("<unk>", "\t", BOW + "x")
    assert SentencePieceFormat().recognise(rows.encode()) is not None
