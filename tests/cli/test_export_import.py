"""`export` and `import` as people use them."""

import json
import shlex
from pathlib import Path

import pytest

from tests.interchange.samples import FORMATS, LOW, REGISTRY, bpe, byte_bpe
from tests.run_cli import tokbench_here as tokbench
from tokbench.api import Vocabulary
from tokbench.interchange import build_format

TEXT = "low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3 + "\n"


@pytest.fixture
def vocabulary(tmp_path: Path) -> Path:
    path = tmp_path / "v.json"
    path.write_text(bpe(LOW, 4).to_json())
    return path


@pytest.fixture
def in_bytes(tmp_path: Path) -> Path:
    path = tmp_path / "bytes.json"
    path.write_text(byte_bpe(LOW, 6).to_json())
    return path


def test_one_text_goes_to_standard_output_and_notes_do_not_mix_with_it(vocabulary: Path) -> None:
    done = tokbench("export", vocabulary, "--to", "subword-nmt")
    assert done.returncode == 0
    assert done.stdout == "#version: 0.2\ns t</w>\ne st</w>\nl o\nw est</w>\n"
    assert done.stderr.startswith("note: the file has merges only: ")
    assert done.stderr.count("\n") == 1


def test_a_vocabulary_goes_there_and_back(vocabulary: Path, tmp_path: Path) -> None:
    assert tokbench("export", vocabulary, "--to", "hf", "-o", tmp_path / "t.json").stdout == ""
    done = tokbench(
        "import", tmp_path / "t.json", "--from", "hf", "-o", tmp_path / "new" / "v.json"
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "note: a vocabulary has no pre_tokenizer: Split left out\n"
    back = Vocabulary.from_json((tmp_path / "new" / "v.json").read_text())
    assert back.tokens == (*bpe(LOW, 4).tokens, "<unk>")
    cut = tokbench("segment", tmp_path / "new" / "v.json", stdin=b"lowest\n")
    assert cut.stdout == tokbench("segment", vocabulary, stdin=b"lowest\n").stdout


def test_two_files_go_to_a_folder_and_come_from_it(in_bytes: Path, tmp_path: Path) -> None:
    done = tokbench("export", in_bytes, "--to", "gpt2")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: gpt2 is 2 files: give their folder with -o\n"
    folder = tmp_path / "made" / "gpt2"
    assert tokbench("export", in_bytes, "--to", "gpt2", "-o", folder).returncode == 0
    assert sorted(path.name for path in folder.iterdir()) == ["encoder.json", "vocab.bpe"]
    whole = tokbench("import", folder, "--from", "gpt2").stdout
    single = tokbench("import", folder / "vocab.bpe", folder / "encoder.json", "--from", "gpt2")
    assert whole == single.stdout
    assert Vocabulary.from_json(whole).tokens == byte_bpe(LOW, 6).tokens
    (folder / "encoder.json").rename(folder / "vocab.json")
    (folder / "vocab.bpe").rename(folder / "merges.txt")
    assert tokbench("import", folder, "--from", "gpt2").stdout == whole
    done = tokbench("import", folder / "merges.txt", "--from", "gpt2")
    assert (done.returncode, done.stderr) == (2, "error: gpt2: give 2 files, found 1\n")


def test_nothing_is_written_over(vocabulary: Path, in_bytes: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken.txt"
    taken.write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "vocab.bpe").write_text("mine")
    there = "is there already: choose another name, nothing was touched"
    for command in (
        ("export", vocabulary, "--to", "subword-nmt"),
        ("import", vocabulary, "--from", "hf"),
    ):
        done = tokbench(*command, "-o", taken)
        assert (done.returncode, done.stderr) == (2, f"error: {taken}: {there}\n")
        done = tokbench(*command, "-o", tmp_path / "folder")
        assert done.returncode == 2
        assert done.stderr.endswith("folder: a folder, expected the name of a file\n")
    done = tokbench("export", in_bytes, "--to", "gpt2", "-o", tmp_path / "folder")
    assert (done.returncode, done.stderr) == (
        2,
        f"error: {tmp_path / 'folder' / 'vocab.bpe'}: {there}\n",
    )
    assert taken.read_text() == (tmp_path / "folder" / "vocab.bpe").read_text() == "mine"
    assert sorted(path.name for path in (tmp_path / "folder").iterdir()) == ["vocab.bpe"]


def test_where_nothing_can_be_written_is_said(vocabulary: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    output = tmp_path / "file" / "codes"
    done = tokbench("export", vocabulary, "--to", "subword-nmt", "-o", output)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.splitlines()[-1].startswith(f"error: {output}: cannot be written: ")


def test_word_splits_show_the_words_of_a_text(vocabulary: Path, tmp_path: Path) -> None:
    """The same text that `learn --format word-splits` prints."""
    text = tmp_path / "low.txt"
    text.write_text(TEXT)
    done = tokbench("export", vocabulary, "--to", "word-splits", "--text", text)
    assert done.returncode == 0
    learned = tokbench("learn", text, "--merges", "4", "--format", "word-splits")
    assert done.stdout == learned.stdout
    alone = tokbench("export", vocabulary, "--to", "word-splits").stdout
    assert "==== Vocabulary ====\n\n==== Merge Rules ====\n" in alone
    read = tokbench("import", text, "--from", "word-splits")
    assert (read.returncode, read.stdout) == (4, "")
    assert read.stderr.startswith(f"error: {text}:1: found 'low low low low low lower lower")


def test_tiktoken_is_compared_on_the_words_of_a_text(in_bytes: Path, tmp_path: Path) -> None:
    text = tmp_path / "low.txt"
    text.write_text(TEXT + "안녕\n")
    done = tokbench("export", in_bytes, "--to", "tiktoken", "--text", text)
    assert done.returncode == 0
    assert done.stdout.startswith("AA== 0\nAQ== 1\n")
    assert done.stderr == (
        "note: the file has no split pattern\n"
        "note: 0 of 5 distinct words of the text are cut otherwise by tiktoken\n"
    )


def test_how_words_are_found_can_be_chosen(vocabulary: Path) -> None:
    kinds = {}
    for split in ("words", "whitespace", "none"):
        done = tokbench("export", vocabulary, "--to", "hf", "--split", split)
        kinds[split] = json.loads(done.stdout)["pre_tokenizer"]
    assert kinds["none"] is None
    assert kinds["words"]["pattern"] != kinds["whitespace"]["pattern"]
    done = tokbench("export", vocabulary, "--to", "hf", "--split", "gpt2")
    assert (done.returncode, done.stderr) == (
        4,
        "error: hf: words are split as GPT-2 splits them for vocabularies of bytes only\n",
    )


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--to", "subword-nmt", "--split", "none"], 2, "--split is for --to hf"),
        (["--to", "hf", "--text", "x"], 2, "--text is for --to tiktoken and word-splits"),
        (["--to", "gpt2", "-o", "x"], 4, "gpt2 carries tokens of bytes, and this vocabulary's are"),
        (["--to", "tiktoken", "--text", "no"], 4, "no: "),
    ],
)
def test_export_says_what_is_wrong(
    vocabulary: Path, tmp_path: Path, arguments: list[str], code: int, message: str
) -> None:
    done = tokbench("export", vocabulary, *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(f"error: {message}")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xff\xfe\0",
        b"\0" * 50,
        b"{",
        b'{"model": [',
        b"a b c\n",
        b"\x1f\x8bzip",
        b'"x"',
        b"[1]",
    ],
)
def test_no_file_is_read_as_what_it_is_not(tmp_path: Path, name: str, raw: bytes) -> None:
    """Every format has one message for a foreign file, and no traceback."""
    path = tmp_path / "file"
    path.write_bytes(raw)
    files = [path] * build_format(REGISTRY, name).file_count
    done = tokbench("import", *files, "--from", name)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith(f"error: {path}")
    assert done.stderr.count("\n") == 1


def test_a_file_that_is_not_there_is_one_message(tmp_path: Path) -> None:
    done = tokbench("import", tmp_path / "no", "--from", "hf")
    assert (done.returncode, done.stderr) == (
        4,
        f"error: {tmp_path / 'no'}: cannot be read: No such file or directory\n",
    )
    done = tokbench("export", tmp_path / "no", "--to", "hf")
    assert done.returncode == 4


@pytest.mark.ci
def test_the_hint_about_ranks_works_as_it_is_printed(shared: Path, tmp_path: Path) -> None:
    """With the pattern, lines are cut as tiktoken cuts them."""
    import base64

    from tiktoken import Encoding

    from tests.test_flores import CL100K

    path = shared / "tokenizers" / "tiktoken" / "cl100k_base.tiktoken"
    done = tokbench("import", "--from", "tiktoken", path, "-o", tmp_path / "ranks.json")
    (hint,) = done.stderr.splitlines()
    option = shlex.split(hint.partition("its pattern: ")[2])
    assert option == ["--segmenter", "{use: byte-bpe, split: cl100k}"]
    text = "Don't split  12345 words,\tor 안녕 🤗."
    cut = tokbench("segment", tmp_path / "ranks.json", *option, stdin=f"{text}\n".encode())
    rows = (line.split() for line in path.read_bytes().splitlines() if line)
    ranks = {base64.b64decode(token): int(rank) for token, rank in rows}
    library = Encoding("cl100k", pat_str=CL100K, mergeable_ranks=ranks, special_tokens={})
    assert len(cut.stdout.split()) == len(library.encode_ordinary(text))


def test_a_vocabulary_of_bert_does_not_say_how_text_is_prepared(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("[UNK]\nthe\n##s\n", encoding="utf-8")
    done = tokbench("import", "--from", "bert-vocab", tmp_path / "vocab.txt")
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert "an uncased BERT lower-cases it and strips accents before it cuts" in done.stderr


@pytest.mark.parametrize(
    "segmenter", ["{use: bpe", "{split: gpt2}", "{use: 3}", "{use: byte-bpe, splits: gpt2}"]
)
def test_a_segmenter_that_is_written_wrong(tmp_path: Path, segmenter: str) -> None:
    (tmp_path / "vocab.txt").write_text("[UNK]\nthe\n##s\n", encoding="utf-8")
    tokbench("import", "--from", "bert-vocab", tmp_path / "vocab.txt", "-o", tmp_path / "v.json")
    done = tokbench("segment", tmp_path / "v.json", "--segmenter", segmenter, stdin=b"the\n")
    assert done.returncode == 2
    assert done.stderr.startswith("error: segmenter ")
    assert done.stderr.count("\n") == 1
