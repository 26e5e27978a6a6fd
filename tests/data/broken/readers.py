"""Learners that read lines or nothing, and each break a promise, besides three that keep all."""

from itertools import count, pairwise

from pydantic import Field

from tokbench.api import InputFile, Learner, SizeError, Vocabulary, hookimpl

NUMBERS = count()
BYTES = tuple(map(chr, range(256)))


class Loaded(Learner):
    """Knows all bytes, and one special token; there is nothing to learn."""

    @property
    def reads(self):
        return "nothing"

    def load(self):
        return self.vocabulary((*BYTES, "<pad>"))

    def vocabulary(self, tokens):
        return Vocabulary(tokens, special=(256,), units="bytes", segmenter={"use": "longest-match"})


class LoadsAnew(Loaded):
    """Returns another vocabulary each time."""

    def load(self):
        return self.vocabulary((*BYTES, f"<pad-{next(NUMBERS)}>"))


class LoadsSized(Loaded):
    """Says that a size matters to what is ready-made."""

    @property
    def sized(self):
        return True


class FromFile(Loaded):
    """Needs a file."""

    path: InputFile = Field(description="a file")


class NotInstalled(Loaded):
    """Needs a library that is not there."""

    requires = "broken[library]"
    requires_version = {"no-such-library": "0"}


class FromLines(Learner):
    """Know the characters of lines, and pairs of them."""

    @property
    def reads(self):
        return "lines"

    def learn_lines(self, lines, size):
        letters = sorted(set().union(*lines))
        if size.total is not None and size.total < len(letters):
            raise SizeError("below the alphabet", len(letters))
        room = size.learned if size.total is None else size.total - len(letters)
        return Vocabulary((*letters, *self.pairs(lines)[:room]), segmenter={"use": "longest-match"})

    def pairs(self, lines):
        return list(dict.fromkeys(a + b for line in lines for a, b in pairwise(line)))


class ReadsUnheardOf(FromLines):
    """Reads what there is not."""

    @property
    def reads(self):
        return "pages"


class ReadsOnce(FromLines):
    """Takes lines for a list."""

    def pairs(self, lines):
        return super().pairs([lines[0], *lines[1:]])


class WithoutMethod(FromLines):
    """Reads words, but defines only how to learn from lines."""

    @property
    def reads(self):
        return "words"


class Different(FromLines):
    """Returns other pairs each time, and says so: nothing is wrong with it."""

    @property
    def deterministic(self):
        return False

    @property
    def order_free(self):
        return True

    def pairs(self, lines):
        return [f"{next(NUMBERS)}-", *super().pairs(lines)]


@hookimpl
def tokbench_learners():
    return {
        "loaded": Loaded,
        "loads-anew": LoadsAnew,
        "loads-sized": LoadsSized,
        "from-file": FromFile,
        "not-installed": NotInstalled,
        "from-lines": FromLines,
        "reads-unheard-of": ReadsUnheardOf,
        "reads-once": ReadsOnce,
        "without-method": WithoutMethod,
        "different": Different,
    }
