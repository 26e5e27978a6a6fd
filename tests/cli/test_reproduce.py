"""`tokbench pack` and `reproduce`: the config of a run gives its numbers again, also elsewhere."""

import re
import shutil
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile, ZipInfo

import pytest
from tokbench_commands.reproduce import unpack

from tests.cli.low import run_example
from tests.run_cli import tokbench_here as tokbench
from tokbench import Run
from tokbench.run_folder import Row, write_run

pytestmark = pytest.mark.ci

LEARNER = """
from pathlib import Path
from tokbench.api import Learner, Vocabulary, hookimpl
class Moody(Learner):
    "Know as many of the first words as a file says."
    def learn(self, words, size):
        many = int(Path(__file__).with_name("many").read_text())
        return Vocabulary(tuple(words)[:many], segmenter={"use": "word"})
tokbench_learners = hookimpl(lambda: {"moody": Moody})
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with texts, config, run, and its archives without and with texts."""
    folder = tmp_path_factory.mktemp("reproduce")
    run_example(folder)
    for archive, options in (("run.zip", []), ("texts.zip", ["--with-texts"])):
        done = tokbench("pack", "out", "-o", archive, *options, cwd=folder)
        assert (done.returncode, done.stderr) == (0, "")
    return folder


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    """A run that a test may damage, in a copy of the folder of its texts and its config."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path / "out"


def test_again_the_numbers_are_the_same(run: Path) -> None:
    """Also where the config file is no longer there: the run holds it."""
    (run.parent / "tiny.yaml").unlink()
    before = {path.name for path in run.parent.iterdir()}
    done = tokbench("reproduce", "out", cwd=run.parent)
    assert (done.returncode, done.stderr) == (0, "")
    equal = re.fullmatch(r"equal: ([\d,]+) numbers were compared\n", done.stdout)
    assert equal is not None
    rows = (run / "results.csv").read_text(encoding="utf-8").splitlines()
    assert int(equal[1].replace(",", "")) > 10 * len(rows)
    assert {path.name for path in run.parent.iterdir()} == before


def test_curves_analyses_and_several_systems_are_the_same(tmp_path: Path) -> None:
    """From memory as from the folder."""
    keys = {"systems": "[bpe, char]", "sizes": "{from: 6, to: 8, curve: true}"}
    run_example(tmp_path, **keys, metrics="all")
    done = tokbench("reproduce", "out", cwd=tmp_path)
    assert (done.returncode, done.stdout.count("\n")) == (0, 1), done.stdout
    assert done.stdout.startswith("equal: ")


def moody(folder: Path) -> tuple[str, ...]:
    """Run a learner that gives something else when a file says so; return its options."""
    (folder / "plugin.py").write_text(LEARNER, encoding="utf-8")
    (folder / "many").write_text("4")
    run_example(folder, "-p", "plugin.py", systems="[char, moody]", sizes="[4]")
    return "reproduce", "out", "-p", "plugin.py"


def test_again_the_numbers_differ(tmp_path: Path) -> None:
    command = moody(tmp_path)
    assert tokbench(*command, cwd=tmp_path).returncode == 0
    (tmp_path / "many").write_text("1")
    done = tokbench(*command, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (5, "")
    *lines, omitted, counts, causes = done.stdout.splitlines()
    place = "results.csv: oov-words-running, moody, 4, isolated, held-out, all, "
    assert any(line.startswith(place) for line in lines)
    summary = re.fullmatch(
        r"([\d,]+) numbers were compared: ([\d,]+) are equal, 0 within their interval,"
        r" (\d+) different",
        counts,
    )
    assert summary is not None
    every, equal, different = (int(number.replace(",", "")) for number in summary.groups())
    assert every == equal + different
    assert len(lines) == 20
    assert omitted == f"... and {different + 2 - 20} more", "a vocabulary and its tokens differ too"
    assert lines[0] == "vocabularies: moody@4: not the same"
    assert all(re.search(r": then .+, now .+", line) for line in lines[2:])
    assert causes.endswith(
        ": nothing above; then a plugin file changed, or a learner varies from run to run"
    )
    assert not any(re.match(r"results\.csv: \S+, char,", line) for line in lines), (
        "no row of the other system differs"
    )


def test_a_system_that_fails_now_differs(tmp_path: Path) -> None:
    command = moody(tmp_path)
    (tmp_path / "many").unlink()
    done = tokbench(*command, cwd=tmp_path)
    assert done.returncode == 5
    assert " numbers were compared: " in done.stdout


def test_an_archive_is_always_the_same(made: Path, tmp_path: Path) -> None:
    done = tokbench("pack", "out", "-o", tmp_path / "run.zip", cwd=made)
    names = ZipFile(made / "run.zip").namelist()
    assert done.stdout == f"{tmp_path / 'run.zip'}: {len(names)} files\n"
    assert (tmp_path / "run.zip").read_bytes() == (made / "run.zip").read_bytes()
    assert names == sorted(names)
    assert {"run/run.json", "run/answer.json", "run/results.csv"} <= {*names}
    assert not [name for name in names if name.endswith((".npz", ".md", ".html"))]
    texts = {*ZipFile(made / "texts.zip").namelist()} - {*names}
    assert texts == {"texts/train.txt", "texts/test.txt"}


def test_an_archive_is_a_run(made: Path, tmp_path: Path) -> None:
    ZipFile(made / "run.zip").extractall(tmp_path)
    assert tokbench("verify", tmp_path / "run").returncode == 0
    assert Run.load(tmp_path / "run").rows == Run.load(made / "out").rows


def test_an_archive_with_texts_is_run_anywhere(made: Path, tmp_path: Path) -> None:
    done = tokbench("reproduce", made / "texts.zip", "-o", "new", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("equal: ")
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    assert Run.load(tmp_path / "new").rows == Run.load(made / "out").rows


def test_texts_are_found_by_digest(made: Path, tmp_path: Path) -> None:
    """Under any name, at any depth."""
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a" / "1.txt").write_bytes((made / "train.txt").read_bytes())
    (tmp_path / "a/b" / "2.txt").write_bytes((made / "test.txt").read_bytes())
    done = tokbench("reproduce", made / "run.zip", "--texts", "a", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_missing_texts_are_named_with_their_digests(made: Path, tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("other\n")
    done = tokbench("reproduce", made / "run.zip", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (4, "")
    files = {name: (made / name).read_bytes() for name in ("train.txt", "test.txt")}
    train, test = (
        f"{n} (SHA-256 {sha256(d).hexdigest()}, {len(d)} bytes" for n, d in files.items()
    )
    assert done.stderr == (
        f"error: {made / 'run.zip'}: texts are missing: {train}, but train.txt holds another text);"
        f" {test}); name a folder that has them with --texts\n"
    )
    done = tokbench("pack", made / "out", "-o", "new.zip", "--with-texts", cwd=tmp_path)
    assert done.returncode == 4
    assert "out: not there as the run read it: train.txt, test.txt: pack from" in done.stderr
    assert not (tmp_path / "new.zip").exists()


def test_a_text_with_an_absolute_path_is_found_elsewhere(tmp_path: Path) -> None:
    home, there = tmp_path / "home", tmp_path / "there"
    home.mkdir()
    there.mkdir()
    for name in ("held.txt", "more/held.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{name} low lower lowest\n" * 5)
    tests = f"{{one: {tmp_path}/held.txt, two: {tmp_path}/more/*.txt}}"
    run_example(home, corpora=f"{{train: train.txt, test: {tests}}}")
    assert tokbench("pack", home / "out", "-o", "run.zip", "--with-texts", cwd=home).returncode == 0
    (tmp_path / "held.txt").unlink()
    shutil.rmtree(tmp_path / "more")
    done = tokbench("reproduce", home / "run.zip", cwd=there)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_number_may_be_within_its_interval(run: Path) -> None:
    """As with another version of a library that changes few words."""
    original = Run.load(run)

    def moved(row: Row) -> Row:
        if row.metric != "fertility" or row.value is None:
            return row
        return replace(row, value=row.value + 0.01, low=row.value - 1, high=row.value + 1)

    record = replace(original.record, packages={**original.record.packages, "numpy": "1"})
    write_run(
        run.with_name("moved"),
        replace(original, rows=tuple(map(moved, original.rows)), record=record),
    )
    done = tokbench("reproduce", "moved", cwd=run.parent)
    assert done.returncode == 5
    assert "package numpy: then 1, now " in done.stdout
    assert re.search(r"fertility, .* value: then .*, now .* \(within its interval\)", done.stdout)
    assert ", 0 different\npossible causes: package numpy\n" in done.stdout


def with_package(run: Path, package: str, version: str, name: str = "other") -> None:
    original = Run.load(run)
    packages = {**original.record.packages, package: version}
    write_run(
        run.with_name(name), replace(original, record=replace(original.record, packages=packages))
    )


def test_a_plugin_file_is_used_only_where_it_is_named(run: Path) -> None:
    with_package(run, "my/plugin.py", "")
    done = tokbench("reproduce", "other", cwd=run.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "error: other: its run used plugin.py; plugin files are never packed: read them,"
        " then name each with --plugin\n"
    )


def test_a_package_that_is_lacking_is_named_only_where_it_is_missed(run: Path) -> None:
    """A run records all plugins that were installed, also those that it did without."""
    with_package(run, "tokbench-absent", "0.3")
    assert tokbench("reproduce", "other", cwd=run.parent).returncode == 0
    document = Run.load(run)
    config = document.record.config.replace("fertility", "of-absent")
    record = replace(document.record, config=config, packages={"tokbench-absent": "0.3"})
    write_run(run.with_name("missing"), replace(document, record=record))
    done = tokbench("reproduce", "missing", cwd=run.parent)
    assert done.returncode in (2, 3)
    assert "no plugin offers a metric 'of-absent'" in done.stderr
    assert done.stderr.endswith("pip install tokbench-absent==0.3\n")


def link(name: str) -> ZipInfo:
    info = ZipInfo(name)
    info.external_attr = 0o120777 << 16
    return info


def test_unpacking_writes_nothing_elsewhere_and_no_links(made: Path, tmp_path: Path) -> None:
    archive, folder = tmp_path / "in" / "run.zip", tmp_path / "in" / "unpacked"
    archive.parent.mkdir()
    shutil.copy(made / "run.zip", archive)
    absolute = f"{tmp_path}/evil-3.txt"
    with ZipFile(archive, "a") as packed:
        for entry in ("../evil-1.txt", "run/../../evil-2.txt", absolute, link("texts/evil-4.txt")):
            packed.writestr(entry, "/etc/passwd")
    unpack(archive, folder)
    assert {path for path in tmp_path.rglob("*") if not path.is_relative_to(folder)} == {
        archive.parent,
        archive,
    }
    assert not [path for path in folder.rglob("*") if path.is_symlink()]


def test_unpacking_refuses_damaged_archives(made: Path, tmp_path: Path) -> None:
    archive = (made / "run.zip").read_bytes()
    for damaged in (
        archive[:-9],
        archive[:50] + b"\xff" * 40 + archive[90:],
    ):  # inside the first file
        (tmp_path / "run.zip").write_bytes(damaged)
        done = tokbench("reproduce", "run.zip", cwd=tmp_path)
        assert (done.returncode, done.stdout) == (4, "")
        assert done.stderr.startswith("error: run.zip: not a whole archive of `tokbench pack`: ")
    with ZipFile(tmp_path / "run.zip", "w") as packed:
        packed.writestr("run/results.csv", "")
    done = tokbench("reproduce", "run.zip", cwd=tmp_path)
    assert done.stderr == "error: run.zip: run: not a run of tokbench (no run.json of ours)\n"
