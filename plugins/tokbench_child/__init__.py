"""For wrappers of libraries that exit, crash, print or hang: call a function in a process apart."""

from tokbench_child.calls import in_child

__all__ = ["in_child"]
