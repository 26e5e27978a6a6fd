"""Commands that packages offer by entry points, and what is said where there is none."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.low import describe_package
from tests.run_cli import tokbench
from tokbench.cli import GROUPS

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
def package(tmp_path: Path) -> str:
    """A folder with an installed package that offers three commands, two of them broken."""
    (tmp_path / "loud.py").write_text(COMMAND)
    (tmp_path / "wrong.py").write_text("command = 3\n")
    offered = "loud = loud:command\nwrong = wrong:command\ngone = gone:command\n"
    describe_package(tmp_path, "loud", f"[tokbench.commands]\n{offered}")
    return str(tmp_path)


def test_a_package_offers_a_command(package: str) -> None:
    done = tokbench("loud", PYTHONPATH=package)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "said\n")
    groups = tokbench("--help", PYTHONPATH=package).stdout.split("\n\n")
    title, *listed = groups[-1].splitlines()
    assert title == "More:"
    assert ["loud", "Of the package loud."] in [line.split(maxsplit=1) for line in listed]


def test_the_help_has_each_command_on_one_line_in_one_group() -> None:
    groups = tokbench("--help", COLUMNS="80").stdout.split("\n\n")[-4:]
    assert [group.partition(":")[0] for group in groups] == [*GROUPS]
    for group, commands in zip(groups, GROUPS.values(), strict=True):
        lines = group.splitlines()[1:]
        assert [line.split()[0] for line in lines] == [*commands]
        assert all(line.endswith(".") and len(line) <= 80 for line in lines)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("wrong", "command wrong: cannot be imported: TypeError: found int, expected a click comm"),
        ("gone", "command gone: cannot be imported: ModuleNotFoundError: No module named 'gone'"),
    ],
)
def test_a_broken_command_costs_only_itself(package: str, name: str, message: str) -> None:
    done = tokbench(name, PYTHONPATH=package)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"error: {message}")


def test_a_command_of_ours_that_is_not_installed_says_so() -> None:
    program = (
        "import importlib.metadata as m\n"
        "every = m.entry_points\n"
        "m.entry_points = lambda **keys: () if 'commands' in keys['group'] else every(**keys)\n"
        "import sys; sys.argv[1:] = ['segment', 'x']\n"
        "from tokbench.cli import main; main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 3
    assert b"command segment: its package is not installed" in done.stderr
