"""tiktoken through the public interface: the library's own ids, and spans that lie where it cut."""

import base64
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from tiktoken_ext import openai_public
from tokbench_tiktoken.learners import Tiktoken
from tokbench_tiktoken.published import FILES, PATTERNS
from tokbench_tiktoken.segmenter import TiktokenSegmenter

from tokbench.api import InputError, Vocabulary
from tokbench.api.text import BYTE_LETTERS, to_bytes_text

SEGMENTER = TiktokenSegmenter()
BYTES_OF = {letter: byte for byte, letter in BYTE_LETTERS.items()}


def written(folder: Path, ranks: dict[bytes, int]) -> Path:
    """Write a rank file."""
    path = folder / "some.tiktoken"
    rows = (f"{base64.b64encode(token).decode()} {rank}\n" for token, rank in ranks.items())
    path.write_text("".join(rows), encoding="ascii")
    return path


def small_ranks() -> dict[bytes, int]:
    """Ranks of every byte and of some English."""
    merged = [b"th", b"the", b"in", b" the", b"en", b" then", b"\xed\x95", b"\xed\x95\x9c"]
    return {token: i for i, token in enumerate([*(bytes([b]) for b in range(256)), *merged])}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    path = written(tmp_path_factory.mktemp("ranks"), small_ranks())
    return Tiktoken.configure(path=str(path), pattern="cl100k").load()


@pytest.fixture(scope="module")
def cl100k(shared: Path) -> Vocabulary:
    path = shared / "tokenizers" / "tiktoken" / "cl100k_base.tiktoken"
    if not path.is_file():
        pytest.skip("cl100k_base.tiktoken is not among the shared data")
    return Tiktoken.configure(path=str(path)).load()


def gpt2_bytes(spelled: str) -> bytes:
    """Return the bytes that a text in GPT-2's letters stands for."""
    return bytes(map(BYTES_OF.__getitem__, spelled))


@pytest.fixture(scope="module")
def gpt2_file(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """GPT-2's `encoder.json` as a rank file: id by id, its letters turned back into bytes."""
    path = shared / "tokenizers" / "gpt2" / "encoder.json"
    if not path.is_file():
        pytest.skip("GPT-2's encoder.json is not among the shared data")
    ids = json.loads(path.read_text("utf-8"))
    ids.pop("<|endoftext|>")
    ranks = {gpt2_bytes(token): i for token, i in ids.items()}
    ordered = dict(sorted(ranks.items(), key=lambda entry: entry[1]))
    return written(tmp_path_factory.mktemp("gpt2"), ordered)


def theirs(vocabulary: Vocabulary, pattern: str) -> tiktoken.Encoding:
    """Build the library's encoding without our code."""
    ranks = {token.encode("latin-1"): i for i, token in enumerate(vocabulary.tokens)}
    return tiktoken.Encoding("theirs", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


def ids_of(vocabulary: Vocabulary, text: str) -> list[int]:
    return cut(vocabulary, [text]).ids.tolist()


def cut(vocabulary: Vocabulary, lines: list[str]) -> Any:
    return SEGMENTER.segment_lines(lines, SEGMENTER.prepare(vocabulary))


def check_lines(vocabulary: Vocabulary, pattern: str, lines: list[str]) -> None:
    """Check ids against the library, and that each span holds the bytes of its token."""
    encoding = theirs(vocabulary, pattern)
    tokens = cut(vocabulary, lines)
    for i, line in enumerate(lines):
        part = slice(tokens.row[i], tokens.row[i + 1])
        ids = tokens.ids[part].tolist()
        assert ids == encoding.encode(line, disallowed_special=())
        raw, position = line.encode("utf-8"), 0
        for token, start, end in zip(ids, tokens.starts[part], tokens.ends[part], strict=True):
            assert start == position
            assert raw[start:end] == vocabulary.raw(token) == encoding.decode_bytes([token])
            position = end
        assert position == len(raw)


@pytest.mark.ci
@pytest.mark.parametrize("name", PATTERNS)
def test_patterns_and_special_tokens_are_the_published_ones(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Instead of downloading: what the library expects the digest of the file to be.
    asked = {}

    def no_download(url: str, expected_hash: str) -> dict[bytes, int]:
        asked["digest"] = expected_hash
        return {}

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", no_download)
    published = openai_public.ENCODING_CONSTRUCTORS[f"{name}_base"]()
    # The names come from a list of texts, where the table knows them one by one.
    assert PATTERNS[name] == published["pat_str"]  # type: ignore[index]  # a name
    assert FILES[asked["digest"]].pattern == name
    assert FILES[asked["digest"]].special == published["special_tokens"]


@pytest.mark.ci
def test_the_vocabulary_of_a_rank_file(small: Vocabulary) -> None:
    assert (small.units, small.special, small.unknown) == ("bytes", (), None)
    assert small.size == small.declared == 264
    assert small.ids[to_bytes_text(" then")] == 261
    assert small.raw(263) == "한".encode()


@pytest.mark.ci
def test_a_piece_that_has_a_rank_is_a_token_whatever_its_parts(tmp_path: Path) -> None:
    ranks = {bytes([b]): b for b in range(256)} | {b"abc": 256}
    path = written(tmp_path, ranks)
    vocabulary = Tiktoken.configure(path=str(path), pattern="r50k").load()
    assert ids_of(vocabulary, "abc abcd") == [256, 32, 97, 98, 99, 100]


# Every category, so lone surrogates too; and what other tokenizers use as marks.
hard = st.text(st.characters(exclude_characters="\ufdd0\ufdd1\ufdd2"), max_size=30)
spelled = st.lists(
    st.sampled_from(["</w>", "▁", "##", "<|endoftext|>", "\x00", "한", "e\u0301", "\u200d", " th"])
).map("".join)


@pytest.mark.ci
@given(st.lists(st.one_of(hard, spelled), max_size=4), st.sampled_from(sorted(PATTERNS)))
def test_hard_unicode(small: Vocabulary, lines: list[str], name: str) -> None:
    encodable = [re.sub("[\ud800-\udfff]", "", line) for line in lines]
    # As above, the name is any text to the type checker.
    pattern = PATTERNS[name]  # type: ignore[index]  # a name
    check_lines(_with(small, pattern), pattern, encodable)


def _with(vocabulary: Vocabulary, pattern: str) -> Vocabulary:
    return replace(vocabulary, extra={"pattern": pattern})


@pytest.mark.ci
def test_lone_surrogates_are_cut_as_replacement_characters(small: Vocabulary) -> None:
    with_surrogates, without = cut(small, ["a\ud800 \udfff"]), cut(small, ["a\ufffd \ufffd"])
    assert with_surrogates.ids.tolist() == without.ids.tolist()
    assert with_surrogates.ends.tolist() == without.ends.tolist()


@pytest.mark.ci
def test_special_tokens_in_text_are_text(cl100k: Vocabulary) -> None:
    for text in ("<|endoftext|>", "a<|fim_prefix|>b"):
        ids = ids_of(cl100k, text)
        assert max(ids) < 100256
        assert SEGMENTER.decode(ids, cl100k) == text


@pytest.mark.ci
def test_published_examples(cl100k: Vocabulary, golden: dict[str, Any]) -> None:
    expected = {
        case["input"]["text"]: case["expected"]["cl100k_ids"]
        for case in golden.values()
        if "cl100k_ids" in case["expected"]
    }
    assert len(expected) >= 5
    assert {text: ids_of(cl100k, text) for text in expected} == expected


@pytest.mark.ci
def test_gpt2_from_its_own_files(gpt2_file: Path, golden: dict[str, Any]) -> None:
    learner = Tiktoken.configure(path=str(gpt2_file))
    assert FILES[learner.path.digest].pattern == "r50k", "byte for byte the published file"
    vocabulary = learner.load()
    assert ids_of(vocabulary, "Hello, world!") == [15496, 11, 995, 0]
    assert (vocabulary.size, vocabulary.declared) == (50256, 50257)
    cases = [case for case in golden.values() if "gpt2_ids" in case["expected"]]
    assert len(cases) >= 5
    for case in cases:
        assert ids_of(vocabulary, case["input"]["text"]) == case["expected"]["gpt2_ids"]


@pytest.mark.ci
def test_sizes_of_cl100k(cl100k: Vocabulary) -> None:
    # 100,277 is what the library gives as `n_vocab` for cl100k_base; ids 100256 and 100261 to
    # 100275 do not exist, five others are special.
    assert (cl100k.size, cl100k.declared) == (100256, 100277)


@pytest.mark.ci
def test_ids_and_bytes_are_the_librarys(
    cl100k: Vocabulary, hostile: list[str], twelve_languages: list[list[str]]
) -> None:
    few = [line for lines in twelve_languages for line in lines[:10]]
    check_lines(cl100k, PATTERNS["cl100k"], hostile + few)


@pytest.mark.ci
def test_what_tiktoken_gives_up_on_is_refused(small: Vocabulary) -> None:
    spaces = " " * 1_000_000
    with pytest.raises(
        InputError, match=r"gives up on a line of 1,000,000 characters, ' .*StackOverflow"
    ):
        cut(_with(small, r"\s+(?!\S)|\s+|\S+"), [spaces])


@pytest.mark.ci
def test_text_that_the_pattern_leaves_out_is_refused(small: Vocabulary) -> None:
    with pytest.raises(InputError, match="leaves out 1 of the 3 bytes of the line 'a b'"):
        cut(_with(small, r"\w+"), ["ab", "a b"])


@pytest.mark.ci
def test_other_vocabularies_are_refused() -> None:
    with pytest.raises(InputError, match="needs a vocabulary of the learner tiktoken"):
        SEGMENTER.prepare(Vocabulary(("a", "b")))
