"""A line longer than a chunk is read in parts, and gives what it gives as a whole."""

import unicodedata
from importlib.util import find_spec
from types import SimpleNamespace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.engines import using
from tokbench.corpora.files import raw_chunks
from tokbench.corpora.load import load_corpora
from tokbench.corpora.source import Split
from tokbench.corpora.splitters import KERNELS
from tokbench.errors import TokbenchError

NOT_BUILT = pytest.mark.skipif(find_spec(KERNELS) is None, reason="kernels were not built")
ENGINES = ["python", pytest.param("compiled", marks=NOT_BUILT)]
SPLITTERS = ["words", "whitespace"]
STEPS = [
    [],
    ["lowercase"],
    ["nfkc", "lowercase"],
    ["nfd"],
    [{"remove": r"[^a-zσ\s]"}, "nfc"],
    ["lowercase", {"remove": "[a ]"}],
    [{"remove": r"[^\w\n]+"}],
    [{"remove": "a?$"}],
]

# Case and forms that depend on neighbours, and what may look like blank or like a line end.
PARTS = (
    "a|b|aa|Σ|σ.|e\u0301|\u0301|\u0345|ᄒ|ᅡ|ᆫ|한|\u200d|ﬁ|\u00a8|.|\x00| |  |\t|\r|\f|\v|\xa0|\ufeff"
)
VALID = [part.encode() for part in [*PARTS.split("|"), " ", "\n", "\r\n"]]
BROKEN = [b"\xff", b"\xc3", b"\xe2\x80", "\ufdd0".encode(), "\ufdd1".encode()]
FINE = st.lists(st.sampled_from(VALID), max_size=60)
HOSTILE = st.one_of(FINE, st.lists(st.sampled_from(4 * VALID + BROKEN), max_size=60)).map(b"".join)


def outcome(train, test):
    """Return all that reading gives, or the error that ended it."""
    try:
        loaded = load_corpora(train, {"t": test}, {}, {}, seed=0)
    except TokbenchError as error:
        return type(error), str(error)
    found = loaded.tests[0].words
    columns = (found.order, found.lines, found.documents, found.train_count)
    return (
        [*loaded.train.words.items()],
        (loaded.train.digest, loaded.tests[0].digest),
        found.text,
        [column.tolist() for column in columns],
        loaded.warnings,
    )


SHORT = {"longest": 5, "long_line": 18, "quoted": 4}
"""A long line holds all that is quoted."""


@pytest.fixture(scope="session")
def by_whole_lines(sizes, by_line):
    """Read each line as a whole, by itself, and hash it so too."""

    def read(train, test, engine):
        with sizes(chunk=1 << 20, longest=5, long_line=1 << 20, quoted=4), using(engine), by_line():
            return outcome(train, test)

    return read


TREATMENTS = {
    "chunk": st.integers(1, 12),
    "splitter": st.sampled_from(SPLITTERS),
    "errors": st.sampled_from(["strict", "replace", "skip-line"]),
    "documents": st.sampled_from(["file", "blocks"]),
    "steps": st.sampled_from(STEPS),
}


@pytest.mark.parametrize("engine", ENGINES)
@given(texts=st.lists(HOSTILE, min_size=1, max_size=2), again=HOSTILE, **TREATMENTS)
@example([b"a a a a a a a a a a"], b"b\n a a a a a a a a a a  ", 3, "words", "strict", "file", [])
@example([b"a " * 12 + b"\n"], b"a " * 12 + b"b", 3, "words", "strict", "file", [])
@example(["a a \ufdd1 a \ufdd0 a".encode() + b"\xff"], b"a", 2, "words", "strict", "file", [])
@example(["a a \ufdd1 a \ufdd0 a a a".encode()], b"a", 2, "words", "strict", "file", [])
@example([b"a \xff a \xff a a\nb \xff a \xff"], b"a", 2, "words", "replace", "file", [])
@example([b"a a a a a \xff a\nb"], b"a", 2, "words", "skip-line", "file", [])
@example([b"a\n" + b" " * 9 + b"a\n" + b" " * 9 + b"\na"], b"a", 2, "words", "strict", "blocks", [])
@example([b"a aaaaaaaaa a aaaaaaa a"], b"a aaaaaaaa a", 2, "whitespace", "strict", "file", [])
@example([b"aaa"], b"aa\ra", 1, "words", "strict", "file", [])
@example([b"aaa\xff"], b"aa\xff\ra", 1, "words", "replace", "file", [])
@example(["\ufeff   a b".encode()], "\ufeff   a b".encode(), 1, "words", "strict", "blocks", [])
def test_parts_give_what_whole_lines_give(
    tmp_path,
    corpus,
    sizes,
    by_whole_lines,
    engine,
    texts,
    again,
    chunk,
    splitter,
    errors,
    documents,
    steps,
):
    paths = [tmp_path / f"train.{number}.txt" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text)
    (tmp_path / "test.txt").write_bytes(again)
    treatment = {"errors": errors, "documents": documents, "normalise": steps}
    train = corpus(paths, splitter=splitter, **treatment)
    test = corpus(tmp_path / "test.txt", splitter=splitter, **treatment)
    expected = by_whole_lines(train, test, engine)
    with sizes(chunk=chunk, **SHORT), using(engine):
        assert outcome(train, test) == expected


@pytest.mark.parametrize("engine", ENGINES)
@given(text=HOSTILE, by=st.sampled_from(["line", "document"]), **TREATMENTS)
def test_a_split_of_parts_is_that_of_whole_lines(
    tmp_path,
    corpus,
    sizes,
    by_whole_lines,
    engine,
    text,
    by,
    chunk,
    splitter,
    errors,
    documents,
    steps,
):
    path = tmp_path / "train.txt"
    path.write_bytes(b"a b\n\n" + text + b"\n\na\n\nb a a b a\nb")
    treatment = {"errors": errors, "documents": documents, "normalise": steps}
    train = corpus(path, splitter=splitter, **treatment)
    test = SimpleNamespace(source=Split(split=0.4, by=by))
    expected = by_whole_lines(train, test, engine)
    with sizes(chunk=chunk, **SHORT), using(engine):
        assert outcome(train, test) == expected


@given(text=HOSTILE, chunk=st.integers(1, 12), breaks=st.sampled_from([b"", b" ", b" \t\r\f\v"]))
def test_parts_join_to_the_file_and_end_at_breaks(tmp_path, sizes, text, chunk, breaks):
    (tmp_path / "a.txt").write_bytes(text)
    with sizes(chunk=chunk):
        parts = [*raw_chunks(tmp_path / "a.txt", breaks)]
    assert b"".join(part.raw for part in parts) == text
    going_on = False
    for part in parts:
        assert part.begins is not going_on
        going_on = not part.ends
        assert part.ends or part.raw[-1] in breaks
        assert (part.begins and part.ends) or b"\n" not in part.raw[:-1]
        assert part.ends or not part.begins or part.raw.removeprefix(b"\xef\xbb\xbf").strip()


def test_a_long_line_does_come_in_parts(write, sizes):
    path = write("a.txt", "a\n" + "word " * 20 + "\nb\n" + "c" * 50)
    with sizes(chunk=16):
        lengths = [len(part.raw) for part in raw_chunks(path, b" ") if not part.ends]
    assert lengths == [30, 15, 15, 15, 15]


@pytest.mark.nightly
@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_white_space_keeps_every_character_apart(form):
    """That ASCII white space composes with nothing: UnicodeData.txt, its own combining class 0."""
    every = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    alone = [unicodedata.normalize(form, character) for character in every]
    for space in " \t\n\r\f\v":
        together = unicodedata.normalize(form, space.join(every))
        assert together == space.join(alone)
