"""The systems: names, parts, sizes, baseline, and the number of resamples they call for."""

import pytest

from tokbench.api import Size
from tokbench.config import Span

CORPORA = "corpora: {train: train.txt, test: test.txt}\n"
SIZES = CORPORA + "sizes: [100]\n"


def test_a_system_is_named_after_its_learner_and_segmenter(load):
    systems = "systems: [bpe, {learner: bpe, segmenter: longest-match}, {name: ä, learner: bpe}]\n"
    experiment = load(SIZES + systems)
    assert [system.name for system in experiment.systems] == ["bpe", "bpe+longest-match", "ä"]


def test_a_system_holds_its_components_under_their_names(load):
    learner, segmenter = "{use: bpe, merge: list}", "{use: duplicated, copies: 3}"
    parts = f"learner: {learner}, segmenter: {segmenter}, split: whitespace, context: isolated"
    (system,) = load(f"{SIZES}systems: [{{{parts}}}]\n").systems
    names = (system.learner_name, system.segmenter_name, system.splitter_name, system.context)
    assert names == ("bpe", "duplicated", "whitespace", "isolated")
    assert system.learner.describe("bpe") == "bpe(merge=list)"
    assert system.segmenter.copies == 3


def test_a_system_has_its_own_sizes_or_those_of_the_config(load):
    systems = "systems: [bpe, {name: own, learner: bpe, sizes: [5]}, {name: m, learner: bpe, "
    shared, own, merges = load(CORPORA + "sizes: [9, 3]\n" + systems + "merges: [0]}]\n").systems
    assert shared.sizes == (Size(total=9), Size(total=3))
    assert own.sizes == (Size(total=5),)
    assert merges.sizes == (Size(learned=0),)


@pytest.mark.parametrize(
    ("key", "kind", "written", "listed", "ends", "curve"),
    [
        ("sizes", "total", "{from: 100, to: 900}", (100, 200, 400, 800, 900), (100, 900), False),
        ("merges", "learned", "{from: 0, to: 5, curve: true}", (0, 1, 2, 4, 5), (0, 5), True),
        ("sizes", "total", "{list: [30, 10], curve: true}", (30, 10), (10, 30), True),
        ("merges", "learned", "{from: 5, list: [30, 10]}", (30, 10), (5, 30), False),
    ],
)
def test_sizes_can_be_a_range(load, key, kind, written, listed, ends, curve):
    own = f"{{name: own, learner: bpe, {key}: {written}}}"
    shared = load(CORPORA + f"{key}: {written}\nsystems: [bpe, {own}]\n")
    for system, plain in zip(shared.systems, shared.resolved["systems"], strict=True):
        assert system.sizes == tuple(Size(**{kind: number}) for number in listed)
        first, last = ends
        assert system.span == Span(Size(**{kind: first}), Size(**{kind: last}), curve)
        assert plain[key] == {"from": first, "to": last, "list": [*listed], "curve": curve}


def test_a_learner_without_sizes_has_no_range(load):
    experiment = load(f"{CORPORA}sizes: {{from: 1, to: 9, curve: true}}\nsystems: [char, bpe]\n")
    char, bpe = experiment.systems
    assert (char.sizes, char.span) == ((), None)
    assert bpe.span is not None
    assert experiment.warnings == ()


def test_the_baseline_is_the_first_system_the_named_one_or_none(load):
    systems = "systems: [bpe, char]\n"
    assert load(SIZES + systems).baseline == "bpe"
    assert load(SIZES + systems + "baseline: char\n").baseline == "char"
    assert load(SIZES + systems + "baseline: null\n").baseline is None


def warnings(load, resamples, sized, unsized=0):
    systems = [f"{{name: b{i}, learner: bpe}}" for i in range(sized)]
    systems += [f"{{name: c{i}, learner: char}}" for i in range(unsized)]
    return load(f"{SIZES}resamples: {resamples}\nsystems: [{', '.join(systems)}]\n").warnings


def test_too_few_resamples_for_holm_are_warned_of_with_the_number_needed(load):
    # 2 * 3 / (119 + 1) is 0.05, which is not below it; 2 * 3 / 121 is.
    assert warnings(load, 120, sized=4) == ()
    (few,) = warnings(load, 119, sized=4)
    assert few.endswith("write `resamples: 120` or more")
    # Systems without a size are compared with those at each size.
    assert warnings(load, 1000, sized=26, unsized=25) == ()
    assert "1040" in warnings(load, 1000, sized=1, unsized=26)[0]


def test_only_systems_with_a_size_of_the_baseline_are_compared_with_it(load):
    others = "".join(f"- {{name: b{i}, learner: bpe, sizes: [7]}}\n" for i in range(3))
    text = f"{SIZES}resamples: 50\nsystems:\n- bpe\n{others}"
    assert len(load(text).warnings) == 3
    (few,) = load(text.replace("- bpe", "- char")).warnings
    assert few.startswith("resamples: 50 cannot show")
    assert "with 3 differences at one size" in few
    assert load(text + "baseline: null\n").warnings == ()
