import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokbench.corpora.splitters import WhitespaceSplitter, WordSplitter

WORDS, WHITESPACE = WordSplitter(), WhitespaceSplitter()
JOINERS = "\u200c\u200d"
HARD = (
    "aZ9_é한\u0301\u0650ن\u093f\u0939\u200c\u200d👩❤\ufe0f🔥.,—«\x00\x1c\ue000\ufeff"
    " \t\n\r\f\v\x85\xa0\u2003\u2028"
)


def pieces(splitter, text):
    return [text[start:end] for start, end in splitter.split(text)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't stop, O.K.?", ["Don", "'", "t", "stop", ",", "O", ".", "K", ".?"]),
        ("snake_case 3rd", ["snake_case", "3rd"]),
        # Python's \w cuts at the vowel signs: हिन्दी would be five pieces.
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("e\u0301te\u0301", ["e\u0301te\u0301"]),
        ("مُحَمَّد", ["مُحَمَّد"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),
        ("👩\u200d🚀!", ["👩\u200d🚀!"]),
        ("a\xa0b\u2028c", ["a", "b", "c"]),
        ("한국어, 만세", ["한국어", ",", "만세"]),
        ("", []),
    ],
)
def test_words_of_many_scripts(text, words):
    assert pieces(WORDS, text) == words


@given(st.text(alphabet=HARD))
def test_whitespace_splits_where_bytes_split_does(text):
    assert [piece.encode() for piece in pieces(WHITESPACE, text)] == text.encode().split()


@given(st.text(alphabet=HARD))
def test_words_are_the_longest_runs_of_either_kind(text):
    assert pieces(WORDS, text) == scanned(text)


def scanned(text: str) -> list[str]:
    """Find the words character by character: a joiner stays in whatever run it stands in."""
    runs: list[str] = []
    before = "space"
    for char in text:
        kind = "joiner" if char in JOINERS else kind_of(char)
        if kind == "joiner":
            kind = "word" if before == "space" else before
        if kind != "space":
            if kind == before:
                runs[-1] += char
            else:
                runs.append(char)
        before = kind
    return runs


def kind_of(char: str) -> str:
    if char == "_" or unicodedata.category(char)[0] in "LMN":
        return "word"
    # str.isspace also takes the information separators, which Unicode's White_Space does not.
    return "space" if char.isspace() and char not in "\x1c\x1d\x1e\x1f" else "other"
