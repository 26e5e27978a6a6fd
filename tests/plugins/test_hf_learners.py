"""The library's trainers as learners: its own results, exact counts, sizes, refusals."""

import gzip
import json
import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from tokbench_bpe.segmenters import BpeRank
from tokbench_hf.learners import HfBpe, HfByteBpe, HfTrainer, HfUnigram, HfWordPiece
from tokbench_hf.segmenters import HfLines, HfWords
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from tokbench.api import InputError, Segmenter, Size, Vocabulary
from tokbench.testing.samples import WORDS

LEARNERS = (HfBpe, HfByteBpe, HfUnigram, HfWordPiece)


def learn(kind: type[HfTrainer], words: Mapping[str, int], size: int, **options: Any) -> Vocabulary:
    spelled = {name.replace("_", "-"): value for name, value in options.items()}
    return kind.configure(**spelled).learn(words, Size(total=size))


def tokens(vocabulary: Vocabulary, word: str, segmenter: Segmenter | None = None) -> list[Any]:
    segmenter = segmenter or HfWords()
    pieces = segmenter.segment(word, segmenter.prepare(vocabulary))
    ids = [token[0] if isinstance(token, tuple) else token for token in pieces]
    return [vocabulary.show(vocabulary.tokens[i]) if isinstance(i, int) else i for i in ids]


@pytest.fixture(scope="module")
def oliver(shared: Path) -> Counter[str]:
    """The words of the first 30,000 characters of Oliver Twist, split at white space."""
    text = gzip.decompress((shared / "english/dickens_pg.txt.gz").read_bytes()).decode("utf-8-sig")
    return Counter(text[:30_000].split())


def theirs(words: Mapping[str, int], tokenizer: Tokenizer, trainer: Any) -> dict[str, Any]:
    """Train the library on running text, which it splits at white space and counts itself."""
    text = [" ".join([word] * count) for word, count in words.items()]
    split = pre_tokenizers.WhitespaceSplit()
    own = tokenizer.pre_tokenizer
    parts = split if own is None else pre_tokenizers.Sequence([split, own])
    tokenizer.pre_tokenizer = parts
    tokenizer.train_from_iterator(text, trainer)
    model: dict[str, Any] = json.loads(tokenizer.to_str())["model"]
    return model


def test_merges_are_those_of_the_library_on_running_text(oliver: Counter[str]) -> None:
    trainer = trainers.BpeTrainer(vocab_size=1001, special_tokens=["[UNK]"], show_progress=False)
    own = theirs(oliver, Tokenizer(models.BPE(unk_token="[UNK]")), trainer)
    vocabulary = learn(HfBpe, oliver, 1000)
    assert [list(item.parts) for item in vocabulary.learned] == own["merges"]
    assert dict(vocabulary.ids) == own["vocab"]
    assert (vocabulary.size, vocabulary.declared) == (1000, None)
    assert vocabulary.tokens[vocabulary.unknown or 0] == "[UNK]"


def test_merges_of_bytes_are_those_of_the_library(oliver: Counter[str]) -> None:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=1000, initial_alphabet=alphabet, show_progress=False)
    own = theirs(oliver, tokenizer, trainer)
    vocabulary = learn(HfByteBpe, oliver, 1000)
    assert json.loads(vocabulary.extra["tokenizer.json"])["model"]["merges"] == own["merges"]
    assert (vocabulary.size, vocabulary.units, vocabulary.unknown) == (1000, "bytes", None)


def test_pieces_are_those_of_the_library(oliver: Counter[str]) -> None:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(split=False)
    options = {"special_tokens": ["<unk>"], "unk_token": "<unk>", "show_progress": False}
    own = dict(
        theirs(oliver, tokenizer, trainers.UnigramTrainer(vocab_size=801, **options))["vocab"]
    )
    vocabulary = learn(HfUnigram, oliver, 800)
    ours = dict(json.loads(vocabulary.extra["tokenizer.json"])["model"]["vocab"])
    assert vocabulary.size == 800
    common = ours.keys() & own.keys()
    assert len(common) >= 0.99 * len(own)
    # Characters that pruning left out come back 0.0001 apart, in the order of a hash table.
    assert [ours[piece] for piece in common] == pytest.approx([own[p] for p in common], abs=0.02)


def test_the_course_merges_hug(golden: dict[str, Any]) -> None:
    case = golden["hf-course-bpe-hug"]
    vocabulary = HfBpe().learn(case["input"]["word_freqs"], Size(learned=3))
    assert [list(item.parts) for item in vocabulary.learned] == case["expected"]["merges"]
    for word, expected in case["expected"]["encode"].items():
        assert tokens(vocabulary, word) == expected


def test_counts_are_exact() -> None:
    for frequent, rarer in (("ab", "cd"), ("cd", "ab")):
        words = {frequent: 4097, rarer: 4096}
        vocabulary = HfBpe().learn(words, Size(learned=1))
        assert vocabulary.learned[0].parts == tuple(frequent)


@pytest.mark.parametrize("kind", LEARNERS)
def test_words_that_trainers_cannot_count_are_refused(kind: type[HfTrainer]) -> None:
    with pytest.raises(InputError, match=r"count in 32 bits, expected at most 2147483647"):
        learn(kind, {"ab": 2**30}, 100)


def test_text_that_spells_a_token_in_brackets_is_unknown() -> None:
    for kind, token in ((HfBpe, "[UNK]"), (HfWordPiece, "[UNK]"), (HfUnigram, "<unk>")):
        assert token in learn(kind, {token: 2, "low": 1}, 40).tokens
    assert tokens(learn(HfBpe, {"[UNK]": 2}, 40), "[UNK]") == ["[UNK]"]


@pytest.mark.parametrize("kind", [HfBpe, HfUnigram, HfWordPiece])
def test_an_unknown_token_stands_in_brackets(kind: type[HfTrainer]) -> None:
    with pytest.raises(ValidationError, match="found '##low', expected a token in brackets"):
        kind.configure(**{"unk-token": "##low"})


def test_characters_are_equally_likely_where_no_piece_was_kept() -> None:
    options = {"metaspace": False, "initial_alphabet": "z"}
    vocabulary = learn(HfUnigram, {"ab" * 8: 1}, 6, **options)
    unknown, *pieces = json.loads(vocabulary.extra["tokenizer.json"])["model"]["vocab"]
    assert unknown == ["<unk>", 0.0]
    assert dict(pieces) == pytest.approx(dict.fromkeys("abz", -math.log(3)))
    assert tokens(vocabulary, "azb") == ["a", "z", "b"]


def test_promises_say_which_trainers_are_deterministic() -> None:
    assert [kind().deterministic for kind in LEARNERS] == [True, True, False, False]
    for option in ("end-of-word-suffix", "continuing-subword-prefix"):
        assert not HfBpe.configure(**{option: "_"}).deterministic
    assert not HfBpe.configure(**{"limit-alphabet": 5}).order_free


BY_OPTION: list[tuple[type[HfTrainer], dict[str, Any], str, list[Any]]] = [
    (HfBpe, {"unk_token": None}, "lowx", ["low", None]),
    (HfBpe, {"unk_token": "<?>"}, "lowxyz", ["low", "<?>", "<?>", "<?>"]),
    (HfBpe, {"fuse_unk": True}, "lowxyz", ["low", "[UNK]"]),
    (HfBpe, {"initial_alphabet": "x"}, "lowx", ["low", "x"]),
    (HfBpe, {"min_frequency": 9}, "new", ["ne", "w"]),
    (HfBpe, {"max_token_length": 2}, "low", ["lo", "w"]),
    (HfBpe, {"limit_alphabet": 1}, "low", ["[UNK]", "[UNK]", "w"]),
    (HfBpe, {"end_of_word_suffix": "</w>"}, "low", ["low</w>"]),
    (HfBpe, {"continuing_subword_prefix": "##"}, "lowo", ["low", "##o"]),
    (HfByteBpe, {"initial_alphabet": "bytes"}, "lowx", ["low", "x"]),
    (HfByteBpe, {"initial_alphabet": "seen"}, "lowx", ["low", None]),
    (HfByteBpe, {"min_frequency": 9}, "new", ["ne", "w"]),
    (HfByteBpe, {"max_token_length": 2}, "low", ["lo", "w"]),
    (HfWordPiece, {"unk_token": "<?>"}, "lowx", ["<?>"]),
    (HfWordPiece, {"initial_alphabet": "x"}, "x", ["x"]),
    (HfWordPiece, {"max_input_chars_per_word": 2}, "low", ["[UNK]"]),
    (HfWordPiece, {"continuing_subword_prefix": "@"}, "lowo", ["low", "@o"]),
    (HfWordPiece, {"min_frequency": 9}, "new", ["ne", "##w"]),
    (HfWordPiece, {"limit_alphabet": 1}, "low", ["[UNK]"]),
    (HfUnigram, {}, "x", ["▁", "<unk>"]),
    (HfUnigram, {"metaspace": False, "unk_token": "<?>"}, "x", ["<?>"]),
    (HfUnigram, {"metaspace": False, "initial_alphabet": "x"}, "x", ["x"]),
]


@pytest.mark.parametrize(("kind", "options", "word", "expected"), BY_OPTION)
def test_options_reach_the_trainer(
    kind: type[HfTrainer], options: dict[str, Any], word: str, expected: list[Any]
) -> None:
    words = {"low": 7, "new": 6, "ne": 5, "lowe": 1}
    assert tokens(learn(kind, words, 400, **options), word) == expected


def test_options_of_the_unigram_trainer_change_its_pieces(oliver: Counter[str]) -> None:
    words = dict(oliver.most_common(300))
    plain = learn(HfUnigram, words, 150).ids.keys()
    short = learn(HfUnigram, words, 150, max_piece_length=2).tokens
    assert max(len(token) for token in short if token != "<unk>") == 2
    for option in ({"shrinking_factor": 0.2}, {"n_sub_iterations": 5}, {"seed_size": 90}):
        assert learn(HfUnigram, words, 150, **option).ids.keys() != plain


@pytest.mark.parametrize("options", [{}, {"end_of_word_suffix": "</w>"}])
def test_a_cut_vocabulary_segments_as_its_merges_say(
    options: dict[str, Any], oliver: Counter[str]
) -> None:
    vocabulary = learn(HfBpe, oliver, 600, **options)
    ours, library = BpeRank(), HfWords()
    for merges in (len(vocabulary.learned), 200, 7, 0):
        cut = vocabulary.cut(Size(learned=merges))
        prepared, theirs = ours.prepare(cut), library.prepare(cut)
        assert theirs.tokenizer.get_vocab_size() == len(cut.tokens)
        words = list(oliver)[:500]
        for word, pieces in zip(words, library.segment_many(words, theirs), strict=True):
            ids = [token[0] for token in pieces]
            assert ids == [cut.ids[token] for token in ours.segment(word, prepared)]


def test_a_trained_tokenizer_cuts_lines_into_words_too() -> None:
    for kind in LEARNERS:
        vocabulary = learn(kind, WORDS, 400)
        shown = tokens(vocabulary, "low new 한국", HfLines())
        assert [token for token in shown if token] == [
            *tokens(vocabulary, "low"),
            *tokens(vocabulary, "new"),
            *tokens(vocabulary, "한국"),
        ]


def test_a_lone_surrogate_is_learned_as_the_character_for_what_is_none() -> None:
    vocabulary = learn(HfBpe, {"\ud800": 1, "a\udfff": 2}, 10)
    assert set(vocabulary.tokens) == {"[UNK]", "a", "\ufffd", "a\ufffd"}
