"""The console blocks of documents: commands with their output, run in a shell and compared.

A line `$ command` begins a command, `> ` goes on with it; what follows is its output, on both
streams. A line of `...` stands for any lines, and `...` inside a line for any text.

`pytest --renew` writes the output of this machine into the documents.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT, SHARED
from tests.run_cli import PROGRESS

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANY = "..."
CORPORA = {
    "pg100_2018-06-14.txt.gz": "shakespeare/pg100_2018-06-14.txt.gz",
    "dickens_pg.txt.gz": "english/dickens_pg.txt.gz",
    "eng_Latn.dev.gz": "parallel/eng_Latn.dev.gz",
}


@dataclass(frozen=True)
class Command:
    """A command as it is written, with the output that stands below it."""

    written: str
    output: str

    @property
    def script(self) -> str:
        """What the shell runs."""
        first, *more = self.written.splitlines()
        return "\n".join([first.removeprefix("$ "), *(line.removeprefix("> ") for line in more)])

    def matches(self, printed: str) -> bool:
        """Return whether the output is as the document says."""
        parts = []
        for line in self.output.splitlines():
            if line == ANY:
                parts.append(r"(?:.*\n)*?")
            else:
                parts.append(".*".join(map(re.escape, line.split(ANY))) + r"\n")
        return re.fullmatch("".join(parts), printed) is not None


def commands(text: str) -> Iterator[list[Command]]:
    """Yield the commands of each console block of a document."""
    for block in BLOCK.findall(text):
        found: list[tuple[list[str], list[str]]] = []
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append(([line], []))
            elif line.startswith("> ") and not found[-1][1]:
                found[-1][0].append(line)
            else:
                found[-1][1].append(line)
        yield [
            Command("\n".join(written), "".join(f"{line}\n" for line in output))
            for written, output in found
        ]


class Shell:
    """Runs commands in a folder of their own, which has the corpora and configs of the checkout."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "work"
        self._folder.mkdir()
        for name in ("configs", "corpora", "tests", "docs", "plugins"):
            (self._folder / name).symlink_to(ROOT / name)
        texts = folder / "texts"
        texts.mkdir()
        for name, source in CORPORA.items():
            if (SHARED / source).exists():
                (texts / name).symlink_to(SHARED / source)
        self._environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "COLUMNS": "100",
            "TOKBENCH_CORPORA": str(texts),
            "TOKBENCH_MODELS": str(SHARED / "tokenizers"),
        }

    def run(self, command: Command) -> str:
        """Run a command, and return what it prints on both streams."""
        done = subprocess.run(
            ["bash", "-c", command.script],
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        lines = (line.rstrip() for line in done.stdout.splitlines())
        return PROGRESS.sub("", "".join(f"{line}\n" for line in lines))


def differences(path: Path, folder: Path) -> list[str]:
    """Run all commands of a document in order; return those that print something else."""
    shell = Shell(folder)
    wrong = []
    for block in commands(path.read_text("utf-8")):
        for command in block:
            printed = shell.run(command)
            if not command.matches(printed):
                wrong.append(
                    f"{command.written}\nshould print\n{command.output}but printed\n{printed}"
                )
    return wrong


def renewed(path: Path, folder: Path) -> list[str]:
    """Write the output of this machine into a document; return what must be mended by hand.

    That is output of which the document has only some lines.
    """
    shell = Shell(folder)
    by_hand = []

    def block(written: re.Match[str]) -> str:
        (listed,) = commands(written[0])
        shown = ""
        for command in listed:
            printed = shell.run(command)
            if ANY in command.output:
                if not command.matches(printed):
                    by_hand.append(f"{command.written}\nprinted\n{printed}")
                printed = command.output
            shown += f"{command.written}\n{printed}"
        return f"```console\n{shown}```"

    path.write_text(BLOCK.sub(block, path.read_text("utf-8")), encoding="utf-8")
    return by_hand
