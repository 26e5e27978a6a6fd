import json
import os
import threading
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from click.testing import CliRunner
from tokbench_commands import corpora

from tests.run_cli import tokbench_here
from tokbench.errors import InputError, UsageError

TEXT = b"*** START OF THE PLAYS\nTo be.\n*** END OF THE PLAYS\n"


class Library(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(TEXT)))
        self.end_headers()
        self.wfile.write(TEXT)

    def log_message(self, *args: object) -> None:
        """Keep the tests' output free of the server's log."""


@pytest.fixture
def address():
    with ThreadingHTTPServer(("127.0.0.1", 0), Library) as library:
        thread = threading.Thread(target=library.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{library.server_port}/"
        library.shutdown()
        thread.join()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.delenv("TOKBENCH_CORPORA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "tokbench" / "corpora"


def invoke(*words: str):
    return CliRunner().invoke(corpora.command, words, catch_exceptions=False)


def test_list_shows_what_is_not_there_yet(cache):
    header, first, second = invoke("list").stdout.splitlines()
    assert header.split() == ["name", "title", "bytes", "licence", "file"]
    assert " ".join(first.split()).startswith(
        "shakespeare The Complete Works of William Shakespeare 5852404 "
    )
    assert " ".join(second.split()).startswith(
        "oliver-twist Oliver Twist, by Charles Dickens 936252 "
    )


def test_list_as_json_tells_address_digest_and_file(cache):
    cache.mkdir(parents=True)
    (cache / "shakespeare.txt").write_text("another edition")
    record, other = json.loads(invoke("list", "--format", "json").stdout)
    assert (other["name"], other["file"]) == ("oliver-twist", "")
    assert record["file"] == str(cache / "shakespeare.txt")
    assert record["url"] == "https://www.gutenberg.org/cache/epub/100/pg100.txt"
    assert record["sha256"].startswith("17d47ae375676f75")


def test_get_prints_the_path_and_warns_on_stderr(cache, address):
    result = invoke("get", "shakespeare", "--url", address, "--insecure")
    assert result.exit_code == 0
    assert result.stdout == f"{cache / 'shakespeare.txt'}\n"
    assert result.stderr == (
        "warning: shakespeare.txt is another edition of 'shakespeare' than the one tested with "
        "this version of tokbench: figures will differ from the documented ones\n"
    )
    assert (cache / "shakespeare.txt").read_bytes() == TEXT


def test_get_into_a_folder_says_how_configs_find_it(cache, address, tmp_path):
    result = invoke(
        "get", "shakespeare", "--url", address, "--insecure", "--to", str(tmp_path / "mine")
    )
    assert result.stdout == f"{tmp_path / 'mine' / 'shakespeare.txt'}\n"
    assert f"note: set TOKBENCH_CORPORA={tmp_path / 'mine'} so" in result.stderr


def test_get_of_an_unknown_corpus(cache):
    with pytest.raises(UsageError, match="did you mean 'shakespeare'"):
        invoke("get", "shakespear")


def test_progress_is_shown_on_a_terminal_only(cache, address):
    words = ["corpora", "get", "shakespeare", "--url", address, "--insecure"]
    terminal, inside = os.openpty()
    with open(terminal, "rb", buffering=0) as screen:
        with open(inside, "w", encoding="utf-8") as stderr:
            done = tokbench_here(*words, stderr=stderr, TERM="xterm")
        shown = screen.read(10_000).decode()
    assert (done.returncode, done.stdout) == (0, f"{cache / 'shakespeare.txt'}\n")
    assert "━" in shown
    assert "━" not in invoke(*words).stderr


def test_http_needs_insecure(cache, address):
    with pytest.raises(UsageError) as caught:
        invoke("get", "shakespeare", "--url", address)
    assert str(caught.value) == (
        f"{address}: not https, so anybody on the way can change it: give an https address, or "
        "--insecure"
    )
    assert list(cache.iterdir()) == []


def test_a_given_digest_must_match(cache, address):
    right, wrong = sha256(TEXT).hexdigest(), "0" * 64
    words = "get", "shakespeare", "--url", address, "--insecure", "--sha256"
    with pytest.raises(InputError) as caught:
        invoke(*words, wrong)
    said = f"{address}: the SHA-256 of its text is {right}, expected {wrong}"
    assert str(caught.value) == said
    assert list(cache.iterdir()) == []
    assert invoke(*words, right.upper()).exit_code == 0
    assert (cache / "shakespeare.txt").read_bytes() == TEXT


def test_a_digest_that_is_none(cache):
    with pytest.raises(UsageError, match="--sha256 12: expected 64 hexadecimal digits"):
        invoke("get", "shakespeare", "--sha256", "12")
