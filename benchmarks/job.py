"""Do one job for one peer in this process; the last line on stdout is its answer as JSON.

python benchmarks/job.py JOB PEER '{"argument": value, ...}'
"""

import json
import sys
from importlib import import_module


def main() -> None:
    """Do the job of the command line, and print its answer."""
    name, peer, arguments = sys.argv[1:]
    job = import_module(f"jobs.{name}")
    print(json.dumps(job.run(peer, **json.loads(arguments))))


if __name__ == "__main__":
    main()
