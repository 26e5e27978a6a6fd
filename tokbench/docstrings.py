"""Docstrings that reports and help are made of, also where Python leaves them out."""

import ast
import inspect
import sys
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
        source = inspect.getsource(thing)
        tree = ast.parse(f"if True:\n{source}" if source[0].isspace() else source)
    except (OSError, TypeError, SyntaxError, ValueError):
        return ""
    found = (one for one in ast.walk(tree) if isinstance(one, ast.ClassDef | ast.FunctionDef))
    outermost = next(found, None)
    return ast.get_docstring(outermost) or "" if outermost else ""
