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
    line = "{learner: {use: bpe, merge: list}, segmenter: longest-match, split: whitespace}"
    (system,) = load(f"{SIZES}systems: [{line}]\n").systems
    names = (system.learner_name, system.segmenter_name, system.splitter_name)
    assert names == ("bpe", "longest-match", "whitespace")
    assert system.learner.describe("bpe") == "bpe(merge=list)"
    assert system.segmenter.segment("ab", None) == ["ab"]


def test_a_system_without_a_segmenter_leaves_it_to_the_vocabulary(load):
    (system,) = load(SIZES + "systems: [bpe]\n").systems
    assert (system.segmenter, system.segmenter_name, system.splitter) == (None, None, None)


def test_a_system_has_its_own_sizes_or_those_of_the_config(load):
    systems = "systems: [bpe, {name: own, learner: bpe, sizes: [5]}, {name: m, learner: bpe, "
    shared, own, merges = load(CORPORA + "sizes: [9, 3]\n" + systems + "merges: [0]}]\n").systems
    assert shared.sizes == (Size(total=9), Size(total=3))
    assert own.sizes == (Size(total=5),)
    assert merges.sizes == (Size(learned=0),)


@pytest.mark.parametrize(
    ("written", "listed", "ends", "curve"),
    [
        ("{from: 100, to: 900}", (100, 200, 400, 800, 900), (100, 900), False),
        ("{from: 100, to: 800, curve: true}", (100, 200, 400, 800), (100, 800), True),
        ("{from: 7, to: 7}", (7,), (7, 7), False),
        ("{list: [30, 10, 20]}", (30, 10, 20), (10, 30), False),
        ("{list: [30, 10], curve: true}", (30, 10), (10, 30), True),
        ("{from: 5, list: [30, 10]}", (30, 10), (5, 30), False),
        ("{list: [30], to: 99, curve: false}", (30,), (30, 99), False),
        ("{from: 5, to: 99, list: [5, 99]}", (5, 99), (5, 99), False),
    ],
)
@pytest.mark.parametrize(("key", "kind"), [("sizes", "total"), ("merges", "learned")])
def test_sizes_can_be_a_range(load, key, kind, written, listed, ends, curve):
    own = f"{{name: own, learner: bpe, {key}: {written}}}"
    shared = load(CORPORA + f"{key}: {written}\nsystems: [bpe, {own}]\n")
    for system, plain in zip(shared.systems, shared.resolved["systems"], strict=True):
        assert system.sizes == tuple(Size(**{kind: number}) for number in listed)
        assert system.span == Span(Size(**{kind: ends[0]}), Size(**{kind: ends[1]}), curve)
        first, last = ends
        right = {"from": first, "to": last, "list": [*listed], "curve": curve}
        assert plain[key] == right


def test_merges_may_begin_with_none(load):
    (system,) = load(CORPORA + "merges: {from: 0, to: 5}\nsystems: [bpe]\n").systems
    assert [size.learned for size in system.sizes] == [0, 1, 2, 4, 5]


def test_a_plain_list_has_no_range(load):
    experiment = load(SIZES + "systems: [bpe]\n")
    assert experiment.systems[0].span is None
    assert experiment.resolved["systems"][0]["sizes"] == [100]


def test_a_learner_without_sizes_has_no_range(load):
    (system,) = load(CORPORA + "sizes: {from: 1, to: 9, curve: true}\nsystems: [char]\n").systems
    assert (system.sizes, system.span) == ((), None)


def test_curves_that_no_system_can_have_are_warned_of(load):
    sizes = CORPORA + "sizes: {from: 1, to: 9, curve: true}\n"
    message = "`curve: true` draws nothing: no system takes these sizes"
    assert load(sizes + "systems: [char]\n").warnings == (message,)
    own = "systems: [char, {learner: bpe, sizes: [5]}]\n"
    assert load(sizes + own).warnings == (message,)
    assert load(sizes + "systems: [char, bpe]\n").warnings == ()
    assert load(sizes.replace("true", "false") + "systems: [char]\n").warnings == ()


def test_a_learner_without_sizes_ignores_them_and_its_own_with_a_warning(load):
    systems = "systems: [char, {name: own, learner: char, sizes: [5]}]\n"
    experiment = load(SIZES + systems)
    assert [system.sizes for system in experiment.systems] == [(), ()]
    assert experiment.warnings == ("system own: char takes no size and ignores them",)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            "systems: []",
            "2:10: systems: found an empty list, expected a list of systems such as [bpe, char]",
        ),
        (
            "systems: bpe",
            "2:10: systems: found 'bpe', expected a list of systems such as [bpe, char]",
        ),
        (
            "systems: [5]",
            "2:11: systems[0]: found 5, expected a mapping (`key: value`)",
        ),
        (
            "systems: [bpe]",
            "2:11: systems[0]: has no sizes: write `sizes` (or `merges`) here or for all systems",
        ),
        (
            "systems: [{lerner: bpe}]",
            "2:12: systems[0].lerner: unknown key `lerner`; did you mean `learner`?",
        ),
        ("systems: [{name: b}]", "2:11: systems[0]: the key `learner` is missing"),
        (
            "systems: [{use: char}]",
            "2:12: systems[0].use: unknown key `use`; there are: `context`, `learner`, `merges`, "
            "`name`, `segmenter`, `sizes`, `split`, `training-samples`\n"
            "config.yaml:2:11: systems[0]: the key `learner` is missing",
        ),
        (
            "systems: [char, char]",
            "2:17: systems[1]: the system on line 2 is called 'char' too: "
            "give one of them a `name`",
        ),
        (
            "systems: [char, {name: CHAR, learner: char}]",
            "2:24: systems[1].name: the system on line 2 is called 'CHAR' too: "
            "give one of them a `name`",
        ),
        (
            "systems: [{name: a/b, learner: char}]",
            "2:18: systems[0].name: found 'a/b', expected a name that begins with a letter, digit "
            "or _, of at most 100 letters, digits, spaces and any of . , + = ( ) - _",
        ),
        ("systems: [{name: 5, learner: char}]", "2:18: systems[0].name: found 5, expected text"),
        (
            "systems: [{learner: odd/name, sizes: [5]}]",
            "2:11: systems[0]: 'odd/name' can't be part of file names: give the system a `name`",
        ),
        (
            "systems: [{learner: bpe, sizes: 5}]",
            "2:33: systems[0].sizes: found 5, expected a list such as [first, second], or a "
            "mapping with `list`, or with `from` and `to`",
        ),
        (
            "systems: [{learner: bpe, sizes: {from: 200, to: 100}}]",
            "2:49: systems[0].sizes.to: `from` is 200, above `to`, which is 100",
        ),
        (
            "systems: [{learner: bpe, sizes: {from: 200, list: [100]}}]",
            "2:40: systems[0].sizes.from: `from` is 200, above `to`, which is 100",
        ),
        (
            "systems: [{learner: bpe, sizes: {from: 5, to: 9, list: [7, 10]}}]",
            "2:60: systems[0].sizes.list[1]: found 10, expected a number between `from` and `to`: "
            "5 to 9",
        ),
        (
            "systems: [{learner: bpe, sizes: {from: 5}}]",
            "2:33: systems[0].sizes: names no sizes: write `list`, or `from` and `to`",
        ),
        (
            "systems: [{learner: bpe, sizes: {}}]",
            "2:33: systems[0].sizes: names no sizes: write `list`, or `from` and `to`",
        ),
        (
            "systems: [{learner: bpe, sizes: {from: 5, until: 9}}]",
            "2:43: systems[0].sizes.until: unknown key `until`; there are: `curve`, `from`, "
            "`list`, `to`",
        ),
        (
            "systems: [{learner: bpe, sizes: {first: 5, to: 9}}]",
            "2:34: systems[0].sizes.first: unknown key `first`; did you mean `list`?",
        ),
        (
            "systems: [{learner: bpe, sizes: {from: 0, to: 9}}]",
            "2:40: systems[0].sizes.from: found 0, expected a number greater than 0",
        ),
        (
            "systems: [{learner: bpe, merges: {from: -1, to: 9}}]",
            "2:41: systems[0].merges.from: found -1, expected a number greater than or equal to 0",
        ),
        (
            "systems: [{learner: bpe, sizes: {from: 5, to: '9'}}]",
            "2:47: systems[0].sizes.to: found '9', expected a number: leave the quotes out",
        ),
        (
            "systems: [{learner: bpe, sizes: {list: []}}]",
            "2:40: systems[0].sizes.list: found an empty list, expected at least 1",
        ),
        (
            "systems: [{learner: bpe, sizes: {list: [5, 5]}}]",
            "2:40: systems[0].sizes.list: 5 stands 2 times, expected each size once",
        ),
        (
            "systems: [{learner: bpe, sizes: {list: [5], curve: 1}}]",
            "2:52: systems[0].sizes.curve: found 1, expected true or false, without quotes",
        ),
        (
            "systems: [{learner: bpe, sizes: []}]",
            "2:33: systems[0].sizes: found an empty list, expected at least 1",
        ),
        (
            "systems: [{learner: bpe, sizes: [0]}]",
            "2:34: systems[0].sizes[0]: found 0, expected a number greater than 0",
        ),
        (
            "systems: [{learner: bpe, sizes: [-5]}]",
            "2:34: systems[0].sizes[0]: found -5, expected a number greater than 0",
        ),
        (
            "systems: [{learner: bpe, sizes: [5, 6, 5]}]",
            "2:33: systems[0].sizes: 5 stands 2 times, expected each size once",
        ),
        (
            "systems: [{learner: bpe, sizes: [2000000000]}]",
            "2:34: systems[0].sizes[0]: found 2000000000, "
            "expected a number less than or equal to 1000000000",
        ),
        (
            "systems: [{learner: bpe, sizes: ['5']}]",
            "2:34: systems[0].sizes[0]: found '5', expected a number: leave the quotes out",
        ),
        (
            "systems: [{learner: bpe, sizes: [true]}]",
            "2:34: systems[0].sizes[0]: found true, expected a number",
        ),
        (
            "systems: [{learner: bpe, merges: [-1]}]",
            "2:35: systems[0].merges[0]: found -1, expected a number greater than or equal to 0",
        ),
        (
            "systems: [{learner: bpe, sizes: [5], merges: [5]}]",
            "2:38: systems[0].merges: `sizes` and `merges` exclude each other: keep one of them",
        ),
        (
            "systems: [{learner: char, segmenter: longest}]",
            "2:38: systems[0].segmenter: no plugin offers a segmenter 'longest'; "
            "did you mean 'longest-match' (of a-package)?",
        ),
        (
            "systems: [{learner: char, split: morphemes}]",
            "2:34: systems[0].split: no plugin offers a splitter 'morphemes'; "
            "there are: whitespace, words",
        ),
    ],
)
def test_a_wrong_system_is_refused_where_it_stands(refused, lines, message):
    found, code = refused(f"{CORPORA}{lines}\n")
    heads = [line for line in found.split("\n") if line.startswith("config.yaml")]
    assert sorted(heads) == sorted(f"config.yaml:{message}".split("\n"))
    assert code == 2


def test_sizes_and_merges_of_the_config_exclude_each_other(refused):
    message = (
        "config.yaml:4:1: merges: `sizes` and `merges` exclude each other: keep one of them\n"
        "    merges: [1]\n    ^"
    )
    assert refused(SIZES + "systems: [bpe]\nmerges: [1]\n") == (message, 2)


def test_the_baseline_is_the_first_system_the_named_one_or_none(load):
    systems = "systems: [bpe, char]\n"
    assert load(SIZES + systems).baseline == "bpe"
    assert load(SIZES + systems + "baseline: char\n").baseline == "char"
    assert load(SIZES + systems + "baseline: null\n").baseline is None


@pytest.mark.parametrize(
    ("baseline", "message"),
    [
        ("bep", "no system is called 'bep'; did you mean 'bpe'?"),
        ("unigram", "no system is called 'unigram'; there are: bpe, char"),
        ("5", "found 5, expected text"),
        ("[bpe]", "found a list, expected text"),
    ],
)
def test_a_baseline_that_names_no_system_is_refused(refused, baseline, message):
    shown = f"config.yaml:4:11: baseline: {message}\n    baseline: {baseline}\n              ^"
    assert refused(f"{SIZES}systems: [bpe, char]\nbaseline: {baseline}\n") == (shown, 2)


def systems_text(sized, unsized=0):
    sized_lines = [f"- {{name: b{i}, learner: bpe}}\n" for i in range(sized)]
    unsized_lines = [f"- {{name: c{i}, learner: char}}\n" for i in range(unsized)]
    return "systems:\n" + "".join(sized_lines + unsized_lines)


def test_too_few_resamples_for_holm_are_warned_of_with_the_number_needed(load):
    # 2 * 3 / (119 + 1) is 0.05, which is not below it; 2 * 3 / 121 is.
    few = load(SIZES + "resamples: 119\n" + systems_text(4))
    assert few.warnings == (
        "resamples: with 119 none of the 3 differences from the baseline at one size can be "
        "significant after Holm's correction; write `resamples: 120` or more",
    )
    assert load(SIZES + "resamples: 120\n" + systems_text(4)).warnings == ()


def test_a_thousand_resamples_are_enough_for_25_comparisons_at_one_size(load):
    assert load(SIZES + systems_text(26, 25)).warnings == ()
    assert "1040" in load(SIZES + systems_text(27)).warnings[0]
    assert "1040" in load(SIZES + systems_text(1, 26)).warnings[0]


def test_only_systems_with_a_size_of_the_baseline_are_compared_with_it(load):
    others = "".join(f"- {{name: b{i}, learner: bpe, sizes: [7]}}\n" for i in range(3))
    text = f"{SIZES}resamples: 50\nsystems:\n- bpe\n{others}"
    assert load(text).warnings == tuple(
        f"system b{i}: not compared at 7, where the baseline bpe has no such size" for i in range(3)
    )
    (few,) = load(text.replace("- bpe", "- char")).warnings
    assert few.startswith("resamples: with 50 none of the 3 differences")
    assert load(text + "baseline: null\n").warnings == ()
