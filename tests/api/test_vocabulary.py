"""Vocabularies: building, importing, cutting, JSON."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokbench.api import Learned, Marks, Size, SizeError, Vocabulary
from tokbench.api.text import BOW, EOW
from tokbench.errors import InputError
from tokbench.printing import printable

LOW = Vocabulary.build(
    ["l", "o", "w"], [Learned(("l", "o"), 7), Learned(("lo", "w"), 5)], segmenter={"use": "bpe"}
)


def test_building_numbers_the_alphabet_and_then_each_new_product() -> None:
    items = [Learned(("a", "b")), Learned(("ab", "a")), Learned(("a", "ba"))]
    vocabulary = Vocabulary.build(["a", "b"], items)
    assert vocabulary.tokens == ("a", "b", "ab", "aba")
    assert (vocabulary.ids["aba"], vocabulary.size, len(vocabulary.learned)) == (3, 4, 3)


@pytest.mark.parametrize(
    ("size", "tokens", "learned"),
    [
        (Size(total=3), ("l", "o", "w"), 0),
        (Size(total=4), ("l", "o", "w", "lo"), 1),
        (Size(total=99), LOW.tokens, 2),
        (Size(learned=0), ("l", "o", "w"), 0),
        (Size(learned=1), ("l", "o", "w", "lo"), 1),
        (Size(learned=99), LOW.tokens, 2),
    ],
)
def test_cut_is_the_shortest_prefix_that_reaches_the_size(
    size: Size, tokens: tuple[str, ...], learned: int
) -> None:
    cut = LOW.cut(size)
    assert cut.tokens == tokens
    assert cut.learned == LOW.learned[:learned]
    assert cut.segmenter == LOW.segmenter


def test_cut_below_the_alphabet_says_what_the_minimum_is() -> None:
    with pytest.raises(SizeError, match="size 2 is below the alphabet of 3") as caught:
        LOW.cut(Size(total=2))
    assert caught.value.minimum == 3


def test_cut_renumbers_special_unknown_and_byte_tokens() -> None:
    vocabulary = Vocabulary(
        tokens=("a", "b", "ab", "<0x41>", "<unk>", "<s>"),
        alphabet=("a", "b"),
        learned=(Learned(("a", "b")),),
        special=(5,),
        unknown=4,
        bytes={3: 0x41},
    )
    cut = vocabulary.cut(Size(learned=0))
    assert cut.tokens == ("a", "b", "<0x41>", "<unk>", "<s>")
    assert (cut.special, cut.unknown, cut.bytes) == ((4,), 3, {2: 0x41})
    assert (vocabulary.size, cut.size) == (4, 3)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"tokens": ("a", "b", "a")}, "'a' stands twice"),
        ({"tokens": ("a",), "special": (3,)}, "id 3 is outside the vocabulary of 1 tokens"),
    ],
)
def test_wrong_tokens_and_ids_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Vocabulary(**fields)


@pytest.mark.parametrize("arguments", [{}, {"total": 1, "learned": 1}, {"total": -1}])
def test_a_size_is_one_number(arguments: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="either total=n or learned=n"):
        Size(**arguments)


@given(st.lists(st.text(st.characters(), min_size=1), unique=True, max_size=20), st.data())
def test_json_gives_the_vocabulary_back_whatever_its_tokens(
    tokens: list[str], data: st.DataObject
) -> None:
    special = data.draw(st.sets(st.integers(0, len(tokens) - 1))) if tokens else set()
    vocabulary = Vocabulary(
        tokens=(*tokens, "\ud800") if "\ud800" not in tokens else tuple(tokens),
        alphabet=tuple(tokens[:3]),
        learned=tuple(Learned((token, token), 3) for token in tokens[:2]),
        marks=Marks.model_validate({"eow": {"kind": "fused", "text": "_"}}),
        special=tuple(special),
        segmenter={"use": "bpe"},
        extra={"scores": [0.5]},
    )
    text = vocabulary.to_json()
    assert printable(text) == text
    assert text.encode("utf-8")
    assert Vocabulary.from_json(text) == vocabulary


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "v.json: not JSON: "),
        ("[1]", "v.json: not a vocabulary of format 1: found <class 'list'>"),
        ('{"format": 9}', "v.json: not a vocabulary of format 1: found 9"),
        ('{"format": 1}', "v.json: damaged vocabulary: no 'tokens'"),
    ],
)
def test_what_is_no_vocabulary_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Vocabulary.from_json(text, "v.json")
    assert str(caught.value).startswith(message)


@given(
    st.lists(st.text("abc", min_size=1, max_size=2), unique=True, max_size=4),
    st.lists(st.tuples(*[st.text("abc", min_size=1, max_size=2)] * 2), max_size=8),
    st.lists(st.text("xyz", min_size=1, max_size=2), unique=True, max_size=2),
    st.sets(st.integers(0, 14), max_size=3),
)
def test_births_tell_which_cuts_hold_a_token(
    alphabet: list[str], parts: list[tuple[str, str]], others: list[str], special: set[int]
) -> None:
    """Special tokens are in every cut, even if they are learned; products may be no tokens."""
    learned = tuple(map(Learned, parts))
    tokens = tuple(dict.fromkeys([*others, *alphabet, *map("".join, parts[1:])]))
    inside = sorted(i for i in special if i < len(tokens))
    unknown = inside.pop() if inside else None
    vocabulary = Vocabulary(
        tokens, tuple(alphabet), learned, special=tuple(inside), unknown=unknown
    )
    never = {tokens[i] for i in vocabulary.unproduced}
    for number in range(len(learned) + 1):
        cut = vocabulary.cut(Size(learned=number))
        assert {cut.tokens[i] for i in cut.unproduced} == never
        assert cut.cut(Size(total=cut.size)).size == cut.size
        born = [birth <= number for birth in vocabulary.births]
        assert born == [token in cut.ids for token in vocabulary.tokens]


def of_bytes(*tokens: str, **fields: Any) -> Vocabulary:
    return Vocabulary(tokens, units="bytes", **fields)


def test_json_gives_units_and_declared_size_back() -> None:
    vocabulary = of_bytes("<|end|>", "\xec\x95\x88", " a", special=(0,), declared=50257)
    document = json.loads(vocabulary.to_json())
    assert (document["units"], document["declared"]) == ("bytes", 50257)
    assert Vocabulary.from_json(json.dumps(document)) == vocabulary


def test_json_without_units_is_of_characters() -> None:
    document = json.loads(Vocabulary(("a", "é")).to_json())
    assert (document.pop("units"), document.pop("declared")) == ("characters", None)
    assert Vocabulary.from_json(json.dumps(document)) == Vocabulary(("a", "é"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"unknown": 77}, "damaged vocabulary: id 77 is outside the vocabulary of 1 tokens"),
        ({"special": [-1]}, "damaged vocabulary: id -1 is outside the vocabulary of 1 tokens"),
        ({"bytes": {"0": 300}}, "300 is no byte"),
        ({"tokens": "abc"}, "damaged vocabulary: expected a list, found 'abc'"),
        ({"tokens": [1, 2]}, "the vocabulary's tokens: found int, expected str"),
        ({"units": "words"}, "units: found 'words', expected characters or bytes"),
        ({"declared": "50257"}, "declared size: found str, expected NoneType or int"),
    ],
)
def test_damaged_fields_are_reported(change: dict[str, Any], message: str) -> None:
    document = {**json.loads(Vocabulary(("a",)).to_json()), **change}
    with pytest.raises(InputError, match=re.escape(message)):
        Vocabulary.from_json(json.dumps(document))


def test_a_vocabulary_of_bytes_has_no_marks() -> None:
    with pytest.raises(ValueError, match="a vocabulary of bytes has no marks"):
        of_bytes("a", marks=Marks.model_validate({"eow": {"kind": "fused"}}))
    with pytest.raises(ValueError, match="token 'Ā' is no sequence of bytes"):
        of_bytes("a", "Ā")
    # What is never produced stands for no bytes, whatever it is called.
    assert of_bytes("Ā", "안", special=(0,), unknown=1).size == 0


def test_the_bytes_that_a_token_stands_for() -> None:
    vocabulary = of_bytes("\xec\x95", " a", "안", special=(2,))
    assert [vocabulary.raw(i) for i in range(3)] == [b"\xec\x95", b" a", "안".encode()]
    plain = Vocabulary(("안", f"{BOW}a{EOW}", "<0xEC>", "\ud800"), bytes={2: 0xEC})
    assert [plain.raw(i) for i in range(4)] == ["안".encode(), b"a", b"\xec", b"\xed\xa0\x80"]
    assert plain.raws == tuple(plain.raw(i) for i in range(4))


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        (" the", "Ġthe"),
        ("\xec\x95\x88", "안"),
        ("안", "안"),  # a special token, which is no bytes
        ("\xec\x95", "<0xEC><0x95>"),
        ("\x88 a\xec", "<0x88>Ġa<0xEC>"),
        ("\xef\xbf\xbd", "\ufffd"),  # the character itself is a whole one
        ("\xf0\x9f\x98\x80\xf0", "\U0001f600<0xF0>"),
        ("\xc0\x80", "<0xC0><0x80>"),  # an overlong NUL
        ("\xed\xa0\x80", "<0xED><0xA0><0x80>"),  # a lone surrogate is no character
        ("\xed\xb3\xac", "<0xED><0xB3><0xAC>"),  # U+DCEC, by which Python tells of 0xEC
        ("\0\x7f", "\0\x7f"),
        ("", ""),
    ],
)
def test_bytes_are_spelled_for_people_as_gpt_2_does(token: str, shown: str) -> None:
    assert of_bytes("a").show(token) == shown


@given(st.sets(st.text(st.characters(max_codepoint=0xFF), min_size=1), max_size=9))
def test_tokens_of_bytes_without_lookalikes_are_spelled_differently(tokens: set[str]) -> None:
    """Only text that itself holds `Ġ` or `<0x` may look like something else."""
    plain = {token for token in tokens if "\xc4\xa0" not in token and "<" not in token}
    vocabulary = of_bytes(*plain)
    assert len({vocabulary.show(token) for token in plain}) == len(plain)


def test_a_cut_keeps_units_and_declared_size() -> None:
    items = [Learned(("a", "b")), Learned(("ab", "\xff"))]
    vocabulary = Vocabulary.build(("a", "b", "\xff"), items, units="bytes", declared=9)
    cut = vocabulary.cut(Size(learned=1))
    assert cut.tokens == ("a", "b", "\xff", "ab")
    assert (cut.units, cut.declared) == ("bytes", 9)
