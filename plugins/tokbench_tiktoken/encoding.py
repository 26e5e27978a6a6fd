"""tiktoken's encodings; this module loads the library and NumPy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import regex
from numpy.typing import NDArray
from tiktoken import Encoding
from tokbench_bpe.explaining import explain_merges
from tokbench_bytes.explaining import explain_pieces

from tokbench.api import (
    Decision,
    Explanation,
    InputError,
    LineTokens,
    Vocabulary,
    byte_length,
    encodable,
    to_bytes_text,
)

_PANIC = "PanicException"


@dataclass(frozen=True)
class Prepared:
    """An encoding, the rank of each token, and for each id the bytes that its token covers."""

    encoding: Encoding
    pattern: str
    ranks: Mapping[bytes, int]
    lengths: NDArray[np.int64]

    @classmethod
    def of(cls, vocabulary: Vocabulary) -> "Prepared":
        """Build from a vocabulary of bytes that holds a split pattern.

        Raises InputError for any other.
        """
        pattern = vocabulary.extra.get("pattern")
        if vocabulary.units != "bytes" or not isinstance(pattern, str):
            raise InputError(
                "the segmenter tiktoken needs a vocabulary of the learner tiktoken:"
                " byte tokens ranked by id, with a split pattern"
            )
        ranks = {
            vocabulary.raw(i): i
            for i in range(len(vocabulary.tokens))
            if i not in vocabulary.unproduced
        }
        lengths = np.zeros(len(vocabulary.tokens), dtype=np.int64)
        lengths[list(ranks.values())] = list(map(len, ranks))
        return cls(_encoding(pattern, ranks), pattern, ranks, lengths)

    def encode(self, lines: Sequence[str]) -> LineTokens:
        """Cut lines as `encode_ordinary` does: text that spells a special token is only text.

        Raises InputError for a line that the pattern does not match from end to end, or that
        tiktoken gives up on.
        """
        # tiktoken would join two lone surrogates that spell a character, and shift all spans.
        lines = list(map(encodable, lines))
        # One call a line: the thread pool of `encode_ordinary_batch` costs more than it saves.
        cut = [self._encode_line(line) for line in lines]
        row = np.cumsum([0, *map(len, cut)])
        ids = np.fromiter(chain.from_iterable(cut), dtype=np.int64, count=int(row[-1]))
        lengths = self.lengths[ids]
        if lengths.sum() != byte_length("".join(lines)):
            self._refuse_gap(lines, cut)
        return LineTokens.from_lengths(row, ids, lengths)

    def explain(self, line: str) -> Explanation:
        """Show the pre-tokens of a line, and the merges of each that is no token by itself.

        A pattern that only tiktoken can read shows no pre-tokens.
        """
        try:
            pieces = [match[0] for match in regex.finditer(self.pattern, encodable(line))]
        except regex.error:
            (tokens,) = self.encode([line]).pairs([line])
            return Explanation([], tokens)
        return explain_pieces(pieces, self._explain_piece)

    def _explain_piece(self, piece: str) -> Explanation:
        """Merge the pair whose token has the lowest rank, unless the whole is a token."""
        raw = piece.encode()
        rank = self.ranks.get(raw)
        if rank is not None:
            whole_piece = {"token": (to_bytes_text(piece),), "rank": rank}
            return Explanation(
                [Decision("the whole", [whole_piece], [0], "it is a token")], [(rank, len(raw))]
            )

        def merged(pair: tuple[str, str], done: int) -> int | None:
            return self.ranks.get("".join(pair).encode("latin-1"))

        steps, tokens = explain_merges(to_bytes_text(piece), merged)
        return Explanation(
            steps, [(self.ranks[token.encode("latin-1")], len(token)) for token in tokens]
        )

    def _encode_line(self, line: str) -> list[int]:
        try:
            return self.encoding.encode_ordinary(line)
        except BaseException as error:
            # A panic of its Rust code is no Exception.
            if type(error).__name__ != _PANIC:
                raise
            raise InputError(
                f"tiktoken gives up on a line of {len(line):,} characters, {line[:40]!r}...:"
                f" {' '.join(str(error).split())}"
            ) from None

    def _refuse_gap(self, lines: Sequence[str], cut: Sequence[Sequence[int]]) -> None:
        """Raise InputError: tiktoken leaves out what its pattern passes over, without a trace."""
        for line, ids in zip(lines, cut, strict=True):
            covered, size = int(self.lengths[ids].sum()), len(line.encode("utf-8"))
            if covered != size:
                raise InputError(
                    f"the split pattern leaves out {size - covered} of the {size} bytes of the"
                    f" line {line[:60]!r}: it must match every character, as with a last"
                    r" alternative `|\s+|.`"
                )


def check_pattern(pattern: str) -> None:
    """Raise InputError for a pattern that tiktoken cannot read."""
    _encoding(pattern, {bytes([byte]): byte for byte in range(256)})


def _encoding(pattern: str, ranks: dict[bytes, int]) -> Encoding:
    try:
        return Encoding("tokbench", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    except ValueError as error:
        raise InputError(f"tiktoken cannot read the pattern {pattern!r}: {error}") from None
