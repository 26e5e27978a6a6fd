"""Definitions of metrics on real text, against programs that know nothing of tokbench.

tokbench is asked on its command line; what is right comes from the texts and from the libraries of
the tokenizers themselves.
"""

import gzip
from collections.abc import Callable
from functools import cache

import pytest
import regex

from . import pages
from .conftest import SHARED
from .pages import Key
from .run_cli import tokbench_here as tokbench

ENGLISH, KOREAN = "eng_Latn", "kor_Hang"
GPT2 = "learner: {use: hf, kind: gpt2, vocab: gpt2/encoder.json, merges: gpt2/vocab.bpe}"
CONFIG = f"""\
corpora:
  train: {{path: train.txt}}
  test:
    {ENGLISH}: {SHARED}/parallel/{ENGLISH}.dev.gz
    {KOREAN}: {SHARED}/parallel/{KOREAN}.dev.gz
  gold: {{parts: gold.tsv}}
systems:
  - {{name: gpt2, {GPT2}}}
  - {{name: xlnet, learner: {{use: sentencepiece, path: xlnet-sp-unigram/spiece.model}}}}
  - utf8-bytes
  - code-points
metrics: all
resamples: 100
"""
# U+200B, of which the Korean text has one, separates words; it has no emoji.
WORD = regex.compile(r"[\p{L}\p{M}\p{N}_]+|[^\p{L}\p{M}\p{N}_\s\u200b]+")
GOLD_WORDS = 400

pytestmark = [pytest.mark.ci, pytest.mark.usefixtures("shared")]


@cache
def lines(language: str) -> list[str]:
    raw = gzip.decompress((SHARED / "parallel" / f"{language}.dev.gz").read_bytes())
    return raw.decode().removesuffix("\n").split("\n")


@cache
def gold() -> dict[str, str]:
    """Korean words with parts that join to the word: the cuts of their first and last syllable."""
    words = dict.fromkeys(word for line in lines(KOREAN) for word in WORD.findall(line))
    long = [word for word in words if len(word) > 2 and not word.isascii()][:GOLD_WORDS]
    return {word: f"{word[:1]} {word[1:-1]} {word[-1:]}" for word in long}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[Key, pages.Row]:
    folder = tmp_path_factory.mktemp("definitions")
    (folder / "train.txt").write_text("".join(f"{line}\n" for line in lines(ENGLISH)), "utf-8")
    (folder / "gold.tsv").write_text("".join(f"{w}\t{g}\n" for w, g in gold().items()), "utf-8")
    (folder / "config.yaml").write_text(CONFIG, "utf-8")
    done = tokbench(
        "run", "-q", folder / "config.yaml", "-o", folder / "out",
        TOKBENCH_MODELS=str(SHARED / "tokenizers"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return pages.read(folder / "out")


def value(results: dict[Key, pages.Row], system: str, corpus: str, metric: str) -> float:
    context = "isolated" if corpus == "parts" else "in-context"
    return float(results[Key(system, corpus, metric, context=context)]["value"])


@cache
def gpt2() -> Callable[[str], list[tuple[bytes, int, int]]]:
    """Return a function that cuts a line by the library: the bytes of each token, begin, end."""
    from tokenizers import ByteLevelBPETokenizer

    folder = SHARED / "tokenizers" / "gpt2"
    library = ByteLevelBPETokenizer.from_file(
        str(folder / "encoder.json"), str(folder / "vocab.bpe")
    )
    letters = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in letters]
    spelled = {chr(byte): byte for byte in letters}
    spelled |= {chr(256 + i): byte for i, byte in enumerate(others)}  # GPT-2's encoder.py

    def cut(line: str) -> list[tuple[bytes, int, int]]:
        tokens, at = [], 0
        for text in library.encode(line).tokens:
            raw = bytes(spelled[letter] for letter in text)
            tokens.append((raw, at, at + len(raw)))
            at += len(raw)
        assert at == len(line.encode())
        return tokens

    return cut


@cache
def xlnet() -> Callable[[str], list[tuple[int, int]]]:
    """Return a function that cuts a line by the library: the begin and end of each token.

    Where normalisation makes several tokens of a character, the library gives all but the last an
    empty place at its begin; they are tokens of the character too. A bare mark stands nowhere.
    """
    from sentencepiece import SentencePieceProcessor

    model = str(SHARED / "tokenizers" / "xlnet-sp-unigram" / "spiece.model")
    processor = SentencePieceProcessor(model_file=model)

    def cut(line: str) -> list[tuple[int, int]]:
        mapping = processor.encode_as_offset_mapping(line)
        pieces = processor.id_to_piece(mapping["ids"])
        with_text = [bool(piece.strip("▁")) for piece in pieces]
        places = zip(mapping["offsets"], with_text, strict=True)
        return [(begin, max(end, begin + has_text)) for (begin, end), has_text in places]

    return cut


def test_a_bare_mark_is_in_no_word(results: dict[Key, pages.Row]) -> None:
    """XLNet on Korean: 1.05827 tokens a word, and not 1.11231 with the mark that begins a line."""
    tokens = words = 0
    for line in lines(KOREAN):
        spans = [match.span() for match in WORD.finditer(line)]
        words += len(spans)
        tokens += sum(
            a < b and any(a < end and begin < b for begin, end in spans) for a, b in xlnet()(line)
        )
    assert tokens / words == pytest.approx(1.05827, abs=5e-6)
    assert value(results, "xlnet", KOREAN, "fertility") == pytest.approx(tokens / words, rel=1e-9)


def test_the_space_that_begins_a_token_has_no_length(results: dict[Key, pages.Row]) -> None:
    seen = set()
    for line in lines(ENGLISH):
        raw = line.encode()
        spaces = {match.start() for match in regex.finditer(rb"[ \t]", raw)}
        seen |= {t for t, begin, end in gpt2()(line) if not {*range(begin, end)} <= spaces}
    lengths = [len(token.removeprefix(b" ").decode("latin-1")) for token in seen if token.isascii()]
    assert len(lengths) > 0.99 * len(seen)
    others = [token.removeprefix(b" ") for token in seen if not token.isascii()]
    # A part of a character counts as one.
    lengths += [sum(byte & 0xC0 != 0x80 for byte in token[1:]) + 1 for token in others]
    expected = sum(lengths) / len(lengths)
    assert value(results, "gpt2", ENGLISH, "token-length") == pytest.approx(expected, rel=1e-9)


def test_bytes_and_code_points_cut_whole_lines(results: dict[Key, pages.Row]) -> None:
    """FLORES English has 125,290 bytes without line ends, of which 105,332 are no white space."""
    text = "".join(lines(ENGLISH))
    assert (len(text.encode()), len("".join(text.split()).encode())) == (125_290, 105_332)
    assert value(results, "utf8-bytes", ENGLISH, "tokens") == 125_290
    assert value(results, "code-points", ENGLISH, "tokens") == len(text)


@pytest.mark.parametrize("language", [ENGLISH, KOREAN])
def test_attention_is_paid_to_whole_lines(results: dict[Key, pages.Row], language: str) -> None:
    characters = sum(len(line) ** 2 for line in lines(language))
    tokens = sum(len(gpt2()(line)) ** 2 for line in lines(language))
    cost = value(results, "gpt2", language, "attention-cost")
    assert cost == pytest.approx(tokens / characters, rel=1e-9)
    assert value(results, "code-points", language, "attention-cost") == 1


def test_cuts_inside_characters_are_no_boundaries(results: dict[Key, pages.Row]) -> None:
    hits = predicted = expected = split = 0
    for word, parts in gold().items():
        bytes_ = [len(word[:i].encode()) for i in range(1, len(word))]
        all_cuts = {begin for _, begin, _ in gpt2()(word)} - {0}
        cuts = all_cuts & {*bytes_}
        split += len(all_cuts - cuts)
        places = {bytes_[0], bytes_[-1]}
        assert parts.count(" ") == len(places)
        hits, predicted = hits + len(cuts & places), predicted + len(cuts)
        expected += len(places)
    assert split > predicted / 2
    for metric, right in (
        ("boundary-precision-micro", hits / predicted),
        ("boundary-recall-micro", hits / expected),
        ("boundary-f1-micro", 2 * hits / (predicted + expected)),
        ("split-characters", split / (split + predicted)),
    ):
        assert value(results, "gpt2", "parts", metric) == pytest.approx(right, rel=1e-9), metric


def test_much_unknown_text_is_gated(results: dict[Key, pages.Row]) -> None:
    """XLNet knows no Korean: 84.6 % of the words are unknown, so its fertility says nothing."""
    assert value(results, "xlnet", KOREAN, "oov-words-running") == pytest.approx(0.846, abs=5e-4)
    fertility, kept_whole = (
        results[Key("xlnet", KOREAN, metric, context="in-context")]
        for metric in ("fertility", "kept-whole-running")
    )
    assert (fertility["gated"], fertility["p"], fertility["p-holm"]) == ("yes", "", "")
    assert (kept_whole["gated"], bool(kept_whole["p"])) == ("", True)
    assert results[Key("xlnet", ENGLISH, "fertility", context="in-context")]["gated"] == ""
