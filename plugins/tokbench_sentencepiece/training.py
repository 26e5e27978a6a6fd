"""SentencePiece's trainer, and the file that it reads: counted words or lines.

The trainer passes over every line that holds U+2585, saying so only in its log; it cannot read a
counted word that holds a tab, nor any line feed. To it U+0000 is no character, only a border that
no piece crosses. So each of these characters becomes U+0000: they are not learned, what stands
beside them is. A lone surrogate becomes U+FFFD, as it does where text is cut.
"""

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import chdir, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

from tokbench.api import InputError, Size, SizeError
from tokbench.api.text import encodable

_UNREADABLE = str.maketrans(dict.fromkeys("\u2585\n", "\0"))
_UNREADABLE_IN_WORDS = str.maketrans(dict.fromkeys("\u2585\n\t", "\0"))

# Of 400,000 letters without a space the Unigram trainer's sums overflow, or it takes minutes.
# Words are cut at the same length before any learner sees them.
_LONG_RUN = re.compile("[^ \u2581]{10000}(?=[^ \u2581])")
_CUT = r"\g<0>\n"

# More than all characters and meta pieces; the trainer counts up to the size that it is given.
_ANY_SIZE = 1_200_000


def rows_of_words(words: Mapping[str, int]) -> Iterator[str]:
    """Yield each word, a tab and its count."""
    return (f"{word.translate(_UNREADABLE_IN_WORDS)}\t{words[word]}" for word in words)


def rows_of_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, cut after every 10,000 characters without a space."""
    return (_LONG_RUN.sub(_CUT, line.translate(_UNREADABLE)) for line in lines)


def train(rows: Iterable[str], options: Mapping[str, Any], size: Size) -> bytes:
    """Train on rows of text with the options of the trainer; one piece of the model is `<unk>`.

    Return the model. Raises SizeError below the characters to be known, InputError where no
    vocabulary of any size can be trained, and what the trainer raises.
    """
    # The model holds the name of its training file, which must not differ from run to run.
    options = {**options, "input": "training.txt"}
    with TemporaryDirectory(prefix="tokbench-") as folder:
        # Rows may come from files with relative paths: they are read before the folder changes.
        with Path(folder, options["input"]).open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{encodable(row)}\n" for row in rows)
        with chdir(folder):
            return _model_of_size(options, size)


def _model_of_size(options: Mapping[str, Any], size: Size) -> bytes:
    if size.total is not None:
        with suppress(RuntimeError):
            return _model(options, size.total + 1)
    try:
        required = _required(options)
    except RuntimeError as error:
        raise InputError(f"SentencePiece finds nothing to learn here: {error}") from None
    pieces = required + size.number if size.total is None else size.total + 1
    if pieces < required:
        what = "bytes and characters" if options["byte_fallback"] else "characters"
        least = required - 1
        raise SizeError(f"size {size} is below the {least} {what} to be known", least)
    # A size that failed fails once more, and says why.
    return _model(options, pieces)


def _required(options: Mapping[str, Any]) -> int:
    """Count the pieces of every vocabulary: `<unk>`, byte pieces, and the kept characters."""
    characters = _model({**options, "model_type": "char", "hard_vocab_limit": False}, _ANY_SIZE)
    return int(SentencePieceProcessor(model_proto=characters).get_piece_size())


def _model(options: Mapping[str, Any], size: int) -> bytes:
    written = io.BytesIO()
    SentencePieceTrainer.train(**options, vocab_size=size, model_writer=written)
    return written.getvalue()
