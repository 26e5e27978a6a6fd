"""tiktoken's rank files: one token a line, its bytes in base64, a space and its rank.

    IQ== 0
    Ig== 1

tiktoken joins the two neighbours whose *joined* bytes have the lowest rank, whatever its parts
are, and takes a piece that is a token as a whole; merges join one pair. Ranks are the ids.
"""

import base64
import binascii
import re
from collections.abc import Collection, Mapping, Sequence

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
from tokbench_formats.merging import merged, recovered
from tokbench_formats.reading import each_line_is

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

    def write(self, vocabulary: Vocabulary, inputs: ExportInput) -> Exported:
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
            notes.append(_difference(vocabulary, ranks, inputs))
        return Exported({"ranks.tiktoken": "".join(lines)}, tuple(notes))

    def read(self, sources: Sequence[SourceFile]) -> Imported:
        """Read the ranks, and find the merge that builds each token.

        Raises InputError for what `read_ranks` refuses, and for a token that no two tokens of lower
        rank build.
        """
        (source,) = sources
        ranks = read_ranks(source.data, source.where)
        ids = sorted(ranks, key=ranks.__getitem__)
        learned = tuple(recovered(ranks))
        if odd := next((item for item in learned if len(item.parts) != 2), None):
            token = "".join(odd.parts).encode("latin-1")
            lines = [line.split()[:1] for line in source.data.split(b"\n")]
            number = lines.index([base64.b64encode(token)]) + 1
            raise InputError(
                f"{source.where}:{number}: no two tokens of lower rank build {token!r:.80}: as"
                " merges it cannot be had; the learner `tiktoken` reads the file itself"
            )
        vocabulary = Vocabulary(
            tokens=tuple(ids),
            alphabet=tuple(token for token in ids if len(token) == 1),
            learned=learned,
            segmenter={"use": "bpe"},
            units="bytes",
        )
        return Imported(vocabulary, (PATTERN,))

    def recognise(self, data: bytes) -> Recognised | None:
        """Recognise lines of base64 and a rank."""
        return LOOK if each_line_is(RANK, data) else None


def read_ranks(data: bytes, where: str, special: Collection[int] = ()) -> dict[str, int]:
    """Return the rank of each token, spelled as bytes (U+0000 to U+00FF), in the file's order.

    Raises InputError, naming the line, for what is no base64 and a rank, a token or rank that
    stands twice, and a rank from 0 to the highest that neither a line nor `special` has.
    """
    ranks: dict[str, int] = {}
    lines: dict[int, int] = {}
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            token, rank = _entry(line)
            if token in ranks:
                raise ValueError(f"its token stands in line {lines[ranks[token]]} already")
            if rank in lines:
                raise ValueError(f"rank {rank} stands in line {lines[rank]} already")
        except ValueError as error:
            raise InputError(f"{where}:{number}: {error}") from None
        ranks[token], lines[rank] = rank, number
    if not ranks:
        raise InputError(f"{where}: holds no ranks, expected lines of a token and its rank")
    expected = 0
    for rank in sorted(lines):
        while expected in special and expected != rank:
            expected += 1
        if rank != expected:
            raise InputError(
                f"{where}:{lines[rank]}: rank {rank} comes after {expected - 1} in order of rank,"
                f" expected {expected}: ranks are missing"
            )
        expected += 1
    return ranks


def _entry(line: bytes) -> tuple[str, int]:
    """Read a line; raises ValueError with what would be right."""
    fields = line.split()
    if len(fields) != 2 or not fields[1].isdigit():
        shown = line[:40].decode("utf-8", "replace")
        raise ValueError(f"expected a token in base64, a space and a rank, found {shown!r}")
    try:
        token = binascii.a2b_base64(fields[0], strict_mode=True)
    except binascii.Error as error:
        shown = fields[0][:40].decode("utf-8", "replace")
        raise ValueError(f"the token {shown!r} is no base64: {error}") from None
    if not token:
        raise ValueError("the token is empty")
    return token.decode("latin-1"), int(fields[1])


def _check_ranks(vocabulary: Vocabulary, ranks: Mapping[str, int]) -> None:
    missing = next((byte for byte in range(256) if chr(byte) not in ranks), None)
    if missing is not None:
        raise InputError(f"{NAME} fails on a byte that is no token: 0x{missing:02x}")
    order = [ranks.get(product, -1) for product in dict.fromkeys(vocabulary.products)]
    if -1 in order or order != sorted(order):
        raise InputError(f"{NAME} merges in the order of ids, and this vocabulary in another")


def _difference(vocabulary: Vocabulary, ranks: Mapping[str, int], inputs: ExportInput) -> str:
    """Count the words that merging by joined bytes cuts otherwise than merging by pairs."""
    words: dict[str, Sequence[str]]
    if inputs.splits is None:
        # A pair that stands twice has its lowest rank.
        pairs = {item.parts: rank for rank, item in reversed([*enumerate(vocabulary.learned)])}
        words = {product: _by_pairs(product, pairs) for product in vocabulary.products}
        of = "learned tokens, each taken as a word,"
    else:
        words = {"".join(tokens): tokens for tokens, _ in inputs.splits}
        of = "distinct words of the text"
    different = sum(_by_joined(word, ranks) != list(cut) for word, cut in words.items())
    return f"{different:,} of {len(words):,} {of} are cut otherwise by tiktoken"


def _by_joined(word: str, ranks: Mapping[str, int]) -> list[str]:
    if word in ranks:
        return [word]
    return merged(word, lambda left, right: ranks.get(left + right))


def _by_pairs(word: str, ranks: Mapping[tuple[str, ...], int]) -> list[str]:
    return merged(word, lambda left, right: ranks.get((left, right)))
