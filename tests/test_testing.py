"""Each check of the conformance kit can fail, says why, and finds nothing wrong with the good."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest import SkipTest

import pytest

from tokbench.errors import UsageError
from tokbench.testing import Promise, promises
from tokbench.testing.collect import collected
from tokbench.testing.offers import CountedLines

BROKEN = Path(__file__).parent / "data" / "broken"
NAMES = ("learners", "readers", "segmenters", "lines", "splitters", "metrics", "formats")
FILES = tuple(BROKEN / f"{name}.py" for name in NAMES)

LINE_CHECKS = ("lines", "lines of hard Unicode", "lines together", "lines decode")
WORD_CHECKS = ("covers", "hard Unicode", "decodes", "deterministic", "segment_many")
LEARNER_CHECKS = ("learns", "JSON", "hard Unicode", "sizes", "deterministic", "produced")
BYTES = "bytes add up"
EVERY_CHECK = (*WORD_CHECKS, *LINE_CHECKS, BYTES, "explain")
METRIC_CHECKS = (
    "additive", "range", "deterministic", "resamples", "undefined", "in context",
)  # fmt: skip


def each(subject: str, names: tuple[str, ...], message: str) -> dict[str, str]:
    """Expect the same message of several checks."""
    return {f"{subject}: {name}": message for name in names}


# What each component breaks, with a part of the message; every other promise must be kept.
EXPECTED = {
    "format wrong-look: there and back": "expected tuples of texts as `formats` and `readers`",
    "learner undocumented: documented": "no docstring",
    "learner undescribed: documented": "no description of with-letters",
    "learner no-segmenter: learns": "got segmenter={}, expected one to use",
    "learner no-segmenter: JSON": "ValidationError",
    **each("learner wrong-type", LEARNER_CHECKS, "expected a Vocabulary"),
    "learner too-large: sizes": "given size merges:0: got 1 learned items, expected at most 0",
    "learner one-size: sizes": "the same tokens each time",
    "learner sized-after-all: sizes": "got a vocabulary of 40 tokens, expected SizeError",
    **each(
        "learner wrong-minimum",
        ("sizes", "prefix-closed"),
        "since SizeError named this minimum",
    ),
    "learner unstable: produced": "expected parts of its words; the mark of a word's end",
    "learner unstable: deterministic": "given the same words twice",
    "learner hash-order: deterministic": "in a fresh process with another PYTHONHASHSEED",
    "learner not-prefix-closed: prefix-closed": "size 25 by cutting the vocabulary of size 124",
    "learner not-order-free: order-free": "got 'ba' as token 24, expected 'low'",
    "learner utf8-only: hard Unicode": r"['a\udfffb'] and size 5: it raised UnicodeEncodeError",
    **each(
        "learner exits",
        (*LEARNER_CHECKS, "prefix-closed", "order-free"),
        "it raised SystemExit: bye",
    ),
    "learner hidden-state: JSON": "got ['l', 'o', 'w'], expected ['low'] as here",
    "learner demanding: builds": "got no letters, expected `variants`",
    "learner loads-anew: deterministic": "the same words twice: got '<pad-",
    "learner loads-anew: sizes": "to a learner whose `sized` is False: got '<pad-",
    "learner loads-sized: sizes": "given size 1: got 256 tokens, expected at most 1",
    "learner reads-unheard-of: builds": "`reads`: found 'pages', expected one of 'lines', 'noth",
    **each(
        "learner reads-once",
        LEARNER_CHECKS,
        "TypeError: 'CountedLines' object is not subscriptable",
    ),
    **each("learner without-method", LEARNER_CHECKS, "WithoutMethod does not learn from words"),
    **each("segmenter drops-text", (*WORD_CHECKS[:3], BYTES), "do not cover it"),
    "segmenter drops-text: covers": "of 'low' do not cover it: they join to 'lo'",
    **each("segmenter special-tokens", WORD_CHECKS[:3], "got ['<pad>'], expected no special token"),
    **each("segmenter raises", WORD_CHECKS[1:], "it raised UnicodeEncodeError"),
    "segmenter raises: covers": "given the word '한국어' and the vocabulary of learner padded: it",
    "segmenter raises: bytes add up": "given '한국어' and the vocabulary of learner padded: it",
    **each(
        "segmenter unpreparable",
        (*WORD_CHECKS, BYTES, "explain"),
        "learner padded to prepare: it raised KeyError: 'model'",
    ),
    "segmenter loses-on-decode: decodes": "to decode: got LOW, expected 'low'",
    "segmenter hides-unknown: decodes": "given the ids [-1] to decode: got '', expected U+FFFD",
    "segmenter moody: deterministic": "after other words: got",
    "segmenter moody: segment_many": "as from segment",
    "segmenter other-many: segment_many": "got ['low'], expected ['l', 'o', 'w'] as from segment",
    "segmenter fewer-many: segment_many": "segmentations, expected",
    "segmenter late-timeline: timeline": "the word 'new' at 2 learned items of learner frequent to "
    "timeline: got [(12, 1), (9, 2), (19, 3)], expected [(24, 3)] (id, end) as from segment",
    "segmenter unclipped-timeline: timeline": "of 'low' leave a gap between 8 and 17 learned",
    "segmenter moody-timeline: timeline": "to timeline(since=0) again: got",
    "segmenter false-whole-words: covers": "got ['l', 'o', 'w'], expected one token, as "
    "`whole_words` promises",
    "segmenter false-fixed-cuts: timeline": "the word 'low' at 0 learned items of learner frequent "
    "to timeline: got",
    **each(
        "segmenter character-offsets",
        (*LINE_CHECKS, BYTES),
        "(0, 16, 17) of 'low lower lowest' lies",
    ),
    "segmenter character-offsets: lines of hard Unicode": "(0, 0, 1) of '' lies outside it",
    **each("segmenter character-offsets", WORD_CHECKS[:3], "is neither a token nor a (token, byt"),
    **each(
        "segmenter foreign-ids", (*LINE_CHECKS, BYTES), "or has an id that its vocabulary does not"
    ),
    **each("segmenter foreign-ids", WORD_CHECKS[:3], "is neither a token nor a (token, byt"),
    **each("segmenter adds-special", LINE_CHECKS, "got ['<pad>'], expected no special token"),
    **each("segmenter adds-special", WORD_CHECKS[:3], "got ['<pad>'], expected no special token"),
    "segmenter reads-special: lines": "given the line '<pad>' and the vocabulary of learner load",
    "segmenter reads-special: covers": "given the word '<pad>' and the vocabulary of learner load",
    **each("segmenter utf8-lines", LINE_CHECKS[1:3], "it raised UnicodeEncodeError"),
    **each("segmenter utf8-lines", (*WORD_CHECKS[1:], BYTES), "it raised UnicodeEncodeError"),
    "segmenter no-lines: segment_many": "given 0 words to segment_many and the vocabulary",
    "segmenter no-lines: lines of hard Unicode": "given 0 lines and the vocabulary of learner",
    "segmenter neighbourly: segment_many": "among 54 words to segment_many: got [(None, 1), ",
    "segmenter neighbourly: lines together": "among 27 lines: got [(111, 1, 2), ",
    "segmenter swaps: lines decode": "to decode: got   new   aananas , expected '  new   bananas",
    **each("segmenter refuses", EVERY_CHECK, "got 1 refused (learner loaded: a "),
    "segmenter wrong-lengths: bytes add up": "given 'low' and the vocabulary of learner",
    "segmenter bare-spaces: bytes add up": "given 'low lower lowest' and the vocabulary of learner",
    "segmenter wrong-proofs: proofs": "given the word 'low' and the vocabulary of learner padded",
    "segmenter excuses: explain": "of 'low' do not cover it: they join to 'LOW'",
    "segmenter fewer-many: bytes add up": "segmentations for 1 words",
    "plugin splitters.py: adds": "given the run of its folder to tokbench_report_sections: got",
    "splitter overlapping: spans": "given the text 'low lower lowest': got (1, 3) after a word "
    "that ends at 2",
    "splitter backwards: spans": "got (14, 15) after a word that ends at 16",
    "splitter empty-words: spans": "got (0, 0) after a word that ends at 0",
    "splitter bytes: spans": "got (0, 39) after a word that ends at 0",
    "splitter moody: deterministic": "a second time: got",
    "splitter raises: spans": "given the text '': it raised IndexError",
    "splitter raises: deterministic": "it raised IndexError",
    "metric states-for-words: in context": "expected 4.0 as of words alone",
    "metric shares-of-corpus: in context": "each word with two states alike: got",
    "metric moody: in context": "as of words alone",
    "metric out-of-range: range": "which is not in its range 0 to 1",
    "metric infinite: range": "it scored inf, which is not in its range 0 to inf",
    "metric zero-for-nothing: undefined": "given sums of zero: got 0.0, expected NaN",
    "metric shares-of-corpus: additive": "the even words alone, the column 'tokens': got 1 in all",
    "metric one-size: curve": "given 5 sums with as many vocabulary sizes: it raised ValueError",
    "metric other-states: curve": "given the states of the whole text added up: got",
    "metric one-at-a-time: curve": "vocabulary sizes: number 0: got 0.0, expected nan as alone",
    "metric mutates: curve": "given the states of the whole text: it raised ValueError: output arr",
    "metric wrong-rows: curve": "it counted (71,) in 'tokens', not 23 rows",
    "metric one-at-a-time: resamples": "sums at once, the last of them zero: number 0",
    "metric numbered: additive": "the even words alone, the column 'tokens'",
    "metric moody: additive": "the even words alone, the column 'tokens'",
    "metric moody: curve": "given the states of the whole text added up: got",
    "metric moody: deterministic": "given the same arrays again",
    **each("metric wrong-rows", METRIC_CHECKS, "in 'tokens', not 23 rows"),
    **each("metric mutates", METRIC_CHECKS, "whole text: it raised ValueError: output array is re"),
}
# What cannot be checked here, with the whole reason.
SKIPPED = {
    "learner from-file: builds": "checked only with the files of `variants`, of which there are "
    "none (path)",
    "learner not-installed: installed": "'not-installed' needs no-such-library: pip install "
    "'broken[library]'",
}
ALL = [promise for file in FILES for _, promise in collected(None, [file], {})]
"""All promises, checked in this process, which is faster than in a child."""


IN_FRESH_PROCESS = ("JSON", "deterministic", "light import")
LEFT_OUT = re.compile(
    r"learner (?!good|loaded|from-lines).*: (JSON|deterministic)"  # not worth a process
    "|segmenter moody: bytes add up"  # kept or not, by chance
)


def parameters() -> Iterator[Any]:
    """Yield promises; those of segmenters that are kept, and that take a process, are for CI."""
    for promise in ALL:
        if str(promise) in EXPECTED:
            yield pytest.param(promise, id=str(promise))
        elif promise.subject.startswith("segmenter") or promise.name in IN_FRESH_PROCESS:
            if not LEFT_OUT.fullmatch(str(promise)):
                yield pytest.param(promise, id=str(promise), marks=pytest.mark.ci)
        else:
            yield pytest.param(promise, id=str(promise))


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@pytest.mark.parametrize("promise", [*parameters()])
def test_a_check_fails_where_a_promise_is_broken_and_only_there(promise: Promise) -> None:
    if str(promise) in SKIPPED:
        with pytest.raises(SkipTest) as skipped:
            promise.check()
        assert str(skipped.value) == SKIPPED[str(promise)]
        return
    if str(promise) not in EXPECTED:
        promise.check()
        return
    with pytest.raises(AssertionError) as broken:
        promise.check()
    assert str(broken.value).startswith(f"{promise}: ")
    assert EXPECTED[str(promise)] in str(broken.value)


def test_every_check_has_a_component_that_breaks_it() -> None:
    plugins = {"loads", "light import", "installed"}
    assert {str(promise) for promise in ALL} >= EXPECTED.keys()
    assert {p.name for p in ALL} - {p.name for p in ALL if str(p) in EXPECTED} == plugins


def test_a_plugin_that_imports_numpy_at_the_top_breaks_its_promise() -> None:
    loads, light, *others = (promise for _, promise in collected(None, [BROKEN / "heavy.py"], {}))
    loads.check()
    with pytest.raises(AssertionError, match=r"heavy\.py: light import: .* got numpy imported"):
        light.check()
    for promise in others:
        promise.check()


def test_a_class_that_a_plugin_only_names_is_imported_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "heavy_inside.py").write_text((BROKEN / "heavy.py").read_text(encoding="utf-8"))
    hook = "@hookimpl\ndef tokbench_splitters():\n    return {'whole': 'heavy_inside:Whole'}\n"
    plugin = tmp_path / "naming.py"
    plugin.write_text(f"from tokbench.api import hookimpl\n{hook}", encoding="utf-8")
    _, (_, light), *_ = collected(None, [plugin], {})
    with pytest.raises(AssertionError, match=r"naming\.py: light import: .* got numpy imported"):
        light.check()


def test_a_plugin_that_does_not_load_has_only_that_promise() -> None:
    ((_, loads),) = collected(None, [BROKEN / "misspelt.py"], {})
    with pytest.raises(AssertionError, match="unknown hook tokbench_splitter; did you mean "):
        loads.check()


def test_variants_are_checked_besides_the_defaults() -> None:
    variants = {"learner demanding": [{"letters": 3}]}
    names = [*map(str, promises(files=[BROKEN / "learners.py"], variants=variants))]
    assert "learner demanding(letters=3): sizes" in names
    assert "learner good: sizes" in names
    assert "learner demanding: builds" not in names
    with pytest.raises(UsageError, match="variants of 'learner god', which no plugin offers"):
        promises(variants={"learner god": [{}]})


def test_a_package_is_chosen_by_its_name() -> None:
    subjects = {promise.subject for promise in promises("TokBench", files=[BROKEN / "metrics.py"])}
    assert {"plugin bpe", "learner bpe", "plugin metrics.py", "metric moody"} <= subjects
    assert {promise.subject for promise in promises("tokbench")} < subjects
    with pytest.raises(UsageError, match="the package 'tokbensh' is installed; there are: tokb"):
        promises("tokbensh")


def test_variants_give_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    variants = {"learner from-file": [{"path": str(tmp_path / "a.txt")}, {"path": "none.txt"}]}
    listed = [promise for _, promise in collected(None, [BROKEN / "readers.py"], variants)]
    (wrong,) = (p for p in listed if p.subject == "learner from-file")
    with pytest.raises(AssertionError, match=r"the options .'path': 'none.txt'.: .* no such file"):
        wrong.check()
    # The SHA-256 of "a" begins with ca9781.
    of_file = [p for p in listed if p.subject == "learner from-file(path=a.txt@ca9781)"]
    assert {p.name for p in of_file} >= {"learns", "deterministic", "JSON"}
    next(p for p in of_file if p.name == "deterministic").check()


ONLY_FROM_A_FILE = """
from tokbench.api import InputError, InputFile, Learner, TextSegmenter, Vocabulary, hookimpl
class FromFile(Learner):
    "Load a file."
    path: InputFile
    @property
    def reads(self):
        return "nothing"
    def load(self):
        return Vocabulary((), segmenter={"use": "mine"})
class Mine(TextSegmenter):
    "Cut nothing but what FromFile loads."
    def prepare(self, vocabulary):
        raise InputError("not mine")
    def segment_lines(self, lines, prepared):
        return None
tokbench_learners = hookimpl(lambda: {"from-file": FromFile})
tokbench_segmenters = hookimpl(lambda: {"mine": Mine})
"""


def test_a_segmenter_without_its_files_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "plugin.py").write_text(ONLY_FROM_A_FILE)
    by_name = {
        str(promise): promise for _, promise in collected(None, [tmp_path / "plugin.py"], {})
    }
    reason = "not mine.*; no `variants` give files for learner from-file$"
    with pytest.raises(SkipTest, match=reason):
        by_name["segmenter mine: lines"].check()


def test_lines_that_learners_read_are_gone_through_again_and_again() -> None:
    lines = CountedLines({"a": 2, "b": 1, "c": 3})
    assert [[*lines], [*lines]] == [["a b c", "a c", "c"]] * 2
    assert not isinstance(lines, Sequence)
