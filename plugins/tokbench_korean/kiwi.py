"""Morphemes by Kiwi, with every setting that moves a boundary given explicitly."""

from functools import lru_cache
from typing import TYPE_CHECKING

from kiwipiepy import Kiwi
from kiwipiepy.const import Dialect, Match

if TYPE_CHECKING:
    from tokbench_korean import KiwiSplitter


# A loaded model takes seconds to load and hundreds of megabytes: few are kept.
@lru_cache(maxsize=2)
def analyser(
    model_type: str, load_default_dict: bool, load_typo_dict: bool, load_multi_dict: bool
) -> Kiwi:
    """Load a model and its dictionaries, once a process."""
    return Kiwi(
        num_workers=1,
        model_type=model_type,
        integrate_allomorph=True,
        load_default_dict=load_default_dict,
        load_typo_dict=load_typo_dict,
        load_multi_dict=load_multi_dict,
        enabled_dialects=Dialect.STANDARD,
    )


def morphemes(text: str, options: "KiwiSplitter") -> list[tuple[int, int]]:
    """Return (start, end) of each morpheme in code points; those of one syllable overlap."""
    kiwi = analyser(
        options.model_type,
        options.load_default_dict,
        options.load_typo_dict,
        options.load_multi_dict,
    )
    tokens = kiwi.tokenize(
        text,
        match_options=Match.ALL,
        normalize_coda=options.normalize_coda,
        z_coda=options.z_coda,
        split_complex=options.split_complex,
        saisiot=options.saisiot,
        open_ending=options.open_ending,
        allowed_dialects=Dialect.STANDARD,
        oov_handling=options.oov_handling.replace("-", "_"),
        typos=None if options.typos == "none" else options.typos.replace("-", "_"),
        typo_cost_threshold=options.typo_cost_threshold,
    )
    return [(token.start, token.end) for token in tokens]
