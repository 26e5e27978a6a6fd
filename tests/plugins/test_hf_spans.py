"""Byte offsets of the tokens of lines: by hand, and what must hold for any text."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_hf.ready import Hf
from tokbench_hf.segmenters import HfLines
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from tokbench.api import Vocabulary
from tokbench.api.arrays import LineTokens

LINES = HfLines()


def byte_level(**options: Any) -> Tokenizer:
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("a", "b"), ("Ġ", "ab"), ("ì", "ķ"), ("Ġ", "Ġ")]
    vocab = {token: i for i, token in enumerate([*letters, *map("".join, merges)])}
    tokenizer = Tokenizer(models.BPE(vocab, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(**{"add_prefix_space": False, **options})
    return tokenizer


def composed() -> Tokenizer:
    """Bytes of composed text, with added tokens, as Qwen's."""
    tokenizer = byte_level()
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.add_tokens(["<tag>", "안녕"])
    tokenizer.add_special_tokens(["<|endoftext|>"])
    return tokenizer


def few_bytes() -> Tokenizer:
    vocab = {"a": 0, "b": 1, "ab": 2, "Ġ": 3, "Ġa": 4, "ì": 5}
    tokenizer = Tokenizer(models.BPE(vocab, [("a", "b"), ("Ġ", "a")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return tokenizer


def dropping() -> Tokenizer:
    vocab = {"a": 0, "b": 1, "ab": 2, "é": 3, " ": 4}
    return Tokenizer(models.BPE(vocab, [("a", "b")]))


def falling_back() -> models.BPE:
    vocab = {"<unk>": 0, "<s>": 1, **{f"<0x{byte:02X}>": byte + 2 for byte in range(256)}}
    for token in ("▁", "l", "o", "w", "lo", "low", "▁low"):
        vocab[token] = len(vocab)
    merges = [("l", "o"), ("lo", "w"), ("▁", "low")]
    return models.BPE(vocab, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True)


def llama() -> Tokenizer:
    tokenizer = Tokenizer(falling_back())
    signs = [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    tokenizer.normalizer = normalizers.Sequence(signs)
    tokenizer.add_special_tokens(["<unk>", "<s>"])
    return tokenizer


def metaspace() -> Tokenizer:
    tokenizer = Tokenizer(falling_back())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    return tokenizer


def compatible() -> Tokenizer:
    """Pieces of compatibility-composed text with one space between words, as XLM-R's."""
    pieces = [("<unk>", 0.0), ("▁", -2.0), ("▁a", -1.0), ("ab", -1.5), ("<s>", 0.0), ("안", -2.0)]
    tokenizer = Tokenizer(models.Unigram(pieces, 0))
    one_space = normalizers.Replace(Regex(" {2,}"), " ")
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), one_space])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.add_special_tokens(["<s>"])
    return tokenizer


def phrased() -> Tokenizer:
    """Pieces of compatibility-composed text with marks before words, as T5's and ALBERT's."""
    pieces = [("<unk>", 0.0), ("▁", -2.0), ("ص", -1.0), ("ل", -1.0), ("ى", -1.0), ("▁a", -1.0)]
    tokenizer = Tokenizer(models.Unigram(pieces, 0))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return tokenizer


def decomposed() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1, "##b": 2, "ᄋ": 3, "##ᅡ": 4}))
    parts = [normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase()]
    tokenizer.normalizer = normalizers.Sequence(parts)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def pieces_of_bytes() -> Tokenizer:
    pieces = [("<unk>", 0.0), ("a", -1.0), *((f"<0x{byte:02X}>", -5.0) for byte in range(256))]
    tokenizer = Tokenizer(models.Unigram(pieces, 0, byte_fallback=True))
    tokenizer.normalizer = normalizers.NFD()
    return tokenizer


MAKERS: dict[str, Callable[[], Tokenizer]] = {
    "byte_level": byte_level, "composed": composed, "few_bytes": few_bytes, "dropping": dropping,
    "llama": llama, "metaspace": metaspace, "compatible": compatible, "phrased": phrased,
    "decomposed": decomposed, "pieces_of_bytes": pieces_of_bytes,
}  # fmt: skip


def ready(tokenizer: Tokenizer) -> tuple[Vocabulary, Any]:
    with TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        tokenizer.save(str(path))
        vocabulary = Hf.configure(kind="tokenizer-json", path=path).load()
    return vocabulary, LINES.prepare(vocabulary)


@cache
def ready_by_name(name: str) -> tuple[Tokenizer, Vocabulary, Any]:
    tokenizer = MAKERS[name]()
    vocabulary, prepared = ready(tokenizer)
    tokenizer.encode_special_tokens = True
    return tokenizer, vocabulary, prepared


def spans(name: str, line: str) -> list[tuple[str, int, int]]:
    """Return the tokens of a line as they are shown, with their bytes."""
    _, vocabulary, prepared = ready_by_name(name)
    tokens = LINES.segment_lines([line], prepared)
    shown = [vocabulary.show(vocabulary.tokens[i]) for i in tokens.ids]
    return list(zip(shown, tokens.starts.tolist(), tokens.ends.tolist(), strict=True))


def test_bytes_of_a_character_are_divided_among_its_tokens() -> None:
    _, vocabulary, prepared = ready_by_name("byte_level")
    tokens = LINES.segment_lines([" ab안b"], prepared)
    assert [vocabulary.raw(i) for i in tokens.ids] == [b" ab", b"\xec\x95", b"\x88", b"b"]
    assert tokens.starts.tolist() == [0, 3, 5, 6]
    assert tokens.ends.tolist() == [3, 5, 6, 7]


@pytest.mark.parametrize("line", ["ab 안b", "안", "  ab", " ", "", "\x00é"])
def test_a_prefix_space_has_no_bytes(line: str) -> None:
    vocabulary, prepared = ready(byte_level(add_prefix_space=True))
    tokens = LINES.segment_lines([line], prepared)
    text = b"".join(vocabulary.raw(i) for i in tokens.ids)
    assert text == (b"" if line[:1] in ("", " ") else b" ") + line.encode()
    assert tokens.starts.tolist() == [0, *tokens.ends.tolist()][: len(tokens.ids)]
    assert tokens.ends.tolist()[-1:] == [len(line.encode())][: len(tokens.ids)]


BYTES_OF_AN = [("<0xEC>", 3, 4), ("<0x95>", 4, 5), ("<0x88>", 5, 6)]
SPANS: list[tuple[str, str, list[tuple[str, int, int]]]] = [
    # A byte token has one byte.
    ("metaspace", "low안 é", [("▁low", 0, 3), *BYTES_OF_AN, ("▁", 6, 7), ("<0xC3>", 7, 8),
                             ("<0xA9>", 8, 9)]),
    # A mark before the text has no bytes.
    ("llama", "low", [("▁low", 0, 3)]),
    ("llama", " low", [("▁", 0, 0), ("▁low", 0, 4)]),
    ("llama", "ow", [("▁", 0, 0), ("o", 0, 1), ("w", 1, 2)]),
    ("llama", "low  low", [("▁low", 0, 3), ("▁", 3, 4), ("▁low", 4, 8)]),
    ("compatible", "ab안", [("▁", 0, 0), ("ab", 0, 2), ("안", 2, 5)]),
    ("compatible", "", []),
    # Dropped characters are under no token, but where the library merges across them.
    ("dropping", "안é x abx", [("é", 3, 5), (" ", 5, 6), (" ", 7, 8), ("ab", 8, 10)]),
    ("dropping", "axb", [("ab", 0, 3)]),
    ("few_bytes", "xab안 a", [("ab", 1, 3), ("<0xEC>", 3, 4), ("Ġa", 6, 8)]),
    # Offsets are those of the text before it was normalised; accents that are stripped are dropped.
    ("decomposed", "ÁB 아", [("a", 0, 2), ("##b", 2, 3), ("ᄋ", 4, 7), ("##ᅡ", 4, 7)]),
    ("decomposed", "a\u0301b", [("a", 0, 1), ("##b", 3, 4)]),
]  # fmt: skip
BYTES: list[tuple[str, str, list[tuple[int, int]]]] = [
    # Decomposed, the syllable is three letters of three bytes each; `à` is a letter and its accent.
    ("pieces_of_bytes", "안a", [(0, 3)] * 9 + [(3, 4)]),
    ("pieces_of_bytes", "à", [(0, 2)] * 3),
    # Composed, `e` and its accent are one character of two bytes, the Korean letters a syllable.
    ("composed", "e\u0301b", [(0, 3), (0, 3), (3, 4)]),
    ("composed", "\u1100\u1161\u11a8b", [(0, 9)] * 3 + [(9, 10)]),
    # No character has both accents: one stays for itself.
    ("composed", "e\u0323\u0301", [(0, 3)] * 3 + [(3, 5)] * 2),
]


@pytest.mark.parametrize(("name", "line", "expected"), SPANS)
def test_tokens_and_their_bytes(name: str, line: str, expected: list[tuple[str, int, int]]) -> None:
    assert spans(name, line) == expected


@pytest.mark.parametrize(("name", "line", "expected"), BYTES)
def test_bytes_of_tokens_that_share_a_character(
    name: str, line: str, expected: list[tuple[int, int]]
) -> None:
    assert [span[1:] for span in spans(name, line)] == expected


def test_bytes_that_the_next_token_shares_are_not_divided() -> None:
    pieces = [(f"<0x{byte:02X}>", -5.0) for byte in range(256)]
    model = models.Unigram([*pieces, ("\u093c", -1.0)], 0, byte_fallback=True)
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.NFD()
    _, prepared = ready(tokenizer)
    # Decomposed, it is three bytes of a letter and the sign \u093c.
    tokens = LINES.segment_lines(["\u0958"], prepared)
    assert tokens.ids.tolist() == [0xE0, 0xA4, 0x95, 256]
    assert (tokens.starts.tolist(), tokens.ends.tolist()) == ([0] * 4, [3] * 4)


def test_a_mark_inside_a_character_covers_it_as_the_tokens_around_it_do() -> None:
    # Decomposed, it is four words: the marks of the later three lie inside it.
    before, *inside, after = spans("phrased", "aﷺ a")
    assert before == ("▁a", 0, 1)
    assert after == ("▁a", 4, 6)
    assert [token for token, *_ in inside].count("▁") == 3
    assert {span[1:] for span in inside} == {(1, 4)}
    mark, *rest = spans("phrased", "ﷺ")
    assert (mark, {span[1:] for span in rest}) == (("▁", 0, 0), {(0, 3)})


def test_a_space_that_is_written_after_an_added_token_is_not_taken_from_it() -> None:
    tokenizer = byte_level(add_prefix_space=True)
    tokenizer.add_tokens(["<tag>"])
    vocabulary, prepared = ready(tokenizer)
    tokens = LINES.segment_lines(["<tag>ab"], prepared)
    assert [vocabulary.raw(i) for i in tokens.ids] == [b"<tag>", b" ab"]
    assert (tokens.starts.tolist(), tokens.ends.tolist()) == ([0, 5], [5, 7])


def test_a_word_shows_dropped_bytes() -> None:
    _, _, prepared = ready_by_name("dropping")
    assert LINES.segment("xabx", prepared) == [(None, 1), (2, 2), (None, 1)]


SPELLED = (
    *("ab", "low", " ", "  ", "안", "안녕", "é", "e\u0301\u0323", "ﬁ", "½", "ﷺ", "\u0958", "İ"),
    *("\u00a0", "\u2028", "\x00", "\ufeff", "\ufffd", "\uffff", "▁", "##", "</w>", "<s>", "<unk>"),
    *("[UNK]", "<|endoftext|>", "<tag>", "<0x41>", "\u202e", "\u1100\u1161\u11a8", "שָׁ", "हि", "中"),
    *("\U0001f469\u200d\U0001f467", "\ud800", "e\u0323\u0301", "a\u0308"),
)


MARKS = "\ufdd0\ufdd1\ufdd2"
LETTERS = st.characters(exclude_characters=MARKS, categories=("L", "M", "N", "P", "Z", "C"))
TEXT = st.lists(st.sampled_from(SPELLED) | LETTERS, max_size=8).map("".join)


def rows(tokens: LineTokens) -> Iterator[tuple[list[int], list[int], list[int]]]:
    for begin, end in zip(tokens.row[:-1], tokens.row[1:], strict=True):
        parts = (tokens.ids[begin:end], tokens.starts[begin:end], tokens.ends[begin:end])
        ids, starts, ends = (part.tolist() for part in parts)
        yield ids, starts, ends


@pytest.mark.parametrize("name", MAKERS)
@given(lines=st.lists(TEXT, max_size=4))
def test_any_text(name: str, lines: list[str]) -> None:
    tokenizer, vocabulary, prepared = ready_by_name(name)
    cuts = list(rows(LINES.segment_lines(lines, prepared)))
    assert len(cuts) == len(lines)
    for line, (ids, starts, ends) in zip(lines, cuts, strict=True):
        clean = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in line)
        size = len(line.encode("utf-8", "surrogatepass"))
        own = tokenizer.encode(clean, add_special_tokens=False).ids
        special = set(vocabulary.special)
        assert ids == [vocabulary.unknown if i in special else i for i in own]
        assert (np.diff(starts) >= 0).all()
        assert (np.diff(ends) >= 0).all()
        assert all(0 <= s <= e <= size for s, e in zip(starts, ends, strict=True))
        assert list(rows(LINES.segment_lines([line], prepared))) == [(ids, starts, ends)]
        assert sum(n for _, n in LINES.segment(line, prepared)) == size if line else not ids


@given(line=TEXT)
def test_tokens_of_bytes_are_the_bytes_that_they_cover(line: str) -> None:
    _, vocabulary, prepared = ready_by_name("byte_level")
    clean = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in line).encode()
    [(ids, starts, ends)] = rows(LINES.segment_lines([line], prepared))
    assert [vocabulary.raw(i) for i in ids] == [
        clean[s:e] for s, e in zip(starts, ends, strict=True)
    ]
    assert [0, *ends] == [*starts, len(clean)]
