"""Whatever stands in a config, a corpus, a model file or a run folder: an answer, no traceback.

`TOKBENCH_FUZZ=1000` tries so many cases of each instead of a few.
"""

import gzip
import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.hostile.places import KINDS, Place, system
from tests.run_cli import tokbench_here
from tests.run_folder.sample import sealed_again
from tests.tiny import TEXTS, config

pytestmark = pytest.mark.nightly

CASES = int(os.environ.get("TOKBENCH_FUZZ", "10"))
FEW = settings(
    max_examples=CASES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("*.yaml"))
JUNK = st.one_of(
    st.binary(max_size=4),
    st.sampled_from(
        [
            *(b"\n", b"\r\n", b"\t", b" ", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80"),
            *(b'"', b"0", b"-1", b"1e99", b"9" * 30, b"null", b"[]", b"{}", b"\xef\xb7\x90"),
        ]
    ),
)


@pytest.fixture(autouse=True)
def counted(record_property) -> None:
    """Note how many cases are tried."""
    record_property("cases", CASES)


@st.composite
def damaged(draw: st.DrawFn, raw: bytes) -> bytes:
    """Cut something out of a real file, up to all that follows, and put something in its place."""
    begin = draw(st.integers(0, len(raw)))
    end = draw(st.one_of(st.just(len(raw)), st.integers(begin, min(len(raw), begin + 9))))
    return raw[:begin] + draw(JUNK) + raw[end:]


def answer(folder: Path, *command: str, codes: tuple[int, ...]) -> str:
    """Run a command, which must end with one of these exit codes; return all that it says."""
    done = tokbench_here(*command, cwd=folder)
    assert "Traceback" not in done.stdout + done.stderr, done.stderr
    assert done.returncode in codes, done.stderr
    if done.returncode > 1:
        assert done.stderr.count("error: ") >= 1
    return done.stdout + done.stderr


@FEW
@given(data=st.data())
def test_a_damaged_config(tmp_path: Path, data: st.DataObject) -> None:
    """Parts of shipped configs, one put into another."""
    raw, inserted = (data.draw(st.sampled_from(CONFIGS)).read_bytes() for _ in range(2))
    begin = data.draw(st.integers(0, len(raw)))
    part = slice(*sorted((data.draw(st.integers(0, len(inserted))), data.draw(st.integers(0, 9)))))
    text = data.draw(damaged(raw[:begin] + inserted[part] + raw[begin:]))
    folder = tmp_path / "configs"
    folder.mkdir(exist_ok=True)
    (folder / "damaged.yaml").write_bytes(text)
    messages = answer(folder, "check", "damaged.yaml", codes=(0, 2, 3, 4))
    assert "error: " not in messages or "damaged.yaml" in messages or "corpora" in messages


ROLES = {
    "train": "{train: {path: FILE}, test: {t: test.txt}}",
    "test": "{train: train.txt, test: {t: FILE}}",
    "counts": "{train: {path: FILE, format: counts}, test: {t: test.txt}}",
    "words": "{train: {path: FILE, format: words, errors: replace}, test: {t: test.txt}}",
    "list": "{train: train.txt, lists: {t: FILE}}",
    "gold": "{train: train.txt, gold: {t: FILE}}",
    "pairs": "{train: train.txt, pairs: {t: FILE}}",
}
FILES = {
    "text": b"\xef\xbb\xbfab ab abd\r\nabc ab c\n\n  a\xcc\x81b \xec\x95\x88\n",
    "counts": b"ab\t4\nabc\t2\nb\t1\n",
    "words": b"ab\nabc\nb\n",
    "list": b"ab\tfirst\nabd\tsecond\n",
    "gold": b"ab\ta b\tnoun\nabc\tab c, a bc\tverb\n",
    "pairs": b"ba\tab\tswap\nabb\tab\tdouble\n",
}


@pytest.mark.parametrize("role", ROLES)
@FEW
@given(data=st.data())
@example(data=None)
def test_a_damaged_corpus(tmp_path: Path, role: str, data: st.DataObject | None) -> None:
    raw = FILES.get(role, FILES["text"])
    if data is not None:
        raw = data.draw(st.one_of(damaged(raw), damaged(gzip.compress(raw, mtime=0))))
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.txt").write_text(text)
    name = "file.gz" if raw[:2] == b"\x1f\x8b" else "file.txt"
    (tmp_path / name).write_bytes(raw)
    keys = {"corpora": ROLES[role].replace("FILE", name), "metrics": None, "resamples": "20"}
    (tmp_path / "tiny.yaml").write_text(config(**keys))
    messages = answer(tmp_path, "run", "-q", "tiny.yaml", "-o", "out", codes=(0, 1, 2, 4))
    assert "error: " not in messages or name in messages or "corpora" in messages, messages


@pytest.mark.parametrize("kind", KINDS)
@FEW
@given(data=st.data())
def test_a_damaged_model(place: Place, models: dict[str, bytes], kind: str, data) -> None:
    place.write("odd", data.draw(damaged(models[kind])))
    done = place.run(f"[char, {system('odd', kind, 'odd')}]")
    assert done.code in (0, 1), done.err
    assert "char" in done.sizes
    assert (done.code == 1) == ("odd" in done.failed), done.err


@FEW
@given(data=st.data())
@example(data=None)
def test_a_damaged_run(tmp_path: Path, data: st.DataObject | None) -> None:
    """A byte that is changed is found, and named; a blank in run.json was not."""
    run = tmp_path / "run"
    if not run.exists():
        for name, text in TEXTS.items():
            (tmp_path / f"{name}.txt").write_text(text)
        (tmp_path / "tiny.yaml").write_text(config(resamples="20"))
        answer(tmp_path, "run", "-q", "tiny.yaml", "-o", "run", codes=(0,))
    digests = json.loads((run / "run.json").read_text())["sha256"]
    files = [run / name for name, digest in digests.items() if digest]  # others can be made again
    file = data.draw(st.sampled_from(files)) if data else run / "run.json"
    raw = file.read_bytes()
    new = data.draw(damaged(raw)) if data else raw + b" "
    copy = tmp_path / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(run, copy)
    (copy / file.relative_to(run)).write_bytes(new)
    # A run.json without what tells that it is ours is no run.
    codes = (0,) if new == raw else (2, 4) if file.name == "run.json" else (4,)
    messages = answer(tmp_path, "verify", "copy", codes=codes)
    assert new == raw or file.name in messages
    answer(tmp_path, "show", "copy", "table", codes=(0, 2, 4))
    if file.name != "run.json":
        sealed_again(copy)
        answer(tmp_path, "show", "copy", "oov", codes=(0, 1, 2, 4))
        answer(tmp_path, "compare", "copy", "run", codes=(0, 1, 2, 4))
