"""Korean morphemes as splitters: a system's `split:` cuts scoring words before any learner does.

Park et al. (2020), "An Empirical Study of Tokenization Strategies for Various Korean NLP Tasks",
found subwords inside morphemes better than subwords alone in most tasks. As a `split:` a word is
analysed as it stands, without its sentence: against the UD Korean-Kaist treebank that takes the
boundary F1 from 0.955 to 0.951 with `kiwi`, and from 0.951 to 0.904 with `mecab-ko`.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Literal

from pydantic import Field

from tokbench.api import Splitter, hookimpl


class KiwiSplitter(Splitter):
    """The morphemes that Kiwi (kiwipiepy) finds, as slices of the text.

    Kiwi restores morphemes to their dictionary form, but the words here are the text's own: two
    morphemes that share a syllable (했, which is 하 + 었) stay together. Those of its settings that
    move a boundary are options, with its own defaults; those that change only a morpheme's form are
    not. Results depend on the version of `kiwipiepy-model` too.
    """

    requires: ClassVar[str | None] = "tokbench[korean]"
    requires_modules: ClassVar[tuple[str, ...]] = ("kiwipiepy",)
    requires_version: ClassVar[Mapping[str, str]] = {"kiwipiepy": "0.24"}

    model_type: Literal["cong", "cong-global"] = Field(
        "cong", description="the language model: of near context, or of far context too"
    )
    typos: Literal[
        "none",
        "basic",
        "continual",
        "basic-with-continual",
        "lengthening",
        "basic-with-continual-and-lengthening",
    ] = Field("none", description="the misspellings that the analysis sees through")
    typo_cost_threshold: float = Field(
        2.5,
        gt=0,
        allow_inf_nan=False,
        description="the highest cost of a misspelling that is seen through",
    )
    oov_handling: Literal["rule", "chr", "chr-freq"] = Field(
        "chr",
        description="how a string that is in no dictionary is judged: by its length, "
        "by its characters, or also by its repetition",
    )
    split_complex: bool = Field(
        False, description="whether a dictionary word of several morphemes is cut further"
    )
    saisiot: bool | None = Field(
        None,
        description="whether compounds written with a medial ㅅ are cut; null: as the dictionary",
    )
    z_coda: bool = Field(
        True, description="whether a consonant added in fun to an ending (했어욥) is seen through"
    )
    normalize_coda: bool = Field(
        False,
        description="whether a consonant drawn from the following ㅋㅋ or ㅎㅎ (했엌ㅋㅋ) is seen "
        "through",
    )
    open_ending: bool = Field(
        False, description="whether a sentence may go on after the text: no bonus for endings"
    )
    load_default_dict: bool = Field(True, description="whether to use the dictionary of names")
    load_typo_dict: bool = Field(
        True, description="whether to use the dictionary of frequent misspellings"
    )
    load_multi_dict: bool = Field(
        True, description="whether to use the dictionary of names of several words"
    )

    def split(self, text: str) -> Sequence[tuple[int, int]]:
        """Return (start, end) of each run of morphemes that share no syllable with the next."""
        from tokbench_korean.kiwi import morphemes
        from tokbench_korean.surface import Surface

        surface = Surface(text)
        return surface.slices(morphemes(surface.readable, self))


class MecabKoSplitter(Splitter):
    """The morphemes that MeCab finds with mecab-ko-dic (python-mecab-ko), as slices of the text.

    Its dictionary holds contracted forms (했, 합니다) as units. Results depend on the version of
    `python-mecab-ko-dic`. There are no wheels for Python 3.13 and newer.
    """

    requires: ClassVar[str | None] = "python-mecab-ko"
    requires_modules: ClassVar[tuple[str, ...]] = ("mecab",)
    requires_version: ClassVar[Mapping[str, str]] = {"python-mecab-ko": "1.3"}

    def split(self, text: str) -> Sequence[tuple[int, int]]:
        """Return (start, end) of each morpheme."""
        from tokbench_korean.surface import Surface

        surface = Surface(text)
        return surface.slices(_mecab_morphemes(surface.readable))


@cache
def _mecab() -> Any:
    """Load the dictionary, once a process."""
    from mecab import MeCab

    return MeCab()


def _mecab_morphemes(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each morpheme in code points."""
    end = 0
    for morpheme in _mecab().morphs(text):
        # The library's own offsets leave out white space at the beginning of the text.
        start = text.index(morpheme, end)
        end = start + len(morpheme)
        yield start, end


@hookimpl
def tokbench_splitters() -> Mapping[str, type[Splitter]]:
    """Offer the splitters `kiwi` and `mecab-ko`."""
    return {"kiwi": KiwiSplitter, "mecab-ko": MecabKoSplitter}
