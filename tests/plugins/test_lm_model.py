"""The count model: by hand, against lmplz and kenlm, and distributions that add up to one."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from tokbench_lm.model import Seen, choose_order, discounts, estimates, held_back, probabilities
from tokbench_lm.ngrams import Lines, Stream

DATA = Path(__file__).parents[1] / "data" / "lm"


def lines_of(texts: list[list[int]], begin: int) -> Lines:
    row = np.cumsum([0, *map(len, texts)])
    flat = [event for text in texts for event in text]
    return Lines(np.array(flat, dtype=np.int32), row, begin)


def stream_of(texts: list[list[int]], begin: int) -> Stream:
    return Stream.of(lines_of(texts, begin))


def prices(
    texts: list[list[int]], order: int, events: int, text: list[int], witten_bell: bool = False
) -> list[float]:
    """Price a line by a model over so many events, all alike in the base distribution."""
    base = np.full(events, 1 / events)
    asked = stream_of([text], events)
    both_models = probabilities(stream_of(texts, events), order, base, asked)
    begun, *values = both_models[witten_bell].tolist()
    assert begun == 1  # it is no event
    return values


A, B, C, NEWLINE = range(4)
AB, AC = [A, B, NEWLINE], [A, C, NEWLINE]


def test_a_bigram_model_by_hand() -> None:
    """Lines a b, a b, a c.

    Unigrams count what stands before: a 1 (begin), b 1, c 1, newline 2 (b, c), of 5. Counts of
    counts 3, 1, 0: the fallback 0.5, 1, 1.5. Left: (3 x 0.5 + 1) / 5 = 1/2, over 4 events.
    Bigrams are raw: begin a 3, a b 2, b newline 2, a c 1, c newline 1. Counts of counts 2, 2, 1, 0:
    Y = 2 / (2 + 4) = 1/3, D1 = 1 - 2/3 x 2/2 = 1/3, D2 = 2 - 1 x 1/2 = 3/2, D3 = 3 - 0 = 3.
    """
    texts = [AB, AB, AC]
    a, newline = Fraction(1, 10) + Fraction(1, 8), Fraction(1, 5) + Fraction(1, 8)
    left = (Fraction(3, 2) + Fraction(1, 3)) / 3
    expected = [
        0 + 1 * a,  # 3 of 3 are taken
        Fraction(1, 2) / 3 + left * a,
        Fraction(1, 2) / 2 + Fraction(3, 2) / 2 * newline,
    ]
    assert prices(texts, 2, 4, AB) == pytest.approx([*map(float, expected)], abs=1e-15)
    after_c = Fraction(2, 3) + Fraction(1, 3) * newline
    assert prices(texts, 2, 4, AC)[2] == pytest.approx(float(after_c), abs=1e-15)
    # Nothing was seen after a newline or behind b a: unigrams decide.
    assert prices(texts, 2, 4, [B, A, NEWLINE])[1] == pytest.approx(float(a * Fraction(3, 4)))


def test_witten_bell_by_hand() -> None:
    """Lines a b, a b, a c: (c + T p) / (n + T), T the different events; unigrams 9 of 4 kinds."""
    uni = {A: (3 + 4 / 4) / 13, B: (2 + 4 / 4) / 13, NEWLINE: (3 + 4 / 4) / 13}
    expected = [(3 + uni[A]) / 4, (2 + 2 * uni[B]) / 5, (2 + uni[NEWLINE]) / 3]
    assert prices([AB, AB, AC], 2, 4, AB, witten_bell=True) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([1, 1, 2, 3, 4], (1 / 2, 1 / 2, 1)),  # Y = 1/2: 1 - 2 Y/2, 2 - 3 Y, 3 - 4 Y
        ([1, 1, 1], (0.5, 1.0, 1.5)),
        ([1, 2, 3, *[4] * 9], (0.5, 1.0, 1.5)),  # D3 = 3 - 4/3 x 9 is below 0
        ([1, *[2] * 9, 3], (1 / 19, 2 - 1 / 57, 3)),  # Y = 1/19: 1 - 2 Y 9, 2 - 3 Y/9
    ],
)
def test_discounts(counts: list[int], expected: tuple[float, ...]) -> None:
    assert discounts(np.array(counts)) == pytest.approx(expected)


@pytest.fixture(scope="module")
def text() -> list[list[str]]:
    return [line.split() for line in (DATA / "text.txt").read_text().splitlines()]


def numbered(text: list[list[str]]) -> tuple[list[list[int]], list[str]]:
    """Return the lines as numbers, with a newline; and the names: words, then as lmplz has them."""
    names = [*dict.fromkeys(word for line in text for word in line), "</s>", "<unk>", "<s>"]
    number = {name: i for i, name in enumerate(names)}
    return [[*(number[word] for word in line), number["</s>"]] for line in text], names


Arpa = dict[tuple[str, ...], tuple[float, float | None]]


def arpa_of(texts: list[list[int]], order: int, names: list[str]) -> Arpa:
    """Return log10 p and the log10 back-off of each n-gram of a text, as the model has them."""
    begin = len(names) - 1
    stream, arpa = stream_of(texts, begin), Arpa()
    steps = [*islice(estimates(stream), order)]
    smoothed = [*(step.below for step in steps[1:] if step.below), steps[-1].top]
    p, seen = np.append(np.full(begin, 1 / begin), 1.0)[stream.events], Seen.nothing(stream)
    for number, estimate in enumerate(smoothed):
        seen = seen.of(estimate.order)
        seen.extend(estimate, p)
        left = smoothed[number + 1].left if number + 1 < order else None
        for i, place in enumerate(estimate.order.place.tolist()):
            gram = tuple(names[e] for e in stream.events[place - number : place + 1])
            arpa[gram] = math.log10(p[place]), None if left is None else math.log10(left[i])
    arpa[("<unk>",)] = math.log10(smoothed[0].left[0] / begin), 0.0
    return arpa


def read_arpa(path: Path) -> Arpa:
    rows = (line.split("\t") for line in path.read_text().splitlines() if "\t" in line)
    return {
        tuple(gram.split(" ")): (float(p), float(rest[0]) if rest else None)
        for p, gram, *rest in rows
    }


def test_all_n_grams_have_the_probabilities_of_lmplz(text: list[list[str]]) -> None:
    """lmplz of KenLM 0.3.0: `lmplz -o 3 --discount_fallback < text.txt > lmplz.arpa`."""
    texts, names = numbered(text)
    ours = arpa_of(texts, 3, names)
    theirs = read_arpa(DATA / "lmplz.arpa")
    assert ours.keys() == theirs.keys()
    for gram, (p, backoff) in theirs.items():
        if gram != ("<s>",):  # it is no event; lmplz writes 0
            assert ours[gram][0] == pytest.approx(p, abs=1e-5), gram
        if backoff is not None and gram[-1] != "</s>" and gram != ("<unk>",):
            assert ours[gram][1] == pytest.approx(backoff, abs=1e-5), gram


def spelled(arpa: Arpa, order: int) -> Iterator[str]:
    """Spell a table as an ARPA file."""
    by_order = [[gram for gram in arpa if len(gram) == n] for n in range(1, order + 1)]
    yield "\\data\\"
    yield from (f"ngram {n}={len(grams)}" for n, grams in enumerate(by_order, start=1))
    for n, grams in enumerate(by_order, start=1):
        yield f"\n\\{n}-grams:"
        for gram in grams:
            p, backoff = arpa[gram]
            ending = "" if backoff is None else f"\t{0.0 if gram[-1] == '</s>' else backoff:.9f}"
            yield f"{p:.9f}\t{' '.join(gram)}{ending}"
    yield "\n\\end\\\n"


ORDERS = (2, 3, 5)


@pytest.fixture(scope="module")
def priced() -> list[tuple[str, list[list[float]]]]:
    """Lines of other text, and for each order the log10 of what KenLM says of each word and end."""
    rows = (row.split("\t") for row in (DATA / "kenlm.tsv").read_text().splitlines())
    return [(line, [[*map(float, p.split())] for p in by_order]) for line, *by_order in rows]


@pytest.mark.parametrize("order", ORDERS)
def test_other_text_has_the_prices_of_kenlm(
    text: list[list[str]], priced: list[tuple[str, list[list[float]]]], order: int
) -> None:
    texts, names = numbered(text)
    assert len(priced) == 100
    for line, theirs in priced:
        events = [names.index(name) for name in (*line.split(), "</s>")]
        ours = np.log10(prices(texts, order, len(names) - 1, events))
        assert ours.tolist() == pytest.approx(theirs[ORDERS.index(order)], abs=1e-5), line


@pytest.mark.nightly
def test_kenlm_reads_our_tables_and_says_the_same_today(
    text: list[list[str]],
    priced: list[tuple[str, list[list[float]]]],
    tmp_path: Path,
    renew: bool,
) -> None:
    kenlm = pytest.importorskip("kenlm", reason="needs tokbench[nightly] and a C++ compiler")
    texts, names = numbered(text)
    rows = [[line] for line, _ in priced]
    for number, order in enumerate(ORDERS):
        arpa = arpa_of(texts, order, names)
        arpa[("<s>",)] = -99.0, arpa[("<s>",)][1]
        (tmp_path / "m.arpa").write_text("\n".join(spelled(arpa, order)))
        library = kenlm.Model(str(tmp_path / "m.arpa"))
        for row, (line, expected) in zip(rows, priced, strict=True):
            scores = [p for p, *_ in library.full_scores(line)]
            row.append(" ".join(f"{p:.6f}" for p in scores))
            if not renew:
                assert scores == pytest.approx(expected[number], abs=1e-5), line
    if renew:
        (DATA / "kenlm.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))


@pytest.mark.parametrize("order", [1, 2, 3, 6])
def test_what_may_come_next_adds_up_to_one(text: list[list[str]], order: int) -> None:
    """200 contexts: what was seen, what was not, and mixtures of both."""
    letters = sorted({a for line in text for word in line for a in word})
    number = {a: i for i, a in enumerate(letters)}
    texts = [[*(number[a] for a in "".join(line)), len(letters)] for line in text]
    events = len(letters) + 3  # two that never occur
    base = np.arange(1, events + 1) / np.arange(1, events + 1).sum()
    drawn = np.random.default_rng(order)
    contexts = []
    for _ in range(200):
        line = texts[drawn.integers(len(texts))]
        start, size = drawn.integers(len(line)), drawn.integers(0, 8)
        seen = line[start : start + size]
        contexts.append([*drawn.integers(0, events, drawn.integers(0, 3)).tolist(), *seen])
    asked = stream_of([[*context, e] for context in contexts for e in range(events)], events)
    last = np.append(np.flatnonzero(asked.depth == 0)[1:], len(asked.events)) - 1
    for p in probabilities(stream_of(texts, events), order, base, asked):
        sums = p[last].reshape(-1, events).sum(axis=1)
        assert np.abs(sums - 1).max() < 1e-9


def test_the_chosen_order_has_the_fewest_bits_of_the_lines_held_back(text: list[list[str]]) -> None:
    letters = sorted({a for line in text for word in line for a in word})
    texts = [[*map(letters.index, "".join(line)), len(letters)] for line in text] * 9
    texts = [line[i % 3 :] for i, line in enumerate(texts)]
    lines = lines_of(texts, len(letters) + 1)
    base = np.full(lines.begin, 1 / lines.begin)
    size = np.diff(lines.row)
    chosen = choose_order(lines, size, base, 0)
    mask = held_back(len(texts), 0)
    assert 0 < mask.sum() <= len(texts) / 9
    kept, rest = ([t for t, h in zip(texts, mask, strict=True) if h == x] for x in (False, True))
    for order, bits in enumerate(chosen.held_back, start=1):
        streams = stream_of(kept, lines.begin), stream_of(rest, lines.begin)
        p, _ = probabilities(streams[0], order, base, streams[1])
        total = -np.log2(p[streams[1].depth > 0]).sum()
        assert bits == pytest.approx(total / size[mask].sum(), rel=1e-12)
    assert chosen.order == 1 + int(np.argmin(chosen.held_back))
    assert len(chosen.held_back) in (chosen.order + 3, 16)


def test_blocks_of_200_lines_are_held_back_as_the_seed_draws() -> None:
    drawn, redrawn = held_back(4_000, 0), held_back(4_000, 1)
    assert drawn.sum() == redrawn.sum() == 400
    assert (drawn != redrawn).any()
    for mask in (drawn, redrawn):
        assert (mask.reshape(20, 200).sum(axis=1) % 200 == 0).all()
    assert held_back(95, 0).sum() in (9, 5)  # blocks of 9 lines, the last one of 5


def test_a_text_of_few_lines_has_order_one() -> None:
    for lines in (1, 9):
        chosen = choose_order(lines_of([[0, 1]] * lines, 2), np.full(lines, 2), np.ones(2), 0)
        assert (chosen.order, chosen.held_back) == (1, ())
