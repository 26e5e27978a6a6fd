"""`tokbench demo`: an example that runs where it is written."""

from pathlib import Path

from tokbench_commands.demo import CONFIGS, TEXT

from tests.run_cli import names_in
from tests.run_cli import tokbench_here as tokbench


def test_an_example_runs_in_a_folder_of_its_own(tmp_path: Path) -> None:
    done = tokbench("demo", "--config", "aaabdaaabac", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "config: tokbench-demo/aaabdaaabac.yaml (`tokbench run" in done.stderr
    assert "Report: tokbench-demo/run/report.html" in done.stdout
    written = {"aaabdaaabac.yaml", "aaabdaaabac.txt", "run"}
    assert names_in(tmp_path / "tokbench-demo") == written
    again = tokbench("demo", "--config", "aaabdaaabac", cwd=tmp_path)
    assert again.returncode == 2
    assert "aaabdaaabac.yaml: already exists: choose another name" in again.stderr


def test_each_example_needs_shipped_texts_only(root: Path) -> None:
    for name in CONFIGS:
        config = (root / "configs" / f"{name}.yaml").read_text("utf-8")
        assert "catalog:" not in config
        assert all((root / "corpora" / text).is_file() for text in TEXT.findall(config))
        assert "../" not in TEXT.sub("", config)
