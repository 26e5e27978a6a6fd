"""`tokbench report`: the report again, from a run folder alone."""

from pathlib import Path

from tests.cli.low import run_example
from tests.run_cli import tokbench_here
from tests.run_folder.sample import RUN
from tests.test_architecture import HEAVY, PLUGINS, loaded
from tokbench.run_folder import write_run

WRITTEN = ("answer.json", "data/cost.md", "data/metrics.md", "report.html", "report.md")


def test_the_report_is_written_again(tmp_path: Path) -> None:
    run = run_example(tmp_path)
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    (run / "report.md").write_text("changed", encoding="utf-8")
    (run / "data/cost.md").unlink()
    done = tokbench_here("report", run)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "".join(f"Written: {run / name}\n" for name in WRITTEN)
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


COMMANDS = {
    "report": {"tokbench_views", "tokbench_page"},
    "verify": set(),
}


def test_of_plugins_only_views_are_needed_and_nothing_heavy_but_numpy(tmp_path: Path) -> None:
    """What shows a view with options reads them as a config does."""
    write_run(tmp_path / "out", RUN)
    groups = {command: [[command, str(tmp_path / "out")]] for command in COMMANDS}
    for command, (code, names) in loaded(groups).items():
        assert code == 0
        used = {name.partition(".")[0] for name in names if "." in name}
        assert used & {*PLUGINS} == {"tokbench_commands"} | COMMANDS[command]
        assert not names & (HEAVY - {"numpy"})
        parts = {name.split(".")[1] for name in names if name.startswith("tokbench.")}
        assert "run_folder" in parts
        assert "runner" not in parts


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    run = tmp_path / "out"
    write_run(run, RUN)
    (run / "report.md").mkdir()
    done = tokbench_here("report", run)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == f"error: {run}: cannot be written: Is a directory\n"
    assert not list(run.glob(".*"))
