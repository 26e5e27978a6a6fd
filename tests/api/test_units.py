"""Texts as bytes, one character a byte, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokbench.api.text import (
    BYTE_LETTERS,
    byte_length,
    decoded,
    encodable,
    from_bytes_text,
    to_bytes_text,
)

TEXT = st.text(st.characters() | st.sampled_from("\ud800\udbff\udc00\udfff안\ufffd"))


@given(TEXT)
def test_every_text_comes_back(text: str) -> None:
    spelled = to_bytes_text(text)
    assert spelled.encode("latin-1") == text.encode("utf-8", "surrogatepass")
    # A pair of lone surrogates is two characters, as in the text.
    assert from_bytes_text(spelled) == text


@given(st.binary())
def test_bytes_without_surrogates_are_read_as_python_reads_them(raw: bytes) -> None:
    if b"\xed" not in raw:
        assert decoded(raw) == raw.decode("utf-8", "replace")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"\xed\xa0\x80\xed\xb0\x80", "\ud800\udc00"),
        (b"\xec\x95", "\ufffd"),
        (b"\x95\x88", "\ufffd\ufffd"),
        (b"a\xffb", "a\ufffdb"),
        # A broken character and a whole surrogate: the surrogate is read all the same.
        (b"\xec\xed\xa0\x80\xff", "\ufffd\ud800\ufffd"),
        # Half a surrogate is no character.
        (b"\xed\xa0", "\ufffd\ufffd"),
        (b"", ""),
    ],
)
def test_what_is_no_character_is_replaced(raw: bytes, text: str) -> None:
    assert decoded(raw) == text


@pytest.mark.parametrize("text", ["안", "\u0100"])
def test_only_characters_up_to_ff_are_bytes(text: str) -> None:
    with pytest.raises(UnicodeEncodeError):
        from_bytes_text(text)


@given(TEXT)
def test_lengths_in_bytes_count_three_for_a_lone_surrogate(text: str) -> None:
    assert byte_length(text) == len(text.encode("utf-8", "surrogatepass"))


def test_what_utf8_cannot_write_is_replaced_by_as_many_bytes() -> None:
    # Two surrogates that would spell a character together stay two.
    assert encodable("a\ud800\udc00é") == "a\ufffd\ufffdé"
    assert byte_length("\ud800") == byte_length("\ufffd")
    assert encodable("\U00010000") == "\U00010000"


def test_letters_of_bytes() -> None:
    assert sorted(BYTE_LETTERS) == [*range(256)]
    assert len(set(BYTE_LETTERS.values())) == 256
    assert (BYTE_LETTERS[ord("a")], BYTE_LETTERS[ord(" ")], BYTE_LETTERS[0xAD]) == ("a", "Ġ", "Ń")
    assert next(iter(BYTE_LETTERS)) == ord("!")
