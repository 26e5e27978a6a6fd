"""The section of the report on unseen, rare and special words."""

from pathlib import Path

import pytest
from tokbench_views.oov import oov

from tests.tiny import LISTED, tiny_run
from tokbench.api import Vocabulary

from .markdown import tables

# 20 lines; cab and abd are unseen.
TEXT = "ab abc cab\nab abd\n" * 10


def oov_section(folder: Path, train: str) -> str:
    texts = {"train": train, "test": TEXT}
    return oov(tiny_run(folder, texts=texts, systems="[char]", metrics="[fertility]"))


# One of so many training words occurs once; 40 % of the test words are unseen, at least 36 %.
NOT_ANOTHER = {
    "less than expected": 2,
    "more, but not twice": 3,
    "twice, but for the interval": 5.2,
}


@pytest.mark.parametrize("case", NOT_ANOTHER)
def test_a_text_of_the_same_kind_is_not_another_domain(tmp_path: Path, case: str) -> None:
    once = ["abc", *("a" + "b" * n for n in range(2, 11))]
    train = [*once, *["ab"] * round((NOT_ANOTHER[case] - 1) * len(once))]
    text = oov_section(tmp_path, " ".join(train) + "\n")
    assert f"; about {100 * len(once) / len(train):.1f} % would be normal, by Good-Turing)" in text
    assert "another domain" not in text


def test_without_words_that_occur_once_nothing_is_expected(tmp_path: Path) -> None:
    assert "Good-Turing" not in oov_section(tmp_path, "ab ab abc abc\n")


def test_hard_categories_keep_the_columns(tmp_path: Path) -> None:
    """Their names are made printable when they are read, and stand so in all files."""
    texts = {"novel": "ab\ta|b\nbb\t`x`\nc\t\x1b[0m\nabc\t\u202ex\n", "gold": "abc\tab c\n"}
    run = tiny_run(tmp_path, texts=texts, corpora=LISTED, metrics="[fertility]", systems="[char]")
    novel = tables(oov(run))[-2]
    names = [row[0] for row in novel[2:]]
    assert names == [r"\\u202ex", r"\\x1b\[0m", r"\`x\`", r"a\|b"]
    subsets = {row.subset for row in run.rows}
    assert {r"category:\u202ex", r"category:\x1b[0m"} < subsets


@pytest.mark.parametrize(
    ("many", "shown"), [(5, "char, s0@5, s1@5, s2@5, s3@5, s4@5"), (6, "s5@5, char")]
)
def test_of_many_systems_the_first_of_each_learner_is_shown_by_category(
    tmp_path: Path, many: int, shown: str
) -> None:
    own = (f"{{name: s{i}, learner: {{use: bpe, eow: absent}}}}" for i in range(many))
    texts = {"novel": "abd\tblend\n", "gold": "abc\tab c\n"}
    run = tiny_run(tmp_path, texts=texts, corpora=LISTED, systems=f"[char, {', '.join(own)}]",
                   baseline=f"s{many - 1}", metrics="[single-characters]")  # fmt: skip
    assert f"cut by {shown}, each at its largest size" in oov(run)


def test_measures_that_are_0_for_all_that_is_shown_are_left_out(tmp_path: Path) -> None:
    """Unseen words of the text have unknown characters, words of the list have none."""
    texts = {"novel": "abb\tblend\n", "gold": "abc\tab c\n"}
    run = tiny_run(tmp_path, texts=texts, corpora=LISTED, systems="[char]",
                   metrics="[unknown-characters, fertility]")  # fmt: skip
    novel = tables(oov(run))[-2]
    assert novel[0] == ["category", "system", "n", "tokens per word"]


def test_marks_and_signs_stand_in_the_tables(tmp_path: Path) -> None:
    """Of 20 distinct words that begin with ab, all are split by letters, and one is ab itself."""
    words = [f"ab{'c' * n}" for n in range(20)]
    texts = {
        "train": " ".join(words) + "\n", "test": "ab\nabd\n",
        "novel": "".join(f"{word}\tblend\n" for word in words),
    }  # fmt: skip
    run = tiny_run(tmp_path, texts=texts, systems="[word, utf8-bytes]", sizes="[20]", gate="0.1",
                   metrics="[fertility]", corpora=LISTED.partition("\n  gold")[0])  # fmt: skip
    frequency, novel = tables(oov(run))
    assert novel[-2:] == [
        ["blend", "word@20", "20", "1.000"],
        ["blend", "utf8-bytes", "20", "11.500‡"],
    ]
    assert frequency[-2] == ["word@20", "tokens per word", "1.00† (0.33)", "1.00† (0.50)"]


def test_gold_without_a_new_word_has_a_line_that_says_so(tmp_path: Path) -> None:
    texts = {"novel": "x\n", "gold": "abc\tab c\n"}
    run = tiny_run(tmp_path, texts=texts, corpora=LISTED, systems="[char]", metrics="[fertility]")
    assert tables(oov(run))[-1][-1] == ["new", "char", "0", ""]


def test_characters_that_no_token_writes(tmp_path: Path) -> None:
    """A special token writes none of its letters, and of é one byte is known, not the other."""
    bytes_of_e = Vocabulary(
        ("a", "b", "c", "\u00c3"), units="bytes", segmenter={"use": "longest-match"}
    )
    special = Vocabulary(("<s>", "a", "b", "c"), special=(0,), segmenter={"use": "longest-match"})
    for name, vocabulary in (("bytes", bytes_of_e), ("special", special)):
        (tmp_path / f"{name}.json").write_text(vocabulary.to_json(), "utf-8")
    systems = ", ".join(
        f"{{name: {name}, learner: {{use: vocabulary, path: {name}.json}}}}"
        for name in ("bytes", "special")
    )
    run = tiny_run(
        tmp_path, texts={"test": "abc sa sé éa\n"}, systems=f"[{systems}, utf8-bytes]",
        sizes=None, metrics="[fertility]",
    )  # fmt: skip
    section = oov(run).partition("### Characters that a system cannot write")[2]
    assert [line for line in section.split("\n") if line.startswith("- ")] == [
        "- bytes, special: 2, such as `s`, `é`"
    ]


def test_the_table_of_growth(tmp_path: Path) -> None:
    """Each of twenty lines has a word of its own, so ten lines are too few for fifteen words."""
    lines = "".join(f"ab x{n}\n" for n in range(20))
    run = tiny_run(
        tmp_path, texts={"train": lines, "test": TEXT}, metrics="[fertility]", sizes="[15]",
        systems="[char, word]", **{"training-shares": "[0.5, 1]"},
    )  # fmt: skip
    *_, table = tables(oov(run))
    assert table == [
        ["system", "", "0.5", "1"],
        ["", "training words", "20", "40"],
        ["", "distinct training words", "11", "21"],
        ["", "unseen words", "60.0 %", "60.0 %"],
        ["", "expected (Good-Turing)", "50.0 %", "50.0 %"],
        ["char", "tokens per word", "2.600‡ (3.000‡)", "2.600‡ (3.000‡)"],
        ["word@15", "tokens per word", "", "1.000 (1.000)"],
    ]
