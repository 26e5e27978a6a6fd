"""The console blocks of documents: commands with their output, run in a shell and compared.

A line `$ command` begins a command, `> ` goes on with it; what follows is its output, on both
streams. A line of `...` stands for any lines, and `...` inside a line for any text.

`pytest --renew` writes the output of this machine into the documents.

The documents have over a hundred commands, and Python takes most of a second to begin one. So a
server that has imported tokbench once does all: `tokbench` in the shell hands it its streams, and
the server forks a process for it.
"""

import itertools
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, Self
from unittest.mock import patch

from tests.run_cli import PROGRESS, tokbench_here
from tests.shipped import ROOT, SHARED
from tokbench.cli import main
from tokbench.plugins import Registry

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANY = "..."
CORPORA = {
    "pg100_2018-06-14.txt.gz": "shakespeare/pg100_2018-06-14.txt.gz",
    "dickens_pg.txt.gz": "english/dickens_pg.txt.gz",
    "eng_Latn.dev.gz": "parallel/eng_Latn.dev.gz",
}

CLIENT = """#!{python} -IS
import array, os, sys, _socket
server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
server.connect({address!r})
streams = array.array("i", (0, 1, 2))
words = "\\0".join([os.getcwd(), *sys.argv[1:]]).encode()
server.sendmsg([words], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
os._exit(server.recv(1)[0])
"""
"""The `tokbench` of the shell. It imports next to nothing, so that it starts at once."""


@dataclass(frozen=True)
class Command:
    """A command as it is written, with the output that stands below it."""

    written: str
    output: str

    @property
    def script(self) -> str:
        """What the shell runs."""
        command, *rest = self.written.splitlines()
        return "\n".join([command.removeprefix("$ "), *(line.removeprefix("> ") for line in rest)])

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
        parts: list[tuple[list[str], list[str]]] = []
        for line in block.splitlines():
            if line.startswith("$ "):
                parts.append(([line], []))
            elif line.startswith("> ") and not parts[-1][1]:
                parts[-1][0].append(line)
            else:
                parts[-1][1].append(line)
        yield [
            Command("\n".join(written), "".join(f"{line}\n" for line in output))
            for written, output in parts
        ]


class Shell:
    """Runs commands of documents, each document in a folder that looks like the checkout.

    What one learned, the cache keeps for the others.
    """

    def __init__(self, folder: Path, cache: Path) -> None:
        texts = folder / "texts"
        programs = folder / "programs"
        for own in (texts, programs):
            own.mkdir()
        for name, source in CORPORA.items():
            if (SHARED / source).exists():
                (texts / name).symlink_to(SHARED / source)
        self._address = tempfile.mktemp(prefix="tokbench-")  # a socket has a short name
        client = programs / "tokbench"
        client.write_text(CLIENT.format(python=sys.executable, address=self._address), "utf-8")
        client.chmod(0o755)
        self._environment = {
            **os.environ,
            "PATH": f"{programs}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "COLUMNS": "100",
            "TOKBENCH_CACHE": str(cache),
            "TOKBENCH_CORPORA": str(texts),
            "TOKBENCH_MODELS": str(SHARED / "tokenizers"),
        }

    def __enter__(self) -> Self:
        """Start the server, and wait until it answers."""
        start = [sys.executable, "-m", "tests.consoles", self._address]
        self._server = subprocess.Popen(
            start, cwd=ROOT, env=self._environment, stdout=subprocess.PIPE
        )
        assert self._server.stdout is not None
        assert self._server.stdout.readline() == b"ready\n"
        return self

    def __exit__(self, *error: object) -> None:
        """End the server; the time of all commands then counts as that of this process."""
        self._server.terminate()
        self._server.communicate()
        Path(self._address).unlink()

    def run(self, command: Command, folder: Path) -> str:
        """Run a command, and return what it prints on both streams."""
        done = subprocess.run(
            ["bash", "-c", command.script],
            cwd=folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        lines = (line.rstrip() for line in done.stdout.splitlines())
        return PROGRESS.sub("", "".join(f"{line}\n" for line in lines))


def serve(address: str) -> None:
    """Do each command that a client sends, in a process forked for it, until SIGTERM."""
    with tempfile.TemporaryDirectory() as folder:
        tokbench_here("run", "-q", ROOT / "configs" / "toy.yaml", "-o", Path(folder) / "run")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server,
        patch.object(Registry, "foreign", return_value=frozenset()),  # as `tokbench_here` does
    ):
        server.bind(address)
        server.listen()
        print("ready", flush=True)
        try:
            while True:
                client, _ = server.accept()
                with client:
                    if os.fork() == 0:
                        work(client)
        finally:
            with suppress(ChildProcessError):
                while True:
                    os.wait()


def work(client: socket.socket) -> NoReturn:
    """Do the command of a client with its folder and streams, and tell it the exit code."""
    words, streams, _, _ = socket.recv_fds(client, 1 << 16, 3)
    folder, *arguments = words.decode().split("\0")
    os.chdir(folder)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = os.fdopen(0, closefd=False)
    # Both streams are one here, as on a terminal, so their lines have to come in order.
    sys.stdout, sys.stderr = (os.fdopen(i, "w", 1, closefd=False) for i in (1, 2))
    sys.argv = ["tokbench", *arguments]
    try:
        main()
    except SystemExit as end:
        client.send(bytes([int(end.code or 0)]))
        os._exit(0)


def like_the_checkout(folder: Path) -> None:
    """Fill the folder in which the commands of a document run."""
    for name in ("configs", "corpora", "tests", "docs", "plugins"):
        (folder / name).symlink_to(ROOT / name)


def differences(path: Path, folder: Path, shell: Shell) -> list[str]:
    """Run all commands of a document in order; return those that print something else."""
    like_the_checkout(folder)
    wrong = []
    for command in itertools.chain.from_iterable(commands(path.read_text("utf-8"))):
        printed = shell.run(command, folder)
        if not command.matches(printed):
            wrong.append(f"{command.written}\nshould print\n{command.output}but printed\n{printed}")
    return wrong


def renewed(path: Path, folder: Path, shell: Shell) -> list[str]:
    """Write the output of this machine into a document; return what must be mended by hand.

    That is output of which the document has only some lines.
    """
    like_the_checkout(folder)
    by_hand = []

    def block(written: re.Match[str]) -> str:
        (listed,) = commands(written[0])
        shown = ""
        for command in listed:
            printed = shell.run(command, folder)
            if ANY in command.output:
                if not command.matches(printed):
                    by_hand.append(f"{command.written}\nprinted\n{printed}")
                printed = command.output
            shown += f"{command.written}\n{printed}"
        return f"```console\n{shown}```"

    path.write_text(BLOCK.sub(block, path.read_text("utf-8")), encoding="utf-8")
    return by_hand


if __name__ == "__main__":
    serve(sys.argv[1])
