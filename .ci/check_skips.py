"""List the skipped tests of a pytest log; fail on one that the allow-list does not hold.

Usage: check_skips.py LOG ALLOWED. A line of ALLOWED is a reason as pytest prints it, or a comment.
"""

import re
import sys
from pathlib import Path

log, allowed_file = map(Path, sys.argv[1:])
lines = allowed_file.read_text(encoding="utf-8").splitlines()
allowed = {line for line in lines if line and not line.startswith("#")}
skips = re.findall(r"^SKIPPED \[\d+\] (\S+?)(?::\d+)?: (.*)$", log.read_text("utf-8"), re.MULTILINE)
for place, reason in skips:
    print(f"skipped: {place}: {reason}")
wrong = [reason for _, reason in skips if reason not in allowed]
print(f"{len(skips)} skipped, {len(wrong)} of them not allowed")
sys.exit(1 if wrong else 0)
