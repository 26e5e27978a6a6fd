"""Learning from shares of the training text: lines in a drawn order, sizes, rows, growth.csv."""

import csv
from pathlib import Path

import pytest

from tests.tiny import TinyRun, tiny_run
from tokbench import Run
from tokbench.run_folder.folder import write_run

# Forty lines of ten words; line n has the word number n ten times, and no other line has it.
WORDS = [f"w{'ab'[n % 2] * (n // 2 + 1)}" for n in range(40)]
LINES = "".join(" ".join([word] * 10) + "\n" for word in WORDS)
KEYS = {
    "sizes": "[10, 30]",
    "systems": "[word, char]",
    "metrics": "[fertility, unseen-words-running, kept-whole-running]",
    "corpora": "{train: train.txt, test: {held-out: test.txt}}",
}


def grown(folder: Path, shares: str, train: str = LINES, test: str = LINES, **keys: str) -> TinyRun:
    texts = {"train": train, "test": test}
    config: dict[str, str | None] = {**KEYS, "training-shares": shares, **keys}
    return tiny_run(folder, texts=texts, **config)


def by_share(run: TinyRun, system: str, metric: str, size: str) -> dict[float, float | None]:
    return {
        r.training_share: r.value
        for r in run.rows
        if (r.system, r.metric, r.size, r.subset) == (system, metric, size, "all")
    }


def test_a_share_is_the_first_lines_that_reach_it(tmp_path: Path) -> None:
    """Of 400 words 0.1 are four lines, 0.101 five; each share holds the smaller ones."""
    run = grown(tmp_path, "[0.1, 0.101, 0.5, 1.0]", sizes="[4]")
    words = {r.training_share: (r.training_words, r.training_distinct) for r in run.growth}
    assert words == {0.1: (40, 4), 0.101: (50, 5), 0.5: (200, 20), 1: (400, 40)}
    unseen = {r.training_share: (r.share_running, r.share_distinct) for r in run.growth}
    assert unseen == {0.1: (0.9, 0.9), 0.101: (0.875, 0.875), 0.5: (0.5, 0.5), 1: (0, 0)}
    assert {r.good_turing for r in run.growth} == {None}, "every word occurs ten times"


def test_a_share_is_reached_as_its_digits_say(tmp_path: Path) -> None:
    """0.07 x 100 is 7.000000000000001 in binary, and seven words are enough."""
    text = "".join(f"{word}\n" for word in WORDS[:25]) * 4
    run = grown(tmp_path, "[0.07, 0.071, 1.0]", train=text, sizes="[4]")
    assert [r.training_words for r in run.growth] == [7, 8, 100]


def test_shares_hold_the_smaller_ones(tmp_path: Path) -> None:
    run = grown(tmp_path, "[0.1, 0.25, 0.5]", sizes="[4, 40]")
    small, middle = ({*run.learned[f"word%{share}"].tokens} for share in ("0.1", "0.25"))
    assert (len(small), len(middle)) == (4, 10)
    assert small < middle < {*run.learned["word%0.5"].tokens}


def test_sizes_that_a_share_does_not_reach_are_left_out_with_a_note(tmp_path: Path) -> None:
    run = grown(tmp_path, "[0.5, 1]")
    assert by_share(run, "word", "kept-whole-running", "10") == {1.0: 0.25, 0.5: 0.25}
    assert by_share(run, "word", "kept-whole-running", "30") == {1.0: 0.75}
    note = "system word at size 30, training-share 0.5: left out: the text gives only 20 tokens"
    assert [n for n in run.notes if "training-share" in n] == [f"{note} (20 learned)"]
    assert run.failures == ()
    run = grown(tmp_path, "[0.5, 1]", sizes="[10, 25, 30]")
    note = "system word, training-share 0.5: sizes 25, 30: left out: the text gives only 20 tokens"
    assert [n for n in run.notes if "training-share" in n] == [f"{note} (20 learned)"]


def test_unseen_words_and_bands_are_those_of_the_whole_text(tmp_path: Path) -> None:
    run = grown(tmp_path, "[0.5]", test=LINES + "new words\n" * 2)
    values = by_share(run, "char", "unseen-words-running", "")
    assert values[0.5] == values[1.0] == pytest.approx(4 / 404)
    half, whole = ({r.subset for r in run.rows if r.training_share == share} for share in (0.5, 1))
    assert half == whole


def test_systems_are_compared_within_a_share(tmp_path: Path) -> None:
    systems = "[char, {learner: {use: bpe, eow: absent}, sizes: [14]}, word]"
    run = grown(tmp_path, "[0.25, 0.5]", systems=systems)
    for r in run.rows:
        if r.system == "bpe" and r.metric == "fertility" and r.subset == "all":
            base = by_share(run, "char", "fertility", "")[r.training_share]
            assert r.baseline == "char"
            assert base is not None
            assert r.difference == pytest.approx((r.value or 0) - base)
    assert {r.training_share for r in run.rows if r.p is not None} == {0.25, 0.5, 1}
    plain = grown(tmp_path, "[]", systems=systems)
    assert [*plain.rows] == [r for r in run.rows if r.training_share == 1], "nothing else changes"


def test_what_was_learned_is_kept_and_read_again(tmp_path: Path) -> None:
    run = grown(tmp_path, "[0.00001, 0.25]", systems="[char]")
    write_run(tmp_path / "out", run)
    names = {path.name for path in (tmp_path / "out" / "data/vocabularies").iterdir()}
    assert names == {"char.json", "char%0.00001.json"}, "that of a quarter equals that of all"
    again = Run.load(tmp_path / "out")
    assert again.rows == run.rows
    assert again.growth == run.growth
    assert again.learned["char%0.25"].tokens == run.learned["char%0.25"].tokens
    with (tmp_path / "out" / "data/growth.csv").open(encoding="utf-8", newline="") as file:
        assert [*next(csv.reader(file))] == [
            "corpus", "training-share", "training-words", "training-distinct", "share-running",
            "share-distinct", "good-turing",
        ]  # fmt: skip
    row = next(r for r in run.rows if r.training_share == 0.25)
    assert "|training-share=0.25|fertility|" in run.signature(row)


def test_vocabularies_stand_in_the_order_of_the_config(tmp_path: Path) -> None:
    """In a folder they are files, which stand in the order of their names."""
    run = grown(tmp_path, "[0.5]", systems="[word, {learner: wordpiece}, char]", sizes="[20, 8]")
    write_run(tmp_path / "out", run)
    assert [*run.learned] == [*Run.load(tmp_path / "out").learned]
    assert [name for name in run.learned if "%" not in name][-1] == "char"
    assert next(iter(run.learned)).startswith("word")


def test_ready_made_systems_learn_nothing(tmp_path: Path) -> None:
    run = grown(tmp_path, "[0.5]", systems="[char, utf8-bytes]")
    assert {r.system for r in run.rows if r.training_share == 0.5} == {"char"}


def test_documents_are_taken_whole_where_there_are_a_hundred(tmp_path: Path) -> None:
    """A hundred documents of two lines: half of the words are fifty documents."""
    text = "".join(f"{'a' * n}b c\n{'a' * n}b d\n\n" for n in range(1, 101))
    corpora = "{train: {path: train.txt, documents: blocks}, test: {held-out: test.txt}}"
    run = grown(tmp_path, "[0.5]", text, text, systems="[char]", corpora=corpora)
    (share,) = run.growth
    assert (share.training_words, share.training_distinct) == (200, 50 + 2)


def test_the_same_seed_takes_the_same_lines(tmp_path: Path) -> None:
    first = grown(tmp_path, "[0.2]", sizes="[8]")
    again = grown(tmp_path, "[0.2]", sizes="[8]")
    assert first.learned["word%0.2"].tokens == again.learned["word%0.2"].tokens
    other_seeds = [grown(tmp_path, "[0.2]", sizes="[8]", seed=str(n)).learned for n in range(1, 4)]
    assert len({learned["word%0.2"].tokens for learned in other_seeds}) > 1
