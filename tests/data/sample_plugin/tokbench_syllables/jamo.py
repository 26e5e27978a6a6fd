"""Noise of Korean typing."""

from unicodedata import normalize

from tokbench.api import PairGenerator, hookimpl


class HangulJamo(PairGenerator):
    """One syllable of a Korean word comes apart into its letters, as in hasty typing."""

    def change(self, word, random):
        syllables = [i for i, char in enumerate(word) if "가" <= char <= "힣"]
        if not syllables:
            return None
        i = random.choice(syllables)
        return word[:i] + "".join(map(letter, normalize("NFD", word[i]))) + word[i + 1 :]


def letter(jamo):
    """Return the letter on the key of a conjoining jamo."""
    initials = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
    finals = "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
    code = ord(jamo)
    if code < 0x1161:
        return initials[code - 0x1100]
    return chr(code - 0x1161 + ord("ㅏ")) if code < 0x11A8 else finals[code - 0x11A8]


tokbench_pair_generators = hookimpl(lambda: {"hangul-jamo": HangulJamo})
