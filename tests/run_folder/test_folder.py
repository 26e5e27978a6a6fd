"""The run folder: refused before any work, written whole, replaced whole, enough to recompute."""

import csv
import errno
import hashlib
import json
import os
from collections.abc import Callable
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokbench_metrics.length import Fertility

from tests.engines import using
from tests.run_cli import names_in, tokbench_here
from tests.tiny import BPE, TEXTS, TinyRun, config, offering, prepare, tiny_run
from tokbench import __version__
from tokbench.errors import InputError, UsageError
from tokbench.run_folder import Run, write_run
from tokbench.run_folder.folder import damage, locked_for_run, write_documents
from tokbench.run_folder.layout import FORMAT, Layout

RUN = '{"format": 4, "tokbench": "0.1.0"}'
LONG = "가" * 60
MARKED = "क" + "ि" * 65  # a letter and vowel signs: 198 bytes
OPEN = """
from pathlib import Path
from tokbench.api import Learner, Vocabulary, hookimpl
class Open(Learner):
    "Know the first words, and leave a file that shows that it has learned."
    def learn(self, words, size):
        Path(__file__).with_name("learned").touch()
        return Vocabulary(tuple(words)[:size.number], segmenter={"use": "word"})
@hookimpl
def tokbench_learners():
    return {"open": Open}
"""


NO_REPORT = {"report.md": None}
"""A view that writes a file was on offer, and made none."""


@pytest.fixture(scope="module")
def run_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., TinyRun]:
    """Run each config once for all tests."""
    folder, runs = tmp_path_factory.mktemp("runs"), dict[str, TinyRun]()

    def run(**keys: Any) -> TinyRun:
        if repr(keys) not in runs:
            runs[repr(keys)] = tiny_run(folder, **keys)
        return runs[repr(keys)]

    return run


@pytest.fixture
def write(tmp_path: Path, run_once: Callable[..., TinyRun]) -> Callable[..., Path]:
    """Run a config and write its folder, `out` unless another is named."""

    def write(name: str = "out", documents: Any = NO_REPORT, **keys: Any) -> Path:
        write_run(tmp_path / name, run_once(**keys), documents)
        return tmp_path / name

    return write


def isolated_copy(folder: Path) -> set[str]:
    """Name what stands beside a run folder, but for the files that made it."""
    made = {"train.txt", "test.txt", "tiny.yaml", "plugin.py", folder.name}
    return names_in(folder.parent) - made


def check_folder(folder: Path, documents: Any = (), read: Any = ()) -> None:
    with locked_for_run(folder, documents, read):
        assert [*folder.parent.glob(".tokbench-*.lock")]


def refusal(folder: Path) -> tuple[str, int]:
    with pytest.raises((UsageError, InputError)) as caught:
        check_folder(folder, NO_REPORT)
    assert not [*folder.absolute().parent.glob(".tokbench-*")]
    return str(caught.value), caught.value.exit_code


def test_a_run_is_named_after_its_config_and_all_that_it_depends_on(tmp_path: Path) -> None:
    names = []
    for i, change in enumerate(({}, {}, {"seed": "1"}, {"texts": {"test": "c\n"}})):
        folder = tmp_path / str(i)
        folder.mkdir()
        prepare(folder, **change)
        assert tokbench_here("run", "-q", "tiny.yaml", cwd=folder).returncode == 0
        (made,) = (folder / "runs").iterdir()
        names.append(made.name)
    assert all(name.startswith("tiny-") and len(name) == 13 for name in names)
    assert names[0] == names[1], "where the files lie does not matter"
    assert len(set(names)) == 3


@pytest.mark.parametrize("before", ["nothing", "empty", "run"])
def test_a_new_or_empty_folder_or_an_older_run_will_do(tmp_path: Path, before: str) -> None:
    folder = tmp_path / "a" / "b" / "out"
    if before != "nothing":
        folder.mkdir(parents=True)
    if before == "run":
        (folder / "run.json").write_text(RUN)
        (folder / "report.md").touch()
    check_folder(folder, NO_REPORT)
    assert folder.parent.is_dir()
    assert not isolated_copy(folder)


@pytest.mark.parametrize("record", [None, "", "[]", '{"format": 1}', '{"tokbench": "1"}', "\xff"])
def test_a_folder_that_is_no_run_of_ours_is_refused(tmp_path: Path, record: str | None) -> None:
    folder = tmp_path / "thesis"
    folder.mkdir()
    (folder / "chapter.txt").write_text("do not lose me")
    if record is not None:
        (folder / "run.json").write_bytes(record.encode("latin-1"))
    message, code = refusal(folder)
    assert code == 2
    assert message.startswith(f"{folder}: neither empty nor a run of tokbench")


def test_what_could_not_be_put_in_its_place_at_the_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where an older run stands there: links, mount points, the current folder and above."""
    (tmp_path / "run" / "inner").mkdir(parents=True)
    (tmp_path / "run" / "run.json").write_text(RUN)
    (tmp_path / "link").symlink_to("run")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    monkeypatch.chdir(tmp_path / "run" / "inner")
    folders = (
        "../../link",
        "../../dangling",
        "../../loop",
        "/proc",
        "/",
        ".",
        "..",
        tmp_path / "run",
    )
    for folder in map(Path, folders):
        message, code = refusal(folder)
        assert code == 2
        assert message.startswith(f"{folder}: a link, a mount point, the current folder or one ")


@pytest.mark.parametrize("out", ["file/out", "/proc/out"])
def test_where_nothing_can_be_written_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.chdir(tmp_path)
    message, code = refusal(Path(out))
    assert (code, message.split(":")[:2]) == (4, [out, " cannot be written"])
    message, code = refusal(Path("file"))
    assert (code, message.split(":")[1]) == (2, " the output must be a folder, this is a file")


@pytest.mark.parametrize("out", ["dangling", "thesis"])
def test_a_refused_folder_is_found_before_anything_is_learned(tmp_path: Path, out: str) -> None:
    prepare(tmp_path, OPEN, systems="[open]")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("do not lose me")
    before = names_in(tmp_path)
    command = ("run", "tiny.yaml", "-p", "plugin.py", "-o")
    done = tokbench_here(*command, out, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert names_in(tmp_path) == before
    assert [path.name for path in (tmp_path / "thesis").iterdir()] == ["chapter.txt"]
    assert tokbench_here(*command, "out", cwd=tmp_path).returncode == 0
    assert (tmp_path / "learned").exists(), "learning leaves its trace"


def test_a_plugin_that_goes_elsewhere_does_not_take_the_run_along(tmp_path: Path) -> None:
    """The folder is where the command was given; it is printed as it was written."""
    (tmp_path / "elsewhere").mkdir()
    goes = f"import os; os.chdir({str(tmp_path / 'elsewhere')!r})"
    early = f"    def model_post_init(self, _): {goes}\n    def learn"
    leaving = OPEN.replace("    def learn", early)
    prepare(tmp_path, leaving, systems="[open]", sizes="[4]")
    command = ("run", "tiny.yaml", "-p", "plugin.py")
    done = tokbench_here(*command, "-o", "out", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "Report: out/report.html"
    assert (tmp_path / "out" / "report.md").exists()
    done = tokbench_here(*command, cwd=tmp_path)
    report = Path(done.stdout.splitlines()[-1].removeprefix("Report: "))
    assert report.parts[0] == "runs"
    assert (tmp_path / report).exists()
    assert not [*(tmp_path / "elsewhere").iterdir()]


def test_a_folder_holds_results_vocabularies_segmentations_words_and_record(
    write: Callable[..., Path],
) -> None:
    folder = write(documents={"report.md": "# é\n"}, systems=f"[{BPE}, char]")
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*")) == [
        "data/advice.csv",
        "data/coverage.csv",
        "data/health.csv",
        "data/numbers.csv",
        "data/segmentations/bpe.npz",
        "data/segmentations/char.npz",
        "data/signatures.csv",
        "data/sizes.csv",
        "data/unseen.csv",
        "data/vocabularies/bpe.json",
        "data/vocabularies/char.json",
        "data/words.npz",
        "report.md",
        "results.csv",
        "run.json",
    ]
    assert (folder / "report.md").read_bytes() == "# é\n".encode()
    assert folder.stat().st_mode & 0o777 == 0o755
    assert not isolated_copy(folder)


def test_the_record_says_what_was_done(write: Callable[..., Path]) -> None:
    record = json.loads((write() / "run.json").read_text(encoding="utf-8"))
    assert (record["format"], record["tokbench"]) == (FORMAT, __version__)
    assert record["config"] == config()
    assert record["resolved"]["systems"][0]["sizes"] == [4, 5]
    digests = [{"name": corpus["name"], "sha256": corpus["sha256"]} for corpus in record["corpora"]]
    assert digests == [
        {"name": name, "sha256": hashlib.sha256(TEXTS[key].encode()).hexdigest()}
        for name, key in (("train", "train"), ("held-out", "test"))
    ]
    assert record["packages"]["numpy"] == np.__version__
    assert record["packages"]["tokbench"] == __version__
    assert [cost["step"] for cost in record["cost"][:3]] == ["learn", "segment", "score"]
    assert record["failures"] == []
    assert any("the text gives only 4 tokens" in note for note in record["unreached"])


def test_a_metric_has_its_label_with_its_options_or_its_name(tmp_path: Path) -> None:
    class Alike(Fertility):
        """Tokens of a word, under a label that another metric has."""

    class Bare(Fertility):
        """Tokens of a word, without a label."""

        label = ""

    efficiency = "renyi-efficiency-observed"
    metrics = f"[tokens, {efficiency}, {{use: {efficiency}, power: 2}}, fertility, alike, bare]"
    run = tiny_run(tmp_path, offering(alike=Alike, bare=Bare), metrics=metrics)
    labels = run.record.labels
    assert [labels[metric.name] for metric in run.record.metrics] == [
        "tokens",
        "Rényi efficiency of tokens seen",
        "Rényi efficiency of tokens seen (power=2)",
        *("tokens per word (fertility)", "tokens per word (alike)", "bare"),
    ]


def test_the_record_tells_the_engine_of_each_part(write: Callable[..., Path]) -> None:
    with using("python"):
        folder = write(systems="[bpe]", sizes="[9]")
    engines = json.loads((folder / "run.json").read_text(encoding="utf-8"))["engine"]
    kernels = ("tokbench_bpe._learn", "tokbench_bpe._segment", "tokbench.corpora._count")
    assert engines == dict.fromkeys(kernels, "python")


def test_the_config_is_kept_as_it_was_read(tmp_path: Path) -> None:
    """Whatever stands in the file when the run ends."""

    def edit(system: str, step: str | None, share: float) -> None:
        (tmp_path / "tiny.yaml").write_text("edited: meanwhile\n")

    write_run(tmp_path / "out", tiny_run(tmp_path, progress=edit))
    assert (tmp_path / "tiny.yaml").read_text() == "edited: meanwhile\n"
    record = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    assert record["config"] == config()


def test_an_older_run_goes_whole(write: Callable[..., Path]) -> None:
    folder = write(systems=f"[{BPE}, char]")
    (folder / "report.md").touch()
    write(systems="[word]")
    assert not (folder / "report.md").exists()
    assert [path.name for path in (folder / "data/vocabularies").iterdir()] == ["word.json"]
    assert not isolated_copy(folder)


def test_what_came_into_the_older_run_meanwhile_is_not_lost(
    write: Callable[..., Path],
) -> None:
    """The new run is kept beside it, whole, under a name that nothing has."""
    folder = write()
    (folder / "thesis.tex").write_text("do not lose me")
    before = {path.name: path.stat().st_ino for path in folder.iterdir()}
    kept: set[str] = set()
    for _ in range(2):
        with pytest.raises(InputError) as caught:
            write(systems="[word]")
        (new,) = isolated_copy(folder) - kept
        assert new.startswith("out.new-")
        assert str(caught.value) == (
            f"{folder}: holds thesis.tex, which would be lost with the older run; "
            f"it was not touched, the new run is in {folder.with_name(new)}"
        )
        (system,) = Run.load(folder.with_name(new)).record.systems
        assert system.name == "word"
        kept.add(new)
    assert {path.name: path.stat().st_ino for path in folder.iterdir()} == before


@pytest.mark.parametrize("failing", [1, 2])
def test_an_older_run_is_not_lost_where_a_rename_fails(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    """The first rename moves the older run aside, the second replaces it; reading puts it back."""
    folder = write()
    before = {path.name: path.stat().st_ino for path in folder.iterdir()}
    calls = []
    rename = os.rename

    def failing_rename(*paths: Path) -> None:
        calls.append(paths)
        if len(calls) == failing:
            raise OSError(errno.EIO, "Input/output error")
        rename(*paths)

    monkeypatch.setattr("tokbench.run_folder.folder.os.rename", failing_rename)
    with pytest.raises(InputError, match=r"out: cannot be written: Input/output error$"):
        write(systems="[word]")
    Run.load(folder)
    assert {path.name: path.stat().st_ino for path in folder.iterdir()} == before
    assert not isolated_copy(folder)


@pytest.mark.parametrize("name", [LONG, MARKED])
def test_long_names_fit(write: Callable[..., Path], name: str) -> None:
    """A system's name has at most 200 bytes, a file's on most systems 255."""
    folder = write(name, systems=f"[{{name: {name}, learner: char}}]")
    assert [path.name for path in (folder / "data/vocabularies").iterdir()] == [f"{name}.json"]
    assert [path.name for path in (folder / "data/segmentations").iterdir()] == [f"{name}.npz"]


def test_one_vocabulary_is_kept_for_each_learning_run(write: Callable[..., Path]) -> None:
    folder = write(plugin=OPEN, systems="[open]", sizes=None, merges="[1, 2]")
    names = sorted(path.name for path in (folder / "data/vocabularies").iterdir())
    assert names == ["open@merges%3A1.json", "open@merges%3A2.json"]


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("bpe+longest-match (1), a=b.c_d@500", "bpe+longest-match ~1~, a=b.c_d@500"),
        ("한국어", "한국어"),
        ("नी", "नी"),
        ("e\u0301", "e\u0301"),
        ("a/b\\c", "a%2Fb%5Cc"),
        ("\x00\n%", "%00%0A%25"),
        ("a(b(c))(d", "a%28b~c~%29%28d"),
    ],
)
def test_file_names_are_the_names_as_far_as_a_config_may_write_them(name: str, stem: str) -> None:
    layout, older = Layout(), Layout(3)
    assert layout.vocabulary(name) == f"data/vocabularies/{stem}.json"
    assert layout.vocabulary_name(layout.vocabulary(name)) == name
    assert older.vocabulary_name(older.vocabulary(name)) == name
    assert layout.vocabulary_name(layout.table(name)) is None


def words_of(folder: Path) -> tuple[list[str], list[int]]:
    """Read the distinct words of the held-out text, and the number of each running word."""
    with np.load(folder / "data/words.npz", allow_pickle=False) as arrays:
        raw, ends = arrays["held-out/words-utf8"].tobytes(), arrays["held-out/words-ends"].tolist()
        order = arrays["held-out/order"].tolist()
    return [raw[a:b].decode() for a, b in pairwise([0, *ends])], order


def stored(folder: Path, name: str) -> Path:
    """Find a file of a run by its name, or by its digest where another has the same content."""
    digests = json.loads((folder / "run.json").read_text("utf-8"))["sha256"]
    equal = [folder / path for path, digest in digests.items() if digest == digests[name]]
    (path,) = filter(Path.exists, equal)
    return path


def ids_of(folder: Path, system: str, size: str) -> list[list[int]]:
    """Read the token ids of each distinct word, -1 for a token that is not known.

    Where there are states of all sizes, the one of as many learned items as the size leaves.
    """
    vocabulary = json.loads(stored(folder, f"data/vocabularies/{system}.json").read_text("utf-8"))
    learned = min(int(size or 0) - len(vocabulary["alphabet"]), len(vocabulary["learned"]))
    path = stored(folder, f"data/segmentations/{system}.npz")
    with np.load(path, allow_pickle=False) as arrays:
        one_each = "held-out/since" not in arrays
        prefix = "held-out/" + (f"{size}/" if size and one_each else "")
        ids = iter(arrays[f"{prefix}ids"].tolist())
        states = [[*islice(ids, number)] for number in arrays[f"{prefix}tokens"].tolist()]
        if one_each:
            return states
        lives = zip(arrays["held-out/since"], arrays["held-out/until"], strict=True)
        return [s for s, (a, b) in zip(states, lives, strict=True) if a <= learned < b]


def tokens_of(folder: Path, system: str) -> list[str]:
    """Read the tokens in id order, without their marks."""
    path = stored(folder, f"data/vocabularies/{system}.json")
    tokens = json.loads(path.read_text(encoding="utf-8"))["tokens"]
    return [token.strip("\ufdd0\ufdd1\ufdd2") for token in tokens]


def test_of_equal_files_one_is_kept_and_all_are_verified(write: Callable[..., Path]) -> None:
    """Earlier folders hold each of them."""
    folder = write(systems=f"[{BPE}, {BPE.replace('bpe', 'longer', 1)}]")
    kept, copy = (folder / "data/vocabularies" / name for name in ("bpe.json", "longer.json"))
    assert kept.exists()
    assert not copy.exists()
    assert damage(folder) == []
    copy.write_bytes(kept.read_bytes())
    assert damage(folder) == []
    copy.write_text("{}")
    (changed,) = damage(folder)
    assert changed.startswith(f"{copy}: changed since the run wrote it")


def test_numbers_can_be_recomputed_from_what_a_run_leaves(write: Callable[..., Path]) -> None:
    """Fertility and oov words from words, segmentations and vocabularies, without tokbench."""
    cut = "{name: cut, learner: bpe, segmenter: longest-match, split: words}"
    text = "ab abd c abcab\n한 abc ab ba\nc c\n"
    systems = f"[bpe, {cut}, char, word]"
    folder = write(systems=systems, sizes="[7, 8]", texts={"test": text})
    distinct, order = words_of(folder)
    assert [distinct[i] for i in order] == text.split()
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        values = {
            (row["system"], row["size"], row["metric"]): float(row["value"])
            for row in csv.DictReader(file)
            if row["subset"] == "all"
        }
    assert len(values) == 2 * (2 + 2 + 1 + 2)
    known = {"ab", "c", "abc"}
    for system, size in {key[:2] for key in values}:
        ids, tokens = ids_of(folder, system, size), tokens_of(folder, system)
        clean = {word: cut for word, cut in zip(distinct, ids, strict=True) if min(cut) >= 0}
        assert {word: "".join(tokens[i] for i in cut) for word, cut in clean.items()} == {
            word: word for word in (known if system == "word" else known | {"abcab", "ba"})
        }
        fertility = sum(len(ids[i]) for i in order) / len(order)
        oov = sum(min(ids[i]) < 0 for i in order) / len(order)
        assert values[system, size, "fertility"] == pytest.approx(fertility, rel=1e-11)
        assert values[system, size, "oov-words-running"] == pytest.approx(oov, rel=1e-11)
    assert (values["char", "", "fertility"], values["char", "", "oov-words-running"]) == (2.1, 0.2)


def test_documents_are_replaced_one_by_one(write: Callable[..., Path]) -> None:
    folder = write(documents={"report.md": "old\n", "cost.md": "kept\n"})
    before = {path.name for path in folder.iterdir()}
    write_documents(folder, {"report.md": "new\n"})
    assert (folder / "report.md").read_text() == "new\n"
    assert (folder / "data/cost.md").read_text() == "kept\n"
    assert {path.name for path in folder.iterdir()} == before
    with pytest.raises(InputError, match=r"nowhere: cannot be written: No such file or directory$"):
        write_documents(folder / "nowhere", {"report.md": "new\n"})


@pytest.mark.parametrize(
    "foreign",
    [
        "thesis.tex",
        "data/left-over.txt",
        "data/vocabularies/left-over.txt",
        "data/vocabularies/bpe.json/chapter.txt",
        "report.md/chapter.txt",
        "notes/chapter.txt",
    ],
)
def test_what_the_older_run_did_not_write_is_found_at_every_level(
    write: Callable[..., Path], foreign: str
) -> None:
    folder = write(documents={"report.md": ""}, systems=f"[{BPE}, char]")
    path = folder / foreign
    if path.parent.is_file():
        path.parent.unlink()
    path.parent.mkdir(exist_ok=True)
    path.write_text("do not lose me")
    below = len(Path(foreign.removesuffix("/chapter.txt")).parts)
    kept = "/".join(Path(foreign).parts[:below])
    assert refusal(folder) == (
        f"{folder}: holds {kept}, which would be lost with the older run: choose another "
        "folder, nothing was touched",
        2,
    )
    assert path.read_text() == "do not lose me"


def test_files_of_a_desktop_are_of_no_run(write: Callable[..., Path]) -> None:
    folder = write(systems=f"[{BPE}, char]")
    for name in (".DS_Store", "Thumbs.db", "data/desktop.ini", "data/vocabularies/._bpe.json"):
        (folder / name).touch()
    check_folder(folder, NO_REPORT)
    assert damage(folder) == []
    (folder / "data" / "._notes").mkdir()
    assert refusal(folder)[0].startswith(f"{folder}: holds data/._notes, which would be lost")


def test_a_folder_with_nothing_but_files_of_a_desktop_is_empty(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".DS_Store").touch()
    check_folder(tmp_path / "out")


def test_all_that_a_run_writes_may_be_replaced(write: Callable[..., Path]) -> None:
    """Also vocabularies of one size each; no link in place of a folder."""
    systems = "[{name: a.b, learner: open}, char]"
    folder = write(plugin=OPEN, systems=systems, sizes=None, merges="[1, 2]")
    (folder / "report.md").touch()
    check_folder(folder, NO_REPORT)
    (folder / ".tokbench-thesis.tex").touch()
    assert refusal(folder)[0].startswith(f"{folder}: holds .tokbench-thesis.tex, which would be")
    (folder / ".tokbench-thesis.tex").unlink()
    (folder / "data/vocabularies").rename(folder.parent / "kept")
    (folder / "data/vocabularies").symlink_to(folder.parent / "kept")
    assert refusal(folder)[0].startswith(f"{folder}: holds data/vocabularies, which would be lost")


def test_a_run_that_the_config_is_read_from_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data/vocabularies").mkdir(parents=True)
    (tmp_path / "run.json").write_text(RUN)
    config = tmp_path / "data/vocabularies" / "config.yaml"
    with pytest.raises(UsageError, match=r"holds config\.yaml, which would be lost"):
        check_folder(tmp_path, read=[config])
