from array import array

def learn(
    utf8: bytes,
    ends: array[int],
    counts: array[int],
    letters: array[int],
    begin: int,
    end: int,
    raw: tuple[bytes, ...],
    shown: tuple[bytes, ...],
    continuation: bytes,
    ties: str,
    minimum: int,
    limit: int,
) -> bytes: ...
def letter_counts(utf8: bytes, ends: array[int], counts: array[int]) -> bytes: ...
