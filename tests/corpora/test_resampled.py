"""Training samples against the same documents written out as often as they were drawn."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.tiny import installed, tiny_run
from tokbench.config import load_experiment
from tokbench.corpora.load import load_corpora
from tokbench.corpora.resampled import training_samples, units

CONFIG = """\
corpora:
  train: {{path: [{paths}]{keys}}}
  test: {{text: test.txt{split}}}
systems: [char]
"""
BLANKS = "blank lines, and one of punctuation: ...\n\n   \nx\n\n"


def drawn(
    folder: Path, texts: dict[str, str], keys: str = "", number: int = 3
) -> list[tuple[dict[str, int], list[str]]]:
    """Return the words and lines of samples of the training files."""
    for name, text in {**texts, "test.txt": "x\n"}.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "config.yaml").write_text(
        CONFIG.format(paths=", ".join(texts), keys=keys, split=""), encoding="utf-8"
    )
    experiment = load_experiment(folder / "config.yaml", installed())
    corpora = load_corpora(experiment.train, experiment.tests, {}, {}, 7)
    samples = training_samples(corpora.train, number, 7)
    return [(dict(sample.words), [*sample.lines]) for sample in samples]


def expected(groups: list[list[str]], number: int) -> list[list[str]]:
    """Return the lines of each sample: groups of lines, drawn as the documentation says."""
    found = []
    for sample in range(1, number + 1):
        places = np.random.default_rng([7, sample]).integers(0, len(groups), len(groups))
        times = Counter(places.tolist())
        found.append(
            [line for i, group in enumerate(groups) for line in group for _ in range(times[i])]
        )
    return found


def counted(lines: list[str], order: list[str]) -> dict[str, int]:
    counts = Counter(word for line in lines for word in line.split())
    return {word: counts[word] for word in dict.fromkeys(order) if word in counts}


def test_a_text_of_few_documents_is_drawn_in_a_hundred_blocks(tmp_path: Path) -> None:
    lines = [f"a{i % 7} b{i} common" for i in range(250)]
    texts = {"one.txt": "\n\n".join(lines[:120]) + "\n", "two.txt": "\n".join(lines[120:]) + "\n"}
    groups = [[lines[i] for i in range(250) if i * 100 // 250 == block] for block in range(100)]
    order = " ".join(lines).split()
    for (words, found), right in zip(drawn(tmp_path, texts), expected(groups, 3), strict=True):
        assert found == right
        assert words == counted(right, order)
        assert [*words] == [*counted(right, order)], "in the order of the whole text"


@pytest.mark.parametrize("keys", ["", ", documents: blocks"])
def test_a_hundred_documents_are_drawn_whole(tmp_path: Path, keys: str) -> None:
    documents = [[f"d{i} first", f"d{i} second"] for i in range(100)]
    texts = {f"{i:03}.txt": "\n".join(lines) + "\n" for i, lines in enumerate(documents)}
    if keys:
        texts = {"all.txt": "\n\n".join("\n".join(lines) for lines in documents) + "\n"}
    order = " ".join(line for lines in documents for line in lines).split()
    for (words, found), right in zip(
        drawn(tmp_path, texts, keys), expected(documents, 3), strict=True
    ):
        assert found == right
        assert words == counted(right, order)


def test_fewer_lines_than_blocks_are_drawn_one_by_one() -> None:
    assert units(np.zeros(3, dtype=np.int64)).tolist() == [0, 1, 2]
    assert units(np.arange(120, dtype=np.int64)).tolist() == [*range(120)]
    assert units(np.repeat(np.arange(99), 2)).max() == 99


def test_rare_words_of_a_sample_are_left_out(tmp_path: Path) -> None:
    texts = {"t.txt": "".join(f"w{i} common\n" for i in range(40))}
    for words, _ in drawn(tmp_path, texts, ", min-word-count: 2"):
        assert min(words.values()) >= 2
        assert words["common"] == 40
        assert len(words) > 1


def test_lines_without_words_are_kept_for_those_that_read_lines(tmp_path: Path) -> None:
    texts = {"t.txt": BLANKS * 40}
    for words, lines in drawn(tmp_path, texts):
        assert {*lines} <= {"blank lines, and one of punctuation: ...", "x"}
        assert words.get("blank", 0) == lines.count("blank lines, and one of punctuation: ...")


def test_a_split_leaves_test_lines_out(tmp_path: Path) -> None:
    """No sample holds a line that was split off."""
    texts = {"train": "".join(f"w{i}\n" for i in range(300))}
    run = tiny_run(
        tmp_path, texts=texts, corpora="{train: train.txt, test: {part: {split: 0.5, of: train}}}",
        systems="[word]", sizes="[1000]", metrics="[kept-whole-running]",
        **{"training-samples": "2"},
    )  # fmt: skip
    assert {(row.value, row.training_sd) for row in run.rows} == {(0, 0)}
