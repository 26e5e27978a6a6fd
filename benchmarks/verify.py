"""Check that peers did the same work as far as that can be compared, before they are ranked.

Each check is a row of a table: what was compared, with which peer, the finding, and whether the
two agree.
"""

from typing import Any

from commands import LOADS
from figures import Figures
from rounds import report
from setting import Setting

Row = dict[str, Any]

CLOSE, SWEEP, EXACT = 0.01, 0.02, 1e-9
"""Programs that merge equally frequent pairs in another order end with slightly other tokens."""
SAME_TIES = ("subword-nmt",)
REFERENCES = {
    "histogram": "tokenization-scorer",
    "sweep": "tokbench",
    "curve": "tokbench, listed sizes",
}
"""The peer of each task with whose scores those of the others are compared."""


def verify(setting: Setting) -> list[Row]:
    """Compare the vocabularies and the segmentations of peers, on the text at x1."""
    learners = ("gigatoken", "rustbpe", "ffbpe", "sentencepiece", "tokenizers", "subword-nmt")
    segmenters = ("tiktoken", "gigatoken", "tokenizers", "subword-nmt")
    rows = [compare_learned(setting, peer) for peer in learners]
    rows += [compare_segments(setting, peer) for peer in segmenters]
    rows.append(compare_toklens(setting))
    for row in rows:
        report(f"verified: {row['what']}, {row['peer']}: {row['finding']}")
    return rows


def compare_learned(setting: Setting, peer: str) -> Row:
    """Compare vocabularies learned from the text in letters, which all split alike."""
    text = str(setting.texts.at(1, letters=True))
    answer = setting.answer("verify_learned", peer, text=text, size=setting.size)
    difference = answer["tokens"] / answer["tokens-tokbench"] - 1
    same = answer["equal"] == answer["learned"]
    vocabulary = (
        f"all {answer['learned']:,} learned tokens equal, in order"
        if same
        else f"first {answer['equal']:,} of {answer['learned']:,} learned tokens equal in order, "
        f"{answer['shared']:.1%} shared"
    )
    agrees = same if peer in SAME_TIES else abs(difference) <= CLOSE
    tokens = f"the text takes {answer['tokens']:,} tokens, {difference:+.3%} against tokbench"
    return row_of("learned", peer, f"{vocabulary}; {tokens}", agrees)


def compare_segments(setting: Setting, peer: str) -> Row:
    """Compare the segmentation of distinct words by the same merges."""
    answer = setting.answer(
        "verify_segments", peer, text=str(setting.texts.at(1)),
        vocabulary=setting.vocabularies[LOADS[peer]],
    )  # fmt: skip
    differ, letters = answer["differ"], answer["differ-letters-only"]
    finding = f"{differ:,} of {answer['words']:,} words in another number of tokens"
    if peer == "gigatoken":
        finding += f", {letters:,} of them of letters only (it cuts punctuation off first)"
    agrees = (letters if peer == "gigatoken" else differ) <= CLOSE * answer["words"]
    return row_of("segments", peer, finding, agrees)


def compare_toklens(setting: Setting) -> Row:
    """Compare fertility and the share of words kept whole on the same tokens."""
    answer = setting.answer(
        "verify_toklens", "toklens", text=str(setting.texts.at(1)),
        vocabulary=setting.vocabularies["marked"],
    )  # fmt: skip
    difference = max(abs(a - b) for a, b in (answer["fertility"], answer["kept-whole"]))
    finding = f"fertility and STRR of {answer['words']:,} words differ by at most {difference:.1e}"
    return row_of("metrics", "toklens", finding, difference <= EXACT)


def compare_scores(figures: Figures) -> list[Row]:
    """Compare the scores that the measured jobs answered, by size and metric."""
    rows = []
    for task, reference in REFERENCES.items():
        expected = figures.answer(task, 1, reference)
        for peer in figures.peers(task, 1):
            if expected is None or peer == reference:
                continue
            scores = figures.answer(task, 1, peer)["scores"]
            differences = [
                abs(scores[size][metric] - value) / max(1, value)
                for size, values in expected["scores"].items()
                for metric, value in values.items()
                if metric in scores[size]
            ]
            finding = f"{len(differences)} scores differ from {reference}'s by at most "
            limit = SWEEP if peer.startswith("tokenizers") else EXACT
            agrees = max(differences) <= limit
            rows.append(row_of(task, peer, f"{finding}{max(differences):.1e}", agrees))
    return rows


def row_of(what: str, peer: str, finding: str, agrees: bool) -> Row:
    """Return one row of the table of agreements."""
    return {"what": what, "peer": peer, "finding": finding, "agrees": agrees}
