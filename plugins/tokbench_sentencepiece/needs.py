"""The extra and the library that the components of this package need."""

EXTRA = "tokbench[sentencepiece]"
MODULES = ("sentencepiece",)
VERSION = {"sentencepiece": "0.2.3"}
"""The first to give offsets of a whole batch of lines in bytes."""
