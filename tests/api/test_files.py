"""Options that name files: where they are looked for, and how they stand in signatures."""

import gzip
import hashlib
import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from tokbench.api import InputError, InputFile, Learner

A = hashlib.sha256(b"a").hexdigest()


class Ready(Learner):
    """Read a file, and perhaps another."""

    path: InputFile
    other: InputFile | None = None


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in which the process is, and no folder of models."""
    monkeypatch.delenv("TOKBENCH_MODELS", raising=False)
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def written(folder: Path, name: str = "m.json", text: str = "a") -> Path:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return folder / name


def test_a_relative_path_begins_at_the_folder_of_the_config(here: Path, tmp_path: Path) -> None:
    written(here)
    there = written(tmp_path / "config", "models/m.json", "b")
    file = Ready.configure(tmp_path / "config", path="models/m.json").path
    assert (file.written, file.path) == ("models/m.json", there)
    assert file.read_bytes() == b"b"
    assert Ready.configure(path="m.json").path.read_bytes() == b"a"


def test_then_the_folder_of_models_is_looked_in(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path / "models", text="model")
    monkeypatch.setenv("TOKBENCH_MODELS", str(tmp_path / "models"))
    assert InputFile.find("m.json", here).read_bytes() == b"model"
    written(here, text="nearer")
    assert InputFile.find("m.json", here).read_bytes() == b"nearer"


def test_an_absolute_path_is_itself(here: Path, tmp_path: Path) -> None:
    path = written(tmp_path)
    assert Ready.configure(Path("elsewhere"), path=str(path)).path.path == path
    assert Ready(path=path).path == Ready(path=str(path)).path


def test_a_missing_file_says_where_it_was_looked_for(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def message(path: str) -> str:
        with pytest.raises(ValidationError) as caught:
            Ready.configure(here, path=path)
        (error,) = caught.value.errors()
        return error["msg"].removeprefix("Value error, ")

    assert message("no.json") == f"{here}/no.json: no such file ($TOKBENCH_MODELS is not set)"
    assert message(f"{here}/no.json") == f"{here}/no.json: no such file"
    (here / "folder").mkdir()
    assert "folder: a folder, expected a file" in message("folder")
    assert message("") == "expected the path of a file"
    assert message("a\0b") == f"{here}/a\0b: no such file ($TOKBENCH_MODELS is not set)"
    assert message("x" * 5000).endswith("x: cannot be looked for: File name too long")
    monkeypatch.setenv("TOKBENCH_MODELS", str(tmp_path))
    assert message("no.json") == f"{here}/no.json or {tmp_path}/no.json: no such file"


@pytest.mark.parametrize("value", [7, ["m.json"]])
def test_only_a_path_names_a_file(here: Path, value: object) -> None:
    with pytest.raises(ValidationError, match="expected the path of a file"):
        Ready.configure(path=value)


def test_a_file_that_changes_after_it_was_read_is_refused(here: Path) -> None:
    path = written(here)
    file, digest = InputFile("m.json", path), hashlib.sha256(b"b").hexdigest()
    assert file.read_bytes() == file.read_bytes() == b"a"
    written(here, text="b")
    with pytest.raises(InputError) as caught:
        file.read_bytes()
    digests = f"(SHA-256 {A[:6]} then, {digest[:6]} now)"
    assert str(caught.value) == f"{path}: changed after it was first read {digests}: run again"
    assert file.digest == A
    assert InputFile("m.json", path).read_bytes() == b"b"


def test_signatures_name_file_and_digest_but_no_folder(here: Path, tmp_path: Path) -> None:
    path = written(tmp_path / "deep" / "folder")
    ready = Ready.configure(path=str(path))
    assert ready.describe("ready") == f"ready(path=m.json@{A[:6]})"
    two_files = Ready.configure(path=str(path), other=str(written(here, "b.json")))
    assert two_files.describe("ready") == f"ready(path=m.json@{A[:6]},other=b.json@{A[:6]})"
    changed = Ready.configure(path=str(written(tmp_path / "deep" / "folder", text="b")))
    assert changed.describe("ready") != ready.describe("ready")


def test_the_files_of_a_component(here: Path) -> None:
    written(here)
    ready = Ready.configure(path="m.json")
    assert [file.written for file in ready.files] == ["m.json"]
    assert [*Ready.configure(path="m.json", other="m.json").files] == [ready.path] * 2


def test_a_resolved_config_has_the_name_of_the_file(here: Path, tmp_path: Path) -> None:
    written(here, "models/m.json")
    ready = Ready.configure(here, path="models/m.json")
    assert ready.model_dump(mode="json", by_alias=True) == {"path": "m.json", "other": None}
    assert repr(ready.path) == "InputFile('models/m.json')"


def test_files_are_the_same_by_where_they_are(here: Path) -> None:
    written(here)
    file, same_file = InputFile.find("m.json", here), InputFile.find("./m.json", here)
    assert len({file, same_file, InputFile.find("m.json", here)}) == 1
    assert file != InputFile.find(str(written(here, "b.json")), here)
    assert file != "m.json"


def test_a_file_that_vanishes_is_an_error_with_its_path(here: Path) -> None:
    path = written(here)
    file = InputFile.find("m.json", here)
    os.unlink(path)
    with pytest.raises(InputError, match=r"m\.json: cannot be read: No such file"):
        file.read_bytes()


def test_a_gzipped_file_is_read_as_what_is_in_it(here: Path) -> None:
    (here / "a.json.gz").write_bytes(gzip.compress(b"a"))
    file = InputFile.find("a.json.gz", here)
    assert (file.read_bytes(), file.digest) == (b"a", A)
    (here / "cut.gz").write_bytes(gzip.compress(b"a")[:-9])
    with pytest.raises(InputError, match=r"cut\.gz: truncated gzip file: it ends in the middle"):
        InputFile.find("cut.gz", here).read_bytes()
    (here / "plain.gz").write_bytes(b"a")
    with pytest.raises(InputError, match=r"plain\.gz: not a gzip file, though its name ends"):
        InputFile.find("plain.gz", here).read_bytes()


@pytest.mark.parametrize(
    ("names", "advice"),
    [
        (["config.json", "vocab.txt", "tokenizer.json"], "give MODEL/tokenizer.json"),
        (["spiece.model"], "give MODEL/spiece.model"),
        (["vocab.json", "merges.txt"], "`tokbench import MODEL --from gpt2` reads it"),
        (["config.json"], "a model without a tokenizer.json"),
        (["vocab.json"], ""),
    ],
)
def test_of_the_folder_of_a_model_a_file_is_named(
    here: Path, names: list[str], advice: str
) -> None:
    model = here / "model"
    model.mkdir()
    for name in names:
        (model / name).touch()
    with pytest.raises(ValueError, match="model: a folder, expected a file") as caught:
        InputFile.find("model", here)
    message = str(caught.value).replace(str(model), "MODEL")
    assert advice in message
    assert bool(advice) == (message != "MODEL: a folder, expected a file")
    with pytest.raises(InputError) as caught:
        InputFile("model", model).read_bytes()
    assert str(caught.value).replace(str(model), "MODEL") == message


def test_the_schema_of_a_config_asks_for_a_path() -> None:
    schema = Ready.model_json_schema()["properties"]["path"]
    assert (schema["type"], schema["format"]) == ("string", "path")
