"""The run folder, and the value that it holds: a `Run`, plain data that every view is made from."""

from tokbench.run_folder.folder import write_run
from tokbench.run_folder.run import Run

__all__ = ["Run", "write_run"]
