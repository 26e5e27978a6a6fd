"""Morphemes by Kiwi, with every setting that moves a boundary given explicitly."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tokbench.api import Splitter
from tokbench_korean.surface import Surface

if TYPE_CHECKING:
    from kiwipiepy import Kiwi


class KiwiSplitter(Splitter):
    """The morphemes that Kiwi (kiwipiepy) finds, as slices of the text.

    Kiwi restores morphemes to their dictionary form, but the words here are the text's own: two
    morphemes that share a syllable (했, which is 하 + 었) stay together. Those of its settings that
    move a boundary are options, with its own defaults; those that change only a morpheme's form are
    not. Results depend on the version of `kiwipiepy-model` too.
    """

    requires: ClassVar[str | None] = "tokbench[korean]"
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
        from kiwipiepy.const import Dialect, Match

        surface = Surface(text)
        kiwi = analyser(
            self.model_type, self.load_default_dict, self.load_typo_dict, self.load_multi_dict
        )
        tokens = kiwi.tokenize(
            surface.readable,
            match_options=Match.ALL,
            normalize_coda=self.normalize_coda,
            z_coda=self.z_coda,
            split_complex=self.split_complex,
            saisiot=self.saisiot,
            open_ending=self.open_ending,
            allowed_dialects=Dialect.STANDARD,
            oov_handling=self.oov_handling.replace("-", "_"),
            typos=None if self.typos == "none" else self.typos.replace("-", "_"),
            typo_cost_threshold=self.typo_cost_threshold,
        )
        return surface.slices((token.start, token.end) for token in tokens)


# A loaded model takes seconds to load and hundreds of megabytes: few are kept.
@lru_cache(maxsize=2)
def analyser(
    model_type: str, load_default_dict: bool, load_typo_dict: bool, load_multi_dict: bool
) -> "Kiwi":
    """Load a model and its dictionaries, once a process."""
    # The library stays off the start-up path.
    from kiwipiepy import Kiwi
    from kiwipiepy.const import Dialect

    return Kiwi(
        num_workers=1,
        model_type=model_type,
        integrate_allomorph=True,
        load_default_dict=load_default_dict,
        load_typo_dict=load_typo_dict,
        load_multi_dict=load_multi_dict,
        enabled_dialects=Dialect.STANDARD,
    )
