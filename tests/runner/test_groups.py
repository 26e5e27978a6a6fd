"""Groups of words: bands of frequency, and gold words that are new."""

from pathlib import Path

import pytest

from tests.tiny import LISTED, TinyRun, tiny_run

# ab four times, abc twice, b and c once: eight words.
TRAIN = "ab ab ab ab abc abc b c\n"


def bands(run: TinyRun, corpus: str = "held-out") -> dict[str, float | None]:
    rows = (row for row in run.rows if row.corpus == corpus and row.subset.startswith("band:"))
    return {row.subset.removeprefix("band:"): row.n for row in rows}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("[1, 2, 6, 51]", {"1": 2, "2-5": 3}),
        ("[2, 4]", {"1": 2, "2-3": 1, "4+": 2}),
        ("[4]", {"1-3": 3, "4+": 2}),
        ("[]", {}),
        # A word of this text occurs 125,000, 250,000 or 500,000 times in a million.
        ("{per-million: [125000, 500000]}", {"125000-500000pm": 3, "500000pm+": 2}),
        ("{per-million: [0.5, 250001]}", {"0.5-250001pm": 3, "250001pm+": 2}),
        ("{per-million: [250000]}", {"below-250000pm": 2, "250000pm+": 3}),
        ("{per-million: [0.1234567, 0.1234568]}", {"0.1234568pm+": 5}),
    ],
)
def test_bands_are_by_counts_in_the_training_text(
    tmp_path: Path, asked: str, expected: dict[str, int]
) -> None:
    texts = {"train": TRAIN, "test": "ab abc b c ab\ndd dd e\n"}
    run = tiny_run(
        tmp_path, texts=texts, systems="[char]", metrics="[fertility]", sizes=None, bands=asked
    )
    assert bands(run) == expected


def test_bands_count_words_that_the_training_text_leaves_out(tmp_path: Path) -> None:
    texts = {"train": TRAIN, "test": "ab b b\n"}
    corpora = "{train: {path: train.txt, min-word-count: 2}, test: {held-out: test.txt}}"
    run = tiny_run(
        tmp_path, texts=texts, systems="[char]", metrics="[fertility]", sizes=None, corpora=corpora
    )
    assert bands(run) == {"1": 2, "2-5": 1}


def test_a_length_counts_no_events(tmp_path: Path) -> None:
    texts = {"train": TRAIN, "test": "ab abd c dd\n" * 21}
    run = tiny_run(tmp_path, texts=texts, metrics="[fertility]", systems="[char, word]")
    assert {(r.events, r.event_units) for r in run.rows} == {(None, None)}


def test_new_gold_words_are_composed_of_what_stands_in_two_training_words(tmp_path: Path) -> None:
    """A training word may hold a morpheme inside: undo and run hold `un`, undo and doing `do`."""
    texts = {
        "train": "undo doing run making make data\n",
        "novel": "x\n",
        "gold": "doun\tdo un\ndomak\tdo mak\ndouna\tdo un a\nundo\tun do\nndo\tn do\n"
        "makedo\tmake do\nxun\tx un\ndone\tdone, do ne\nruning\tru ning, run ing\nran\trun\n",
    }
    corpora = LISTED.replace("gold.txt", "{path: gold.txt, mismatch: skip}")
    run = tiny_run(tmp_path, texts=texts, corpora=corpora, systems="[char]", metrics="[fertility]")
    is_new = run.words("parts").groups["new"]
    words = run.words("parts").text
    # ndo stands inside undo; x, ne and ning in no word, make in one; run alone is no composition.
    new = [word for word, new in zip(words, is_new, strict=True) if new]
    assert new == ["doun", "domak", "douna"]


def test_gold_without_a_new_word_has_no_such_group(tmp_path: Path) -> None:
    texts = {"train": "ab abc\n", "novel": "x\n", "gold": "abc\tab c\nxyz\tx yz\n"}
    run = tiny_run(tmp_path, texts=texts, corpora=LISTED, systems="[char]", metrics="[fertility]")
    assert "new" not in run.words("parts").groups
    assert "new" not in {row.subset for row in run.rows}


def test_without_a_training_text_there_are_no_groups(tmp_path: Path) -> None:
    run = tiny_run(
        tmp_path, corpora="{test: {held-out: test.txt}}", systems="[utf8-bytes]", sizes=None,
        metrics="[fertility]",
    )  # fmt: skip
    assert {row.subset for row in run.rows} == {"all"}
    assert run.unseen == ()


UNSEEN = {
    "few": (9, False),
    "enough": (10, True),
    "all but enough": (50, True),
    "most": (51, False),
}


@pytest.mark.parametrize("case", UNSEEN)
def test_a_share_of_few_words_has_no_interval(tmp_path: Path, case: str) -> None:
    """As that of the metric: of 60 lines of one word some are unseen; so is all of the list."""
    lines, has_interval = UNSEEN[case]
    texts = {
        "test": "abd\n" * lines + "abc\n" * (60 - lines),
        "novel": "".join(f"ab{'d' * n}\n" for n in range(1, 31)),
    }
    corpora = LISTED.partition("\n  gold")[0]
    run = tiny_run(tmp_path, texts=texts, corpora=corpora, systems="[char]",
                   metrics="[unseen-words-running]")  # fmt: skip
    rows = {(row.corpus, row.kind): row for row in run.unseen}
    (metric,) = (r for r in run.rows if (r.corpus, r.subset) == ("held-out", "all"))
    share = rows["held-out", "all"]
    assert (share.share_running, share.low, share.high) == (metric.value, metric.low, metric.high)
    assert (share.low is not None) == has_interval
    assert share.good_turing == 2 / 8
    of_list = rows["novel", "all"]
    assert (of_list.share_running, of_list.low, of_list.good_turing) == (1, None, None)


@pytest.mark.parametrize(
    ("train", "expected"),
    [
        ("{path: train.txt, min-word-count: 2}", 2 / 8),
        ("{path: words.txt, format: words}", None),
        ("twice.txt", None),
    ],
)
def test_good_turing_is_that_of_the_whole_training_text(
    tmp_path: Path, train: str, expected: float | None
) -> None:
    texts = {"words": "ab\nabc\n", "twice": "ab ab abc abc\n"}
    run = tiny_run(tmp_path, texts=texts, systems="[char]", metrics="[fertility]", sizes=None,
                   corpora=f"{{train: {train}, test: {{held-out: test.txt}}}}")  # fmt: skip
    assert run.unseen[0].good_turing == expected


def test_counts_of_any_size_have_their_band(tmp_path: Path) -> None:
    texts = {
        "counts": "the\t900000000000000\nsat\t10000000000000\ncat\t5\n",
        "test": "the cat sat\n",
    }
    run = tiny_run(
        tmp_path, texts=texts, systems="[char]", metrics="[fertility]", sizes=None,
        corpora="{train: {path: counts.txt, format: counts}, test: {held-out: test.txt}}",
        bands="{per-million: [1, 100]}",
    )  # fmt: skip
    assert bands(run) == {"below-1pm": 1, "100pm+": 2}
