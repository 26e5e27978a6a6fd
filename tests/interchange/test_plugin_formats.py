"""Formats of other people: by a plugin file they work as ours do, and their mistakes are named."""

from pathlib import Path

import pytest

from tests.interchange.samples import LOW, bpe
from tests.run_cli import tokbench_here as tokbench
from tokbench.api import Vocabulary

MINE = Path(__file__).parents[1] / "data" / "format_plugin" / "token_list.py"
HEAD = """\
from tokbench.api import Exported, Imported, VocabularyFormat, hookimpl

class Mine(VocabularyFormat):
    def write(self, vocabulary, given):
        return Exported({"a": "text"})
    def read(self, sources):
        raise SystemExit(7)
"""
HOOK = """
@hookimpl
def tokbench_formats():
    return {"mine": Mine}
"""


@pytest.fixture
def vocabulary(tmp_path: Path) -> Path:
    path = tmp_path / "v.json"
    path.write_text(bpe(LOW, 4, eow="absent").to_json(), encoding="utf-8")
    return path


def plugin(folder: Path, body: str) -> Path:
    """Write a plugin that offers the format `mine`, with a method of its own."""
    path = folder / "mine.py"
    path.write_text(f"{HEAD}    {body}\n{HOOK}", encoding="utf-8")
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


@pytest.mark.parametrize(
    ("vocabulary", "what"),
    [
        (bpe(LOW, 4), "marks"),
        (Vocabulary(("a", "b"), units="bytes"), "bytes"),
        (Vocabulary(("a", "b"), bytes={1: 0}), "bytes"),
        (Vocabulary(("a", "b"), special=(1,)), "special and unknown tokens"),
        (Vocabulary(("a", "b"), unknown=0), "special and unknown tokens"),
        (Vocabulary(("a", "b\n")), "a token with the end of a line"),
    ],
)
def test_the_example_refuses_what_it_cannot_carry(
    tmp_path: Path, vocabulary: Vocabulary, what: str
) -> None:
    (tmp_path / "v.json").write_text(vocabulary.to_json(), encoding="utf-8")
    done = tokbench("export", tmp_path / "v.json", "--to", "token-list", "-p", MINE)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == f"error: token-list cannot carry {what}\n"


@pytest.mark.parametrize("text", ["", "a\nb\n", "# merges\na\n"])
def test_the_example_refuses_a_file_without_its_title(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tokens.txt"
    path.write_text(text)
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


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "def write(self, vocabulary, given): return 1 / 0",
            "ZeroDivisionError: division by zero (mine.py:8)",
        ),
        ("def write(self, vocabulary, given): raise SystemExit(7)", "SystemExit: 7 (mine.py:8)"),
        (
            "def write(self, vocabulary, given): return 'text'",
            "write gave 'text', expected an Exported",
        ),
        ("folder_names = (('a', 'b'),)", "write gave 1 files, not 2"),
        (
            "def write(self, vocabulary, given): return Exported({'a': '\\ud800'})",
            "UnicodeEncodeError: 'utf-8' codec can't encode character '\\ud800' in position 0: "
            "surrogates not allowed",
        ),
        (
            "def write(self, vocabulary, given): return Exported(None)",
            "write gave None, expected a mapping of names to texts as `files`",
        ),
        (
            "def write(self, vocabulary, given): return Exported({'a': b'text'})",
            "write gave {'a': b'text'}, expected a mapping of names to texts as `files`",
        ),
        (
            "def write(self, vocabulary, given): return Exported({1: 'text'})",
            "write gave 1, expected the name of a file without a folder",
        ),
        (
            "def write(self, vocabulary, given): return Exported({'a': ''}, notes=None)",
            "write gave None, expected a tuple of texts as `notes`",
        ),
        (
            "def write(self, vocabulary, given): return Exported({'a': ''}, notes='abc')",
            "write gave 'abc', expected a tuple of texts as `notes`",
        ),
    ],
)
def test_what_a_format_does_wrong_is_one_message_that_names_it(
    vocabulary: Path, tmp_path: Path, body: str, message: str
) -> None:
    mine = plugin(tmp_path, body)
    done = tokbench("export", vocabulary, "--to", "mine", "-p", mine, "-o", tmp_path / "out")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"error: format mine: {message}\n"
    assert not (tmp_path / "out").exists()


def test_a_format_that_fails_to_read_is_named_too(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    done = tokbench("import", file, "--from", "mine", "-p", plugin(tmp_path, ""))
    assert (done.returncode, done.stderr) == (1, "error: format mine: SystemExit: 7 (mine.py:7)\n")
    wrong = plugin(tmp_path, "def read(self, sources): return {}")
    done = tokbench("import", file, "--from", "mine", "-p", wrong)
    assert (
        done.stderr == "error: format mine: read gave {}, expected an Imported with a Vocabulary\n"
    )


@pytest.mark.parametrize("name", ["../evil", "/abs", "..", ".", "", "a/b", "a\\b", "C:a", "\0", 7])
def test_a_format_writes_no_file_outside_the_folder(
    vocabulary: Path, tmp_path: Path, name: object
) -> None:
    files = {"a": "text", name: "text"}
    body = "@property\n    def file_count(self): return 2\n"
    body += f"    def write(self, vocabulary, given): return Exported({files!r})"
    out = tmp_path / "out" / "folder"
    mine = plugin(tmp_path, body)
    done = tokbench("export", vocabulary, "--to", "mine", "-p", mine, "-o", out)
    assert (done.returncode, done.stdout) == (1, "")
    message = f"write gave {name!r}, expected the name of a file without a folder"
    assert done.stderr == f"error: format mine: {message}\n"
    assert not (tmp_path / "out").exists()


def test_a_format_writes_the_files_that_it_declares(vocabulary: Path, tmp_path: Path) -> None:
    body = "folder_names = (('a', 'b'), ('c', 'd'))\n"
    body += "    def write(self, vocabulary, given): return Exported({'a': '', 'd': ''})"
    mine = plugin(tmp_path, body)
    done = tokbench("export", vocabulary, "--to", "mine", "-p", mine, "-o", tmp_path / "out")
    assert (done.returncode, done.stdout) == (1, "")
    message = "write gave ['a', 'd'], expected the files a, b or c, d"
    assert done.stderr == f"error: format mine: {message}\n"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("names", ["((),)", "None", "('a.txt',)", "(('../a', 'b'),)", "((1, 2),)"])
def test_wrong_names_of_files_break_the_plugin(
    vocabulary: Path, tmp_path: Path, names: str
) -> None:
    mine = plugin(tmp_path, f"folder_names = {names}")
    done = tokbench("export", vocabulary, "--to", "mine", "-p", mine)
    assert (done.returncode, done.stdout) == (3, "")
    expected = "expected a tuple that holds a tuple of file names for each convention"
    message = f"the format 'mine' declares `folder_names`: found {names}"
    assert f"{message}, {expected}" in done.stderr


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ("return 1 / 0", 1, "format mine: ZeroDivisionError: division by zero (mine.py:9)"),
        (
            "return 'one'",
            3,
            "the format 'mine' declares `file_count`: found 'one', expected a number of at least 1",
        ),
    ],
)
def test_a_wrong_number_of_files_is_named(
    vocabulary: Path, tmp_path: Path, body: str, code: int, message: str
) -> None:
    mine = plugin(tmp_path, f"@property\n    def file_count(self): {body}")
    done = tokbench("export", vocabulary, "--to", "mine", "-p", mine)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", f"error: {message}\n")


@pytest.mark.parametrize("notes", [None, "abc", (1,)])
def test_wrong_notes_of_an_import_are_named(tmp_path: Path, notes: object) -> None:
    (tmp_path / "file").write_text("x")
    body = f"def read(self, sources): return Imported(Vocabulary(()), {notes!r})"
    mine = plugin(tmp_path, body)
    mine.write_text(f"from tokbench.api import Vocabulary\n{mine.read_text()}")
    done = tokbench("import", tmp_path / "file", "--from", "mine", "-p", mine)
    assert (done.returncode, done.stdout) == (1, "")
    message = f"read gave {notes!r}, expected a tuple of texts as `notes`"
    assert done.stderr == f"error: format mine: {message}\n"


@pytest.mark.parametrize(
    ("look", "message"),
    [
        ("'thing'", "; this looks like thing"),
        ("'thing', None", ""),
        ("'thing', 'hf2'", ""),
        ("'thing', ('hf',), None", ""),
        ("None, ('hf',)", ""),
    ],
)
def test_a_wrong_look_is_none(tmp_path: Path, look: str, message: str) -> None:
    (tmp_path / "file").write_text("x")
    mine = plugin(tmp_path, f"def recognise(self, data): return Recognised({look})")
    mine.write_text(f"from tokbench.api import Recognised\n{mine.read_text()}")
    done = tokbench("segment", tmp_path / "file", "-p", mine, stdin=b"low\n")
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.endswith(f"line 1 column 1 (char 0){message}\n")


def test_an_option_that_a_format_needs_is_asked_for(vocabulary: Path, tmp_path: Path) -> None:
    mine = plugin(tmp_path, "split: bool")
    done = tokbench("export", vocabulary, "--to", "mine", "-p", mine)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: format mine: the key `split` is missing\n"
    done = tokbench("export", vocabulary, "--to", "mine", "-p", mine, "--split", "gpt2")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: format mine: split: found 'gpt2', expected true or false\n"


def test_a_vocabulary_that_is_no_json_names_its_format(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    body = "def read(self, sources): return Imported(Vocabulary((), extra={'a': {1}}))"
    mine = plugin(tmp_path, body)
    mine.write_text(f"from tokbench.api import Vocabulary\n{mine.read_text()}")
    done = tokbench("import", tmp_path / "file", "--from", "mine", "-p", mine)
    assert (done.returncode, done.stdout) == (1, "")
    message = "TypeError: Object of type set is not JSON serializable"
    assert done.stderr == f"error: format mine: {message}\n"


def test_a_format_that_recognises_nothing_but_errors_costs_only_its_hints(
    vocabulary: Path, tmp_path: Path
) -> None:
    mine = plugin(tmp_path, "def recognise(self, data): raise ValueError(data)")
    written = tmp_path / "codes"
    assert tokbench("export", vocabulary, "--to", "word-splits", "-o", written).returncode == 0
    done = tokbench("import", written, "--from", "word-splits", "-p", mine)
    assert (done.returncode, done.stderr) == (0, "")
    done = tokbench("import", written, "--from", "hf", "-p", mine)
    assert done.stderr.endswith("word splits, not hf: import it --from word-splits\n")


@pytest.mark.parametrize("command", ["export --to", "import --from"])
def test_an_unknown_format_is_an_error_with_the_name_that_was_meant(
    vocabulary: Path, command: str
) -> None:
    name, option = command.split()
    done = tokbench(name, vocabulary, option, "tiktokenn")
    message = "no plugin offers a format 'tiktokenn'; did you mean 'tiktoken' (of tokbench)?"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"error: {message}\n")
    done = tokbench(name, vocabulary, option, "sqlite")
    assert done.stderr == (
        "error: no plugin offers a format 'sqlite'; there are: bert-vocab, gpt2, hf, "
        "sentencepiece-vocab, subword-nmt, tiktoken, word-splits\n"
    )


def test_two_plugins_with_one_name_are_both_named(vocabulary: Path, tmp_path: Path) -> None:
    mine = plugin(tmp_path, "")
    mine.write_text(mine.read_text().replace('"mine"', '"hf"'))
    done = tokbench("export", vocabulary, "--to", "hf", "-p", mine)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("error: the format 'hf' is offered by formats (tokbench) and ")


def test_a_format_that_cannot_be_imported_hides_no_message(
    vocabulary: Path, tmp_path: Path
) -> None:
    mine = plugin(tmp_path, "")
    mine.write_text(mine.read_text().replace('{"mine": Mine}', "{\"mine\": 'no_module:Mine'}"))
    done = tokbench("export", vocabulary, "--to", "gpt2", "-p", mine, "--split", "gpt2")
    assert (done.returncode, done.stderr) == (2, "error: --split is for --to hf\n")


def test_formats_are_listed_with_their_package() -> None:
    rows = tokbench("plugins", "--format", "csv", "-p", MINE).stdout.splitlines()
    assert f"token_list.py,{MINE},,format,,token-list" in rows
    (ours,) = (row for row in rows if row.startswith("formats,tokbench,"))
    assert ours.endswith(
        ',format,,"hf, gpt2, subword-nmt, tiktoken, sentencepiece-vocab, bert-vocab, word-splits"'
    )
