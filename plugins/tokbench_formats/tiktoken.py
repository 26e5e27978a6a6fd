"""tiktoken's rank files: one token a line, its bytes in base64, a space and its rank.

    IQ== 0
    Ig== 1

tiktoken joins the two neighbours whose *joined* bytes have the lowest rank, whatever its parts
are, and takes a piece that is a token as a whole; merges join one pair. Ranks are the ids.
"""

import base64
import binascii
import re
from collections.abc import Mapping, Sequence

from tokbench.api import (
    Exported,
    ExportInput,
    Imported,
    InputError,
    Recognised,
    SourceFile,
    Vocabulary,
    VocabularyFormat,
)
from tokbench_formats.carried import (
    BYTE_BPE,
    check_bytes,
    check_pairs,
    check_segmenter,
    left_out,
    own_split,
)
from tokbench_formats.merging import merged, pair_ranks, pairs_of, recovered
from tokbench_formats.reading import lines_of
from tokbench_formats.recognising import each_line_is

NAME = "tiktoken"
RANK = re.compile(r"(?:[\w+/]{4})*(?:[\w+/]{2}==|[\w+/]{3}=)? \d+", re.ASCII)
LOOK = Recognised("ranks of tiktoken", (NAME,), readers=("{use: tiktoken, path: ...}",))
NO_PATTERN = "the file has no split pattern"
PATTERN = (
    f"{NO_PATTERN}: words are cut alone; to cut lines, name the segmenter with its pattern: "
    "--segmenter '{use: byte-bpe, split: cl100k}'"
)


class TiktokenFormat(VocabularyFormat):
    """The ranks of tiktoken."""

    uses_text = True

    def write(self, vocabulary: Vocabulary, given: ExportInput) -> Exported:
        """Write the ranks, and note how many words tiktoken cuts otherwise with them.

        The words are those of the text that is given, or else the learned tokens themselves. Raises
        InputError unless tokens are bytes, all 256 of them, with ids in the order of the merges.
        """
        check_bytes(vocabulary, NAME)
        check_segmenter(vocabulary, NAME, (*BYTE_BPE, NAME))
        check_pairs(vocabulary, NAME)
        ranks = {t: i for t, i in vocabulary.ids.items() if i not in vocabulary.unproduced}
        _check_ranks(vocabulary, ranks)
        lines = [
            f"{base64.b64encode(token.encode('latin-1')).decode('ascii')} {rank}\n"
            for token, rank in ranks.items()
        ]
        split = own_split(vocabulary)
        notes = [
            *left_out(vocabulary),
            NO_PATTERN + (f": this vocabulary's is {split!r}" if split else ""),
        ]
        if vocabulary.segmenter["use"] != NAME:
            notes.append(_difference(vocabulary, ranks, given))
        return Exported({"ranks.tiktoken": "".join(lines)}, tuple(notes))

    def read(self, sources: Sequence[SourceFile]) -> Imported:
        """Read the ranks, and find the merge that builds each token.

        Raises InputError, naming the line, for a line that is no rank, for ranks that are not 0, 1,
        2 and so on, and for a token that no two tokens of lower rank build.
        """
        (source,) = sources
        ranks: dict[str, int] = {}
        for place, line in lines_of(source):
            token, rank = _entry(line, place)
            if rank != len(ranks):
                raise InputError(f"{place}: found rank {rank}, expected {len(ranks)}")
            if token in ranks:
                raise InputError(f"{place}: its bytes have the rank {ranks[token]} already")
            ranks[token] = rank
        parts = recovered(ranks)
        if alone := next((token for token, found in parts.items() if len(found) != 2), None):
            raise InputError(
                f"{source.where}:{ranks[alone] + 1}: no two tokens of lower rank build "
                f"{alone.encode('latin-1')!r:.80}: as merges it cannot be had; the learner "
                "`tiktoken` reads the file itself"
            )
        vocabulary = Vocabulary(
            tokens=tuple(ranks),
            alphabet=tuple(token for token in ranks if len(token) == 1),
            learned=pairs_of(parts),
            segmenter={"use": "bpe"},
            units="bytes",
        )
        return Imported(vocabulary, (PATTERN,))

    def recognise(self, data: bytes) -> Recognised | None:
        """Recognise lines of base64 and a rank."""
        return LOOK if each_line_is(RANK, data) else None


def _entry(line: str, place: str) -> tuple[str, int]:
    fields = line.split(" ")
    try:
        token, rank = fields
        if not (rank.isascii() and rank.isdecimal()):
            raise ValueError
        raw = base64.b64decode(token, validate=True)
    except (ValueError, binascii.Error):
        raise InputError(f"{place}: found {line!r:.80}, expected base64 and a rank") from None
    if not raw:
        raise InputError(f"{place}: found {line!r:.80}, a token of no bytes")
    return raw.decode("latin-1"), int(rank)


def _check_ranks(vocabulary: Vocabulary, ranks: Mapping[str, int]) -> None:
    missing = next((byte for byte in range(256) if chr(byte) not in ranks), None)
    if missing is not None:
        raise InputError(f"{NAME} fails on a byte that is no token: 0x{missing:02x}")
    order = [ranks.get(product, -1) for product in dict.fromkeys(vocabulary.products)]
    if -1 in order or order != sorted(order):
        raise InputError(f"{NAME} merges in the order of ids, and this vocabulary in another")


def _difference(vocabulary: Vocabulary, ranks: Mapping[str, int], given: ExportInput) -> str:
    """Count the words that merging by joined bytes cuts otherwise than merging by pairs."""
    words: dict[str, Sequence[str]]
    if given.splits is None:
        pairs = pair_ranks(vocabulary)
        words = {product: _by_pairs(product, pairs) for product in vocabulary.products}
        of = "learned tokens, each taken as a word,"
    else:
        words = {"".join(tokens): tokens for tokens, _ in given.splits}
        of = "distinct words of the text"
    different = sum(_by_joined(word, ranks) != list(cut) for word, cut in words.items())
    return f"{different:,} of {len(words):,} {of} are cut otherwise by tiktoken"


def _by_joined(word: str, ranks: Mapping[str, int]) -> list[str]:
    if word in ranks:
        return [word]
    return merged(word, lambda left, right: ranks.get(left + right))


def _by_pairs(word: str, ranks: Mapping[tuple[str, ...], int]) -> list[str]:
    return merged(word, lambda left, right: ranks.get((left, right)))
