"""tokenizer.json: the library of Hugging Face cuts words as we do, and nothing is lost."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_bytes.patterns import PatternName, compiled
from tokbench_formats.hf_spelling import PIECES
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from tests.interchange.samples import (
    HARD,
    LOW,
    again,
    bpe,
    byte_bpe,
    export,
    ids_of,
    imported,
    notes,
    uncounted,
    unigram,
    wordpiece,
)
from tokbench.api import BeginMark, InputError, Learned, Marks, Vocabulary

OPTIONS: list[dict[str, Any]] = [
    {},
    {"eow": "absent"},
    {"eow": {"kind": "fused", "text": "</e>"}, "alphabet": {"forms": "seen"}},
    {"eow": "absent", "continuation": {"kind": "fused", "text": "@@"}},
    {"continuation": "fused"},
    {"eow": "absent", "bow": "separate"},
    {"bow": "separate"},
]
WORD = st.text(HARD, min_size=1, max_size=6)

UNMARKED = (
    "no token tells where a word ends, so that the library decodes 'to the palace' as 'tothepalace'"
)


def library(vocabulary: Vocabulary, **options: Any) -> Tokenizer:
    return Tokenizer.from_str(export(vocabulary, "hf", **options)["tokenizer.json"])


def cuts(tokenizer: Tokenizer, words: list[str]) -> list[list[int]]:
    return [encoding.ids for encoding in tokenizer.encode_batch(words, add_special_tokens=False)]


def compare(vocabulary: Vocabulary, words: list[str], **options: Any) -> None:
    """The library gives our ids, and what is unknown to us is its added unknown token."""
    unknown = len(vocabulary.tokens) if vocabulary.unknown is None else vocabulary.unknown
    assert cuts(library(vocabulary, **options), words) == ids_of(vocabulary, words, unknown)


@given(
    st.dictionaries(WORD, st.integers(1, 9), min_size=1, max_size=8),
    st.lists(WORD, max_size=4),
    st.sampled_from(OPTIONS),
    st.integers(0, 20),
)
def test_any_vocabulary_is_cut_alike_or_refused(
    words: dict[str, int], others: list[str], options: dict[str, Any], merges: int
) -> None:
    if "bow" in options:
        # There the sign in a text is read as the beginning of a word.
        words = {word.replace("▁", "-"): n for word, n in words.items()}
        others = [word.replace("▁", "-") for word in others]
    vocabulary = bpe(words, merges, **options)
    marks = vocabulary.marks
    if any(marks.read(marks.show(token)) != token for token in vocabulary.tokens):
        with pytest.raises(InputError, match="hf cannot carry the token"):
            export(vocabulary, "hf")
        return
    compare(vocabulary, [*words, *others], split="none")
    read = again(vocabulary, "hf")
    assert read.tokens[:-1] == vocabulary.tokens
    assert replace(read, tokens=vocabulary.tokens, unknown=None) == uncounted(vocabulary)


@given(st.dictionaries(WORD, st.integers(1, 9), min_size=1, max_size=8), st.integers(0, 20))
def test_any_vocabulary_of_bytes_is_cut_alike(words: dict[str, int], merges: int) -> None:
    vocabulary = byte_bpe(words, merges)
    compare(vocabulary, [*words], split="none")
    assert again(vocabulary, "hf") == uncounted(vocabulary)


@given(st.dictionaries(WORD, st.integers(1, 9), min_size=1, max_size=8), st.integers(1, 20))
def test_any_wordpiece_vocabulary_is_cut_alike(words: dict[str, int], n: int) -> None:
    # The library takes a word that spells the mark for one that does not begin there.
    words = {word.replace("#", "-"): count for word, count in words.items()}
    vocabulary = wordpiece(words, n, unknown="[UNK]")
    compare(vocabulary, [*words, "".join(words)], split="none")
    # The file has tokens only.
    assert again(vocabulary, "hf") == replace(vocabulary, alphabet=(), learned=())


@given(st.dictionaries(WORD, st.integers(1, 9), min_size=1, max_size=8))
def test_any_unigram_vocabulary_is_cut_alike(words: dict[str, int]) -> None:
    words = {word.replace("▁", "-"): n for word, n in words.items()}
    vocabulary = unigram(words, 20)
    compare(vocabulary, [*words, "".join(words)], split="none")
    read = again(vocabulary, "hf")
    assert (read.tokens[:-1], read.extra, read.marks) == (
        vocabulary.tokens,
        vocabulary.extra,
        vocabulary.marks,
    )


def test_words_and_characters_have_models_too() -> None:
    words = Vocabulary.build((), [Learned(("low",)), Learned(("er",))], segmenter={"use": "word"})
    tokenizer = library(words)
    assert tokenizer.encode("low lower, er").tokens == ["low", "<unk>", "<unk>", "er"]
    letters = Vocabulary.build("abc", (), segmenter={"use": "char"})
    assert library(letters).encode("cab d").tokens == ["c", "a", "b", "<unk>"]
    assert again(words, "hf").tokens == ("low", "er", "<unk>")


@pytest.mark.parametrize(
    "options", [o for o in OPTIONS[:-1] if o.get("eow") != "absent" or len(o) > 1]
)
def test_marks_tell_the_library_where_words_begin(options: dict[str, Any]) -> None:
    tokenizer = library(bpe(LOW, 5, **options))
    assert tokenizer.decode(tokenizer.encode("lowest  low newest").ids) == "lowest low newest"


def test_bytes_are_split_as_asked_or_as_the_segmenter_splits() -> None:
    vocabulary = byte_bpe({" low": 3, " lower": 1}, 4)
    tokenizer = library(vocabulary, split="gpt2")
    text = " low  lower안\n"
    assert tokenizer.decode(tokenizer.encode(text).ids) == text
    assert tokenizer.encode(" low low").tokens == ["Ġlow", "Ġlow"]
    assert library(vocabulary, split="whitespace").encode(" low low").tokens == ["low", "low"]
    assert library(vocabulary).encode(" low low").tokens == ["low", "low"]
    of_lines = replace(vocabulary, segmenter={"use": "byte-bpe", "split": "gpt2"})
    assert library(of_lines).encode(" low low").tokens == ["Ġlow", "Ġlow"]
    assert again(of_lines, "hf") == uncounted(of_lines)
    assert any("single words are cut" in note for note in notes(of_lines, "hf", split="whitespace"))
    with pytest.raises(InputError, match="hf: the split 'kiwi' has no form here: give --split"):
        export(replace(vocabulary, segmenter={"use": "byte-bpe", "split": "kiwi"}), "hf")


@pytest.mark.parametrize("split", PIECES)
@given(st.text(st.sampled_from("aBé한ſſst'’ 1234\t\r\n\u3000\x85\u200b/!?😀\u0301")))
def test_the_library_finds_the_pieces_of_a_published_pattern(split: PatternName, text: str) -> None:
    library = pre_tokenizers.Split(Regex(PIECES[split]), "isolated")
    pieces = [piece for piece, _ in library.pre_tokenize_str(text)]
    assert pieces == compiled(split).findall(text)


@pytest.mark.parametrize("split", PIECES)
def test_lines_are_cut_into_the_pieces_of_their_own_pattern(split: str) -> None:
    of_lines = replace(
        byte_bpe({"low": 3, "\n\n": 2}, 4), segmenter={"use": "byte-bpe", "split": split}
    )
    tokenizer = library(of_lines)
    text = "x.low\n\n 12345\nlow  "
    assert tokenizer.decode(tokenizer.encode(text).ids) == text
    assert tokenizer.encode("low\n\nlow").tokens == ["low", "ĊĊ", "low"]
    assert again(of_lines, "hf") == uncounted(of_lines)
    assert not notes(of_lines, "hf")
    assert not imported("hf", *export(of_lines, "hf").values()).notes


@pytest.mark.parametrize(("form", "options"), [("hf", {"split": "gpt2"}), ("gpt2", {})])
def test_tokens_that_another_split_cuts_are_counted(form: str, options: dict[str, str]) -> None:
    """A tab belongs to the next word in cl100k, and stands alone in GPT-2."""
    vocabulary = byte_bpe({"\tlow": 3}, 3)
    assert notes(vocabulary, form, **options) == (
        "the split 'gpt2' cuts 1 of 3 learned tokens, so that no text gives them: they were "
        "learned with another",
    )
    assert not notes(vocabulary, "hf", split="cl100k")
    assert not notes(byte_bpe({"안low": 3}, 3), form, **options)


SPACED = Vocabulary(
    ("\ufdd0x y", "<a b>"),
    special=(1,),
    marks=Marks(bow=BeginMark(kind="separate")),
    segmenter={"use": "bpe"},
)


def test_spaces_are_signs_in_tokens_and_stay_in_special_ones() -> None:
    model = json.loads(export(SPACED, "hf")["tokenizer.json"])["model"]
    assert [*model["vocab"]] == ["▁x▁y", "<a b>", "<unk>"]
    assert again(SPACED, "hf").tokens == (*SPACED.tokens, "<unk>")


def test_special_tokens_keep_their_ids_and_an_unknown_token_is_reported() -> None:
    vocabulary = Vocabulary(("<s>", "a", "b"), ("a", "b"), special=(0,), segmenter={"use": "bpe"})
    tokenizer = library(vocabulary)
    assert (tokenizer.token_to_id("<s>"), tokenizer.encode("a<s>cb").ids) == (0, [1, 0, 3, 2])
    assert notes(vocabulary, "hf") == (
        "<unk> added as id 3: without it the library drops what is unknown",
        UNMARKED,
    )
    assert again(vocabulary, "hf").special == (0,)
    assert not notes(byte_bpe(LOW, 3), "hf", split="gpt2")


def test_a_document_of_the_library_itself_is_given_back() -> None:
    own = export(bpe(LOW, 3), "hf")["tokenizer.json"]
    vocabulary = Vocabulary(("a",), segmenter={"use": "hf"}, extra={"tokenizer.json": own})
    assert export(vocabulary, "hf")["tokenizer.json"] == own


def test_merges_before_those_that_they_need_are_reported() -> None:
    vocabulary = Vocabulary.build(
        "abc", [Learned(("ab", "c")), Learned(("a", "b"))], segmenter={"use": "bpe"}
    )
    assert notes(vocabulary, "hf")[2] == (
        "1 merges stand before one that builds their parts: words may differ"
    )


UNIGRAM = {"type": "Unigram", "unk_id": 0}


def changed(**model: Any) -> str:
    document = json.loads(export(bpe(LOW, 2, eow="absent"), "hf")["tokenizer.json"])
    document["model"].update(model)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (changed(vocab={"a": 0, "b": 0}), "model.vocab: id 0 stands for both 'a' and 'b'"),
        (changed(vocab={"a": 0, "b": 2}), "model.vocab: none of 2 tokens has the id 1: ids must "),
        (changed(vocab={"a": "0"}), "model.vocab: found {'a': '0'}, expected an object of "),
        (changed(merges=[["a", "b"]]), "model.merges.0: 'a' is no token of model.vocab"),
        (changed(merges=["a b c"]), "model.merges.0: found 'a b c', expected the two parts of a m"),
        (changed(merges=[["s", "t"]] * 2), "model.merges.1: the merge ('s', 't') stands twice"),
        (
            changed(ignore_merges=True),
            "model.ignore_merges: found True, which a vocabulary cannot ",
        ),
        (
            changed(fuse_unk=True, unk_token="s"),
            "model.fuse_unk: found True, which a vocabulary cannot ",
        ),
        (changed(dropout=0.1), "model.dropout: found 0.1, which a vocabulary cannot carry"),
        (changed(type="Markov"), "model.type: found 'Markov', expected BPE, WordPiece, Unigram, "),
        (
            changed(**UNIGRAM, vocab=[["a", 0], ["b", float("nan")]]),
            "model.vocab: the score of 'b' is nan",
        ),
        (
            changed(**UNIGRAM, vocab=[["a", 0], ["b", 10**400]]),
            "damaged, or beyond a vocabulary: OverflowEr",
        ),
        (changed(**UNIGRAM, vocab=[["a"]]), "damaged, or beyond a vocabulary: ValueError"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        imported("hf", text)
    assert str(caught.value).startswith(f"a: {message}")


def test_what_a_vocabulary_has_no_place_for_is_reported() -> None:
    document = json.loads(export(bpe(LOW, 2), "hf")["tokenizer.json"])
    document["normalizer"] = {"type": "NFC"}
    document["model"]["byte_fallback"] = True
    assert imported("hf", json.dumps(document)).notes == (
        "a vocabulary has no normalizer: NFC left out",
        "a vocabulary has no pre_tokenizer: Split left out",
        "a vocabulary's segmenter falls back to no bytes: what is unknown stays unknown",
    )


def trained(kind: str, lines: list[str]) -> Tokenizer:
    """Train a tokenizer of the library's own, with its usual parts."""
    options = {"vocab_size": 700, "show_progress": False}
    special = ["[UNK]", "[CLS]"]
    pre: pre_tokenizers.PreTokenizer = pre_tokenizers.Whitespace()
    trainer: Any
    if kind == "wordpiece":
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        trainer = trainers.WordPieceTrainer(special_tokens=special, **options)
    elif kind == "unigram":
        tokenizer = Tokenizer(models.Unigram())
        trainer = trainers.UnigramTrainer(special_tokens=special, unk_token="[UNK]", **options)
        pre = pre_tokenizers.Metaspace()
    else:
        tokenizer = Tokenizer(models.BPE(unk_token="[UNK]", end_of_word_suffix="</w>"))
        affix = {"end_of_word_suffix": "</w>"} if kind == "bpe" else {}
        if kind == "bytes":
            tokenizer = Tokenizer(models.BPE())
            pre = pre_tokenizers.ByteLevel(add_prefix_space=False)
            affix = {"initial_alphabet": pre_tokenizers.ByteLevel.alphabet()}
        trainer = trainers.BpeTrainer(special_tokens=special, **affix, **options)
    tokenizer.pre_tokenizer = pre
    tokenizer.train_from_iterator(lines, trainer)
    return tokenizer


@pytest.mark.parametrize("kind", ["bpe", "bytes", "wordpiece", "unigram"])
def test_tokenizers_that_the_library_trained_are_cut_by_us_as_by_it(
    kind: str, root: Path, held_out: list[str]
) -> None:
    lines = (root / "corpora" / "english.test.txt").read_text("utf-8").split("\n")
    tokenizer = trained(kind, lines[:500])
    vocabulary = imported("hf", tokenizer.to_str()).vocabulary
    assert len(vocabulary.tokens) == tokenizer.get_vocab_size()
    assert vocabulary.tokens.index("[CLS]") in vocabulary.special
    words = [word for word in held_out if word.isascii() and word.isalpha()]
    unknown = tokenizer.token_to_id("[UNK]") if vocabulary.unknown is not None else -1
    ours = ids_of(vocabulary, words, unknown)
    known = [i for i, ids in enumerate(ours) if unknown not in ids]
    theirs = cuts(tokenizer, words)
    assert len(known) > len(words) / 2
    assert [ours[i] for i in known] == [theirs[i] for i in known]
    if kind != "unigram":
        # There unknown letters side by side are one token.
        assert ours == theirs
