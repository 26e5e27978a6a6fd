"""Downloads over https, each as a whole."""

from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import click

from tokbench import __version__
from tokbench.api import InputError, UsageError
from tokbench.commands import Decorator, cache_folder

TIMEOUT_SECONDS = 30


def folder_option(default: str) -> Decorator:
    """Add `-o FOLDER`, whose help names the default."""
    return click.option(
        "-o",
        "--output",
        "folder",
        type=click.Path(file_okay=False, path_type=Path),
        help=f"The folder to put it in [default: {default}].",
    )


def target_of(folder: Path | None, kind: str) -> Path:
    """Return where to put a download of a kind; raises UsageError without any folder."""
    if target := folder or cache_folder(kind):
        return target
    raise UsageError("there is no home folder to download into: name a folder with -o")


def download(address: str) -> bytes:
    """Return a file; those of the catalogues take 10 MB at most.

    Raises UsageError for an address that is not https, also where a redirect leads there, and
    InputError if the server cannot be reached, refuses, or sends less than the whole file.
    """
    _check_https(address)
    request = Request(address, headers={"User-Agent": f"tokbench/{__version__}"})
    try:
        with urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
            content: bytes = answer.read()
    except HTTPError as error:
        raise InputError(f"{address}: the server answered {error.code} {error.reason}") from None
    except URLError as error:
        raise InputError(f"{address}: cannot be reached: {error.reason}") from None
    except (HTTPException, OSError) as error:
        what = f"the download broke off ({type(error).__name__}); try again"
        raise InputError(f"{address}: {what}") from None
    _check_https(answer.url)
    return content


def _check_https(address: str) -> None:
    if not address.startswith("https://"):
        what = "not https, so anybody on the way can change it: give an https address"
        raise UsageError(f"{address}: {what}")
