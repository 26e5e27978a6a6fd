"""JSON files of other programs, with what JSON readers pass over in silence found."""

import json
from collections.abc import Mapping
from typing import Any

from tokbench.api import InputError
from tokbench.interchange.exchange import Source
from tokbench.interchange.lines import text_of


def document_of(source: Source) -> Any:
    """Read a JSON file; raises InputError, naming the line, for what is none, or a double key."""
    try:
        return json.loads(text_of(source), object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise InputError(f"{source.where}:{error.lineno}: not JSON: {error.msg}") from None
    except ValueError as error:
        raise InputError(f"{source.where}: {error}") from None
    except RecursionError:
        raise InputError(f"{source.where}: nested too deeply") from None


def tokens_of(ids: object, where: str) -> list[str]:
    """Give the tokens of a {token: id} object in id order.

    Raises InputError where it is none, or its ids are not 0, 1, 2 and so on, each once.
    """
    if not isinstance(ids, Mapping) or not all(type(i) is int for i in ids.values()):
        raise InputError(f"{where}: found {ids!r:.60}, expected an object of token: id")
    tokens: dict[int, str] = {}
    for token, i in ids.items():
        if i in tokens:
            raise InputError(f"{where}: id {i} stands for both {tokens[i]!r} and {token!r}")
        tokens[i] = token
    missing = next((i for i in range(len(tokens)) if i not in tokens), None)
    if missing is not None:
        raise InputError(
            f"{where}: none of {len(tokens)} tokens has the id {missing}: ids must be 0, 1, 2, ..."
        )
    return [tokens[i] for i in range(len(tokens))]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{name!r} stands twice")
        found[name] = value
    return found
