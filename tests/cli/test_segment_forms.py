"""What `tokbench segment` prints beside tokens: ids, offsets, totals; and what it is given."""

import csv
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.run_cli import tokbench
from tests.run_cli import tokbench_here as here
from tokbench.api import BOW, CONTINUATION, EOW, Vocabulary

TEXTS = ("Hello world", "안녕하세요", "internationalization", "123456789")
"""The deep dive, exercise 3."""


@pytest.fixture(scope="module")
def low(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vocabulary of low, lower, newest and widest."""
    folder = tmp_path_factory.mktemp("low")
    (folder / "low.txt").write_text("low low low low lower newest newest widest\n" * 2)
    learned = here("learn", folder / "low.txt", "--merges", "6")
    (folder / "low.json").write_text(learned.stdout)
    return folder / "low.json"


def test_ids_are_the_positions_of_the_tokens(low: Path) -> None:
    document = json.loads(low.read_text())
    tokens = here("segment", low, "--format", "json", stdin="low wide, 日\n".encode()).stdout
    ids = here("segment", low, "--ids", "--format", "json", stdin="low wide, 日\n".encode()).stdout
    spelled = [[t.replace("\ufdd1", "</w>") for t in document["tokens"]]][0]
    for cut, numbers in zip(json.loads(tokens), json.loads(ids), strict=True):
        assert numbers == [spelled.index(t) if t in spelled else -1 for t in cut]
    assert json.loads(ids)[2:] == [[-1], [-1]]
    plain = here("segment", low, "--ids", stdin="low wide, 日\n".encode()).stdout
    assert plain == " ".join(str(i) for cut in json.loads(ids) for i in cut) + "\n"


def test_offsets_count_characters_and_bytes(low: Path) -> None:
    text = "  é low,日 newest\n\nlow\n"
    done = here("segment", low, "--offsets", stdin=text.encode())
    rows = list(csv.DictReader(io.StringIO(done.stdout), delimiter="\t"))
    assert [*rows[0]] == ["line", "token", "id", "start", "end", "byte-start", "byte-end"]
    lines = text.split("\n")
    for row in rows:
        line = lines[int(row["line"]) - 1]
        part = line[int(row["start"]) : int(row["end"])]
        raw = line.encode()[int(row["byte-start"]) : int(row["byte-end"])].decode()
        assert part == raw == row["token"].removesuffix("</w>")
    assert [row["line"] for row in rows if row["token"] == "low</w>"] == ["1", "3"]
    assert {row["id"] for row in rows if row["token"] in ("é", "日")} == {"-1"}
    lists = here("segment", low, "--offsets", "--format", "json", stdin=text.encode()).stdout
    found = [json.loads(line) for line in lists.splitlines()]
    assert found[1] == []
    assert [str(one["byte-end"]) for line in found for one in line] == [r["byte-end"] for r in rows]


def test_totals_are_those_of_the_tokens(low: Path) -> None:
    text = "low lower\n\nnewest, 日\n"
    done = here("segment", low, "--total", "--format", "csv", stdin=text.encode())
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    tokens = [
        sum(map(len, json.loads(line)))
        for line in here("segment", low, "--format", "json", stdin=text.encode()).stdout.split("\n")
        if line
    ]
    assert [int(row["tokens"]) for row in rows] == [sum(tokens), *tokens]
    assert [row["words"] for row in rows] == ["5", "2", "0", "3"]
    assert [row["characters"] for row in rows] == ["18", "9", "0", "9"]
    assert [row["bytes"] for row in rows] == ["20", "9", "0", "11"]
    assert rows[2]["tokens-per-word"] == "", "of no word there is no mean"
    assert float(rows[0]["tokens-per-word"]) == pytest.approx(sum(tokens) / 5)
    table = here("segment", low, "--total", stdin=text.encode()).stdout
    assert table.splitlines()[1].split()[:2] == ["all", str(sum(tokens))]


def test_totals_of_no_text_are_zero_and_have_no_mean(low: Path) -> None:
    done = here("segment", low, "--total", "--format", "csv", stdin=b"")
    assert done.stdout.splitlines()[1:] == ["all,0,0,0,0,"]


def test_totals_are_numbers_in_json(low: Path) -> None:
    done = here("segment", low, "--total", "--format", "json", stdin=b"low low\n\n")
    whole, first, blank = json.loads(done.stdout)
    assert {**first, "line": "all", "characters": 7} == whole
    assert (first["tokens"], first["words"], first["tokens-per-word"]) == (2, 2, 1)
    assert blank["tokens-per-word"] is None


def test_totals_warn_once_of_a_long_word(low: Path) -> None:
    done = here("segment", low, "--total", stdin=b"x" * 10_001)
    assert done.stderr.count("words over 10,000 characters") == 1
    assert done.stdout.split()[7:9] == ["10001", "2"]


def test_a_document_has_one_row_of_totals() -> None:
    done = here("segment", "utf8-bytes", "--total", "--document", "--format", "csv", stdin=b"a\nb")
    assert done.stdout.splitlines()[1:] == ["all,3,2,3,3,1.5"]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--tokens", "--ids"), "--tokens and --ids"),
        (("--ids", "--offsets"), "--ids and --offsets"),
        (("--total", "--counts"), "--total and --counts"),
    ],
)
def test_of_what_is_printed_one_is_given(low: Path, flags: tuple[str, ...], message: str) -> None:
    done = here("segment", low, *flags, stdin=b"low\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: {message}: give one of the two\n"
    assert here("segment", low, flags[0], flags[0], stdin=b"low\n").returncode == 0


def test_a_document_is_cut_at_once_line_ends_included() -> None:
    apart = here("segment", "utf8-bytes", "--ids", stdin=b"a\r\nb\n").stdout
    assert apart == "97\n98\n"
    at_once = here("segment", "utf8-bytes", "--ids", "--document", stdin=b"a\r\nb\n").stdout
    assert at_once == "97 13 10 98 10\n"


def test_a_vocabulary_may_come_from_a_pipe(low: Path, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("low\n")
    done = here("segment", "-", tmp_path / "t.txt", stdin=low.read_bytes())
    assert done.stdout == "low</w>\n"
    twice = here("segment", "-", stdin=low.read_bytes())
    assert (twice.returncode, twice.stdout) == (2, "")
    assert "VOCABULARY and TEXT cannot both be standard input" in twice.stderr


def test_a_closed_standard_input_is_an_empty_text(low: Path) -> None:
    command = f"exec {sys.executable} -m tokbench segment {low} <&-"
    assert os.system(f"{command} > {low.parent}/out 2> {low.parent}/err") == 0
    assert (low.parent / "out").read_text() == (low.parent / "err").read_text() == ""
    empty = here("segment", "-", low.parent / "low.txt", stdin=b"")
    assert (empty.returncode, empty.stderr) == (4, "error: <stdin>: the file is empty\n")


def test_a_size_cuts_the_vocabulary(low: Path) -> None:
    assert here("segment", low, "--size", "merges:0", stdin=b"low\n").stdout == "l o w</w>\n"
    done = here("segment", low, "--size", "3", stdin=b"low\n")
    assert done.returncode == 2
    assert "has no size 3; there are: " in done.stderr


def test_tokens_have_colours_on_a_terminal_only(low: Path) -> None:
    def shown(**environment: str) -> bytes:
        terminal, inside = os.openpty()
        with open(inside, "w", encoding="utf-8") as screen:
            done = here("segment", low, stdin=b"low\x1b low\n", stdout=screen, **environment)
            assert done.returncode == 0, done.stderr
            found = os.read(terminal, 1000)
        os.close(terminal)
        return found

    coloured = shown(NO_COLOR="")
    assert coloured.startswith(b"\x1b[30m\x1b[46mlow</w>\x1b[0m \x1b[30m\x1b[42m\\x1b</w>\x1b[0m ")
    assert shown(NO_COLOR="1") == b"low</w> \\x1b</w> low</w>\r\n"


@pytest.mark.parametrize("shown", ["--ids", "--offsets", "--counts", "--tokens"])
def test_a_format_that_is_not_there_is_refused(low: Path, shown: str) -> None:
    done = here("segment", low, shown, "--format", "csv", stdin=b"low\n")
    assert done.returncode == 2
    assert f"--format csv is none of {shown}: text" in done.stderr


LETTERS = st.characters(
    blacklist_categories=("Cs", "Cc"), blacklist_characters=BOW + EOW + CONTINUATION
)


@given(st.lists(st.text(LETTERS, max_size=12), max_size=4))
def test_offsets_of_any_text_are_those_of_its_tokens(lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    done = here("segment", "utf8-bytes", "--offsets", "--format", "json", stdin=text.encode())
    assert done.returncode == 0, done.stderr
    for line, found in zip(lines, map(json.loads, done.stdout.splitlines()), strict=True):
        raw = line.encode()
        assert b"".join(raw[o["byte-start"] : o["byte-end"]] for o in found) == raw
        for one in found:
            (letter,) = line[one["start"] : one["end"]]
            before = len(line[: one["start"]].encode())
            assert before <= one["byte-start"] < before + len(letter.encode())


def ids(name: str, text: str, models: Path, *options: str) -> list[int]:
    done = here(
        "segment", name, "--ids", *options, stdin=text.encode(), TOKBENCH_MODELS=str(models)
    )
    assert done.returncode == 0, done.stderr
    return [int(i) for i in done.stdout.split()]


@pytest.mark.nightly
def test_ids_are_those_that_are_published(shared: Path) -> None:
    """Each published case, cut as a line and as a document."""
    models = shared / "tokenizers"
    names = {"gpt2_ids": "gpt2", "cl100k_ids": "cl100k"}
    spelled = 0
    lines = (shared / "golden" / "textbook_cases.jsonl").read_text("utf-8").splitlines()
    cases: list[Any] = [json.loads(line) for line in lines]
    seen = 0
    for case in cases:
        for key, expected in case["expected"].items():
            if case["kind"] == "pretrained_encode" and key in names:
                text = case["input"]["text"]
                assert ids(names[key], text, models) == expected, case["id"]
                assert ids(names[key], text, models, "--document") == expected, case["id"]
                seen += 1
            if case["kind"] == "pretrained_encode" and key == "bert_tokens":
                command = ("segment", "bert-base-uncased")
                text = case["input"]["text"]
                done = here(*command, stdin=text.encode(), TOKBENCH_MODELS=str(models))
                assert done.stdout.split() == expected, case["id"]
                spelled += 1
    assert (seen, spelled) == (12, 5)
    (sentences,) = (one for one in cases if one["id"] == "sentencepiece-test-model")
    model = str(models / "sentencepiece-test" / "test_model.model")
    for text, expected in zip(
        sentences["input"]["texts"], sentences["expected"]["ids"], strict=True
    ):
        assert ids(model, text, models) == expected
        assert ids(model, text, models, "--document") == expected


def test_the_totals_of_the_exercise(shared: Path) -> None:
    """The deep dive, exercise 3; the numbers of tokens are those of the library."""
    text = "".join(f"{one}\n" for one in TEXTS)
    command = ("segment", "gpt2", "--total", "--format", "csv")
    done = here(*command, stdin=text.encode(), TOKBENCH_MODELS=str(shared / "tokenizers"))
    found = [row["tokens"] for row in csv.DictReader(io.StringIO(done.stdout))]
    assert found == ["22", "2", "14", "2", "4"]


def test_a_ready_made_tokenizer_is_known_by_the_content_of_its_files(
    shared: Path, tmp_path: Path
) -> None:
    (tmp_path / "deep").mkdir()
    for name, source in (("a", "encoder.json"), ("b", "vocab.bpe")):
        (tmp_path / "deep" / name).symlink_to(shared / "tokenizers" / "gpt2" / source)
    text = b"Hello, world!\n"
    command = ("segment", "gpt2", "--ids")
    done = here(*command, "-O", f"folder={tmp_path}", stdin=text, TOKBENCH_MODELS="")
    assert done.stdout == "15496 11 995 0\n"
    done = here(*command, stdin=text, TOKBENCH_MODELS=str(tmp_path))
    assert done.stdout == "15496 11 995 0\n"
    (tmp_path / "deep" / "b").unlink()
    done = here(*command, stdin=text, TOKBENCH_MODELS=str(tmp_path))
    assert (done.returncode, done.stdout) == (4, "")
    address = "https://openaipublic.blob.core.windows.net/gpt-2/encodings/main/vocab.bpe"
    assert f"no file in {tmp_path} has its digest: download vocab.bpe from {address}" in done.stderr
    assert "encoder.json" not in done.stderr, "that one is there"
    done = here(*command, stdin=text, TOKBENCH_MODELS="")
    assert "$TOKBENCH_MODELS is not set: download " in done.stderr


@pytest.mark.nightly
def test_the_same_names_are_systems(shared: Path, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("Hello, world!\n" * 3)
    (tmp_path / "c.yaml").write_text(
        "corpora: {train: t.txt, test: t.txt}\nsystems: [gpt2, cl100k, bert-base-uncased]\n"
        "metrics: [tokens]\n"
    )
    done = here("run", "-q", "c.yaml", "-o", "out", cwd=tmp_path,
                TOKBENCH_MODELS=str(shared / "tokenizers"))  # fmt: skip
    assert done.returncode == 0, done.stderr
    results = list(csv.DictReader((tmp_path / "out" / "results.csv").open()))
    assert {row["system"]: row["value"] for row in results} == {
        "gpt2": "12", "cl100k": "12", "bert-base-uncased": "12",
    }  # fmt: skip
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert {one["name"] for one in record["files"]} == {
        "encoder.json", "vocab.bpe", "vocab.txt", "cl100k_base.tiktoken",
    }  # fmt: skip
    missing = here("check", "c.yaml", cwd=tmp_path, TOKBENCH_MODELS="")
    assert missing.returncode == 2
    assert missing.stderr.count("$TOKBENCH_MODELS is not set: download ") == 3
    assert "c.yaml:2:11: systems[0]" in missing.stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gtp2", "gtp2: no such file, run or ready-made tokenizer; did you mean 'gpt2'?"),
        ("cl100", "did you mean 'cl100k'?"),
        ("GPT2", "did you mean 'gpt2'?"),
        ("bert", "did you mean 'bert-base-uncased'?"),
        ("", "VOCABULARY is empty: give a file, a run, or a name such as gpt2"),
        (
            "/",
            "/: not a run of tokbench (no run.json of ours); with files of a tokenizer give its"
            " name, such as gpt2 -O folder=/",
        ),
        ("xyzzy", "xyzzy: no such file, run or ready-made tokenizer\n"),
        ("bpe", "bpe: this learner reads words: give the vocabulary that it learned"),
    ],
)
def test_a_name_that_is_not_there_is_said(name: str, message: str) -> None:
    done = here("segment", name, stdin=b"low\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_a_path_that_leads_nowhere_is_said() -> None:
    for path in ("nothing/at", "all.json"):
        done = here("segment", path, stdin=b"low\n")
        message = f"error: {path}: cannot be read: No such file or directory\n"
        assert (done.returncode, done.stderr) == (4, message)


def test_a_run_of_several_systems_needs_a_name(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("low lower newest widest\n" * 3)
    (tmp_path / "c.yaml").write_text(
        "corpora: {train: t.txt, test: t.txt}\nsystems: [bpe, char]\nmerges: [1, 3]\n"
        "metrics: [tokens]\n"
    )
    assert here("run", "-q", "c.yaml", "-o", "o:ut", cwd=tmp_path).returncode == 0
    done = here("segment", "o:ut", cwd=tmp_path, stdin=b"low\n")
    assert done.returncode == 2
    assert "o:ut: a run of 2 systems: name one, such as o:ut:bpe@merges:3, o:ut:char" in done.stderr
    done = here("segment", "o:ut:", cwd=tmp_path, stdin=b"low\n")
    assert "error: o:ut: a run of 2 systems: name one, such as o:ut:bpe@merges:3," in done.stderr
    named = here("segment", "o:ut:bpe@merges:3", cwd=tmp_path, stdin=b"low\n")
    exported = here("export", "o:ut:bpe@1", "--to", "subword-nmt", cwd=tmp_path)
    assert named.returncode == exported.returncode == 0, named.stderr + exported.stderr
    assert len(exported.stdout.splitlines()) == 2


def test_an_unknown_token_of_a_line_is_shown_by_its_text(tmp_path: Path) -> None:
    plugin = tmp_path / "mine.py"
    plugin.write_text(
        "from tokbench.api import LineTokens, TextSegmenter, hookimpl\n"
        "class Mine(TextSegmenter):\n"
        "    'Cut.'\n"
        "    def segment_lines(self, lines, prepared):\n"
        "        sizes = [len(line.encode()) for line in lines]\n"
        "        return LineTokens.from_lengths(range(len(lines) + 1), [-1] * len(lines), sizes)\n"
        "@hookimpl\n"
        "def tokbench_segmenters(): return {'mine': Mine}\n"
    )
    (tmp_path / "v.json").write_text(Vocabulary(("a",), segmenter={"use": "mine"}).to_json())
    done = here("segment", tmp_path / "v.json", "-p", plugin, stdin="한 é\n\nx\n".encode())
    assert done.stdout == "한 é\n\nx\n"


def test_help_names_what_a_vocabulary_can_be() -> None:
    for command in ("segment", "bytes"):
        assert "RUN:SYSTEM@SIZE" in " ".join(tokbench(command, "--help").stdout.split())
