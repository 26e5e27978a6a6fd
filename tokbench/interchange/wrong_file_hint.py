"""The hint that a ready-made tokenizer's file is of another kind than its option expects."""

from tokbench import plugins
from tokbench.api import InputError, InputFile, Learner
from tokbench.interchange.formats import recognise

LOOKS_LIKE = "this looks like"


def with_hint(name: str, learner: Learner, error: InputError) -> InputError:
    """Add a hint to the error about a learner's file if it looks like a file of another kind."""
    message = str(error)
    for option, file in learner:
        if LOOKS_LIKE not in message and isinstance(file, InputFile) and str(file.path) in message:
            message += _hint(name, getattr(learner, "kind", None), option, file)
    return InputError(message)


def _hint(name: str, kind: object, option: str, file: InputFile) -> str:
    look = recognise(file.read_bytes(), plugins.load(lazy=True))
    here = {f"{{use: {name}, {option}: ...}}", f"{{use: {name}, kind: {kind}, {option}: ...}}"}
    if look is None or here.intersection(look.readers):
        return ""
    if look.readers:
        return f"; {LOOKS_LIKE} {look.what}, which `{look.readers[0]}` reads"
    # A file of an import format may be what was wanted, but damaged.
    return "" if look.formats else f"; {LOOKS_LIKE} {look.what}: {look.hint}"
