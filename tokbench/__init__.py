"""Compare tokenizers on your own text: same training text, same size, held-out test."""

__version__ = "0.1.0"
