"""The words of a text as ASCII whitespace divides it."""

from collections import Counter
from pathlib import Path


def counted(text: Path) -> Counter[str]:
    """Count the words, in the order in which they first occur."""
    counts = Counter(text.read_bytes().split())
    return Counter({word.decode(): count for word, count in counts.items()})
