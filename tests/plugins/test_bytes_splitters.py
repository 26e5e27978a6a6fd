"""The split patterns against tiktoken and Hugging Face, and by hand."""

import unicodedata
from collections.abc import Iterable
from typing import get_args

import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st
from tiktoken_ext import openai_public
from tokbench_bytes.patterns import (
    NONE,
    Cl100kSplitter,
    Gpt2Splitter,
    O200kSplitter,
    OwnPattern,
    PatternName,
    RegexSplitter,
    SplitName,
    compiled,
    pieces_of,
)
from tokenizers import Regex, pre_tokenizers

from tokbench.api import Splitter

SPLITTERS: dict[PatternName, Splitter] = {
    "gpt2": Gpt2Splitter(),
    "cl100k": Cl100kSplitter(),
    "o200k": O200kSplitter(),
}
each_pattern = pytest.mark.parametrize("pattern", SPLITTERS)

# Later Unicode versions than Python's give meaning to code points that others still lack, and
# have made a small letter of U+0295 one without case.
settled = st.characters(exclude_categories=["Cs", "Cn"], exclude_characters="\u0295")
HARD = "aZé1٣ \t\n\r\u00a0\u3000\u200d'sS\u017fLlVvEe/.-!\u0301हिन्दी\U0001f469안ǅªʰ</w>▁##Ⅷ²\x00"
texts = st.text(st.one_of(st.sampled_from(HARD), settled), max_size=25)


def pieces(splitter: Splitter, text: str) -> list[str]:
    return [text[start:end] for start, end in splitter.split(text)]


@pytest.fixture(scope="module")
def published() -> dict[PatternName, str]:
    """The patterns as tiktoken publishes them: where it builds an encoding, without its ranks."""
    patterns: dict[PatternName, str] = {"gpt2": openai_public.r50k_pat_str}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openai_public, "load_tiktoken_bpe", lambda *_, **__: {})
        patterns["cl100k"] = openai_public.cl100k_base()["pat_str"]
        patterns["o200k"] = openai_public.o200k_base()["pat_str"]
    return patterns


def tiktoken_pieces(pattern: str, text: str, known: Iterable[bytes]) -> list[str]:
    """Let tiktoken split a text: each pre-token that it knows is one token."""
    single = [bytes([byte]) for byte in range(256)]
    listed = [*single, *sorted({*known}.difference(single))]
    encoding = tiktoken.Encoding(
        "known-pieces",
        pat_str=pattern,
        mergeable_ranks={token: rank for rank, token in enumerate(listed)},
        special_tokens={},
    )
    return [listed[i].decode() for i in encoding.encode_ordinary(text)]


@each_pattern
@given(text=texts | st.text("aS1 \n\r/.'", max_size=12))
@example(text="a\n ")
@example(text="a \r\n\n b")
@example(text=".\n/x")
def test_pieces_are_tiktoken_s(
    pattern: PatternName, published: dict[PatternName, str], text: str
) -> None:
    raw = text.encode()
    substrings = {raw[i:j] for i in range(len(raw)) for j in range(i + 2, len(raw) + 1)}
    theirs = tiktoken_pieces(published[pattern], text, substrings)
    assert pieces(SPLITTERS[pattern], text) == theirs


@each_pattern
def test_every_settled_character_alone_and_beside_letters(
    pattern: PatternName, published: dict[PatternName, str]
) -> None:
    wanted = [
        chr(code)
        for code in range(0x3000)
        if unicodedata.category(chr(code)) != "Cn" and code != 0x295
    ]
    # A letter, a space, a capital and a digit around each tell its class.
    text = "".join(f" {char}a{char}A1{char}." for char in wanted)
    ours = pieces(SPLITTERS[pattern], text)
    # What tiktoken cuts otherwise is none of our pieces, and comes out as other tokens.
    theirs = tiktoken_pieces(published[pattern], text, (piece.encode() for piece in ours))
    assert ours == theirs


@pytest.mark.parametrize("pattern", get_args(SplitName))
@given(text=st.text(st.one_of(st.sampled_from(HARD), st.characters())))
def test_pieces_partition_any_text_lone_surrogates_too(pattern: SplitName, text: str) -> None:
    matches = compiled(pattern).findall(text)
    assert "".join(matches) == text
    assert "" not in matches


def test_the_pattern_none_leaves_a_text_whole() -> None:
    assert compiled("none").pattern == NONE
    assert compiled("none").findall(" a\nb ") == [" a\nb "]


@pytest.mark.parametrize("pattern", ["[0-9]", " ?[a-z]+", r"(\p{L}|\p{M})+| ?(\s)", r"\s"])
@given(text=texts)
def test_own_patterns_split_as_hugging_face_isolates_matches(pattern: str, text: str) -> None:
    theirs = pre_tokenizers.Split(Regex(pattern), "isolated").pre_tokenize_str(text)
    assert pieces_of(OwnPattern(regex=pattern))(text) == [piece for piece, _ in theirs]


def test_a_pattern_of_one_s_own_finds_words_and_loses_nothing() -> None:
    assert pieces(RegexSplitter(pattern="[0-9]"), "On 27 May, 12:00") == [
        *("On", "2", "7", "May,", "1", "2", ":", "0", "0")
    ]
    camel = RegexSplitter(pattern="(?<=[a-z])(?=[A-Z])")
    assert pieces(camel, " fooBar baz ") == ["foo", "Bar", "baz"]
    assert pieces(RegexSplitter(pattern=" "), " a  b") == ["a", "b"], "spaces are no words"


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("[0-9", "cannot be read: unterminated character set at position"),
        ("(?R)", "cannot be read: it calls itself without end"),
        ("(?r)[0-9]", "is read backwards"),
    ],
)
def test_a_pattern_that_does_not_work_is_refused(pattern: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        RegexSplitter(pattern=pattern)
