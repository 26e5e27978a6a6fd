"""`tokbench explain`: the steps that textbooks print, and what it says where there are none."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cli.low import printed
from tests.run_cli import tokbench_here as tokbench
from tokbench.api import Vocabulary

MIXED = (
    "#version: 0.1, wi d, e s, wid est</w>, es t, l ow, est </w>, low e, o w, lowe r, n e,"
    " lower </w>, ne w, new est</w>, 1 ow, 1ow </w>, w i"
)
"""The table that the course notebook has in memory: ranks 0 to 9, some twice."""
LOW = "low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3
TOY = """
merges: [3, 4, 8]
systems:
  - {name: fenced, learner: {use: bpe, merge: list, eow: fenced, ties: first}}
  - {name: fused, learner: bpe}
  - {name: no-mark, learner: {use: bpe, eow: absent, ties: first}}
  - learner: char
  - {learner: word, merges: [1, 4]}
"""
SEMICOLONS = """
import re
from tokbench.api import Segmenter, Splitter, hookimpl
class Semi(Splitter):
    "Split at semicolons."
    def split(self, text): return [match.span() for match in re.finditer("[^; ]+", text)]
class Mine(Segmenter):
    "Cut nothing."
    def segment(self, word, prepared): return [word]
tokbench_segmenters = hookimpl(lambda: {"mine": Mine})
tokbench_splitters = hookimpl(lambda: {"semi": Semi})
"""


def explained(*arguments: str | Path) -> list[Any]:
    """Return the words that the command explains in JSON."""
    done = tokbench("explain", *arguments, "--format", "json")
    assert done.returncode == 0, done.stderr
    words: list[Any] = json.loads(done.stdout)
    return words


def taken(word: Mapping[str, Any]) -> list[str]:
    return [token["token"] for token in word["tokens"]]


def chosen(decision: Mapping[str, Any], value: str) -> list[Any]:
    return [decision["candidates"][i][value] for i in decision["chosen"]]


def run_in(folder: Path, text: str, words: str, keys: str, *options: str) -> Path:
    """Run systems on a text, whose words are found as `words` says; return the run's folder."""
    (folder / "t.txt").write_text(f"{text}\n" * 3)
    corpus = f"{{path: t.txt, words: {words}}}"
    config = f"corpora: {{train: {corpus}, test: {{t: {corpus}}}}}\nmetrics: [fertility]\n{keys}"
    (folder / "c.yaml").write_text(config)
    done = tokbench("run", "-q", "c.yaml", "-o", "out", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the textbooks' example."""
    return run_in(tmp_path_factory.mktemp("toy"), LOW, "words", TOY)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mixed")
    (folder / "codes").write_text(MIXED.replace(", ", "\n") + "\n")
    return printed(folder / "mixed.json", "import", folder / "codes", "--from", "subword-nmt")


def test_the_encodings_that_a_notebook_prints_come_out_of_its_table(mixed: Path) -> None:
    """The notebook, cells 48, 49, 51: the pairs at each step, the candidate, the word after it."""
    best, lowing, highinh = explained(mixed, "best", "lowing", "highinh")

    pairs = [[c["pair"] for c in step["candidates"]] for step in best["decisions"]]
    assert pairs == [
        [["b", "e"], ["e", "s"], ["s", "t"], ["t", "</w>"]],
        [["b", "es"], ["es", "t"], ["t", "</w>"]],
        [["b", "est"], ["est", "</w>"]],
        [["b", "est</w>"]],
    ]
    merged = [chosen(step, "pair") for step in best["decisions"]]
    assert merged == [[["e", "s"]], [["es", "t"]], [["est", "</w>"]], []]
    assert best["decisions"][-1]["reason"] == "no pair of neighbours is a merge: it ends"
    assert taken(best) == ["b", "est</w>"]

    merged = [chosen(step, "pair") for step in lowing["decisions"]]
    assert merged == [[["o", "w"]], [["l", "ow"]], []]
    assert lowing["decisions"][1]["state"] == ["l", "ow", "i", "n", "g", "</w>"]
    assert taken(lowing) == ["low", "i", "n", "g", "</w>"]

    assert [chosen(step, "pair") for step in highinh["decisions"]] == [[]]
    assert taken(highinh) == [*"highinh", "</w>"]


def test_the_learned_order_of_a_lecture(toy: Path) -> None:
    """The deep dive, section 2.3: es, est, lo, low; counts of three lines of it."""
    (word,) = explained(toy, "lowest", "--system", "fenced", "--size", "4")
    merges = [(*chosen(step, "pair"), *chosen(step, "count")) for step in word["decisions"][:-1]]
    assert merges == [(["e", "s"], 27), (["es", "t"], 27), (["l", "o"], 21), (["lo", "w"], 21)]
    assert taken(word) == ["low", "est", "</w>"]


def test_a_lattice_has_all_tokens_with_their_scores(tmp_path: Path) -> None:
    """Hugging Face course, chapter 6.7: `unhug` is un + hug, with probability 0.005442."""
    counts = {
        "h": 15, "u": 36, "g": 20, "hu": 15, "ug": 20, "p": 17, "pu": 17, "n": 16, "un": 16,
        "b": 4, "bu": 4, "s": 5, "hug": 15, "gs": 5, "ugs": 5,
    }  # fmt: skip
    scores = {token: math.log(count / 210) for token, count in counts.items()}
    vocabulary = Vocabulary(tuple(counts), segmenter={"use": "unigram"}, extra={"scores": scores})
    (tmp_path / "v.json").write_text(vocabulary.to_json())
    (word,) = explained(tmp_path / "v.json", "unhug")
    lattice, paths = word["decisions"]
    edges = {(c["from"], c["to"]): (c["token"], c["score"]) for c in lattice["candidates"]}
    assert edges.keys() == {(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (2, 5), (3, 4), (3, 5), (4, 5)}
    assert edges[2, 5] == (["hug"], pytest.approx(math.log(15 / 210)))
    assert chosen(lattice, "token") == [["un"], ["hug"]]
    best, second = paths["candidates"]
    assert best["path"] == ["un", "hug"] == taken(word)
    assert math.exp(best["sum of scores"]) == pytest.approx(0.005442, abs=1e-6)
    # By hand: un + h + ug is 16 * 15 * 20 / 210^3, u + n + hug 36 * 16 * 15 / 210^3.
    assert second["path"] == ["u", "n", "hug"]
    assert math.exp(second["sum of scores"]) == pytest.approx(36 * 16 * 15 / 210**3)


def test_pieces_are_tried_from_the_longest_on(tmp_path: Path) -> None:
    """Hugging Face course, chapter 6.6: `bugs` is b + ##u + ##gs, `bum` is unknown."""
    tokens = ("b", "h", "p", "##g", "##n", "##s", "##u", "##gs", "hu", "hugs")
    path = tmp_path / "vocab.txt"
    path.write_text("".join(f"{token}\n" for token in ("[UNK]", *tokens)))
    vocabulary = printed(tmp_path / "v.json", "import", path, "--from", "bert-vocab")
    bugs, bum = explained(vocabulary, "bugs", "bum")
    tried = [[(*c["piece"], c["known"]) for c in step["candidates"]] for step in bugs["decisions"]]
    assert tried == [
        [("bugs", False), ("bug", False), ("bu", False), ("b", True)],
        [("##ugs", False), ("##ug", False), ("##u", True)],
        [("##gs", True)],
    ]
    assert taken(bugs) == ["b", "##u", "##gs"]
    assert bum["decisions"][-1]["reason"] == "a letter is unknown: so is the whole word"
    assert taken(bum) == ["[UNK]"]


def test_systems_stand_side_by_side_where_there_is_room(toy: Path) -> None:
    command = ("explain", toy, "lowest", "--system", "fused", "--system", "fenced")
    wide = tokbench(*command, "--size", "8", COLUMNS="120").stdout
    assert re.search(
        r"^lowest \(fused@merges:8\): lo west</w> +lowest \(fenced@merges:8\): low ", wide, re.M
    )
    assert re.search(r"^merge 1  l o w e s t</w> +merge 1  l o w e s t </w>$", wide, re.M)
    narrow = tokbench(*command, "--size", "8", COLUMNS="50").stdout
    assert max(map(len, narrow.splitlines())) <= 50
    assert sorted(narrow.split()) == sorted(wide.split())


def test_of_a_run_each_system_is_shown_at_its_largest_size(toy: Path) -> None:
    systems = [word["tokenizer"] for word in explained(toy, "low")]
    sized = [f"{name}@merges:8" for name in ("fenced", "fused", "no-mark")]
    assert systems == [*sized, "char", "word@merges:4"]
    assert len(explained(toy, "low", "--size", "4")) == 5, "char has no size"


def test_words_between_spaces_are_explained_apart(toy: Path) -> None:
    (word,) = explained(toy, "low newest", "--system", "fenced", "--size", "4")
    assert [step["title"] for step in word["decisions"]][:2] == ["pieces", "low: merge 1"]
    assert taken(word) == ["low", "</w>", "n", "e", "w", "est", "</w>"]


def test_a_systems_own_splitter_cuts_first(tmp_path: Path) -> None:
    keys = "merges: [40]\nsystems: [{name: digits, learner: bpe, split: gpt2}]\n"
    run = run_in(tmp_path, "low123 low newest12 lower", "whitespace", keys)
    (word,) = explained(run, "low123")
    assert word["decisions"][0]["candidates"] == [{"text": "low"}, {"text": "123"}]
    assert taken(word) == ["low</w>", "123</w>"]
    shown = tokbench("segment", f"{run}:digits", "--words", "whitespace", stdin=b"low123 lower\n")
    assert shown.stdout == "low</w> 123</w> lower</w>\n"


@pytest.mark.parametrize(
    ("behind", "arguments", "message"),
    [
        ("", (" \u2028",), "holds no word for fenced@merges:8: give one to explain"),
        ("", ("x" * 201,), "xxxxxxxxxxxxxxxxxxxx... has 201 characters: at most 200"),
        ("", ("low", "--system", "fusedd"), "char, word; did you mean 'fused'?"),
        ("", ("low", "--system", "char", "--size", "99"), "char has no size 99; it has one only"),
        (":fused@7", ("low",), "fused has no size 7; there are: merges:3, merges:4, merges:8"),
        (":fused@8", ("low", "--size", "4"), "fused@8 names a size already: leave out --size"),
        (":fused", ("low", "--system", "char"), ":fused names a system already: leave out"),
        (":word", ("low", "--segmenter", "unigram"), "under `scores`: found nothing, expected"),
    ],
)  # fmt: skip
def test_what_cannot_be_explained_is_refused(
    toy: Path, behind: str, arguments: Sequence[str], message: str
) -> None:
    done = tokbench("explain", f"{toy}{behind}", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


@pytest.fixture(scope="module")
def treated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose training text is split at white space, and in lower case without commas."""
    words = "whitespace, normalise: [lowercase, {remove: ','}]"
    keys = "merges: [9]\nsystems: [bpe]\n"
    return run_in(tmp_path_factory.mktemp("treated"), "Low, lower don't", words, keys)


def test_of_a_run_words_are_found_as_in_its_training_text(treated: Path) -> None:
    (word,) = explained(f"{treated}:bpe", "DON'T,")
    assert word["decisions"][0]["candidates"] == [{"text": "don't"}]
    done = tokbench("segment", f"{treated}:bpe", stdin=b"DON'T,\n")
    assert done.stdout.split() == taken(word) == ["don't</w>"]
    for options in (("--words", "words"), ("--normalise", "nfc")):
        (changed_word,) = explained(f"{treated}:bpe", "DON'T,", *options)
        done = tokbench("segment", f"{treated}:bpe", *options, stdin=b"DON'T,\n")
        assert done.stdout.split() == taken(changed_word) != taken(word)


def test_bytes_and_export_find_words_as_the_run_did(treated: Path, tmp_path: Path) -> None:
    text = tmp_path / "t.txt"
    text.write_text("DON'T,\n")
    normalised = len("don't")
    run = f"{treated}:bpe"
    accounts = json.loads(tokbench("bytes", run, text, "--format", "json").stdout)
    assert [accounts[0][key] for key in ("bytes", "tokens")] == [normalised, []]
    split = tokbench("export", run, "--to", "word-splits", "--text", text)
    assert split.returncode == 0, split.stderr
    assert "\ndon't</w> 1\n" in split.stdout


@pytest.fixture(scope="module")
def semi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that finds words with the splitter of a plugin file."""
    folder = tmp_path_factory.mktemp("semi")
    (folder / "sp.py").write_text(SEMICOLONS)
    keys = "merges: [9]\nsystems: [bpe, utf8-bytes]\n"
    return run_in(folder, "low;lower don;low", "semi", keys, "-p", "sp.py").parent


@pytest.mark.parametrize(
    "command",
    ["segment {} t.txt --total", "explain {} low", "bytes {} t.txt",
     "export {} --to word-splits --text t.txt"],
)  # fmt: skip
def test_the_splitter_of_a_run_is_named_where_its_plugin_is_missing(
    semi: Path, command: str
) -> None:
    written = command.format("out:bpe").split()
    done = tokbench(*written, cwd=semi)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "error: bpe@merges:9: the splitter of its run: no plugin offers a splitter 'semi'; "
    )
    assert done.stderr.endswith(": give its plugin with -p, or another splitter with --words\n")
    for options in (("-p", "sp.py"), ("--words", "whitespace")):
        assert "splitter" not in tokbench(*written, *options, cwd=semi).stderr


def test_a_system_of_lines_needs_the_splitter_of_its_run_to_count_words_only(semi: Path) -> None:
    command = ("segment", "out:utf8-bytes", "t.txt")
    assert tokbench(*command, cwd=semi).returncode == 0
    done = tokbench(*command, "--total", "--format", "json", "-p", "sp.py", cwd=semi)
    assert json.loads(done.stdout)[0]["words"] == 12


def test_a_merge_whose_turn_is_over_is_shown_as_such(mixed: Path) -> None:
    """`wi d` has rank 0: when `wi` is there, its turn is over."""
    (word,) = explained(mixed, "wid", "--segmenter", "bpe-learned-order")
    first, last = word["decisions"]
    assert [c["turn"] for c in first["candidates"]] == ["to come", None, None]
    assert first["reason"] == "of the merges whose turn is to come, the first learned is applied"
    over = last["candidates"][0]
    assert (over["pair"], over["rank"], over["turn"]) == (["wi", "d"], 0, "over")
    assert last["reason"] == "the turn of each merge of neighbours is over: it ends"
    assert taken(word) == ["wi", "d", "</w>"]


def test_of_one_candidate_the_chosen_one_is_marked_too(toy: Path) -> None:
    shown = tokbench("explain", f"{toy}:no-mark@4", "low").stdout
    assert re.search(r"^merge 2  lo w\n   pair .*\n>  lo w ", shown, re.M)


def test_the_rule_for_equals_is_named(tmp_path: Path) -> None:
    tokens = ("a", "b", "c", "ab", "bc")
    (tmp_path / "v.json").write_text(Vocabulary(tokens, segmenter={"use": "bpe"}).to_json())
    last = "the one whose last token is longest, and so on backwards"
    first = "the one whose first token is longest, and so on"
    for ties, rule, cut in (("last", last, ["a", "bc"]), ("first", first, ["ab", "c"])):
        segmenter = f"{{use: fewest-tokens, ties: longest-{ties}}}"
        (word,) = explained(tmp_path / "v.json", "abc", "--segmenter", segmenter)
        assert taken(word) == cut
        reason = f"the lowest sum of costs is taken; of equals, {rule}"
        assert word["decisions"][1]["reason"] == reason
        assert word["decisions"][0]["reason"] == ""


def test_a_lattice_says_that_marks_count(toy: Path) -> None:
    (word,) = explained(f"{toy}:fenced", "low", "--segmenter", "fewest-tokens")
    assert max(c["to"] for c in word["decisions"][0]["candidates"]) == 4
    assert word["decisions"][0]["reason"] == "a mark of the edge of the word counts as a place"


@pytest.mark.parametrize(
    ("learner", "size", "title"),
    [("hf-byte-bpe", "270", "merge 1"), ("hf-wordpiece", "24", "token 1"),
     ("hf-unigram", "24", "lattice")],
)  # fmt: skip
def test_models_of_the_library_are_explained_step_by_step(
    tmp_path: Path, learner: str, size: str, title: str
) -> None:
    """Hugging Face's BPE, WordPiece and Unigram, as far as the document tells."""
    (tmp_path / "t.txt").write_text("low lower lowest newest widest\n" * 5)
    command = ("learn", tmp_path / "t.txt", "--learner", learner, "--size", size)
    (word,) = explained(printed(tmp_path / "v.json", *command), "lowest")
    titles = {step["title"] for step in word["decisions"]}
    assert title in titles
    assert not {"normalised", "tokens"} & titles, "there is no normalizer"
    if title == "merge 1":
        assert word["decisions"][-1]["state"] == taken(word)


def test_control_characters_and_line_ends_do_not_break_a_table() -> None:
    done = tokbench("explain", "code-points", "a\x1b\n\u202e")
    assert done.returncode == 0
    assert re.search(r"^\\n +10 +0a$", done.stdout, re.M)
    assert {"\\x1b", "\\u202e"} <= {*done.stdout.split()}
    assert not {"\x1b", "\u202e"} & {*done.stdout}


def test_a_segmenter_that_explains_nothing_is_named(semi: Path) -> None:
    options = ("--segmenter", "mine", "-p", "sp.py")
    done = tokbench("explain", "out:bpe", "low", *options, cwd=semi)
    assert done.returncode == 0, done.stderr
    assert "segmenter mine does not tell why" in done.stdout


def test_it_ends_with_a_line_for_each_word_and_short_shows_only_these(tmp_path: Path) -> None:
    run = run_in(tmp_path, "low lower", "whitespace", "merges: [1]\nsystems: [bpe, char]\n")
    full = tokbench("explain", run, "low", "we").stdout
    short = tokbench("explain", run, "low", "we", "--short").stdout
    assert full.endswith(f"\n\n{short}")
    rows = [re.split(" {2,}", line) for line in short.splitlines()]
    assert [[row[0], row[-1]] for row in rows] == [
        ["word", "number"], ["low", "2"], ["low", "3"], ["we", "2"], ["we", "2"]
    ]  # fmt: skip
    records = json.loads(tokbench("explain", run, "we", "--short", "--format", "json").stdout)
    assert [record["number"] for record in records] == [2, 2]
