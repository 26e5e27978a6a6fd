"""`export` and `import` as people use them, beyond the session of `docs/how-to/interchange.md`."""

import shlex
from pathlib import Path

import pytest

from tests.interchange.samples import LOW, bpe, byte_bpe
from tests.run_cli import tokbench_here as tokbench
from tests.shipped import ShippedRun
from tokbench.api import Vocabulary

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


def test_two_files_go_to_a_folder_and_come_from_it(in_bytes: Path, tmp_path: Path) -> None:
    folder = tmp_path / "made" / "gpt2"
    assert tokbench("export", in_bytes, "--to", "gpt2", "-o", folder).returncode == 0
    assert sorted(path.name for path in folder.iterdir()) == ["encoder.json", "vocab.bpe"]
    of_folder = tokbench("import", folder, "--from", "gpt2").stdout
    of_files = tokbench("import", folder / "vocab.bpe", folder / "encoder.json", "--from", "gpt2")
    assert of_folder == of_files.stdout
    assert Vocabulary.from_json(of_folder).tokens == byte_bpe(LOW, 6).tokens
    (folder / "encoder.json").rename(folder / "vocab.json")
    (folder / "vocab.bpe").rename(folder / "merges.txt")
    assert tokbench("import", folder, "--from", "gpt2").stdout == of_folder


def test_names_and_options_that_are_no_text_are_named(in_bytes: Path, tmp_path: Path) -> None:
    """So a shell gives bytes that are no UTF-8."""
    for arguments in (("import", in_bytes, "--from", "\udcff"), ("learn", "-O", "\udcff=1")):
        done = tokbench(*arguments, cwd=tmp_path)
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
        assert "'\\udcff" in done.stderr


def test_nothing_is_written_over(in_bytes: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    taken = tmp_path / "folder" / "vocab.bpe"
    taken.write_text("mine")
    done = tokbench("export", in_bytes, "--to", "gpt2", "-o", tmp_path / "folder")
    message = "already exists: choose another name"
    assert (done.returncode, done.stderr) == (2, f"error: {taken}: {message}\n")
    assert taken.read_text() == "mine"
    assert [*(tmp_path / "folder").iterdir()] == [taken]


def test_word_splits_show_the_words_of_a_text(vocabulary: Path, tmp_path: Path) -> None:
    text = tmp_path / "low.txt"
    text.write_text(TEXT)
    done = tokbench("export", vocabulary, "--to", "word-splits", "--text", text)
    assert done.returncode == 0
    assert done.stdout.endswith(
        "==== Vocabulary ====\nlo w</w> 5\nlo w e r</w> 2\nn e west</w> 6\nw i d est</w> 3\n"
        "\n==== Merge Rules ====\ns t</w>\ne st</w>\nl o\nw est</w>\n"
    )


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


@pytest.mark.ci
def test_what_a_run_recommends_is_written(shipped_run: ShippedRun, tmp_path: Path) -> None:
    toy = shipped_run("toy")
    done = tokbench("export", toy, "--recommended", "--to", "subword-nmt", "-o", tmp_path / "codes")
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        0,
        "fused@merges:12 is what the run recommends",
    )
    named = tokbench("export", f"{toy}:fused@merges:12", "--to", "subword-nmt")
    assert (tmp_path / "codes").read_text() == named.stdout
    twice = tokbench("export", toy, "--recommended", "--size", "5", "--to", "subword-nmt")
    assert twice.returncode == 2
    assert "--recommended names the size" in twice.stderr
    none = tokbench("export", shipped_run("aaabdaaabac"), "--recommended", "--to", "subword-nmt")
    assert none.returncode == 2
    assert "the run recommends no system" in none.stderr
