"""What start-up imports, and which modules take longest by themselves."""

import re
import subprocess
import sys

LINE = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \|\s*(\S+)")
SHOWN = 10

Module = tuple[str, float, float]


def slowest(*arguments: str) -> list[Module]:
    """Return (module, own ms, ms with what it imports) of the ten slowest by themselves.

    `arguments` are those of `tokbench`; whether it succeeds plays no part.
    """
    program = "import sys; sys.argv[0] = 'tokbench'; from tokbench.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", program, *arguments],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
    )
    modules = [
        (name, int(own) / 1000, int(whole) / 1000) for own, whole, name in LINE.findall(done.stderr)
    ]
    return sorted(modules, key=lambda module: -module[1])[:SHOWN]
