"""The input of the checks: plain words, unseen words, and hard Unicode."""

from tokbench.api import Size

WORDS = {
    "low": 5,
    "lower": 2,
    "newest": 6,
    "widest": 3,
    "new": 6,
    "aaaa": 2,
    "banana": 4,
    "bananas": 1,
    "un-done": 2,
    "don't": 2,
    "1984": 1,
    "한국어": 3,
    "한국": 3,
    "naïve": 2,
    "ab": 1,
    "ba": 1,
    "a": 7,
}
"""Training words with counts: ties, repeated letters, two scripts, a word inside another."""

UNSEEN = ("lowest", "newer", "aaa", "band", "국어", "zebra", "x", "1985", "-", "bananananana")
"""Words of seen letters, of unseen letters, and of both."""

HARD = (
    "\ud800",
    "a\udfffb",
    "\x00",
    "a\x00b",
    "e\u0301\u0323",
    "\u0301",
    "हिन्दी",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467",
    "\U0001f1f0\U0001f1f7",
    "שָׁלוֹם",
    "\u202eabc\u202c",
    "</w>",
    "low</w>",
    "▁",
    "▁low",
    "##",
    "##ing",
    "@@",
    "[UNK]",
    "\\1",
    "\u00a0",
    "a\u2028b",
    "\ufeff",
    "\ufffd",
    "\uffff",
    "\U0010ffff",
    "ab" * 5_000,
)
"""Words that plugins trip over: lone surrogates, NUL, marks as text, 10,000 characters, ..."""

PLAIN = (*WORDS, *UNSEEN)
ALL = (*PLAIN, *HARD)

LINES = (
    "low lower lowest",
    "The newest, widest don't-know: 3.14!",
    "  new   bananas ",
    "한국어 문장도 있다, 한국은 x",
    "naïve cafés — “quoted” \U0001f600 text",
    "a",
    "zebra\tzebra 1984 \u3000 un-done",
)
"""Lines of plain text: spaces around and between, punctuation, four widths of characters."""

HARD_LINES = (
    "",
    " ",
    "   ",
    "\t",
    "\u00a0",
    "\u3000\u3000",
    "\u200b",
    "\ud800",
    "low \udc00\ud800 lower \udfff",
    "\x00",
    "low\x00 lower \x00",
    "a\u2028b \u2029 c\u0085d\x0be",
    "e\u0301 \u0301 e\u0323\u0301",
    "ﬁ ½ Å ㈱ ㄱㅏ \u1112\u1161\u11ab",
    "हिन्दी में \U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f1f0\U0001f1f7",
    "שָׁלוֹם עולם \u202eabc\u202c",
    "</w> low</w> ▁ ▁low ## ##ing @@ [UNK] <unk> Ġlow Ċ",
    "\ufeffabc \ufffd \uffff \U0010ffff",
    "ab" * 5_000,
    "low " + "한국" * 5_000 + " lower " + "ab" * 5_000,
)
"""Lines that plugins trip over: nothing but spaces, lone surrogates, words of 10,000 letters."""

TEXTS = (*LINES, *HARD_LINES)
"""Texts for splitters; the longest word has 10,000 characters."""

TOTALS = (0, 1, 5, 20, 100)
"""Whole sizes to learn, above the smallest that exists."""

LEARNED = tuple(Size(learned=number) for number in (0, 1, 5, 20, 100))
"""Sizes to learn, in learned items."""
