"""Whole runs of the shipped configs, each made once for all tests and all their processes."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from tests.run_cli import tokbench_here

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"
OF_SHARED_DATA = ("pretrained", "shakespeare", "oov-shakespeare")
TEXTS = {
    "pg100_2018-06-14.txt.gz": SHARED / "shakespeare" / "pg100_2018-06-14.txt.gz",
    "dickens_pg.txt.gz": SHARED / "english" / "dickens_pg.txt.gz",
}

ShippedRun = Callable[[str], Path]
"""Returns the run folder of a shipped config, by the config's name. Tests only read it."""


def environment_of(folder: Path) -> dict[str, str]:
    """Return the variables by which shipped configs find the shared texts and models."""
    texts = folder / "texts"
    texts.mkdir(exist_ok=True)
    for name, source in TEXTS.items():
        if source.exists() and not (texts / name).exists():
            (texts / name).symlink_to(source)
    return {"TOKBENCH_CORPORA": str(texts), "TOKBENCH_MODELS": str(SHARED / "tokenizers")}


@pytest.fixture(scope="session")
def shipped_run(tmp_path_factory: pytest.TempPathFactory) -> ShippedRun:
    """Run each shipped config at most once; the processes of pytest-xdist share its folder."""
    base = tmp_path_factory.getbasetemp()
    base = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shipped"
    base.mkdir(exist_ok=True)

    def run(name: str) -> Path:
        if name in OF_SHARED_DATA and not SHARED.is_dir():
            pytest.skip("the shared data folder ../shared/data is not there")
        folder = base / name
        with FileLock(base / f"{name}.lock"):
            if not folder.exists():
                config = ROOT / "configs" / f"{name}.yaml"
                environment = environment_of(base)
                done = tokbench_here("run", "-q", "-o", folder, config, **environment)
                assert done.returncode == 0, done.stderr
        return folder

    return run
