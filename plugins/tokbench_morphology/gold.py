"""Readers of gold segmentations: tables of our own, published collections, and treebanks."""

import re
from collections.abc import Iterator
from typing import ClassVar, Literal

from pydantic import Field

from tokbench.api import GoldEntry, GoldReader
from tokbench.printing import counted

SPACE = " \t\r\f\v"


class TsvReader(GoldReader):
    """`word<TAB>un break able, unbreak able<TAB>category`: alternatives between commas.

    The category may be missing.
    """

    between: ClassVar[str | None] = None
    """The text between segments; None for white space."""

    def read(self, line: str) -> GoldEntry:
        """Read a line of two or three fields."""
        fields = split(line, "word<TAB>seg ments[, alter native]<TAB>category", 2, 3)
        word, segmented, category = (*fields, "")[:3]
        alternatives = segmented.split(", ")
        segments = (checked(tuple(text.split(self.between))) for text in alternatives)
        return GoldEntry(word, tuple(segments), category)


class PipesReader(TsvReader):
    """`word<TAB>un|break|able, unbreak|able<TAB>category`: as `tsv`, with `|` between segments."""

    between: ClassVar[str | None] = "|"


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
            shown = f"the kind {kind!r}" if kind else "no kind"
            raise ValueError(f"found {shown}, expected prefix or suffix")
        parts = (affix, source) if kind == "prefix" else (source, affix)
        return GoldEntry(word, (checked(tuple(part.strip("-") for part in parts)),), kind)


class UniMorphReader(GoldReader):
    """`lemma<TAB>form<TAB>V;PST<TAB>walk|ed`: UniMorph 4.0, and the inflections of MorphyNet.

    The word is the form. Rows with `-` in place of morphs are left out. Morphs join to the word
    only where nothing changes at their border. The category is the first feature.
    Source: Batsuren et al. (2022), UniMorph 4.0: Universal Morphology.
    """

    def read(self, line: str) -> GoldEntry | None:
        """Read a line of four fields, or leave it out."""
        layout = "lemma<TAB>form<TAB>features<TAB>walk|ed"
        _, word, features, segmented = split(line, layout, 4, 4)
        if segmented == "-" != word:
            return None
        category = re.split("[;|]", features)[0]
        return GoldEntry(word, (checked(tuple(segmented.split("|"))),), category)


class UniSegmentsReader(GoldReader):
    """`word<TAB>lemma<TAB>part of speech<TAB>un + happy<TAB>JSON`: UniSegments.

    The category is the part of speech. The JSON is not read.
    Source: Žabokrtský et al. (2022), Towards Universal Segmentations: UniSegments 1.0.
    """

    def read(self, line: str) -> GoldEntry:
        """Read a line of five fields."""
        layout = "word<TAB>lemma<TAB>part of speech<TAB>un + happy<TAB>JSON"
        word, _, category, segmented, _ = split(line, layout, 5, 5)
        return GoldEntry(word, (checked(tuple(segmented.split(" + "))),), category)


class MorphoChallengeReader(GoldReader):
    """`word<TAB>sit:sit_V s:+3SG, sit:sit_N s:+PL`: the segmentations of Morpho Challenge.

    Labels, which stand after the last colon of a segment, are not read. `~:label` has no segment.
    Source: Kurimo et al. (2010), Morpho Challenge 2005-2010.
    """

    def read(self, line: str) -> GoldEntry:
        """Read a line of two fields."""
        word, segmented = split(line, "word<TAB>segment:label segment:label[, alternative]", 2, 2)
        alternatives = (text.split() for text in segmented.split(", "))
        return GoldEntry(word, tuple(checked(tuple(_unlabelled(a))) for a in alternatives))


class MorfessorReader(GoldReader):
    """`unhappy un happy, unhap py`: annotations for Morfessor, and its output, `3 un + happy`.

    Comments are left out, and the counts of its output are not read.
    Source: Virpioja et al. (2013), Morfessor 2.0.
    """

    def read(self, line: str) -> GoldEntry | None:
        """Read a line, or leave it out."""
        if line.startswith("#"):
            return None
        if output := re.fullmatch(r"\d+ (\S+(?: \+ \S+)*)", line.strip(SPACE), re.ASCII):
            morphs = tuple(output[1].split(" + "))
            return GoldEntry("".join(morphs), (morphs,))
        word, segmented = (*line.split(maxsplit=1), "")[:2]
        alternatives = (checked(tuple(text.split())) for text in segmented.split(","))
        return GoldEntry(word, tuple(alternatives))


class ConlluReader(GoldReader):
    """Treebanks in CoNLL-U: morphs stand in `MSeg=` of MISC, or in the lemma with `+` between them.

    `MSeg=walk-ed` has `-` or `=` between morphs. The Korean treebank of KAIST has `고향+은` as the
    lemma of 고향은. The category is the universal part of speech. Comments, multiword tokens and
    empty nodes are left out.
    Source: universaldependencies.org/format.html.
    """

    without_boundaries: ClassVar[str] = (
        "no word has morphs: expected lemmas such as `walk+ed`, or `MSeg=walk-ed` in MISC"
    )

    column: Literal["lemma"] = Field("lemma", description="the column that holds the morphs")
    separator: str = Field("+", min_length=1, description="the text between morphs")

    def read(self, line: str) -> GoldEntry | None:
        """Read a line of ten fields, or leave it out."""
        if line.startswith("#"):
            return None
        number, word, lemma, pos, *_, misc = split(line, "ten fields of CoNLL-U", 10, 10)
        if not number.isdecimal():
            return None
        morphs = next((i[5:] for i in misc.split("|") if i.startswith("MSeg=")), "")
        if not morphs and lemma == "_" != word:  # not annotated
            return None
        # A plus sign or hyphen of the word itself is no border.
        if word == (morphs or lemma):
            parts = [word]
        else:
            parts = re.split("[-=]", morphs) if morphs else lemma.split(self.separator)
        return GoldEntry(word, (checked(tuple(parts)),), pos)


def sigmorphon(line: str) -> tuple[str, tuple[str, ...], str]:
    r"""Return the word, the morphs and the category of a line, as the task's evaluation reads them.

    >>> sigmorphon("East Indian\tEast @@  @@Indian\t000")
    ('East Indian', ('East', '', '', 'Indian'), '000')
    """
    word, _, category = (*split(line, "word<TAB>m1 @@m2<TAB>category", 2, 3), "")[:3]
    segmented = line.split("\t")[1]
    return word, tuple(segmented.replace(" @@", "|").replace(" ", "|").split("|")), category


def _unlabelled(parts: list[str]) -> Iterator[str]:
    """Return the segments of `segment:label`, without those that are `~`."""
    for part in parts:
        segment, _, label = part.rpartition(":")
        if not (segment and label):
            raise ValueError(f"found {part!r}, expected segment:label")
        if segment != "~":
            yield segment


def split(line: str, layout: str, least: int, most: int) -> list[str]:
    """Return the fields of a line, between tabs."""
    fields = [field.strip(SPACE) for field in line.split("\t")]
    if not least <= len(fields) <= most:
        many = counted(len(fields), "field")
        raise ValueError(f"found {many} in {line!r:.200}; a line holds {layout}")
    return fields


def checked(morphs: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse segmentations with an empty morph."""
    if not any(morphs):
        raise ValueError("found no segments, expected at least one")
    if "" in morphs:
        number = morphs.index("") + 1
        raise ValueError(f"found nothing in segment {number} of {'|'.join(morphs)!r}")
    return morphs
