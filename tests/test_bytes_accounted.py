"""Bytes that tokens write, and tokens of whole texts, against texts and the libraries themselves.

tokbench is asked on its command line. Expected numbers come from the files, from Python's own UTF-8
and from tiktoken, tokenizers and sentencepiece.
"""

import csv
import gzip
import io
import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from . import pages
from .conftest import ROOT, SHARED
from .pages import Key
from .run_cli import TOKBENCH, Done
from .run_cli import tokbench_here as tokbench

ODD = (
    "family \U0001f469\u200d\U0001f469\u200d\U0001f467 flag \U0001f1f0\U0001f1f7\n"
    "\ttab\ttab  two\n\n  lead, trail  \r\n  \n"
    "bad \ufffd\ufffd end\u00a0nbsp\u2028sep e\u0301\nno end"
)
"""Emoji, tabs, line ends, blank lines, and what invalid sequences become."""
INVALID = ODD.encode().replace("\ufffd\ufffd".encode(), b"\xff\xfe")
TOKENIZERS = SHARED / "tokenizers"
ENGLISH = ROOT / "corpora" / "english.test.txt"
MODELS: dict[str, tuple[str | Path, ...]] = {
    "gpt2": (TOKENIZERS / "gpt2/vocab.bpe", "-O", f"vocab={TOKENIZERS}/gpt2/encoder.json"),
    "cl100k": (TOKENIZERS / "tiktoken/cl100k_base.tiktoken",),
    "mistral": (TOKENIZERS / "mistral-sp-bpe/tokenizer.model.v1",),
    "bert": (TOKENIZERS / "bert-base-uncased/vocab.txt",),
    "xlnet": (TOKENIZERS / "xlnet-sp-unigram/spiece.model",),
}
SYSTEMS = {
    "gpt2": "{use: hf, kind: gpt2, vocab: gpt2/encoder.json, merges: gpt2/vocab.bpe}",
    "cl100k": "{use: tiktoken, path: tiktoken/cl100k_base.tiktoken}",
    "mistral": "{use: sentencepiece, path: mistral-sp-bpe/tokenizer.model.v1}",
}

needs_data = pytest.mark.usefixtures("shared")


@cache
def text(name: str, lines: int | None = 100) -> str:
    """The odd text, or the first lines of a text of FLORES, with their ends."""
    if name == "odd":
        return ODD
    raw = gzip.decompress((SHARED / "parallel" / f"{name}.dev.gz").read_bytes())
    return "".join(raw.decode().splitlines(keepends=True)[:lines])


@pytest.fixture
def written(tmp_path: Path) -> Any:
    """Write a text to a file, the odd one with invalid sequences."""

    def write(name: str, lines: int | None = 100) -> Path:
        path = tmp_path / f"{name}.txt"
        path.write_bytes(INVALID if name == "odd" else text(name, lines).encode())
        return path

    return write


def rows(done: Done) -> list[dict[str, str]]:
    csv.field_size_limit(10**9)
    return [*csv.DictReader(io.StringIO(done.stdout))]


@cache
def libraries() -> dict[str, Any]:
    """How each library counts the tokens of a text, and the bytes of each of its tokens."""
    import tiktoken.load
    from sentencepiece import SentencePieceProcessor
    from tokbench_tiktoken.published import PATTERNS
    from tokenizers import ByteLevelBPETokenizer

    path = TOKENIZERS / "tiktoken/cl100k_base.tiktoken"
    ranks = tiktoken.load.load_tiktoken_bpe(str(path))
    cl100k = tiktoken.Encoding(
        "cl100k", pat_str=PATTERNS["cl100k"], mergeable_ranks=ranks, special_tokens={}
    )
    gpt2 = ByteLevelBPETokenizer.from_file(
        f"{TOKENIZERS}/gpt2/encoder.json", f"{TOKENIZERS}/gpt2/vocab.bpe"
    )
    mistral = SentencePieceProcessor(model_file=f"{MODELS['mistral'][0]}")
    return {
        "gpt2": lambda line: len(gpt2.encode(line).ids),
        "cl100k": lambda line: len(cl100k.encode(line)),
        "mistral": lambda line: len(mistral.encode(line)),
        "bytes of cl100k": lambda i: len(cl100k.decode_single_token_bytes(i)),
        "ids of mistral": lambda line: mistral.encode(line),
        "pieces of mistral": lambda i: mistral.id_to_piece(i),
    }


@needs_data
@pytest.mark.parametrize(
    ("model", "name"),
    [
        pytest.param("gpt2", "odd", marks=pytest.mark.ci),
        pytest.param("mistral", "odd", marks=pytest.mark.ci),
        pytest.param("cl100k", "odd", marks=pytest.mark.ci),
        pytest.param("cl100k", "kor_Hang", marks=pytest.mark.nightly),
        pytest.param("gpt2", "hin_Deva", marks=pytest.mark.nightly),
    ],
)
def test_the_tokens_of_a_text_write_all_its_bytes(model: str, name: str, written: Any) -> None:
    options = ("--errors", "replace", "--format", "csv")
    apart = tokbench("bytes", *MODELS[model], written(name), *options)
    joined = tokbench("bytes", *MODELS[model], written(name), *options, "--document")
    assert (apart.returncode, joined.returncode) == (0, 0)
    (lines,), (document,) = rows(apart), rows(joined)
    everything = len(text(name).encode())
    ends = text(name).count("\n") + text(name).count("\r\n")
    assert int(document["written"]) == int(document["bytes"]) == everything
    assert int(lines["written"]) == int(lines["bytes"]) == everything - ends
    assert lines["difference"] == document["difference"] == lines["uncovered"] == "0"
    assert "exact: in every line the bytes of the tokens add up" in apart.stderr


@needs_data
@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("bert", "eng_Latn"),
        ("xlnet", "odd"),
        pytest.param("bert", "tha_Thai", marks=pytest.mark.nightly),
        pytest.param("xlnet", "kor_Hang", marks=pytest.mark.nightly),
    ],
)
def test_what_a_tokenizer_changes_is_named(model: str, name: str, written: Any) -> None:
    """Each line's difference is that of the tokens named, and of the bytes under no token."""
    options = ("--errors", "replace", "--format", "csv")
    done = tokbench("bytes", *MODELS[model], written(name), *options)
    assert done.returncode == 1
    assert "lines differ" in done.stderr
    total, *lines = rows(done)
    assert total["line"] == "all"
    texts = text(name).split("\n")
    for row in lines:
        tokens = json.loads(row["tokens"] or "[]")
        here = texts[int(row["line"]) - 1].removesuffix("\r")
        assert int(row["bytes"]) == len(here.encode())
        assert int(row["difference"]) == int(row["written"]) - int(row["bytes"])
        differences = sum(token["writes"] - token["covers"] for token in tokens)
        assert int(row["difference"]) == differences - int(row["uncovered"])
        assert all(token["text"] in here or "\ufffd" in token["text"] for token in tokens)
    for column in ("difference", "uncovered"):
        assert int(total[column]) == sum(int(row[column]) for row in lines)
    if (model, name) == ("bert", "eng_Latn"):
        # No token writes white space; a letter loses its accent: "ã" of two bytes becomes "a".
        assert int(total["uncovered"]) >= sum(line.count(" ") for line in texts)
        cut = {(token["text"], token["writes"]) for row in lines for token in named(row)}
        assert ("São", 3) in cut


@pytest.mark.ci
@needs_data
def test_the_table_of_the_page_has_the_differences(written: Any) -> None:
    page = (ROOT / "docs" / "explanation" / "bytes.md").read_text("utf-8")
    for model in ("BERT (uncased)", "XLNet"):
        cells = next(line for line in page.splitlines() if line.startswith(f"| {model} |"))
        for language, cell in zip(("eng_Latn", "kor_Hang"), cells.split("|")[2:], strict=False):
            path = MODELS["bert" if model.startswith("BERT") else "xlnet"]
            total = rows(tokbench("bytes", *path, written(language, None), "--format", "csv"))[0]
            assert f"{int(total['difference']):+,}" in cell


def named(row: dict[str, str]) -> list[dict[str, Any]]:
    tokens: list[dict[str, Any]] = json.loads(row["tokens"] or "[]")
    return tokens


@pytest.mark.ci
@needs_data
def test_the_bytes_of_each_token_are_those_of_the_library() -> None:
    table = rows(tokbench("bytes", *MODELS["cl100k"], "--format", "csv"))
    produced = [row for row in table if row["note"] != "special: never produced"]
    assert len(produced) == 100256
    count = libraries()["bytes of cl100k"]
    assert all(int(row["bytes"]) == count(int(row["id"])) for row in produced)


@pytest.mark.ci
@needs_data
def test_the_bytes_of_each_piece_are_those_of_the_library() -> None:
    table = rows(tokbench("bytes", *MODELS["mistral"], "--format", "csv"))
    piece = libraries()["pieces of mistral"]
    for row in table[259:]:
        spelled = piece(int(row["id"])).replace("▁", " ").encode()
        assert int(row["bytes"]) == len(spelled)
        # SentencePiece writes a space before each text itself.
        assert int(row["bytes-at-edge"]) == len(spelled) - spelled.startswith(b" ")
    assert {row["bytes"] for row in table[3:259]} == {"1"}
    assert [row["bytes"] for row in table[:3]] == ["", "0", "0"]  # <unk>, <s>, </s>


@pytest.mark.ci
@needs_data
def test_an_array_of_the_bytes_by_id() -> None:
    command = [*TOKBENCH, "bytes", str(MODELS["mistral"][0])]
    done = subprocess.run([*command, "--format", "npy"], capture_output=True, check=True)
    array = np.load(io.BytesIO(done.stdout))
    table = rows(tokbench("bytes", *MODELS["mistral"], "--format", "csv"))
    columns = ("bytes", "bytes-at-edge")
    assert array.tolist() == [[int(row[name] or -1) for name in columns] for row in table]
    for line in text("eng_Latn").splitlines():
        ids = libraries()["ids of mistral"](line)
        assert array[ids[0], 1] + array[ids[1:], 0].sum() == len(line.encode())


@pytest.mark.parametrize("learner", ["bpe", "byte-bpe", "word", "utf8-bytes"])
def test_our_learners_account_for_each_byte(learner: str, tmp_path: Path) -> None:
    """What cuts words is given no white space: it is between words. Unknown words are named."""
    raw = (
        "".join(ENGLISH.read_text("utf-8").splitlines(keepends=True)[:60]) + "한국은,\t여기 있다!\n"
    )
    size = {"utf8-bytes": (), "word": ("--size", "20")}.get(learner, ("--size", "300"))
    (tmp_path / "t.txt").write_text(raw, "utf-8")
    learned = tokbench("learn", tmp_path / "t.txt", "--learner", learner, *size)
    assert learned.returncode == 0, learned.stderr
    (tmp_path / "v.json").write_text(learned.stdout, "utf-8")
    done = tokbench("bytes", tmp_path / "v.json", tmp_path / "t.txt", "--format", "csv")
    total, *lines = rows(done)
    assert int(total["bytes"]) == len(raw.encode()) - raw.count("\n")
    if learner == "word":  # the most frequent ones
        assert done.returncode == 1
        unknown = [token for row in lines for token in named(row)]
        assert all(token["id"] is None and token["writes"] == 0 for token in unknown)
        assert int(total["difference"]) == -sum(token["covers"] for token in unknown) < 0
    else:
        assert (done.returncode, lines) == (0, []), done.stdout
        assert int(total["written"]) + int(total["between-words"]) == int(total["bytes"])
    between = 0 if learner == "utf8-bytes" else sum(map(raw.count, " \t"))
    assert int(total["between-words"]) == between


@pytest.mark.ci
@needs_data
def test_joined_lines_are_counted_as_the_library_counts_a_file(tmp_path: Path) -> None:
    """And apart, as it counts each line."""
    (tmp_path / "odd.txt").write_bytes(INVALID)
    (tmp_path / "eng_Latn.txt").write_text(text("eng_Latn"), "utf-8", newline="")
    systems = "".join(f"  - {{name: {name}, learner: {use}}}\n" for name, use in SYSTEMS.items())
    (tmp_path / "config.yaml").write_text(
        "corpora:\n"
        "  test:\n"
        "    whole: {path: eng_Latn.txt, lines: joined}\n"
        "    odd: {path: odd.txt, lines: joined, errors: replace}\n"
        "    eng_Latn: eng_Latn.txt\n"
        f"systems:\n{systems}"
        "metrics: [text-tokens, text-bytes-per-token]\n"
        "resamples: 50\n",
        "utf-8",
    )
    done = tokbench(
        "run", "-q", "config.yaml", "-o", "out", cwd=tmp_path, TOKBENCH_MODELS=str(TOKENIZERS)
    )
    assert done.returncode == 0, done.stderr
    results = pages.read(tmp_path / "out")
    for name in SYSTEMS:
        count = libraries()[name]
        lines = text("eng_Latn").splitlines()
        for corpus, texts in {"whole": [text("eng_Latn")], "odd": [ODD], "eng_Latn": lines}.items():
            tokens = sum(map(count, texts))
            ratio = sum(len(part.encode()) for part in texts) / tokens
            for metric, expected in {"text-tokens": tokens, "text-bytes-per-token": ratio}.items():
                row = results[Key(name, corpus, metric, context="in-context")]
                assert float(row["value"]) == pytest.approx(expected, rel=1e-9)
    assert {row["subset"] for row in results.values()} == {"all"}


SHARES = """
from tokbench.api import TextSegmenter, Vocabulary, hookimpl
from tokbench.api.arrays import LineTokens
class Cut(TextSegmenter):
    "Cut into bytes, each of which covers its whole character."
    def segment_lines(self, lines, prepared):
        row, tokens = [0], []
        for line in lines:
            at = 0
            for letter in line:
                raw = letter.encode()
                tokens += [(prepared.ids[chr(byte)], at, at + len(raw)) for byte in raw]
                at += len(raw)
            row.append(len(tokens))
        ids, starts, ends = zip(*tokens)
        return LineTokens(row, ids, starts, ends)
@hookimpl
def tokbench_segmenters():
    return {"shares": Cut}
"""


def test_tokens_that_share_a_character_are_summed_up(tmp_path: Path) -> None:
    """A library may not tell which byte of a character a token has."""
    (tmp_path / "shares.py").write_text(SHARES, "utf-8")
    (tmp_path / "v.json").write_text(tokbench("learn", "--learner", "utf8-bytes").stdout, "utf-8")
    (tmp_path / "t.txt").write_text("a é 안 \U0001f600\n", "utf-8")
    options = ("-p", tmp_path / "shares.py", "--segmenter", "shares", "--format", "json")
    done = tokbench("bytes", tmp_path / "v.json", tmp_path / "t.txt", *options)
    assert done.returncode == 0, done.stdout
    (row,) = json.loads(done.stdout)
    assert (row["bytes"], row["written"], row["difference"]) == (13, 13, 0)
    assert (row["line"], row["tokens"]) == ("all", [])


@pytest.mark.ci
@needs_data
def test_a_space_that_is_put_only_where_there_is_none(tmp_path: Path) -> None:
    """GPT-2 with `add_prefix_space`: " the" is one token, with and without a space in the text."""
    (tmp_path / "t.txt").write_text("the cat\n the cat\n  the cat\n\n", "utf-8")
    options = ("-O", "add-prefix-space=true", "--format", "csv")
    done = tokbench("bytes", *MODELS["gpt2"], *options, tmp_path / "t.txt")
    assert done.returncode == 0, done.stdout
    (total,) = rows(done)
    assert int(total["written"]) == int(total["bytes"]) == 7 + 8 + 9


def test_json_has_numbers_and_tokens_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text('a "b\n', "utf-8")
    learned = tokbench("learn", path, "--learner", "char")
    (tmp_path / "v.json").write_text(learned.stdout, "utf-8")
    table = json.loads(tokbench("bytes", tmp_path / "v.json", "--format", "json").stdout)
    assert {(row["token"], row["bytes"]) for row in table} == {('"', 1), ("a", 1), ("b", 1)}
    path.write_text('a "é"\n', "utf-8")
    done = tokbench("bytes", tmp_path / "v.json", path, "--format", "json")
    assert done.returncode == 1
    total, line = json.loads(done.stdout)
    assert (total["line"], total["difference"], total["tokens"]) == ("all", -2, [])
    (token,) = line["tokens"]
    assert token == {"id": None, "token": None, "text": "é", "covers": 2, "writes": 0}


@pytest.mark.parametrize("suffix", [False, True])
def test_the_space_of_the_tokenizer_itself_is_none_of_the_text(
    suffix: bool, tmp_path: Path
) -> None:
    """SentencePiece writes a space before each line or, if told so, after it."""
    trainer = pytest.importorskip("sentencepiece", reason="needs tokbench[sentencepiece]")
    text = "the cat sat\n\nthe  dog sat here \n" * 20 + "\n\n"
    trainer.SentencePieceTrainer.train(
        sentence_iterator=iter(text.split("\n")),
        model_prefix=str(tmp_path / "m"),
        vocab_size=280,
        model_type="bpe",
        byte_fallback=True,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        treat_whitespace_as_suffix=suffix,
        minloglevel=2,
    )
    (tmp_path / "t.txt").write_text(text, "utf-8")
    table = rows(tokbench("bytes", tmp_path / "m.model", "--format", "csv"))
    less = [row for row in table if row["bytes-at-edge"] != row["bytes"]]
    edge = "end" if suffix else "beginning"
    assert {row["note"] for row in less} == {f"one less at the {edge} of a line"}
    assert "▁" in {json.loads(row["token"]) for row in less}
    for lines in ((), ("--document",)):
        done = tokbench("bytes", tmp_path / "m.model", tmp_path / "t.txt", *lines)
        assert (done.returncode, done.stdout.count("\n")) == (0, 2), done.stdout
