"""The top of the page: its title, its first line, and which systems the first chart compares."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from tokbench_views.answer.fact import some_names
from tokbench_views.shared import ENDS_LOST, GATED, first_test

from tokbench.printing import integer, percent
from tokbench.recommend import ALL_TOKENS, LENGTH, Recommendation, barred_systems
from tokbench.run_folder import Run, size_number, size_order

CUT = {"in-context": "cut in whole lines", "isolated": "cut word by word"}


def title(run: Run) -> str:
    """Say how many systems were compared, and on which files."""
    count = len({outcome.system for outcome in run.record.outcomes})
    tokenizers = f"{count or 'No'} {'tokenizer' if count == 1 else 'tokenizers'}"
    return f"{tokenizers} compared on {_texts(_tested(run).values())}"


def first_line(run: Run) -> str:
    """Name the systems, what they learned from, their sizes, and what was tested on."""
    record = run.record
    ready = {system.name for system in record.systems if system.reads == "nothing"}
    systems = list(dict.fromkeys(outcome.system for outcome in record.outcomes))
    parts = [some_names(systems)] if systems else []
    training = [corpus for corpus in record.corpora if corpus.kind == "training"]
    if training and {*systems} - ready:
        files = _files(record.resolved.get("corpora", {}).get("train", {})) or training[0].name
        parts.append(f"learned from {files} ({integer(training[0].running)} words)")
    sizes = sorted({o.size for o in record.outcomes if o.size}, key=size_order)
    if sizes:
        ends = " to ".join(
            integer(size_number(size)) for size in dict.fromkeys(sizes[:: len(sizes) - 1 or 1])
        )
        parts.append(f"{len(sizes)} {'size' if len(sizes) == 1 else 'sizes'}: {ends}")
    words = {corpus.name: integer(corpus.running) for corpus in record.tests}
    tested = [f"{file} ({words[name]} words)" for name, file in _tested(run).items()]
    return " · ".join(
        [*parts, f"tested on {_texts(tested)}", f"{integer(record.resamples)} resamples"]
    )


def criterion(
    run: Run, metrics: Sequence[str], recommended: Recommendation | None
) -> dict[str, Any]:
    """Return what the first chart shows: a metric on some texts, of the systems compared.

    `apart` are systems that are not compared with these, with the reason. Where nothing is
    recommended, all systems are drawn.
    """
    text = first_test(run, "text") or (run.record.tests or (None,))[0]
    metric = recommended.ranking.metric if recommended else LENGTH
    texts = recommended.texts if recommended else ((text.name,) if text else ())
    if metric not in metrics:
        metric = LENGTH if LENGTH in metrics else (metrics or ("",))[0]
    reasons = _reasons(run, recommended)
    names = dict.fromkeys(outcome.name for outcome in run.record.outcomes)
    by_reason: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        by_reason.setdefault(reason, []).append(name)
    return {
        "metric": metric,
        "per_word": metric == ALL_TOKENS,
        "corpora": [*texts],
        "drawn": [name for name in names if name not in reasons or not recommended],
        "apart": [{"systems": systems, "reason": why} for why, systems in by_reason.items()],
    }


def _reasons(run: Run, recommended: Recommendation | None) -> dict[str, str]:
    """Return why systems are not compared with the first one, by the names that charts show."""
    barred = recommended.barred if recommended else barred_systems(run)
    several = sum(test.kind == "text" for test in run.record.tests) > 1
    why: dict[str, str] = {}
    for system in barred:
        on = f" of {system.corpus}" if several else ""
        lost = percent(system.share or 0, 0 if (system.share or 0) > 0.1 else 1)
        why[system.system] = (
            f"{GATED} cannot write {lost} of the words{on}"
            if system.reason == "words"
            else f"{ENDS_LOST} tokens do not tell where words end"
        )
    context = ""
    if recommended:
        ranking = recommended.ranking
        # Words of lists and gold files have no context.
        has_text = any(test.kind == "text" for test in run.record.tests)
        context = ranking.context if has_text else ""
        why |= dict.fromkeys(ranking.apart, f"no size in common with {ranking.leader}")
        why |= dict.fromkeys(recommended.unmeasured, "no length was measured")
        ready = [
            name for r in recommended.ready for name in (r.leader, *(o.system for o in r.others))
        ]
        why |= dict.fromkeys(ready, "ready-made: learned from other text")
    return {
        o.name: why.get(o.system) or f"{CUT[o.context]}, ranked apart"
        for o in run.record.outcomes
        if o.system in why or (context and o.context != context)
    }


def _tested(run: Run) -> dict[str, str]:
    """Return the files of the test texts by corpus; without texts, those of the other corpora."""
    resolved = run.record.resolved.get("corpora", {})
    texts = [test for test in run.record.tests if test.kind == "text"]
    roles = {"text": "test", "list": "lists", "gold": "gold", "pairs": "pairs"}
    return {
        test.name: _files(resolved.get(roles[test.kind], {}).get(test.name, {})) or test.name
        for test in texts or run.record.tests
    }


def _files(corpus: Mapping[str, Any]) -> str:
    """Name the files of a corpus, or its entry of the catalogue; nothing of a part of another."""
    paths = [PurePath(path).name for path in corpus.get("path") or ()]
    return corpus.get("catalog") or (some_names(paths) if paths else "")


def _texts(names: Collection[str]) -> str:
    return some_names(names) if names else "no text"
