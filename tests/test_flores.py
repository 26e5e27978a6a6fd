"""FLORES in twelve languages: token counts in context are those of the libraries themselves.

Each library is called here as its documentation says, on the same lines; what tokbench counts by
word and outside words must add up to the same number, line by line.
"""

import base64
import gzip
import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest

from .conftest import SHARED
from .tiny import TinyRun, tiny_run

LANGUAGES = (
    "arb_Arab", "deu_Latn", "eng_Latn", "fin_Latn", "hin_Deva", "jpn_Jpan",
    "kor_Hang", "rus_Cyrl", "swh_Latn", "tha_Thai", "tur_Latn", "zho_Hans",
)  # fmt: skip
MODELS = SHARED / "tokenizers"
Count = Callable[[str], int]


def gpt2() -> Count:
    from tokenizers import ByteLevelBPETokenizer

    files = (str(MODELS / "gpt2" / "encoder.json"), str(MODELS / "gpt2" / "vocab.bpe"))
    tokenizer = ByteLevelBPETokenizer.from_file(*files)
    return lambda line: len(tokenizer.encode(line).ids)


def bert() -> Count:
    from tokenizers import BertWordPieceTokenizer

    tokenizer = BertWordPieceTokenizer(str(MODELS / "bert-base-uncased" / "vocab.txt"))
    return lambda line: len(tokenizer.encode(line, add_special_tokens=False).ids)


CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|"
    r"\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
"""The pattern of cl100k_base in tiktoken 0.14, openai_public.py."""


def cl100k() -> Count:
    from tiktoken import Encoding

    raw = (MODELS / "tiktoken" / "cl100k_base.tiktoken").read_bytes()
    pairs = (line.split() for line in raw.splitlines() if line)
    ranks = {base64.b64decode(token): int(rank) for token, rank in pairs}
    encoding = Encoding("cl100k", pat_str=CL100K, mergeable_ranks=ranks, special_tokens={})
    return lambda line: len(encoding.encode_ordinary(line))


def sentencepiece(*parts: str) -> Callable[[], Count]:
    def build() -> Count:
        from sentencepiece import SentencePieceProcessor

        processor = SentencePieceProcessor(model_file=str(MODELS.joinpath(*parts)))
        return lambda line: len(processor.encode(line))

    return build


def options(**files: str) -> Mapping[str, str]:
    return {key: str(MODELS / path) for key, path in files.items()}


READY: Mapping[str, tuple[str, Mapping[str, str], Callable[[], Count]]] = {
    "gpt2": (
        "hf",
        {"kind": "gpt2", **options(vocab="gpt2/encoder.json", merges="gpt2/vocab.bpe")},
        gpt2,
    ),
    "bert": ("hf", {"kind": "bert-vocab", **options(vocab="bert-base-uncased/vocab.txt")}, bert),
    "cl100k": ("tiktoken", options(path="tiktoken/cl100k_base.tiktoken"), cl100k),
    "xlnet": (
        "sentencepiece",
        options(path="xlnet-sp-unigram/spiece.model"),
        sentencepiece("xlnet-sp-unigram", "spiece.model"),
    ),
    "mistral": (
        "sentencepiece",
        options(path="mistral-sp-bpe/tokenizer.model.v1"),
        sentencepiece("mistral-sp-bpe", "tokenizer.model.v1"),
    ),
}


@pytest.fixture(scope="module")
def texts(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """The texts of all languages, unpacked."""
    folder = tmp_path_factory.mktemp("flores")
    paths = {language: folder / f"{language}.txt" for language in LANGUAGES}
    for language, path in paths.items():
        packed = (shared / "parallel" / f"{language}.dev.gz").read_bytes()
        path.write_bytes(gzip.decompress(packed))
    return paths


@pytest.fixture(scope="module")
def run(texts: Mapping[str, Path]) -> Callable[[str], TinyRun]:
    """Cut all texts with one ready-made tokenizer."""

    @cache
    def run(name: str) -> TinyRun:
        learner, options, _ = READY[name]
        tests = ", ".join(f"{language}: {path.name}" for language, path in texts.items())
        system = {"name": "s", "learner": {"use": learner, **options}}
        done = tiny_run(
            texts["eng_Latn"].parent, corpora=f"{{train: eng_Latn.txt, test: {{{tests}}}}}",
            systems=json.dumps([system]), sizes=None, metrics="[tokens]", resamples="1",
        )  # fmt: skip
        assert done.failures == ()
        return done

    return run


@pytest.mark.nightly
@pytest.mark.parametrize("name", READY)
def test_tokens_are_those_of_the_library_line_by_line(
    name: str, texts: Mapping[str, Path], run: Callable[[str], TinyRun]
) -> None:
    count = READY[name][2]()
    for language, path in texts.items():
        lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        cuts = run(name).segmentation("s", language)
        assert cuts.context is not None
        assert len(lines) == 997
        assert cuts.line_tokens.tolist() == [count(line) for line in lines], language


SENTENCES = (53, 140, 366, 504, 703, 779, 794, 871, 899, 936)
PUBLISHED: Mapping[tuple[str, str], tuple[int | None, ...]] = {
    ("gpt2", "eng_Latn"): (18, 20, 17, 15, 41, 23, 16, 21, 29, 24),
    ("gpt2", "kor_Hang"): (84, 106, 80, 71, 226, 107, 74, 96, 150, None),
    ("cl100k", "eng_Latn"): (16, 20, 17, 15, 40, 26, 16, 20, 29, 23),
    ("cl100k", "kor_Hang"): (None, None, None, None, 93, 61, 36, 50, 69, 48),
}
"""`num_tokens` in assets/examples of AleksandarPetrov/tokenization-fairness, those that we read.

The Korean counts of `gpt2` are those of RoBERTa, which has the same merges.
"""


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "language"), PUBLISHED)
def test_sentences_have_the_tokens_that_petrov_published(
    name: str, language: str, run: Callable[[str], TinyRun]
) -> None:
    tokens = run(name).segmentation("s", language).line_tokens
    for line, published in zip(SENTENCES, PUBLISHED[name, language], strict=True):
        assert published in (None, tokens[line])


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["gpt2", "cl100k"])
def test_bytes_leave_nothing_out(name: str, run: Callable[[str], TinyRun]) -> None:
    """Byte-level tokens spell every word of every language, and none is unknown."""
    for language in LANGUAGES:
        cuts = run(name).segmentation("s", language)
        assert not cuts.oov.any(), language
        assert cuts.round_trip.all(), language
    assert run(name).vocabulary("s").units == "bytes"
