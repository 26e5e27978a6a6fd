"""Splitters that each break a promise, besides one that keeps all."""

from itertools import count

from tokbench.api import Splitter, hookimpl

CALLS = count()


class Characters(Splitter):
    """Take each character for a word."""

    def split(self, text):
        return [(i, i + 1) for i in range(len(text))]


class Overlapping(Splitter):
    """Take each pair of characters for a word."""

    def split(self, text):
        return [(i, i + 2) for i in range(len(text) - 1)]


class Backwards(Splitter):
    """Take the characters from the last to the first."""

    def split(self, text):
        return [(i, i + 1) for i in reversed(range(len(text)))]


class EmptyWords(Splitter):
    """Find words between spaces, empty ones too."""

    def split(self, text):
        start, spans = 0, []
        for word in text.split(" "):
            spans.append((start, start + len(word)))
            start += len(word) + 1
        return spans


class Bytes(Splitter):
    """Count bytes instead of characters."""

    def split(self, text):
        size = len(text.encode("utf-8", "surrogatepass"))
        return [(0, size)] if size else []


class Moody(Splitter):
    """Find words every other time."""

    def split(self, text):
        return [(0, len(text))] if text and next(CALLS) % 2 else []


class Raises(Splitter):
    """Fail at an empty text."""

    def split(self, text):
        text[0]
        return [(0, len(text))]


@hookimpl
def tokbench_splitters():
    return {
        "characters": Characters,
        "overlapping": Overlapping,
        "backwards": Backwards,
        "empty-words": EmptyWords,
        "bytes": Bytes,
        "moody": Moody,
        "raises": Raises,
    }


@hookimpl
def tokbench_report_sections(run):
    """Add another section each time."""
    return {"Where it is": hex(id(run))}
