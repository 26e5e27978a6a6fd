"""GPT-2's two files, and the same merges as tiktoken's ranks."""

import base64
from dataclasses import replace
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from tokbench_bytes.patterns import CL100K
from tokenizers import Tokenizer, models, pre_tokenizers

from tests.conftest import ROOT
from tests.interchange.samples import (
    HARD,
    LOW,
    again,
    byte_bpe,
    export,
    ids_of,
    imported,
    notes,
    splits_of,
    uncounted,
)
from tokbench.api import InputError, Learned, Vocabulary

NO_PATTERN = "the file has no split pattern"
WORD = st.text(HARD, min_size=1, max_size=6)
WORDS = st.dictionaries(WORD, st.integers(1, 9), min_size=1, max_size=8)


def library(files: dict[str, str], folder: Path) -> Tokenizer:
    """Load the two files as GPT-2 users do; words come one by one."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    names = (str(folder / "encoder.json"), str(folder / "vocab.bpe"))
    tokenizer = Tokenizer(models.BPE.from_file(*names))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return tokenizer


def encoding(ranks: str) -> tiktoken.Encoding:
    """Load ranks into tiktoken; a text is one piece."""
    lines = (line.split(" ") for line in ranks.rstrip("\n").split("\n"))
    table = {base64.b64decode(token): int(rank) for token, rank in lines}
    return tiktoken.Encoding("x", pat_str=r"(?s).+", mergeable_ranks=table, special_tokens={})


def tiktoken_cuts(vocabulary: Vocabulary, words: list[str]) -> list[list[int]]:
    loaded = encoding(export(vocabulary, "tiktoken")["ranks.tiktoken"])
    return [loaded.encode_ordinary(word) for word in words]


@pytest.mark.ci
@given(WORDS, st.integers(0, 20))
def test_any_vocabulary_is_cut_alike_and_read_back(
    tmp_path_factory: pytest.TempPathFactory, words: dict[str, int], merges: int
) -> None:
    vocabulary = byte_bpe(words, merges)
    tokenizer = library(export(vocabulary, "gpt2"), tmp_path_factory.mktemp("gpt2"))
    assert [tokenizer.encode(word).ids for word in words] == ids_of(vocabulary, words)
    read = again(vocabulary, "gpt2")
    assert read.segmenter == {"use": "byte-bpe", "split": "gpt2"}
    assert replace(read, segmenter=vocabulary.segmenter) == uncounted(vocabulary)


@pytest.mark.ci
def test_the_files_of_gpt2_are_read_with_its_ids_and_written_as_they_were(
    gpt2: list[bytes], gpt2_vocabulary: Vocabulary
) -> None:
    """The published case: `Hello, world!` is 15496 11 995 0."""
    words = ["Hello", ",", " world", "!"]
    assert ids_of(gpt2_vocabulary, words) == [[15496], [11], [995], [0]]
    assert (gpt2_vocabulary.size, gpt2_vocabulary.special) == (50_256, (50_256,))
    assert gpt2_vocabulary.tokens[50_256] == "<|endoftext|>"
    assert [text.encode() for text in export(gpt2_vocabulary, "gpt2").values()] == gpt2
    assert imported("gpt2", *reversed(gpt2)).vocabulary == gpt2_vocabulary


@pytest.mark.ci
def test_gpt2_as_ranks_gives_the_ids_of_tiktoken(
    gpt2_vocabulary: Vocabulary, held_out: list[str]
) -> None:
    words = [" " + word for word in held_out[::3]]
    assert tiktoken_cuts(gpt2_vocabulary, words) == ids_of(gpt2_vocabulary, words)


@pytest.mark.nightly
def test_the_ranks_of_cl100k_give_the_ids_of_tiktoken(shared: Path, held_out: list[str]) -> None:
    text = (shared / "tokenizers" / "tiktoken" / "cl100k_base.tiktoken").read_text("ascii")
    vocabulary = imported("tiktoken", text).vocabulary
    assert (len(vocabulary.tokens), len(vocabulary.learned)) == (100_256, 100_000)
    words = [spaced for word in held_out for spaced in (word, " " + word)]
    loaded = encoding(text)
    assert ids_of(vocabulary, words) == [loaded.encode_ordinary(word) for word in words]
    assert export(vocabulary, "tiktoken") == {"ranks.tiktoken": text}
    (note,) = notes(vocabulary, "gpt2")
    assert note.startswith("the split 'gpt2' cuts 21,687 of 100,000 learned tokens")
    assert not notes(vocabulary, "hf", split="cl100k")
    lines = (ROOT / "corpora" / "english.test.txt").read_text("utf-8").split("\n")
    cl100k = tiktoken.Encoding(
        "x", pat_str=CL100K, mergeable_ranks=loaded._mergeable_ranks, special_tokens={}
    )
    hf = Tokenizer.from_str(export(vocabulary, "hf", split="cl100k")["tokenizer.json"])
    assert [hf.encode(line).ids for line in lines] == [cl100k.encode_ordinary(t) for t in lines]


@pytest.mark.ci
@given(WORDS, st.integers(0, 30))
def test_words_that_tiktoken_cuts_otherwise_are_counted(words: dict[str, int], merges: int) -> None:
    vocabulary = byte_bpe(words, merges)
    ours, theirs = ids_of(vocabulary, words), tiktoken_cuts(vocabulary, [*words])
    different = sum(a != b for a, b in zip(ours, theirs, strict=True))
    assert notes(vocabulary, "tiktoken", splits=splits_of(vocabulary, words)) == (
        NO_PATTERN,
        f"{different} of {len(words)} distinct words of the text are cut otherwise by tiktoken",
    )


@pytest.mark.ci
def test_a_merge_by_what_is_joined_differs_from_one_by_pairs() -> None:
    """By pairs `abc` stays a bc; tiktoken joins them, since abc is a token."""
    items = [Learned(("b", "c")), Learned(("a", "b")), Learned(("ab", "c"))]
    vocabulary = Vocabulary.build(
        [chr(i) for i in range(256)], items, units="bytes", segmenter={"use": "bpe"}
    )
    note = "1 of 3 learned tokens, each taken as a word, are cut otherwise by tiktoken"
    assert notes(vocabulary, "tiktoken") == (NO_PATTERN, note)
    assert tiktoken_cuts(vocabulary, ["abc"]) == [[258]]
    assert ids_of(vocabulary, ["abc"]) == [[97, 256]]
    assert again(vocabulary, "tiktoken").learned[2] == Learned(("a", "bc"))


@pytest.mark.ci
def test_that_ranks_have_no_pattern_is_reported() -> None:
    assert notes(byte_bpe(LOW, 3), "tiktoken")[0] == NO_PATTERN
    vocabulary = replace(byte_bpe(LOW, 3), segmenter={"use": "byte-bpe", "split": "o200k"})
    assert notes(vocabulary, "tiktoken")[0] == f"{NO_PATTERN}: this vocabulary's is 'o200k'"


@pytest.mark.ci
def test_lines_split_as_gpt2_splits_them_are_carried() -> None:
    for segmenter in ({"use": "byte-bpe"}, {"use": "byte-bpe", "split": "gpt2"}):
        vocabulary = replace(byte_bpe(LOW, 3), segmenter=segmenter)
        assert export(vocabulary, "gpt2") == export(byte_bpe(LOW, 3), "gpt2")


def doubled(*long: str) -> str:
    """Spell ranks: all bytes, `aa`, `aaaa` and so on up to 2^13 letters, and long tokens."""
    tokens = [chr(byte) for byte in range(256)]
    tokens += ["a" * 2**power for power in range(1, 14)]
    encoded = (base64.b64encode(token.encode("latin-1")) for token in [*tokens, *long])
    return "".join(f"{token.decode()} {rank}\n" for rank, token in enumerate(encoded))


@pytest.mark.ci
def test_very_long_tokens_are_read() -> None:
    """Looking at all pairs before each merge would take many minutes for them."""
    long = "a" * 2**13
    vocabulary = imported("tiktoken", doubled(long + "b")).vocabulary
    assert vocabulary.learned[-2:] == (Learned((long[: 2**12],) * 2), Learned((long, "b")))


@pytest.mark.ci
def test_a_very_long_token_is_cropped_in_the_message() -> None:
    with pytest.raises(InputError) as caught:
        imported("tiktoken", doubled("a" * 3_000))
    assert str(caught.value) == (
        f"a:270: no two tokens of lower rank build b'{'a' * 78}: as merges it cannot be had; the"
        " learner `tiktoken` reads the file itself"
    )
