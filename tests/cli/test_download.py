"""Downloads of `tokbench corpora` and `tokbench models`, on servers of this machine."""

import gzip
import json
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from shutil import which

import pytest
from tokbench_commands.corpora import download_corpus
from tokbench_commands.downloads import target_of
from tokbench_commands.models import download_model
from tokbench_ready_made.published import CatalogueModel

from tests.run_cli import tokbench_here
from tokbench.api import InputFile, models_folders
from tokbench.corpora.catalogue import CatalogueEntry, find_corpus
from tokbench.errors import InputError, UsageError

FIRST, LAST = b"*** START OF THE TALE ***\r\n", b"*** END OF THE TALE ***\r\n"
TEXT = b"\xef\xbb\xbfA tale\r\n" + FIRST + b"Once.\r\n" * 20_000 + LAST + b"Licence.\r\n"
OTHER = TEXT.replace(b"Once.", b"Once!")
PLAYS = b"*** START OF THE PLAYS\nTo be.\n*** END OF THE PLAYS\n"
PAGE = b"<html>Please prove that you are human.</html>\n"

WHOLE = {
    "/tale": TEXT,
    "/tale.gz": gzip.compress(TEXT),
    "/other": OTHER,
    "/page": PAGE,
    "/no-end": TEXT[: -len(LAST) - 20],
    "/plays": PLAYS,
}


class Library(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path in WHOLE:
            self.answer("Content-Length", str(len(WHOLE[self.path])), WHOLE[self.path])
        elif self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/to/"))
            self.end_headers()
        elif self.path == "/cut":
            self.answer("Content-Length", str(len(TEXT)), TEXT[:100_000])
        elif self.path == "/cut-chunked":
            self.answer("Transfer-Encoding", "chunked", b"186a0\r\n" + TEXT[:50_000])
        elif self.path != "/closed":  # that one ends without an answer
            self.send_error(404)
        self.close_connection = True

    def answer(self, header: str, value: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header(header, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Keep the tests' output free of the server's log."""


@contextmanager
def serving(library: ThreadingHTTPServer) -> Iterator[str]:
    """Answer in a thread; yield the host and the port."""
    with library:
        thread = threading.Thread(target=library.serve_forever, args=(0.01,))
        thread.start()
        yield f"{library.server_name}:{library.server_port}"
        library.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve by https with a certificate made here, which the tests' environment trusts."""
    if which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    folder = tmp_path_factory.mktemp("certificate")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    named = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(
        [*made, *named, "-keyout", key, "-out", certificate], check=True, capture_output=True
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    library = ThreadingHTTPServer(("localhost", 0), Library)
    library.socket = context.wrap_socket(library.socket, server_side=True)
    with pytest.MonkeyPatch.context() as patch, serving(library):
        patch.setenv("SSL_CERT_FILE", str(certificate))
        yield f"https://localhost:{library.server_port}"


@pytest.fixture
def tale(server) -> CatalogueEntry:
    return CatalogueEntry(
        title="A tale",
        url=f"{server}/tale",
        licence="none",
        sha256=sha256(TEXT).hexdigest(),
        bytes=len(TEXT),
        begin="*** START",
        end="*** END",
    )


def test_the_tested_edition(tale, tmp_path, capsys):
    folder = tmp_path / "new" / "folder"
    path = download_corpus("tale", tale, folder)
    assert (path, capsys.readouterr().err) == (folder / "tale.txt", "")
    assert path.read_bytes() == TEXT
    assert path.stat().st_mode & 0o777 == 0o644
    assert list(folder.iterdir()) == [path]


def test_a_gzipped_mirror(tale, server, tmp_path):
    path = download_corpus("tale", tale, tmp_path, url=f"{server}/tale.gz")
    assert path.name == "tale.txt.gz"
    assert gzip.decompress(path.read_bytes()) == TEXT


def test_another_edition_is_taken_with_a_warning(tale, server, tmp_path, capsys):
    path = download_corpus("tale", tale, tmp_path, url=f"{server}/other")
    assert path.read_bytes() == OTHER
    assert capsys.readouterr().err == (
        "warning: tale.txt is another edition of 'tale' than the one tested with this version of "
        "tokbench: figures will differ from the documented ones\n"
    )


def test_the_tested_edition_is_not_fetched_twice(tale, server, tmp_path):
    (tmp_path / "mine").write_bytes(TEXT)
    assert download_corpus("tale", tale, tmp_path, url=f"{server}/none") == tmp_path / "mine"


def test_a_file_that_is_there_is_never_replaced(tale, server, tmp_path):
    mine = tmp_path / "tale.txt"
    mine.write_bytes(OTHER)
    with pytest.raises(InputError, match="already exists, with another text: "):
        download_corpus("tale", tale, tmp_path)
    assert (list(tmp_path.iterdir()), mine.read_bytes()) == ([mine], OTHER)
    assert download_corpus("tale", tale, tmp_path, url=f"{server}/other") == mine


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("cut", "the download broke off (IncompleteRead); try again"),
        ("cut-chunked", "the download broke off (IncompleteRead); try again"),
        ("closed", "the download broke off (RemoteDisconnected); try again"),
        ("page", "not the whole text: no line begins with '*** START'; is the address right?"),
        ("no-end", "not the whole text: no line begins with '*** END'; is the address right?"),
        ("none", "the server answered 404 Not Found"),
    ],
)
def test_what_is_not_the_whole_text_is_refused_and_leaves_nothing(
    tale, server, tmp_path, page, message
):
    earlier = tmp_path / "tale.txt"
    earlier.write_bytes(OTHER)
    url = f"{server}/{page}"
    with pytest.raises(InputError) as caught:
        download_corpus("tale", tale, tmp_path, url=url)
    assert str(caught.value) == f"{url}: {message}"
    assert list(tmp_path.iterdir()) == [earlier]
    assert earlier.read_bytes() == OTHER


def test_a_server_that_cannot_be_reached(tale, tmp_path):
    # Port 9 is the discard service's, where nothing listens.
    with pytest.raises(InputError) as caught:
        download_corpus("tale", tale, tmp_path, url="https://127.0.0.1:9/tale")
    assert str(caught.value).startswith("https://127.0.0.1:9/tale: cannot be reached: ")
    assert list(tmp_path.iterdir()) == []


def test_a_redirect_to_https_is_followed(tale, server, tmp_path):
    path = download_corpus("tale", tale, tmp_path, url=f"{server}/to/{server}/tale")
    assert path.read_bytes() == TEXT


@pytest.mark.parametrize("way", ["{}", "{server}/to/{}"])
def test_nothing_is_asked_for_by_http(tale, server, tmp_path, way):
    address = "http://localhost:9/tale"  # port 9 is the discard service's, where nothing listens
    with pytest.raises(UsageError) as caught:
        download_corpus("tale", tale, tmp_path, url=way.format(address, server=server))
    what = "not https, so anybody on the way can change it: give an https address"
    assert str(caught.value) == f"{address}: {what}"
    assert list(tmp_path.iterdir()) == []


def test_a_certificate_that_nobody_trusts(tale, server, tmp_path, monkeypatch):
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(InputError, match=r"cannot be reached: .*certificate verify failed"):
        download_corpus("tale", tale, tmp_path, url=f"{server}/tale")


def test_a_digest_that_is_given_must_match_though_the_tested_edition_is_there(
    tale, server, tmp_path
):
    (tmp_path / "mine").write_bytes(TEXT)
    digest = sha256(OTHER).hexdigest()
    with pytest.raises(InputError, match=f"the SHA-256 of its text is {tale.sha256}, expected"):
        download_corpus("tale", tale, tmp_path, sha256=digest)
    assert (
        download_corpus("tale", tale, tmp_path, url=f"{server}/other", sha256=digest).name
        == "tale.txt"
    )
    assert download_corpus("tale", tale, tmp_path, sha256=tale.sha256) == tmp_path / "mine"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.delenv("TOKBENCH_CORPORA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "tokbench" / "corpora"


def test_list_tells_address_digest_and_file(cache):
    cache.mkdir(parents=True)
    (cache / "shakespeare.txt").write_text("another edition")
    records = json.loads(tokbench_here("corpora", "list", "--format", "json").stdout)
    shakespeare, oliver_twist, _ = records[-3:]
    assert (oliver_twist["name"], oliver_twist["file"]) == ("oliver-twist", "")
    assert shakespeare["file"] == str(cache / "shakespeare.txt")
    assert shakespeare["url"] == "https://www.gutenberg.org/cache/epub/100/pg100.txt"
    assert shakespeare["sha256"].startswith("17d47ae375676f75")
    header, *rows = tokbench_here("corpora", "list").stdout.splitlines()
    assert header.split() == ["name", "title", "bytes", "licence", "file"]
    assert len(rows) == len(records)


def test_get_finds_a_shipped_text(root):
    done = tokbench_here("corpora", "get", "english")
    assert (done.returncode, done.stdout) == (0, f"{root / 'corpora' / 'english.train.txt'}\n")


def test_get_prints_the_path_and_warns(cache, server):
    command = ("corpora", "get", "shakespeare", "--url", f"{server}/plays")
    digest = sha256(PLAYS).hexdigest().upper()
    done = tokbench_here(*command, "--sha256", digest)
    assert (done.returncode, done.stdout) == (0, f"{cache / 'shakespeare.txt'}\n")
    assert done.stderr.startswith("warning: shakespeare.txt is another edition of 'shakespeare' ")
    assert (cache / "shakespeare.txt").read_bytes() == PLAYS


def test_get_into_a_folder_says_how_configs_find_it(cache, server, tmp_path):
    options = ("--url", f"{server}/plays", "-o", tmp_path / "mine")
    done = tokbench_here("corpora", "get", "shakespeare", *options)
    assert done.stdout == f"{tmp_path / 'mine' / 'shakespeare.txt'}\n"
    assert f"note: set TOKBENCH_CORPORA={tmp_path / 'mine'} so" in done.stderr


@pytest.fixture
def model(server) -> CatalogueModel:
    """A tokenizer of two files; nobody knows the digest of the second."""
    plays = {"url": f"{server}/plays", "sha256": sha256(PLAYS).hexdigest()}
    files = {"a/vocab.txt": plays, "a/merges.txt": {"url": f"{server}/other"}}
    return CatalogueModel(title="A", licence="none", config="a", files=files)


def test_the_files_of_a_model_are_checked_where_their_digests_are_known(model, tmp_path, capsys):
    paths = download_model(model, tmp_path)
    assert paths == [tmp_path / "a" / "vocab.txt", tmp_path / "a" / "merges.txt"]
    assert [path.read_bytes() for path in paths] == [PLAYS, OTHER]
    digest = sha256(OTHER).hexdigest()
    warning = (
        f"could not be checked, since its digest is unknown; that of the file (SHA-256) is {digest}"
    )
    assert capsys.readouterr().err == f"warning: {model.files['a/merges.txt'].url}: {warning}\n"
    # What lies there is not downloaded again.
    assert download_model(model, tmp_path, ("https://none", "https://none")) == paths


def test_another_file_is_refused_and_leaves_nothing(model, server, tmp_path):
    with pytest.raises(InputError, match=r"/tale: not the file of the catalogue: its SHA-256 is "):
        download_model(model, tmp_path, (f"{server}/tale", f"{server}/other"))
    assert [*tmp_path.iterdir()] == []
    with pytest.raises(InputError, match=r"/page: not the file of the catalogue: .* a web page"):
        download_model(model, tmp_path / "b", (f"{server}/plays", f"{server}/page"))
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "vocab.txt").write_bytes(b"mine")
    with pytest.raises(
        InputError, match=r"vocab.txt: already exists: .* remove it, or choose anoth"
    ):
        download_model(model, tmp_path)
    assert (tmp_path / "a" / "vocab.txt").read_bytes() == b"mine"


def test_models_get_puts_a_tokenizer_where_configs_find_it(server, tmp_path, monkeypatch):
    monkeypatch.delenv("TOKBENCH_MODELS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    done = tokbench_here("models", "get", "llama", "--url", f"{server}/plays")
    path = tmp_path / "tokbench" / "models" / "llama" / "tokenizer.json"
    assert (done.returncode, done.stdout) == (0, f"{path}\n")
    assert sha256(PLAYS).hexdigest() in done.stderr
    assert done.stderr.endswith(
        "note: a config names it {use: hf, kind: tokenizer-json, path: llama/tokenizer.json}\n"
    )
    assert InputFile.find("llama/tokenizer.json", tmp_path).path == path
    records = json.loads(tokbench_here("models", "list", "--format", "json").stdout)
    by_name = {record["name"]: record for record in records}
    assert (by_name["llama"]["file"], by_name["llama"]["check"]) == (str(path), "digest unknown")
    assert (by_name["gpt2"]["file"], by_name["gpt2"]["check"]) == ("", "SHA-256")


def test_without_a_home_folder_nothing_is_looked_for_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("XDG_CACHE_HOME", "TOKBENCH_CORPORA", "TOKBENCH_MODELS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert models_folders() == []
    with pytest.raises(InputError, match=r"nor in the cache \(there is no home folder\); "):
        find_corpus("shakespeare")
    assert target_of(Path("mine"), "models") == Path("mine")
    with pytest.raises(UsageError, match=r"^there is no home folder to download into: name"):
        target_of(None, "models")
