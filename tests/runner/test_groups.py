"""Groups of words: bands of frequency, and gold words that are new."""

from pathlib import Path

import pytest

from tests.tiny import LISTED, TinyRun, tiny_run

# ab four times, abc twice, b and c once: eight words.
TRAIN = "ab ab ab ab abc abc b c\n"


def bands(run: TinyRun, corpus: str = "held-out") -> dict[str, float | None]:
    found = (row for row in run.rows if row.corpus == corpus and row.subset.startswith("band:"))
    return {row.subset.removeprefix("band:"): row.n for row in found}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("[1, 2, 6, 51]", {"0": 3, "1": 2, "2-5": 3}),
        ("[2, 4]", {"0": 3, "1": 2, "2-3": 1, "4+": 2}),
        ("[4]", {"0": 3, "1-3": 3, "4+": 2}),
        ("[]", {}),
        # A word of this text occurs 125,000, 250,000 or 500,000 times in a million.
        ("{per-million: [125000, 500000]}", {"0": 3, "125000-500000pm": 3, "500000pm+": 2}),
        ("{per-million: [0.5, 250001]}", {"0": 3, "0.5-250001pm": 3, "250001pm+": 2}),
        ("{per-million: [250000]}", {"0": 3, "below-250000pm": 2, "250000pm+": 3}),
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


def test_the_first_band_is_that_of_unseen_words(tmp_path: Path) -> None:
    texts = {"train": TRAIN, "test": "ab abd c dd\n" * 21}
    run = tiny_run(tmp_path, texts=texts, metrics="all", systems="[char, word]")
    rows = {(r.system, r.metric, r.size, r.subset): r for r in run.rows if r.corpus == "held-out"}
    first = {key[:3]: row for key, row in rows.items() if key[3] == "band:0"}
    assert len(first) > 20
    for key, row in first.items():
        other = rows[*key, "unseen"]
        assert (row.value, row.low, row.high, row.n, row.p) == (
            other.value, other.low, other.high, other.n, other.p,
        )  # fmt: skip


def test_new_gold_words_are_composed_of_what_stands_in_two_training_words(tmp_path: Path) -> None:
    """Inner parts of training words count: `un` stands in undo and run, `do` in undo and doing."""
    texts = {
        "train": "undo doing run making make\n",
        "novel": "x\n",
        "gold": "doun\tdo un\ndomak\tdo mak\nundo\tun do\nndo\tn do\nmakedo\tmake do\nxun\tx un\n"
        "done\tdone, do ne\nruning\tru ning, run ing\n",
    }
    run = tiny_run(tmp_path, texts=texts, corpora=LISTED, systems="[char]", metrics="[fertility]")
    held = run.words("parts").groups["new"]
    words = run.words("parts").text
    # ndo stands inside undo; make and x, ne and run stand in one word or none.
    assert [word for word, new in zip(words, held, strict=True) if new] == ["doun", "domak"]


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
