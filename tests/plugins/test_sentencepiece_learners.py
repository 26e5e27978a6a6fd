"""SentencePiece's trainers: what is asked for reaches them, and nothing is dropped in silence."""

import io
from base64 import b64decode
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer
from tokbench_sentencepiece.learners import ModelTrainer, SentencePieceBpe, SentencePieceUnigram
from tokbench_sentencepiece.model import fields
from tokbench_sentencepiece.segmenter import SentencePieceSegmenter
from tokbench_sentencepiece.training import rows_of_lines, rows_of_words

from tokbench.api import InputError, Size, Vocabulary
from tokbench.api.text import BOW, EOW

LEARNERS = (SentencePieceBpe, SentencePieceUnigram)
each_learner = pytest.mark.parametrize("learner", LEARNERS)
TEXT = {"low": 5, "lower": 2, "newest": 6, "widest": 3, "new": 6, "banana": 4, "한국어": 3}
LETTERS = len(set("".join(TEXT))) + 1
"""The characters to be known, and ▁."""


@pytest.fixture(scope="module")
def english(root: Path) -> str:
    return (root / "corpora" / "english.train.txt").read_text("utf-8")[:6_000]


def theirs(path: Path, model_type: str, form: str, size: int) -> list[tuple[str, float]]:
    """Train with the library alone; give its pieces with their scores."""
    written = io.BytesIO()
    SentencePieceTrainer.train(
        input=str(path),
        input_format=form,
        model_writer=written,
        model_type=model_type,
        vocab_size=size + 1,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        character_coverage=1.0,
        max_sentence_length=10**6,
        num_threads=1,
        bos_id=-1,
        eos_id=-1,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    model = SentencePieceProcessor(model_proto=written.getvalue())
    every = list(range(1, model.get_piece_size()))
    return list(zip(model.id_to_piece(every), model.get_score(every), strict=True))


def ours(vocabulary: Vocabulary) -> list[tuple[str, float]]:
    show = vocabulary.marks.show
    return [
        (show(token).replace(" ", "▁"), score)
        for token, score in vocabulary.extra["scores"].items()
    ]


@each_learner
def test_words_and_lines_are_learned_as_the_library_learns_them(
    learner: type[ModelTrainer], english: str, tmp_path: Path
) -> None:
    path, words = tmp_path / "train", Counter(english.split())
    path.write_text("".join(f"{word}\t{count}\n" for word, count in words.items()), "utf-8")
    vocabulary = learner().learn(words, Size(total=400))
    assert ours(vocabulary) == theirs(path, learner.model_type, "tsv", 400)
    assert (vocabulary.size, vocabulary.unknown, vocabulary.special) == (400, 0, ())
    path.write_text(english, "utf-8")
    reader = learner.configure(read="lines")
    assert reader.reads == "lines"
    vocabulary = reader.learn_lines(english.split("\n"), Size(total=400))
    assert ours(vocabulary) == theirs(path, learner.model_type, "text", 400)


@each_learner
def test_byte_tokens_are_part_of_the_size(learner: type[ModelTrainer]) -> None:
    vocabulary = learner.configure(**{"byte-fallback": True}).learn(TEXT, Size(total=276))
    assert (vocabulary.size, len(vocabulary.bytes)) == (276, 256)


@each_learner
def test_a_text_too_small_for_the_size(
    learner: type[ModelTrainer], capfd: pytest.CaptureFixture[str]
) -> None:
    assert LETTERS < learner().learn(TEXT, Size(total=5000)).size < 200
    assert capfd.readouterr() == ("", ""), "what the trainer logs stays out of the way"
    strict = learner.configure(**{"hard-vocab-limit": True})
    with pytest.raises(match="Vocabulary size too high"):
        strict.learn(TEXT, Size(total=5000))


def test_sizes_in_merges() -> None:
    for merges in (0, 1, 7):
        vocabulary = SentencePieceBpe().learn(TEXT, Size(learned=merges))
        assert len(vocabulary.learned) == merges
        assert vocabulary.size == len(vocabulary.alphabet) + merges == LETTERS + merges
    assert SentencePieceUnigram().learn(TEXT, Size(learned=2)).size == LETTERS + 2


def test_merges_have_their_parts() -> None:
    vocabulary = SentencePieceBpe().learn({"aaab": 6, "ab": 7}, Size(learned=3))
    merges = [item.parts for item in vocabulary.learned]
    assert merges == [("a", "b"), (BOW, "ab"), ("a", "a")]
    english = SentencePieceBpe().learn(TEXT, Size(total=99)).learned
    assert all(len(item.parts) == 2 for item in english)


def trainer_spec(learner: ModelTrainer) -> Mapping[int, Any]:
    """Return the fields of the trainer's settings in the model."""
    model = b64decode(learner.learn(TEXT, Size(learned=3)).extra["model"])
    return dict(fields(next(v for n, v in fields(model) if n == 2 and isinstance(v, bytes))))


# Each option's field number of TrainerSpec in sentencepiece_model.proto, its default, and another
# value. The library writes no field that has its own default.
OPTIONS: dict[str, tuple[int, int, int]] = {
    "byte-fallback": (35, False, True),
    "hard-vocab-limit": (33, False, True),
    "split-by-whitespace": (22, True, False),
    "split-by-unicode-script": (21, True, False),
    "split-by-number": (23, True, False),
    "split-digits": (25, False, True),
    "treat-whitespace-as-suffix": (24, False, True),
    "allow-whitespace-only-pieces": (26, False, True),
    "max-piece-length": (20, 16, 5),
    "num-threads": (16, 1, 2),
}


@each_learner
def test_options_reach_the_trainer(learner: type[ModelTrainer]) -> None:
    usual = trainer_spec(learner())
    configured = trainer_spec(
        learner.configure(**{name: new for name, (_, _, new) in OPTIONS.items()})
    )
    for number, default, changed in OPTIONS.values():
        assert usual.get(number, default) == default
        assert configured.get(number, changed) == changed
        assert usual.get(number) != configured.get(number)


def test_options_of_unigram_reach_the_trainer() -> None:
    options = {"seed-size": 500, "sub-iterations": 3, "shrinking-factor": 0.5}
    spec = trainer_spec(SentencePieceUnigram.configure(**options))
    assert (spec[14], spec[17]) == (500, 3)
    assert spec[15] == b"\x00\x00\x00\x3f"  # 0.5 as a float


def test_wrong_options() -> None:
    with pytest.raises(ValidationError, match=r"greater than or equal to 0\.98"):
        SentencePieceBpe.configure(**{"character-coverage": 0.9})
    with pytest.raises(ValidationError, match="'identity', 'nfkc'"):
        SentencePieceBpe.configure(normalisation="nfd")
    with pytest.raises(ValidationError, match=r"less than or equal to 0\.95"):
        SentencePieceUnigram.configure(**{"shrinking-factor": 1})


def test_rare_characters_are_unknown_at_a_lower_coverage() -> None:
    words = {"aaaaaaaaaa": 1000, "ab": 1}
    assert "b" in SentencePieceBpe().learn(words, Size(learned=0)).tokens
    rare = SentencePieceBpe.configure(**{"character-coverage": 0.99})
    assert "b" not in rare.learn(words, Size(learned=0)).tokens


def test_the_mark_stands_where_the_space_does() -> None:
    suffix = SentencePieceBpe.configure(**{"treat-whitespace-as-suffix": True})
    vocabulary = suffix.learn(TEXT, Size(learned=20))
    assert "new" + EOW in vocabulary.tokens
    assert vocabulary.marks.show("new" + EOW) == "new▁"
    bare = SentencePieceBpe.configure(**{"add-dummy-prefix": False}).learn(TEXT, Size(learned=20))
    assert "new" in bare.tokens
    assert bare.marks.bow.kind == "absent"


@each_learner
def test_what_the_trainer_cannot_take_is_left_out_and_the_rest_is_learned(
    learner: type[ModelTrainer],
) -> None:
    odd = ("\t", "\n", "\0", "▅")
    words = {f"{chr(0x61 + i)}xy{char}zz": 9 for i, char in enumerate(odd)}
    vocabulary = learner().learn(words, Size(total=50))
    assert {*"abcdxyz", BOW} <= {*vocabulary.tokens}
    assert not {*odd} & {*"".join(vocabulary.tokens)}
    cut = SentencePieceSegmenter()
    prepared = cut.prepare(vocabulary)
    for char in odd:
        unknown = (0, len(char.encode()))
        assert unknown in cut.segment(f"z{char}z", prepared)


@pytest.mark.parametrize("size", [Size(total=50), Size(learned=5)], ids=str)
def test_nothing_to_learn(size: Size) -> None:
    with pytest.raises(InputError, match="SentencePiece finds nothing to learn here"):
        SentencePieceBpe().learn({}, size)
    bare = SentencePieceUnigram.configure(**{"add-dummy-prefix": False})
    with pytest.raises(InputError, match="SentencePiece finds nothing to learn here"):
        bare.learn({"\0": 1}, size)


def test_long_runs_are_cut() -> None:
    run, uncut = "가나" * 12_500, ["b " * 30_000, "c" * 10_000]
    long, *short = rows_of_lines([run, *uncut])
    assert [len(line) for line in long.split("\n")] == [10_000, 10_000, 5_000]
    assert long.replace("\n", "") == run
    assert short == uncut


def test_words_keep_their_order() -> None:
    assert [*rows_of_words({"b": 2, "a\tc": 1})] == ["b\t2", "a\0c\t1"]
