"""The answer: what it says of constructed runs, and of shipped configs from their CSV files alone.

`Recomputed` reads nothing but the CSV files of a run folder, with the standard library.
"""

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from tokbench_views.answer import answer
from tokbench_views.terminal import ending

from tests.shipped import ShippedRun
from tests.tiny import TinyRun, tiny_run
from tokbench.run_folder import Run

ROOT = Path(__file__).parents[2]
WORDS = [f"{a}{b}{c}" for a in ("ka", "to", "mi") for b in ("lu", "re") for c in ("n", "s")]
TEXT = "".join(f"{one} {two}\n" for one, two in combinations(WORDS, 2))
NEW = "".join(f"{word}{word}\n{word[1:]}{word}\n" for word in WORDS)
LOW = "low low low lower\nlow lowest newer wider\nnewer newest low widest\n"

COMPARED = ["unseen", "coverage", "fewest-tokens", "fewest-tokens-unseen"]
KIND_NAMES = {
    "new-character": "words with a character that the training text lacks",
    "punctuation": "seen words with punctuation",
    "case": "seen words in another case",
    "number": "numbers",
    "joined": "two seen words joined",
    "affix": "seen words with an affix",
}


def facts(run: Run) -> dict[str, str]:
    return {fact.topic: fact.text for fact in answer(run)}


def values(run: Run, size: str, subset: str = "all") -> dict[str, float]:
    return {
        row.system: row.value or 0
        for row in run.rows
        if (row.metric, row.size, row.subset) == ("fertility", size, subset)
    }


def run_of(folder: Path, systems: str, sizes: str, **keys: str) -> TinyRun:
    texts = {"train": TEXT, "test": TEXT + keys.pop("more", "")}
    keys = {"metrics": "[fertility]", "gate": "0.01"} | keys
    return tiny_run(folder, texts=texts, systems=systems, sizes=sizes, **keys)


def test_where_nothing_differs_no_system_is_ahead(tmp_path: Path) -> None:
    """Two names of one learner, and sizes too near for a word on a thousand tokens."""
    run = run_of(tmp_path, "[{name: one, learner: bpe}, {name: two, learner: bpe}]", "[25, 30]")
    value = f"{values(run, '30')['one']:.3f}"
    assert facts(run) == {
        "unseen": "All 132 running words of held-out occur in the training text.",
        "coverage": "All systems know every word of held-out and give it back from its ids.",
        "fewest-tokens": "At 30, this run cannot tell one and two apart by tokens on held-out "
        f"({value} to {value} a word).",
        "caveat": "Fewer tokens do not always make a better model.",
    }


def test_a_lossy_system_with_the_fewest_tokens_is_not_ahead(tmp_path: Path) -> None:
    """`word` has one token a word, since one token stands for all words that it does not know."""
    systems = (
        "[{name: whole, learner: word}, bpe, {name: letters, learner: {use: bpe, eow: absent}}]"
    )
    run = run_of(tmp_path, systems, "[30]", more=NEW)
    all_words, unseen = values(run, "30"), values(run, "30", "unseen")
    assert all_words["whole"] == 1 < min(all_words["bpe"], all_words["letters"])
    told = facts(run)
    assert [*told] == [
        "unseen",
        "coverage",
        "fewest-tokens",
        "fewest-tokens-unseen",
        "scope",
        "caveat",
    ]
    assert told["coverage"] == (
        "More than 1 % of the words are unknown or lossy on held-out for whole@30: these lengths "
        "are not compared. Elsewhere every word is known and comes back."
    )
    for topic, found in (("fewest-tokens", all_words), ("fewest-tokens-unseen", unseen)):
        first, second = sorted(("bpe", "letters"), key=lambda name: found[name])
        assert told[topic].startswith("At 30, ")
        assert "whole" not in told[topic]
        assert f"({found[first]:.3f} " in told[topic]
        more = 100 * (found[second] / found[first] - 1)
        assert f"; {second} needs {more:.1f} % more (" in told[topic]


def test_with_one_size_only_nothing_is_said_of_sizes(tmp_path: Path) -> None:
    run = run_of(tmp_path, "[bpe, char]", "[30]")
    assert [*facts(run)] == ["unseen", "coverage", "scope", "caveat"]
    assert facts(run)["scope"] == "No size but 30 was tried."


def test_the_scope_names_systems_as_the_config_does(tmp_path: Path) -> None:
    """A sentence does not begin with a name, which may begin with a small letter."""
    run = run_of(tmp_path, "[bpe, utf8-bytes]", "[2, 30, 34]")
    assert facts(run)["scope"] == (
        "Learned elsewhere, and compared as found: utf8-bytes; systems that cut whole lines are "
        "not compared with those that cut words; a size was not reached by bpe."
    )


def test_failures_are_told_and_a_run_without_results_claims_nothing(tmp_path: Path) -> None:
    run = run_of(tmp_path, "[bpe, char]", "[30]")
    broken = replace(run, record=replace(run.record, failures=("system odd: no idea",)))
    assert facts(broken)["failures"] == (
        "One part of this run failed; what would stand there is missing."
    )
    empty = replace(broken, rows=(), coverage=(), comparisons=(), unseen=())
    assert [*facts(empty)] == ["failures", "caveat"]
    assert facts(empty)["failures"] == "Nothing was scored: every system failed."


def test_no_text_and_one_system(tmp_path: Path) -> None:
    gold = {"gold": "abc\tab c\n"}
    run = tiny_run(
        tmp_path, texts=gold, systems="[char]", metrics="[fertility]",
        corpora="{train: train.txt, gold: {parts: gold.txt}}",
    )  # fmt: skip
    assert [*facts(run)] == ["coverage", "caveat"]


def test_listed_sizes_are_compared_over_a_thousand_tokens(tmp_path: Path) -> None:
    """By hand: to 3,000 half of 8 % a thousand; from 3,000 to 5,000 half of 1 %."""
    run = run_of(tmp_path, "[bpe]", "[25, 28, 30]")
    lengths = {"25": (1000, 2.0), "28": (3000, 1.84), "30": (5000, 1.8216)}
    rows = [
        replace(row, vocabulary_size=lengths[row.size][0], value=lengths[row.size][1])
        for row in run.rows
        if row.subset == "all"
    ]
    assert facts(replace(run, rows=tuple(rows)))["size"] == (
        "From 3,000 on, a vocabulary larger by 1,000 saves bpe less than 1 % of its tokens on "
        "held-out; sizes above 5,000 were not tried."
    )
    assert facts(replace(run, rows=tuple(rows[:-1])))["size"] == (
        "At the largest sizes tried (1,000 to 3,000), a vocabulary larger by 1,000 still saves bpe "
        "4.0 % of its tokens on held-out."
    )


def test_the_terminal_has_twelve_lines_of_eighty_columns_at_most(tmp_path: Path) -> None:
    long = "n" * 64
    run = run_of(
        tmp_path, f"[{{name: {long}, learner: word}}, bpe, char, byte-bpe, unigram]", "[30, 300]",
        more=NEW,
    )  # fmt: skip
    text, _, table = ending(run).partition("\n\n")
    assert len(text.split("\n")) <= 12
    assert max(map(len, text.split("\n"))) <= 80
    assert text.endswith("\n- Fewer tokens do not always make a better model.")
    assert table.startswith("system")


def test_a_narrow_terminal_wraps_words_and_wide_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    run = tiny_run(
        tmp_path, texts={"test": "가나 다라\n"},
        corpora="{train: train.txt, test: {가나다라마바사아자차카타파하: test.txt}}",
    )  # fmt: skip
    text = ending(run).partition("\n\n")[0]
    assert max(len(line.encode("euc-kr")) for line in text.split("\n")) <= 40


class Recomputed:
    """The sentences of the answer from the CSV files of a run folder."""

    def __init__(self, folder: Path) -> None:
        """Read the files of a folder."""
        self.folder = folder
        texts = [row["corpus"] for row in self.table("coverage") if row["tokens-a-line"]]
        self.text = texts[0]
        self.texts = {*texts}
        results = self.table("results")
        self.results = [row for row in results if row["training-share"] in ("", "1")]
        baselines = [row["baseline"] for row in results if row["baseline"]]
        names = list(dict.fromkeys(row["system"] for row in results))
        self.systems = sorted(names, key=lambda name: name not in baselines)

    def table(self, name: str) -> list[dict[str, str]]:
        """Read one file."""
        with (self.folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            return [*csv.DictReader(file)]

    @cached_property
    def sized(self) -> dict[str, str]:
        """The largest size of each system."""
        found: dict[str, str] = {}
        for row in self.table("coverage"):
            found[row["system"]] = max(found.get(row["system"], ""), row["size"], key=number_in)
        return found

    def value(self, **columns: str) -> dict[str, str]:
        """Return the first row of results.csv with these cells, a system's own one."""
        return next(
            row
            for row in self.results
            if all(row[c.replace("_", "-")] == v for c, v in columns.items())
        )

    def unseen(self) -> str:
        """Say what is unseen."""
        rows = {row["kind"]: row for row in self.table("unseen") if row["corpus"] == self.text}
        every = rows.pop("all")
        count, share = int(every["words-running"]), float(every["share-running"])
        low, high = 100 * float(every["low"]), 100 * float(every["high"])
        text = f"{100 * share:.1f} % ({low:.1f} to {high:.1f})"
        text += (
            f" of the {round(count / share):,} running words of {self.text} do not occur in the "
        )
        expected = f"{100 * float(every['good-turing']):.1f} %"
        text += f"training text ({expected} is expected from its rare words)"
        another = float(every["low"]) > 2 * float(every["good-turing"])
        text += ": the test text is another domain. " if another else ". "
        known = [(int(row["words-running"]), kind) for kind, row in rows.items() if kind != "other"]
        most = sorted((one for one in known if one[0]), key=lambda one: -one[0])[:2]
        parts = [f"{100 * n / count:.1f} % are {KIND_NAMES[kind]}" for n, kind in most]
        return f"{text}Of these, {' and '.join(parts)}."

    def coverage(self) -> str:
        """Say where words are unknown or lossy."""
        shown: dict[tuple[str, str], dict[str, str]] = {}
        for row in self.table("coverage"):
            if row["corpus"] in self.texts and row["size"] == self.sized[row["system"]]:
                shown.setdefault((row["corpus"], row["system"]), row)
        gated: dict[tuple[str, ...], list[str]] = {}
        for corpus in dict.fromkeys(corpus for corpus, _ in shown):
            systems = [
                self.label(s) for (c, s), row in shown.items() if c == corpus and row["gated"]
            ]
            if systems:
                gated.setdefault(tuple(systems), []).append(corpus)
        rest = {
            key: max(float(r["oov"]), float(r["lossy"]))
            for key, r in shown.items()
            if not r["gated"]
        }
        worst = max(rest.values(), default=0)
        at = [*dict.fromkeys(self.label(s) for (_, s), share in rest.items() if share == worst)]
        if {self.label(s) for _, s in rest} == {*at}:
            at = []
        places = f" ({listed(at)})" if at else ""
        if not gated:
            assert worst
            names = listed(dict.fromkeys(corpus for corpus, _ in shown))
            return (
                f"At most {100 * worst:.1f} % of the words of {names} are unknown or lossy{places}."
            )
        said = "; ".join(f"{listed(c)} for {listed(systems)}" for systems, c in gated.items())
        text = f"More than 1 % of the words are unknown or lossy on {said}: "
        text += "these lengths are not compared."
        if worst:
            return f"{text} Elsewhere it is at most {100 * worst:.1f} %{places}."
        return f"{text} Elsewhere every word is known and comes back." if rest else text

    def label(self, system: str) -> str:
        """Return a system with its largest size."""
        return f"{system}@{self.sized[system]}" if self.sized[system] else system

    def best(self, metric: str, corpus: str, subset: str, sign: int) -> Any:
        """Return where to compare, the first systems by value, and the next one with its pair."""
        pairs = [
            row
            for row in self.table("comparisons")
            if (row["metric"], row["corpus"], row["subset"]) == (metric, corpus, subset)
        ]
        if not pairs:
            return None
        systems: dict[tuple[str, str], set[str]] = {}
        for row in pairs:
            systems.setdefault((row["size"], row["context"]), set()).update(
                (row["system"], row["other"])
            )
        half = max(map(len, systems.values())) / 2
        (size, context), names = max(
            ((place, names) for place, names in systems.items() if len(names) >= half),
            key=lambda one: (number_in(one[0][0]), len(one[1])),
        )
        rows = [
            self.value(
                system=name, metric=metric, corpus=corpus, subset=subset, size=size, context=context
            )
            for name in self.systems_in_order()
            if name in names
        ]
        rows.sort(key=lambda row: sign * float(row["value"]))
        verdict: dict[str, dict[str, str]] = {}
        for row in pairs:
            if (row["size"], row["context"]) == (size, context):
                if row["system"] == rows[0]["system"]:
                    verdict[row["other"]] = row
                elif row["other"] == rows[0]["system"]:
                    verdict[row["system"]] = row
        told = [row for row in rows[1:] if verdict[row["system"]]["verdict"] != "cannot tell"]
        together = [row for row in rows if row not in told]
        at = (
            f"At {int(size):,}"
            if size.isdecimal()
            else f"At {size}"
            if size
            else "At their own sizes"
        )
        return at, together, [(row, verdict[row["system"]]) for row in told[:1]]

    def systems_in_order(self) -> list[str]:
        """Return the systems as results.csv has them."""
        return [*dict.fromkeys(row["system"] for row in self.results)]

    def fewest(self, subset: str) -> str:
        """Say which systems need the fewest tokens."""
        at, together, after = self.best("fertility", self.text, subset, 1)
        where = f"unseen words of {self.text}" if subset == "unseen" else self.text
        lengths = [float(row["value"]) for row in together]
        names = listed(row["system"] for row in together)
        if not after:
            text = f"{at}, this run cannot tell {names} apart by tokens on {where} "
            return f"{text}({lengths[0]:.3f} to {lengths[-1]:.3f} a word)."
        if len(together) > 1:
            text = (
                f"{at}, {names} need the fewest tokens on {where} ({lengths[0]:.3f} a word and up)"
            )
            text += ", and this run cannot tell them apart"
        else:
            text = f"{at}, {names} needs the fewest tokens on {where} ({lengths[0]:.3f} a word)"
        ((row, pair),) = after
        sign = 1 if pair["system"] == row["system"] else -1
        low, high = sorted(100 * sign * float(pair[end]) / lengths[0] for end in ("low", "high"))
        more = 100 * (float(row["value"]) / lengths[0] - 1)
        return f"{text}; {row['system']} needs {more:.1f} % more ({low:.1f} to {high:.1f})."

    def gold(self) -> str | None:
        """Say which systems agree most with the first gold file."""
        corpora = [row["corpus"] for row in self.results if row["metric"] == "boundary-kappa"]
        gold = next((corpus for corpus in corpora if corpus not in self.texts), "")
        found = self.best("boundary-kappa", gold, "all", -1)
        if found is None:
            return None
        at, together, after = found
        one = together[0]
        kappa, low, high = (float(one[column]) for column in ("value", "low", "high"))
        value = f"kappa {kappa:.3f} ({low:.3f} to {high:.3f}), 0 by chance"
        names = listed(row["system"] for row in together)
        if not after:
            where = f"the gold boundaries of {gold}"
            return f"{at}, this run cannot tell {names} apart by {where}: {value}."
        if len(together) > 1:
            text = (
                f"{at}, {names} agree most with the gold boundaries of {gold}, and this run cannot "
            )
            text += f"tell them apart: {value}"
        else:
            text = f"{at}, {names} agrees most with the gold boundaries of {gold}: {value}"
        return f"{text}; {after[0][0]['system']} follows with {float(after[0][0]['value']):.3f}."

    def size(self) -> str | None:
        """Say from which listed size on a thousand more tokens save less than 1 %."""
        for system in self.systems:
            own: dict[int, float] = {}
            for row in self.results:
                here = row["system"], row["metric"], row["corpus"], row["subset"], row["gated"]
                if here == (system, "fertility", self.text, "all", "") and row["size"]:
                    own.setdefault(int(row["vocabulary-size"]), float(row["value"]))
            savings = [
                (a, b, (own[a] - own[b]) / own[a] / (b - a) * 1000)
                for a in sorted(own)
                for b in sorted(own)
                if b >= a + 1000 and not any(a + 1000 <= c < b for c in own)
            ]
            if savings:
                break
        else:
            return None
        since, last, final = savings[-1]
        if final >= 0.01:
            text = f"At the largest sizes tried ({since:,} to {last:,}), a vocabulary larger by "
            text += f"1,000 still saves {system} {100 * final:.1f} % of its tokens"
            return f"{text} on {self.text}."
        begin = min(a for a, _, _ in savings if all(s < 0.01 for c, _, s in savings if c >= a))
        text = f"From {begin:,} on, a vocabulary larger by 1,000 saves {system} less than 1 % of "
        return f"{text}its tokens on {self.text}; sizes above {last:,} were not tried."

    def noise(self) -> str | None:
        """Say which kind of noise costs most."""
        for system in self.systems:
            own: dict[tuple[str, str], dict[str, str]] = {}
            for row in self.results:
                here = row["system"], row["metric"], row["size"], row["gated"]
                if (
                    here == (system, "fertility-change", self.sized.get(system), "")
                    and row["value"]
                ):
                    own[row["corpus"], row["subset"]] = row
            kinds = [row for (_, subset), row in own.items() if subset.startswith("common:")]
            kinds = kinds or [row for (_, subset), row in own.items() if subset != "all"]
            if kinds:
                break
        else:
            return None
        worst = max(kinds, key=lambda row: float(row["value"]))
        kind, corpus = worst["subset"].partition(":")[2], worst["corpus"]
        text = f"Of {len(kinds)} kinds of noise {kind} costs most" if kinds[1:] else "Under noise"
        text += f": {self.label(system)} needs {float(worst['value']):.3f} times as many tokens "
        low, high = float(worst["low"]), float(worst["high"])
        text += f"({low:.3f} to {high:.3f}) for the changed words of {corpus}"
        return f"{text} ({kind})." if kind != corpus and not kinds[1:] else f"{text}."


def number_in(size: str) -> int:
    return int(size.rpartition(":")[2] or 0)


def listed(names: Iterable[str]) -> str:
    every = [*names]
    if len(every) > 4:
        every = [*every[:3], f"{len(every) - 3} more"]
    return " and ".join([", ".join(every[:-1]), every[-1]]) if len(every) > 1 else every[0]


def check(folder: Path, topics: Sequence[str]) -> None:
    """Compare all sentences with numbers with those from the CSV files."""
    told = {fact["topic"]: fact for fact in json.loads((folder / "answer.json").read_text("utf-8"))}
    own = Recomputed(folder)
    expected = {
        "unseen": own.unseen(),
        "coverage": own.coverage(),
        "fewest-tokens": own.fewest("all") if "fewest-tokens" in topics else None,
        "fewest-tokens-unseen": own.fewest("unseen") if "fewest-tokens-unseen" in topics else None,
        "size": own.size(),
        "gold": own.gold(),
        "noise": own.noise(),
    }
    for topic, sentence in expected.items():
        assert told.get(topic, {"text": None})["text"] == sentence
    assert [topic for topic in told if topic not in ("scope", "caveat")] == [*topics]
    for fact in told.values():
        assert not fact["file"] or (folder / fact["file"]).exists()
    report = (folder / "report.md").read_text("utf-8")
    assert f"# {told['coverage']['section']}\n" in report


@pytest.mark.ci
@pytest.mark.parametrize(
    ("config", "topics"),
    [
        ("bpe", [*COMPARED, "size", "gold"]),
        ("oov", [*COMPARED, "size", "gold", "noise"]),
        ("oov-korean", ["unseen", "coverage", "gold", "noise"]),
        ("pretrained", COMPARED),
    ],
)
def test_each_sentence_on_a_shipped_config(
    config: str, topics: list[str], shipped_run: ShippedRun
) -> None:
    check(shipped_run(config), topics)


def test_the_section_of_the_report_links_to_sections_that_it_has(shipped_run: ShippedRun) -> None:
    report = (shipped_run("toy") / "report.md").read_text("utf-8")
    titles = [line.lstrip("# ") for line in report.split("\n") if line.startswith("##")]
    anchors = {
        "".join(c for c in t.lower().replace(" ", "-") if c.isalnum() or c == "-") for t in titles
    }
    section = report[: report.index("## What was compared")]
    links = [part.split(")")[0] for part in section.split("](#")[1:]]
    assert links
    assert {*links} <= anchors


@pytest.mark.ci
def test_the_page_shows_the_answer_of_the_shipped_config(shipped_run: ShippedRun) -> None:
    page = (ROOT / "docs" / "answer.md").read_text("utf-8")
    block = page.split("```text\n")[1].split("```")[0]
    assert block in ending(Run.load(shipped_run("bpe"))) + "\n"
