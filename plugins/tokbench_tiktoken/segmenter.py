"""The segmenter `tiktoken`: the library itself, over whole lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import TYPE_CHECKING

from tokbench_bpe.explaining import explain_merges
from tokbench_bytes.segmenter import explain_pieces

from tokbench.api import Decision, Explanation, InputError, TextSegmenter, Vocabulary
from tokbench.api.text import byte_length, encodable, to_bytes_text
from tokbench_tiktoken import NeedsTiktoken

if TYPE_CHECKING:
    from tiktoken import Encoding

    from tokbench.api.arrays import LineTokens

_PANIC = "PanicException"


@dataclass(frozen=True)
class PreparedRanks:
    """An encoding, its split pattern, the rank of each token, and for each id its bytes."""

    encoding: "Encoding"
    pattern: str
    ranks: Mapping[bytes, int]
    lengths: Sequence[int]

    def explain_piece(self, piece: str) -> Explanation:
        """Merge the pair whose token has the lowest rank, unless the whole is a token."""
        raw = piece.encode()
        rank = self.ranks.get(raw)
        if rank is not None:
            token = {"token": (to_bytes_text(piece),), "rank": rank}
            return Explanation(
                [Decision("the whole", [token], [0], "it is a token")], [(rank, len(raw))]
            )

        def merged(pair: tuple[str, str], done: int) -> int | None:
            return self.ranks.get("".join(pair).encode("latin-1"))

        steps, tokens = explain_merges(to_bytes_text(piece), merged)
        return Explanation(
            steps, [(self.ranks[token.encode("latin-1")], len(token)) for token in tokens]
        )


class TiktokenSegmenter(NeedsTiktoken, TextSegmenter):
    """Cut text as tiktoken's `encode_ordinary` does, spans by the bytes of the tokens.

    Text that spells a special token is ordinary text. A lone surrogate is cut as U+FFFD, which
    has as many bytes. A line that the split pattern does not match from end to end is refused,
    since tiktoken would leave the rest out without saying where.
    """

    def prepare(self, vocabulary: Vocabulary) -> PreparedRanks:
        """Build tiktoken's encoding; raises InputError for a vocabulary of another kind."""
        pattern = vocabulary.extra.get("pattern")
        if vocabulary.units != "bytes" or not isinstance(pattern, str):
            raise InputError(
                "the segmenter tiktoken needs a vocabulary of the learner tiktoken:"
                " byte tokens ranked by id, with a split pattern"
            )
        lengths = [*map(len, vocabulary.tokens)]
        unproduced = vocabulary.unproduced
        ids = (i for i in range(len(lengths)) if i not in unproduced)
        ranks = {vocabulary.raw(i): i for i in ids}
        return PreparedRanks(encoding_of(pattern, ranks), pattern, ranks, lengths)

    def segment_lines(self, lines: Sequence[str], prepared: PreparedRanks) -> "LineTokens":
        """Return the tokens of whole lines.

        Raises InputError for a line that the pattern does not match from end to end, or that
        tiktoken gives up on.
        """
        # NumPy stays off the start-up path.
        from tokbench.api.arrays import LineTokens

        # tiktoken would join two lone surrogates that spell a character, and shift all spans.
        lines = list(map(encodable, lines))
        # One call a line: the thread pool of `encode_ordinary_batch` costs more than it saves.
        cut = [_encode(prepared.encoding, line) for line in lines]
        ids = [*chain.from_iterable(cut)]
        lengths = [*map(prepared.lengths.__getitem__, ids)]
        if sum(lengths) != byte_length("".join(lines)):
            _refuse_gap(lines, cut, prepared.lengths)
        return LineTokens.from_lengths([*accumulate(map(len, cut), initial=0)], ids, lengths)

    def explain(self, word: str, prepared: PreparedRanks) -> Explanation:
        """Show the pre-tokens of a line, and the merges of each that is no token by itself.

        A pattern that only tiktoken can read shows no pre-tokens.
        """
        import regex

        try:
            pieces = [match[0] for match in regex.finditer(prepared.pattern, encodable(word))]
        except regex.error:
            (tokens,) = self.segment_lines([word], prepared).pairs([word])
            return Explanation([], tokens)
        return explain_pieces(pieces, prepared.explain_piece)


def encoding_of(pattern: str, ranks: dict[bytes, int]) -> "Encoding":
    """Build an encoding; raises InputError for a pattern that tiktoken cannot read."""
    # The library stays off the start-up path.
    from tiktoken import Encoding

    try:
        return Encoding("tokbench", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    except ValueError as error:
        raise InputError(f"tiktoken cannot read the pattern {pattern!r}: {error}") from None


def _encode(encoding: "Encoding", line: str) -> list[int]:
    try:
        return encoding.encode_ordinary(line)
    except BaseException as error:
        # A panic of its Rust code is no Exception.
        if type(error).__name__ != _PANIC:
            raise
        raise InputError(
            f"tiktoken gives up on a line of {len(line):,} characters, {line[:40]!r}...:"
            f" {' '.join(str(error).split())}"
        ) from None


def _refuse_gap(lines: Sequence[str], cut: Sequence[Sequence[int]], lengths: Sequence[int]) -> None:
    """Raise InputError: tiktoken leaves out what its pattern passes over, without a trace."""
    for line, ids in zip(lines, cut, strict=True):
        covered, size = sum(lengths[i] for i in ids), byte_length(line)
        if covered != size:
            raise InputError(
                f"the split pattern leaves out {size - covered} of the {size} bytes of the"
                f" line {line[:60]!r}: it must match every character, as with a last"
                r" alternative `|\s+|.`"
            )
