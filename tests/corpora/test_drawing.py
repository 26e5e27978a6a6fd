"""Test splits, and training samples against the same documents written out as often as drawn."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiny import installed, tiny_run
from tokbench.config import load_experiment
from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.corpora.drawing import STAYS, draw, parts, training_samples, units
from tokbench.corpora.load import load_corpora
from tokbench.corpora.source import Split
from tokbench.errors import UsageError

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
    samples = []
    for sample in range(1, number + 1):
        places = np.random.default_rng([7, sample]).integers(0, len(groups), len(groups))
        times = Counter(places.tolist())
        samples.append(
            [line for i, group in enumerate(groups) for line in group for _ in range(times[i])]
        )
    return samples


def counted(lines: list[str], order: list[str]) -> dict[str, int]:
    counts = Counter(word for line in lines for word in line.split())
    return {word: counts[word] for word in dict.fromkeys(order) if word in counts}


def test_a_text_of_few_documents_is_drawn_in_a_hundred_blocks(tmp_path: Path) -> None:
    lines = [f"a{i % 7} b{i} common" for i in range(250)]
    texts = {"one.txt": "\n\n".join(lines[:120]) + "\n", "two.txt": "\n".join(lines[120:]) + "\n"}
    groups = [[lines[i] for i in range(250) if i * 100 // 250 == block] for block in range(100)]
    order = " ".join(lines).split()
    for (words, sample), right in zip(drawn(tmp_path, texts), expected(groups, 3), strict=True):
        assert sample == right
        assert words == counted(right, order)
        assert [*words] == [*counted(right, order)], "in the order of the whole text"


@pytest.mark.parametrize("keys", ["", ", documents: blocks"])
def test_a_hundred_documents_are_drawn_whole(tmp_path: Path, keys: str) -> None:
    documents = [[f"d{i} first", f"d{i} second"] for i in range(100)]
    texts = {f"{i:03}.txt": "\n".join(lines) + "\n" for i, lines in enumerate(documents)}
    if keys:
        texts = {"all.txt": "\n\n".join("\n".join(lines) for lines in documents) + "\n"}
    order = " ".join(line for lines in documents for line in lines).split()
    for (words, sample), right in zip(
        drawn(tmp_path, texts, keys), expected(documents, 3), strict=True
    ):
        assert sample == right
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


def documents(*sizes: int) -> np.ndarray:
    return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)


@given(st.integers(10, 500), st.floats(0.06, 0.9), st.integers(0, 2**32))
def test_the_share_of_lines_is_exact(lines, share, seed):
    drawn = draw(documents(lines), {"dev": Split(split=share)}, seed)
    assert (drawn == 0).sum() == round(lines * share)
    assert (drawn == STAYS).sum() == lines - round(lines * share)


def test_a_document_is_drawn_whole():
    sizes = (3, 1, 4, 1, 5, 9, 2, 6, 5, 3)
    drawn = draw(documents(*sizes), {"dev": Split(split=0.3, by="document")}, 1)
    by_document = np.split(drawn, np.cumsum(sizes)[:-1])
    assert all(len(set(part.tolist())) == 1 for part in by_document)
    assert sum(part[0] == 0 for part in by_document) == 3


def test_the_seed_alone_decides():
    splits = {"dev": Split(split=0.5)}
    first, again, other_seed = (draw(documents(100), splits, seed) for seed in (3, 3, 4))
    assert first.tolist() == again.tolist() != other_seed.tolist()


def test_splits_share_nothing_and_each_has_its_share_of_the_whole():
    splits = {"a": Split(split=0.5), "b": Split(split=0.4, by="document"), "c": Split(split=0.05)}
    drawn = draw(documents(*[10] * 10), splits, 0)
    taken = [set(np.flatnonzero(drawn == part).tolist()) for part in (0, 1, 2)]
    assert len(taken[0]) == 50
    assert len({line // 10 for line in taken[1]}) == 4
    assert len(taken[2]) == 5
    assert len(set.union(*taken)) == sum(map(len, taken))


@pytest.mark.parametrize(
    ("lines", "shares", "expected"),
    [
        (3, [0.1], "0: a share of 0.1 would take 0 of the 3 lines"),
        (10, [0.6, 0.5], "1: a share of 0.5 would take 5 of the 4 lines"),
    ],
)
def test_a_split_must_take_something_and_leave_something(lines, shares, expected):
    with pytest.raises(UsageError) as caught:
        draw(documents(lines), {str(i): Split(split=share) for i, share in enumerate(shares)}, 0)
    assert str(caught.value) == (
        f"{expected} of the training text that are left; at least one must be taken, and one must "
        "stay"
    )


def test_the_digest_tells_how_and_which_part(corpus, write):
    reader = CorpusReader("train", corpus(write("a.txt", "a\n" * 20)))

    def digests(seed=0, **shares):
        splits = {name: Split(split=share) for name, share in shares.items()}
        return [(part.where, part.digest_of_lines) for part in parts(reader, splits, seed)]

    (dev, of_dev), (train, of_train) = digests(dev=0.1)
    assert (dev, train) == ("dev", "train")
    others = [of_dev, of_train, digests(1, dev=0.1)[0][1], digests(dev=0.2)[0][1], reader.digest]
    assert len({*others}) == 5
    assert digests(other=0.1)[0] == ("other", of_dev)
