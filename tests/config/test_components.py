"""Names of components and their options, checked where they stand."""

import re

import pytest

from tokbench.plugins import Broken, Offer, Plugin, Registry

CORPORA = "corpora: {train: train.txt, test: test.txt}\n"


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (
            "bep",
            "3:21: systems[0].learner: no plugin offers a learner 'bep'; "
            "did you mean 'bpe' (of a-package)?",
        ),
        (
            "{use: bep}",
            "3:27: systems[0].learner.use: no plugin offers a learner 'bep'; "
            "did you mean 'bpe' (of a-package)?",
        ),
        (
            "longest-match",
            "3:21: systems[0].learner: no plugin offers a learner 'longest-match'; "
            "'longest-match' is a segmenter (of a-package); "
            "there are: bpe, char, crashing, drawn, extra, odd/name",
        ),
        ("5", "3:21: systems[0].learner: found 5, expected a name, or {use: name, option: value}"),
        (
            "[bpe]",
            "3:21: systems[0].learner: found a list, "
            "expected a name, or {use: name, option: value}",
        ),
        ("{merge: list}", "3:21: systems[0].learner: the key `use` is missing"),
        ("''", "3:21: systems[0].learner: found '', expected text that is not empty"),
        (
            "{use: bpe, merges: list}",
            "3:32: systems[0].learner.merges: unknown key `merges`; did you mean `merge`?",
        ),
        (
            "{use: bpe, colour: red}",
            "3:32: systems[0].learner.colour: unknown key `colour`; there are: "
            "`alphabet`, `lowercase`, `merge`, `min-pair-count`, `power`",
        ),
        (
            "{use: bpe, min_pair_count: 2}",
            "3:32: systems[0].learner.min_pair_count: unknown key `min_pair_count`; "
            "did you mean `min-pair-count`?",
        ),
        (
            "{use: bpe, merge: regexp}",
            "3:39: systems[0].learner.merge: found 'regexp', expected 'indexed' or 'list'",
        ),
        (
            "{use: bpe, min-pair-count: 0}",
            "3:48: systems[0].learner.min-pair-count: found 0, "
            "expected a number greater than or equal to 1",
        ),
        (
            "{use: bpe, min-pair-count: many}",
            "3:48: systems[0].learner.min-pair-count: found 'many', expected a whole number",
        ),
        (
            "{use: bpe, min-pair-count: 1.5}",
            "3:48: systems[0].learner.min-pair-count: found 1.5, expected a whole number",
        ),
        (
            "{use: bpe, min-pair-count: '2'}",
            "3:48: systems[0].learner.min-pair-count: found '2', "
            "expected a number: leave the quotes out",
        ),
        (
            "{use: bpe, power: true}",
            "3:39: systems[0].learner.power: found true, expected a number",
        ),
        (
            "{use: bpe, lowercase: 'no'}",
            "3:43: systems[0].learner.lowercase: found 'no', "
            "expected true or false, without quotes",
        ),
        (
            "{use: bpe, alphabet: {covrage: 1}}",
            "3:43: systems[0].learner.alphabet.covrage: unknown key `covrage`; "
            "did you mean `coverage`?",
        ),
        (
            "{use: bpe, alphabet: all}",
            "3:42: systems[0].learner.alphabet: found 'all', "
            "expected a mapping with the keys `coverage`",
        ),
    ],
)
def test_a_wrong_component_is_refused_where_it_stands(refused, learner, message):
    line = f"systems: [{{learner: {learner}}}]"
    column = int(message.split(":")[1])
    shown = f"config.yaml:{message}\n    {line}\n    {' ' * (column - 1)}^"
    assert refused(f"{CORPORA}sizes: [100]\n{line}\n") == (shown, 2)


def test_a_number_that_no_float_distinguishes_is_taken(load):
    experiment = load(CORPORA + "sizes: [100]\nsystems: [{learner: {use: bpe, power: 3}}]\n")
    assert experiment.systems[0].learner.power == 3.0


def test_a_text_that_a_validator_reads_as_a_number_is_taken(load):
    experiment = load(CORPORA + "sizes: [100]\nsystems: [{learner: {use: drawn, steps: 4k}}]\n")
    assert experiment.systems[0].learner.steps == 4000


def test_the_seed_of_the_config_reaches_components_that_draw(load):
    systems = "systems: [drawn, {name: own, learner: {use: drawn, seed: 1}}, bpe]\n"
    first, own, none = load(CORPORA + "sizes: [100]\nseed: 7\n" + systems).systems
    assert (first.learner.seed, own.learner.seed) == (7, 1)
    assert not hasattr(none.learner, "seed")


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (
            "extra",
            "config.yaml:3:11: systems[0]: 'extra' needs no_such_module: "
            "pip install 'a-package[extra]'\n    systems: [extra]\n              ^",
        ),
        (
            "{learner: {use: crashing, broken: 1}}",
            "config.yaml:3:21: systems[0].learner: the learner 'crashing' failed on these "
            "options: KeyError: 1 (conftest.py)\n"
            "    systems: [{learner: {use: crashing, broken: 1}}]\n"
            "                        ^",
        ),
    ],
)
def test_what_only_a_plugin_can_mend_is_a_plugin_error(refused, learner, message):
    found, code = refused(f"{CORPORA}sizes: [100]\nsystems: [{learner}]\n")
    assert (re.sub(r"\((?:\w+/)*conftest\.py:\d+\)", "(conftest.py)", found), code) == (message, 3)


def test_a_clash_names_both_plugins(refused, registry):
    other = Plugin("other", "another-package", "2.0")
    bpe = registry.find("learner", "bpe")
    both = Registry(offers=(*registry.offers, Offer("learner", "bpe", bpe.component, other)))
    message = (
        "config.yaml:3:11: systems[0]: the learner 'bpe' is offered by here (a-package) and "
        "other (another-package): remove one of them\n    systems: [bpe]\n              ^"
    )
    text = CORPORA + "sizes: [100]\nsystems: [bpe]\nmetrics: [fertility]\n"
    assert refused(text, registry=both) == (message, 3)


def test_an_unknown_name_quotes_the_plugins_that_are_broken(refused, registry):
    broken = Broken(Plugin("wordpiece", "b", "1"), "ImportError: no module")
    partly = Registry(offers=registry.offers, broken=(broken,))
    message = (
        "plugin wordpiece is broken: ImportError: no module\n"
        "config.yaml:3:11: systems[0]: no plugin offers a learner 'wordpiece'; there are: "
        "bpe, char, crashing, drawn, extra, odd/name\n"
        "    systems: [wordpiece]\n              ^"
    )
    text = CORPORA + "sizes: [100]\nsystems: [wordpiece]\n"
    assert refused(text, registry=partly) == (message, 3)


def test_what_broke_is_reported_once_however_many_names_are_unknown(refused, registry):
    broken = Broken(Plugin("wordpiece", "b", "1"), "ImportError: no module")
    partly = Registry(offers=registry.offers, broken=(broken,))
    text = CORPORA + "sizes: [100]\nsystems: [wordpiece, wordpiecer]\nmetrics: [mine]\n"
    message, code = refused(text, registry=partly)
    assert code == 3
    assert message.startswith("plugin wordpiece is broken: ImportError: no module\nconfig.yaml:3")
    assert message.count("is broken") == 1
    assert message.count("no plugin offers") == 3
