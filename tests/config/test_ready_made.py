"""Read ready-made tokenizers in a config: files, contexts, repeats; and libraries too old."""

import hashlib
import json
from pathlib import Path

import pytest

from tests.run_cli import tokbench_here
from tests.tiny import signature, tiny_run
from tokbench.api import InputFile, Learner, Vocabulary
from tokbench.errors import PluginError
from tokbench.plugins import Offer, Plugin, Registry, check_requirements, older

HEAD = "corpora: {train: train.txt, test: test.txt}\n"
CONTENT = hashlib.sha256(b"model").hexdigest()[:6]


class Ready(Learner):
    """Load a file."""

    path: InputFile
    merges: InputFile | None = None

    @property
    def reads(self):
        return "nothing"

    def load(self):
        return Vocabulary((self.path.read_bytes().decode(),))


class Newer(Ready):
    """Needs a library that is newer than any."""

    requires = "a-package[extra]"
    requires_modules = ("pytest",)
    requires_version = {"pytest": "99999.1"}  # noqa: RUF012 - as plugin authors write it


@pytest.fixture
def ready(registry: Registry) -> Registry:
    here = Plugin("ready", "a-package", "1.0")
    offers = (Offer("learner", "ready", Ready, here), Offer("learner", "newer", Newer, here))
    return Registry((*registry.plugins, here), (*registry.offers, *offers))


@pytest.fixture(autouse=True)
def no_models(monkeypatch):
    monkeypatch.delenv("TOKBENCH_MODELS", raising=False)


def systems(*learners):
    return HEAD + f"systems: [{', '.join(learners)}]\n"


def test_a_file_is_relative_to_the_folder_of_the_config(load, ready, tmp_path, monkeypatch):
    Path("models").mkdir()
    Path("models/m.json").write_text("model")
    Path("elsewhere").mkdir()
    text = systems("{learner: {use: ready, path: models/m.json}}")
    experiment = load(text, registry=ready)
    (system,) = experiment.systems
    assert system.learner.load().tokens == ("model",)
    assert system.sizes == ()
    assert system.learner.path.path.resolve() == tmp_path / "models" / "m.json"


def test_a_file_may_lie_in_the_folder_of_models(load, ready, tmp_path, monkeypatch):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "m.json").write_text("model")
    monkeypatch.setenv("TOKBENCH_MODELS", str(tmp_path / "cache"))
    (system,) = load(systems("{learner: {use: ready, path: m.json}}"), registry=ready).systems
    assert system.learner.load().tokens == ("model",)


@pytest.mark.parametrize(
    ("options", "place", "message"),
    [
        ("path: no.json", "2:40: systems[0].learner.path", "no.json: no such file ($TOKBENCH_MOD"),
        ("path: [no.json]", "2:40: systems[0].learner.path", "expected the path of a file"),
        ("path: 5", "2:40: systems[0].learner.path", "expected the path of a file"),
        ("path: .", "2:40: systems[0].learner.path", "a folder, expected a file"),
        ("path: m.json, merges: none", "2:56: systems[0].learner.merges", "none: no such file"),
        ("merges: m.json", "systems[0].learner", "path"),
    ],
)
def test_a_missing_file_is_reported_with_its_place(
    refused, ready, tmp_path, options, place, message
):
    Path("m.json").write_text("model")
    said, code = refused(systems(f"{{learner: {{use: ready, {options}}}}}"), registry=ready)
    assert code in (2, 4)
    assert place in said
    assert message in said


def test_the_resolved_config_has_the_name_of_a_file_and_not_where_it_lies(load, ready, tmp_path):
    Path("m.json").write_text("model")
    for path in ("m.json", "./m.json", tmp_path / "m.json"):
        found = load(systems(f"{{learner: {{use: ready, path: {path}}}}}"), registry=ready)
        (system,) = found.resolved["systems"]
        assert system["learner"]["path"] == "m.json"
        assert str(tmp_path) not in json.dumps(found.resolved)


@pytest.mark.parametrize("context", ["in-context", "isolated", "both"])
def test_a_system_says_its_context(load, context):
    text = f"{HEAD}sizes: [9]\nsystems: [{{learner: bpe, context: {context}}}]\n"
    found = load(text)
    assert found.systems[0].context == context
    assert found.resolved["systems"][0]["context"] == context


def test_without_a_context_it_is_left_to_the_segmenter(load):
    assert load(f"{HEAD}sizes: [9]\nsystems: [bpe]\n").systems[0].context is None


def test_a_context_is_one_of_three(refused):
    said, _ = refused(f"{HEAD}sizes: [9]\nsystems: [{{learner: bpe, context: alone}}]\n")
    assert "3:35: systems[0].context: " in said
    assert "found 'alone', expected 'in-context', 'isolated' or 'both'" in said


@pytest.mark.parametrize(
    ("written", "repeats"), [("", 3), ("repeats: 1\n", 1), ("repeats: 7\n", 7)]
)
def test_how_often_learners_are_repeated(load, written, repeats):
    found = load(f"{HEAD}sizes: [9]\nsystems: [bpe]\n{written}")
    assert found.repeats == repeats
    assert found.resolved["repeats"] == repeats


@pytest.mark.parametrize("written", ["0", "-1", "101", "1.5", "often"])
def test_repeats_are_a_number_from_1(refused, written):
    said, _ = refused(f"{HEAD}sizes: [9]\nsystems: [bpe]\nrepeats: {written}\n")
    assert "4:10: repeats: " in said


def test_a_library_that_is_too_old_is_reported_with_the_command(refused, ready):
    Path("m.json").write_text("model")
    said, code = refused(systems("{learner: {use: newer, path: m.json}}"), registry=ready)
    assert code == 3
    assert (
        f"'newer' needs pytest 99999.1 or newer, found {pytest.__version__}: "
        "pip install --upgrade 'a-package[extra]'"
    ) in said


@pytest.mark.parametrize(
    ("found", "least", "is_older"),
    [
        ("0.9.1", "0.10", True),
        ("0.10.0rc1", "0.10", False),
        ("0.22", "0.22", False),
        ("0.22.1", "0.22", False),
        ("0.21.9", "0.22", True),
        ("1.0", "0.22", False),
        ("2026.8.1", "2026.10", True),
    ],
)
def test_versions_are_compared_by_their_numbers(found, least, is_older):
    assert older(found, least) is is_older


def test_what_is_new_enough_or_asks_for_no_version_passes():
    class Enough(Newer):
        """Needs a library of any age."""

        requires_version = {"pytest": "1"}  # noqa: RUF012 - as plugin authors write it

    check_requirements("enough", Enough)
    check_requirements("ready", Ready)
    with pytest.raises(PluginError, match="pip install --upgrade"):
        check_requirements("newer", Newer)


PLUGIN = """
from tokbench.api import InputFile, Learner, Vocabulary, hookimpl
class Ready(Learner):
    "Load a file."
    path: InputFile
    @property
    def reads(self):
        return "nothing"
    def load(self):
        return Vocabulary(tuple(self.path.read_bytes().decode()), segmenter={"use": "char"})
tokbench_learners = hookimpl(lambda: {"ready": Ready})
"""


def test_results_name_the_digest_of_a_file_and_never_its_folder(tmp_path):
    """In results.csv, run.json and all else that a run leaves, however the config names it."""
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "m.txt").write_text("model")
    absolute = tmp_path / "models" / "m.txt"
    signatures = []
    for written in ("models/m.txt", str(absolute)):
        run = tiny_run(
            tmp_path, PLUGIN, sizes=None, metrics="[fertility]",
            systems=f"[{{learner: {{use: ready, path: {written!r}}}}}]",
        )  # fmt: skip
        assert not run.failures
        signatures.append({signature(run, row) for row in run.rows})
        assert all(f"ready(path=m.txt@{CONTENT})" in signature for signature in signatures[-1])
        assert str(tmp_path) not in "".join(signatures[-1])
    assert signatures[0] == signatures[1]
    done = tokbench_here("run", "-q", "tiny.yaml", "-p", "plugin.py", "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for path in (tmp_path / "out").rglob("*"):
        if path.is_file() and path.name != "run.json":
            assert str(tmp_path).encode() not in path.read_bytes(), path


def test_a_damaged_file_costs_only_its_system(tmp_path):
    plugin = PLUGIN.replace(
        "def load(self):", "def load(self):\n        raise InputError('no model')"
    )
    plugin = plugin.replace("import InputFile", "import InputError, InputFile")
    (tmp_path / "m.txt").write_text("model")
    run = tiny_run(
        tmp_path, plugin, sizes=None, metrics="[fertility]",
        systems="[char, {learner: {use: ready, path: m.txt}}]",
    )  # fmt: skip
    assert run.record.failures == ("system ready: no model",)
    assert {row.system for row in run.rows if row.value is not None} == {"char"}
