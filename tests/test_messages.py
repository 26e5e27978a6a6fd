"""Test each message that users meet: an input, a command, its exit code and its standard error.

Each `tests/messages/TOPIC.txt` begins with a head, which all its cases share: some prose, small
files, and the command of the cases that name no other. A case is a title and up to four parts:

    === A learner that no plugin offers
    systems: [bep]
    -- more.txt
    low lower lowest
    $ tokbench check config.yaml
    exit 2
    error: config.yaml:1:11: systems[0]: no plugin offers a learner 'bep'; ...

- Lines of `config.yaml`. Those of the head's `config.yaml` follow, but for the keys that the case
  writes.
- Files, each after a line `-- NAME`. `-- bad.py from learner.py` makes `bad.py` of the head's
  `learner.py`, where the case's lines replace the word `HERE`. After `-- old.txt (bytes)` Python's
  escapes such as `\\xe9` stand for odd bytes, and only `\\n` ends a line.
- `$ tokbench ...`, if the command isn't the head's; `<NAME` at its end sends it a file.
- `exit N`, then all of standard error, where `...` stands for any text, and FOLDER for the folder
  of the files. It is compared as a whole, so no message can be shown twice.

`pytest --renew` (without `-n`) writes the exit code and the text of the cases that differ, except
lines with `...` that still match. Read them with `git diff`, as a user would.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.run_cli import tokbench_here

TOPICS = Path(__file__).parent / "messages"
Files = dict[str, list[str]]


@dataclass(frozen=True)
class Case:
    """Holds a case: its own text, and the files and the command with those of the head."""

    topic: Path
    text: str
    files: Files
    command: str

    def __str__(self) -> str:
        return f"{self.topic.stem}: {self.text.splitlines()[0].removeprefix('=== ')}"

    def write(self, folder: Path) -> None:
        """Write the files."""
        for name, lines in self.files.items():
            path, _, base = name.removesuffix(" (bytes)").partition(" from ")
            complete = filled(self.files.get(base, []), lines)
            content = "".join(f"{line}\n" for line in complete).encode()
            if name.endswith(" (bytes)"):
                content = "".join(lines).encode().decode("unicode_escape").encode("latin-1")
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)

    def renew(self, outcome: str) -> None:
        """Write another outcome into the topic, but for lines with `...` that still match."""
        short = [line for line in split(self.text)[1].split("\n") if "..." in line]
        outcome = "\n".join(
            next((old for old in short if matches(old, line)), line) for line in outcome.split("\n")
        )
        topic = self.topic.read_text(encoding="utf-8")
        written = topic.replace(self.text.rstrip(), f"{split(self.text)[0].rstrip()}\n{outcome}")
        self.topic.write_text(written, encoding="utf-8")


def split(text: str) -> tuple[str, str]:
    """Return the input and the outcome of a case."""
    start = re.search(r"^exit \d+$|\Z", text, re.MULTILINE).start()
    return text[:start], text[start:].rstrip("\n")


def matches(expected: str, actual: str) -> bool:
    """Return whether a text is the expected one, in which `...` stands for any text."""
    return bool(re.fullmatch(re.escape(expected).replace(r"\.\.\.", ".*"), actual, re.DOTALL))


def filled(base: list[str], lines: list[str]) -> list[str]:
    """Put lines in place of the word `HERE`, or before those that have other keys."""
    for number, line in enumerate(base):
        if "HERE" in line:
            here = [line.replace("HERE", text) for text in lines]
            return base[:number] + here + base[number + 1 :]
    keys = {line.split(":")[0] for line in lines}
    return lines + [line for line in base if line.split(":")[0] not in keys]


def read(text: str) -> tuple[list[str], Files, str]:
    """Return the lines before the files, the files and the command of a head or a case."""
    lines = before = []
    files: Files = {}
    command = ""
    for line in text.rstrip("\n").split("\n"):
        if line.startswith("-- "):
            lines = files[line.removeprefix("-- ")] = []
        elif line.startswith("$ tokbench "):
            command = line.removeprefix("$ tokbench ")
        else:
            lines.append(line)
    return before, files, command


def cases() -> Iterator[Case]:
    """Yield the cases of all topics."""
    for topic in sorted(TOPICS.glob("*.txt")):
        head, *texts = re.split("^(?==== )", topic.read_text("utf-8"), flags=re.MULTILINE)
        _, shared, usual = read(head)
        for text in texts:
            (_, *config), files, command = read(split(text)[0])
            own = {"config.yaml from config.yaml": config} if config else {}
            yield Case(topic, text, shared | own | files, command or usual)


def outcome(case: Case, folder: Path, in_children: bool = False) -> str:
    """Run the command of a case; return its exit code, and what it writes to standard error."""
    case.write(folder)
    command, _, stdin = case.command.partition(" <")
    sent = (folder / stdin).read_bytes() if stdin else b""
    done = tokbench_here(*shlex.split(command), cwd=folder, stdin=sent, in_children=in_children)
    lines = [f"exit {done.returncode}", *done.stderr.replace(str(folder), "FOLDER").splitlines()]
    return "\n".join(line.rstrip() for line in lines)


@pytest.mark.parametrize("case", [*cases()], ids=str)
def test_message(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renew: bool) -> None:
    monkeypatch.delenv("TOKBENCH_MODELS", raising=False)
    actual = outcome(case, tmp_path)
    expected = split(case.text)[1]
    if matches(expected, actual):
        return
    if not renew:
        assert actual == expected
    case.renew(actual)


IN_A_CHILD = ("Learners", "Splitters of systems", "Metrics that count", "Views and analyses")
FAILURES = [case for case in cases() if str(case).removeprefix("failures: ") in IN_A_CHILD]


@pytest.mark.ci
@pytest.mark.parametrize("case", FAILURES, ids=str)
def test_what_fails_in_a_child_is_told_alike(case: Case, tmp_path: Path) -> None:
    assert matches(split(case.text)[1], outcome(case, tmp_path, in_children=True))
