"""Facts beside the recommendation: what systems write, gold, noise, and what is missing."""

from tokbench.api import Fact
from tokbench.printing import number, percent, rounded
from tokbench.recommend import rank_by_gold
from tokbench.run_folder import COMMON, Row, Run, Subset, SystemSize
from tokbench_views.answer.fact import (
    MOST_NAMES,
    Values,
    interval_of,
    size_with_unit,
    some_names,
    verb,
)
from tokbench_views.shared import common_size, largest, parity_metric, rows_of

LINES_BACK = "round-trip-text"


def coverage(run: Run) -> Fact | None:
    """Say what share of the words the worst of the systems cannot write that pass on all texts."""
    texts = {test.name for test in run.record.tests if test.kind == "text"}
    rows = (row for row in run.coverage if row.corpus in texts or not texts)
    shown = rows_of(largest(run), rows, lambda row: row.corpus)
    gated = {label for (label, _), row in shown.items() if row.gated}
    missing = {
        (label, corpus): max(row.oov, row.lossy)
        for (label, corpus), row in shown.items()
        if label not in gated
    }
    if not missing:
        return None
    worst = max(missing.values())
    writing = [*dict.fromkeys(label for label, _ in missing)]
    lossy = dict.fromkeys(row.system for row in shown.values() if row.gated)
    text = f"All but {some_names(lossy)}" if lossy else "All systems"
    text = f"{text if writing[1:] else writing[0]} {verb('write', writing)} "
    if not worst:
        text += f"every word of {some_names(dict.fromkeys(c for _, c in shown))}."
    else:
        text += f"{_at_least(worst)} of the words."
    section = "Coverage: is anything unknown or lossy?"
    return Fact("coverage", text, "", "coverage.csv", section, {"worst-not-gated": worst}, rank=3)


def lines_back(run: Run) -> Fact | None:
    """Say of how many lines the systems that cut whole lines give every character back."""
    rows = [row for row in run.by_metric.get(LINES_BACK, ()) if row.training_share == 1]
    shares = {
        label: row.value
        for (label, _), row in rows_of(largest(run), rows, lambda row: row.metric).items()
        if row.context == "in-context" and row.value is not None
    }
    if not shares:
        return None
    worst = min(shares.values())
    if worst == 1:
        text = "All systems that cut whole lines give every line back exactly."
    else:
        least = [label for label, share in shares.items() if share == worst]
        share = _at_least(1 - worst) if worst >= 0.001 else "under 0.1 %"
        text = f"{some_names(least)} {verb('give', least)} back {share} of the lines."
    return Fact("lines-back", text, "", "results.csv", LINES_BACK, {**shares}, rank=3)


def _at_least(lost: float) -> str:
    """Spell how much is left without a share that is not 0: never 100 %."""
    return "over 99.9 %" if lost < 0.001 else f"at least {percent(1 - lost, 1)}"


def gold(run: Run) -> Fact | None:
    """Say which systems agree most with gold boundaries at the largest common size."""
    size = common_size(run)
    ranking = rank_by_gold(run, size)
    if ranking is None or not ranking.others:
        return None
    corpus = next(test.name for test in run.record.tests if test.gold)
    if ranking.value <= 0:
        text = f"No system agrees with the morphemes of {corpus} more than chance."
        return Fact("gold", text, corpus, "comparisons.csv", "boundary-kappa")
    worse = [other for other in ranking.others if other.verdict not in ("tie", "undecided")]
    tied = [ranking.leader, *(o.system for o in ranking.others if o not in worse)]
    text = f"At {size_with_unit(size)}, " if size else ""
    text += f"{some_names(tied)} {verb('agree', tied)} most with the morphemes of {corpus}: kappa "
    text += number(ranking.value)
    values: dict[str, str | float | None] = {"system": ranking.leader, "kappa": ranking.value}
    if worse:
        values["next-kappa"] = following = ranking.value - worse[0].excess
        text += f"; {worse[0].system} follows with {number(following)}"
    text += " (0 is chance)."
    return Fact("gold", text, corpus, "comparisons.csv", "boundary-kappa", values)


def parity(run: Run) -> Fact | None:
    """Say what the dearest text takes with each system, or how to measure it.

    It can be measured only if all texts have the same number of lines.
    """
    texts = [test for test in run.record.tests if test.kind == "text"]
    metric, reference = parity_metric(run)
    if not metric:
        if len(texts) < 2 or len({test.lines for test in texts}) > 1:
            return None
        text = (
            "Whether a tokenizer treats these texts alike was not measured: if their lines say the "
            f"same, add {{use: parity, reference: {texts[0].name}}} to the metrics."
        )
        return Fact("parity", text, file="results.csv", rank=1)
    every = (row for row in run.by_metric.get(metric, ()) if row.training_share == 1)
    shown = rows_of(largest(run), every, lambda row: (row.corpus, row.subset))
    lossy = {label for (label, _), row in shown.items() if row.gated}
    dearest: dict[str, tuple[float, str]] = {}
    for (label, (corpus, subset)), row in shown.items():
        if row.value is not None and label not in lossy and subset == "all":
            dearest[label] = max(dearest.get(label, (0.0, "")), (row.value, corpus))
    fairest = sorted(dearest, key=lambda label: dearest[label][0])
    if len(fairest) < 2:
        return None
    parts = [
        f"{rounded(dearest[label][0], 2)} with {label} ({dearest[label][1]})"
        for label in fairest[:MOST_NAMES]
    ]
    text = f"The dearest text, in times the tokens of {reference}: {', '.join(parts)}."
    values = {label: times for label, (times, _) in dearest.items()}
    return Fact("parity", text, file="results.csv", section="By text", values=values, rank=1)


def noise(run: Run) -> Fact | None:
    """Say which kind of changed words costs most, on the words that all kinds change.

    It costs most if its interval lies above those of all others.
    """
    kinds = next(filter(None, (_noisy_rows(run, s) for s in run.record.baseline_first)), None)
    if not kinds:
        return None
    worst = max(kinds, key=lambda row: row.value or 0)
    kind = Subset.parse(worst.subset).name
    others = [
        row
        for row in kinds
        if row is not worst and (worst.low is None or row.high is None or worst.low <= row.high)
    ]
    if others:
        names = some_names(Subset.parse(row.subset).name for row in others)
        text = f"Of {len(kinds)} kinds of noise, this run cannot tell {kind} from {names}"
    else:
        text = f"Of {len(kinds)} kinds of noise, {kind} costs most" if kinds[1:] else "Under noise"
    label, interval = SystemSize(worst.system, worst.size), interval_of(worst)
    text += f": {label} needs {number(worst.value)} times as many tokens"
    text += f" ({interval})" * bool(interval)
    text += f" for the changed words of {worst.corpus}"
    text += f" under {kind}" * bool(others)
    if kind != worst.corpus and len(kinds) == 1:
        text += f" ({kind})"
    values: Values = {"kind": kind, "times": worst.value, "low": worst.low, "high": worst.high}
    return Fact("noise", f"{text}.", worst.corpus, "results.csv", "Under noise", values, rank=4)


def _noisy_rows(run: Run, system: str) -> list[Row]:
    """Return how a system's tokens change with each kind of noise, at its largest size."""
    size = next((outcome.size for outcome in largest(run) if outcome.system == system), None)
    rows = [
        row
        for row in reversed(run.by_metric.get("fertility-change", ()))
        if (row.system, row.size) == (system, size)
        and (row.training_share, row.gated) == (1, "")
        and row.value is not None
    ]
    common = [row for row in rows if Subset.parse(row.subset).family == COMMON]
    return common or [row for row in rows if row.subset != "all"]


def unreached(run: Run) -> Fact | None:
    """Say which systems did not reach a size."""
    left = dict.fromkeys(row.system for row in run.by_metric.get("", ()) if row.is_left_out)
    if not left:
        return None
    text = f"A size was not reached by {some_names(left)}."
    return Fact("scope", text, file="results.csv", rank=5)


def failures(run: Run) -> Fact | None:
    """Say that something failed, so that what it would have shown is missing."""
    count = len(run.record.failures)
    if not count:
        return None
    if not run.coverage:
        return Fact("failures", "Nothing was scored: every system failed.", file="run.json")
    parts = "One part" if count == 1 else f"{count} parts"
    text = f"{parts} of this run failed; what would stand there is missing."
    return Fact("failures", text, file="run.json")
