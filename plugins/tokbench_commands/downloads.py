"""Downloads over https, each as a whole."""

from http.client import HTTPException, InvalidURL
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

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


class HttpsOnly(HTTPRedirectHandler):
    """Follows redirects to https alone, since whoever is on the way can change all else."""

    def redirect_request(
        self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        """Return the request for the new address; raises UsageError where that is not https."""
        _check_https(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def download(address: str) -> bytes:
    """Return a file; those of the catalogues take 10 MB at most.

    Raises UsageError for an address that is not https, also where a redirect leads there, and
    InputError if the server cannot be reached, refuses, or sends less than the whole file.
    """
    _check_https(address)
    try:
        request = Request(address, headers={"User-Agent": f"tokbench/{__version__}"})
        with build_opener(HttpsOnly).open(request, timeout=TIMEOUT_SECONDS) as answer:
            content: bytes = answer.read()
    except HTTPError as error:
        raise InputError(f"{address}: the server answered {error.code} {error.reason}") from None
    except URLError as error:
        raise InputError(f"{address}: cannot be reached: {error.reason}") from None
    except (InvalidURL, ValueError) as error:
        raise UsageError(f"{address}: not an address: {error}") from None
    except (HTTPException, OSError) as error:
        what = f"the download broke off ({type(error).__name__}); try again"
        raise InputError(f"{address}: {what}") from None
    return content


def _check_https(address: str) -> None:
    if not address.startswith("https://"):
        what = "not https, so anybody on the way can change it: give an https address"
        raise UsageError(f"{address}: {what}")
