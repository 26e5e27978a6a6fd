import gzip
from hashlib import sha256
from pathlib import Path

import pytest

from tokbench.corpora.catalogue import (
    CatalogueEntry,
    find_corpus,
    read_catalogue,
    search_folders,
)
from tokbench.errors import InputError

TEXT = b"\xef\xbb\xbf*** START OF THE TEXT\r\nOnce.\r\n*** END OF THE TEXT\r\n"
TALE = CatalogueEntry(
    title="A tale",
    url="http://localhost/tale",
    licence="none",
    sha256=sha256(TEXT).hexdigest(),
    bytes=len(TEXT),
    begin="*** START",
    end="*** END",
)


@pytest.fixture
def tales(monkeypatch):
    """A catalogue of a single tale."""
    monkeypatch.setattr("tokbench.corpora.catalogue.read_catalogue", lambda: {"tale": TALE})


@pytest.mark.parametrize("own", ["", "own"])
@pytest.mark.parametrize("cache", ["/cache", "", "relative"])
def test_folders_to_look_in(monkeypatch, own, cache):
    """A relative cache folder is ignored, as the XDG standard says."""
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("XDG_CACHE_HOME", cache)
    monkeypatch.setenv("TOKBENCH_CORPORA", own)
    cached = Path(cache if cache == "/cache" else "/home/me/.cache") / "tokbench" / "corpora"
    assert search_folders() == ((Path("own"), cached) if own else (cached,))


@pytest.mark.usefixtures("tales")
def test_the_tested_edition_is_recognised_under_any_name(tmp_path):
    own, cache = tmp_path / "own", tmp_path / "cache"
    own.mkdir()
    cache.mkdir()
    (own / "folder").mkdir()
    (own / "a.txt").write_bytes(TEXT[::-1])
    (cache / "plain").write_bytes(TEXT)
    assert find_corpus("tale", [own, cache]) == cache / "plain"
    (own / "packed").write_bytes(gzip.compress(TEXT))
    assert find_corpus("tale", [own, cache]) == own / "packed"


def test_a_text_that_is_only_as_long_is_another(tmp_path, monkeypatch):
    path = tmp_path / "other.txt"
    path.write_bytes(b"words \n" * 836_057 + b"words")
    assert path.stat().st_size == read_catalogue()["shakespeare"].bytes
    monkeypatch.setenv("TOKBENCH_CORPORA", str(tmp_path))
    with pytest.raises(InputError, match=r"the corpus 'shakespeare' lies neither in"):
        find_corpus("shakespeare")


@pytest.mark.usefixtures("tales")
def test_another_edition_is_found_by_its_name_after_the_tested_one(tmp_path):
    (tmp_path / "tale.txt.gz").write_bytes(gzip.compress(b"other"))
    assert find_corpus("tale", [tmp_path]) == tmp_path / "tale.txt.gz"
    (tmp_path / "tale.txt").write_bytes(b"other still")
    assert find_corpus("tale", [tmp_path]) == tmp_path / "tale.txt"
    (tmp_path / "zz").write_bytes(TEXT)
    assert find_corpus("tale", [tmp_path]) == tmp_path / "zz"


@pytest.mark.usefixtures("tales")
def test_a_corpus_that_is_nowhere(tmp_path):
    folders = [tmp_path / "own", tmp_path / "cache"]
    with pytest.raises(InputError) as caught:
        find_corpus("tale", folders)
    assert str(caught.value) == (
        "the corpus 'tale' lies neither in $TOKBENCH_CORPORA nor in the cache "
        f"({folders[0]}, {folders[1]}); `tokbench corpora get tale` downloads and checks it"
    )


@pytest.mark.usefixtures("tales")
def test_a_folder_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError) as caught:
        find_corpus("tale", [tmp_path / ("x" * 300)])
    assert str(caught.value) == f"{tmp_path / ('x' * 300)}: cannot be read: File name too long"
