"""Cut a text with a ready-made tokenizer: by its library alone, or scored by tokbench.

The library encodes all lines at once, and its ids and offsets are read into lists (tiktoken has no
offsets). tokbench does that too, aligns the tokens to the words of the text, checks whether they
decode to the text, and scores three metrics. Both have lines and words in memory, and both have cut
a few lines before the clock starts.
"""

import base64
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

Cut = Callable[[Sequence[str]], int]
WARM = 100

OPTIONS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "gpt2": ("hf", {"kind": "gpt2", "vocab": "gpt2/encoder.json", "merges": "gpt2/vocab.bpe"}),
    "bert": ("hf", {"kind": "bert-vocab", "vocab": "bert-base-uncased/vocab.txt"}),
    "cl100k": ("tiktoken", {"path": "tiktoken/cl100k_base.tiktoken"}),
    "xlnet": ("sentencepiece", {"path": "xlnet-sp-unigram/spiece.model"}),
    "mistral": ("sentencepiece", {"path": "mistral-sp-bpe/tokenizer.model.v1"}),
}
"""The learner of tokbench and its options, paths being relative to the folder of models."""


def run(name: str, text: str, models: str, tokenizer: str) -> dict[str, Any]:
    """Time the cutting of a text by "library" or "tokbench"; the answer holds its tokens."""
    lines = Path(text).read_text(encoding="utf-8-sig").split("\n")
    lines = [line for line in lines if line.strip()]
    if name == "tokbench":
        seconds, tokens = scored(Path(text), Path(models), *OPTIONS[tokenizer])
    else:
        cut = LIBRARIES[tokenizer](Path(models))
        cut(lines[:WARM])
        begin = perf_counter()
        tokens = cut(lines)
        seconds = perf_counter() - begin
    return {"seconds": seconds, "tokens": tokens, "lines": len(lines)}


def scored(
    text: Path, models: Path, learner: str, options: Mapping[str, str]
) -> tuple[float, float]:
    """Cut in context and score; return the seconds, and the tokens of the text."""
    from tokbench_metrics.length import Fertility, TokenTotal
    from tokbench_metrics.oov import KeptWholeRunning

    from tokbench import plugins
    from tokbench.api import Learner, TextSegmenter
    from tokbench.api.component import Use
    from tokbench.config import DescribedCorpus
    from tokbench.corpora.load import load_corpora
    from tokbench.corpora.source import Source
    from tokbench.corpora.splitters import WordSplitter
    from tokbench.cut import BoundSegmenter, segment
    from tokbench.score.estimate import score
    from tokbench.score.test_set import TestSet

    registry = plugins.load()
    described = DescribedCorpus(Source(path=(text,)), "words", WordSplitter())
    (corpus,) = load_corpora(described, {"text": described}, {}, {}, seed=0).tests
    test = TestSet.prepare(corpus, 1, 0)
    metrics = {
        "tokens": TokenTotal(),
        "fertility": Fertility(),
        "kept-whole-running": KeptWholeRunning(),
    }
    loader = registry.build("learner", Use.model_validate({"use": learner, **options}), models)
    assert isinstance(loader, Learner)
    vocabulary = loader.load()
    segmenter = registry.build("segmenter", Use.model_validate(dict(vocabulary.segmenter)))
    assert isinstance(segmenter, TextSegmenter)
    bound = BoundSegmenter(segmenter, vocabulary)
    bound.lines(corpus.text.lines[:WARM])
    begin = perf_counter()
    segmentation = segment(bound, corpus.words, corpus.text)
    estimates = score(test, metrics, {"text": segmentation}).estimates
    return perf_counter() - begin, estimates["tokens", "all"].value


def gpt2(models: Path) -> Cut:
    """Load GPT-2's tokenizer in Hugging Face's library."""
    from tokenizers import ByteLevelBPETokenizer

    folder = models / "gpt2"
    files = (str(folder / "encoder.json"), str(folder / "vocab.bpe"))
    return encoded(ByteLevelBPETokenizer.from_file(*files))


def bert(models: Path) -> Cut:
    """Load BERT's tokenizer in Hugging Face's library."""
    from tokenizers import BertWordPieceTokenizer

    return encoded(BertWordPieceTokenizer(str(models / "bert-base-uncased" / "vocab.txt")))


def encoded(tokenizer: Any) -> Cut:
    """Encode with Hugging Face and read ids and offsets."""

    def cut(lines: Sequence[str]) -> int:
        encodings = tokenizer.encode_batch(list(lines), add_special_tokens=False)
        return sum(len(ids) for ids, _ in [(line.ids, line.offsets) for line in encodings])

    return cut


def cl100k(models: Path) -> Cut:
    """Load cl100k in tiktoken."""
    import tiktoken
    from tokbench_tiktoken.published import PATTERNS

    pairs = (
        line.split()
        for line in (models / "tiktoken" / "cl100k_base.tiktoken").read_bytes().splitlines()
        if line
    )
    ranks = {base64.b64decode(token): int(rank) for token, rank in pairs}
    encoding = tiktoken.Encoding(
        "cl100k", pat_str=PATTERNS["cl100k"], mergeable_ranks=ranks, special_tokens={}
    )
    return lambda lines: sum(map(len, encoding.encode_ordinary_batch(list(lines))))


def pieces(*parts: str) -> Callable[[Path], Cut]:
    """Encode with SentencePiece and read ids and offsets."""

    def build(models: Path) -> Cut:
        from sentencepiece import SentencePieceProcessor

        processor = SentencePieceProcessor(model_file=str(models.joinpath(*parts)))

        def cut(lines: Sequence[str]) -> int:
            cuts = processor.encode(list(lines), out_type="offset_mapping", return_bytes=True)
            return sum(len(ids) for ids, _ in [(cut["ids"], cut["offsets"]) for cut in cuts])

        return cut

    return build


LIBRARIES: Mapping[str, Callable[[Path], Cut]] = {
    "gpt2": gpt2,
    "bert": bert,
    "cl100k": cl100k,
    "xlnet": pieces("xlnet-sp-unigram", "spiece.model"),
    "mistral": pieces("mistral-sp-bpe", "tokenizer.model.v1"),
}
