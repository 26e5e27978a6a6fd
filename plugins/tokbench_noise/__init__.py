"""Noise: words changed as typing, look-alikes, missing accents and other case change them.

The kinds are categories of TokSuite (r-three/TokSuite) and of Chai et al. 2024, Tokenization
Falling Short, who measure how much such changes cost language models.
"""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_pair_generators() -> Mapping[str, str]:
    """Offer the generators of changed words."""
    return {
        "keyboard": "tokbench_noise.keyboard:Keyboard",
        "homoglyphs": "tokbench_noise.letters:Homoglyphs",
        "diacritics": "tokbench_noise.letters:Diacritics",
        "case": "tokbench_noise.letters:Case",
    }
