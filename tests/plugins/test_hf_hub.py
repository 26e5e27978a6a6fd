"""Tokenizers by their name on the hub: from a cache as huggingface_hub lays it out, offline."""

from hashlib import sha256
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.run_cli import tokbench
from tokbench.run_folder import Run

pytestmark = pytest.mark.ci  # loads a library of some hundred MB

COMMIT = "0123456789abcdef0123456789abcdef01234567"
TOKENIZER = (ROOT / "tests" / "data" / "hf" / "tokenizer.json").read_bytes()


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A cache that holds one model."""
    model = tmp_path / "home" / "hub" / "models--org--model"
    for name, content in {
        "refs/main": COMMIT.encode(),
        f"snapshots/{COMMIT}/tokenizer.json": TOKENIZER,
    }.items():
        (model / name).parent.mkdir(parents=True)
        (model / name).write_bytes(content)
    return {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")}


def test_signature_and_record_say_which_file_was_read(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "test.txt").write_text("low lower lowest\n")
    learner = "{use: hf, name: org/model}"
    (tmp_path / "c.yaml").write_text(
        f"corpora: {{test: test.txt}}\nsystems: [{{name: a, learner: {learner}}}]\n"
        "metrics: [tokens]\n"
    )
    done = tokbench("run", "-q", "c.yaml", "-o", "out", cwd=tmp_path, **environment)
    assert done.returncode == 0, done.stderr
    run = Run.load(tmp_path / "out")
    digest = sha256(TOKENIZER).hexdigest()
    assert (
        f"hf(kind=tokenizer-json,path=tokenizer.json@{digest[:6]},name=org/model)"
        in run.signature(run.rows[0])
    )
    assert run.record.resolved["systems"][0]["learner"]["revision"] == COMMIT
    assert [file.sha256 for file in run.record.files] == [digest]


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (
            ("name=org/other",),
            4,
            "org/other: it is not in the cache (HOME/hub), and the hub cannot",
        ),
        (("name=org/model", "revision=v2"), 4, "org/model at v2: it is not in the cache"),
        (("name=a b",), 2, "'a b' is no name of a model, such as `org/model`: "),
        (("name=org/model", "path=x"), 2, "give either `name` or `path`"),
        (("kind=bert-vocab", "revision=v2"), 2, "`revision` goes with `name`"),
    ],
)
def test_what_is_not_there_has_a_way_out(
    tmp_path: Path, environment: dict[str, str], options: tuple[str, ...], code: int, message: str
) -> None:
    arguments = [part for option in options for part in ("-O", option)]
    done = tokbench("segment", "hf", *arguments, stdin=b"low\n", **environment)
    assert done.returncode == code
    assert message.replace("HOME", environment["HF_HOME"]) in done.stderr
    assert ("If it needs a login, `hf auth login` does so" in done.stderr) is (code == 4)
