"""Fixtures of the runner that serve here too."""

from tests.runner.conftest import make_words

__all__ = ["make_words"]
