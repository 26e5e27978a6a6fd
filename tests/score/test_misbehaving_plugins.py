"""Plugins that return what their interface does not allow cost only themselves."""

from pathlib import Path

import pytest

from tests.tiny import tiny_run

METRIC = '''
import numpy as np
from tokbench.api import AdditiveMetric, WholeMetric, hookimpl

class Odd(AdditiveMetric):
    """Words."""

    formula = "words"
    range = (0, 1)

    def count(self, segmentation):
        return {{"words": np.ones(len(segmentation))}}

    def score(self, sums, vocabulary_size):
        {score}

class Whole(WholeMetric):
    """Words."""

    formula = "words"
    range = (0, 1)

    def measure(self, segmentation):
        {measure}

@hookimpl
def tokbench_metrics():
    return {{"odd": Odd, "whole": Whole}}
'''
METHODS = {"odd": "score", "whole": "measure"}
"""The method of each metric that a test writes."""
LEARNER = '''
from tokbench.api import Learner, Vocabulary, hookimpl

class Odd(Learner):
    """Letters."""

    def learn(self, words, size):
        {learn}

@hookimpl
def tokbench_learners():
    return {{"odd": Odd}}
'''
LINES = "ab abd c\nabc ab\n" * 20
"""Enough lines for resamples, also those with the unseen word `abd` alone."""


def failure(
    folder: Path, score: str = "return 0.5 + 0 * sums['words']", measure: str = "return 0.5"
):
    """Run one metric beside another, which has all its values, and return the failures."""
    run = tiny_run(
        folder,
        METRIC.format(score=score, measure=measure),
        texts={"test": LINES},
        metrics="[odd, whole, fertility]",
    )
    assert {row.metric for row in run.rows if row.value is not None} >= {"fertility"}
    return run


@pytest.mark.parametrize(
    "body",
    [
        "return np.where(sums['unseen'] == sums['words'], 2, 0.5)",
        "assert not np.any(sums['unseen'] == sums['words']); return 0.5 + 0 * sums['words']",
    ],
)
def test_a_metric_that_fails_on_some_subsets_has_values_on_the_others(
    tmp_path: Path, body: str
) -> None:
    unseen = "segmentation.words.unseen[segmentation.word] * 1.0"
    words = '"words": np.ones(len(segmentation))'
    counting = METRIC.replace(words, f'{words}, "unseen": {unseen}')
    run = tiny_run(
        tmp_path, counting.format(score=body, measure="return 0.5"), texts={"test": LINES},
        metrics="[odd, fertility]", systems="[char]",
    )  # fmt: skip
    values = {row.subset: (row.value, row.low) for row in run.rows if row.metric == "odd"}
    assert values["all"] == values["band:2-5"] == (0.5, 0.5)
    assert not {"unseen", "band:0"} & {*values}
    assert len(run.failures) == 1


@pytest.mark.parametrize(
    ("metric", "body", "message"),
    [
        ("odd", "return 0.5", "it scored 101 sums as 0.5, not as 101 numbers"),
        ("odd", "return None", "it scored None, not a number"),
        ("odd", "return True", "it scored True, not a number"),
        ("odd", "return 0.5j + 0 * sums['words']", "not a number"),
        ("odd", "return np.zeros((2, 3))", "not as 101 numbers"),
        ("odd", "return [[1], [2, 3]]", "it scored [[1], [2, 3]], not a number"),
        ("odd", "return 2 + 0 * sums['words']", "it scored 2, which is not in its range 0 to 1"),
        (
            "odd",
            "return np.inf * sums['words']",
            "it scored inf, which is not in its range 0 to 1",
        ),
        ("odd", "sums['words'][...] = 0; return sums['words']", "read-only"),
        ("whole", "return None", "it scored None, not a number"),
        ("whole", "return True", "it scored True, not a number"),
        ("whole", "return 1j", "it scored 1j, not a number"),
        ("whole", "return [0.5, 0.5]", "it scored [0.5, 0.5], not one number"),
        ("whole", "return -1", "it scored -1, which is not in its range 0 to 1"),
        ("whole", "return float('inf')", "it scored inf, which is not in its range 0 to 1"),
        ("whole", "segmentation.count[:] = 0; return 0", "read-only"),
        ("whole", "segmentation.words.order[:] = 0; return 0", "read-only"),
        ("whole", "segmentation.ids[:] = 0; return 0", "read-only"),
        ("whole", "segmentation.histogram.items[:] = 0; return 0", "read-only"),
    ],
)
def test_what_is_no_number_of_its_range_costs_only_its_metric(
    tmp_path: Path, metric: str, body: str, message: str
) -> None:
    run = failure(tmp_path, **{METHODS[metric]: body})
    assert any(message in line and line.startswith(f"metric {metric}: ") for line in run.failures)
    values = {name: {row.value for row in run.rows if row.metric == name} for name in METHODS}
    assert values.pop(metric) <= {None}
    assert [*values.values()] == [{0.5}]


def test_a_value_that_is_undefined_is_no_failure(tmp_path: Path) -> None:
    run = failure(tmp_path, score="return np.nan * sums['words']", measure="return float('nan')")
    assert run.failures == ()


@pytest.mark.parametrize("keys", [{"sizes": "[2, 3]"}, {"sizes": None, "merges": "[0, 1]"}])
def test_a_learner_that_returns_more_than_the_size_fails_at_that_size(
    tmp_path: Path, keys: dict[str, str | None]
) -> None:
    learn = (
        "from tokbench.api import Learned; "
        "return Vocabulary.build('ab', [Learned(('a', 'b'))], segmenter={'use': 'bpe'})"
    )
    run = tiny_run(tmp_path, LEARNER.format(learn=learn), systems="[odd]", **keys)
    first, last = ("2", "3") if keys["sizes"] else ("merges:0", "merges:1")
    what = "3 tokens, more than the 2" if keys["sizes"] else "1 learned items, more than the 0"
    hint = "asked for: return `vocabulary.cut(size)`"
    assert run.failures == (f"system odd at size {first}: learn gave {what} {hint}",)
    assert {row.size for row in run.rows if row.value is not None} == {last}


@pytest.mark.parametrize("part", ["extra={'a': object()}", "extra={'a': {1, 2}}"])
def test_a_vocabulary_that_is_no_json_fails_at_learning(tmp_path: Path, part: str) -> None:
    learn = f"return Vocabulary(('a',), segmenter={{'use': 'char'}}, {part})"
    run = tiny_run(tmp_path, LEARNER.format(learn=learn), systems="[odd, char]", sizes="[4]")
    (failed,) = run.failures
    assert failed.startswith("system odd at size 4: the vocabulary's `extra` is no JSON: ")
    assert {row.system for row in run.rows if row.value is not None} == {"char"}


@pytest.mark.parametrize("score", ["np.inf", "2"])
def test_a_curve_outside_its_range_costs_only_its_metric(tmp_path: Path, score: str) -> None:
    run = tiny_run(
        tmp_path,
        METRIC.format(score=f"return {score} + 0 * sums['words']", measure="return 0.5"),
        texts={"test": LINES},
        systems="[bpe]",
        sizes="{from: 4, to: 8, list: [8], curve: true}",
        metrics="[odd, fertility]",
    )
    assert run.curves is not None
    assert {curve.metric for curve in run.curves} == {"fertility"}
    assert all("which is not in its range 0 to 1" in failure for failure in run.failures)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ("learned=(Learned(('a', 'b'), np.int64(5)),)", "counts of learned items hold int64, not"),
        ("declared=np.int64(5)", "ids hold int64, not NoneType or int"),
        ("unknown=np.int64(0)", "ids hold int64, not NoneType or int"),
        ("special=(np.int64(0),)", "ids hold int64, not NoneType or int"),
        ("alphabet=(5,)", "alphabet hold int, not str"),
        ("extra={'a': float('nan')}", "`extra` is no JSON: "),
        ("segmenter={'use': 'char', 'a': {1}}", "`segmenter` is no JSON: "),
    ],
)
def test_a_vocabulary_that_no_file_can_hold_fails_at_learning(
    tmp_path: Path, fields: str, message: str
) -> None:
    given = fields if "segmenter" in fields else f"segmenter={{'use': 'char'}}, {fields}"
    learn = (
        "import numpy as np; from tokbench.api import Learned; "
        f"return Vocabulary(('a', 'b'), {given})"
    )
    run = tiny_run(tmp_path, LEARNER.format(learn=learn), systems="[odd, char]", sizes="[4]")
    (failed,) = run.failures
    assert failed.startswith("system odd at size 4: ")
    assert message in failed
    assert {row.system for row in run.rows if row.value is not None} == {"char"}


@pytest.mark.parametrize(
    ("count", "message"),
    [
        ("np.ones(len(segmentation)) * 1j", "it counted complex128 in 'words', not numbers"),
        ("np.array([None] * len(segmentation))", "it counted object in 'words', not numbers"),
    ],
)
def test_columns_are_numbers(tmp_path: Path, count: str, message: str) -> None:
    plugin = METRIC.format(score="return sums['words']", measure="return 0.5")
    plugin = plugin.replace("np.ones(len(segmentation))", count)
    run = tiny_run(tmp_path, plugin, metrics="[odd, fertility]")
    assert all(message in failure for failure in run.failures)
    assert {row.metric for row in run.rows if row.value is not None} == {"fertility"}


SEGMENTER = '''
from tokbench.api import Segmenter, hookimpl

class Odd(Segmenter):
    """Letters."""

    {fixed}

    def segment(self, word, prepared):
        {segment}

    def decode(self, ids, vocabulary):
        {decode}

@hookimpl
def tokbench_segmenters():
    return {{"odd": Odd}}
'''


@pytest.mark.parametrize(
    ("fixed", "segment", "decode", "message"),
    [
        ("", "return [*word]", "return None", "decode gave None, not a str"),
        ("", "return None", "return ''", "it gave None for 'ab', not its tokens"),
        (
            "fixed_cuts = property(lambda self: True)",
            "return None",
            "return ''",
            "it gave None for 'ab', not its tokens",
        ),
        ("", "return [(word, 2.0)]", "return ''", "is neither a token nor a (token, bytes) pair"),
        ("", "return [(True, len(word))]", "return ''", "is neither a token nor a (token, bytes)"),
    ],
)
def test_a_segmenter_that_gives_no_tokens_costs_only_its_system(
    tmp_path: Path, fixed: str, segment: str, decode: str, message: str
) -> None:
    plugin = SEGMENTER.format(fixed=fixed, segment=segment, decode=decode)
    systems = "[{name: odd, learner: word, segmenter: odd}, char]"
    run = tiny_run(tmp_path, plugin, systems=systems)
    assert run.failures
    assert all(message in failure for failure in run.failures)
    assert {row.system for row in run.rows if row.value is not None} == {"char"}
