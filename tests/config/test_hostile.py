"""Whatever stands in a config, the answer is an error that names a place, never a crash."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokbench.config import ConfigError
from tokbench.errors import InputError

WORDS = ["corpora", "train", "test", "systems", "sizes", "metrics", "learner", "use", "split"]
VALUES = ["bpe", "char", "fertility", "train.txt", "100", "-1", "0.1", "1e3", "no", "null", "010"]
SIGNS = ["'", '"', "[", "]", "{", "}", ", ", ": ", "- ", "&a ", "*a", "!!str ", "<<: ", "#", "|"]
ODD = ["\n", "\n  ", "\n    ", "\t", "---\n", "%", "@", "\\", "? ", "é", "\x00", "\u2028", "\ufdd0"]
PIECES = st.sampled_from([*(f"{word}: " for word in WORDS), *VALUES, *SIGNS, *ODD])
CONFIG = "corpora: {train: train.txt, test: test.txt}\nsizes: [5]\nsystems: [bpe]\n"


def damaged(start, length, pieces):
    return CONFIG[:start] + "".join(pieces) + CONFIG[start + length :]


MADE_UP = st.lists(PIECES, max_size=25).map("".join) | st.binary(max_size=40)
DAMAGED = st.builds(
    damaged, st.integers(0, len(CONFIG)), st.integers(0, 12), st.lists(PIECES, max_size=4)
)


@given(MADE_UP | DAMAGED)
def test_any_text_is_an_experiment_or_an_error_with_a_place(load, text):
    message = "config.yaml:"
    try:
        load(text)
    except (ConfigError, InputError) as error:
        message = str(error)
    assert message.startswith("config.yaml:")


def test_a_config_that_is_too_large_is_refused(load):
    with pytest.raises(ConfigError, match=r"config.yaml:1:1: more than 100000 bytes, too many"):
        load("seed: " + "1" * 100_000)
