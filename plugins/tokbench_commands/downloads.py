"""Downloads over https: each is whole, or leaves nothing behind."""

import os
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import NoReturn

import click

from tokbench import __version__
from tokbench.api import InputError, UsageError
from tokbench.commands import Decorator, cache_folder

Read = Callable[[int], None]
"""Called with the bytes of each part that is received."""

_CHUNK = 1 << 16
_TIMEOUT_SECONDS = 30

insecure_option = click.option(
    "--insecure", is_flag=True, help="Use http too, where anybody can change what is sent."
)
"""Adds `--insecure`."""


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


@contextmanager
def downloaded(
    address: str, folder: Path, insecure: bool = False, read: Read = lambda size: None
) -> Iterator[Path]:
    """Download to a temporary file in a folder, which is removed unless it gets another name.

    Raises UsageError for http, also where a redirect leads there, unless `insecure`; and InputError
    if the server cannot be reached, refuses, or sends less than the whole file.
    """
    if not address.startswith(("http://", "https://")):
        raise UsageError(f"{address}: not an http or https address")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=".download-", dir=folder)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}") from None
    os.close(handle)
    partial = Path(temporary)
    try:
        _receive(address, partial, insecure, read)
        # A temporary file is private; a download may be read by others as any new file may.
        partial.chmod(0o644)
        yield partial
    finally:
        partial.unlink(missing_ok=True)


class _HttpsOnly(urllib.request.HTTPHandler, urllib.request.FTPHandler):
    """Refuses what can be changed on the way, also where a redirect leads there."""

    def http_open(self, req: urllib.request.Request) -> NoReturn:
        what = "not https, so anybody on the way can change it: give an https address"
        raise UsageError(f"{req.full_url}: {what}, or --insecure")

    ftp_open = http_open


def _receive(url: str, path: Path, insecure: bool, read: Callable[[int], None]) -> None:
    opener = urllib.request.build_opener(*([] if insecure else [_HttpsOnly]))
    request = urllib.request.Request(url, headers={"User-Agent": f"tokbench/{__version__}"})
    try:
        with opener.open(request, timeout=_TIMEOUT_SECONDS) as answer:
            announced = answer.headers.get("Content-Length")
            size = int(announced) if announced and announced.isdecimal() else None
            received = 0
            with path.open("wb") as file:
                while chunk := answer.read(_CHUNK):
                    file.write(chunk)
                    received += len(chunk)
                    read(len(chunk))
    except urllib.error.HTTPError as error:
        raise InputError(f"{url}: the server answered {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        raise InputError(f"{url}: cannot be reached: {error.reason}") from None
    except (HTTPException, OSError) as error:
        kind = type(error).__name__
        raise InputError(f"{url}: the download broke off ({kind}); try again") from None
    if size is not None and received < size:
        raise InputError(
            f"{url}: the download broke off after {received:,} of {size:,} bytes; try again"
        )
