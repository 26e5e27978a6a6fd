"""The keys that a pydantic model allows at a place of its data."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel

from tokbench.config.problems import Where


def models_in(annotation: Any) -> list[type[BaseModel]]:
    """Find the models that an annotation holds, at whatever depth of unions and containers."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in get_args(annotation) for model in models_in(inner)]


def keys_of(model: type[BaseModel]) -> dict[str, Any]:
    """List a model's keys as configs spell them, with their annotations."""
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def keys_at(annotation: Any, loc: Where) -> list[str]:
    """List the keys that may stand at the place that an error's `loc` leads to, sorted.

    Parts of `loc` that are no key (list positions, pydantic's names of union members) lead on to
    the same models, or to the member that they name.
    """
    models = models_in(annotation)
    for part in loc:
        named = [model for model in models if model.__name__ == part]
        models = named or [inner for model in models for inner in _step(model, part)]
    return sorted({key for model in models for key in keys_of(model)})


def _step(model: type[BaseModel], part: str | int) -> Iterable[type[BaseModel]]:
    keys = keys_of(model)
    return models_in(keys[part]) if part in keys else [model]


def meant(key: str, known: Iterable[str]) -> str | None:
    """Return the known key that a misspelt one stands for, if there is one."""
    close = get_close_matches(key.replace("_", "-").lower(), sorted(known), n=1)
    return close[0] if close else None


def unknown_key(key: str, known: Iterable[str]) -> str:
    """Describe an unknown key, and which one was meant or which there are."""
    known = sorted(known)
    if close := meant(key, known):
        return f"unknown key `{key}`; did you mean `{close}`?"
    listed = ", ".join(f"`{name}`" for name in known)
    return f"unknown key `{key}`; there are: {listed}" if known else f"unknown key `{key}`"
