"""Docstrings that reports and help are made of, also where Python leaves them out."""

import ast
import inspect
import sys
from functools import cache
from types import FunctionType


def docstring(thing: type | FunctionType) -> str:
    """Return the docstring of a class or function, without its indent; an empty text if none.

    `python -OO` strips docstrings, and no result may depend on that: then it is read in the source.

    >>> docstring(docstring).splitlines()[0]
    'Return the docstring of a class or function, without its indent; an empty text if none.'
    """
    if thing.__doc__ or sys.flags.optimize < 2:
        return inspect.cleandoc(thing.__doc__ or "")
    try:
        path = inspect.getsourcefile(thing)
        written = _written(path) if path else {}
    except (OSError, TypeError, SyntaxError, ValueError):
        return ""
    return written.get(thing.__qualname__.replace(".<locals>", ""), "")


@cache
def _written(path: str) -> dict[str, str]:
    """Read the docstrings of a file's classes and functions, by the names that lead to them."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    return dict(_below(tree, ""))


def _below(node: ast.AST, outer: str) -> list[tuple[str, str]]:
    found = []
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.ClassDef | ast.FunctionDef):
            found.append((outer + inner.name, ast.get_docstring(inner) or ""))
            found += _below(inner, f"{outer}{inner.name}.")
        else:
            found += _below(inner, outer)
    return found
