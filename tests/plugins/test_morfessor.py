"""The same morphs and the same tokens as the program of Morfessor 2.0.6, at the sizes asked for."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from morfessor import BaselineModel
from tokbench_bpe.learner import Bpe
from tokbench_morfessor.learner import HIGHEST, TRIES, Lexicon, Morfessor, search
from tokbench_morfessor.segmenter import MorfessorSegmenter

from tokbench.api import InputError, Learned, Size, SizeError, Vocabulary

PROGRAM = (
    "import morfessor, sys;"
    "morfessor.main(morfessor.get_default_argparser().parse_args(sys.argv[1:]))"
)
FILE = Path(__file__).parent.parent / "data" / "morfessor.json"
GOLDEN = json.loads(FILE.read_text("utf-8"))
"""The output of Morfessor itself; tests/data/README.md says how it was made."""


def count(path: Path, most: int) -> Counter[str]:
    words = re.findall(r"[\w-]+", path.read_text("utf-8"))
    return Counter(islice(words, most))


@pytest.fixture(scope="module")
def words(root: Path) -> Counter[str]:
    return count(root / "corpora" / "english.train.txt", 500)


@pytest.fixture(scope="module")
def few(root: Path) -> Counter[str]:
    return count(root / "corpora" / "english.train.txt", 150)


@pytest.fixture(scope="module")
def held_out(root: Path) -> list[str]:
    return [*count(root / "corpora" / "english.test.txt", 2000), "-", "日本", "a日b", "x" * 70]


def program(
    folder: Path, words: Mapping[str, int], held_out: Sequence[str], *options: str
) -> tuple[dict[str, int], list[list[str]]]:
    """Train and segment with the program itself; give its lexicon and the tokens of each word."""
    train, test, lexicon, out = (folder / name for name in ("train", "test", "lexicon", "out"))
    train.write_text("".join(f"{count} {word}\n" for word, count in words.items()), "utf-8")
    test.write_text("\n".join(held_out), "utf-8")
    files = ["-t", train, "-T", test, "-x", lexicon, "-o", out]
    command = [sys.executable, "-c", PROGRAM, "--traindata-list", "-e", "utf-8"]
    subprocess.run([*command, *map(str, files), *options], check=True, capture_output=True)
    entries = [line.split(" ", 1) for line in lexicon.read_text("utf-8").splitlines()]
    tokens = [line.split(" ") for line in out.read_text("utf-8").splitlines()]
    return {morph: int(count) for count, morph in entries}, tokens


def counts(vocabulary: Vocabulary) -> dict[str, int | None]:
    morphs = {item.parts[0]: item.count for item in vocabulary.learned}
    return {**vocabulary.extra["morfessor"]["letters"], **morphs}


def cut(vocabulary: Vocabulary, words: Sequence[str]) -> list[list[str]]:
    segmenter = MorfessorSegmenter()
    prepared = segmenter.prepare(vocabulary)
    return [list(segmenter.segment(word, prepared)) for word in words]


OPTIONS: Mapping[str, Mapping[str, object]] = {
    "": {},
    "-w 0.3 -r 7": {"corpus-weight": 0.3, "seed": 7},
    "-d none -w 0.1": {"dampening": "none", "corpus-weight": 0.1},
    "-d log --skips": {"dampening": "log", "skips": True},
    "-f ae'-": {"force-split": "ae'-"},
    "-f= -F 0.1": {"force-split": "", "finish-threshold": 0.1},
    "--batch-minfreq 2": {"min-count": 2},
}
"""Options of the program, and those of our learner for the same."""


@pytest.mark.parametrize("options", OPTIONS)
def test_as_the_program_with_the_same_options(
    words: Counter[str], held_out: list[str], options: str
) -> None:
    learner = Morfessor.configure(**{"corpus-weight": 1.0, **OPTIONS[options]})
    vocabulary = learner.learn(words, Size(total=0))
    golden = GOLDEN["options"][options]
    assert counts(vocabulary) == golden["lexicon"]
    assert any(len(morph) > 1 for morph in golden["lexicon"])
    assert [" ".join(tokens) for tokens in cut(vocabulary, held_out)] == golden["tokens"]


@pytest.mark.ci
def test_a_size_is_that_of_the_program_for_a_number_of_morphs(
    few: Counter[str], held_out: list[str]
) -> None:
    """So few words are split all or not at all."""
    vocabulary = Morfessor().learn(few, Size(total=110))
    assert 40 <= vocabulary.size <= 110
    passed = vocabulary.extra["morfessor"]
    golden = GOLDEN["size"]
    assert passed["num-morph-types"] == golden["num-morph-types"]
    assert counts(vocabulary) == golden["lexicon"]
    assert [" ".join(tokens) for tokens in cut(vocabulary, held_out)] == golden["tokens"]
    assert passed["total"] == sum(golden["lexicon"].values()) + len(few)


@pytest.mark.nightly
def test_the_program_gives_the_golden_file(
    words: Counter[str], few: Counter[str], held_out: list[str], tmp_path: Path
) -> None:
    """To make the file anew, put the one that is written here in its place."""
    golden: dict[str, Any] = {"options": {}}
    for options in OPTIONS:
        asked = (["-r", "0"] if "-r" not in options else []) + options.split()
        golden["options"][options] = result(program(tmp_path, words, held_out, *asked))
    types = Morfessor().learn(few, Size(total=110)).extra["morfessor"]["num-morph-types"]
    output = program(tmp_path, few, held_out, *of_types(types))
    golden["size"] = {"num-morph-types": types, **result(output)}
    file = tmp_path / "morfessor.json"
    file.write_text(json.dumps(golden, ensure_ascii=False, indent=0) + "\n", "utf-8")
    assert file.read_text("utf-8") == FILE.read_text("utf-8")


def result(output: tuple[dict[str, int], list[list[str]]]) -> dict[str, Any]:
    """Write the output of Morfessor in the form of the golden file."""
    lexicon, tokens = output
    return {"lexicon": lexicon, "tokens": [" ".join(word) for word in tokens]}


def of_types(number: int) -> list[str]:
    """Write the options that ask the program for a number of morphs."""
    return ["-r", "0", "--num-morph-types", str(number), "--max-epochs", "60"]


def test_the_vocabulary_is_letters_and_morphs(root: Path) -> None:
    few = count(root / "corpora" / "english.train.txt", 40)
    vocabulary = Morfessor.configure(tolerance=0.5).learn(few, Size(learned=20))
    assert list(vocabulary.alphabet) == sorted(set("".join(few)))
    assert 10 <= len(vocabulary.learned) <= 20
    assert all(len(item.parts[0]) > 1 for item in vocabulary.learned)
    order = [(-(item.count or 0), item.parts[0]) for item in vocabulary.learned]
    assert order == sorted(order)
    # So an unseen word of seen letters is known, whether they are morphs or not.
    [tokens] = cut(vocabulary, ["".join(vocabulary.alphabet)])
    assert all(token in vocabulary.ids for token in tokens)


def test_more_than_there_is(words: Counter[str]) -> None:
    unhyphenated = {word: n for word, n in words.items() if "-" not in word}
    vocabulary = Morfessor().learn(unhyphenated, Size(total=1_000_000))
    assert vocabulary.extra["morfessor"]["corpus-weight"] == HIGHEST
    assert {item.parts[0] for item in vocabulary.learned} == {w for w in unhyphenated if len(w) > 1}


def test_a_size_below_the_least() -> None:
    learner = Morfessor()
    with pytest.raises(SizeError, match="size 3 is below the 5 tokens of the lowest weight") as low:
        learner.learn({"abab": 3, "abc": 2, "dab": 2}, Size(total=3))
    assert learner.learn({"abab": 3, "abc": 2, "dab": 2}, Size(total=low.value.minimum)).size == 5


def test_a_given_weight_decides_the_size() -> None:
    assert Morfessor().sized
    assert not Morfessor.configure(**{"corpus-weight": 1}).sized


def test_long_words_leave_their_letters_only() -> None:
    words = {"ab" * 5000: 1, "xyz" * 33 + "xy": 1, "low": 2, "lower": 1}
    vocabulary = Morfessor.configure(**{"corpus-weight": 100}).learn(words, Size(total=0))
    assert vocabulary.tokens == (*"abelorwxyz", "low", "lower")


def test_no_words_that_it_learns_from() -> None:
    vocabulary = Morfessor.configure(**{"min-count": 3}).learn({"low": 2}, Size(total=9))
    assert vocabulary.tokens == ("l", "o", "w")


def test_a_vocabulary_of_another_learner() -> None:
    vocabulary = Bpe().learn({"low": 2}, Size(learned=1))
    with pytest.raises(InputError, match="needs one of the learner `morfessor`"):
        MorfessorSegmenter().prepare(vocabulary)


def curve(morphs: Callable[[int], int], tried: list[int]) -> Callable[[int], Lexicon]:
    def learn(types: int) -> Lexicon:
        tried.append(types)
        return Lexicon({f"m{i}": 1 for i in range(morphs(types))}, 1.0, types)

    return learn


@pytest.mark.parametrize("letters", [0, 60, 100])
def test_search_finds_how_many_types_are_letters(letters: int) -> None:
    tried: list[int] = []
    lexicon = search(curve(lambda types: max(0, types - letters), tried), 500, 0.02, 100)
    assert lexicon is not None
    assert 490 <= lexicon.morphs <= 500
    assert len(tried) <= 2


def test_search_gives_the_largest_below_a_step() -> None:
    tried: list[int] = []
    lexicon = search(curve(lambda types: 700 if types > 500 else types // 2, tried), 500, 0.02, 0)
    assert lexicon is not None
    assert lexicon.types == max(types for types in tried if types <= 500)
    assert len(set(tried)) == len(tried) <= TRIES


def test_search_may_find_none() -> None:
    tried: list[int] = []
    assert search(curve(lambda types: 600, tried), 500, 0.02, 0) is None
    assert 1 <= len(tried) <= TRIES
    assert min(tried) >= 1


@given(
    st.lists(
        st.tuples(
            st.integers(1, 9),
            st.lists(st.text("ab\ud800\x00</w>", min_size=1, max_size=4), min_size=1, max_size=3),
        ),
        min_size=1,
        max_size=8,
    ),
    st.lists(st.text("abc\ud800\x00</w>한", min_size=1, max_size=12), max_size=5),
)
def test_tokens_as_of_the_library(
    segmentations: list[tuple[int, list[str]]], words: list[str]
) -> None:
    model = BaselineModel()
    distinct = {"".join(parts): (n, "".join(parts), parts) for n, parts in segmentations}
    model.load_segmentations(distinct.values())
    lexicon = dict(model.get_constructions())
    with patch.object(Morfessor, "train", return_value=Lexicon(lexicon, 1.0, None)):
        learner = Morfessor.configure(**{"corpus-weight": 1.0, "dampening": "none"})
        running = {word: n for n, word, _ in distinct.values()}
        vocabulary = learner.learn(running, Size(total=0))
    assert vocabulary.alphabet == tuple(sorted(set("".join(lexicon))))
    theirs = [model.viterbi_segment(word, addcount=0, maxlen=30)[0] for word in words]
    assert cut(vocabulary, words) == theirs


def test_longest_morph() -> None:
    vocabulary = Vocabulary.build(
        ("a",),
        [Learned(("aa",), 1), Learned(("aaa",), 5)],
        extra={"morfessor": {"total": 9, "letters": {"a": 1}}},
    )
    word = "aaaaaa"
    for longest, tokens in ((1, ["a"] * 6), (2, ["aa"] * 3), (3, ["aaa"] * 2), (30, ["aaa"] * 2)):
        segmenter = MorfessorSegmenter.configure(**{"longest-morph": longest})
        assert segmenter.segment(word, segmenter.prepare(vocabulary)) == tokens
