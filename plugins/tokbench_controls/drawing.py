"""Draws that depend on a seed and on what they are for, not on the order of drawing."""

from hashlib import blake2b


def drawn(seed: int, *what: object) -> int:
    """Return a number from 0 to 2^64 - 1: the same for the same seed and parts of `what`."""
    parts = "\0".join(map(str, (seed, *what)))
    digest = blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")
