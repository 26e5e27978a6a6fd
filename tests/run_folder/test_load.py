"""A run written and read back is the same; whatever is damaged is one clear message."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tokbench import Run
from tokbench.errors import InputError, UsageError
from tokbench.report.documents import documents
from tokbench.run_folder import write_run
from tokbench.run_folder.arrays import save
from tokbench.run_folder.csvfile import write_lines

from .sample import RUN

Folder = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Write the sample, some of its files changed by a function; None removes one."""

    def write(**changed: Callable[[str], str | bytes] | None) -> Path:
        write_run(tmp_path / "run", RUN)
        for name, change in changed.items():
            path = tmp_path / "run" / name.replace("_", ".")
            text = path.read_text(encoding="utf-8")
            if change is None:
                path.unlink()
            else:
                found = change(text)
                path.write_bytes(found if isinstance(found, bytes) else found.encode())
        return tmp_path / "run"

    return write


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_run_reads_back_as_it_was(folder: Folder) -> None:
    found = Run.load(folder())
    for name in ("record", "rows", "coverage", "advice", "sizes", "signatures"):
        assert getattr(found, name) == getattr(RUN, name), name
    assert found.curves is not None
    assert RUN.curves is not None
    for one, known in zip(found.curves, RUN.curves, strict=True):
        assert (one.key, one.subset, one.unit) == (known.key, known.subset, known.unit)
        assert one.sizes.tolist() == known.sizes.tolist()
        assert np.array_equal(one.values, known.values, equal_nan=True)


def test_writing_what_was_read_gives_the_same_files(folder: Folder, tmp_path: Path) -> None:
    read = folder()
    write_run(tmp_path / "again", Run.load(str(read)))
    assert contents(tmp_path / "again") == contents(read)
    assert len(contents(read)) == 13


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


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda run: run.words("x"), "the run has no test corpus 'x'"),
        (lambda run: run.vocabulary("x"), "the run has no vocabulary of system 'x' at size ''"),
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


def test_two_contexts_are_told_apart() -> None:
    """Of words cut alone beside the same in context, the arrays are below `isolated`."""
    own, isolated_copy = RUN.record.outcomes[2], replace(RUN.record.outcomes[2], isolated_copy=True)
    arrays = RUN.states["char"]
    both = arrays | {name.replace("text/", "text/isolated/"): a for name, a in arrays.items()}
    both["text/isolated/ids"] = both["text/isolated/ids"] * 0
    outcomes = (replace(own, context="in-context"), isolated_copy)
    run = replace(RUN, states={"char": both}, record=replace(RUN.record, outcomes=outcomes))
    for context, ids in ((None, [0, 1, -1]), ("in-context", [0, 1, -1]), ("isolated", [0, 0, 0])):
        assert run.segmentation("char", "text", "", context).ids.tolist() == ids


def test_a_run_without_curves_has_none(folder: Folder, tmp_path: Path) -> None:
    systems = tuple(replace(system, curve_to=None) for system in RUN.record.systems)
    run = replace(RUN, curves=None, record=replace(RUN.record, systems=systems))
    write_run(tmp_path / "other", run)
    assert Run.load(tmp_path / "other").curves is None


def test_later_columns_and_keys_are_passed_over(folder: Folder) -> None:
    def wider(text: str) -> str:
        head, *lines = text.splitlines()
        return "".join(f"later,{line}\n" for line in [head, *lines])

    def with_key(text: str) -> str:
        return json.dumps({**json.loads(text), "later": [1]})

    found = Run.load(folder(results_csv=wider, curves_csv=wider, run_json=with_key))
    assert found.rows == RUN.rows
    assert found.record == RUN.record


def changed(old: str, new: str) -> Callable[[str], str]:
    """Replace one text, which must be there."""

    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return change


def without(start: str) -> Callable[[str], str]:
    """Leave out the line that begins so, which must be there."""

    def change(text: str) -> str:
        lines = text.splitlines(keepends=True)
        (line,) = (line for line in lines if line.startswith(start))
        return text.replace(line, "")

    return change


def record(**keys: Any) -> Callable[[str], str]:
    return lambda text: json.dumps({**json.loads(text), **keys})


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("results_csv", None, "results.csv: cannot be read: No such file or directory"),
        ("results_csv", lambda _: "", "results.csv: damaged: its head line has no system, lear"),
        ("results_csv", lambda _: "system,value\n", "its head line has no learner, segmenter"),
        ("results_csv", lambda t: t + "a,b\n", "results.csv:7: damaged: 2 cells, where 25 are"),
        ("results_csv", changed("0.125", "l.25"), "results.csv:3: damaged: 'l.25' is no number"),
        ("results_csv", changed("0.125", "nan"), "results.csv:3: damaged: 'nan' is no number"),
        ("results_csv", changed(",4,4,", ",-4,4,"), "results.csv:3: damaged: '-4' is no size"),
        ("results_csv", changed(",4,4,", ",2_0,4,"), "results.csv:3: damaged: '2_0' is no size"),
        ("results_csv", changed(",4,4,", f",{'2' * 20},4,"), "results.csv:3: damaged: '2222222"),
        ("results_csv", changed(",4,4,", ",4,4.5,"), "results.csv:3: damaged: '4.5' is no whole"),
        ("results_csv", lambda text: text + '"', "results.csv: damaged: unexpected end of data"),
        ("results_csv", lambda text: text.encode() + b"\xff", "results.csv: damaged: 'utf-8' cod"),
        ("curves_csv", None, "curves.csv: cannot be read: No such file or directory"),
        ("curves_csv", changed(",6,", ",3,"), "curves.csv:4: damaged: size 3 stands after 4"),
        ("curves_csv", changed(",6,", ",4,"), "curves.csv:4: damaged: size 4 stands after 4"),
        ("curves_csv", changed(",6,", ",,"), "curves.csv:4: damaged: a value has no size"),
        ("curves_csv", changed("1.25", "x"), "curves.csv:4: damaged: 'x' is no number"),
        ("advice_csv", None, "advice.csv: cannot be read: No such file or directory"),
        ("sizes_csv", None, "sizes.csv: cannot be read: No such file or directory"),
        ("coverage_csv", None, "coverage.csv: cannot be read: No such file or directory"),
        ("signatures_csv", None, "signatures.csv: cannot be read: No such file or directory"),
        ("advice_csv", changed(",3,", ",big,"), "advice.csv:2: damaged: 'big' is no size"),
        ("sizes_csv", changed(",2,", ",7.5,"), "sizes.csv:2: damaged: '7.5' is no whole num"),
        ("sizes_csv", changed(",4,0,", ",4,,"), "sizes.csv:3: damaged: '' is no number"),
        ("coverage_csv", changed("0.333333333333", ""), "coverage.csv:2: damaged: '' is no numb"),
        ("run_json", lambda _: "{", "run.json: damaged: "),
        ("run_json", lambda _: "[" * 100_000, "run.json: damaged: "),
        ("run_json", record(format=1), "a run of format 1, this version reads 2"),
        ("run_json", record(format=3), "a run of format 3, this version reads 2"),
        ("run_json", record(seed="x"), "run.json: damaged: seed: found 'x'"),
        ("run_json", record(seed=True), "run.json: damaged: seed: found True"),
        ("run_json", record(corpora=[]), "run.json: damaged: it names no corpora"),
        ("run_json", record(corpora={}), "run.json: damaged: corpora: found {}"),
        ("run_json", record(corpora=[[]]), "run.json: damaged: corpora is no mapping"),
        ("run_json", record(cost=[{}]), "run.json: damaged: cost has no 'system'"),
        ("run_json", record(baseline=1), "run.json: damaged: baseline: found 1"),
        (
            "run_json",
            changed('"size": "3"', '"size": "big"'),
            "run.json: damaged: 'big' is no size",
        ),
        (
            "run_json",
            changed('"better": "lower"', '"better": ""'),
            "json: damaged: unknown `better`",
        ),
        ("run_json", record(systems=[]), "run.json: damaged: unknown system 'bpe'"),
        ("run_json", record(metrics=[]), "results.csv: damaged: unknown metric 'fertility'"),
        (
            "run_json",
            record(outcomes=[]),
            "results.csv: damaged: system 'bpe' has no outcome at si",
        ),
        (
            "run_json",
            changed('"running": 3', '"running": 0'),
            "json: damaged: corpus 'text' has no",
        ),
        ("results_csv", changed("char,char", "x,char"), "results.csv: damaged: unknown system 'x'"),
        ("results_csv", changed(",text,all", ",x,all"), "results.csv: damaged: unknown corpus 'x'"),
        ("results_csv", changed("fertility", "x"), "results.csv: damaged: unknown metric 'x'"),
        ("results_csv", changed("lower", "best"), "results.csv: damaged: unknown `better` 'best'"),
        ("advice_csv", changed("lower", "best"), "advice.csv: damaged: unknown `better` 'best'"),
        ("advice_csv", changed("bpe", "x"), "advice.csv: damaged: unknown system 'x'"),
        ("sizes_csv", changed("bpe", "x"), "sizes.csv: damaged: unknown system 'x'"),
        ("curves_csv", changed("bpe", "char"), "curves.csv: damaged: unknown system 'char'"),
        ("coverage_csv", changed("char", "x"), "coverage.csv: damaged: unknown system 'x'"),
        ("coverage_csv", changed("novel", "x"), "coverage.csv: damaged: unknown corpus 'x'"),
        ("coverage_csv", changed("bpe,4,", "bpe,5,"), "system 'bpe' has no outcome at size '5'"),
        (
            "coverage_csv",
            without("bpe,3,isolated,text"),
            "coverage.csv: damaged: no line for system 'bpe' at size '3' on corpus 'text'",
        ),
        ("signatures_csv", without("bpe,4"), "no line for system 'bpe' at size '4'"),
        (
            "signatures_csv",
            without(",,novel"),
            "signatures.csv: damaged: no line for corpus 'novel'",
        ),
    ],
)
def test_a_file_that_is_missing_or_damaged(
    folder: Folder, name: str, change: Callable[[str], str] | None, message: str
) -> None:
    read = folder(**{name: change})
    with pytest.raises(InputError) as caught:
        Run.load(read)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(read))
    assert "\n" not in str(caught.value)


def test_what_is_read_on_demand_is_damaged_only_then(folder: Folder) -> None:
    read = folder()
    (read / "words.npz").write_bytes(b"")
    (read / "segmentations" / "bpe.npz").unlink()
    (read / "vocabularies" / "bpe.json").write_text("{}")
    run = Run.load(read)
    with pytest.raises(InputError, match=r"words\.npz: damaged: "):
        run.words("text")
    with pytest.raises(InputError, match=r"bpe\.npz: cannot be read: No such file"):
        run.segmentation("bpe", "text", "4")
    with pytest.raises(InputError, match=r"bpe\.json: not a vocabulary of format 1"):
        run.vocabulary("bpe")


def test_a_vocabulary_that_is_missing(folder: Folder) -> None:
    read = folder()
    (read / "vocabularies" / "char.json").unlink()
    with pytest.raises(InputError) as caught:
        Run.load(read)
    assert str(caught.value) == (
        f"{read / 'vocabularies'}: damaged: no file for system 'char' at size ''"
    )


def test_a_vocabulary_that_is_no_text(folder: Folder) -> None:
    read = folder()
    (read / "vocabularies" / "char.json").write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"char\.json: damaged: 'utf-8' codec"):
        Run.load(read).vocabulary("char")


@pytest.mark.parametrize("name", ["text/ids", "text/since", "text/round_trip", "text/row"])
def test_arrays_that_are_missing(folder: Folder, name: str) -> None:
    read = folder()
    path = read / "segmentations" / "bpe.npz"
    save(path, {key: array for key, array in RUN.states["bpe"].items() if key != name})
    run = Run.load(read)
    with pytest.raises(InputError) as caught:
        documents(run)
    assert str(caught.value).startswith(f"{path}: {name.partition('/')[0]}/")
    assert str(caught.value).endswith(": damaged: missing")


@pytest.mark.parametrize("text", [None, "[]", "{}", '{"format": 2}'])
def test_a_folder_that_is_no_run(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "run.json").write_text(text)
    with pytest.raises(UsageError, match=r"not a run of tokbench \(no run\.json of ours\)"):
        Run.load(tmp_path)


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file: is a file, not a run folder"):
        Run.load(tmp_path / "file")
    with pytest.raises(InputError, match="nowhere: there is no such folder"):
        Run.load(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"xxx: (cannot be read: |there is no such folder)"):
        Run.load(tmp_path / ("x" * 300))


def test_lines_are_written_as_they_are_read(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.csv", ("a", "b"), [("1,2", 'say "a"'), ("", "\ud800")])
    assert (tmp_path / "a.csv").read_bytes() == b'a,b\n"1,2","say ""a"""\n,\\ud800\n'
