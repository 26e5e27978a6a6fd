r"""The letters that GPT-2 writes for bytes, so that merges and tokens hold no spaces.

Bytes that are visible in Latin-1 stand for themselves; the others, in order, are the letters from
U+0100 on: a space is `Ġ`. Source: Radford and others (2019), Language Models are Unsupervised
Multitask Learners, section 2.2, and their program.
"""

VISIBLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
LETTERS = {byte: byte for byte in VISIBLE} | {
    byte: 0x100 + i for i, byte in enumerate(sorted(set(range(0x100)) - set(VISIBLE)))
}
BYTES = {letter: byte for byte, letter in LETTERS.items()}


def to_letters(token: str) -> str:
    """Spell a token whose characters are bytes.

    >>> to_letters(" the")
    'Ġthe'
    """
    return token.translate(LETTERS)


def from_letters(spelled: str) -> str:
    """Read a spelled token; raises ValueError for a letter that stands for no byte."""
    if foreign := next((letter for letter in spelled if ord(letter) not in BYTES), None):
        raise ValueError(f"{foreign!r} stands for no byte")
    return spelled.translate(BYTES)
