"""Ready-made tokenizers: the ids of the real library and of published cases, and damaged files."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from tokbench_formats.hf_spelling import Style
from tokbench_hf.ready import ROBERTA_SPECIAL, Hf
from tokbench_hf.segmenters import HfLines
from tokenizers import Tokenizer, models, pre_tokenizers
from tokenizers.implementations import BertWordPieceTokenizer, ByteLevelBPETokenizer

from tokbench.api import InputError, Vocabulary
from tokbench.api.text import BYTE_LETTERS

pytestmark = pytest.mark.ci  # loads a library of some hundred MB, or its large files

LINES = HfLines()


def load(**options: Any) -> Vocabulary:
    return Hf.configure(**options).load()


PREPARED: dict[str, Any] = {}


def ids(vocabulary: Vocabulary, lines: list[str]) -> list[list[int]]:
    text = vocabulary.extra["tokenizer.json"]
    if text not in PREPARED:
        PREPARED[text] = LINES.prepare(vocabulary)
    tokens = LINES.segment_lines(lines, PREPARED[text])
    return [
        tokens.ids[begin:end].tolist()
        for begin, end in zip(tokens.row[:-1], tokens.row[1:], strict=True)
    ]


@pytest.fixture(scope="module")
def gpt2(shared: Path) -> Vocabulary:
    folder = shared / "tokenizers/gpt2"
    return load(kind="gpt2", vocab=folder / "encoder.json", merges=folder / "vocab.bpe")


@pytest.fixture(scope="module")
def bert(shared: Path) -> Vocabulary:
    return load(kind="bert-vocab", vocab=shared / "tokenizers/bert-base-uncased/vocab.txt")


@pytest.fixture(scope="module")
def theirs(shared: Path) -> dict[str, Tokenizer]:
    """The library's own classes for these files, put together without us."""
    folder = shared / "tokenizers"
    bert = BertWordPieceTokenizer.from_file(str(folder / "bert-base-uncased/vocab.txt"))
    files = [str(folder / "gpt2" / name) for name in ("encoder.json", "vocab.bpe")]
    gpt2 = ByteLevelBPETokenizer.from_file(*files)
    return {"bert": bert._tokenizer, "gpt2": gpt2._tokenizer}


def test_gpt2_counts_50256_tokens_of_its_50257(gpt2: Vocabulary) -> None:
    assert (gpt2.size, gpt2.declared, len(gpt2.learned)) == (50256, 50257, 50000)
    assert (gpt2.special, gpt2.unknown, gpt2.units) == ((50256,), None, "bytes")
    assert gpt2.tokens[995] == " world"
    assert [item.parts for item in gpt2.learned[:3]] == [(" ", "t"), (" ", "a"), ("h", "e")]


def test_bert_counts_neither_unk_nor_special_tokens(bert: Vocabulary) -> None:
    assert (bert.size, bert.declared) == (30522 - 5, 30522)
    # As published: [PAD] 0, [UNK] 100, [CLS] 101, [SEP] 102, [MASK] 103.
    assert (bert.special, bert.unknown) == ((0, 101, 102, 103), 100)
    assert ids(bert, ["\U00013000"]) == [[100]]


@pytest.mark.parametrize(
    "case", ["seed002-gpt2", "seed-words-internationalization", "seed-words-안녕하세요"]
)
def test_published_ids_and_tokens(
    case: str, golden: dict[str, Any], gpt2: Vocabulary, bert: Vocabulary
) -> None:
    text, expected = golden[case]["input"]["text"], golden[case]["expected"]
    [gpt2_ids] = ids(gpt2, [text])
    assert gpt2_ids == expected["gpt2_ids"]
    if "gpt2_tokens" in expected:
        spelled = ["".join(BYTE_LETTERS[byte] for byte in gpt2.raw(i)) for i in gpt2_ids]
        assert spelled == expected["gpt2_tokens"]
        [bert_ids] = ids(bert, [text])
        assert [bert.show(bert.tokens[i]) for i in bert_ids] == expected["bert_tokens"]


@pytest.mark.parametrize("name", ["gpt2", "bert"])
def test_ids_equal_the_library(
    name: str,
    theirs: dict[str, Tokenizer],
    hostile: list[str],
    twelve_languages: list[list[str]],
    request: pytest.FixtureRequest,
) -> None:
    lines = [*hostile, *(line for lines in twelve_languages for line in lines[:25])]
    own = theirs[name].encode_batch(lines, add_special_tokens=False)
    assert ids(request.getfixturevalue(name), lines) == [encoding.ids for encoding in own]


def test_text_that_spells_a_special_token_is_ordinary(gpt2: Vocabulary, bert: Vocabulary) -> None:
    # tiktoken 0.14, encode_ordinary of r50k_base.
    assert ids(gpt2, ["<|endoftext|>"]) == [[27, 91, 437, 1659, 5239, 91, 29]]
    bert_ids = ids(bert, ["a [SEP] [UNK]"])[0]
    assert not set(bert_ids) & {*bert.special, 100}
    assert [bert.tokens[i] for i in bert_ids][:4] == ["a", "[", "sep", "]"]


def test_a_special_token_that_the_model_itself_matches_is_unknown(tmp_path: Path) -> None:
    pieces = [("<unk>", 0.0), ("a", -1.0), ("<s>", -0.1)]
    tokenizer = Tokenizer(models.Unigram(pieces, 0))
    tokenizer.add_special_tokens(["<s>"])
    vocabulary = saved(tokenizer, tmp_path)
    assert tokenizer.encode("a<s>").ids == [1, 2]
    assert vocabulary.special == (2,)
    assert ids(vocabulary, ["a<s>"]) == [[1, 0]]


def test_a_byte_that_is_listed_as_special_is_a_byte(tmp_path: Path) -> None:
    vocab = {"<unk>": 0, **{f"<0x{byte:02X}>": byte + 1 for byte in range(256)}, "a": 257}
    model = models.BPE(vocab, [], unk_token="<unk>", byte_fallback=True)
    tokenizer = Tokenizer(model)
    tokenizer.add_special_tokens(["<unk>", "<0x0A>"])
    tokenizer.add_tokens(["<0x0D>"])
    vocabulary = saved(tokenizer, tmp_path)
    assert (vocabulary.special, vocabulary.unknown, len(vocabulary.bytes)) == ((), 0, 255)
    # One that is looked for in the text stands for its spelling.
    assert (vocabulary.raw(0x0A + 1), vocabulary.raw(0x0D + 1)) == (b"\n", b"<0x0D>")
    assert ids(vocabulary, ["a\n", "<0x0D>"]) == [[257, 0x0A + 1], [0x0D + 1]]


def saved(tokenizer: Tokenizer, folder: Path) -> Vocabulary:
    path = folder / "tokenizer.json"
    tokenizer.save(str(path))
    return load(kind="tokenizer-json", path=path)


def test_bert_options_are_the_librarys(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    text = "Ünïted  中文\u200d x\u0301"
    letters = dict.fromkeys(text + text.upper() + text.lower() + "Uuii")
    pieces = [letter for letter in letters if not letter.isspace()]
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    path.write_text("\n".join([*special, *pieces, *(f"##{piece}" for piece in pieces)]), "utf-8")
    all_ids = []
    for lowercase in (True, False):
        for strip in (None, True, False):
            own = BertWordPieceTokenizer.from_file(
                str(path), lowercase=lowercase, strip_accents=strip, handle_chinese_chars=False
            )
            options = {"lowercase": lowercase, "strip-accents": strip}
            ours = load(kind="bert-vocab", vocab=path, **options, **{"handle-chinese-chars": False})
            all_ids += ids(ours, [text])
            assert all_ids[-1] == own.encode(text, add_special_tokens=False).ids
    assert len(set(map(tuple, all_ids))) == 4, "no option is without effect"


def byte_level_files(folder: Path, special: tuple[str, ...]) -> tuple[Path, Path]:
    """Write a small vocabulary and its merges as GPT-2 and RoBERTa do."""
    merges = [("l", "o"), ("lo", "w"), ("Ġ", "low")]
    tokens = [*special, *BYTE_LETTERS.values(), *map("".join, merges)]
    vocab, table = folder / "vocab.json", folder / "merges.txt"
    vocab.write_text(json.dumps({token: i for i, token in enumerate(tokens)}), "utf-8")
    rows = ["#version: 0.2", *map(" ".join, merges), ""]
    table.write_text("\n".join(rows), "utf-8")
    return vocab, table


def test_roberta_files(tmp_path: Path) -> None:
    vocab, merges = byte_level_files(tmp_path, ROBERTA_SPECIAL)
    vocabulary = load(kind="roberta", vocab=vocab, merges=merges)
    assert (vocabulary.special, vocabulary.unknown) == ((0, 1, 2, 3, 4), None)
    assert (vocabulary.size, vocabulary.declared) == (256 + 3, 256 + 3 + 5)
    own = ByteLevelBPETokenizer.from_file(str(vocab), str(merges))
    text = "low low <s> 안"
    assert ids(vocabulary, [text]) == [own.encode(text).ids]


def test_a_prefix_space_is_written_where_asked_for(tmp_path: Path) -> None:
    vocab, merges = byte_level_files(tmp_path, ROBERTA_SPECIAL)
    vocabulary = load(kind="roberta", vocab=vocab, merges=merges, **{"add-prefix-space": True})
    assert [vocabulary.tokens[i] for i in ids(vocabulary, ["lowlow"])[0]] == [" low", "low"]


def test_ids_that_no_token_has_are_not_counted(tmp_path: Path) -> None:
    model = models.WordLevel({"a": 0, "b": 3, "[UNK]": 5}, unk_token="[UNK]")
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    vocabulary = saved(tokenizer, tmp_path)
    assert (len(vocabulary.tokens), vocabulary.size, vocabulary.special) == (6, 2, (1, 2, 4))
    assert ids(vocabulary, ["b a c"]) == [[3, 0, 5]]


def test_an_added_token_goes_before_the_models_own_of_the_same_text(tmp_path: Path) -> None:
    vocab = {letter: i for i, letter in enumerate(BYTE_LETTERS.values())} | {"ĠĠ": 256}
    tokenizer = Tokenizer(models.BPE(vocab, [("Ġ", "Ġ")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.add_tokens(["  ", "안"])
    vocabulary = saved(tokenizer, tmp_path)
    assert vocabulary.tokens[257:] == ("  ", "안".encode().decode("latin-1"))
    assert (vocabulary.special, vocabulary.size, vocabulary.declared) == ((256,), 258, 259)
    assert ids(vocabulary, ["a  안"]) == [tokenizer.encode("a  안").ids] == [[vocab["a"], 257, 258]]


def test_byte_fallback_and_the_sign_for_the_space(tmp_path: Path) -> None:
    vocab = {"<unk>": 0, **{f"<0x{byte:02X}>": byte + 1 for byte in range(256)}}
    vocab |= {"▁": 257, "a": 258, "▁a": 259, "a▁": 260}
    model = models.BPE(vocab, [("▁", "a")], unk_token="<unk>", byte_fallback=True)
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(split=False)
    vocabulary = saved(tokenizer, tmp_path)
    assert (len(vocabulary.bytes), vocabulary.bytes[0xEC + 1]) == (256, 0xEC)
    assert [vocabulary.show(token) for token in vocabulary.tokens[257:260]] == ["▁", "a", "▁a"]
    assert (vocabulary.raw(259), vocabulary.raw(260), vocabulary.raw(257)) == (b"a", b"a ", b"")
    assert vocabulary.unknown == 0


def test_clips_bytes_with_a_mark_at_the_words_end() -> None:
    style = Style(byte_level=True, suffix="</w>")
    assert style.units == "characters"
    assert (style.text("a</w>"), style.text("ìķĪ</w>")) == ("a\ufdd1", "안\ufdd1")
    # Two thirds of a character are no text.
    assert style.text("ìķ") == "ìķ"


def test_what_changes_tokens_at_random_or_cuts_them_off_is_left_out(tmp_path: Path) -> None:
    vocab, merges = byte_level_files(tmp_path, ())
    tokenizer = Tokenizer(models.BPE.from_file(str(vocab), str(merges), dropout=0.9))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding(length=20)
    vocabulary = saved(tokenizer, tmp_path)
    [line_ids] = ids(vocabulary, ["low low low low"])
    assert [vocabulary.tokens[i] for i in line_ids] == ["low", *[" low"] * 3]


BYTES = json.dumps({letter: i for i, letter in enumerate([*BYTE_LETTERS.values(), "lo", "low"])})
MANY = json.dumps({t: i for i, t in enumerate([*BYTE_LETTERS.values(), *map(str, range(10, 999))])})
ROBERTA = json.dumps({t: i for i, t in enumerate([*BYTE_LETTERS.values(), "lo", *ROBERTA_SPECIAL])})
WITH_MODEL = '{"model": {"type": "%s", "vocab": %s%s}}'
BAD_MERGE = WITH_MODEL % ("BPE", '{"a": 0}', ', "merges": [["a", "b"]]')
BAD: list[tuple[str, dict[str, str | bytes], str]] = [
    ("tokenizer-json", {"path": b""}, "path: the file is empty"),
    ("tokenizer-json", {"path": b"\x80\x00"}, "path:1: not valid UTF-8: found byte 0x80"),
    ("tokenizer-json", {"path": '{"model": {"vo'}, "path:1: not JSON: Untermin"),
    ("tokenizer-json", {"path": "[" * 10**5}, "path: nested too deeply"),
    ("tokenizer-json", {"path": '{"a": "b"}'}, "found {'a': 'b'}, expected a `model` with"),
    ("tokenizer-json", {"path": "[1]"}, "found [1], expected a `model`"),
    ("tokenizer-json", {"path": BAD_MERGE}, "path: tokenizers refuses it: Exception: "),
    ("bert-vocab", {"vocab": b"a\n\xff"}, "vocab:2: not valid UTF-8: found byte 0xff"),
    ("bert-vocab", {"vocab": BYTES}, "no token [UNK] in 1 line, expected a vocabulary of BERT"),
    ("bert-vocab", {"vocab": "a b\nc d\n"}, "no token [UNK] in 2 lines"),
    ("gpt2", {"vocab": "[1]", "merges": "a b"}, "found [1], expected an object of token: id"),
    ("gpt2", {"vocab": '{"a": "b"}', "merges": "a b"}, "expected an object of token: id"),
    ("gpt2", {"vocab": '{"a": 1, "b": 1}', "merges": "a b"}, "id 1 stands for both 'a' and 'b'"),
    ("gpt2", {"vocab": '{"a": 99999999999}', "merges": "a b"}, "ids must be 0, 1, 2, ..."),
    ("gpt2", {"vocab": '{"a": 0}', "merges": "a b"}, "no token for 255 of the 256"),
    ("gpt2", {"vocab": BYTES, "merges": ""}, "merges: the file is empty"),
    (
        "gpt2",
        {"vocab": BYTES, "merges": "#version: 0.2\nl o\nlo w x\n"},
        "merges:3: found 'lo w x'",
    ),
    ("gpt2", {"vocab": BYTES, "merges": "l o\nh e\n"}, "merges:2: 'he' is no token of"),
    ("gpt2", {"vocab": MANY, "merges": "1 0\n"}, "988 tokens cannot be built by its 1 merge"),
    ("roberta", {"vocab": BYTES, "merges": "l o\n"}, "no tokens <s>, </s> and <unk>, expected ki"),
    ("gpt2", {"vocab": ROBERTA, "merges": "l o\n"}, "expected kind: roberta"),
]


@pytest.mark.parametrize(("kind", "files", "message"), BAD, ids=[message for *_, message in BAD])
def test_damaged_and_foreign_files_are_refused_with_one_message(
    kind: str, files: dict[str, str | bytes], message: str, tmp_path: Path
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(InputError) as caught:
        load(kind=kind, **{name: tmp_path / name for name in files})
    assert message in str(caught.value)
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unknown_text_is_refused_where_the_model_names_no_token_for_it(tmp_path: Path) -> None:
    vocabulary = saved(Tokenizer(models.WordPiece({"a": 0}, unk_token="[UNK]")), tmp_path)
    assert ids(vocabulary, ["a"]) == [[0]]
    with pytest.raises(InputError, match=r"tokenizers stops at the text: .*Missing \[UNK\] token"):
        ids(vocabulary, ["b"])


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "kind"),
    ({"kind": "tokenizer-json"}, "kind: tokenizer-json needs the file `path`"),
    ({"kind": "bert-vocab", "path": "here"}, "kind: bert-vocab has no file `path`"),
    ({"kind": "roberta", "merges": "here"}, "kind: roberta needs the file `vocab`"),
    (
        {"kind": "tokenizer-json", "path": "here", "lowercase": False},
        "kind: tokenizer-json has no option `lowercase`",
    ),
    ({"kind": "tokenizer-json", "path": "nowhere"}, "nowhere: no such file"),
]


@pytest.mark.parametrize(("options", "message"), WRONG, ids=lambda value: str(value)[:40])
def test_options_that_do_not_go_with_the_kind(
    options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    (tmp_path / "here").touch()
    with pytest.raises(ValidationError) as caught:
        Hf.configure(tmp_path, **options)
    assert message in str(caught.value)


def test_a_vocabulary_without_a_whole_tokenizer_is_refused() -> None:
    with pytest.raises(InputError, match=r"holds no tokenizer\.json"):
        LINES.prepare(Vocabulary(("a",)))
    with pytest.raises(InputError, match=r"the vocabulary's tokenizer\.json"):
        LINES.prepare(Vocabulary(("a",), extra={"tokenizer.json": '{"model": {"ty'}))
