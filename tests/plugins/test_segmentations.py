"""Published segmentations as a system: scored without the program that made them."""

import gzip
from pathlib import Path

import pytest

from tests import pages
from tests.run_cli import tokbench_here as tokbench

GOLD = "walked\twalk ed\ncat\tcat\nunbreakable\tun break able\nfunnier\tfunny er\n"


def run(
    folder: Path, published: str, options: str = "", gold: str = GOLD, gold_options: str = ""
) -> dict[str, pages.Row]:
    (folder / "gold.tsv").write_text(gold, "utf-8")
    (folder / "train.txt").write_text("walked\n")
    (folder / "published.tsv").write_text(published, "utf-8")
    (folder / "config.yaml").write_text(
        "corpora:\n  train: train.txt\n  gold: {g: {path: gold.tsv, mismatch: skip"
        f"{gold_options}}}}}\n"
        f"systems: [{{learner: {{use: segmentations, path: published.tsv{options}}}}}]\n"
        "metrics: all\n"
    )
    done = tokbench("run", "-q", folder / "config.yaml", "-o", folder / "out")
    assert done.returncode == 0, done.stderr
    rows = pages.read(folder / "out")
    return {key.metric: row for key, row in rows.items() if key.subset == "all"}


def test_surface_segmentations_are_scored_as_any_other(tmp_path: Path) -> None:
    """walk·ed / cat / un·breakable has the micro F1 of 0.8 and the morpheme F1 of 8/11."""
    published = "walked\twalk ed\ncat\tcat\nunbreakable\tun breakable\n"
    gold = GOLD.rsplit("funnier")[0]
    rows = run(tmp_path, published, gold=gold)
    assert float(rows["boundary-f1-micro"]["value"]) == pytest.approx(0.8)
    assert float(rows["morpheme-f1-surface"]["value"]) == pytest.approx(8 / 11)
    assert float(rows["oov-words-distinct"]["value"]) == 0
    assert rows["fertility"]["value"] == "1.66666666667"


def test_canonical_morphemes_are_scored_by_morpheme_metrics_alone(tmp_path: Path) -> None:
    rows = run(tmp_path, GOLD)
    assert float(rows["morpheme-f1-canonical"]["value"]) == 1
    assert float(rows["morpheme-distance"]["value"]) == 0
    for metric in ("boundary-f1-micro", "boundary-kappa", "exact-match", "morpheme-f1-surface"):
        assert (rows[metric]["status"], rows[metric]["value"]) == ("undefined", "")
    assert float(rows["oov-words-distinct"]["value"]) == 1 / 4


def test_the_format_of_the_shared_task(tmp_path: Path) -> None:
    published = "walked\twalk @@ed\ncat\tcat\nunbreakable\tun @@break @@able\nfunnier\tfunny @@er\n"
    rows = run(tmp_path, published, ", format: sigmorphon")
    assert float(rows["morpheme-f1-canonical"]["value"]) == 1


def test_the_evaluation_of_the_shared_task(tmp_path: Path) -> None:
    """Its definition, by hand: pieces between ` @@` or spaces, even empty ones; their longest
    common subsequence, pooled; and the mean distance of the pieces with bars between them.

    The first word has 2 of 3 pieces right, of 2; the second 2 of 4, of 2; the third 1 of 1, of 2.
    """
    gold = "leu\tle @@u\t100\nEast Indian\tEast @@Indian\t010\n@@b\t@@a @@b\t000\n"
    published = "leu\t @@le @@u\t100\nEast Indian\tEast @@  @@Indian\t010\n@@b\t@@a\t000\n"
    options = ", format: sigmorphon"
    rows = run(tmp_path, published, options, gold, gold_options=options)
    precision, recall = 5 / 8, 5 / 6
    f1 = 2 * precision * recall / (precision + recall)
    for name, expected in (("precision", precision), ("recall", recall), ("f1", f1)):
        assert float(rows[f"morpheme-{name}-canonical"]["value"]) == pytest.approx(expected)
    assert float(rows["morpheme-distance"]["value"]) == pytest.approx((1 + 2 + 2) / 3)


def test_a_missing_word_is_one_unknown_token(tmp_path: Path) -> None:
    rows = run(tmp_path, "walked\twalk ed\n", gold="walked\twalk ed\ncat\tcat\n")
    assert float(rows["oov-words-distinct"]["value"]) == 0.5
    assert float(rows["unknown-tokens"]["value"]) == pytest.approx(1 / 3)
    assert float(rows["boundary-f1-micro"]["value"]) == 1


def test_a_gzipped_file(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.tsv", tmp_path / "a.tsv.gz"
    plain.write_bytes(b"walked\twalk ed\n")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    read = [
        tokbench("learn", "--learner", "segmentations", "-O", f"path={path}").stdout
        for path in (plain, packed)
    ]
    assert '"walked"' in read[0]
    assert read[0] == read[1]


@pytest.mark.parametrize(
    ("published", "message"),
    [
        ("cat\tcat\ndog\td og\ncat\tc at\n", ":3: the word 'cat' stands twice, first on line 1"),
        ("cat\n", ":1: found 1 field in 'cat'; a line holds word<TAB>tokens"),
        ("cat\t\n", ":1: found no segments, expected at least one"),
        ("\n", ": no line holds a word and its tokens"),
        (b"caf\xe9\tcaf\n", ":1: not valid UTF-8: found byte 0xe9 at byte offset 3"),
        ("cat\tcat\n".encode("utf-16"), ": found UTF-16, expected UTF-8"),
    ],
)
def test_files_that_are_wrong(tmp_path: Path, published: str | bytes, message: str) -> None:
    path = tmp_path / "published.tsv"
    path.write_bytes(published if isinstance(published, bytes) else published.encode())
    done = tokbench("learn", "--learner", "segmentations", "-O", f"path={path}")
    assert done.returncode == 4
    assert f"{path}{message}" in done.stderr
    assert done.stderr.count("\n") == 1


def test_only_its_own_vocabulary_will_do(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("a b\n")
    learned = tokbench("learn", "--learner", "char", tmp_path / "t.txt").stdout
    (tmp_path / "v.json").write_text(learned)
    done = tokbench("segment", tmp_path / "v.json", "--segmenter", "segmentations", stdin=b"a\n")
    assert done.returncode == 2
    assert "cuts with a vocabulary of its own only" in done.stderr


def test_all_wrong_lines_are_said_at_once(tmp_path: Path) -> None:
    path = tmp_path / "published.tsv"
    path.write_text("a\n" * 30 + "cat\tc at\n" * 3)
    done = tokbench("learn", "--learner", "segmentations", "-O", f"path={path}")
    assert done.returncode == 4
    assert done.stderr.count("\n") == 21
    assert done.stderr.endswith("and 12 more\n")


def test_a_comma_is_a_token_like_any_other(tmp_path: Path) -> None:
    rows = run(tmp_path, "10,000\t10 , 000\n", gold="10,000\t10 ,000\n")
    assert rows["fertility"]["value"] == "3"
    assert rows["boundary-recall-micro"]["value"] == "1"
