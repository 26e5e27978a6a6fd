import unicodedata
from collections import Counter

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from tokbench.corpora.counting import WordCounter
from tokbench.corpora.splitters import IGNORED, WORDS, WhitespaceSplitter, WordSplitter

SPLITTER, WHITESPACE = WordSplitter(), WhitespaceSplitter()
HARD = (
    "aZ9_é한\u0301\u0650ن\u093f\u0939\u200c\u200d👩❤☀©\ufe0f🔥🏽🇩🇪\u20e31#\U000e0067.,—«\x00\x1c\ue000\ufeff"
    "\xad\u200f\u2060\u0600\u200b \t\n\r\f\v\x85\xa0\u2003\u2028"
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
        # UAX #29, WB4: what has no form of its own stays with what stands before it.
        ("≠=\u0338 ◌\u0301!", ["≠=\u0338", "◌\u0301!"]),
        ("\u0301a \u2060! a\u2060b", ["\u0301a", "\u2060!", "a\u2060b"]),
        ("!\u0600123", ["!", "\u0600123"]),
        ("ភ្នំ\u200bពេញ", ["ភ្នំ", "ពេញ"]),
        # The soft hyphen and the bidi marks make no other word.
        ("Zu\xadcker \xad \u200fשלום\u200f, a\u200e!", ["Zucker", "שלום", ",", "a", "!"]),
        # UTS #51: the sequences of emoji, side by side.
        ("👩\u200d🚀!", ["👩\u200d🚀", "!"]),
        ("❤\ufe0f☀\ufe0f wow!😀😀", ["❤\ufe0f", "☀\ufe0f", "wow", "!", "😀", "😀"]),
        ("👍🏽👍🏿🇩🇪🇫🇷🇩", ["👍🏽", "👍🏿", "🇩🇪", "🇫🇷", "🇩"]),
        ("a11\ufe0f\u20e3#\ufe0f\u20e3", ["a1", "1\ufe0f\u20e3", "#\ufe0f\u20e3"]),
        ("❤\u200d🔥⛹\u200d♂", ["❤\u200d🔥", "⛹\u200d♂"]),
        ("🏴\U000e0067\U000e0062\U000e007f.", ["🏴\U000e0067\U000e0062\U000e007f", "."]),
        ("♥♥ ©2020 ☀", ["♥♥", "©", "2020", "☀"]),
        ("a\xa0b\u2028c", ["a", "b", "c"]),
        ("한국어, 만세", ["한국어", ",", "만세"]),
        ("", []),
    ],
)
def test_words_of_many_scripts(text, words):
    assert SPLITTER.words(text) == words
    assert [visible(piece) for piece in pieces(SPLITTER, text)] == words


@given(st.text(alphabet=HARD))
def test_whitespace_splits_where_bytes_split_does(text):
    assert [piece.encode() for piece in pieces(WHITESPACE, text)] == text.encode().split()


@given(st.text(alphabet=HARD))
@example("\u0301" * 3 + "!a")
def test_one_pattern_finds_all_words(text):
    """What has no emoji and no ignored characters takes a plainer pattern, and a compiled one."""
    matches = [visible(match) for match in regex.findall(WORDS, text)]
    words = [word for word in matches if word]
    assert SPLITTER.words(text) == words
    assert [visible(piece) for piece in pieces(SPLITTER, text)] == words
    counter = WordCounter(SPLITTER)
    counter.add(text.encode())
    assert dict(counter.words()) == dict(Counter(words))
    assert [*counter.words()] == [*Counter(words)]


@given(st.text(alphabet=[char for char in HARD if char not in "\x00\r"]))
def test_the_library_of_hugging_face_knows_the_pattern(text):
    """Exported tokenizers split there, with the soft hyphens and bidi marks left in."""
    tokenizers = pytest.importorskip("tokenizers")
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(WORDS), "removed", invert=True)
    words = [visible(piece) for piece, _ in split.pre_tokenize_str(text)]
    assert [word for word in words if word] == SPLITTER.words(text)


@given(st.text(alphabet=[char for char in HARD if not regex.match(r"\p{Emoji}", char)]))
def test_words_are_the_longest_runs_of_either_kind(text):
    assert SPLITTER.words(text) == [visible(run) for run in scanned(text) if visible(run)]


def scanned(text: str) -> list[str]:
    """Find the words character by character: what has no form of its own stays in its run."""
    runs: list[str] = []
    before = "space"
    for char in text:
        kind = kind_of(char)
        if kind == "joined" and before != "space":
            kind = before
        if kind != "space":
            if kind == before or before == "joined":
                runs[-1] += char
            else:
                runs.append(char)
        before = kind
    return runs


def kind_of(char: str) -> str:
    category = unicodedata.category(char)
    if char == "\u0600" or char == "_" or category[0] in "LN":
        return "letter"
    if category[0] == "M" or (category == "Cf" and char != "\u200b"):
        return "joined"
    # str.isspace also takes the information separators, which Unicode's White_Space does not.
    is_space = char == "\u200b" or (char.isspace() and char not in "\x1c\x1d\x1e\x1f")
    return "space" if is_space else "symbol"


def visible(word: str) -> str:
    return word.translate(dict.fromkeys(map(ord, IGNORED)))
