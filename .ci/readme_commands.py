"""Print the two set-up commands of the README, each ended by a NUL."""

import re
import sys
from pathlib import Path

section = Path("README.md").read_text(encoding="utf-8").split("\n## Set-up\n")[1].split("\n## ")[0]
blocks = re.findall(r"^```sh\n(.*?)^```$", section, flags=re.MULTILINE | re.DOTALL)
if len(blocks) != 2:
    sys.exit(f"README.md: 'Set-up' must hold exactly two commands, found {len(blocks)}")
sys.stdout.write("".join(block.strip() + "\0" for block in blocks))
