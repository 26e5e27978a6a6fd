"""Words to look at: which are shown, how they are cut, and that hard text breaks no table."""

from pathlib import Path

import pytest
from tokbench_views.examples import best_and_worst, frequent_splits
from tokbench_views.report import report

from tests.tiny import BPE, tiny_run
from tokbench.printing import printable
from tokbench.run_folder import Run

from .markdown import Table, code_text, tables

TRAIN = "ab ab ab c\n"


def words_shown(run: Run) -> Table:
    """Return the lines of the unseen words of the only text."""
    (test,) = run.record.tests
    return tables(best_and_worst(run, test))[0][1:]


def test_frequent_words_are_ordered_by_the_tokens_that_they_cost(tmp_path: Path) -> None:
    """With ab joined: abab costs 3 x 1, cabc 2 x 2, ca 2 x 1 and so does cab, which comes later."""
    texts = {"train": TRAIN, "test": "ca abab cab ab abab cabc\nabab ca cab ab aaaa cabc\n"}
    run = tiny_run(tmp_path, texts=texts, systems=f"[{BPE}, char]", sizes="[4]")
    text = frequent_splits(run)
    assert tables(text) == [
        [
            ["count", "extra tokens", "tokens"],
            ["2", "4", "`c ab c`"],
            ["3", "3", "`ab ab`"],
            ["2", "2", "`c a`"],
            ["2", "2", "`c ab`"],
        ]
    ]
    assert "## Frequent words that bpe splits most\n" in text
    assert "On held-out, at size 4: words that occur at least twice" in text


def test_at_most_fifteen_words_are_shown(tmp_path: Path) -> None:
    words = [a + b for a in "abcd" for b in "abcd"]
    texts = {"train": "a b c d\n", "test": " ".join(words * 2) + "\n"}
    run = tiny_run(tmp_path, texts=texts, systems="[char]")
    assert [code_text(row[2]) for row in tables(frequent_splits(run))[0][1:]] == [
        " ".join(word) for word in words[:15]
    ]


def test_the_first_system_is_shown_where_there_is_no_baseline(tmp_path: Path) -> None:
    texts = {"test": "abc abc\n"}
    named = tiny_run(tmp_path, texts=texts, systems=f"[{BPE}, char]", baseline="char")
    text = frequent_splits(named)
    assert "that char splits most" in text
    assert "On held-out, at size 3: " in text, "where no size was asked for, the one there is"
    without = tiny_run(tmp_path, texts=texts, systems=f"[char, {BPE}]", baseline="null")
    assert tables(frequent_splits(without))[0][1] == ["2", "4", "`a b c`"]


def test_bytes_of_one_character_are_shown_as_that(tmp_path: Path) -> None:
    texts = {"train": "ab 國\n", "test": "a國 a國\n"}
    run = tiny_run(tmp_path, texts=texts, systems="[utf8-bytes]", sizes=None)
    assert tables(frequent_splits(run))[0][1] == ["2", "6", "`a 國 (3 bytes)`"]


def test_that_nothing_is_split_is_said(tmp_path: Path) -> None:
    assert frequent_splits(tiny_run(tmp_path)).endswith(
        "\nNo word that occurs twice in held-out is split.\n"
    )


def test_nothing_is_shown_where_nothing_was_scored(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems=f"[{BPE}]", sizes="[2]")
    (test,) = run.record.tests
    assert (frequent_splits(run), best_and_worst(run, test)) == ("", "")


DROPPING = """
from tokbench.api import Segmenter, hookimpl
class Dropping(Segmenter):
    "Drop all text."
    def segment(self, word, prepared):
        return [(None, len(word))]
@hookimpl
def tokbench_segmenters():
    return {"dropping": Dropping}
"""


def test_a_word_without_tokens_says_so(tmp_path: Path) -> None:
    systems = "[{name: dropping, learner: char, segmenter: dropping}]"
    run = tiny_run(tmp_path, plugin=DROPPING, texts={"test": "abcd\n"}, systems=systems)
    assert words_shown(run)[0] == ["`abcd`", "(nothing)", "dropping"]


HARD = [
    f"{begin}four"
    for begin in (
        "a|b", "||", "`", "a``b", "\x1b[31m", "\u202ea",
        "\x00", "\\|", "*x*", "<b>", "⟨a⟩", "\ufeff|",
    )
]  # fmt: skip


@pytest.mark.parametrize("mark", ["</w>", "|", "`", "\\n", "\\e[0m"])
def test_hard_words_and_marks_break_no_table(tmp_path: Path, mark: str) -> None:
    """Every word twice, half of them unseen, in tables that keep their columns."""
    words = "{path: %s, words: whitespace}"
    run = tiny_run(
        tmp_path,
        texts={"train": " ".join(HARD[::2]) + "\n", "test": " ".join(HARD * 2) + "\n"},
        corpora=f"{{train: {words % 'train.txt'}, test: {{held-out: {words % 'test.txt'}}}}}",
        systems=f'[{{name: bpe, learner: {{use: bpe, eow: {{kind: separate, text: "{mark}"}}}}}}]',
        sizes="[100]",
    )
    text = report(run)
    assert not {"\x1b", "\u202e", "\x00", "\ufeff"} & {*text}
    assert all(tables(text))
    shown = {code_text(row[0]) for row in words_shown(run)}
    assert shown == {printable(word) for word in HARD[1::2]}


def test_bytes_that_are_no_text_become_the_replacement_character(tmp_path: Path) -> None:
    run = tiny_run(
        tmp_path,
        texts={"test": b"ab\nbab\xffb\n"},
        corpora="{train: train.txt, test: {path: test.txt, words: whitespace, errors: replace}}",
        systems="[char]",
    )
    assert words_shown(run)[0] == ["`bab\ufffdb`", "`b a b ⟨\ufffd⟩ b`", "char"]
    assert "lines that are not valid UTF-8: 1 (first: test.txt:2)" in report(run)
