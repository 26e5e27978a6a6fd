"""Cut a text into tokens until there are enough of them, for the metrics of histograms.

It writes the lines as tokens for tokenization-scorer, and the same lines as words for tokbench.
"""

from pathlib import Path

from peers import tokbench
from words import counted

from tokbench.api import Vocabulary


def run(name: str, text: str, vocabulary: str, out: str, tokens: int) -> dict[str, int]:
    """Cut the text, and write the files of the histogram task."""
    learned = Vocabulary.from_json(Path(vocabulary).read_text(encoding="utf-8"))
    spelled = spell(learned, list(counted(Path(text))))
    folder, written = Path(out), 0
    with (
        Path(text).open(encoding="utf-8") as lines,
        (folder / "words.txt").open("w", encoding="utf-8") as words,
        (folder / "tokens.txt").open("w", encoding="utf-8") as cut,
    ):
        for line in lines:
            if written >= tokens:
                break
            row = [token for word in line.split() for token in spelled[word]]
            words.write(line)
            cut.write(f"{' '.join(row)}\n")
            written += len(row)
    return {"tokens": written}


def spell(vocabulary: Vocabulary, words: list[str]) -> dict[str, list[str]]:
    """Return the tokens of each word as people read them."""
    states = tokbench.segment(tokbench.Ready(vocabulary), words)
    shown = [vocabulary.marks.show(token) for token in vocabulary.tokens]
    tokens = [shown[i] for i in states.ids.tolist()]
    row = states.row.tolist()
    return {word: tokens[a:b] for word, a, b in zip(words, row, row[1:], strict=False)}
