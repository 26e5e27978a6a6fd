"""How often the 95 % intervals hold the true value when lines depend on those before them.

    python studies/dependent_lines.py CORPORA

writes two tables of `docs/explanation/statistics.md`; it takes about forty minutes. CORPORA is a
folder with Oliver Twist and the works of Shakespeare (Project Gutenberg 730 and 100), and with
reviews of the Naver Sentiment Movie Corpus, one in each line. Two BPE systems of 8,000 tokens,
without and with a mark of word ends, learn from one text and cut another.

The first table asks whether the interval of a window of consecutive lines holds the value of the
whole text. Blocks, single lines and paragraphs are drawn.

The second table simulates series whose true value is known. They are normal, with the means,
variances and correlations of the words, unseen words and tokens of the text's lines. The
correlations are made to die within some number of lines. Both systems have the same true value, and
the last column is the share of false verdicts (p below 5 %).
"""

import gzip
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from statistics_page import write_table

import tokbench
from tokbench.score.resample import draw, interval, p_value
from tokbench.score.test_set import Drawing

SIZES = (150, 600, 2_400)
RESAMPLES = 400
RUNS = 1_000
DIE_WITHIN = (1, 20, 60, 240)
LEAST_PARAGRAPHS, LEAST_WINDOWS = 30, 5
CONFIG = """\
corpora: {train: train.txt, test: {text: test.txt}}
sizes: [8000]
systems:
  - {name: bpe, learner: bpe}
  - {name: no-mark, learner: {use: bpe, eow: absent}}
metrics: [fertility]
resamples: 1
"""
Floats = NDArray[np.float64]
Series = Mapping[str, Floats]
"""For each line: words, unseen words, tokens of two systems, words kept whole by the first."""
Part = tuple[Series, Floats]
"""Lines, and the numbers of lines at which paragraphs end."""

MEASURES: Mapping[str, Callable[[Series], Floats]] = {
    "tokens per word": lambda sums: sums["bpe"] / sums["words"],
    "kept whole": lambda sums: sums["kept"] / sums["words"],
    "unseen": lambda sums: sums["unseen"] / sums["words"],
    "difference": lambda sums: (sums["bpe"] - sums["no-mark"]) / sums["words"],
}


def unpacked(path: Path) -> str:
    """Read a packed text with the line ends of Unix."""
    return gzip.decompress(path.read_bytes()).decode("utf-8-sig").replace("\r\n", "\n")


def texts(corpora: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the name of each text, its training text, and the text."""
    (twist,) = corpora.rglob("dickens_pg.txt.gz")
    (plays,) = corpora.rglob("pg100*.txt.gz")
    (nsmc,) = corpora.rglob("nsmc_sample50k.txt.gz")
    novel, drama = unpacked(twist), unpacked(plays)
    reviews = [row.split("\t")[1] for row in unpacked(nsmc).splitlines()[1:]]
    middle, half = len(drama) // 2, len(reviews) // 2
    yield "Oliver Twist", drama[:middle], novel[: novel.rindex("END OF TH")]
    yield "Shakespeare", novel, drama[middle:]
    # The second half of the sample, mostly bad reviews, is another kind of text than the first.
    yield "reviews", "\n".join(reviews[half:]), "\n".join(reviews[:half])


def series_of(train: str, text: str) -> Part:
    """Learn and cut; return the series of lines that hold words, and the paragraphs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "train.txt").write_text(train, "utf-8")
        (folder / "test.txt").write_text(text, "utf-8")
        (folder / "config.yaml").write_text(CONFIG, "utf-8")
        run = tokbench.run(folder / "config.yaml")
    words = run.words("text")
    line = np.repeat(np.arange(len(words.lines) - 1), np.diff(words.lines))

    def by_line(of_word: NDArray[np.generic]) -> Floats:
        return np.bincount(line, of_word[words.order].astype(float), len(words.lines) - 1)

    series = {"words": by_line(np.ones(len(words))), "unseen": by_line(words.unseen)}
    for system in ("bpe", "no-mark"):
        segmentation = run.segmentation(system, "text", "8000")
        series[system] = by_line(segmentation.tokens)
        if system == "bpe":
            series["kept"] = by_line(segmentation.kept_whole)
    ends = np.cumsum([bool(p.strip()) * len(p.splitlines()) for p in re.split(r"\n\s*\n", text)])
    return series, ends


def drawings(series: Series, paragraphs: Floats) -> Iterator[tuple[str, Floats]]:
    """Yield how often each line is drawn in each resample, for each way of drawing."""
    lines = len(series["words"])
    share = series["unseen"].sum() / series["words"].sum()
    unseen = series["unseen"] - share * series["words"]
    blocks = Drawing.of_blocks([series["words"], unseen])
    yield "line", drawn(lines)
    yield "block", drawn(lines, blocks.length, blocks.twice)
    if len(paragraphs) >= LEAST_PARAGRAPHS:
        sizes = np.diff([0, *paragraphs[:-1], lines])
        yield "document", np.repeat(drawn(len(sizes)), sizes, axis=1)


def drawn(units: int, length: int = 1, twice: int = 0) -> Floats:
    """Return how often each unit is drawn in each resample."""
    return draw(units, RESAMPLES, 0, "study", length, twice)[1:].astype(np.float64)


def coverage(parts: Sequence[Part], true: Series) -> Mapping[str, Sequence[float]]:
    """Return for each way of drawing the share of intervals that hold the true value, by measure.

    The last share is that of p-values of the difference below 5 %.
    """
    outcomes: dict[str, list[list[bool]]] = {}
    for series, paragraphs in parts:
        for way, weights in drawings(series, paragraphs):
            sums = {name: weights @ column for name, column in series.items()}
            outcome = []
            for measure in MEASURES.values():
                low, high = interval(measure(sums)) or (np.inf, -np.inf)
                outcome.append(low <= float(measure(true)) <= high)
            p = p_value(MEASURES["difference"](sums))
            outcome.append(p is not None and p < 0.05)
            outcomes.setdefault(way, []).append(outcome)
    return {way: np.mean(rows, axis=0).tolist() for way, rows in outcomes.items()}


def windows(series: Series, paragraphs: Floats, size: int) -> list[Part]:
    """Cut a text into windows of so many lines; a paragraph that is cut becomes two."""
    parts = []
    for begin in range(0, len(series["words"]) - size + 1, size):
        inside = paragraphs[(paragraphs > begin) & (paragraphs < begin + size)] - begin
        window = {name: column[begin : begin + size] for name, column in series.items()}
        parts.append((window, np.append(inside, size)))
    return parts


def simulate(series: Series, die_within: int, lines: int) -> Series:
    """Draw normal series with the means and covariances of a text's series.

    The covariances are 0 beyond `die_within` lines.
    """
    columns = np.stack([*series.values()], axis=1)
    centred, number = columns - columns.mean(axis=0), 1 << (lines - 1).bit_length()
    covariances = np.zeros((number, len(series), len(series)))
    for lag in range(die_within):
        x = lag / die_within
        parzen = 1 - 6 * x**2 + 6 * x**3 if x < 0.5 else 2 * (1 - x) ** 3
        covariance = parzen * (centred[lag:].T @ centred[: len(centred) - lag]) / len(centred)
        covariances[lag] = covariance
        if lag:
            covariances[-lag] = covariance.T
    # The covariances of a circle become independent in the frequencies, where they are drawn.
    values, vectors = np.linalg.eigh(np.fft.fft(covariances, axis=0))
    root = vectors * np.sqrt(np.maximum(values, 0))[:, None, :]
    noise = np.random.default_rng(die_within).normal(size=(number, len(series)))
    frequencies = (root @ np.fft.fft(noise, axis=0)[:, :, None])[:, :, 0]
    draws = np.fft.ifft(frequencies, axis=0).real[:lines]
    means = means_of(series)
    return {name: draws[:, i] + means[name] for i, name in enumerate(series)}


def means_of(series: Series) -> Series:
    """Return the means; both systems get the same one, so that their true values are equal."""
    means = {name: column.mean() for name, column in series.items()}
    return {**means, "no-mark": means["bpe"]}


def main(corpora: Path) -> None:
    """Write both tables."""
    windowed, simulated = [], []
    for name, train, text in texts(corpora):
        series, paragraphs = series_of(train, text)
        windowed += window_rows(name, series, paragraphs)
        simulated += simulation_rows(name, series)
    head = HEAD.format("text", "windows", "resampled by")
    write_table("windows", "\n".join([head, RULE, *windowed, ""]))
    head = HEAD.format("series of", "runs", "correlations die within")
    head, rule = f"{head} false verdicts |", f"{RULE}---:|"
    write_table("simulated", "\n".join([head, rule, *simulated, ""]))


HEAD = "| {} | lines | {} | {} | tokens per word | kept whole | unseen | difference |"
RULE = "|---|---:|---:|---|---:|---:|---:|---:|"


def window_rows(name: str, series: Series, paragraphs: Floats) -> Iterator[str]:
    """Yield the rows of a text in the first table."""
    totals = {key: column.sum() for key, column in series.items()}
    for size in SIZES:
        parts = windows(series, paragraphs, size)
        if len(parts) >= LEAST_WINDOWS:
            for way, (*shares, _) in coverage(parts, totals).items():
                cells = " | ".join(f"{share:.2f}" for share in shares)
                yield f"| {name} | {size:,} | {len(parts):,} | {way} | {cells} |"


def simulation_rows(name: str, series: Series) -> Iterator[str]:
    """Yield the rows of a text in the second table."""
    no_paragraphs = np.zeros(0, dtype=np.int64)
    for die_within in DIE_WITHIN:
        for size in SIZES if name == "Oliver Twist" else SIZES[-1:]:
            simulation = simulate(series, die_within, size * RUNS)
            parts = [
                ({key: c[begin : begin + size] for key, c in simulation.items()}, no_paragraphs)
                for begin in range(0, size * RUNS, size)
            ]
            within = "independent" if die_within == 1 else f"{die_within} lines"
            for way, shares in coverage(parts, means_of(series)).items():
                cells = " | ".join(f"{share:.3f}" for share in shares)
                yield f"| {name} | {size:,} | {RUNS:,} | {within}, by {way} | {cells} |"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
