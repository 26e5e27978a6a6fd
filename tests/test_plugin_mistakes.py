"""Each mistake that plugin authors make has one message, which names the mend.

What a config or a command says of a plugin is in `messages`.
"""

import re
from itertools import chain
from pathlib import Path
from unittest import SkipTest

import pytest
from click.testing import CliRunner

from tests.cli.low import describe_package
from tokbench.testing import Promise
from tokbench.testing.__main__ import command
from tokbench.testing.collect import collected
from tokbench.testing.promise import Failure, PromiseError, by_cause, explained

IMPORTS = """
from ast import literal_eval
from pydantic import Field
from tokbench.api import *
from tokbench.api.text import encodable
"""
LEARNER = '''
class Letters(Learner):
    """Know the letters, then the words."""
    def learn(self, words, size):
        items = [Learned((word,), count) for word, count in words.items()]
        letters = sorted({*"".join(words)})
        return Vocabulary.build(letters, items, segmenter={"use": "mine"}).cut(size)
tokbench_learners = hookimpl(lambda: {"mine": Letters})
'''
SEGMENTER = '''
class Cutter(Segmenter):
    """Cut into words, or letters."""
    def segment(self, word, prepared):
        return [word] if word in prepared.ids else list(word)
tokbench_segmenters = hookimpl(lambda: {"mine": Cutter})
'''
METRIC = '''
class Long(Metric):
    """The share of words with several tokens."""
    formula, range = "long / words", (0, 1)
    def count(self, segmentation):
        return {"long": segmentation.tokens > 1, "words": segmentation.chars > 0}
    def score(self, sums, size):
        return sums["long"] / sums["words"]
tokbench_metrics = hookimpl(lambda: {"mine": Long})
'''
VIEW = '''
class Systems(View):
    """Name the systems."""
    def text(self, run, form):
        return ", ".join(run.learned)
tokbench_views = hookimpl(lambda: {"mine": Systems})
'''
FORMAT = '''
class Lines(VocabularyFormat):
    """One token a line."""
    def write(self, vocabulary, inputs):
        return Exported({"tokens.txt": "\\n".join(map(repr, vocabulary.tokens))})
    def read(self, sources):
        lines = sources[0].data.decode().splitlines()
        return Imported(Vocabulary(tuple(map(literal_eval, lines))))
tokbench_formats = hookimpl(lambda: {"mine": Lines})
'''
BODY = "        return [word] if"
START = "        items ="

MISTAKES = {
    "more tokens than asked": (
        LEARNER.replace(".cut(size)", "") + SEGMENTER,
        "learner mine: sizes",
        "got 40 tokens, expected at most 1: return vocabulary.cut(size)",
    ),
    "tokens that cover less": (
        LEARNER + SEGMENTER.replace("list(word)", "list(word)[:-1]"),
        "segmenter mine: covers",
        "hint: return tokens for the whole word, also for its unknown parts",
    ),
    "a text in place of tokens": (
        LEARNER + SEGMENTER.replace("list(word)", "word"),
        "segmenter mine: covers",
        "it gave 'lowest' for 'lowest', expected a list of tokens",
    ),
    "nothing in place of tokens": (
        LEARNER + SEGMENTER.replace("list(word)", "None"),
        "segmenter mine: covers",
        "it gave None for 'lowest', expected a list of tokens",
    ),
    "wrong arguments": (
        LEARNER + SEGMENTER.replace("word, prepared)", "word)"),
        "plugin mine.py: loads",
        "the segmenter 'mine' defines segment(self, word), expected segment(self, word, prepared)"
        " (mine.py:16) (mine.py:18)",
    ),
    "a name that ships": (
        (LEARNER + SEGMENTER).replace('"mine"', '"bpe"'),
        "learner bpe: builds",
        "the learner 'bpe' is offered by bpe (tokbench) and mine.py",
    ),
    "a name in capitals": (
        METRIC.replace('"mine"', '"My_Metric"'),
        "metric My_Metric: documented",
        "got 'My_Metric', expected small letters, digits and single hyphens, such as `my-name`",
    ),
    "words that are emptied": (
        LEARNER.replace(START, f"        words.clear()\n{START}") + SEGMENTER,
        "learner mine: learns",
        "it raised AttributeError: 'CountedWords' object has no attribute 'clear' (mine.py:9)",
    ),
    "a library without surrogates": (
        LEARNER + SEGMENTER.replace(BODY, f"        word.encode()\n{BODY}"),
        "segmenter mine: hard Unicode",
        "(mine.py:17)\n  4 more inputs alike: the word 'a\\udfffb' and the vocabulary of learner "
        "mine; 54 words to segment_many and the vocabulary of learner mine; '\\ud800' and the "
        "vocabulary of learner mine; ...\n  hint: `encodable` of tokbench.api.text replaces lone ",
    ),
    "encodable without pairs": (
        LEARNER + SEGMENTER.replace(BODY, f"        word = encodable(word)\n{BODY}"),
        "segmenter mine: hard Unicode",
        "a token that stands for other text is returned as a pair (token, bytes)",
    ),
    "a broken learner": (
        LEARNER.replace(START, f"        1 / 0\n{START}") + SEGMENTER,
        "learner mine: learns",
        "it raised ZeroDivisionError: division by zero (mine.py:9)",
    ),
    "state on self": (
        LEARNER + SEGMENTER.replace(BODY, f"        self.cache = {{}}\n{BODY}"),
        "segmenter mine: covers",
        "'cache' cannot be set: a component is frozen and holds only its options; a segmenter "
        "builds what it needs in `prepare`, whose result `segment` is given (mine.py:17)",
    ),
    "state in an option": (
        LEARNER
        + SEGMENTER.replace(BODY, f"        self.seen[word] = 1\n{BODY}").replace(
            '."""', '."""\n    seen: dict = Field({}, description="Words.")'
        ),
        "segmenter mine: covers",
        "expected the options as before: what is built while working is no option; a segmenter",
    ),
    "a mark as plain text": (
        LEARNER.replace("(word,)", '(word + "</w>",)') + SEGMENTER,
        "learner mine: produced",
        "the mark of a word's end is `EOW` of tokbench.api.text",
    ),
    "an order of its own": (
        VIEW.replace("run.learned", "map(str, map(id, run.rows))"),
        "view mine: shows",
        "as of the run in memory: sort what has no order",
    ),
    "a text that differs far in": (
        "CALLS = iter(range(99))"
        + VIEW.replace("run.learned", '["word"] * 99 + [str(next(CALLS))]'),
        "view mine: shows",
        "folder as md: got , word, word, word, 1, expected , word, word, word, 0 as of the run in ",
    ),
    "a format without marks": (
        FORMAT,
        "format mine: there and back",
        "keep `vocabulary.tokens`, which `show` changes, and `vocabulary.marks` in the file",
    ),
    "a format of shown tokens": (
        FORMAT.replace("map(repr, ", "repr(vocabulary.show(token)) for token in ("),
        "format mine: there and back",
        "got none in place of end, expected each learned token and its marks: keep `vocabulary.to",
    ),
}


def made(folder: Path, plugin: str, quick: bool = True) -> dict[str, Promise]:
    """Write a plugin file; return its promises by name, to be checked in this process."""
    file = folder / "mine.py"
    file.write_text((IMPORTS + plugin).lstrip(), encoding="utf-8")
    return {str(promise): promise for _, promise in collected(None, [file], {}, quick)}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_once_with_its_mend(tmp_path: Path, mistake: str) -> None:
    plugin, name, message = MISTAKES[mistake]
    failures: dict[str, list[Failure]] = {}
    for promise in made(tmp_path, plugin).values():
        try:
            promise.check()
        except SkipTest:
            continue
        except PromiseError as broken:
            failures[str(promise)] = [*broken.failures]
    (alike,) = by_cause([*chain.from_iterable(failures.values())])
    assert message in explained(alike)
    assert name in failures


def test_who_makes_no_mistake_is_told_nothing(tmp_path: Path) -> None:
    for promise in made(tmp_path, LEARNER + SEGMENTER + METRIC + VIEW).values():
        promise.check()


def test_a_segmenter_is_not_blamed_for_its_learner(tmp_path: Path) -> None:
    by_name = made(tmp_path, MISTAKES["a broken learner"][0])
    with pytest.raises(SkipTest, match="no vocabulary to cut with: learner mine is broken"):
        by_name["segmenter mine: covers"].check()
    by_name = made(tmp_path, MISTAKES["a library without surrogates"][0], quick=False)
    with pytest.raises(SkipTest, match="its segmenter fails: it raised UnicodeEncodeError"):
        by_name["learner mine: JSON"].check()


ENDED = {
    "a crash": (
        LEARNER.replace(START, f"        __import__('os').abort()\n{START}") + SEGMENTER,
        [],
        r"given the words .* and size 60: the process was ended by SIGABRT \(mine.py:9\)",
    ),
    "quadratic time": (
        LEARNER
        + SEGMENTER.replace(BODY, f"        [word[:i] * i for i in range(len(word))]\n{BODY}"),
        [],
        r"given the word 'abab.*: the check took longer than its 2 s \(mine.py:17\), this input",
    ),
    "slow words": (
        LEARNER + SEGMENTER.replace(BODY, f"        __import__('time').sleep(0.4)\n{BODY}"),
        ["--seconds", "1"],
        r"the check took longer than its 1 s \(mine.py:17\), this input alone ",
    ),
}
"""Mistakes that end a process: more options of the command, and a pattern of the message."""


@pytest.mark.ci
@pytest.mark.parametrize("mistake", ENDED)
def test_a_process_that_dies_or_is_slow_is_told_once_with_its_line(
    tmp_path: Path, mistake: str
) -> None:
    plugin, options, message = ENDED[mistake]
    file = tmp_path / "mine.py"
    file.write_text((IMPORTS + plugin).lstrip(), encoding="utf-8")
    done = CliRunner().invoke(command, [str(file), "--quick", *options])
    assert done.exit_code == 1
    assert re.search(message, done.stdout)
    assert done.stdout.endswith("for 1 reason\n"), done.stdout


def test_a_wrong_group_of_entry_points_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    describe_package(tmp_path, "tokbench-mine", "[tokbench.plugins]\nmine = mine\n")
    monkeypatch.syspath_prepend(tmp_path)
    ((_, loads),) = collected("tokbench-mine", [], {})
    with pytest.raises(
        AssertionError, match=r"are in the group `tokbench.plugins`: write `tokbench`"
    ):
        loads.check()


def test_a_package_that_is_not_there_is_wrong_usage() -> None:
    done = CliRunner().invoke(command, ["tokbench-nothing"])
    assert done.exit_code == 2
    assert done.stderr.startswith("error: no plugin of the package 'tokbench-nothing' is installed")
