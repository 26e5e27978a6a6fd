"""The learner `byte-bpe`: by hand, against `bpe` over bytes, and Hugging Face's trainer."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from tokbench_bpe.learner import Bpe
from tokbench_bytes.learner import ByteBpe, alphabet
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from tests.engines import using
from tokbench.api import Learned, Marks, Size, SizeError, Vocabulary
from tokbench.api.text import to_bytes_text

letters = st.one_of(st.sampled_from("aabé안 '\ud800"), st.characters())
counted = st.dictionaries(st.text(letters, min_size=1, max_size=9), st.integers(1, 4), max_size=6)
LINES = ["low lower lowest", "low low", "", "안녕 안녕"]


def merges(vocabulary: Vocabulary) -> list[tuple[str, ...]]:
    return [item.parts for item in vocabulary.learned]


def test_merges_of_words_by_hand() -> None:
    # é is C3 A9, è is C3 A8: of three pairs that stand twice, the greatest comes first.
    vocabulary = ByteBpe().learn({"éa": 1, "éb": 1, "è": 1}, Size(learned=2))
    assert vocabulary.learned == (Learned(("\xc3", "\xa9"), 2), Learned(("\xc3\xa9", "b"), 1))
    assert vocabulary.tokens[:256] == tuple(map(chr, range(256)))
    assert vocabulary.tokens[256:] == ("\xc3\xa9", "\xc3\xa9b")
    assert (vocabulary.units, vocabulary.marks) == ("bytes", Marks())
    assert vocabulary.segmenter == {"use": "bpe"}
    assert vocabulary.size == 258


def test_lines_keep_their_spaces_by_hand() -> None:
    vocabulary = ByteBpe(read="lines").learn_lines(["ab ab", " ab b"], Size(learned=3))
    # Pre-tokens: ab once, ` ab` twice, ` b` once.
    assert vocabulary.learned == (
        Learned(("a", "b"), 3),
        Learned((" ", "ab"), 2),
        Learned((" ", "b"), 1),
    )
    assert vocabulary.segmenter == {"use": "byte-bpe", "split": "gpt2"}


def test_the_pattern_decides_what_may_be_merged() -> None:
    def learned(split: str) -> set[str]:
        learner = ByteBpe.configure(read="lines", split=split)
        return set(learner.learn_lines(["x 1234", "x 1234"], Size(learned=99)).tokens[256:])

    assert " 1234" in learned("gpt2")
    assert "123" in learned("cl100k")
    assert not {"1234", " 1"} & learned("cl100k")
    assert "x 1234" in learned("none")


@given(
    counted,
    st.integers(0, 30),
    st.sampled_from(["greatest", "smallest", "first"]),
    st.integers(1, 3),
)
def test_merges_are_those_of_bpe_over_the_bytes(
    words: dict[str, int], number: int, ties: Any, minimum: int
) -> None:
    options = {"ties": ties, "min-pair-count": minimum}
    plain = Bpe.configure(eow="absent", merge="list", alphabet={"forms": "seen"}, **options)
    expected = plain.learn({to_bytes_text(w): n for w, n in words.items()}, Size(learned=number))
    learner = ByteBpe.configure(**options)
    with using("python"):
        vocabulary = learner.learn(words, Size(learned=number))
    assert vocabulary.learned == expected.learned
    assert vocabulary == learner.learn(words, Size(total=vocabulary.size))


def test_sizes_count_the_bytes() -> None:
    words = {"abc": 2}
    assert ByteBpe().learn(words, Size(total=257)).size == 257
    assert ByteBpe().learn(words, Size(total=256)).learned == ()
    assert ByteBpe().learn(words, Size(total=999)).size == 258
    with pytest.raises(SizeError, match="size 255 is below the 256 bytes") as caught:
        ByteBpe().learn(words, Size(total=255))
    assert caught.value.minimum == 256


def test_bytes_can_have_the_ids_of_gpt2() -> None:
    # In its encoder.json: ! is 0, the byte 0 is 188, a space 220, DEL 221, a soft hyphen 255.
    vocabulary = ByteBpe(byte_order="gpt2").learn({"ab": 2}, Size(total=257))
    ids = [vocabulary.ids[char] for char in ("!", "\0", " ", "\x7f", "\xad", "ab")]
    assert ids == [0, 188, 220, 221, 255, 256]
    assert vocabulary.learned == ByteBpe().learn({"ab": 2}, Size(total=257)).learned


def test_a_pattern_without_lines_is_refused() -> None:
    with pytest.raises(ValidationError, match="`split` is for lines: add `read: lines`"):
        ByteBpe.configure(split="gpt2")
    assert ByteBpe.configure(read="lines", split="o200k").reads == "lines"
    assert ByteBpe().reads == "words"


def test_trace_replays_the_merges_of_words() -> None:
    words = {"low": 5, "lower": 2}
    _, *steps = ByteBpe().trace(words, Size(total=258))
    learned = ByteBpe().learn(words, Size(total=258)).learned
    assert [step.chosen for step in steps] == [item.parts for item in learned]
    assert steps[-1].words == {("low",): 5, ("low", "e", "r"): 2}
    assert [*ByteBpe(read="lines").trace(words, Size(total=258))] == []
    with pytest.raises(SizeError):
        ByteBpe().trace(words, Size(total=1))


def trained(lines: Sequence[str], size: int) -> Tokenizer:
    """Train Hugging Face's byte-level BPE."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=[],
        show_progress=False,
    )
    tokenizer.train_from_iterator(lines, trainer)
    return tokenizer


def their_merges(tokenizer: Tokenizer) -> list[tuple[str, str]]:
    """Read the merges of a trained tokenizer, which spells each byte as GPT-2 does."""
    # Their alphabet in code-point order is GPT-2's order of bytes.
    spelled = sorted(pre_tokenizers.ByteLevel.alphabet())
    byte = str.maketrans(dict(zip(spelled, alphabet("gpt2"), strict=True)))
    listed = json.loads(tokenizer.to_str())["model"]["merges"]
    return [(left.translate(byte), right.translate(byte)) for left, right in listed]


def test_without_ties_the_merges_are_those_of_hugging_face() -> None:
    counts = {"ab": 40, " ab": 9, "abc": 5, "é": 3, "cd": 2}
    lines = [text for text, count in counts.items() for _ in range(count)]
    ours = ByteBpe(read="lines").learn_lines(lines, Size(total=261))
    assert [item.count for item in ours.learned] == [54, 9, 5, 3, 2]
    assert merges(ours) == their_merges(trained(lines, 261))
