"""Readers of gold segmentations: tables of our own, SIGMORPHON, MorphyNet, and treebanks."""

from typing import ClassVar, Literal

from pydantic import Field

from tokbench.api import GoldEntry, GoldReader

SPACE = " \t\r\f\v"


class TsvReader(GoldReader):
    """`word<TAB>un break able, unbreak able<TAB>category`: alternatives between commas.

    The category may be missing.
    """

    def read(self, line: str) -> GoldEntry:
        """Read a line of two or three fields."""
        fields = split(line, "word<TAB>seg ments[, alter native]<TAB>category", 2, 3)
        word, segmented, category = (*fields, "")[:3]
        alternatives = (checked(tuple(text.split())) for text in segmented.split(", "))
        return GoldEntry(word, tuple(alternatives), category)


class SigmorphonReader(GoldReader):
    """`word<TAB>m1 @@m2 @@m3<TAB>category`, the format of the SIGMORPHON 2022 shared task.

    Morphs are canonical: they join to the word only where nothing changes at their borders. Lines
    are read as the task's evaluation reads them: a word may hold spaces, and a morph may be empty.
    Source: Batsuren et al. (2022), The SIGMORPHON 2022 Shared Task on Morpheme Segmentation.
    """

    spaces: ClassVar[bool] = True

    def read(self, line: str) -> GoldEntry:
        """Read a line of two or three fields."""
        word, morphs, category = sigmorphon(line)
        return GoldEntry(word, (morphs,), category)


class MorphyNetReader(GoldReader):
    """The derivations of MorphyNet: `source, target, their parts of speech, affix, kind`.

    The word is the target, of a source and a prefix or suffix. Morphs join to the word only where
    nothing changes at their border. The category is the kind of affix.
    Source: Batsuren, Bella and Giunchiglia (2021), MorphyNet.
    """

    def read(self, line: str) -> GoldEntry:
        """Read a line of six fields."""
        source, word, _, _, affix, kind = split(line, "six fields, the last the kind", 6, 6)
        if kind not in ("prefix", "suffix"):
            raise ValueError(f"found the kind {kind!r}, expected prefix or suffix")
        parts = (affix, source) if kind == "prefix" else (source, affix)
        return GoldEntry(word, (checked(tuple(part.strip("-") for part in parts)),), kind)


class ConlluReader(GoldReader):
    """Treebanks in CoNLL-U whose column `lemma` holds morphs with `+` between them.

    The Korean treebank of KAIST has `고향+은` as the lemma of 고향은. The category is the universal
    part of speech. Comments, multiword tokens and empty nodes are left out.
    Source: universaldependencies.org/format.html.
    """

    column: Literal["lemma"] = Field("lemma", description="the column that holds the morphs")
    separator: str = Field("+", min_length=1, description="the text between morphs")

    def read(self, line: str) -> GoldEntry | None:
        """Read a line of ten fields, or leave it out."""
        if line.startswith("#"):
            return None
        number, word, lemma, pos, *_ = split(line, "ten fields of CoNLL-U", 10, 10)
        if not number.isdecimal():
            return None
        if lemma == "_" != word:  # not annotated
            return None
        # A plus sign of the word itself is no border.
        parts = [word] if lemma == word else lemma.split(self.separator)
        return GoldEntry(word, (checked(tuple(parts)),), pos)


def sigmorphon(line: str) -> tuple[str, tuple[str, ...], str]:
    r"""Return the word, the morphs and the category of a line, as the task's evaluation reads them.

    >>> sigmorphon("East Indian\tEast @@  @@Indian\t000")
    ('East Indian', ('East', '', '', 'Indian'), '000')
    """
    word, _, category = (*split(line, "word<TAB>m1 @@m2<TAB>category", 2, 3), "")[:3]
    segmented = line.split("\t")[1]
    return word, tuple(segmented.replace(" @@", "|").replace(" ", "|").split("|")), category


def split(line: str, layout: str, least: int, most: int) -> list[str]:
    """Return the fields of a line, between tabs."""
    fields = [field.strip(SPACE) for field in line.split("\t")]
    if not least <= len(fields) <= most:
        many = f"{len(fields)} field" + "s" * (len(fields) > 1)
        raise ValueError(f"found {many} in {line!r:.200}; a line holds {layout}")
    return fields


def checked(found: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse segmentations with an empty morph."""
    if not all(found) or not found:
        raise ValueError(f"found an empty segment in {' '.join(found)!r}")
    return found
