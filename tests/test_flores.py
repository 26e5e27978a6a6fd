"""FLORES in twelve languages: token counts in context are those of the libraries themselves.

Each library is called here as its documentation says, on the same lines; what tokbench counts by
word and outside words must add up to the same number, line by line.
"""

import base64
import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tokbench.api import Learner
from tokbench.config import Corpus
from tokbench.corpora.load import load_corpora
from tokbench.corpora.source import Source
from tokbench.corpora.splitters import WordSplitter
from tokbench.runner.incontext import segment_in_context

from .conftest import SHARED
from .tiny import installed

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
    "test model": (
        "sentencepiece",
        options(path="sentencepiece-test/test_model.model"),
        sentencepiece("sentencepiece-test", "test_model.model"),
    ),
    "japanese test model": (
        "sentencepiece",
        options(path="sentencepiece-test/test_ja_model.model"),
        sentencepiece("sentencepiece-test", "test_ja_model.model"),
    ),
}


@pytest.fixture(scope="module")
def corpora(shared: Path, tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("flores")

    def corpus(language: str) -> Corpus:
        path = folder / f"{language}.txt"
        packed = (shared / "parallel" / f"{language}.dev.gz").read_bytes()
        path.write_bytes(gzip.decompress(packed))
        return Corpus(Source(path=(path,)), "words", WordSplitter())

    found = {language: corpus(language) for language in LANGUAGES}
    return load_corpora(found["eng_Latn"], found, {}, {}, seed=0).tests


@pytest.mark.slow
@pytest.mark.parametrize("name", READY)
def test_tokens_are_those_of_the_library_line_by_line(name: str, corpora) -> None:
    learner_name, given, library = READY[name]
    registry = installed()
    component = registry.find("learner", learner_name).component
    learner = component.configure(**given)
    assert isinstance(learner, Learner)
    vocabulary = learner.load()
    segmenter = registry.find("segmenter", vocabulary.segmenter["use"]).component.configure(
        **{key: value for key, value in vocabulary.segmenter.items() if key != "use"}
    )
    prepared = segmenter.prepare(vocabulary)
    count = library()
    for test in corpora:
        found = segment_in_context(test.words, test.text, vocabulary, segmenter, prepared)
        assert len(test.text.lines) == 997
        assert found.line_tokens.tolist() == [count(line) for line in test.text.lines], test.name


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gpt2", "cl100k"])
def test_bytes_leave_nothing_out(name: str, corpora) -> None:
    """Byte-level tokens spell every word of every language, and none is unknown."""
    learner_name, given, _ = READY[name]
    registry = installed()
    vocabulary = registry.find("learner", learner_name).component.configure(**given).load()
    segmenter = registry.find("segmenter", vocabulary.segmenter["use"]).component.configure()
    prepared = segmenter.prepare(vocabulary)
    for test in corpora:
        found = segment_in_context(test.words, test.text, vocabulary, segmenter, prepared)
        assert not found.oov.any(), test.name
        assert found.restored.all(), test.name
    assert json.loads(vocabulary.to_json())["units"] == "bytes"
