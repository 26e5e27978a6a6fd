"""Formats of other people work as ours do; `tests/messages/formats.txt` names their mistakes."""

from pathlib import Path

import pytest

from tests.interchange.samples import LOW, bpe
from tests.run_cli import tokbench_here as tokbench
from tokbench.api import Vocabulary
from tokbench.plugins import is_file_name

MINE = Path(__file__).parents[1] / "data" / "format_plugin" / "token_list.py"


@pytest.fixture
def vocabulary(tmp_path: Path) -> Path:
    path = tmp_path / "v.json"
    path.write_text(bpe(LOW, 4, eow="absent").to_json(), encoding="utf-8")
    return path


def test_a_vocabulary_goes_to_the_format_of_a_plugin_file_and_back(
    vocabulary: Path, tmp_path: Path
) -> None:
    written = tmp_path / "tokens.txt"
    done = tokbench("export", vocabulary, "--to", "token-list", "-p", MINE, "-o", written)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    tokens = bpe(LOW, 4, eow="absent").tokens
    assert written.read_text(encoding="utf-8") == "\n".join(["# tokens", *tokens]) + "\n"
    back = tmp_path / "back.json"
    done = tokbench("import", written, "--from", "token-list", "-p", MINE, "-o", back)
    assert (done.returncode, done.stderr) == (0, "")
    cut = tokbench("segment", back, stdin=b"lowest\n")
    assert cut.stdout == "low est\n"


def test_the_example_refuses_what_it_cannot_carry(tmp_path: Path) -> None:
    cases = {
        "marks": bpe(LOW, 4),
        "bytes": Vocabulary(("a", "b"), units="bytes"),
        "special and unknown tokens": Vocabulary(("a", "b"), special=(1,)),
        "a token with the end of a line": Vocabulary(("a", "b\n")),
    }
    for what, vocabulary in cases.items():
        (tmp_path / "v.json").write_text(vocabulary.to_json(), encoding="utf-8")
        done = tokbench("export", tmp_path / "v.json", "--to", "token-list", "-p", MINE)
        assert (done.returncode, done.stdout) == (4, "")
        assert done.stderr == f"error: token-list cannot carry {what}\n"
    path = tmp_path / "tokens.txt"
    path.write_text("# merges\na\n")
    done = tokbench("import", path, "--from", "token-list", "-p", MINE)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == f"error: {path}:1: expected the title '# tokens'\n"


def test_its_files_are_recognised_everywhere(vocabulary: Path, tmp_path: Path) -> None:
    written = tmp_path / "tokens.txt"
    tokbench("export", vocabulary, "--to", "token-list", "-p", MINE, "-o", written)
    look = "this looks like a list of tokens"
    done = tokbench("import", written, "--from", "bert-vocab", "-p", MINE)
    message = f"{look}, not bert-vocab: import it --from token-list"
    assert (done.returncode, done.stderr) == (4, f"error: {written}: {message}\n")
    done = tokbench("segment", written, "-p", MINE, stdin=b"low\n")
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.endswith(f"; {look}: import it --from token-list\n")
    done = tokbench("import", vocabulary, "--from", "token-list", "-p", MINE)
    message = "this looks like a vocabulary of tokbench, not token-list: it needs no import"
    assert (done.returncode, done.stderr) == (4, f"error: {vocabulary}: {message}\n")


@pytest.mark.parametrize("name", ["../evil", "/abs", "..", ".", "", "a/b", "a\\b", "C:a", "\0", 7])
def test_a_format_writes_no_file_outside_the_folder(name: object) -> None:
    assert not is_file_name(name)


def test_formats_are_listed_with_their_package() -> None:
    rows = tokbench("plugins", "--format", "csv", "-p", MINE).stdout.splitlines()
    assert f"token_list.py,{MINE},,format,,token-list" in rows
    (ours,) = (row for row in rows if row.startswith("formats,tokbench,"))
    assert ours.endswith(
        ',format,,"hf, gpt2, subword-nmt, tiktoken, sentencepiece-vocab, bert-vocab, word-splits"'
    )
