"""Segmenters of lines that each break a promise, besides one that keeps all."""

from tokbench.api import Learner, TextSegmenter, Vocabulary, hookimpl

BYTES = tuple(map(chr, range(256)))


class Bytes(TextSegmenter):
    """Cut into bytes."""

    def segment_lines(self, lines, prepared):
        from tokbench.api.arrays import LineTokens

        row, tokens = [0], []
        for line in lines:
            tokens += self.tokens(line, prepared)
            row.append(len(tokens))
        ids, starts, ends = zip(*tokens, strict=True) if tokens else ((), (), ())
        return LineTokens(row, ids, starts, ends)

    def tokens(self, line, prepared):
        raw = line.encode("utf-8", "surrogatepass")
        return [(prepared.ids[chr(byte)], i, i + 1) for i, byte in enumerate(raw)]


class CharacterOffsets(Bytes):
    """Returns offsets in characters."""

    def tokens(self, line, prepared):
        tokens = super().tokens(line, prepared)
        return [(i, start, end) for i, start, end in tokens[: len(line)] if end <= len(line)] + [
            (0, len(line), len(line) + 1)
        ]


class BareSpaces(Bytes):
    """Says that spaces cover nothing."""

    def tokens(self, line, prepared):
        space = prepared.ids[" "]
        tokens = super().tokens(line, prepared)
        return [(i, start, start if i == space else end) for i, start, end in tokens]


class ForeignIds(Bytes):
    """Returns ids that the vocabulary does not have."""

    def tokens(self, line, prepared):
        return [(i + len(prepared.tokens), a, b) for i, a, b in super().tokens(line, prepared)]


class AddsSpecial(Bytes):
    """Puts a special token before each line."""

    def tokens(self, line, prepared):
        return [(256, 0, 0), *super().tokens(line, prepared)]


class ReadsSpecial(Bytes):
    """Takes text that spells a special token for that token."""

    def tokens(self, line, prepared):
        if "<pad>" not in line:
            return super().tokens(line, prepared)
        begin = len(line.partition("<pad>")[0].encode("utf-8", "surrogatepass"))
        tokens = super().tokens(line, prepared)
        return [*tokens[:begin], (256, begin, begin + 5), *tokens[begin + 5 :]]


class Utf8Only(Bytes):
    """Cannot cope with lone surrogates."""

    def tokens(self, line, prepared):
        line.encode("utf-8")
        return super().tokens(line, prepared)


class NoLines(Bytes):
    """Cannot cope with an empty list of lines."""

    def segment_lines(self, lines, prepared):
        assert lines[0] is not None
        return super().segment_lines(lines, prepared)


class Neighbourly(Bytes):
    """Drops the first byte of lines that stand beside others."""

    def segment_lines(self, lines, prepared):
        from tokbench.api.arrays import LineTokens

        tokens = super().segment_lines(lines, prepared)
        if len(lines) < 2:
            return tokens
        return LineTokens(
            [max(0, end - 1) for end in tokens.row],
            *(column[1:] for column in (tokens.ids, tokens.starts, tokens.ends)),
        )


class Swaps(Bytes):
    """Writes a for b."""

    def tokens(self, line, prepared):
        tokens = super().tokens(line, prepared)
        return [(ord("a") if i == ord("b") else i, a, b) for i, a, b in tokens]


class Refuses(Bytes):
    """Refuses every vocabulary."""

    def prepare(self, vocabulary):
        from tokbench.api import InputError

        raise InputError("a vocabulary of another kind")


class Loaded(Learner):
    """Knows all bytes, and one special token; there is nothing to learn."""

    @property
    def reads(self):
        return "nothing"

    def load(self):
        name = {"use": "bytes-alone"}
        return Vocabulary((*BYTES, "<pad>"), special=(256,), units="bytes", segmenter=name)


@hookimpl
def tokbench_learners():
    return {"loaded": Loaded}


@hookimpl
def tokbench_segmenters():
    return {
        "bytes-alone": Bytes,
        "character-offsets": CharacterOffsets,
        "bare-spaces": BareSpaces,
        "foreign-ids": ForeignIds,
        "adds-special": AddsSpecial,
        "reads-special": ReadsSpecial,
        "utf8-lines": Utf8Only,
        "no-lines": NoLines,
        "neighbourly": Neighbourly,
        "swaps": Swaps,
        "refuses": Refuses,
    }
