"""`tokbench check` finds sizes below the alphabet before anything is learned."""

from pathlib import Path

from tests.conftest import ROOT
from tests.run_cli import tokbench_here as tokbench

TEXTS = "corpora: {{train: {0}/korean.train.txt, test: {0}/korean.test.txt}}\n"


def warnings(folder: Path, systems: str, sizes: str) -> list[str]:
    """Return the warnings of `check`, without their beginning."""
    texts = TEXTS.format(ROOT / "corpora")
    config = f"{texts}sizes: {sizes}\nsystems: {systems}\nmetrics: [fertility]\n"
    (folder / "c.yaml").write_text(config)
    done = tokbench("check", "c.yaml", cwd=folder)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if "below the alphabet" in line]
    return [line.removeprefix("warning: system ") for line in lines]


def test_sizes_below_the_alphabet_are_one_note_of_each_system(tmp_path: Path) -> None:
    bare = "{name: bare, learner: {use: bpe, eow: absent}}"
    systems = f"[bpe, {bare}, wordpiece, unigram, char, word]"
    first, second, *rest = warnings(tmp_path, systems, "[500, 600, 4000]")
    text = (ROOT / "corpora" / "korean.train.txt").read_text("utf-8")
    letters = len(set(text) - set(" \n"))
    assert first == (
        f"bpe: sizes 500, 600: left out: size 600 is below the alphabet of {2 * letters} symbols: "
        f"each of the {letters} letters stands in it twice, with and without the mark of a word's"
        " edge; with `alphabet: {forms: seen, coverage: 0.999}` it still has 1027, so take a larger"
        " size"
    )
    assert second.startswith(
        f"bare: sizes 500, 600: left out: size 600 is below the alphabet of {letters} symbols (of"
        f" {letters} letters); with `alphabet: {{coverage: 0.999}}` it still has "
    )
    assert [line.split(":")[0] for line in rest] == ["wordpiece", "unigram"]


def test_the_first_option_that_is_enough_is_proposed(tmp_path: Path) -> None:
    (note,) = warnings(tmp_path, "[bpe, char]", "[1500, 4000]")
    assert note.startswith(
        "bpe at size 1500: left out: size 1500 is below the alphabet of 1532 symbols: "
    )
    assert note.endswith("; with `alphabet: {forms: seen}` it has 1036")
    (note,) = warnings(tmp_path, "[bpe, char]", "[1030, 4000]")
    assert note.endswith("; with `alphabet: {forms: seen, coverage: 0.999}` it has 1027")


def test_options_that_are_set_are_not_proposed(tmp_path: Path) -> None:
    system = "[{{name: s, learner: {{use: bpe, alphabet: {{{}}}}}}}, char]"
    (note,) = warnings(tmp_path, system.format("coverage: 0.999"), "[1200, 4000]")
    assert "alphabet of 1514 symbols: each of the 757 letters that are kept of 766 stands" in note
    assert note.endswith("; with `alphabet: {coverage: 0.999, forms: seen}` it has 1027")
    (note,) = warnings(tmp_path, system.format("coverage: 0.95, forms: seen"), "[600, 4000]")
    assert note.endswith("alphabet of 681 symbols (of 443 letters that are kept of 766); take a"
                         " larger size")  # fmt: skip


def test_a_run_that_leaves_out_all_it_has_to_score_has_failed(tmp_path: Path) -> None:
    (note,) = warnings(tmp_path, "[bpe]", "[500]")
    ran = tokbench("run", "-q", "c.yaml", "-o", "out", cwd=tmp_path)
    failed = "failed: nothing was scored: no system has a vocabulary"
    assert (ran.returncode, ran.stderr) == (1, f"warning: system {note}\n{failed}\n")
