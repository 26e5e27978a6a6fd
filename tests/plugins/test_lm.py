"""Bits per byte: the events give the text back, and the numbers are those of the count model."""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_lm.events import Events, EventText, event_text
from tokbench_lm.model import probabilities
from tokbench_lm.price import Pricing

from tests.plugins.test_lm_model import stream_of
from tests.run_cli import Done
from tests.run_cli import tokbench_here as tokbench
from tests.tiny import offering, tiny_run, value
from tokbench import plugins
from tokbench.api import Size, Vocabulary
from tokbench.api.arrays import LineTokens, TrainingLines, Words
from tokbench.api.text import BOW, CONTINUATION, EOW
from tokbench.corpora.words import build_words, with_counts
from tokbench.cut import BoundSegmenter, segment
from tokbench.run_folder import Run
from tokbench.run_folder.layout import Layout

TRAIN = "low lower lowest newest widest new slow\nlow wide\n" * 4
SYSTEMS: dict[str, dict[str, Any]] = {
    "bpe": {},
    "bpe eow=absent": {"eow": "absent"},
    "bpe eow=separate": {"eow": "separate"},
    "bpe eow=fenced": {"eow": "fenced"},
    "bpe bow=fused": {"eow": "absent", "bow": "fused"},
    "bpe bow=separate": {"eow": "absent", "bow": "separate"},
    "bpe both": {"eow": "fused", "bow": "separate"},
    "bpe continuation": {"eow": "absent", "continuation": "fused"},
    "bpe display": {"eow": "absent", "continuation": "display"},
    "bpe seen": {"alphabet": {"coverage": 0.9, "forms": "seen"}},
    "char": {},
    "word": {},
    "wordpiece": {},
    "unigram": {},
    "byte-bpe": {},
    "byte-bpe lines": {"read": "lines"},
    "utf8-bytes": {},
    "sentencepiece-unigram": {"read": "lines"},
    "duplicated": {},
    "bpe pieces": {},
    "bpe pieces bow=fused": {"eow": "absent", "bow": "fused"},
}
PIECES = ("bpe pieces", "bpe pieces bow=fused")
"""Systems whose words are cut into pieces first, so that marks tell the edges of these."""


def words_of(text: str) -> Words:
    lines = (re.findall(r"[^ \t\n\r\v\f]+", line) for line in text.split("\n"))
    return with_counts(build_words((words, 0, 0) for words in lines), {})


@cache
def learned(name: str) -> BoundSegmenter:
    registry = plugins.load()
    use = name.split(" ")[0]
    learner: Any = registry.find("learner", use).component.configure(**SYSTEMS[name])
    size = Size(total=262 if "byte" in name else 24 if "sentencepiece" in name else 40)
    if learner.reads == "nothing":
        vocabulary = learner.load()
    elif learner.reads == "lines":
        vocabulary = learner.learn_lines(TRAIN.splitlines(), size)
    else:
        vocabulary = learner.learn(Counter(TRAIN.split()), size)
    return BoundSegmenter(registry.segmenter_of(vocabulary)[1], vocabulary)


def events_of(name: str, text: str) -> tuple[Events, EventText]:
    bound = learned(name)
    in_context, pieces = bound.cuts_lines, name in PIECES
    cut = partial(cut_pieces, bound) if pieces else bound.lines if in_context else bound.tokens
    events = Events.of(bound.vocabulary, TrainingLines(words_of(TRAIN), cut, in_context, pieces))
    return events, event_text(events, words_of(text), cut)


def cut_pieces(bound: BoundSegmenter, texts: Sequence[str]) -> LineTokens:
    """Cut each word in its middle, and both pieces as words."""
    parts = [(word[: len(word) // 2], word[len(word) // 2 :]) for word in texts]
    flat = [[piece for piece in pair if piece] for pair in parts]
    cuts = [bound.tokens(pieces) for pieces in flat]
    ids = [i for cut in cuts for i in cut.ids.tolist()]
    lengths = [b - a for cut in cuts for a, b in zip(cut.starts, cut.ends, strict=True)]
    row = np.cumsum([0, *(len(cut.ids) for cut in cuts)])
    return LineTokens.from_lengths(row, ids, lengths)


def decoded(events: Events, coded: EventText) -> bytes:
    """Write the text that events stand for, by the vocabulary and its marks alone."""
    vocabulary = events.vocabulary
    bow = vocabulary.marks.bow.kind in ("fused", "separate", "fenced")
    eow = vocabulary.marks.eow.kind in ("fused", "separate", "fenced")
    written, line = b"", b""
    spelled = iter(coded.spelled.tolist())
    for event, text in zip(coded.lines.events.tolist(), spelled, strict=True):
        opens = closes = False
        if event == events.newline:
            written, line = written + line.strip(b" ") + b"\n", b""
            continue
        if event == events.boundary:
            line += b" "
            continue
        if event < events.newline:
            token = vocabulary.tokens[event]
            raw = vocabulary.raw(event)
            opens = token.startswith(BOW) if bow else not token.startswith(CONTINUATION)
            closes = token.endswith(EOW)
        else:
            raw = coded.texts[text]
            opens = closes = event == events.edge_escape
        if events.in_context:
            line += b" " * (event < events.newline and token.startswith(BOW)) + raw
        elif events.has_boundary:
            line += raw
        elif eow:
            line += raw + b" " * closes
        elif bow or vocabulary.marks.continuation.kind == "fused":
            line += b" " * opens + raw
        else:
            line += raw
    return written


def priced_text(text: str) -> bytes:
    lines = (re.findall(r"[^ \t\n\r\v\f]+", line) for line in text.split("\n"))
    joined = "".join(" ".join(line) + "\n" for line in lines if line)
    return joined.encode("utf-8", "surrogatepass")


LETTERS = st.sampled_from("lowern sdit\n é한ｗ🎉\u0301\u200d▁#</>\xa0\u2028\x85")
TEXT = st.text(LETTERS, min_size=1, max_size=40).filter(lambda text: bool(text.split()))


@pytest.mark.parametrize("name", SYSTEMS)
@given(text=TEXT)
def test_a_reader_of_the_events_writes_the_text_again(name: str, text: str) -> None:
    events, coded = events_of(name, text)
    priced = priced_text(text)
    if name == "sentencepiece-unigram" and coded.lost.any():
        # Its normalisation changes these.
        assert set(text) & set("ｗ\xa0\u2028\x85\u200d▁\u0301é한")
        return
    assert not coded.lost.any()
    assert decoded(events, coded) == priced
    assert coded.size.sum() == coded.line_size.sum() == len(priced)
    base = events.base(escapes_seen=False)
    assert base.sum() == pytest.approx(1)
    assert (base[coded.lines.events] > 0).all()


@pytest.mark.parametrize("name", SYSTEMS)
def test_each_word_pays_for_its_own_events(name: str) -> None:
    text = "low xylo newest\nwiden low\n"
    _, coded = events_of(name, text)
    assert coded.size.tolist() == [4, 5, 7, 6, 4]
    assert (np.diff(coded.word) >= 0).all()
    assert sorted(set(coded.word.tolist())) == [0, 1, 2, 3, 4]
    if learned(name).cuts_lines:
        return
    for number, word in enumerate(text.split()):
        alone = events_of(name, word)[1].lines.events[:-1].tolist()
        assert coded.lines.events[coded.word == number].tolist()[: len(alone)] == alone


@pytest.mark.parametrize("name", ["byte-bpe lines", "sentencepiece-unigram", "duplicated"])
def test_in_context_a_token_is_paid_for_by_the_word_of_its_first_letter(name: str) -> None:
    """A space goes with the letter behind it; a bare mark and the newline with the word before."""
    text = "low lowest wide\nnew low\n"
    events, coded = events_of(name, text)
    writes = [*events.writes(), b"\n"]
    paid = [b"" for _ in range(5)]
    for event, word in zip(coded.lines.events.tolist(), coded.word.tolist(), strict=True):
        paid[word] += writes[event]
    joined = b"".join(paid)
    assert joined.replace(b"\n ", b"\n").strip(b" ") == b"low lowest wide\nnew low\n"
    for word, letters in zip(paid, text.split(), strict=True):
        assert word.strip() == letters.encode()
    assert [word.endswith(b"\n") for word in paid] == [False, False, True, False, True]


def test_the_base_distribution_has_all_possible_events() -> None:
    bound = learned("bpe")
    training = TrainingLines(words_of(TRAIN), bound.tokens, False)
    events, many = Events.of(bound.vocabulary, training), len(bound.vocabulary.tokens)
    seen, never = events.base(escapes_seen=True), events.base(escapes_seen=False)
    assert seen[: many + 1].tolist() == pytest.approx([1 / (many + 3)] * (many + 1))
    assert seen[many + 1 :].tolist() == pytest.approx([0, 1 / (many + 3), 1 / (many + 3)])
    assert never[: many + 1].tolist() == pytest.approx([1 / 2 / (many + 1)] * (many + 1))
    assert never[many + 1 :].tolist() == pytest.approx([0, 1 / 4, 1 / 4])
    byte_events = Events.of(learned("utf8-bytes").vocabulary, replace(training, in_context=True))
    assert byte_events.base(escapes_seen=False).tolist() == pytest.approx([1 / 257] * 257 + [0] * 3)


def test_what_is_lost_has_no_value(tmp_path: Path) -> None:
    """BERT's tokenizer lower-cases, so that nobody can write the text again."""
    vocab = ["[UNK]", "[CLS]", "[SEP]", "low", "##er", "l", "##o", "##w"]
    (tmp_path / "vocab.txt").write_text("".join(f"{token}\n" for token in vocab))
    rows = run(tmp_path, "[{name: bert, learner: {use: hf, kind: bert-vocab, vocab: vocab.txt}}]",
               train="Low lower\n" * 30, test="Low low\n" * 30)  # fmt: skip
    assert rows["bert", "", "all", "bits-per-byte"]["status"] == "undefined"
    assert rows["bert", "", "unseen", "bits-per-byte"]["value"] == ""


def started(folder: Path, systems: str, train: str, test: str, metrics: str, settings: str) -> Done:
    """Run the systems as a user does."""
    (folder / "train.txt").write_text(train)
    (folder / "test.txt").write_text(test)
    (folder / "c.yaml").write_text(
        "corpora: {train: {path: train.txt, words: whitespace}, "
        "test: {t: {path: test.txt, words: whitespace}}}\n"
        f"systems: {systems}\nmetrics: {metrics}\nresamples: 100\n{settings}\n"
    )
    return tokbench("run", "-q", "c.yaml", "-o", "run", cwd=folder)


def run(
    folder: Path,
    systems: str,
    train: str = TRAIN,
    test: str = TRAIN,
    metrics: str = "[bits-per-byte]",
    settings: str = "merges: [4]",
) -> dict[tuple[str, ...], dict[str, str]]:
    """Run the systems, and return the rows of results.csv by system, size, subset and metric."""
    done = started(folder, systems, train, test, metrics, settings)
    assert done.returncode == 0, done.stderr
    keys = ("system", "size", "subset", "metric")
    return {tuple(row[key] for key in keys): row for row in table(folder, "results")}


def table(folder: Path, name: str) -> list[dict[str, str]]:
    """Read a table of the run folder."""
    with (folder / "run" / Layout().table(name)).open() as file:
        return [*csv.DictReader(file)]


def bits_of(
    text: list[list[str]], training: list[list[str]], order: int, base: Mapping[str, float]
) -> float:
    """Price lines with the count model, which has the numbers of lmplz and KenLM."""
    number = {event: i for i, event in enumerate(base)}
    counted, asked = (
        stream_of([[number[event] for event in line] for line in lines], len(base))
        for lines in (training, text)
    )
    ours, _ = probabilities(counted, order, np.array([*base.values()]), asked)
    return float(-np.log2(ours).sum())


@pytest.mark.parametrize(
    ("system", "boundary"),
    [("{use: bpe}", False), ("{use: bpe, eow: absent}", True), ("char", True)],
)
def test_the_numbers_are_those_of_the_printed_tokens(
    tmp_path: Path, system: str, boundary: bool
) -> None:
    """It knows what `tokbench segment` prints, the order, and which events there are."""
    train = "low lower lowest newest widest new slow\nwide low new\nslow low\n" * 5
    test = "newer wider low\nslowest wide\nlow lower widest news\n" * 7
    rows = run(tmp_path, f"[{{name: one, learner: {system}}}]", train, test)
    sized = system != "char"
    place = ("one", "merges:4" if sized else "")
    held_back = [float(row["held-back-bits-per-byte"]) for row in table(tmp_path, "bits-per-byte")]
    order = 1 + held_back.index(min(held_back))
    reference = "run:one@merges:4" if sized else "run:one"

    def lines(name: str) -> list[list[str]]:
        done = tokbench(
            "segment", reference, name, "--format", "json", "--words", "whitespace", cwd=tmp_path
        )
        cut = [json.loads(line) for line in done.stdout.splitlines()]
        event_lines = []
        for words in cut:
            line = [
                t for i, word in enumerate(words) for t in [*["|"] * (boundary and i > 0), *word]
            ]
            event_lines.append([*line, "\n"])
        return event_lines

    (file,) = (tmp_path / "run" / "data/vocabularies").glob("*.json")
    vocabulary = Vocabulary.from_json(file.read_text())
    tokens = map(vocabulary.marks.show, vocabulary.tokens)
    ordinary = [*tokens, "\n", *(["|"] if boundary else [])]
    # Training shows no escape, which gets the other half.
    base = dict.fromkeys(ordinary, 1 / 2 / len(ordinary))
    bits, size = bits_of(lines("test.txt"), lines("train.txt"), order, base), len(test.encode())
    row = rows[(*place, "all", "bits-per-byte")]
    assert float(row["n"]) == size
    assert float(row["value"]) == pytest.approx(bits / size, rel=1e-10)
    assert float(rows[(*place, "all", "escaped-bytes")]["value"]) == 0
    assert rows[(*place, "all", "bits-per-byte-witten-bell")]["value"] != row["value"]


def test_unknown_text_costs_an_escape_and_its_spelling(tmp_path: Path) -> None:
    """Its bytes and an end are priced by the bytes of the distinct training words."""
    test = "low 한 newé xlow\n" * 3
    rows = run(tmp_path, "[char]", TRAIN, test)
    (row,) = table(tmp_path, "bits-per-byte")
    assert (row["order"], row["held-back-bits-per-byte"]) == ("1", "")  # the text has 8 lines
    alphabet = sorted({*TRAIN} - {" ", "\n"})

    def events(text: str) -> list[list[str]]:
        event = {**{letter: letter for letter in alphabet}, " ": "|"}
        return [[*(event.get(letter, "escape") for letter in line), "\n"]
                for line in text.splitlines()]  # fmt: skip

    def spelled(words: Iterable[str]) -> list[list[str]]:
        return [[*map(str, word.encode()), "end"] for word in words]

    ordinary = [*alphabet, "|", "\n"]
    base = {**dict.fromkeys(ordinary, 1 / 2 / len(ordinary)), "escape": 1 / 2}
    bits = bits_of(events(test), events(TRAIN), 1, base)
    words = [*dict.fromkeys(TRAIN.split())]  # so few that the order is 1
    unknown = [letter for letter in test if letter in "한éx"]
    bits += bits_of(
        spelled(unknown), spelled(words), 1, dict.fromkeys([*map(str, range(256)), "end"], 1 / 257)
    )
    place, size = ("char", "", "all"), len(test.encode())
    assert float(rows[*place, "bits-per-byte"]["value"]) == pytest.approx(bits / size, rel=1e-10)
    assert float(rows[*place, "escaped-bytes"]["value"]) == pytest.approx(3 * 6 / size)


def test_escapes_of_other_lines_are_not_seen() -> None:
    """The words of a share are numbered as those of the whole text, which has one unknown more."""
    bound = learned("char")
    text = words_of("low 한\nlow\nlow\n")
    line = np.array([0, 1])
    share = replace(text, order=text.order[2:3], lines=line, documents=text.documents[1:2])
    alone = words_of("low\n")
    cut = segment(bound, words_of("low 한\n"))
    bits = [
        Pricing(TrainingLines(words, bound.tokens, False), None, 1000, 0)(cut).bits.tolist()
        for words in (share, alone)
    ]
    assert bits[0] == bits[1]


def test_the_gate_is_that_of_the_config(tmp_path: Path) -> None:
    lines = "low lower lowest newest widest new slow\n" * 9 + "low 한 wide\nlow lowest\n"
    test = lines * 3  # 1 byte in 128 is unknown
    for gate, marked in ((0.0078, "yes"), (1 / 128, "")):
        rows = run(tmp_path, "[char]", TRAIN, test, settings=f"gate: {gate}")
        assert float(rows["char", "", "all", "escaped-bytes"]["value"]) == 1 / 128
        assert rows["char", "", "all", "bits-per-byte"]["gated"] == marked


def test_an_order_may_be_given(tmp_path: Path) -> None:
    metrics = "[{use: bits-per-byte, order: 1}, {use: bits-per-byte, order: 2}]"
    rows = run(tmp_path, "[bpe]", metrics=f"{metrics[:-1]}, bits-per-byte-witten-bell]")
    place = ("bpe", "merges:4", "all")
    order_1, order_2 = (float(rows[*place, f"bits-per-byte(order={n})"]["value"]) for n in (1, 2))
    assert order_1 > order_2
    assert (*place, "escaped-bytes(order=1)") in rows
    (row,) = table(tmp_path, "bits-per-byte(order=2)")
    assert [*row.values()] == ["bpe", "merges:4", "2", "", str(len(TRAIN.encode()))]
    assert table(tmp_path, "bits-per-byte")


def test_samples_and_shares_have_values_and_advice_has_none(tmp_path: Path) -> None:
    """The smaller share of the text knows less, and pays more."""
    train = "".join(f"low{i} wide{i}\n" if i % 2 else f"zebra{i} zebu{i}\n" for i in range(60))
    settings = "merges: [2, 4]\ntraining-samples: 2\ntraining-shares: [0.05, 1]"
    rows = run(tmp_path, "[word]", train, "zebra zebu\n" * 30, settings=settings)
    of_text = {
        (row["size"], row["training-share"]): row
        for row in table(tmp_path, "results")
        if (row["metric"], row["subset"]) == ("bits-per-byte", "all") and row["value"]
    }
    for size in ("merges:2", "merges:4"):
        small, full = (of_text.pop((size, share)) for share in ("0.05", "1"))
        assert float(small["value"]) > 1.3 * float(full["value"])
        assert float(full["training-sd"]) >= 0
    assert not of_text
    assert rows["word", "merges:4", "all", "bits-per-byte"]["low"]
    assert "bits-per-byte" not in {*Run.load(tmp_path / "run").frame("advice")["metric"]}
    assert "bits-per-byte" not in (tmp_path / "run" / "answer.json").read_text()
    trained_on = {row["training-bytes"] for row in table(tmp_path, "bits-per-byte")}
    assert trained_on == {f"{len(train)}"}


def test_subsets_share_the_bits_out(tmp_path: Path) -> None:
    test = "newer wider low\nslowest wide\nlow lower widest news\n" * 10
    rows = run(tmp_path, "[bpe, char]", TRAIN, test, settings="merges: [4]\nbands: [1, 2]")
    for place in (("bpe", "merges:4"), ("char", "")):
        by_subset = {
            subset: (float(row["value"]), float(row["n"]))
            for (*system, subset, metric), row in rows.items()
            if (*system,) == place and metric == "bits-per-byte" and row["value"]
        }
        bands = [by_subset[n] for n in by_subset if n == "unseen" or n.startswith("band:")]
        assert len(bands) == 2
        overall, size = by_subset["all"]
        assert sum(n for _, n in bands) == size
        assert sum(bits * n for bits, n in bands) == pytest.approx(overall * size, rel=1e-10)
        assert rows[(*place, "unseen", "bits-per-byte")]["low"]


@pytest.mark.parametrize(
    ("train", "test", "extra_systems"),
    [
        ("low\n", "low lower\n" * 25, []),  # a line, shorter than any context
        ("low lower\n" * 1_000, "low lower wide\n" * 25, []),
        (TRAIN, "한국어 漢字\n" * 25, []),  # all of it unknown
        pytest.param(TRAIN, "한국어 漢字\n", ["code-points"], marks=pytest.mark.ci),
    ],
    ids=["one line", "equal lines", "all unknown", "a million events"],
)
def test_odd_texts_have_finite_numbers(
    tmp_path: Path, train: str, test: str, extra_systems: list[str]
) -> None:
    names = ["bpe", "char", "word", "byte-bpe", *extra_systems]
    done = tiny_run(
        tmp_path, offering(), {"train": train, "test": test}, metrics="[bits-per-byte]",
        systems=f"[{', '.join(names)}]", sizes=None, merges="[1]",
    )  # fmt: skip
    bits = {name: value(done, name, "bits-per-byte") for name in names}
    assert all(bits[name] is not None for name in ("char", "byte-bpe", *extra_systems))
    assert all(0 < number < 100 for number in bits.values() if number is not None), bits


def test_memory_that_does_not_do_is_one_message(tmp_path: Path) -> None:
    metrics = "[{use: bits-per-byte, memory: 1}]"
    done = started(tmp_path, "[char]", "low lower\n" * 2_000, "low\n", metrics, "")
    assert done.returncode == 1
    failures = [line for line in done.stderr.splitlines() if line.startswith("failed: ")]
    assert "takes about 3 MB, more than `memory: 1`: 6,666 of them would fit" in failures[0]
    assert "Traceback" not in done.stderr
