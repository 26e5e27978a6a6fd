"""The section of the report on unseen, rare and special words."""

from pathlib import Path

from tests.tiny import BPE, LISTED, tiny_run
from tokbench.report.oov import oov

from .test_numbers import tables

# 20 lines; cab and abd are unseen.
TEXT = "ab abc cab\nab abd\n" * 10


def test_the_text_says_what_is_unseen_and_of_which_kinds(tmp_path: Path) -> None:
    texts = {"train": "ab ab abc abc\n", "test": TEXT}
    text = oov(tiny_run(tmp_path, texts=texts, systems="[char]", metrics="[fertility]"))
    assert "**held-out**: 20 of 50 words are unseen (40.0 %, 95 % interval " in text
    assert "one expects 0.0 % (Good-Turing)" in text
    assert "more than twice as high: the test text is another domain." in text
    assert text.count("another domain") == 1
    new = "with a character that the training text lacks 10 (50.0 %)"
    assert f" By kind: {new}, others 10 (50.0 %).\n" in text


def test_a_text_of_the_same_kind_is_not_another_domain(tmp_path: Path) -> None:
    """Half of the training words occur once, so 40 % are fewer than expected."""
    train = "ab abc ab abc ab abc " + " ".join("a" + "b" * n for n in range(2, 8)) + "\n"
    texts = {"train": train, "test": TEXT}
    text = oov(tiny_run(tmp_path, texts=texts, systems="[char]", metrics="[fertility]"))
    assert "one expects 50.0 % (Good-Turing)." in text
    assert "another domain" not in text


def test_the_table_by_frequency(tmp_path: Path) -> None:
    """By letters tokens are characters; ab is seen five times, abc twice."""
    texts = {"train": "ab ab ab ab ab abc abc\n", "test": TEXT}
    run = tiny_run(
        tmp_path, texts=texts, systems="[char]", sizes=None, metrics="[fertility]",
        bands="[3]",
    )  # fmt: skip
    assert tables(oov(run)) == [
        [
            ["system", "", "seen 0", "seen 1-2", "seen 3+"],
            ["", "words", "20", "10", "20"],
            ["", "characters a word", "3.00", "3.00", "2.00"],
            ["char", "tokens a word", "3.00 (1.00)", "3.00 (1.00)", "2.00 (1.00)"],
        ]
    ]


def test_ready_made_systems_did_not_learn_from_the_bands(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, texts={"test": TEXT}, systems="[char, utf8-bytes]", sizes=None,
                   metrics="[fertility]")  # fmt: skip
    assert "utf8-bytes learned elsewhere: the bands count occurrences in *your* training" in oov(
        run
    )


def test_the_table_by_category(tmp_path: Path) -> None:
    """Tokens a word: blends ab|d and abc, by letters 3 and 3; the name bb is b|b, or unknown."""
    texts = {"novel": "abd\tblend\nabc\tblend\nbb\tname\n", "gold": "abc\tab c\n"}
    metrics = "[oov-words-distinct, fertility]"
    run = tiny_run(tmp_path, texts=texts, corpora=LISTED, metrics=metrics)
    *_, novel, parts = tables(oov(run))
    assert novel == [
        ["category", "system", "n", "oov words", "tokens a word"],
        ["all words", "bpe@5", "3", "0.333", "1.667"],
        ["all words", "char", "3", "0.333", "2.667"],
        ["all words", "word@5", "3", "0.667", "1.000"],
        ["blend", "bpe@5", "2", "0.500", "1.500"],
        ["blend", "char", "2", "0.500", "3.000"],
        ["blend", "word@5", "2", "0.500", "1.000"],
        ["name", "bpe@5, char", "1", "0.000", "2.000"],
        ["name", "word@5", "1", "1.000", "1.000"],
    ]
    assert parts[1:] == [
        ["all words", "bpe@5, word@5", "1", "1.000"],
        ["all words", "char", "1", "3.000"],
    ]


def test_hard_categories_keep_the_columns(tmp_path: Path) -> None:
    texts = {"novel": "ab\ta|b\nbb\t`x`\nc\t\x1b[0m\nabc\t\u202ex\n", "gold": "abc\tab c\n"}
    run = tiny_run(tmp_path, texts=texts, corpora=LISTED, metrics="[fertility]", systems="[char]")
    novel = tables(oov(run))[-2]
    names = [row[0] for row in novel[2:]]
    assert names == [r"\x1b\[0m", r"\`x\`", r"a\|b", r"\u202ex"]


def test_at_most_one_system_of_each_learner_is_shown_by_category(tmp_path: Path) -> None:
    systems = f"[char, {BPE}, {{name: again, learner: {{use: bpe, ties: first, eow: absent}}}}]"
    texts = {"novel": "abd\tblend\n", "gold": "abc\tab c\n"}
    run = tiny_run(tmp_path, texts=texts, corpora=LISTED, systems=systems, baseline="again",
                   metrics="[single-characters]")  # fmt: skip
    assert "cut by again@5, char: up to 4 systems" in oov(run)
