"""`tokbench explain`: the steps that textbooks print, and what it says where there are none."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.run_cli import tokbench_here as tokbench
from tokbench.api import Learned, Vocabulary

MIXED = """\
#version: 0.1
wi d
e s
wid est</w>
es t
l ow
est </w>
low e
o w
lowe r
n e
lower </w>
ne w
new est</w>
1 ow
1ow </w>
w i
"""
"""The table that the course notebook has in memory: ranks 0 to 9, some twice."""


def explained(*arguments: str | Path, **environment: str) -> list[Any]:
    """Return what the command says in JSON."""
    done = tokbench("explain", *arguments, "--format", "json", **environment)
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found


def taken(word: Mapping[str, Any]) -> list[str]:
    return [token["token"] for token in word["tokens"]]


def chosen(decision: Mapping[str, Any], value: str) -> list[Any]:
    return [decision["candidates"][i][value] for i in decision["chosen"]]


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the textbooks' example."""
    out = tmp_path_factory.mktemp("toy") / "out"
    done = tokbench("run", "-q", ROOT / "configs" / "toy.yaml", "-o", out)
    assert done.returncode == 0, done.stderr
    return out


def test_the_encodings_that_a_notebook_prints_come_out_of_its_table(tmp_path: Path) -> None:
    """The notebook, cells 48, 49, 51: the pairs at each step, the candidate, the word after it."""
    (tmp_path / "codes").write_text(MIXED)
    imported = tokbench("import", tmp_path / "codes", "--from", "subword-nmt")
    (tmp_path / "mixed.json").write_text(imported.stdout)
    best, lowing, highinh = explained(tmp_path / "mixed.json", "best", "lowing", "highinh")

    pairs = [[c["pair"] for c in one["candidates"]] for one in best["decisions"]]
    assert pairs == [
        [["b", "e"], ["e", "s"], ["s", "t"], ["t", "</w>"]],
        [["b", "es"], ["es", "t"], ["t", "</w>"]],
        [["b", "est"], ["est", "</w>"]],
        [["b", "est</w>"]],
    ]
    merged = [chosen(one, "pair") for one in best["decisions"]]
    assert merged == [[["e", "s"]], [["es", "t"]], [["est", "</w>"]], []]
    assert best["decisions"][-1]["reason"] == "no pair of neighbours is a merge: it ends"
    assert taken(best) == ["b", "est</w>"]

    assert [chosen(one, "pair") for one in lowing["decisions"]] == [[["o", "w"]], [["l", "ow"]], []]
    assert lowing["decisions"][1]["state"] == ["l", "ow", "i", "n", "g", "</w>"]
    assert taken(lowing) == ["low", "i", "n", "g", "</w>"]

    assert [chosen(one, "pair") for one in highinh["decisions"]] == [[]]
    assert taken(highinh) == [*"highinh", "</w>"]


def test_the_learned_order_of_a_lecture(toy: Path) -> None:
    """The deep dive, section 2.3: es, est, lo, low; counts as in its section 2.2."""
    (word,) = explained(toy, "lowest", "--system", "fenced", "--size", "4")
    merges = [(*chosen(one, "pair"), *chosen(one, "count")) for one in word["decisions"][:-1]]
    assert merges == [(["e", "s"], 9), (["es", "t"], 9), (["l", "o"], 7), (["lo", "w"], 7)]
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
    (tmp_path / "vocab.txt").write_text("".join(f"{one}\n" for one in ("[UNK]", *tokens)))
    imported = tokbench("import", tmp_path / "vocab.txt", "--from", "bert-vocab")
    assert imported.returncode == 0, imported.stderr
    (tmp_path / "v.json").write_text(imported.stdout)
    bugs, bum = explained(tmp_path / "v.json", "bugs", "bum")
    tried = [[(*c["piece"], c["known"]) for c in one["candidates"]] for one in bugs["decisions"]]
    assert tried == [
        [("bugs", False), ("bug", False), ("bu", False), ("b", True)],
        [("##ugs", False), ("##ug", False), ("##u", True)],
        [("##gs", True)],
    ]
    assert taken(bugs) == ["b", "##u", "##gs"]
    assert bum["decisions"][-1]["reason"] == "a letter is unknown: so is the whole word"
    assert taken(bum) == ["[UNK]"]


def test_systems_stand_side_by_side_where_there_is_room(toy: Path) -> None:
    command = ("explain", toy, "lowest", "--system", "separate", "--system", "fenced")
    wide = tokbench(*command, "--size", "8", COLUMNS="120").stdout
    assert re.search(
        r"^lowest \(separate@merges:8\): low est</w> +lowest \(fenced@merges:8\): low ", wide, re.M
    )
    assert re.search(r"^merge 1  l o w e s t </w> +merge 1  l o w e s t </w>$", wide, re.M)
    narrow = tokbench(*command, "--size", "8", COLUMNS="50").stdout
    assert max(map(len, narrow.splitlines())) <= 50
    assert sorted(narrow.split()) == sorted(wide.split())


def test_markdown_escapes_what_it_would_read_as_markup(toy: Path) -> None:
    shown = tokbench("explain", toy, "lowest", "--system", "char", "--format", "md").stdout
    assert "| chosen | token | known |" in shown
    options = ("--words", "whitespace", "--system", "char", "--format", "md")
    shown = tokbench("explain", toy, "<b>*", *options).stdout
    assert r"|  | \<b | no |" not in shown
    assert r"| yes | \< | no |" in shown
    assert r"| yes | \* | no |" in shown


def test_of_a_run_each_system_is_shown_at_its_largest_size(toy: Path) -> None:
    found = explained(toy, "low")
    assert [one["tokenizer"] for one in found] == [
        "separate@merges:12", "fenced@merges:12", "underscore@merges:12", "fused@merges:12",
        "no-mark@merges:12", "char", "word@merges:4",
    ]  # fmt: skip
    assert taken(found[2]) == ["low_"]


def test_a_system_may_be_written_behind_its_run(toy: Path) -> None:
    (one,) = explained(f"{toy}:no-mark@3", "lowest")
    assert one["tokenizer"] == "no-mark@merges:3"
    assert taken(one) == ["lo", "w", "est"]


def test_words_between_spaces_are_explained_apart(toy: Path) -> None:
    (one,) = explained(toy, "low newest", "--system", "fenced", "--size", "4")
    assert [step["title"] for step in one["decisions"]][:2] == ["pieces", "low: merge 1"]
    assert taken(one) == ["low", "</w>", "n", "e", "w", "est", "</w>"]


def test_a_systems_own_splitter_cuts_first(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("low123 low newest12 lower\n" * 5)
    (tmp_path / "c.yaml").write_text(
        "corpora: {train: {path: t.txt, words: whitespace}, test: {t: {path: t.txt, words: "
        "whitespace}}}\nmerges: [40]\nmetrics: [fertility]\n"
        "systems: [{name: digits, learner: bpe, split: gpt2}]\n"
    )
    assert tokbench("run", "-q", "c.yaml", "-o", "out", cwd=tmp_path).returncode == 0
    (one,) = explained(tmp_path / "out", "low123")
    assert one["decisions"][0]["candidates"] == [{"text": "low"}, {"text": "123"}]
    assert taken(one) == ["low</w>", "123</w>"]
    shown = tokbench("segment", f"{tmp_path / 'out'}:digits", "--words", "whitespace",
                     stdin=b"low123 lower\n")  # fmt: skip
    assert shown.stdout == "low</w> 123</w> lower</w>\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("",), "a WORD is empty: give one to explain"),
        ((" \u2028",), "holds no word for separate@merges:12: give one to explain"),
        (("x" * 100_000,), "xxxxxxxxxxxxxxxxxxxx... has 100,000 characters: at most 200"),
        (("a\ufdd0b",), "a WORD holds the noncharacter U+FDD0, which stands for a mark here"),
        (("low", "--size", "7", "--system", "fused"), "system fused has no size 7; there are: "
         "merges:1, merges:2, merges:3, merges:4, merges:8, merges:12"),
        (("low", "--system", "fusd"), "no system 'fusd' has a result; there are: separate, fenced"),
    ],
)  # fmt: skip
def test_what_cannot_be_explained_is_said(
    toy: Path, arguments: Sequence[str], message: str
) -> None:
    done = tokbench("explain", toy, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ("3", "v.json: has no size 3; there are: 4 to 6"),
        ("7", "v.json: has no size 7; there are: 4 to 6"),
        ("merges:3", "v.json: has no size merges:3; there are: merges:0 to 2"),
        ("big", "--size: found 'big', expected a number of tokens, or merges:N"),
    ],
)
def test_a_size_that_is_not_there_is_said(tmp_path: Path, size: str, message: str) -> None:
    items = [Learned(("l", "o"), 2), Learned(("lo", "w"), 2)]
    vocabulary = Vocabulary.build(("l", "o", "w", "x"), items, segmenter={"use": "bpe"})
    (tmp_path / "v.json").write_text(vocabulary.to_json())
    (whole,) = explained(tmp_path / "v.json", "low", "--size", "6")
    assert taken(whole) == ["low"]
    (less,) = explained(tmp_path / "v.json", "low", "--size", "merges:1")
    assert taken(less) == ["lo", "w"]
    done = tokbench("explain", tmp_path / "v.json", "low", "--size", size)
    assert done.returncode == 2
    assert done.stderr.strip().endswith(message)


@pytest.fixture(scope="module")
def bpe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vocabulary of BPE."""
    folder = tmp_path_factory.mktemp("bpe")
    (folder / "t.txt").write_text("low lower lowest don't\n" * 3)
    done = tokbench("learn", folder / "t.txt", "--merges", "8")
    (folder / "bpe.json").write_text(done.stdout)
    return folder / "bpe.json"


WRITTEN = ("don't", "low,lower", "a\u00a0b", "LOW\u2028low", "a\x1cb", "x\x85y", "일 이")


@pytest.mark.parametrize("text", WRITTEN)
@pytest.mark.parametrize(
    "options", [(), ("--words", "whitespace"), ("--normalise", "lowercase")], ids=str
)
def test_words_are_found_as_segment_finds_them(
    bpe: Path, text: str, options: Sequence[str]
) -> None:
    (one,) = explained(bpe, text, *options)
    done = tokbench("segment", bpe, *options, "--format", "json", stdin=f"{text}\n".encode())
    assert taken(one) == [token for word in json.loads(done.stdout) for token in word]
    if options == ("--words", "whitespace"):
        covered = "".join(bytes.fromhex(token["bytes"]).decode() for token in one["tokens"])
        assert covered == "".join(text.split(" ")), "only ASCII white space is between words"


@pytest.fixture(scope="module")
def treated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose training text is split at white space, and in lower case without commas."""
    folder = tmp_path_factory.mktemp("treated")
    (folder / "t.txt").write_text("Low, lower don't\n" * 3)
    (folder / "c.yaml").write_text(
        "corpora: {train: {path: t.txt, words: whitespace, normalise: [lowercase, {remove: ','}]},"
        " test: {t: t.txt}}\nmerges: [9]\nmetrics: [fertility]\nsystems: [bpe, char, utf8-bytes]\n"
    )
    done = tokbench("run", "-q", "c.yaml", "-o", "out", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "out"


def test_of_a_run_words_are_found_as_in_its_training_text(treated: Path) -> None:
    (one,) = explained(f"{treated}:bpe", "DON'T,")
    assert one["decisions"][0]["candidates"] == [{"text": "don't"}]
    done = tokbench("segment", f"{treated}:bpe", stdin=b"DON'T,\n")
    assert done.stdout.split() == taken(one) == ["don't</w>"]
    for options in (("--words", "words"), ("--normalise", "nfc")):
        (other,) = explained(f"{treated}:bpe", "DON'T,", *options)
        done = tokbench("segment", f"{treated}:bpe", *options, stdin=b"DON'T,\n")
        assert done.stdout.split() == taken(other) != taken(one)


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
    for command in (("bytes", run, text), ("export", run, "--to", "word-splits", "--text", text)):
        other = tokbench(*command, "--words", "words", "--normalise", "nfc")
        assert other.stdout != tokbench(*command).stdout


SEMICOLONS = """\
import re
from tokbench.api import Splitter, hookimpl
class Semi(Splitter):
    "Split at semicolons."
    def split(self, text): return [found.span() for found in re.finditer("[^; ]+", text)]
@hookimpl
def tokbench_splitters(): return {"semi": Semi}
"""


@pytest.fixture(scope="module")
def semi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that finds words with the splitter of a plugin file."""
    folder = tmp_path_factory.mktemp("semi")
    (folder / "sp.py").write_text(SEMICOLONS)
    (folder / "t.txt").write_text("low;lower don;low\n" * 3)
    (folder / "c.yaml").write_text(
        "corpora: {train: {path: t.txt, words: semi}, test: {t: {path: t.txt, words: semi}}}\n"
        "merges: [9]\nmetrics: [fertility]\nsystems: [bpe, utf8-bytes]\n"
    )
    done = tokbench("run", "-q", "c.yaml", "-p", "sp.py", "-o", "out", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


OF_TEXT = (
    ("segment", "{}", "t.txt"), ("explain", "{}", "low"), ("bytes", "{}", "t.txt"),
)  # fmt: skip
OF_WORDS = (
    ("segment", "{}", "t.txt", "--total"),
    ("export", "{}", "--to", "word-splits", "--text", "t.txt"),
)


@pytest.mark.parametrize("command", OF_TEXT, ids=str)
def test_a_system_of_lines_needs_no_splitter_of_its_run(semi: Path, command: Sequence[str]) -> None:
    done = tokbench(*(part.format("out:utf8-bytes") for part in command), cwd=semi)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", [*OF_TEXT, *OF_WORDS], ids=str)
def test_the_splitter_of_a_run_is_named_where_its_plugin_is_missing(
    semi: Path, command: Sequence[str]
) -> None:
    written = [part.format("out:bpe") for part in command]
    done = tokbench(*written, cwd=semi)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "error: bpe@merges:9: the splitter of its run: no plugin offers a splitter 'semi'; "
    )
    assert done.stderr.endswith(": give its plugin with -p, or another splitter with --words\n")
    for options in (("-p", "sp.py"), ("--words", "whitespace")):
        assert "splitter" not in tokbench(*written, *options, cwd=semi).stderr


def test_total_counts_the_words_of_the_run_for_systems_of_lines_too(semi: Path) -> None:
    total = ("segment", "out:utf8-bytes", "t.txt", "--total", "--format", "json", "-p", "sp.py")
    assert json.loads(tokbench(*total, cwd=semi).stdout)[0]["words"] == 12


def test_an_empty_splitter_is_refused(treated: Path) -> None:
    for command in (("explain", f"{treated}:bpe", "low"), ("segment", f"{treated}:bpe")):
        done = tokbench(*command, "--words", "")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: no plugin offers a splitter ''; ")


def test_a_name_that_is_too_long_is_one_short_message() -> None:
    done = tokbench("explain", "a" * 300, "low")
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == f"error: {'a' * 200}: File name too long\n"


def test_words_go_with_tokenizers_of_words_only(treated: Path) -> None:
    assert len(explained(treated, "low", "--words", "words")) == 3
    done = tokbench("explain", "utf8-bytes", "low", "--words", "whitespace")
    assert done.returncode == 2
    assert "--words finds words, but segmenter byte-bpe cuts whole lines" in done.stderr


def test_a_merge_whose_turn_is_over_is_shown_as_such(tmp_path: Path) -> None:
    """`wi d` has rank 0: when `wi` is there, its turn is over."""
    (tmp_path / "codes").write_text(MIXED)
    imported = tokbench("import", tmp_path / "codes", "--from", "subword-nmt")
    (tmp_path / "mixed.json").write_text(imported.stdout)
    (word,) = explained(tmp_path / "mixed.json", "wid", "--segmenter", "bpe-learned-order")
    first, last = word["decisions"]
    assert [c["turn"] for c in first["candidates"]] == ["to come", None, None]
    assert first["reason"] == "of the merges whose turn is to come, the first learned is applied"
    over = last["candidates"][0]
    assert (over["pair"], over["rank"], over["turn"]) == (["wi", "d"], 0, "over")
    assert last["reason"] == "the turn of each merge of neighbours is over: it ends"
    assert taken(word) == ["wi", "d", "</w>"]


def test_of_one_candidate_the_chosen_one_is_marked_too(bpe: Path) -> None:
    shown = tokbench("explain", bpe, "low").stdout
    assert re.search(r"^merge 2  lo w</w>\n   pair .*\n>  lo w</w> ", shown, re.M)


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


def test_a_lattice_says_that_marks_count(bpe: Path) -> None:
    (word,) = explained(bpe, "low", "--segmenter", "fewest-tokens")
    assert max(c["to"] for c in word["decisions"][0]["candidates"]) == 4
    assert word["decisions"][0]["reason"] == "a mark of the edge of the word counts as a place"


def test_a_line_end_does_not_break_a_table() -> None:
    shown = tokbench("explain", "utf8-bytes", "a\nb").stdout
    assert re.search(r"^\\n +10 +0a$", shown, re.M)


@pytest.mark.parametrize(
    ("behind", "arguments", "message"),
    [
        (":char@99", (), "system char has no size 99; it has one only"),
        ("", ("--system", "char", "--size", "99"), "system char has no size 99; it has one only"),
        (":fused@8", ("--size", "4"), "fused@8 names a size already: leave out --size"),
        (":fused", ("--system", "char"), ":fused names a system already: leave out --system"),
        ("", ("--system", "fusedd"), "; did you mean 'fused'?"),
        (":word", ("--segmenter", "unigram"), "under `scores`: found nothing, expected those that"),
    ],
)
def test_requests_that_contradict_are_refused(
    toy: Path, behind: str, arguments: Sequence[str], message: str
) -> None:
    done = tokbench("explain", f"{toy}{behind}", "low", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(explained(toy, "low", "--size", "4")) == 7, "of all, some have no size"


def test_models_of_the_library_are_explained_step_by_step(tmp_path: Path) -> None:
    """Hugging Face's BPE, WordPiece and Unigram, as far as the document tells."""
    (tmp_path / "t.txt").write_text("low lower lowest newest widest\n" * 5)
    titles = {"hf-bpe": "merge 1", "hf-byte-bpe": "merge 1", "hf-wordpiece": "token 1",
              "hf-unigram": "lattice"}  # fmt: skip
    for learner, title in titles.items():
        path = tmp_path / f"{learner}.json"
        # The bytes of `hf-byte-bpe` are 256 tokens.
        size = "270" if learner == "hf-byte-bpe" else "24"
        path.write_text(
            tokbench("learn", tmp_path / "t.txt", "--learner", learner, "--size", size).stdout
        )
        (word,) = explained(path, "lowest")
        found = [step["title"] for step in word["decisions"]]
        assert title in found, learner
        assert not {"normalised", "tokens"} & {*found}, "there is no normalizer"
        last = [step for step in word["decisions"] if step["title"] != "lattice"][-1]
        if learner.endswith("bpe"):
            assert last["state"] == taken(word)


def test_control_characters_are_escaped(toy: Path) -> None:
    done = tokbench("explain", toy, "a\x1b[31mb\u202e", "--system", "char")
    assert done.returncode == 0
    assert {"\\x1b", "\\u202e"} <= {*done.stdout.split()}
    assert not {"\x1b", "\u202e"} & {*done.stdout}


MINE = """
from tokbench.api import {imports}hookimpl, Segmenter
class Mine(Segmenter):
    "Cut."
    def segment(self, word, prepared): return [word]
    def explain(self, word, prepared): {body}
@hookimpl
def tokbench_segmenters():
    return {{"mine": Mine}}
"""


@pytest.mark.parametrize(
    ("imports", "body", "code", "message"),
    [
        ("", "return None", 0, "segmenter mine does not tell why"),
        ("", "return 3", 1, "segmenter mine: explain gave 3, expected an Explanation or None"),
        ("", "raise SystemExit(0)", 1, "segmenter mine: SystemExit: 0 (mine.py:6)"),
        ("Explanation, ", "return Explanation([], ['lo'])", 1,
         "segmenter mine: the tokens ['lo'] of 'low' do not cover it: they join to 'lo'"),
    ],
)  # fmt: skip
def test_a_plugins_explanation_is_checked(
    toy: Path, tmp_path: Path, imports: str, body: str, code: int, message: str
) -> None:
    plugin = tmp_path / "mine.py"
    plugin.write_text(MINE.format(imports=imports, body=body))
    command = ("explain", f"{toy}:word", "low", "--segmenter", "mine", "-p", plugin)
    done = tokbench(*command)
    assert done.returncode == code, done.stderr
    assert message in done.stdout + done.stderr
