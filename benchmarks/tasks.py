"""The tasks: for each its table, and the peer with which the others are compared."""

from collections.abc import Callable
from dataclasses import dataclass

import commands
from setting import Setting


@dataclass(frozen=True)
class Task:
    """One table: what each peer does at a scale, and the `reference` of the ratios.

    With `inside` the job measures the seconds of the work inside its process; else they are those
    of the whole process. The table shows them in the `unit`.
    """

    name: str
    title: str
    reference: str
    commands: Callable[[Setting, int], commands.Commands]
    note: str = ""
    scaled: bool = False
    inside: bool = False
    unit: str = "s"


TASKS = (
    Task(
        "learn",
        "Learn BPE to {size} from the file, whole process",
        "gigatoken",
        commands.learn,
        "Words are what whitespace divides, but gigatoken can only cut as GPT-2 does, which takes "
        "punctuation off and so leaves fewer distinct words. Peers that take threads have two.",
        scaled=True,
    ),
    Task(
        "learn-letters",
        "Learn BPE to {size} where gigatoken's split gives the same words",
        "gigatoken",
        commands.learn_letters,
        "The text in lower-case letters, each line after a blank: GPT-2's split and whitespace "
        "then find the same words.",
        scaled=True,
    ),
    Task(
        "sweep",
        "Learn and score {sizes}, in one process",
        "tokenizers, distinct words",
        commands.sweep,
        "Seconds of the work inside the process, without imports. tokbench scores as a run "
        "does, by two metrics. tokenizers learns each size from the text, since it takes no "
        "counted words, and encodes the distinct words or the text.",
        inside=True,
    ),
    Task(
        "curve",
        "Every size up to the largest, against {sizes}",
        "tokbench, listed sizes",
        commands.curve,
        "Seconds of a run inside the process once texts are read: learning, the replay, scoring "
        "by all metrics that have a curve, with one resample, and the curves.",
        inside=True,
    ),
    Task(
        "segment",
        "Cut distinct words with a vocabulary of {size}",
        "gigatoken",
        commands.segment,
        "Microseconds a word, inside the process, with a new segmenter that remembers no words "
        "yet. tiktoken, gigatoken, tokenizers and subword-nmt cut with "
        "merges of tokbench, the others with their own. gigatoken and SentencePiece take the list "
        "of words in two threads.",
        inside=True,
        unit="µs a word",
    ),
    Task(
        "histogram",
        "Rényi, Shannon and other metrics of the histogram of {tokens} tokens",
        "tokenization-scorer",
        commands.histogram,
        "Seconds of the work inside the process, from the segmented text in memory: lists of "
        "tokens there, tokbench's segmentation here. tokenization-scorer gives four scores, "
        "tokbench these and two more. Memory is that of the whole process, preparation included.",
        inside=True,
    ),
    Task(
        "run",
        "`tokbench run configs/shakespeare.yaml`, against learning and encoding the six sizes",
        "tokenizers",
        commands.whole_run,
        "Whole processes. tokbench learns four systems, scores all metrics with 1,000 resamples "
        "and writes the report; tokenizers learns six times and encodes the text.",
    ),
    Task(
        "oov",
        "Bands of frequency and noise: `tokbench run` at {sizes}",
        "bands",
        commands.unseen_words,
        "Whole processes, two systems of BPE and one of words, default metrics. Bands and kinds of "
        "unseen words are the default; *noise* changes each word of the test text by two "
        "generators, five times each, and scores five metrics more.",
    ),
    Task(
        "jobs",
        "Systems side by side: `tokbench run` at 500 to 5,000",
        "jobs: 1",
        commands.side_by_side,
        "Whole processes, the systems of `configs/field.yaml` but Morfessor, learned once. With "
        "`jobs: 2` two of them are learned and scored at a time; memory is that of the largest "
        "process.",
    ),
    Task(
        "page",
        "Write the page of a run",
        "without page",
        commands.page,
        "Seconds inside the process. `configs/bpe.yaml` is learned, scored and written with all "
        "its views, or with all but `report.html`. *50 systems* times only the page of 50 systems "
        "at 6 sizes on the shipped English, its vocabularies being in memory.",
        inside=True,
    ),
    Task(
        "model",
        "Bits per byte of a count model",
        "bytes, order 8",
        commands.model,
        "Seconds inside the process. Models are estimated from the text, and price its last "
        "megabyte; the words are in memory. With *order chosen* models of each order up to the "
        "best and three more are tried on a tenth that is held back.",
        inside=True,
    ),
    Task(
        "wrap",
        "Score a ready-made tokenizer over the text, against its library alone",
        "gpt2: library",
        commands.wrap,
        "Seconds of the work inside the process, with lines and words in memory. The library "
        "encodes all lines at once and its ids and offsets are read (tiktoken gives ids only); "
        "tokbench does that, aligns tokens to words, and scores three metrics. Needs the files "
        "of the models in $TOKBENCH_MODELS.",
        inside=True,
    ),
    Task(
        "start",
        "Start-up",
        "python -c pass",
        commands.start,
        "Whole processes; the first line of a run is timed until a terminal shows it.",
        unit="ms",
    ),
)
