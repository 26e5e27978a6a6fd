"""`tokbench check` finds sizes below the alphabet before anything is learned."""

from pathlib import Path

from tests.conftest import ROOT
from tests.run_cli import tokbench_here as tokbench

CONFIG = """
corpora: {{train: {corpora}/korean.train.txt, test: {corpora}/korean.test.txt}}
sizes: {sizes}
systems: {systems}
metrics: [fertility]
"""


def warnings(folder: Path, systems: str, sizes: str) -> list[str]:
    """Return the warnings of `check`, which `run` prints too, without their beginning."""
    corpora = ROOT / "corpora"
    config = CONFIG.format(corpora=corpora, sizes=sizes, systems=systems)
    (folder / "c.yaml").write_text(config)
    done = tokbench("check", "c.yaml", cwd=folder)
    assert done.returncode == 0, done.stderr
    found = [line for line in done.stderr.splitlines() if "below the alphabet" in line]
    ran = tokbench("run", "-q", "c.yaml", "-o", "out", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    assert [line for line in ran.stderr.splitlines() if "left out" in line] == found
    return [line.removeprefix("warning: system ") for line in found]


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
    assert note.startswith("bpe: left out: size 1500 is below the alphabet of 1532 symbols: ")
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
    (tmp_path / "c.yaml").write_text(
        CONFIG.format(corpora=ROOT / "corpora", sizes="[500]", systems="[bpe]")
    )
    ran = tokbench("run", "-q", "c.yaml", "-o", "out", cwd=tmp_path)
    assert ran.returncode == 1
    left_out, failed = ran.stderr.splitlines()
    assert left_out.startswith("warning: system bpe: left out: size 500 is below the alphabet of ")
    assert failed == "failed: nothing was scored: no system has a vocabulary"
