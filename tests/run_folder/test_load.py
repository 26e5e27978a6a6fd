"""What a run folder tells, read back; whatever is damaged is one clear message."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tokbench.errors import InputError, UsageError
from tokbench.runner.csvfile import write_lines
from tokbench.runner.saved import read_run
from tokbench.runner.series import every_size
from tokbench.runner.sizing import Sizing

RESULTS = """system,corpus,subset,size,metric,better,value,signature,vocabulary-size
bpe,test,all,1000,fertility,lower,1.25,"a|b,c",999
bpe,test,unseen,1000,fertility,lower,2.5,x,999
bpe,test,all,200,fertility,lower,1.5,x,190
bpe,test,all,200,exact,higher,,x,190
bpe,test,all,1000,exact,higher,0.5,x,999
bpe,test,all,200,unseen-words,neither,0.1,x,190
bpe,test,all,1000,unseen-words,neither,0.1,x,999
char,novel,all,,fertility,lower,4,x,26
"""
CURVES = """system,corpus,subset,metric,size,value
bpe,test,all,fertility,150,
bpe,test,all,fertility,200,1.5
bpe,test,all,fertility,1100,1.2
bpe,test,unseen,fertility,150,9
bpe,test,all,other,150,9
"""
ADVICE = "system,corpus,metric,not-worse-size\nbpe,test,fertility,1000\n"
SIZES = """system,size,vocabulary-size,tokens,class-imbalance,frequency-95,token-length,entropy,muv
bpe,200,200,5000,0.5,7,1.5,2.25,
bpe,1000,999,,,,,,
"""
RECORD = json.dumps({"format": 1, "tokbench": "0.1.0"})
FILES = {
    "run.json": RECORD,
    "results.csv": RESULTS,
    "curves.csv": CURVES,
    "advice.csv": ADVICE,
    "sizes.csv": SIZES,
}
Folder = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Write a run folder, some of its files changed; None leaves one out."""

    def write(**changed: str | bytes | None) -> Path:
        given = {name.replace("_", "."): text for name, text in changed.items()}
        for name, text in {**FILES, **given}.items():
            if text is not None:
                (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path

    return write


def test_what_a_folder_tells(folder: Folder) -> None:
    saved = read_run(folder())
    (one,) = saved.series
    assert (one.key, one.better) == (("bpe", "test", "fertility"), "lower")
    assert one.listed == (("200", 1.5), ("1000", 1.25))
    assert one.totals == (190, 999)
    assert one.not_worse == "1000"
    assert one.curve is not None
    assert one.curve.sizes.tolist() == [150, 200, 1100]
    assert np.array_equal(one.curve.values, [np.nan, 1.5, 1.2], equal_nan=True)
    assert (saved.systems, saved.corpora) == (("bpe", "char"), ("test", "novel"))
    assert saved.sizings == (
        Sizing("bpe", "200", 200, 5000, 0.5, 7, 1.5, 2.25, None),
        Sizing("bpe", "1000", 999, 0, None, None, None, None, None),
    )


def test_a_curve_ends_where_it_is_written_to_end(folder: Folder) -> None:
    """A listed size that the training text does not reach adds nothing."""
    results = RESULTS.replace("1000", "1000000000")
    advice = ADVICE.replace("1000", "1000000000")
    (one,) = read_run(folder(results_csv=results, advice_csv=advice)).series
    assert one.curve is not None
    assert every_size(one.curve)[0].tolist() == [*range(200, 1101)]
    assert one.listed[-1].size == "1000000000"


def test_a_run_without_curves_has_none(folder: Folder) -> None:
    (one,) = read_run(folder(curves_csv=None)).series
    assert one.curve is None


@pytest.mark.parametrize("key", ["sizes", "merges"])
def test_a_curve_that_was_asked_for_must_be_there(folder: Folder, key: str) -> None:
    def record(curve: bool) -> str:
        sizes = {"from": 1, "to": 9, "list": [9], "curve": curve}
        systems = [{"name": "char"}, {"name": "list", key: [1, 2]}, {"name": "bpe", key: sizes}]
        return json.dumps({**json.loads(RECORD), "resolved": {"systems": systems}})

    with pytest.raises(InputError, match=r": curves\.csv missing: run the config again$"):
        read_run(folder(curves_csv=None, run_json=record(True)))
    assert read_run(folder(curves_csv=None, run_json=record(False))).series[0].curve is None


def test_sizes_may_be_merges(folder: Folder) -> None:
    merges = {
        name: text.replace("1000", "merges:1000").replace(",200,", ",merges:200,")
        for name, text in (("results_csv", RESULTS), ("advice_csv", ADVICE))
    }
    (one,) = read_run(folder(**merges, curves_csv=None)).series
    assert one.listed == (("merges:200", 1.5), ("merges:1000", 1.25))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("results_csv", None, "results.csv: cannot be read: No such file or directory"),
        ("results_csv", "", "results.csv: damaged: its head line has no system, corpus, metric"),
        ("results_csv", "system,value\n", "its head line has no corpus, metric, subset"),
        ("results_csv", RESULTS + "bpe,test\n", "results.csv:10: damaged: 2 cells, where 9 are"),
        ("results_csv", RESULTS.replace("1.25", "l.25"), "results.csv:2: damaged: 'l.25' is no n"),
        ("results_csv", RESULTS.replace("1.25", "nan"), "results.csv:2: damaged: 'nan' is no num"),
        ("results_csv", RESULTS.replace("200", "-200"), "results.csv:4: damaged: '-200' is no si"),
        ("results_csv", RESULTS.replace("200", "2_0"), "results.csv:4: damaged: '2_0' is no size"),
        ("results_csv", RESULTS.replace("200", "2" * 20), "results.csv:4: damaged: '2222222222"),
        ("results_csv", RESULTS + '"', "results.csv: damaged: unexpected end of data"),
        ("results_csv", RESULTS.encode() + b"\xff", "results.csv: damaged: 'utf-8' codec"),
        ("curves_csv", CURVES.replace("1100", "150"), "curves.csv:4: damaged: size 150 stands aft"),
        ("curves_csv", CURVES.replace("1100", "200"), "curves.csv:4: damaged: size 200 stands aft"),
        ("curves_csv", CURVES.replace("1.2\n", "x\n"), "curves.csv:4: damaged: 'x' is no number"),
        ("advice_csv", None, ": advice.csv missing: run the config again"),
        ("sizes_csv", None, ": sizes.csv missing: run the config again"),
        ("advice_csv", ADVICE.replace("1000", "big"), "advice.csv:2: damaged: 'big' is no size"),
        ("sizes_csv", SIZES.replace(",7,", ",7.5,"), "sizes.csv:2: damaged: '7.5' is no whole num"),
        ("run_json", "{", "run.json: damaged: "),
        ("run_json", "[" * 100_000, "run.json: damaged: "),
        ("run_json", '{"format": 2, "tokbench": "9"}', "a run of format 2, this version reads 1"),
    ],
)
def test_a_file_that_is_missing_or_damaged(
    folder: Folder, name: str, text: str | bytes | None, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_run(folder(**{name: text}))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("record", [None, "[]", "{}", '{"format": 1}'])
def test_a_folder_that_is_no_run(folder: Folder, record: str | None) -> None:
    with pytest.raises(UsageError, match=r"not a run of tokbench \(no run\.json of ours\)"):
        read_run(folder(run_json=record))


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file: is a file, not a run folder"):
        read_run(tmp_path / "file")
    with pytest.raises(InputError, match="nowhere: there is no such folder"):
        read_run(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"xxx: (cannot be read: |there is no such folder)"):
        read_run(tmp_path / ("x" * 300))


def test_lines_are_written_as_they_are_read(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.csv", ("a", "b"), [("1,2", 'say "a"'), ("", "\ud800")])
    assert (tmp_path / "a.csv").read_bytes() == b'a,b\n"1,2","say ""a"""\n,\\ud800\n'
