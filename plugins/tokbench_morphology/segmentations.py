"""A published segmentation as a system: words with their tokens, from a file."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field

from tokbench.api import (
    Decision,
    Explanation,
    InputError,
    InputFile,
    Learner,
    Reads,
    Segmenter,
    Token,
    Vocabulary,
)
from tokbench.api.text import byte_length
from tokbench_morphology.gold import checked, sigmorphon, split

SHOWN = 20
"""Of the lines that are wrong, so many are shown."""


class PublishedSegmentations(Learner):
    """Load words that another program has segmented: a line is `word<TAB>tokens`.

    So its output can be scored without the program. A word that the file lacks is one unknown
    token. Tokens that do not join to their word are canonical morphemes: morpheme metrics score
    them, and the word counts as lossy. Boundary metrics are undefined on a corpus with such a word:
    to leave it out would score each system on other words. `tokbench check` does not read the file:
    `tokbench learn --learner segmentations -O path=FILE` names each line that is wrong.
    """

    path: InputFile = Field(description="the file: `word<TAB>un break able` a line")
    format: Literal["tsv", "sigmorphon"] = Field(
        "tsv",
        description="spaces between tokens, or `un @@break @@able`, read as the evaluation of "
        "SIGMORPHON 2022 does: an empty token counts, a third field does not",
    )

    reads: ClassVar[Reads] = "nothing"  # it is ready-made

    def load(self) -> Vocabulary:
        """Read the file; the ids of tokens are in the order in which they first occur.

        Raises InputError, with file and line, for lines that are wrong and words that stand twice:
        all of them at once.
        """
        cuts: dict[str, tuple[str, ...]] = {}
        lines: dict[str, int] = {}
        wrong: list[str] = []
        for number, line in enumerate(self.path.read_text().split("\n"), start=1):
            if not line.strip():
                continue
            try:
                word, tokens_of = self._read(line)
                first = lines.setdefault(word, number)
                if first != number:
                    raise ValueError(f"the word {word!r} stands twice, first on line {first}")
                cuts[word] = tokens_of
            except ValueError as error:
                wrong.append(f"{self.path.path}:{number}: {error}")
        if wrong:
            more = [f"and {len(wrong) - SHOWN:,} more"] if len(wrong) > SHOWN else []
            raise InputError("\n".join([*wrong[:SHOWN], *more]))
        if not cuts:
            raise InputError(f"{self.path.path}: no line holds a word and its tokens")
        tokens = dict.fromkeys(token for cut in cuts.values() for token in cut)
        ids = {token: i for i, token in enumerate(tokens)}
        return Vocabulary(
            tokens=tuple(tokens),
            segmenter={"use": "segmentations"},
            extra={"words": {word: [ids[t] for t in cut] for word, cut in cuts.items()}},
        )

    def _read(self, line: str) -> tuple[str, tuple[str, ...]]:
        """Return the word and the tokens of a line; raises ValueError for a wrong one."""
        if self.format == "sigmorphon":
            word, tokens, _ = sigmorphon(line)
        else:
            word, segmented = split(line, "word<TAB>tokens", 2, 2)
            tokens = checked(tuple(segmented.split()))
        if not word:
            raise ValueError("found no word before the tab")
        return word, tokens


class PublishedSegmenter(Segmenter):
    """Look words up in the vocabulary of the learner `segmentations`."""

    def prepare(self, vocabulary: Vocabulary) -> Mapping[str, tuple[str, ...]]:
        """Return the tokens of each word; raises InputError for any other vocabulary."""
        words: Any = vocabulary.extra.get("words")
        if not isinstance(words, Mapping):
            raise InputError("the segmenter segmentations cuts with a vocabulary of its own only")
        return {word: tuple(vocabulary.tokens[i] for i in ids) for word, ids in words.items()}

    def segment(self, word: str, prepared: Mapping[str, tuple[str, ...]]) -> Sequence[Token]:
        """Return the tokens of a word, one unknown token where the file lacks it."""
        size = byte_length(word)
        tokens = prepared.get(word)
        if tokens is None:
            return [(word, size)]
        if "".join(tokens) == word:
            return tokens
        return [*((token, 0) for token in tokens), (None, size)]

    def explain(self, word: str, prepared: Mapping[str, tuple[str, ...]]) -> Explanation:
        """Show the line of the file that has the word."""
        tokens = prepared.get(word)
        rows = [] if tokens is None else [{"word": word, "tokens": tokens}]
        reason = "the file lacks the word: one unknown token"
        if tokens is not None:
            joined = "".join(tokens) == word
            reason = "they stand so in the file" + (
                "" if joined else "; they do not spell the word"
            )
        step = Decision("look-up", rows, range(len(rows)), reason)
        return Explanation([step], self.segment(word, prepared))
