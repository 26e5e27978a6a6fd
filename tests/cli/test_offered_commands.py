"""Commands that packages offer by entry points, and what is said where there is none."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.run_cli import tokbench

COMMAND = """
import click
from tokbench.commands import say
@click.command()
def command():
    "Say it."
    say("said")
    click.echo("done")
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder with an installed package that offers three commands, two of them broken."""
    (tmp_path / "loud.py").write_text(COMMAND)
    (tmp_path / "wrong.py").write_text("command = 3\n")
    info = tmp_path / "loud-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: loud\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[tokbench.commands]\nloud = loud:command\nwrong = wrong:command\ngone = gone:command\n"
    )
    return tmp_path


def test_a_package_offers_a_command(package: Path) -> None:
    done = tokbench("loud", PYTHONPATH=str(package))
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "said\n")
    listed = tokbench("--help", PYTHONPATH=str(package)).stdout.splitlines()
    assert ["loud", "Of the package loud."] in [line.split(maxsplit=1) for line in listed]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("wrong", "command wrong: cannot be imported: TypeError: found int, expected a click comm"),
        ("gone", "command gone: cannot be imported: ModuleNotFoundError: No module named 'gone'"),
    ],
)
def test_a_broken_command_costs_only_itself(package: Path, name: str, message: str) -> None:
    done = tokbench(name, PYTHONPATH=str(package))
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"error: {message}")
    assert tokbench("--version", PYTHONPATH=str(package)).returncode == 0


@pytest.mark.parametrize(
    ("name", "hint"), [("explian", "; did you mean 'explain'?"), ("xyzzy", "")]
)
def test_an_unknown_command_gets_a_suggestion(name: str, hint: str) -> None:
    done = tokbench(name)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.lower().rstrip(".\n").endswith(f"no such command '{name}'{hint}")


def test_a_command_of_ours_that_is_not_installed_says_so() -> None:
    program = (
        "import importlib.metadata as m\n"
        "found = m.entry_points\n"
        "m.entry_points = lambda **given: () if 'commands' in given['group'] else found(**given)\n"
        "import sys; sys.argv[1:] = ['segment', 'x']\n"
        "from tokbench.cli import main; main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 3
    assert b"command segment: its package is not installed" in done.stderr
