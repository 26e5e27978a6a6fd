"""Damaged files: whatever is cut off or changed, an import succeeds or says one clear thing."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.interchange.samples import (
    FORMATS,
    LOW,
    REGISTRY,
    bpe,
    byte_bpe,
    export,
    read,
    splits_of,
    unigram,
    wordpiece,
)
from tokbench.api import InputError, SourceFile, Vocabulary
from tokbench.interchange import build_format

FILES = {
    "hf": lambda: export(bpe(LOW, 8), "hf"),
    "hf ": lambda: export(unigram(LOW, 5), "hf"),
    "gpt2": lambda: export(byte_bpe(LOW, 8), "gpt2"),
    "subword-nmt": lambda: export(bpe(LOW, 8), "subword-nmt"),
    "tiktoken": lambda: export(byte_bpe(LOW, 8), "tiktoken"),
    "sentencepiece-vocab": lambda: export(unigram(LOW, 5), "sentencepiece-vocab"),
    "bert-vocab": lambda: export(wordpiece(LOW, 5), "bert-vocab"),
    "word-splits": lambda: export(bpe(LOW, 8), "word-splits", splits=splits_of(bpe(LOW, 8), LOW)),
}
JUNK = st.one_of(
    st.binary(max_size=3),
    st.sampled_from([b"\n", b"\r", b"\t", b" ", b'"', b"0", b"-1", b"1e99", b"null", b"[]", b"{}"]),
)


@cache
def raws_of(name: str) -> tuple[bytes, ...]:
    """Return the files of a small vocabulary in a format."""
    return tuple(text.encode() for text in FILES[name]().values())


def outcome(sources: list[SourceFile], form: str) -> str:
    try:
        vocabulary = read(sources, form).vocabulary
    except InputError as error:
        return str(error)
    assert Vocabulary.from_json(vocabulary.to_json()) == vocabulary
    return ""


@pytest.mark.parametrize("name", FILES)
@given(st.data())
def test_an_import_succeeds_or_says_what_is_wrong(name: str, data: st.DataObject) -> None:
    raws = [*raws_of(name)]
    which = data.draw(st.integers(0, len(raws) - 1))
    raw = raws[which]
    begin = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.one_of(st.just(len(raw)), st.integers(begin, min(len(raw), begin + 4))))
    raws[which] = raw[:begin] + data.draw(JUNK) + raw[end:]
    sources = [SourceFile(f"file{i}", raw) for i, raw in enumerate(raws)]
    message = outcome(sources, name.strip())
    assert not message or "file" in message


@pytest.mark.parametrize(
    ("name", "origin"), [*zip(FORMATS, [*FORMATS[1:], "hf "], strict=True), ("gpt2", "subword-nmt")]
)
def test_anorigin_is_never_taken_for_this_one(name: str, origin: str) -> None:
    sources = [SourceFile("file", raw) for raw in raws_of(origin)]
    sources = (sources * 2)[: build_format(REGISTRY, name).file_count]
    message = outcome(sources, name)
    if (origin, name) == ("subword-nmt", "gpt2"):
        # GPT-2's merges begin with the same version line.
        assert message.startswith("file:1: not JSON: ")
        return
    assert message.startswith("file: this looks like ")
    assert f"--from {origin.strip()}" in message
