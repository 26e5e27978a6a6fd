"""GPT-2's own merges: ids as its file and tiktoken give them."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from tiktoken_ext import openai_public
from tokbench_bpe.merging import Merges
from tokbench_bytes.learner import alphabet
from tokbench_bytes.segmenter import ByteBpeSegmenter
from tokenizers import pre_tokenizers

from tokbench.api import Learned, Vocabulary


@pytest.fixture(scope="module")
def folder(shared: Path) -> Path:
    return shared / "tokenizers" / "gpt2"


@pytest.fixture(scope="module")
def spelled() -> dict[str, str]:
    """The byte, as one character, that each character of GPT-2's files stands for."""
    return dict(zip(sorted(pre_tokenizers.ByteLevel.alphabet()), alphabet("gpt2"), strict=True))


@pytest.fixture(scope="module")
def vocabulary(folder: Path, spelled: dict[str, str]) -> Vocabulary:
    """GPT-2's merges as learned items."""
    _, *rows = (folder / "vocab.bpe").read_text("utf-8").removesuffix("\n").split("\n")
    byte = str.maketrans(spelled)
    items = [Learned(tuple(part.translate(byte) for part in row.split(" "))) for row in rows]
    return Vocabulary.build(alphabet("gpt2"), items, units="bytes")


@pytest.fixture(scope="module")
def theirs(vocabulary: Vocabulary) -> tiktoken.Encoding:
    """The encoding `gpt2` of tiktoken, without asking the network for its ranks."""
    ranks = {vocabulary.raw(i): i for i in range(len(vocabulary.tokens))}
    pattern = openai_public.r50k_pat_str
    return tiktoken.Encoding("gpt2", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


@pytest.fixture(scope="module")
def merges(vocabulary: Vocabulary) -> Merges:
    return ByteBpeSegmenter().prepare(vocabulary)


def ids_of(lines: Sequence[str], merges: Merges) -> list[list[int]]:
    tokens = ByteBpeSegmenter().segment_lines(lines, merges)
    return [[i for i, _ in line if i is not None] for line in tokens.pairs(lines)]


def test_tokens_have_the_ids_of_its_file(
    vocabulary: Vocabulary, folder: Path, spelled: dict[str, str]
) -> None:
    byte = str.maketrans(spelled)
    ids = json.loads((folder / "encoder.json").read_text("utf-8"))
    assert ids.pop("<|endoftext|>") == len(vocabulary.tokens) == 50256
    assert {token.translate(byte): i for token, i in ids.items()} == vocabulary.ids


def test_hello_world(merges: Merges) -> None:
    tokens = ByteBpeSegmenter().segment_lines(["Hello, world!"], merges)
    assert tokens.ids.tolist() == [15496, 11, 995, 0]
    assert tokens.starts.tolist() == [0, 5, 6, 12]
    assert tokens.ends.tolist() == [5, 6, 12, 13]


settled = st.characters(exclude_categories=["Cs", "Cn"], exclude_characters="\u0295")
texts = st.text(st.one_of(st.sampled_from("aet 'sRé\u0301안\u200d\U0001f469\n\x00"), settled))


@given(texts)
def test_any_text_has_their_ids(merges: Merges, theirs: tiktoken.Encoding, text: str) -> None:
    assert ids_of([text], merges) == [theirs.encode_ordinary(text)]


def test_parallel_text_has_their_ids(
    shared: Path, merges: Merges, theirs: tiktoken.Encoding
) -> None:
    texts = [gzip.decompress(path.read_bytes()) for path in (shared / "parallel").glob("*.dev.gz")]
    lines = [line for text in texts for line in text.decode().split("\n")[:80]]
    assert len(lines) >= 12 * 80
    assert ids_of(lines, merges) == theirs.encode_ordinary_batch(lines, num_threads=1)
