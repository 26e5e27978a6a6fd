"""Where the command line finds what plugins' code is run in."""

from tokbench.runner.issues import described, stranger

__all__ = ["described", "stranger"]
