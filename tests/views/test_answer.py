"""The answer: what it says of constructed runs, and of shipped configs from their CSV files alone.

`Recomputed` reads nothing but the CSV files of a run folder, with the standard library. Sentences
stand in docs/answer.md only, where a test compares them.
"""

import csv
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from tokbench_views.answer import answer
from tokbench_views.tables import ending

from tests.shipped import ShippedRun
from tests.tiny import TinyRun, tiny_run
from tokbench.run_folder import Run

ROOT = Path(__file__).parents[2]
WORDS = [f"{a}{b}{c}" for a in ("ka", "to", "mi") for b in ("lu", "re") for c in ("n", "s")]
TEXT = "".join(f"{one} {two}\n" for one, two in combinations(WORDS, 2))
NEW = "".join(f"{word}{word}\n{word[1:]}{word}\n" for word in WORDS)

COMPARED = ["unseen", "coverage", "fewest-tokens", "fewest-tokens-unseen"]


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
        "[{name: whole, learner: word}, bpe, {name: letters, learner: {use: bpe, eow: separate}}]"
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
    assert facts(run)["scope"] == (
        "No size but 30 was tried; word ends lost: char is compared by length with no other system."
    )


def test_lengths_are_compared_among_systems_that_tell_word_ends(tmp_path: Path) -> None:
    """Without a mark there are fewest tokens, but `forever` and `fore ver` are the same."""
    marked = "bpe, {name: begun, learner: {use: bpe, eow: absent, bow: fused}}"
    bare = (
        "{name: bare, learner: {use: bpe, eow: absent}}, "
        "{name: shown, learner: {use: bpe, eow: absent, continuation: display}}"
    )
    run = run_of(tmp_path, f"[{bare}, {marked}]", "[30]")
    lengths = values(run, "30")
    assert lengths["bare"] == lengths["shown"] < min(lengths["bpe"], lengths["begun"])
    assert {frozenset((c.system, c.other)) for c in run.comparisons if c.subset == "all"} == {
        frozenset(("bare", "shown")),
        frozenset(("bpe", "begun")),
    }
    told = facts(run)
    assert told["fewest-tokens"].startswith("At 30, ")
    assert not {"bare", "shown"} & {*re.findall(r"\w+", told["fewest-tokens"])}
    assert told["scope"].endswith(
        "; word ends lost: bare and shown are compared by length with each other only."
    )
    alone = facts(run_of(tmp_path, f"[{bare}]", "[30]"))
    assert alone["fewest-tokens"].startswith(
        "At 30, with word ends lost, this run cannot tell bare and shown apart by tokens"
    )
    assert "word ends" not in alone["scope"]


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


SYSTEMS = "[{name: a, learner: bpe}, {name: b, learner: bpe}, {name: c, learner: bpe}]"


def ranked(run: TinyRun, lengths: dict[str, float], told: set[str]) -> TinyRun:
    """Return a run with other lengths, and pairs of systems such as `ac` that can be told apart."""
    rows = [replace(row, value=lengths[row.system]) for row in run.rows if row.subset == "all"]
    pairs = [
        replace(
            pair,
            difference=lengths[pair.system] - lengths[pair.other],
            verdict="lower" if pair.system + pair.other in told else "cannot tell",
        )
        for pair in run.comparisons
        if pair.subset == "all"
    ]
    return replace(run, rows=tuple(rows), comparisons=tuple(pairs))


@pytest.mark.parametrize(
    ("lengths", "told", "sentence"),
    [
        ((1.0, 1.1, 1.2), {"ac", "bc"}, "a and b need the fewest tokens"),
        ((1.0, 1.1, 1.2), set(), "this run cannot tell a, b and c apart"),
        # b and c can be told apart, so the three are no group.
        ((1.0, 1.1, 1.2), {"bc"}, "a needs the fewest tokens"),
        # The interval of c is narrower: b needs more tokens, and yet may be as good as a.
        ((1.0, 1.2, 1.1), {"ac"}, "a needs the fewest tokens"),
    ],
)
def test_a_group_is_named_where_all_its_pairs_are_untold(
    tmp_path: Path, lengths: tuple[float, ...], told: set[str], sentence: str
) -> None:
    run = ranked(run_of(tmp_path, SYSTEMS, "[25]"), dict(zip("abc", lengths, strict=True)), told)
    text = facts(run)["fewest-tokens"]
    assert text.startswith(f"At 25, {sentence}")
    if sentence.startswith("a needs"):
        untold = "b and c" if told == {"bc"} else "b"
        assert f"(1.000 a word), but this run cannot tell it from {untold}" in text
        assert ("; c needs 10.0 % more than a (" in text) == (told == {"ac"})


@pytest.mark.parametrize(
    ("low", "sentence"),
    [
        (1.35, "Of 2 kinds of noise swap costs most: bpe@25 needs 1.500 times"),
        (1.25, "Of 2 kinds of noise, this run cannot tell swap from keyboard: bpe@25 needs 1.500"),
        (None, "Of 2 kinds of noise, this run cannot tell swap from keyboard: bpe@25 needs 1.500"),
    ],
)
def test_noise_that_costs_most_lies_above_all_others(
    tmp_path: Path, low: float | None, sentence: str
) -> None:
    run = run_of(tmp_path, "[bpe]", "[25]")
    (row,) = (row for row in run.rows if row.subset == "all")
    row = replace(row, metric="fertility-change", low=1.1, high=1.3)
    kinds = {
        "common:keyboard": replace(row, value=1.2),
        "common:swap": replace(row, value=1.5, low=low, high=1.7),
    }
    rows = [replace(row, subset=subset) for subset, row in kinds.items()]
    assert facts(replace(run, rows=(*run.rows, *rows)))["noise"].startswith(sentence)


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


Cells = dict[str, str]
Values = dict[str, Any]


class Recomputed:
    """The values behind the answer, from the CSV files of a run folder."""

    def __init__(self, folder: Path) -> None:
        """Read the files of a folder."""
        self.folder = folder
        texts = [row["corpus"] for row in self.table("coverage") if row["tokens-a-line"]]
        self.text, self.texts = texts[0], {*texts}
        results = self.table("results")
        self.results = [row for row in results if row["training-share"] in ("", "1")]
        baselines = [row["baseline"] for row in results if row["baseline"]]
        self.systems = [*dict.fromkeys(row["system"] for row in results)]
        outcomes = json.loads((folder / "run.json").read_text("utf-8"))["outcomes"]
        self.told = {each["system"] for each in outcomes if each["told_edge"] != "none"}
        self.baseline_first = sorted(self.systems, key=lambda name: name not in baselines)

    def table(self, name: str) -> list[Cells]:
        """Read one file."""
        with (self.folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            return [*csv.DictReader(file)]

    @cached_property
    def largest(self) -> dict[str, str]:
        """The largest size of each system."""
        sizes: dict[str, str] = {}
        for row in self.table("coverage"):
            sizes[row["system"]] = max(sizes.get(row["system"], ""), row["size"], key=number_in)
        return sizes

    def unseen(self) -> Values:
        """Return shares of unseen words, and of the two most frequent kinds among them."""
        rows = {row["kind"]: row for row in self.table("unseen") if row["corpus"] == self.text}
        every = rows.pop("all")
        counts = {kind: int(row["words-running"]) for kind, row in rows.items() if kind != "other"}
        most = sorted((kind for kind in counts if counts[kind]), key=lambda kind: -counts[kind])[:2]
        names = {"share": "share-running", "expected": "good-turing", "low": "low", "high": "high"}
        shares = {kind: counts[kind] / int(every["words-running"]) for kind in most}
        record = json.loads((self.folder / "run.json").read_text("utf-8"))
        between = record["corpora"][0]["between_parts"]
        if between is not None and float(every["low"]) <= between:
            between = None
        values = {name: float(every[column]) for name, column in names.items()}
        return {**values, "between": between, **shares}

    def coverage(self) -> Values:
        """Return the largest share of unknown or lossy words of what the gate lets pass."""
        shown: dict[tuple[str, str], Cells] = {}
        for row in self.table("coverage"):
            if row["corpus"] in self.texts and row["size"] == self.largest[row["system"]]:
                shown.setdefault((row["corpus"], row["system"]), row)
        passed = [row for row in shown.values() if not row["gated"]]
        worst = max((float(row[k]) for row in passed for k in ("oov", "lossy")), default=0.0)
        return {"worst-not-gated": worst}

    def ranked(self, metric: str, corpus: str, subset: str, sign: int) -> Any:
        """Return the rows of the best system and those like it, and the next one with its pair."""
        groups: dict[tuple[str, str], dict[frozenset[str], Cells]] = {}
        rows = [
            row
            for row in self.table("comparisons")
            if (row["metric"], row["corpus"], row["subset"]) == (metric, corpus, subset)
        ]
        told = [row for row in rows if row["context"] != "isolated" or row["system"] in self.told]
        for row in told if told and metric == "fertility" else rows:
            pair = frozenset((row["system"], row["other"]))
            groups.setdefault((row["size"], row["context"]), {})[pair] = row
        if not groups:
            return None
        names = {place: frozenset().union(*pairs) for place, pairs in groups.items()}
        most = max(map(len, names.values()))
        shared = [place for place in groups if 2 * len(names[place]) >= most]
        place = max(shared, key=lambda place: (number_in(place[0]), len(names[place])))
        here = (metric, corpus, subset, *place)
        first_rows: dict[str, Cells] = {}
        for row in self.results:
            key = tuple(row[name] for name in ("metric", "corpus", "subset", "size", "context"))
            if key == here and row["system"] in names[place]:
                first_rows.setdefault(row["system"], row)
        best, *others = sorted(first_rows.values(), key=lambda row: sign * float(row["value"]))
        verdicts = [(r, groups[place][frozenset((best["system"], r["system"]))]) for r in others]
        apart = [verdict for verdict in verdicts if verdict[1]["verdict"] != "cannot tell"]
        alike = [row for row, pair in verdicts if pair["verdict"] == "cannot tell"]
        return [best, *alike], apart[0] if apart else None

    def fewest(self, subset: str) -> tuple[Values, list[str]]:
        """Return the shortest length, how much more the next system needs, and who is named."""
        alike, following = self.ranked("fertility", self.text, subset, 1)
        best = float(alike[0]["value"])
        values, names = {"tokens-a-word": best}, [row["system"] for row in alike]
        if following:
            row, pair = following
            sign = 1 if pair["system"] == row["system"] else -1
            low, high = sorted(sign * float(pair[end]) / best for end in ("low", "high"))
            values |= {"next-more": float(row["value"]) / best - 1, "low": low, "high": high}
            names.append(row["system"])
        return values, names

    def gold(self) -> tuple[Values, list[str]] | None:
        """Return the best agreement with the first gold file, the next one, and who is named."""
        corpora = [row["corpus"] for row in self.results if row["metric"] == "boundary-kappa"]
        gold = next((corpus for corpus in corpora if corpus not in self.texts), "")
        ranked = self.ranked("boundary-kappa", gold, "all", -1)
        if ranked is None:
            return None
        alike, following = ranked
        columns = {"kappa": "value", "low": "low", "high": "high"}
        values = {name: float(alike[0][column]) for name, column in columns.items()}
        names = [row["system"] for row in alike]
        if following:
            values["next-kappa"] = float(following[0]["value"])
            names.append(following[0]["system"])
        return values, names

    def size(self) -> Values | None:
        """Return from which listed size on a thousand more tokens save less than 1 %."""
        for system in self.baseline_first:
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
                _, last, final = savings[-1]
                small = [a for a, _, _ in savings if all(s < 0.01 for c, _, s in savings if c >= a)]
                begin = min(small) if small else None
                return {"system": system, "from": begin, "largest": last, "last-saving": final}
        return None

    def noise(self) -> Values | None:
        """Return which kind of noise costs most, and how much."""
        for system in self.baseline_first:
            own: dict[tuple[str, str], Cells] = {}
            for row in self.results:
                here = row["system"], row["metric"], row["size"], row["gated"]
                place = (system, "fertility-change", self.largest.get(system), "")
                if here == place and row["value"]:
                    own[row["corpus"], row["subset"]] = row
            kinds = [row for (_, subset), row in own.items() if subset.startswith("common:")]
            kinds = kinds or [row for (_, subset), row in own.items() if subset != "all"]
            if kinds:
                worst = max(kinds, key=lambda row: float(row["value"]))
                numbers = {"times": "value", "low": "low", "high": "high"}
                values = {name: float(worst[column]) for name, column in numbers.items()}
                return {"kind": worst["subset"].partition(":")[2], **values}
        return None


def number_in(size: str) -> int:
    return int(size.rpartition(":")[2] or 0)


def check(folder: Path, topics: Sequence[str]) -> None:
    """Compare the values of all facts with those from the CSV files, and the systems they name."""
    facts = {
        fact["topic"]: fact for fact in json.loads((folder / "answer.json").read_text("utf-8"))
    }
    assert [topic for topic in facts if topic not in ("scope", "caveat")] == [*topics]
    own = Recomputed(folder)
    for topic in topics:
        if topic.startswith("fewest-tokens"):
            expected: Any = own.fewest("unseen" if topic.endswith("unseen") else "all")
        else:
            expected = getattr(own, topic)()
        values, names = expected if isinstance(expected, tuple) else (expected, [])
        for name, value in values.items():
            shown = facts[topic]["values"][name]
            number = isinstance(value, float)
            assert shown == (pytest.approx(value, rel=1e-9) if number else value), (topic, name)
        assert facts[topic]["values"].keys() == values.keys()
        named = names if len(names) <= 4 else names[:3]
        assert re.search(".*".join(map(re.escape, named)), facts[topic]["text"]), topic
        assert (folder / facts[topic]["file"]).exists()
    report = (folder / "report.md").read_text("utf-8")
    assert f"# {facts['coverage']['section']}\n" in report


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
def test_the_page_shows_the_answer_of_the_shipped_config(
    shipped_run: ShippedRun, golden: Callable[[Path, str], None]
) -> None:
    """It shows the first three of its facts."""
    page = ROOT / "docs" / "answer.md"
    facts = re.split("^- ", ending(Run.load(shipped_run("bpe"))), flags=re.M)[1:4]
    shown = "".join(f"- {fact}" for fact in facts)
    text, blocks = re.subn(
        "^```text\n.*?```",
        lambda _: f"```text\n{shown}```",
        page.read_text("utf-8"),
        count=1,
        flags=re.M | re.S,
    )
    assert blocks == 1
    golden(page, text)
