"""A plugin that misspells its hook."""

from tokbench.api import hookimpl


@hookimpl
def tokbench_splitter():
    return {}
