"""What `tokbench segment` prints beside tokens: ids, offsets, totals; and what it is given."""

import csv
import io
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.low import printed
from tests.run_cli import tokbench_here as here
from tokbench.api.text import BOW, CONTINUATION, EOW


@pytest.fixture(scope="module")
def low(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vocabulary of low, lower, newest and widest."""
    folder = tmp_path_factory.mktemp("low")
    (folder / "low.txt").write_text("low low low low lower newest newest widest\n" * 2)
    return printed(folder / "low.json", "learn", folder / "low.txt", "--merges", "6")


def test_ids_are_the_positions_of_the_tokens(low: Path) -> None:
    tokens = json.loads(low.read_text())["tokens"]
    spelled = ["low\ufdd1", "w", "i", "d", "e\ufdd1"]
    numbers = [*map(tokens.index, spelled), -1, -1]
    text = "low wide, 日\n".encode()
    assert here("segment", low, "--ids", stdin=text).stdout == " ".join(map(str, numbers)) + "\n"
    lists = here("segment", low, "--ids", "--format", "json", stdin=text).stdout
    assert json.loads(lists) == [numbers[:1], numbers[1:5], [-1], [-1]]


def test_what_is_unknown_has_the_id_of_the_unknown_token(tmp_path: Path) -> None:
    pieces = tmp_path / "p.vocab"
    pieces.write_text("x\t-1.5\n<unk>\t0\n▁\t-2.5\n")
    printed(tmp_path / "p.json", "import", pieces, "--from", "sentencepiece-vocab")
    assert (
        here("segment", tmp_path / "p.json", "--ids", stdin="x 달\n".encode()).stdout == "2 0 2 1\n"
    )
    rows = here("segment", tmp_path / "p.json", "--offsets", stdin="달\n".encode()).stdout
    assert rows.splitlines()[-1] == "1\t<unk>\t1\t0\t1\t0\t3"


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
    by_line = [json.loads(line) for line in lists.splitlines()]
    assert by_line[1] == []
    assert [str(t["byte-end"]) for line in by_line for t in line] == [r["byte-end"] for r in rows]


def test_offsets_count_what_a_word_leaves_out(low: Path) -> None:
    """The soft hyphens and marks of direction belong to what is before them, but at the begin."""
    text = "a \u200eé\xadlo\xadw\u200f wid\xade\n"
    rows = here("segment", low, "--offsets", "--format", "json", stdin=text.encode()).stdout
    tokens = json.loads(rows)
    covered = [text.encode()[t["byte-start"] : t["byte-end"]].decode() for t in tokens]
    assert covered == [text[t["start"] : t["end"]] for t in tokens]
    assert "".join(covered) == text.replace(" ", "").rstrip("\n")
    visible = [part.translate(dict.fromkeys(map(ord, "\xad\u200e\u200f"))) for part in covered]
    known_tokens = [t["token"].removesuffix("</w>") for t in tokens if t["id"] >= 0]
    assert known_tokens == [part for part, t in zip(visible, tokens, strict=True) if t["id"] >= 0]
    assert {"lo\xadw\u200f", "d\xad"} <= {*covered}


def test_totals_are_those_of_the_tokens(low: Path) -> None:
    """Tokens: low</w> lo we r</w>, none, ne west</w> , 日; of no word there is no mean."""
    text = "low lower\n\nnewest, 日\n".encode()
    rows = here("segment", low, "--total", "--format", "csv", stdin=text).stdout.splitlines()
    assert rows[0] == "line,tokens,words,characters,bytes,tokens-per-word"
    assert rows[1:] == ["all,8,5,18,20,1.6", "1,4,2,9,9,2", "2,0,0,0,0,", "3,4,3,9,11,1.33333"]
    records = json.loads(here("segment", low, "--total", "--format", "json", stdin=text).stdout)
    assert [*records[2].values()] == [2, 0, 0, 0, 0, None]
    table = here("segment", low, "--total", stdin=text).stdout
    assert table.splitlines()[1].split()[:2] == ["all", "8"]
    empty = here("segment", low, "--total", "--format", "csv", stdin=b"")
    assert empty.stdout.splitlines()[1:] == ["all,0,0,0,0,"]


def test_totals_warn_once_of_a_long_word(low: Path) -> None:
    done = here("segment", low, "--total", stdin=b"x" * 10_001)
    assert done.stderr.count("words over 10,000 characters") == 1
    assert done.stdout.split()[7:9] == ["10001", "2"]


def test_a_document_has_one_row_of_totals() -> None:
    done = here("segment", "utf8-bytes", "--total", "--document", "--format", "csv", stdin=b"a\nb")
    assert done.stdout.splitlines()[1:] == ["all,3,2,3,3,1.5"]


def test_a_document_is_cut_at_once_line_ends_included() -> None:
    apart = here("segment", "utf8-bytes", "--ids", stdin=b"a\r\nb\n").stdout
    assert apart == "97\n98\n"
    at_once = here("segment", "utf8-bytes", "--ids", "--document", stdin=b"a\r\nb\n").stdout
    assert at_once == "97 13 10 98 10\n"


def test_a_vocabulary_may_come_from_a_pipe(low: Path) -> None:
    done = here("segment", "-", low.with_name("low.txt"), stdin=low.read_bytes())
    assert done.stdout.startswith("low</w> low</w> ")


def test_a_size_cuts_the_vocabulary(low: Path) -> None:
    assert here("segment", low, "--size", "merges:0", stdin=b"low\n").stdout == "l o w</w>\n"


def test_in_a_pipe_control_characters_stay_as_they_are(low: Path) -> None:
    words = ("--words", "whitespace")
    done = here("segment", low, *words, stdin=b"a\x1b[31mb\x07 \xe2\x80\xae\r\n")
    assert done.stdout == "a \x1b [ 3 1 m b \x07</w> \u202e</w>\n"
    done = here("segment", low, "--format", "json", stdin=b"l\x1b\n")
    assert done.stdout == '[["l</w>"], ["\\u001b</w>"]]\n', "JSON is ASCII"


def test_tokens_have_colours_on_a_terminal_only(low: Path) -> None:
    def shown(**environment: str) -> bytes:
        terminal, inside = os.openpty()
        with open(inside, "w", encoding="utf-8") as screen:
            done = here("segment", low, stdin=b"low\x1b low\n", stdout=screen, **environment)
            assert done.returncode == 0, done.stderr
            output = os.read(terminal, 1000)
        os.close(terminal)
        return output

    coloured = shown(NO_COLOR="")
    assert coloured.startswith(b"\x1b[30m\x1b[46mlow</w>\x1b[0m \x1b[30m\x1b[42m\\x1b</w>\x1b[0m ")
    assert shown(NO_COLOR="1") == b"low</w> \\x1b</w> low</w>\r\n"


LETTERS = st.characters(
    blacklist_categories=("Cs", "Cc"), blacklist_characters=BOW + EOW + CONTINUATION
)


@pytest.mark.ci
@given(st.lists(st.text(LETTERS, max_size=12), max_size=4))
def test_offsets_of_any_text_are_those_of_its_tokens(lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    done = here("segment", "utf8-bytes", "--offsets", "--format", "json", stdin=text.encode())
    assert done.returncode == 0, done.stderr
    for line, tokens in zip(lines, map(json.loads, done.stdout.splitlines()), strict=True):
        raw = line.encode()
        assert b"".join(raw[o["byte-start"] : o["byte-end"]] for o in tokens) == raw
        for token in tokens:
            (letter,) = line[token["start"] : token["end"]]
            before = len(line[: token["start"]].encode())
            assert before <= token["byte-start"] < before + len(letter.encode())


@pytest.mark.ci
def test_a_ready_made_tokenizer_is_known_by_the_content_of_its_files(
    shared: Path, tmp_path: Path
) -> None:
    (tmp_path / "deep").mkdir()
    for name, source in (("a", "encoder.json"), ("b", "vocab.bpe")):
        (tmp_path / "deep" / name).symlink_to(shared / "tokenizers" / "gpt2" / source)
    text = b"Hello, world!\n"
    command = ("segment", "gpt2", "--ids")
    done = here(*command, stdin=text, TOKBENCH_MODELS=str(tmp_path))
    assert done.stdout == "15496 11 995 0\n"
    (tmp_path / "deep" / "b").unlink()
    done = here(*command, stdin=text, TOKBENCH_MODELS=str(tmp_path))
    assert (done.returncode, done.stdout) == (4, "")
    address = "https://openaipublic.blob.core.windows.net/gpt-2/encodings/main/vocab.bpe"
    get = f"run `tokbench models get gpt2`, or download vocab.bpe from {address}"
    assert f"no file in {tmp_path} has its digest: {get}" in done.stderr
    assert "encoder.json" not in done.stderr, "that one is there"
    done = here(*command, stdin=text, TOKBENCH_MODELS="")
    assert (
        "$TOKBENCH_MODELS is not set: run `tokbench models get gpt2`, or download " in done.stderr
    )


@pytest.mark.nightly
def test_the_same_names_are_systems(shared: Path, tmp_path: Path) -> None:
    names = ("gpt2", "cl100k", "bert-base-uncased")
    (tmp_path / "t.txt").write_text("Hello, world!\n" * 3)
    (tmp_path / "c.yaml").write_text(
        f"corpora: {{train: t.txt, test: t.txt}}\nsystems: [{', '.join(names)}]\n"
        "metrics: [tokens]\n"
    )
    models = str(shared / "tokenizers")
    done = here("run", "-q", "c.yaml", "-o", "out", cwd=tmp_path, TOKBENCH_MODELS=models)
    assert done.returncode == 0, done.stderr
    results = csv.DictReader((tmp_path / "out" / "results.csv").open())
    assert {row["system"]: row["value"] for row in results} == dict.fromkeys(names, "12")


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
    named = here("segment", "o:ut:bpe@merges:3", cwd=tmp_path, stdin=b"low\n")
    assert (named.returncode, named.stdout) == (0, "lo w</w>\n"), named.stderr


def test_an_unknown_word_of_wordpiece_is_shown_without_a_mark(low: Path, tmp_path: Path) -> None:
    options = ("--size", "26", "--learner", "wordpiece")
    vocabulary = printed(tmp_path / "wordpiece.json", "learn", low.with_name("low.txt"), *options)
    text = "lowest 日本 lower\n".encode()
    shown = here("segment", vocabulary, "--format", "json", stdin=text).stdout
    assert json.loads(shown)[1] == ["日本"]
    assert "日本\t1\n" in here("segment", vocabulary, "--counts", stdin=text).stdout
