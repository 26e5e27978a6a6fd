"""Unigram beside SentencePiece: the same cuts, and at least as good models."""

import gzip
import io
from collections import Counter
from collections.abc import Iterable, Mapping
from math import exp, log
from pathlib import Path

import pytest
import regex
import sentencepiece
from tokbench_unigram.learner import Unigram
from tokbench_unigram.segmenter import UnigramBest

from tokbench.api import Marks, Size, Vocabulary
from tokbench.api.text import BOW

MARKS = Marks.model_validate({"bow": "separate"})
Scores = dict[str, float]


def marked(piece: str) -> str:
    return BOW + piece[1:] if piece.startswith("▁") else piece


def imported(processor: sentencepiece.SentencePieceProcessor) -> Vocabulary:
    """Take over the pieces, ids and scores of a SentencePiece model."""
    numbers = range(processor.get_piece_size())
    tokens = tuple(marked(processor.id_to_piece(i)) for i in numbers)
    return Vocabulary(
        tokens,
        marks=MARKS,
        special=tuple(i for i in numbers if processor.is_control(i) or processor.is_unused(i)),
        unknown=processor.unk_id(),
        extra={"scores": {token: processor.get_score(i) for i, token in enumerate(tokens)}},
    )


def our_ids(vocabulary: Vocabulary, words: Iterable[str]) -> list[list[int]]:
    """Return the ids of words; unknown symbols in a row are one id, as in SentencePiece."""
    segmenter = UnigramBest(precision="single")
    prepared = segmenter.prepare(vocabulary)
    unknown = vocabulary.unknown
    ids_of_words = []
    for tokens in segmenter.segment_many(words, prepared):
        ids = [vocabulary.ids.get(str(token), unknown) for token in tokens]
        ids_of_words.append([i for i, before in zip(ids, [None, *ids], strict=False)
                             if not (i == before == unknown)])  # fmt: skip
    return ids_of_words


REPEATED = [letter * n for letter in (".", "0", "a", "ha", "안", "-") for n in range(1, 60)]


@pytest.mark.ci
@pytest.mark.parametrize(
    "name",
    [
        "xlnet-sp-unigram/spiece.model",
        "sentencepiece-test/test_model.model",
        "sentencepiece-test/test_ja_model.model",
    ],
)
def test_cuts_as_sentencepiece_does(shared: Path, name: str) -> None:
    path = shared / "tokenizers" / name
    processor = sentencepiece.SentencePieceProcessor(model_file=str(path))
    text = gzip.decompress((shared / "english" / "dickens_pg.txt.gz").read_bytes())
    words = {*text.decode("utf-8-sig").split()}
    for language in ("kor_Hang", "jpn_Jpan"):
        lines = gzip.decompress((shared / "parallel" / f"{language}.dev.gz").read_bytes())
        words.update(lines.decode("utf-8").split())
    # Words that its normaliser leaves as they are: what it changes is not a question of cuts.
    same = [word for word in sorted(words)[::8] if processor.normalize(word) == "▁" + word]
    assert len(same) > 2_500
    same += [*REPEATED, "x" * 1000]
    assert our_ids(imported(processor), same) == [processor.encode(word) for word in same]


def words_of(path: Path) -> Counter[str]:
    words = regex.findall(r"[\p{L}\p{M}\p{N}_]+|[^\p{L}\p{M}\p{N}_\s]+", path.read_text("utf-8"))
    return Counter(words)


@pytest.fixture(scope="module")
def train(root: Path) -> Counter[str]:
    return words_of(root / "corpora" / "english.train.txt")


@pytest.fixture(scope="module")
def held_out(root: Path, train: Counter[str]) -> Counter[str]:
    """The held-out words of letters that the training words have."""
    letters = set("".join(train))
    words = words_of(root / "corpora" / "english.test.txt")
    return Counter({word: n for word, n in words.items() if letters.issuperset(word)})


def ours(words: Mapping[str, int], size: int, seeds: str) -> Scores:
    scores: Scores = Unigram.configure(seeds=seeds).learn(words, Size(total=size)).extra["scores"]
    return scores


def of_sentencepiece(words: Mapping[str, int], size: int) -> Scores:
    """Learn from counted words, with so many tokens beside <unk>."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([f"{word}\t{count}" for word, count in words.items()]),
        input_format="tsv",
        model_writer=model,
        model_type="unigram",
        vocab_size=size + 1,
        normalization_rule_name="identity",
        character_coverage=1.0,
        bos_id=-1,
        eos_id=-1,
        num_threads=1,
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    scores: Scores = dict(imported(processor).extra["scores"])
    del scores["<unk>"]
    return scores


def log_likelihood(words: Mapping[str, int], scores: Scores) -> float:
    """Return the mean log probability of running words, summed over all their segmentations.

    The probabilities are scaled to sum to 1, so that models are on equal terms.
    """
    mass = sum(map(exp, scores.values()))
    shares = {token: exp(score) / mass for token, score in scores.items()}
    longest = max(map(len, shares))
    total = 0.0
    for word, count in words.items():
        text = BOW + word
        reached = [1.0]
        for stop in range(1, len(text) + 1):
            starts = range(max(0, stop - longest), stop)
            reached.append(sum(reached[a] * shares.get(text[a:stop], 0.0) for a in starts))
        total += count * log(reached[-1])
    return total / sum(words.values())


@pytest.fixture(scope="module")
def learned(train: Counter[str]) -> dict[str, Scores]:
    """The scores of vocabularies of one size: with both kinds of seeds, and SentencePiece's."""
    size = 500
    scores = {
        "all": ours(train, size, "all"),
        "branching": ours(train, size, "branching"),
        "sentencepiece": of_sentencepiece(train, size),
    }
    assert {*map(len, scores.values())} == {size}
    return scores


@pytest.mark.ci
# Measured for 500 and 2000 tokens, mean log likelihood of training and held-out words:
# all: -11.10 -9.03, -11.09 -9.61; branching: -11.34 -9.74, -11.33 -10.09; SentencePiece:
# -11.50 -9.80, -11.48 -10.20.
def test_our_models_are_at_least_as_likely(
    train: Counter[str], held_out: Counter[str], learned: dict[str, Scores]
) -> None:
    for words in (train, held_out):
        likely = {name: log_likelihood(words, scores) for name, scores in learned.items()}
        assert likely["branching"] > likely["sentencepiece"]
        assert likely["all"] > likely["sentencepiece"] + 0.3
