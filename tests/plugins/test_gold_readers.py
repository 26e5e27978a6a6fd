"""Readers of gold segmentations: each format by hand, real files, and rows that are wrong."""

import csv
import gzip
from collections import Counter
from pathlib import Path

import pytest
from tokbench_morphology.gold import (
    ConlluReader,
    MorfessorReader,
    MorphoChallengeReader,
    MorphyNetReader,
    PipesReader,
    SigmorphonReader,
    TsvReader,
    UniMorphReader,
    UniSegmentsReader,
)

from tests.run_cli import tokbench_here as tokbench
from tests.tiny import tiny_run
from tokbench.api import GoldEntry
from tokbench.errors import InputError
from tokbench.run_folder import Run

LINES = [
    (TsvReader(), "unbreakable\tun break able, unbreak able\tadj",
     GoldEntry("unbreakable", (("un", "break", "able"), ("unbreak", "able")), "adj")),
    (TsvReader(), "cat\tcat", GoldEntry("cat", (("cat",),))),
    (PipesReader(), "singers\tsing|er|s, singer|s",
     GoldEntry("singers", (("sing", "er", "s"), ("singer", "s")))),
    (SigmorphonReader(), "enthrallments\ten @@thrall @@ment @@s\t110",
     GoldEntry("enthrallments", (("en", "thrall", "ment", "s"),), "110")),
    (SigmorphonReader(), "boardgamey\tboard game @@y\t010",
     GoldEntry("boardgamey", (("board", "game", "y"),), "010")),
    # As the evaluation of the shared task reads them.
    (SigmorphonReader(), "ab\ta @@\t1", GoldEntry("ab", (("a", ""),), "1")),
    (SigmorphonReader(), "@@b\t@@a @@b", GoldEntry("@@b", (("@@a", "b"),))),
    (SigmorphonReader(), "East Indian\tEast @@  @@Indian\t000",
     GoldEntry("East Indian", (("East", "", "", "Indian"),), "000")),
    (MorphyNetReader(), "frei\tFreiheit\tADJ\tN\theit\tsuffix",
     GoldEntry("Freiheit", (("frei", "heit"),), "suffix")),
    (MorphyNetReader(), "klar\tunklar\tADJ\tADJ\tun\tprefix",
     GoldEntry("unklar", (("un", "klar"),), "prefix")),
    (UniMorphReader(), "sing\tsinging\tV|V.PTCP;PRS\tsing|ing",
     GoldEntry("singing", (("sing", "ing"),), "V")),
    (UniMorphReader(), "bake\tbaked\tV;PST\tbake|ed",
     GoldEntry("baked", (("bake", "ed"),), "V")),
    (UniMorphReader(), "sing\tsang\tV;PST\t-", None),
    (UniMorphReader(), "-\t-\tPUNCT\t-", GoldEntry("-", (("-",),), "PUNCT")),
    (UniSegmentsReader(), 'unsung\tunsung\tADJ\tun + sung\t{"segmentation": []}',
     GoldEntry("unsung", (("un", "sung"),), "ADJ")),
    (MorphoChallengeReader(), "sinning\tsin:sin_V n:~ ing:+PCP1, sinn:sin_V ing:+PCP1",
     GoldEntry("sinning", (("sin", "n", "ing"), ("sinn", "ing")))),
    (MorphoChallengeReader(), "set\tset:set_V ~:+PAST", GoldEntry("set", (("set",),))),
    (MorphoChallengeReader(), "6:n\t6:6_Q ::~ n:+GEN", GoldEntry("6:n", (("6", ":", "n"),))),
    (MorfessorReader(), "singers sing er s, singer s",
     GoldEntry("singers", (("sing", "er", "s"), ("singer", "s")))),
    (MorfessorReader(), "cat\tcat", GoldEntry("cat", (("cat",),))),
    (MorfessorReader(), "12 sing + er + s", GoldEntry("singers", (("sing", "er", "s"),))),
    (MorfessorReader(), "7 cat", GoldEntry("cat", (("cat",),))),
    (MorfessorReader(), "1984 19 84", GoldEntry("1984", (("19", "84"),))),
    (MorfessorReader(), "# Output from Morfessor", None),
    (ConlluReader(), "1\t고향은\t고향+은\tNOUN\tncn+jxt\t_\t2\tdislocated\t_\t_",
     GoldEntry("고향은", (("고향", "은"),), "NOUN")),
    (ConlluReader(), "3\t+\t+\tSYM\tsf\t_\t2\tpunct\t_\t_", GoldEntry("+", (("+",),), "SYM")),
    (ConlluReader(), "3\tC++\tC++\tX\t_\t_\t_\t_\t_\t_", GoldEntry("C++", (("C++",),), "X")),
    (ConlluReader(), "3\twalked\t_\tVERB\t_\t_\t_\t_\t_\t_", None),
    (ConlluReader(), "3\t_\t_\tSYM\t_\t_\t_\t_\t_\t_", GoldEntry("_", (("_",),), "SYM")),
    (ConlluReader(), "# text = 고향은", None),
    (ConlluReader(), "1-2\tdel\t_\t_\t_\t_\t_\t_\t_\t_", None),
    (ConlluReader(), "1.1\tx\tx\t_\t_\t_\t_\t_\t_\t_", None),
]  # fmt: skip


@pytest.mark.parametrize(("reader", "line", "entry"), LINES)
def test_a_line_by_hand(reader: TsvReader, line: str, entry: GoldEntry | None) -> None:
    assert reader.read(line) == entry


@pytest.mark.parametrize(
    ("reader", "line", "message"),
    [
        (TsvReader(), "walked", "found 1 field in 'walked'; a line holds word<TAB>seg ments"),
        (TsvReader(), "a\t", "found no segments, expected at least one"),
        (TsvReader(), "a\ta, , b", "found no segments"),
        (SigmorphonReader(), "ab", "found 1 field in 'ab'; a line holds word<TAB>m1 @@m2"),
        (MorphyNetReader(), "a\tb\tN\tN\tc\tcircumfix", "found the kind 'circumfix'"),
        (MorphyNetReader(), "a\tb\tN\tN\tc\t", "found no kind, expected prefix or suffix"),
        (MorphyNetReader(), "a\tb", "found 2 fields in 'a\\tb'; a line holds six fields"),
        (
            UniMorphReader(),
            "a\tb\tV;PST",
            "found 3 fields in 'a\\tb\\tV;PST'; a line",
        ),
        (UniMorphReader(), "a\tab\tN;PL\ta||b", "found nothing in segment 2 of 'a||b'"),
        (UniSegmentsReader(), "a\ta\tN\ta", "found 4 fields"),
        (UniSegmentsReader(), "a\ta\tN\t\t{}", "found no segments"),
        (MorphoChallengeReader(), "a\tb\tN", "found 3 fields"),
        (MorphoChallengeReader(), "ab\ta:a_N b", "found 'b', expected segment:label"),
        (MorphoChallengeReader(), "ab\t~:+PL", "found no segments"),
        (MorfessorReader(), "ab", "found no segments"),
        (MorfessorReader(), "ab a b,, ab", "found no segments"),
        (ConlluReader(), "1\ta\tb", "found 3 fields in '1\\ta\\tb'; a line holds ten fields"),
        (ConlluReader(), "1\tab\ta++b\tX\t_\t_\t_\t_\t_\t_", "nothing in segment 2 of 'a||b'"),
    ],
)
def test_a_wrong_line(reader: TsvReader, line: str, message: str) -> None:
    with pytest.raises(ValueError, match="found") as caught:
        reader.read(line)
    assert message in str(caught.value)


def run(folder: Path, gold: str, keys: str = "") -> Run:
    corpora = f"{{train: train.txt, gold: {{parts: {{path: gold.txt{keys}}}}}}}"
    return tiny_run(
        folder, texts={"gold": gold}, corpora=corpora, metrics="[boundary-f1-micro]", sizes="[4]"
    )


def test_rows_of_one_word_are_alternatives(tmp_path: Path) -> None:
    """As UniMorph has them, where a word may be two forms."""
    words = run(tmp_path, "abc\ta bc\nabc\tab c\n").texts["parts"]
    assert words.gold == (((1,), (2,)),)
    assert words.morphs == ((("a", "bc"), ("ab", "c")),)


def test_of_2_000_wrong_rows_20_are_shown(tmp_path: Path) -> None:
    gold = "".join(f"w{i}\tw {i + 1}\n" for i in range(2_000)) + "abc\ta bc\n"
    with pytest.raises(InputError) as caught:
        run(tmp_path, gold)
    heading, *shown, rest, formats, hint = str(caught.value).split("\n")
    assert heading.endswith("gold.txt: 2,000 of 2,001 rows cannot be used:")
    assert len(shown) == 20
    assert rest == "and 1,980 more"
    assert formats == (
        "the rows were read as `format: tsv`; `tokbench plugins` lists the gold readers"
    )
    assert hint.startswith("`mismatch: skip`")


def test_skipped_rows_are_counted_and_the_first_listed(tmp_path: Path) -> None:
    gold = "abc\ta bc\nabd\ta cd, ab d\nacb\ta c\nbroken\n"
    done = run(tmp_path, gold, ", mismatch: skip")
    words = done.words("parts")
    assert words.text == ("abc", "abd", "acb")
    # Of two alternatives one joins to the word; the morphs of all are kept.
    assert words.gold == (((1,),), ((2,),), ())
    assert words.morphs == ((("a", "bc"),), (("a", "cd"), ("ab", "d")), (("a", "c"),))
    (warning,) = (w for w in done.record.warnings if "parts" in w)
    assert warning == (
        "parts: without boundaries: 1 word whose segments do not join to the word, left out: 1 row "
        "that cannot be read, such as gold.txt:3: the segments 'a c' join to 'ac', not to 'acb'; "
        "gold.txt:4: found 1 field in 'broken'; a line holds word<TAB>seg ments[, alter "
        "native]<TAB>category"
    )


@pytest.mark.parametrize(
    ("gold", "wrong", "rows"),
    [
        ("abd\ta cd\n", "the segments 'a cd' join to 'acd', not to 'abd'", "1 of 1 row"),
        ("broken\nabd\ta cd\n", "found 1 field in 'broken'", "2 of 2 rows"),
    ],
)
def test_skipping_must_leave_a_row(tmp_path: Path, gold: str, wrong: str, rows: str) -> None:
    with pytest.raises(InputError) as caught:
        run(tmp_path, gold, ", mismatch: skip")
    head, example, *_, hint = str(caught.value).replace(f"{tmp_path}/", "").split("\n")
    assert head == f"gold.txt: {rows} cannot be used:"
    assert example.startswith(f"gold.txt:1: {wrong}")
    assert hint == "`mismatch: skip` leaves no row to score: does `format` fit the file?"


@pytest.mark.parametrize(
    ("form", "rows"),
    [
        ("pipes", "abba\tab|ba"),
        ("unimorph", "ab\tabba\tV;PST\tab|ba"),
        ("unisegments", "abba\tab\tN\tab + ba\t{}"),
        ("morpho-challenge", "abba\tab:ab_N ba:+PL"),
        ("morfessor", "abba ab ba"),
        ("conllu", "1\tabba\tba\tN\t_\t_\t0\troot\t_\tGloss=x|MSeg=ab-ba"),
        ("sigmorphon", "abba\tab @@ba"),
    ],
)
def test_published_collections_have_names(tmp_path: Path, form: str, rows: str) -> None:
    """Their rows tell them too."""
    assert run(tmp_path, rows, f", format: {form}").texts["parts"].gold == (((2,),),)
    done = run(tmp_path, rows)
    assert done.texts["parts"].gold == (((2,),),)
    assert [c.treatment for c in done.record.corpora if c.name == "parts"] == [
        f"format={{use:{form}}}"
    ]


def test_a_file_of_which_every_row_is_left_out(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found no words: it is empty, or `normalise`, `format`"):
        run(tmp_path, "ab\tabba\tV;PST\t-\n", ", format: unimorph")


def test_a_row_that_is_cut_shows_that_the_format_is_right(tmp_path: Path) -> None:
    """Nor is it named, since most rows fit."""
    with pytest.raises(InputError, match=r"gold[.]txt:3: the segments 'abb' join .* 'abba'\Z"):
        run(tmp_path, "abc\ta bc\tV;PST\nabd\tab d\nabba\tabb\tV;PST\n")


def test_skipping_is_no_advice_where_it_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="2 of 2 rows cannot be used") as caught:
        run(tmp_path, "abd\ta cd\nacb\ta c\n")
    assert "mismatch: skip" not in str(caught.value)


def test_a_word_may_occur_nowhere_and_have_one_character(tmp_path: Path) -> None:
    done = run(tmp_path, "zzz\tz zz\nc\tc\n")
    assert done.words("parts").train_count.tolist() == [0, 1]


def test_training_files_may_be_a_list(tmp_path: Path) -> None:
    """`train: [a, b]` is `{path: [a, b]}`."""
    texts = {"more": "cab cab\n"}
    corpora = "{{train: {}, test: {{held-out: test.txt}}}}"
    as_list, as_mapping = (
        tiny_run(tmp_path, texts=texts, corpora=corpora.format(train)).rows
        for train in ("[train.txt, more.txt]", "{path: [train.txt, more.txt]}")
    )
    assert as_list == as_mapping


@pytest.mark.ci
def test_sigmorphon_joins_as_its_readers_say(shared: Path, tmp_path: Path) -> None:
    """Of 57,371 English rows 17,294 do not join; 57 words hold a space."""
    text = gzip.decompress((shared / "morphology" / "eng.word.dev.tsv.gz").read_bytes())
    rows = csv.reader(text.decode().splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    joins, words = Counter[bool](), set()
    for word, morphs, *_ in rows:
        parts = [part.removeprefix("@@") for part in morphs.split(" ")]
        words.add(word)
        joins["".join(parts) == word] += 1
    assert joins[True] == 40_077
    (tmp_path / "train.txt").write_text("a\n")
    (tmp_path / "gold.tsv").write_bytes(text)
    for mode, code, message in (
        ("refuse", 4, "gold.tsv: 17,294 of 57,371 rows cannot be used:"),
        ("skip", 0, f"g: without boundaries: {joins[False]:,} words whose segments"),
    ):
        gold = f"{{path: gold.tsv, format: sigmorphon, mismatch: {mode}}}"
        config = tmp_path / f"{mode}.yaml"
        config.write_text(f"corpora: {{train: train.txt, gold: {{g: {gold}}}}}\nsystems: [char]\n")
        done = tokbench("check", config)
        assert done.returncode == code
        assert message in done.stderr
    assert f"gold g: {len(words)} words" in done.stdout
