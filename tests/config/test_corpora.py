"""The part `corpora`: forms, names, files."""

from pathlib import Path

import pytest

from tokbench.config import ConfigError, load_experiment

REST = "sizes: [100]\nsystems: [bpe]\n"


def corpora(text):
    return f"corpora: {text}\n{REST}"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("{train: train.txt, test: test.txt}", ["test"]),
        ("{train: train.txt, test: {path: test.txt, words: whitespace}}", ["test"]),
        ("{train: train.txt, test: {split: 0.1, by: document}}", ["test"]),
        ("{train: train.txt, test: {catalog: shakespeare}}", ["test"]),
        ("{train: train.txt, test: {b: test.txt, a: {split: 0.2}}}", ["b", "a"]),
    ],
)
def test_a_test_text_stands_alone_or_by_name(load, text, names):
    assert [*load(corpora(text)).tests] == names


def test_lists_and_gold_stand_by_name(load):
    experiment = load(corpora("{train: train.txt, lists: {n: novel.tsv}, gold: {g: gold.tsv}}"))
    assert ([*experiment.lists], [*experiment.gold], [*experiment.tests]) == (["n"], ["g"], [])


def test_paths_are_relative_to_the_folder_of_the_config(load, tmp_path, monkeypatch, registry):
    load(corpora("{train: {path: [train.txt, more.txt]}, test: test.txt}"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    experiment = load_experiment(Path("../config.yaml"), registry)
    assert experiment.train.source.path == (Path("../train.txt"), Path("../more.txt"))
    assert experiment.resolved["corpora"]["train"]["path"] == ["train.txt", "more.txt"]


def test_a_split_takes_its_words_as_its_training_text_does(load):
    text = "{train: {path: train.txt, words: whitespace}, test: {split: 0.1}}"
    assert load(corpora(text)).tests["test"].splitter_name == "whitespace"


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("{test: test.txt}", 10, "corpora: the key `train` is missing: bpe learns from words"),
        (
            "{train: train.txt}",
            10,
            "corpora: nothing to score: add `test`, `lists`, `gold` or `pairs`",
        ),
        (
            "{train: train.txt, test: test.txt, golden: {}}",
            45,
            "corpora.golden: unknown key `golden`; did you mean `gold`?",
        ),
        ("[train.txt]", 10, "corpora: found a list, expected a mapping (`key: value`)"),
        (
            "{train: {}, test: test.txt}",
            18,
            "corpora.train: a corpus needs either `path` or `catalog`",
        ),
        (
            "{train: {path: train.txt, catalog: shakespeare}, test: test.txt}",
            18,
            "corpora.train: a corpus needs either `path` or `catalog`",
        ),
        (
            "{train: 5, test: test.txt}",
            18,
            "corpora.train: found 5, expected a path, or a mapping with `path` or `catalog`",
        ),
        (
            "{train: {path: [train.txt, 7]}, test: test.txt}",
            37,
            "corpora.train.path[1]: found 7, expected a path",
        ),
        (
            "{train: {catalog: 5}, test: test.txt}",
            28,
            "corpora.train.catalog: found 5, expected text",
        ),
        (
            "{train: {path: train.txt, normalise: lowercase}, test: test.txt}",
            47,
            "corpora.train.normalise: found 'lowercase', expected a list such as [first, second]",
        ),
        (
            "{train: {path: train.txt, normalise: [lower]}, test: test.txt}",
            48,
            "corpora.train.normalise[0]: found 'lower', expected 'lowercase', 'nfc', 'nfd', "
            "'nfkc' or 'nfkd' or a mapping with the keys `remove`",
        ),
        (
            "{train: {path: train.txt, normalise: [{remov: a}]}, test: test.txt}",
            49,
            "corpora.train.normalise[0].remov: unknown key `remov`; did you mean `remove`?",
        ),
        (
            "{train: {path: train.txt, normalise: [{remove: '['}]}, test: test.txt}",
            57,
            "corpora.train.normalise[0].remove: "
            "not a regular expression: unterminated character set at position 1",
        ),
        (
            "{train: {path: train.txt, errors: ignore}, test: test.txt}",
            44,
            "corpora.train.errors: found 'ignore', expected 'strict', 'replace' or 'skip-line'",
        ),
        (
            "{train: {path: train.txt, words: wrds}, test: test.txt}",
            43,
            "corpora.train.words: no plugin offers a splitter 'wrds'; "
            "did you mean 'words' (of a-package)?",
        ),
        (
            "{train: train.txt, test: [test.txt]}",
            35,
            "corpora.test: found a list, expected a mapping (`key: value`)",
        ),
        (
            "{train: train.txt, test: {split: 1.5}}",
            43,
            "corpora.test.split: found 1.5, expected a number less than 1",
        ),
        (
            "{train: train.txt, test: {split: 0.1, of: dev}}",
            52,
            "corpora.test.of: found 'dev', expected 'train'",
        ),
        (
            "{train: train.txt, lists: novel.tsv}",
            36,
            "corpora.lists: found 'novel.tsv', expected a mapping (`key: value`)",
        ),
        (
            "{train: train.txt, lists: {n: {split: 0.1}}}",
            41,
            "corpora.lists.n.split: unknown key `split`; there are: `catalog`, `documents`, "
            "`errors`, `format`, `lines`, `max-compression`, `min-word-count`, `normalise`, "
            "`path`, `words`",
        ),
        (
            "{train: train.txt, test: {a/b: test.txt}}",
            36,
            "corpora.test.a/b: found 'a/b', expected a name that begins with a letter, digit or "
            "_, of at most 100 letters, digits, spaces and any of . , + = ( ) - _",
        ),
        (
            "{train: train.txt, test: {Novel: test.txt}, lists: {novel: novel.tsv}}",
            62,
            "corpora.lists.novel: the corpus on line 1 has this name too: give each its own",
        ),
    ],
)
def test_a_wrong_corpus_is_refused_where_it_stands(refused, text, column, message):
    shown = f"config.yaml:1:{column}: {message}\n    corpora: {text}\n    {' ' * (column - 1)}^"
    assert refused(corpora(text)) == (shown, 2)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("no.txt", "there is no file no.txt"),
        ("../no/such/file.txt", "there is no file ../no/such/file.txt"),
        ("train.txt/inside", "there is no file train.txt/inside"),
        (".", ". is a folder, expected a file"),
        ("folder/../folder", "folder is a folder, expected a file"),
    ],
)
def test_only_missing_files_are_an_input_error(refused, tmp_path, path, message):
    (tmp_path / "folder").mkdir()
    text = f"{{train: train.txt, test: {path}}}"
    shown = f"config.yaml:1:35: corpora.test: {message}\n    corpora: {text}\n    {' ' * 34}^"
    assert refused(corpora(text)) == (shown, 4)


def test_a_missing_file_is_named_where_it_stands_in_a_list(refused):
    text = "{train: {path: [train.txt, no.txt]}, test: test.txt}"
    message, code = refused(corpora(text))
    assert message.startswith("config.yaml:1:37: corpora.train.path[1]: there is no file no.txt\n")
    assert code == 4


def test_missing_files_are_shown_beside_what_is_wrong_with_the_config(refused):
    message, code = refused(corpora("{train: no.txt, test: {path: gone.txt, colour: red}}"))
    assert [line for line in message.split("\n") if line.startswith("config")] == [
        "config.yaml:1:18: corpora.train: there is no file no.txt",
        "config.yaml:1:39: corpora.test.path: there is no file gone.txt",
        "config.yaml:1:49: corpora.test.colour: unknown key `colour`; there are: `catalog`, "
        "`documents`, `errors`, `format`, `lines`, `max-compression`, `min-word-count`, "
        "`normalise`, `path`, `words`",
    ]
    assert code == 2


def test_a_file_name_beyond_all_limits_is_refused(refused):
    message, code = refused(corpora(f"{{train: train.txt, test: {'a' * 300}}}"))
    assert message.startswith(
        f"config.yaml:1:35: corpora.test: the file {'a' * 300} cannot be read"
    )
    assert code == 4


def test_rare_words_may_be_left_out_of_the_training_text(load):
    experiment = load(corpora("{train: {path: train.txt, min-word-count: 5}, test: test.txt}"))
    assert experiment.train.source.min_word_count == 5
    assert experiment.resolved["corpora"]["train"]["min-word-count"] == 5


def test_an_absolute_path_leaves_only_its_name_in_the_resolved_config(load, tmp_path):
    experiment = load(corpora(f"{{train: {tmp_path}/train.txt, test: test.txt}}"))
    assert experiment.train.source.path == (tmp_path / "train.txt",)
    assert experiment.resolved["corpora"]["train"]["path"] == ["train.txt"]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (
            "{train: train.txt, test: {t: {path: test.txt, format: counts}}}",
            "1:64: corpora.test.t.format",
            "word counts have no lines to score: expected `text` or `words`",
        ),
        (
            "{train: {path: train.txt, format: counts}, test: {split: 0.1}}",
            "1:59: corpora.test",
            "the training text holds word counts, which have no lines to draw",
        ),
        (
            "{train: train.txt, lists: {n: {path: novel.tsv, words: whitespace}}}",
            "1:58: corpora.lists.n.words",
            "every line is one entry, never split: leave the key out",
        ),
        (
            "{train: train.txt, test: {t: {path: test.txt, min-word-count: 2}}}",
            "1:56: corpora.test.t.min-word-count",
            "only the training text can leave out rare words: leave the key out",
        ),
        (
            "{train: train.txt, lists: {n: {path: novel.tsv, min-word-count: 1}}}",
            "1:58: corpora.lists.n.min-word-count",
            "only the training text can leave out rare words: leave the key out",
        ),
        (
            "{train: {path: train.txt, min-word-count: 0}, test: test.txt}",
            "1:52: corpora.train.min-word-count",
            "found 0, expected a number greater than or equal to 1",
        ),
    ],
)
def test_what_says_nothing_about_a_corpus_is_refused(load, text, place, message):
    with pytest.raises(ConfigError) as caught:
        load(corpora(text))
    assert f"{place}: {message}\n" in str(caught.value)
