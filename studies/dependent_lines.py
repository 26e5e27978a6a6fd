"""How often the 95 % intervals hold the true value where lines depend on those before them.

    python studies/dependent_lines.py CORPORA

writes two tables of `docs/explanation/statistics.md`; it takes about forty minutes. CORPORA is a
folder with Oliver Twist and the works of Shakespeare (Project Gutenberg 730 and 100), and reviews
of the Naver Sentiment Movie Corpus, of which each line is one. Two BPE systems of 8,000 tokens
learn from one text, without and with a mark of word ends, and cut another.

The first table is of windows of consecutive lines: does the interval of a window hold the value of
the whole text? Blocks, single lines and paragraphs are drawn. The second is of series that are
drawn at random, so that the true value is known: normal, with the means, variances and correlations
of the text's words, unseen words and tokens a line, where the correlations are made to die within
so many lines. In the last column both systems have the same true value, and the share of false
verdicts (p below 5 %) is shown.
"""

import gzip
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import tokbench
from tokbench.score.resample import draw, interval, p_value
from tokbench.score.test_set import Drawing

PAGE = Path(__file__).resolve().parent.parent / "docs" / "explanation" / "statistics.md"
WINDOWS, SIMULATED = ("windows", "simulated")
SIZES = (150, 600, 2_400)
RESAMPLES = 400
RUNS = 1_000
DIE_WITHIN = (1, 20, 60, 240)
LEAST_PARAGRAPHS = 30
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
"""By line: words, unseen words, tokens of two systems, words kept whole by the first."""

MEASURES: Mapping[str, Callable[[Series], Floats]] = {
    "tokens per word": lambda sums: sums["bpe"] / sums["words"],
    "kept whole": lambda sums: sums["kept"] / sums["words"],
    "unseen": lambda sums: sums["unseen"] / sums["words"],
    "difference": lambda sums: (sums["bpe"] - sums["no-mark"]) / sums["words"],
}


def unpacked(path: Path) -> str:
    """Read a packed text, its lines ending as on this system."""
    return gzip.decompress(path.read_bytes()).decode("utf-8-sig").replace("\r\n", "\n")


def texts(corpora: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the name of each text, its training text, and itself."""
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


def series_of(train: str, text: str) -> tuple[Series, Floats]:
    """Learn and cut; return the series of lines that hold words, and where paragraphs begin."""
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
    begins = np.cumsum([bool(p.strip()) * len(p.splitlines()) for p in re.split(r"\n\s*\n", text)])
    return series, begins


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


def sums_of(series: Series, weights: Floats) -> Series:
    """Add up each series in each resample."""
    return {name: weights @ column for name, column in series.items()}


def coverage(
    parts: Sequence[tuple[Series, Floats]], true: Series
) -> dict[str, tuple[list[float], float]]:
    """Return for each way of drawing the share of intervals that hold the true value, by measure.

    Return also the share of p-values of the difference below 5 %.
    """
    held: dict[str, list[list[bool]]] = {}
    verdicts: dict[str, list[bool]] = {}
    for series, paragraphs in parts:
        for by, weights in drawings(series, paragraphs):
            sums = sums_of(series, weights)
            ends = [interval(measure(sums)) or (np.inf, -np.inf) for measure in MEASURES.values()]
            held.setdefault(by, []).append(
                [
                    low <= float(measure(true)) <= high
                    for measure, (low, high) in zip(MEASURES.values(), ends, strict=True)
                ]
            )
            p = p_value(MEASURES["difference"](sums))
            verdicts.setdefault(by, []).append(p is not None and p < 0.05)
    return {
        by: (np.mean(rows, axis=0).tolist(), float(np.mean(verdicts[by])))
        for by, rows in held.items()
    }


def windows(series: Series, paragraphs: Floats, size: int) -> list[tuple[Series, Floats]]:
    """Cut a text into windows of so many lines; paragraphs that they cut are two."""
    parts = []
    for begin in range(0, len(series["words"]) - size + 1, size):
        inside = paragraphs[(paragraphs > begin) & (paragraphs < begin + size)] - begin
        window = {name: column[begin : begin + size] for name, column in series.items()}
        parts.append((window, np.append(inside, size)))
    return parts


def simulated(series: Series, die_within: int, lines: int) -> Series:
    """Draw normal series with the covariances of a text, which are 0 beyond so many lines.

    The two systems get the same mean, so that their true values do not differ.
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
    means = dict(zip(series, columns.mean(axis=0), strict=True))
    means["no-mark"] = means["bpe"]
    return {name: draws[:, i] + means[name] for i, name in enumerate(series)}


def main(corpora: Path) -> None:
    """Write both tables."""
    none = np.zeros(0, dtype=np.int64)
    of_windows = [HEAD.format("text", "windows", "resampled by"), "\n", RULE, "\n"]
    titles = "series of", "runs", "correlations die within"
    of_simulated = [HEAD.format(*titles), " false verdicts |\n", RULE, "---:|\n"]
    for name, train, text in texts(corpora):
        series, paragraphs = series_of(train, text)
        whole = {key: column.sum() for key, column in series.items()}
        for size in SIZES:
            parts = windows(series, paragraphs, size)
            if len(parts) < 5:
                continue
            for by, (held, _) in coverage(parts, whole).items():
                of_windows.append(row(name, size, len(parts), by, held))
                print(of_windows[-1], end="", flush=True)
        for die_within in DIE_WITHIN:
            for size in SIZES if name == "Oliver Twist" else SIZES[-1:]:
                long = simulated(series, die_within, size * RUNS)
                parts = [
                    ({k: c[i * size :][:size] for k, c in long.items()}, none) for i in range(RUNS)
                ]
                true = {key: column.mean() for key, column in series.items()}
                true["no-mark"] = true["bpe"]
                within = "independent" if die_within == 1 else f"{die_within} lines"
                for by, (held, wrong) in coverage(parts, true).items():
                    cells = row(name, size, RUNS, f"{within}, by {by}", held, digits=3)
                    of_simulated.append(f"{cells[:-1]} {wrong:.3f} |\n")
                    print(of_simulated[-1], end="", flush=True)
    page = PAGE.read_text("utf-8")
    for marker, lines in ((WINDOWS, of_windows), (SIMULATED, of_simulated)):
        begin, end = f"<!-- {marker} -->\n", f"<!-- end of {marker} -->\n"
        pattern = re.compile(f"(?s){re.escape(begin)}.*?{re.escape(end)}")
        table = begin + "".join(lines) + end
        page, changed = pattern.subn(table.replace("\\", r"\\"), page)
        assert changed == 1, f"{PAGE} has no place for the table"
    PAGE.write_text(page, "utf-8")


HEAD = "| {} | lines | {} | {} | tokens per word | kept whole | unseen | difference |"
RULE = "|---|---:|---:|---|---:|---:|---:|---:|"


def row(name: str, size: int, number: int, by: str, held: Sequence[float], digits: int = 2) -> str:
    """Spell a line of a table."""
    shares = " | ".join(f"{share:.{digits}f}" for share in held)
    return f"| {name} | {size:,} | {number:,} | {by} | {shares} |\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
