"""Check that peers did the same work as far as that can be compared, before they are ranked.

Each check gives a row: what was compared, with whom, what was found, and whether it agrees; None
where the programs differ by design, which the row says.
"""

from typing import Any

from commands import LOADS
from figures import Figures
from rounds import Say
from setting import Setting

Row = dict[str, Any]

# Programs that merge equally frequent pairs in another order end with slightly other tokens.
CLOSE = 0.01
EXACT = 1e-9
SAME_TIES = ("subword-nmt",)


def verify(setting: Setting, say: Say) -> list[Row]:
    """Compare what peers learn and how they segment, on the text at x1."""
    rows = []
    for peer in ("gigatoken", "rustbpe", "ffbpe", "sentencepiece", "tokenizers", "subword-nmt"):
        rows.append(learned(setting, peer))
    for peer in ("tiktoken", "gigatoken", "tokenizers", "subword-nmt"):
        rows.append(segments(setting, peer))
    rows.append(toklens(setting))
    for row in rows:
        say(f"verified: {row['what']}, {row['peer']}: {row['found']}")
    return rows


def learned(setting: Setting, peer: str) -> Row:
    """Compare vocabularies learned from the text in letters, where all find the same words."""
    text = str(setting.texts.at(1, letters=True))
    answer = setting.done("verify_learned", peer, text=text, size=setting.size)
    apart = answer["tokens"] / answer["tokens-tokbench"] - 1
    same = answer["equal"] == answer["learned"]
    found = (
        f"all {answer['learned']:,} learned tokens equal, in order"
        if same
        else f"first {answer['equal']:,} of {answer['learned']:,} learned tokens equal in order, "
        f"{answer['shared']:.1%} shared"
    )
    agrees = same if peer in SAME_TIES else abs(apart) <= CLOSE
    text_tokens = f"the text takes {answer['tokens']:,} tokens, {apart:+.3%} against tokbench"
    return row("learned", peer, f"{found}; {text_tokens}", agrees, answer)


def segments(setting: Setting, peer: str) -> Row:
    """Compare the segmentation of distinct words by the same merges."""
    answer = setting.done(
        "verify_segments", peer, text=str(setting.texts.at(1)),
        vocabulary=setting.vocabularies[LOADS[peer]],
    )  # fmt: skip
    differ, letters = answer["differ"], answer["differ-letters-only"]
    found = f"{differ:,} of {answer['words']:,} words in another number of tokens"
    if peer == "gigatoken":
        found += f", {letters:,} of them of letters only (it cuts punctuation off first)"
    agrees = (letters if peer == "gigatoken" else differ) <= CLOSE * answer["words"]
    return row("segments", peer, found, agrees, answer)


def toklens(setting: Setting) -> Row:
    """Compare fertility and the words kept whole on the same tokens."""
    answer = setting.done(
        "verify_toklens", "toklens", text=str(setting.texts.at(1)),
        vocabulary=setting.vocabularies["marked"],
    )  # fmt: skip
    apart = max(abs(a - b) for a, b in (answer["fertility"], answer["kept-whole"]))
    found = f"fertility and STRR of {answer['words']:,} words differ by at most {apart:.1e}"
    return row("metrics", "toklens", found, apart <= EXACT, answer)


def scores(figures: Figures) -> list[Row]:
    """Compare the scores that the measured jobs gave."""
    rows = []
    for peer in figures.peers("histogram", 1):
        rows.append(_histograms(figures, peer))
    for peer in figures.peers("sweep", 1):
        rows.append(_sweeps(figures, peer))
    for peer in figures.peers("curve", 1):
        rows.append(_curves(figures, peer))
    return [found for found in rows if found is not None]


def _histograms(figures: Figures, peer: str) -> Row | None:
    theirs = figures.answer("histogram", 1, "tokenization-scorer")
    ours = figures.answer("histogram", 1, peer)
    if theirs is None or peer == "tokenization-scorer":
        return None
    apart = max(abs(value - ours["scores"][name]) for name, value in theirs["scores"].items())
    found = f"{len(theirs['scores'])} scores differ from tokenization-scorer's by {apart:.1e}"
    return row("metrics", peer, found, apart <= EXACT, ours["scores"])


def _sweeps(figures: Figures, peer: str) -> Row | None:
    ours, theirs = (figures.answer("sweep", 1, name) for name in ("tokbench", peer))
    if ours is None or peer == "tokbench":
        return None
    pairs = [(theirs["scores"][size][0], ours["scores"][size][0]) for size in ours["scores"]]
    apart = max(abs(a / b - 1) for a, b in pairs)
    limit = EXACT if peer.startswith("tokbench") else 0.02
    found = f"tokens per word differ from tokbench's by at most {apart:.3%} at {len(pairs)} sizes"
    return row("sweep", peer, found, apart <= limit, pairs)


def _curves(figures: Figures, peer: str) -> Row | None:
    ours, theirs = (figures.answer("curve", 1, name) for name in ("tokbench, listed sizes", peer))
    if ours is None or theirs is ours:
        return None
    pairs = [
        (theirs["scores"][size][metric], value)
        for size, values in ours["scores"].items()
        for metric, value in values.items()
    ]
    apart = max(abs(a - b) for a, b in pairs)
    found = f"{len(pairs)} scores differ from those of the listed sizes by {apart:.1e}"
    return row("curve", peer, found, apart <= EXACT, pairs)


def row(what: str, peer: str, found: str, agrees: bool, answer: Any) -> Row:
    return {"what": what, "peer": peer, "found": found, "agrees": agrees, "answer": answer}
