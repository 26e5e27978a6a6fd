"""Names of systems and corpora, which stand in results and in the names of files."""

from typing import Annotated
from unicodedata import category

from pydantic import AfterValidator

MAX_NAME = 100
MAX_NAME_BYTES = 200
_IN_NAME = " .,+=()-_"


def named(name: str) -> str:
    """Check a name that will stand in file names and tables; raises ValueError."""
    if not _is_name(name):
        raise ValueError(
            f"found {name!r}, expected a name that begins with a letter, digit or _, of at most "
            "100 letters, digits, spaces and any of . , + = ( ) - _"
        )
    if len(name.encode()) > MAX_NAME_BYTES:
        raise ValueError(
            f"found a name of {len(name.encode())} bytes, expected at most {MAX_NAME_BYTES}, since "
            "it will be part of file names"
        )
    return name


def _is_name(name: str) -> bool:
    # The library `regex` would say it in a line, but takes longer to load than all else here.
    kinds = [category(char)[0] for char in name]
    return (
        0 < len(name) <= MAX_NAME
        and all(kind in "LMN" or char in _IN_NAME for kind, char in zip(kinds, name, strict=True))
        and (kinds[0] in "LN" or name[0] == "_")
        and name[-1] not in " ."
    )


Name = Annotated[str, AfterValidator(named)]
