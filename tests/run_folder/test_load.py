"""A run written and read back is the same; a file that was changed is one clear message."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest

from tokbench import Run
from tokbench.errors import InputError, UsageError
from tokbench.run_folder import damage, write_run
from tokbench.run_folder.arrays import save
from tokbench.run_folder.layout import RECORD, Layout
from tokbench.run_folder.run import TABLES
from tokbench.run_folder.seal import SEAL, seal

from .sample import RUN, sealed_again

CHANGED = "changed since the run wrote it: its SHA-256 is not the one in run.json"

Folder = Callable[[], Path]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Write the sample."""

    def write() -> Path:
        write_run(tmp_path / "run", RUN)
        return tmp_path / "run"

    return write


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_run_reads_back_as_it_was(folder: Folder) -> None:
    run = Run.load(folder())
    for name in ("record", "rows", "coverage", "advice", "sizes", "signatures"):
        assert getattr(run, name) == getattr(RUN, name), name
    assert run.curves is not None
    assert RUN.curves is not None
    for curve, written in zip(run.curves, RUN.curves, strict=True):
        assert (curve.key, curve.subset, curve.unit) == (written.key, written.subset, written.unit)
        assert curve.sizes.tolist() == written.sizes.tolist()
        assert np.array_equal(curve.values, written.values, equal_nan=True)


@pytest.mark.parametrize("stored", ["memory", "folder"])
def test_vocabularies_words_and_tokens_are_given_on_demand(folder: Folder, stored: str) -> None:
    run = RUN if stored == "memory" else Run.load(folder())
    assert run.vocabulary("bpe", "3").tokens == ("a", "b", "c")
    assert run.vocabulary("bpe", "4") == run.vocabulary("bpe") == RUN.learned["bpe"]
    assert run.words("text").text == ("ab", "한")
    assert run.words("novel").category == ("name",)
    assert run.segmentation("bpe", "text", "3").ids.tolist() == [0, 1, -1]
    assert run.segmentation("bpe", "text", "4").ids.tolist() == [3, -1]
    assert run.segmentation("bpe", "novel", "4", "isolated").kept_whole.tolist() == [True]
    assert run.segmentation("char", "text").pieces(0) == ["a", "b"]
    assert run.segmentation("bpe", "text", "3").ids.tolist() == [0, 1, -1]  # after another system


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda run: run.words("x"), "the run has no test corpus 'x'"),
        (
            lambda run: run.vocabulary("bpe", 99),
            "the size of a vocabulary: bpe has 4 tokens, not 99",
        ),
        (lambda run: run.vocabulary("x"), "the run has no vocabulary of 'x'; there are: bpe, char"),
        (
            lambda run: run.vocabulary("bpe", "few"),
            "the size of a vocabulary: found 'few', expected a number of tokens, or merges:N",
        ),
        (
            lambda run: run.segmentation("bpe", "text", "5"),
            "the run has no tokens of system 'bpe' on corpus 'text' at size '5'",
        ),
        (
            lambda run: run.segmentation("bpe", "text", "4", "in-context"),
            "the run has no tokens of system 'bpe' on corpus 'text' at size '4', in-context",
        ),
        (
            lambda run: run.segmentation("broken", "novel"),
            "the run has no tokens of system 'broken' on corpus 'novel' at size ''",
        ),
    ],
)
def test_what_a_run_does_not_hold_is_named(ask: Callable[[Run], Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        ask(RUN)
    assert str(caught.value) == message


def test_a_signature_is_joined_from_its_parts() -> None:
    corpus, end = "train=train@000000|test=text@111111|words=words", "resamples=100,seed=0"
    assert RUN.signature(RUN.rows[1]) == (
        f"bpe(eow=absent)|size=4|{corpus}|fertility|{end}|tokbench=1"
    )
    in_context = replace(RUN.rows[3], context="in-context")
    assert RUN.signature(in_context) == f"char|{corpus}|in-context|fertility|{end}|tokbench=1"


def test_a_row_of_a_frame_a_dictionary_and_a_tuple_have_the_signature_of_their_row() -> None:
    frame = RUN.frame()
    for number, row in enumerate(RUN.rows):
        forms: list[Any] = [frame.iloc[number], frame.iloc[number].to_dict(), vars(row)]
        forms += [tuple(vars(row).values()), [*frame.itertuples()][number]]
        assert {RUN.signature(form) for form in forms} == {RUN.signature(row)}
    place = {"system": "bpe", "size": 3, "corpus": "text", "context": "isolated"}
    assert RUN.signature({**place, "metric": "fertility"}) == RUN.signature(RUN.rows[0])
    read_by_pandas = {**place, "size": 3.0, "metric": "fertility"}  # a column with empty cells
    assert RUN.signature(read_by_pandas) == RUN.signature(RUN.rows[0])
    share = {"training-share": "0.1", "metric": "fertility"}
    assert "|training-share=0.1|" in RUN.signature({**place, **share})


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"system": "bpe", "size": 3}, "a row of results.csv: missing: corpus, context, metric"),
        (("bpe", "3"), "found a tuple of 2, expected the 28 cells of a row of results.csv"),
        ("bpe", "a row of results.csv: found 'bpe', expected a mapping or a tuple"),
        (None, "a row of results.csv: found None, expected a mapping or a tuple"),
        (
            {"system": "bpe", "size": 5, "corpus": "text", "context": "", "metric": "fertility"},
            "the run has no results of system 'bpe' at size '5' on corpus 'text'",
        ),
        (
            {"system": "bpe", "size": 3, "corpus": "text", "context": "", "metric": "fertile"},
            "the run has no metric 'fertile'; there are: fertility",
        ),
    ],
)
def test_what_is_no_row_of_the_run_has_no_signature(row: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        RUN.signature(row)


def test_a_run_names_itself_in_one_line() -> None:
    assert repr(RUN) == "<Run by-hand: 3 systems, 2 test corpora, 5 rows of results>"


def test_sizes_may_be_numbers() -> None:
    assert RUN.vocabulary("bpe", 3) is RUN.vocabulary("bpe", "3")
    assert RUN.segmentation("bpe", "text", 3).ids.tolist() == [0, 1, -1]


def test_two_contexts_are_distinguished() -> None:
    """Of words cut alone beside the same in context, the arrays are below `isolated`."""
    own, isolated_copy = RUN.record.outcomes[2], replace(RUN.record.outcomes[2], isolated_copy=True)
    arrays = RUN.states["char"]
    both = arrays | {name.replace("text/", "text/isolated/"): a for name, a in arrays.items()}
    both["text/isolated/ids"] = both["text/isolated/ids"] * 0
    outcomes = (replace(own, context="in-context"), isolated_copy)
    run = replace(RUN, states={"char": both}, record=replace(RUN.record, outcomes=outcomes))
    for context, ids in ((None, [0, 1, -1]), ("in-context", [0, 1, -1]), ("isolated", [0, 0, 0])):
        assert run.segmentation("char", "text", "", context).ids.tolist() == ids


def test_later_columns_files_and_keys_are_passed_over(folder: Folder) -> None:
    """A later version of the same format may write more."""
    read = folder()
    for name in ("results.csv", "data/curves.csv"):
        head, *lines = (read / name).read_text(encoding="utf-8").splitlines()
        text = "".join(f"later,{line}\n" for line in [head, *lines])
        (read / name).write_text(text, encoding="utf-8")
    (read / "later.csv").touch()
    record = json.loads((read / RECORD).read_text(encoding="utf-8"))
    record = {name: value for name, value in record.items() if name not in ("format", SEAL)}
    (read / RECORD).unlink()
    (read / RECORD).write_text(seal(read, {**record, "later": [1]}), encoding="utf-8")
    run = Run.load(read)
    assert run.rows == RUN.rows
    assert run.record == RUN.record


def test_the_seal_holds_the_digest_of_every_file_but_documents(folder: Folder) -> None:
    """As `sha256sum` prints them: hashlib's SHA-256 of each whole file."""
    read = folder()
    document = json.loads((read / RECORD).read_text(encoding="utf-8"))
    digests = document.pop(SEAL)
    of_files = {name: hashlib.sha256(data).hexdigest() for name, data in contents(read).items()}
    without_seal = json.dumps(document, indent=1) + "\n"
    assert digests == of_files | {RECORD: hashlib.sha256(without_seal.encode()).hexdigest()}


@pytest.mark.parametrize("name", [*map(Layout().table, (*TABLES, "curves"))])
def test_a_table_that_was_changed_or_is_missing(folder: Folder, name: str) -> None:
    read = folder()
    data = (read / name).read_bytes()
    for wrong in (data + b"\n", data[:-1], b"", data.replace(b"e", b"f")):
        (read / name).write_bytes(wrong)
        assert refusal(read) == f"{read / name}: {CHANGED}"
    (read / name).unlink()
    assert refusal(read) == f"{read / name}: cannot be read: No such file or directory"


def test_a_changed_table_may_be_read_as_it_is(folder: Folder) -> None:
    """As a spreadsheet saves it: with a byte order mark and its own line ends."""
    read = folder()
    path = read / "results.csv"
    text = path.read_text(encoding="utf-8").replace("0.125", "0.5")
    path.write_bytes(text.replace("\n", "\r\n").encode("utf-8-sig"))
    messages: list[str] = []
    run = Run.load(read, messages.append)
    assert messages == [f"{path}: {CHANGED}"]
    assert [row.value for row in run.rows] == [1.5, 0.5, None, 1.66666666667, None]
    (read / "data/vocabularies/bpe.json").write_text("{}")
    with pytest.raises(InputError, match=CHANGED):
        run.vocabulary("bpe")


@pytest.mark.parametrize(
    ("old", "new"),
    [('"seed": 0', '"seed": 1'), ('"seed": 0,', ""), ('"outcomes": [', '"outcomes": [],"x": [')],
)
def test_a_record_that_was_changed(folder: Folder, old: str, new: str) -> None:
    read = folder()
    text = (read / RECORD).read_text(encoding="utf-8")
    assert old in text
    (read / RECORD).write_text(text.replace(old, new), encoding="utf-8")
    assert refusal(read) == f"{read / RECORD}: {CHANGED}"


@pytest.mark.parametrize("version", [2, "4"])
def test_another_format(folder: Folder, version: object) -> None:
    read = folder()
    document = json.loads((read / RECORD).read_text(encoding="utf-8"))
    (read / RECORD).write_text(json.dumps({**document, "format": version}), encoding="utf-8")
    assert refusal(read) == f"{read}: a run of format {version!r}, this version reads 3 and 4"


@pytest.mark.parametrize(
    ("lacking", "what"),
    [(RECORD, "packages: Field required"), ("data/coverage.csv", "missing: 'context'")],
)
def test_a_run_of_a_version_that_wrote_less(folder: Folder, lacking: str, what: str) -> None:
    read = folder()
    document = json.loads((read / RECORD).read_text(encoding="utf-8"))
    left_out = ("format", SEAL, "packages" if lacking == RECORD else "")
    kept = {key: value for key, value in document.items() if key not in left_out}
    (read / lacking).write_text("system,size\n", encoding="utf-8")
    (read / RECORD).unlink()
    (read / RECORD).write_text(seal(read, kept), encoding="utf-8")
    assert refusal(read) == f"{read / lacking}: damaged, or written by another version: {what}"


def test_cells_may_be_long_and_files_are_closed(tmp_path: Path) -> None:
    """The csv module stops at 131,072 characters by default; an option may hold more."""
    (signature, *rest) = RUN.signatures
    run = replace(RUN, signatures=(replace(signature, beginning="x" * 200_000), *rest))
    write_run(tmp_path / "run", run)
    loaded = Run.load(tmp_path / "run")
    assert loaded.signatures == run.signatures
    assert loaded.words("text").text == RUN.words("text").text
    open_files = Path("/proc/self/fd")
    if open_files.is_dir():
        names = {str(path.readlink()) for path in open_files.iterdir() if path.is_symlink()}
        assert not [name for name in names if name.startswith(str(tmp_path))]


def test_blank_lines_at_the_end_of_a_table_are_none(folder: Folder) -> None:
    read = folder()
    with (read / "results.csv").open("a", encoding="utf-8") as file:
        file.write("\n\n")
    assert Run.load(read, lambda message: None).rows == RUN.rows


def refusal(folder: Path) -> str:
    with pytest.raises(InputError) as caught:
        Run.load(folder)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "ask"),
    [
        ("data/words.npz", lambda run: run.words("text")),
        ("data/segmentations/bpe.npz", lambda run: run.segmentation("bpe", "text", "4")),
        ("data/vocabularies/bpe.json", lambda run: run.vocabulary("bpe", "3")),
    ],
)
def test_what_is_read_on_demand_is_refused_only_then(
    folder: Folder, name: str, ask: Callable[[Run], Any]
) -> None:
    read = folder()
    raw = bytearray((read / name).read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    (read / name).write_bytes(raw)
    with pytest.raises(InputError) as caught:
        ask(Run.load(read))
    assert str(caught.value) == f"{read / name}: {CHANGED}"
    (read / name).unlink()
    with pytest.raises(InputError, match="cannot be read: No such file or directory"):
        ask(Run.load(read))


@pytest.mark.parametrize(
    "name", ["../x", "data/../../x", "/etc/passwd", "C:\\x", "..\\x", "a\0", "\ud800"]
)
def test_a_file_that_is_named_outside_the_folder_is_not_read(folder: Folder, name: str) -> None:
    read = folder()
    sealed_again(read, **{name: "0" * 64})
    message = f"{read / RECORD}: damaged: {name!r} is no file of a run folder"
    assert refusal(read) == message
    with pytest.raises(InputError) as caught:
        damage(read)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("name", "array", "change"),
    [
        ("words", "text/words-ends", "dropped"),
        ("words", "text/words-ends", "no array"),
        ("words", "text/words-ends", "of text"),
        ("segmentations/bpe", "text/tokens", "dropped"),
        ("segmentations/bpe", "text/tokens", "no array"),
        ("segmentations/bpe", "text/tokens", "shorter"),
    ],
)
def test_arrays_that_were_changed_with_their_digest_are_damaged(
    folder: Folder, name: str, array: str, change: str
) -> None:
    read = folder()
    file = read / f"data/{name}.npz"
    with np.load(file) as stored:
        arrays = dict(stored)
    values = arrays.pop(array)
    if change == "of text":
        arrays[array] = np.array(["x"] * len(values))
    elif change == "shorter":
        arrays[array] = values[:0]
    save(file, arrays)
    if change == "no array":
        with ZipFile(file, "a") as archive:
            archive.writestr(f"{array}.npy", b"x")
    sealed_again(read)
    with pytest.raises(InputError) as caught:
        Run.load(read).segmentation("bpe", "text", "4")
    assert str(caught.value).startswith(f"{file}: ")


def test_a_cell_that_is_no_number_is_damaged_in_a_frame(folder: Folder) -> None:
    read = folder()
    path = read / "data/unseen.csv"
    header, row, *rest = path.read_text(encoding="utf-8").splitlines()
    cells = row.split(",")
    cells[header.split(",").index("low")] = "nan"
    path.write_text("\n".join([header, ",".join(cells), *rest, ""]), encoding="utf-8")
    sealed_again(read)
    with pytest.raises(InputError, match=r"the column low of unseen: damaged: .* 'nan'"):
        Run.load(read).frame("unseen")


@pytest.mark.parametrize(
    "text",
    [
        None,
        "[]",
        "{}",
        '{"format": 4}',
        '{"tokbench": "1", "format": 4, "sha256": 5}',
    ],
)  # fmt: skip
def test_a_folder_that_is_no_run(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "run.json").write_text(text)
    with pytest.raises(UsageError, match=r"not a run of tokbench \(no run\.json of ours\)"):
        Run.load(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"format": 3', r"Expecting ',' delimiter: line 1 column 13"),
        (b"[" * 100_000, "maximum recursion depth"),
        (b"\xff", "'utf-8' codec"),
    ],
)
def test_a_damaged_record(tmp_path: Path, text: bytes, message: str) -> None:
    (tmp_path / "run.json").write_bytes(text)
    with pytest.raises(InputError, match=rf"run\.json: damaged: it is no JSON: .*{message}"):
        Run.load(tmp_path)


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file: is a file, not a run folder"):
        Run.load(tmp_path / "file")
    with pytest.raises(InputError, match="nowhere: there is no such run"):
        Run.load(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"xxx: (cannot be read: |there is no such run)"):
        Run.load(tmp_path / ("x" * 300))
