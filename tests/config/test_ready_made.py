"""Read ready-made tokenizers in a config: their files, and how results name them."""

import hashlib
import json
from pathlib import Path

from tests.run_cli import tokbench_here
from tests.tiny import signature, tiny_run
from tokbench.api import Vocabulary

HEAD = "corpora: {train: train.txt, test: test.txt}\n"
MODEL = Vocabulary(("a", "b"), segmenter={"use": "char"}).to_json()
CONTENT = hashlib.sha256(MODEL.encode()).hexdigest()[:6]


def systems(path):
    return f"[{{name: ready, learner: {{use: vocabulary, path: {str(path)!r}}}}}]"


def test_a_file_is_relative_to_the_folder_of_the_config_or_lies_in_that_of_models(
    load, tmp_path, monkeypatch
):
    for folder in ("models", "cache"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder}.json").write_text(MODEL)
    (system,) = load(f"{HEAD}systems: {systems('models/models.json')}\n").systems
    assert system.learner.load().tokens == ("a", "b")
    assert system.sizes == ()
    assert system.learner.path.path.resolve() == tmp_path / "models" / "models.json"
    monkeypatch.setenv("TOKBENCH_MODELS", str(tmp_path / "cache"))
    (system,) = load(f"{HEAD}systems: {systems('cache.json')}\n").systems
    assert system.learner.load().tokens == ("a", "b")


def test_the_resolved_config_has_the_name_of_a_file_and_not_where_it_lies(load, tmp_path):
    Path("m.json").write_text(MODEL)
    for path in ("m.json", "./m.json", tmp_path / "m.json"):
        resolved = load(f"{HEAD}systems: {systems(path)}\n").resolved
        assert resolved["systems"][0]["learner"]["path"] == "m.json"
        assert str(tmp_path) not in json.dumps(resolved)


def test_results_name_the_digest_of_a_file_and_never_its_folder(tmp_path):
    """In results.csv, run.json and all else that a run leaves, however the config names it."""
    (tmp_path / "models").mkdir()
    absolute = tmp_path / "models" / "m.json"
    absolute.write_text(MODEL)
    signatures = []
    for path in ("models/m.json", absolute):
        run = tiny_run(tmp_path, sizes=None, metrics="[fertility]", systems=systems(path))
        assert not run.failures
        signatures.append({signature(run, row) for row in run.rows})
        assert all(f"vocabulary(path=m.json@{CONTENT})" in text for text in signatures[-1])
        assert str(tmp_path) not in "".join(signatures[-1])
    assert signatures[0] == signatures[1]
    done = tokbench_here("run", "-q", "tiny.yaml", "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for path in (tmp_path / "out").rglob("*"):
        if path.is_file() and path.name != "run.json":
            assert str(tmp_path).encode() not in path.read_bytes(), path
