import gzip
import os
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from tokbench.corpora.load import load_corpora
from tokbench.corpora.source import Source
from tokbench.errors import InputError


def load(train, tests=None, lists=None, gold=None, seed=0):
    return load_corpora(train, tests or {}, lists or {}, gold or {}, seed)


def refused(kind, *args, **kwargs) -> str:
    with pytest.raises(kind) as caught:
        load(*args, **kwargs)
    return str(caught.value)


def test_training_and_test_text(corpus, write):
    train = write("tiny.train.txt", "the cat\nsat, the dog\n")
    test = write("held.txt", "a dog\n\nthe the cat\n")
    loaded = load(corpus(train), {"held-out": corpus(test)})
    assert loaded.train.name == "tiny"
    assert list(loaded.train.words.items()) == [
        ("the", 2), ("cat", 1), ("sat", 1), (",", 1), ("dog", 1)
    ]  # fmt: skip
    assert loaded.train.running == 6
    assert loaded.train.digest == sha256(train.read_bytes()).hexdigest()
    assert loaded.train.words_by == "words"
    (held_out,) = loaded.tests
    assert (held_out.name, held_out.kind, held_out.words_by) == ("held-out", "text", "words")
    assert held_out.words.text == ("a", "dog", "the", "cat")
    assert held_out.words.train_count.tolist() == [0, 1, 2, 1]
    assert held_out.words.lines.tolist() == [0, 2, 5]
    assert held_out.words.gold is held_out.words.category is None
    assert loaded.warnings == ()


def test_each_corpus_has_its_own_treatment(corpus, write):
    train = write("a.txt", "Low lower. LOW 12\n")
    loaded = load(
        corpus(train, splitter="whitespace", normalise=["lowercase", {"remove": r"[^a-z\s]"}]),
        {"plain": corpus(train), "space": corpus(train, splitter="whitespace")},
    )
    assert loaded.train.words == {"low": 2, "lower": 1}
    plain, space = loaded.tests
    assert plain.words.text == ("Low", "lower", ".", "LOW", "12")
    assert space.words.text == ("Low", "lower.", "LOW", "12")
    assert space.words.train_count.tolist() == [0, 0, 0, 0]
    assert (loaded.train.words_by, plain.words_by) == ("whitespace", "words")


def test_several_files(corpus, write):
    paths = [write("a.b.txt", "x y\n"), write("c.txt.gz", gzip.compress(b"y"))]
    loaded = load(corpus(path=paths), {"same": corpus(path=paths)})
    assert loaded.train.name == "a+1"
    assert loaded.train.words == {"x": 1, "y": 2}
    assert loaded.tests[0].words.documents.tolist() == [0, 1]


def test_word_counts_add_up(corpus, write):
    train = write("a.tsv", f"Low\t5\nnew\t6\n\nlow\t2\n17\t3\n{'x' * 10_001}\t5\n")
    steps = ["lowercase", {"remove": "[0-9]"}]
    loaded = load(corpus(train, format="counts", normalise=steps))
    assert loaded.train.words == {"low": 7, "new": 6, "x" * 10_000: 5, "x": 5}
    assert loaded.train.running == 23
    assert loaded.warnings == (
        "train: words over 10,000 characters: 1 (first: a.tsv:6, 10,001 characters); "
        "cut into pieces",
    )


def test_word_list_as_text(corpus, write):
    words = corpus(
        write("a.txt", "Don't\n stop \n\ndon't\n"), format="words", normalise=["lowercase"]
    )
    loaded = load(words, {"same": words})
    assert loaded.train.words == {"don't": 2, "stop": 1}
    assert loaded.tests[0].words.lines.tolist() == [0, 1, 2, 3]
    assert (*loaded.train.lines,) == loaded.tests[0].text.lines == ("don't", "stop", "don't")
    assert loaded.tests[0].text.begins.tolist() == [0, 0, 0]


def test_lists_and_gold(corpus, write):
    train = corpus(write("a.txt", "unbreakable cat cat\n"))
    novel = write("novel.tsv", "glumcast\tblend\n🐈\temoji\ncat\n")
    gold = write("gold.tsv", "unbreakable\tun break able, unbreak able\tderived\ncat\tcat\n")
    loaded = load(train, {}, {"novel": corpus(novel)}, {"en": corpus(gold)})
    new, en = loaded.tests
    assert (new.name, new.kind, new.words_by) == ("novel", "list", "entries")
    assert new.words.category == ("blend", "emoji", "")
    assert new.words.gold is None
    assert new.words.train_count.tolist() == [0, 0, 2]
    assert new.words.lines.tolist() == [0, 1, 2, 3]
    assert (en.kind, en.words.category) == ("gold", ("derived", ""))
    assert en.words.gold == (((2, 7), (7,)), ((),))


def test_repeated_gold_words_are_alternatives_and_repeated_rows_are_told(corpus, write):
    rows = "Cats\tCat s\tplural\ncat\tcat\ncats\tcats\nCAT\tC AT\nCATS\tCAT S\ncat\tcat\n12\t1 2\n"
    gold = write("g.tsv", rows)
    treated = corpus(gold, normalise=["lowercase", {"remove": "[0-9]"}])
    loaded = load(corpus(write("a.txt", "x")), gold={"g": treated})
    assert loaded.tests[0].words.text == ("cats", "cat")
    assert loaded.tests[0].words.gold == (((3,), ()), ((), (1,)))
    assert loaded.warnings == (
        "g: repeated entries: 2 (first: g.tsv:5, 'cats'); the first of each stands",
        "g: entries that `normalise` empties: 1 (first: g.tsv:7); left out",
    )


def test_tests_come_in_the_order_of_the_config(corpus, write):
    text = corpus(write("a.txt", "x\ny\nz\n"))
    gold = corpus(write("g.tsv", "x\tx\n"))
    split = corpus(split=0.4, of="train")
    loaded = load(text, {"b": text, "dev": split, "a": text}, {"l": text}, {"g": gold})
    assert [test.name for test in loaded.tests] == ["b", "dev", "a", "l", "g"]


def numbered(count: int) -> str:
    return "".join(f"line n{i}\n{chr(10) * (i % 5 == 4)}" for i in range(count))


def test_a_split_takes_its_lines_out_of_the_training_text(corpus, write):
    train = write("a.txt", numbered(100))
    full_train = load(corpus(train)).train
    loaded = load(corpus(train), {"dev": corpus(split=0.1, of="train", by="line")}, seed=3)
    (dev,) = loaded.tests
    assert dev.words.count.sum() == 20
    assert len(dev.words.lines) == 11
    kept = {word: 1 for word in full_train.words if word != "line" and word not in dev.words.text}
    assert loaded.train.words == {"line": 90, **kept}
    assert len({full_train.digest, loaded.train.digest, dev.digest}) == 3
    assert sorted((*loaded.train.lines, *dev.text.lines)) == sorted(full_train.lines)
    again = load(corpus(train), {"dev": corpus(split=0.1, of="train", by="line")}, seed=3)
    assert again.train == loaded.train
    assert again.tests[0].words.text == dev.words.text
    other_seed = load(corpus(train), {"dev": corpus(split=0.1, of="train", by="line")}, seed=4)
    assert other_seed.tests[0].words.text != dev.words.text
    assert other_seed.train.digest != loaded.train.digest


def test_warnings_of_a_split_text_are_given_once(corpus, write):
    train = write("a.txt", b"a\nb\xff\n" + b"".join(b"%d\n" % i for i in range(20)))
    loaded = load(corpus(train, errors="replace"), {"dev": corpus(split=0.5)})
    assert loaded.warnings == (
        "train: lines that are not valid UTF-8: 1 (first: a.txt:2); the bytes became U+FFFD",
    )


def test_test_lines_that_stand_in_training_are_reported(corpus, write, sizes):
    """Of several lines the first of the test text is quoted; chunks find one line each.

    One line of 101 is too small a part to be worth a warning.
    """
    long = "x " * 100
    train = write("a.txt", f"late\n  Yes.\nA line of its own.\nA line of its own.\n{long}\n")
    held_out = corpus(write("b.txt", "Another.\nA line of its own.\nYes.\nYes. \nlate\n"))
    clean, long_test = corpus(write("c", "No.\n" * 100 + "late\n")), corpus(write("d", long))
    with sizes(chunk=4):
        loaded = load(corpus(train), {"held-out": held_out, "clean": clean, "long": long_test})
    assert loaded.warnings == (
        "some test lines are also in the training text, so scores may look too good: 4 of 5 lines "
        f"of held-out (first: 'A line of its own.'); 1 of 1 line of long (first: '{'x ' * 30}…')",
    )


@pytest.mark.parametrize("role", ["train", "test", "list", "gold"])
def test_a_corpus_without_words_is_refused(corpus, write, role):
    path = write("none.txt", " \n\t\n\r\n\n")
    empty, full = corpus(path), corpus(write("a.txt", "x"))
    message = refused(
        InputError,
        empty if role == "train" else full,
        {"t": empty} if role == "test" else {},
        {"l": empty} if role == "list" else {},
        {"g": empty} if role == "gold" else {},
    )
    why = "it is empty, or `normalise`, `format`, `errors` or the splitter leave none"
    assert message == f"{path}: found no words: {why}"


def test_skipping_every_line_leaves_no_words(corpus, write):
    train = write("train.txt", b"a\xff\nb\xfe\n")
    message = refused(InputError, corpus(train, errors="skip-line"))
    assert message.startswith(
        f"{train}: found no words: it is empty, or `normalise`, `format`, `er"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX")
def test_a_pipe_cannot_be_split_since_it_can_be_read_only_once(corpus, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    message = refused(InputError, corpus(pipe), {"dev": corpus(split=0.5)})
    expected = "its lines may be read again, so it must be a file, not a pipe"
    assert message == f"{pipe}: {expected}"


def test_a_path_alone_will_do():
    assert Source.model_validate("a.txt") == Source.model_validate({"path": ["a.txt"]})
    assert Source.model_validate({"path": "a.txt"}).path == (Path("a.txt"),)


@pytest.mark.parametrize("options", [{}, {"path": []}, {"path": "a", "catalog": "shakespeare"}])
def test_a_corpus_is_in_files_or_in_the_catalogue(options):
    with pytest.raises(ValueError, match="a corpus needs either `path` or `catalog`"):
        Source.model_validate(options)


@pytest.fixture
def shakespeare(shared, monkeypatch):
    """Make the catalogue find the tested edition."""
    monkeypatch.setenv("TOKBENCH_CORPORA", str(shared / "shakespeare"))


@pytest.mark.nightly
def test_shakespeare_from_the_catalogue(corpus, shakespeare):
    # The words of the textbook experiment: 958,682 running, 30,849 distinct in this edition.
    steps = ["lowercase", {"remove": r"[^a-z\s]"}]
    train = load(corpus(splitter="whitespace", catalog="shakespeare", normalise=steps)).train
    assert (train.name, train.running, len(train.words)) == ("shakespeare", 958_682, 30_849)
    assert train.digest.startswith("17d47ae375676f75")


def test_another_edition_from_the_catalogue(corpus, tmp_path, monkeypatch):
    monkeypatch.setenv("TOKBENCH_CORPORA", str(tmp_path))
    (tmp_path / "shakespeare.txt").write_text("To be\n")
    loaded = load(corpus(catalog="shakespeare"))
    assert loaded.train.words == {"To": 1, "be": 1}
    assert loaded.train.digest == sha256(b"To be\n").hexdigest()
    assert loaded.warnings == (
        "train: shakespeare.txt is another edition of 'shakespeare' than the one tested with this "
        "version of tokbench: figures will differ from the documented ones",
    )


def test_rare_words_may_be_left_out_of_the_training_text(corpus, write):
    train = write("a.txt", "c b a b c c\nd a\n")
    loaded = load(corpus(train, **{"min-word-count": 2}), {"t": corpus(write("b", "a b d e"))})
    assert [*loaded.train.words.items()] == [("c", 3), ("b", 2), ("a", 2)]
    assert loaded.train.running == 7
    # A rare word was seen all the same: `d` stands in the training text, `e` does not.
    assert loaded.tests[0].words.text == ("a", "b", "d", "e")
    assert loaded.tests[0].words.train_count.tolist() == [2, 2, 1, 0]


def test_words_cluster_by_topic(corpus, write):
    """Two of four words of each tenth stand nowhere else, and two of forty stand there once."""
    lines = [f"a a u{number} u{number}\n" for number in range(9)] + ["a a u9 z\n"]
    train = corpus(write("train.txt", "".join(lines)))
    for text, share in (("b c a", 0.5), ("u1 u2 a", None)):  # few are unseen, so nobody asks
        training = load(train, {"t": corpus(write("t.txt", text))}).train
        assert training.good_turing == 2 / 40
        assert training.between_parts == share
    for text in ("a a b", "a a b\n\xa0\n"):  # one line has all words
        one_line = corpus(write("line.txt", text))
        assert load(one_line, {"t": corpus(write("t.txt", "c"))}).train.between_parts is None
