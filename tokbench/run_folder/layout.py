"""Where each file of a run folder stands, in format 4 and in format 3, which is still read."""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote

import regex

FORMAT = 4
OLDER_FORMAT = 3
RECORD = "run.json"
WORDS = "words.npz"
ON_TOP = (RECORD, "results.csv", "report.html", "report.md", "answer.json")
"""The files that people open first."""
BELOW = "data"
"""The folder of all others."""
FOLDERS = ("data", "data/segmentations", "data/vocabularies", "segmentations", "vocabularies")
"""The folders inside a run folder, those of format 3 too."""

ODD = regex.compile(r"%(?!0\.)|[^%\p{L}\p{M}\p{N}_ .,+=()@-]")
PARENTHESES = regex.compile(r"\(([^()]*)\)")
TILDES = regex.compile(r"~([^~]*)~")


def placed(name: str) -> str:
    """Return the path of a file inside a run folder, by its name.

    >>> placed("results.csv"), placed("coverage.csv")
    ('results.csv', 'data/coverage.csv')
    """
    return name if name in ON_TOP else f"{BELOW}/{name}"


def is_of_desktop(path: Path) -> bool:
    """Return whether the desktop of an operating system put a file there; it is of no run."""
    names = (".DS_Store", ".directory", "Thumbs.db", "desktop.ini")
    return path.name in names or path.name.startswith("._")


@dataclass(frozen=True)
class Layout:
    """The paths of files inside a run folder of one format."""

    format: int = FORMAT

    def table(self, name: str) -> str:
        """Return the path of a table, `curves` among them."""
        return self._placed(f"{self._stem(name)}.csv")

    def vocabulary(self, name: str) -> str:
        """Return the path of a vocabulary, by its system, its share and its size."""
        return self._placed(f"vocabularies/{self._stem(name)}.json")

    def segmentation(self, system: str) -> str:
        """Return the path of the tokens of a system."""
        return self._placed(f"segmentations/{self._stem(system)}.npz")

    @property
    def words(self) -> str:
        """The path of the words of test corpora."""
        return self._placed(WORDS)

    def vocabulary_name(self, path: str) -> str | None:
        """Return which vocabulary stands at a path, None if none does."""
        place = PurePosixPath(path)
        name = unquote(TILDES.sub(r"(\1)", place.stem))
        return name if self.vocabulary(name) == path else None

    def _placed(self, name: str) -> str:
        return placed(name) if self.format == FORMAT else name

    def _stem(self, name: str) -> str:
        """Turn a name into one of a file: what no name in a config may hold is quoted.

        Parentheses become `~`, which needs no quotes in a shell. The sign before a share of the
        training text stays, as in `bpe%0.1`: it is no quotation.
        """
        stem = ODD.sub(lambda match: quote(match[0], safe="", errors="surrogatepass"), name)
        if self.format == FORMAT:
            stem = PARENTHESES.sub(r"~\1~", stem).replace("(", "%28").replace(")", "%29")
        return stem
