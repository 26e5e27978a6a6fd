"""The promises of every plugin and component, and those of the kinds with few promises."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np

from tokbench.api import (
    Analysis,
    Component,
    ExportInput,
    InputError,
    PairGenerator,
    SourceFile,
    Splitter,
    View,
    Vocabulary,
    VocabularyFormat,
)
from tokbench.api.arrays import UsedVocabulary
from tokbench.api.component import Options, kebab
from tokbench.corpora.entries import wrong_change
from tokbench.corpora.splitters import PATTERNS
from tokbench.corpora.words import LONGEST
from tokbench.interchange import export_files, read_files, recognise_as
from tokbench.notebook import run_config
from tokbench.plugins import Plugin, Registry
from tokbench.run_folder import Run, write_run
from tokbench.runner.analysing import analysed
from tokbench.testing.offers import Subject
from tokbench.testing.process import in_fresh_process
from tokbench.testing.promise import (
    Failure,
    PromiseError,
    checking,
    each_input,
    expect,
    expect_same,
    short,
)
from tokbench.testing.samples import ALL, TEXTS, WORDS
from tokbench.testing.segmentations import sample_segmenter

DRAWS = 20
"""The seeds with which each word is changed."""
NAME = re.compile("[a-z0-9]+(-[a-z0-9]+)*")
ALL_BACK = "each learned token and its marks: keep `vocabulary.tokens`, which `show` changes, and "
ALL_BACK += "`vocabulary.marks` in the file, or raise InputError in `write`"
ALIKE = "as of the run in memory: sort what has no order, and show no path, time or id of an object"
SHOWN_BEFORE = 20
"""The characters shown before the first in which two texts differ."""
CHANGEABLE = [word for word in ALL if 2 * len(word) <= LONGEST]  # longer ones are never changed

CONFIG = """
corpora: {train: text.txt, test: text.txt, gold: {"g_o(d)": gold.tsv}}
systems: [word, char]
sizes: [9]
resamples: 99
"""
"""The config of the run that views show."""


def loads(plugin: Plugin, registry: Registry) -> None:
    """Check that the plugin can be imported and its hooks give components."""
    what = "the import of the plugin"
    for broken in registry.broken:
        if broken.plugin is plugin:
            raise PromiseError(Failure(what, broken.reason))
    with checking(what):
        for offer in registry.offers:
            if offer.plugin == plugin:
                _ = offer.component


def imports_little(plugin: Plugin) -> None:
    """Check that the import loads no more than the standard library, tokbench and plugins."""
    packages = in_fresh_process(
        "tokbench.plugins.loading:heavy_imports", name=plugin.name, package=plugin.package
    )
    got = f"{', '.join(packages)} imported too"
    right = "imports of other packages inside the methods that need them"
    expect(not packages, "the import of the plugin's top module", got, right)


def documented(subject: Subject[Component]) -> None:
    """Check the name, that a docstring says what it does, and a description each option."""
    component, name = type(subject.component), subject.offer.name
    right = "small letters, digits and single hyphens, such as `my-name`"
    expect(bool(NAME.fullmatch(name)), "the name", repr(name), right)
    what = f"the class {component.__name__}"
    expect(bool(component.__doc__), what, "no docstring", "one sentence that says what it does")
    without = list(_undescribed(component))
    got = f"no description of {', '.join(without)}"
    right = 'each as `Field(default, description="...")`'
    expect(not without, f"the options of {component.__name__}", got, right)


def _undescribed(model: type[Options]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        if not field.description:
            yield kebab(name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, Options):
            yield from (f"{kebab(name)}.{inner}" for inner in _undescribed(field.annotation))


def spans(subject: Subject[Splitter]) -> None:
    """Check that words stand in order inside the text, not empty, without overlap."""
    for text in TEXTS:
        with each_input():
            what, words = _split(subject, text)
            right = f"words in order, not empty, without overlap, up to {len(text)}"
            last = 0
            for start, end in words:
                got = f"({start}, {end}) after a word that ends at {last}"
                expect(last <= start < end <= len(text), what, got, right)
                last = end


def splits_alike(subject: Subject[Splitter]) -> None:
    """Check that a text gives the same words whatever was split before."""
    words = {text: _split(subject, text)[1] for text in TEXTS}
    for text in reversed(TEXTS):
        what, words_again = _split(subject, text)
        expect_same(f"{what} a second time", words_again, words[text])


def _split(subject: Subject[Splitter], text: str) -> tuple[str, list[tuple[int, int]]]:
    what = f"the text {short(repr(text))}"
    with checking(what):
        words = [(start, end) for start, end in subject.component.split(text)]
    return what, words


def changed_words(subject: Subject[PairGenerator]) -> None:
    """Check that a changed word is another one, not empty, without white space and marks."""
    for word in CHANGEABLE:
        with each_input():
            for seed in range(DRAWS):
                changed = _change(subject, word, seed)
                wrong = "" if changed is None else wrong_change(word, changed)
                expect(not wrong, f"the word {word!r}", wrong, "another word, or None")


def changes_alike(subject: Subject[PairGenerator]) -> None:
    """Check that the same seed gives the same word, whatever was changed before."""
    draws = [(word, seed) for word in CHANGEABLE for seed in range(DRAWS)]
    changes = {draw: _change(subject, *draw) for draw in draws}
    for (word, seed), changed in reversed(changes.items()):
        expect_same(f"{word!r} with the same seed", _change(subject, word, seed), changed)


def same_words(subject: Subject[PairGenerator]) -> None:
    """Check that a word can be changed whatever is drawn, or never: else draws would be lost."""
    for word in CHANGEABLE:
        with each_input():
            drawn = {_change(subject, word, seed) is None for seed in range(DRAWS)}
            expect(
                len(drawn) == 1, f"{word!r}", "a change or None, by seed", "always the same of both"
            )


def _change(subject: Subject[PairGenerator], word: str, seed: int) -> str | None:
    with checking(f"the word {word!r}"):
        return subject.component.change(word, Random(seed))


def rows(subject: Subject[Analysis]) -> None:
    """Check that rows have the declared columns and stay the same, also without training text."""
    bound = sample_segmenter()
    ids = np.arange(len(bound.vocabulary.tokens) + 1)
    used = UsedVocabulary("5", bound.vocabulary, ids % 3, ids % 2, "aeht", False, bound.tokens)
    untrained = replace(used, training=None)
    for vocabulary, what in ((used, "a vocabulary"), (untrained, "no training text")):
        with checking(what):
            first, second = (
                analysed("checked", subject.component, "sample", "5", vocabulary) for _ in range(2)
            )
        expect_same(f"{what} a second time", second, first)


def there_and_back(subject: Subject[VocabularyFormat]) -> None:
    """Check that files are recognised and read, and that what is read survives the way once more.

    All learned tokens must come back, whatever else of a vocabulary a format does not hold. A
    vocabulary that the format cannot express may be refused with an InputError, but not all.
    """
    refused, own = [], subject.offer.name
    samples = subject.offers.vocabularies()
    for sample in samples:
        with each_input():
            vocabulary, what = sample.vocabulary, f"the vocabulary of {sample.learner}"
            with checking(what):
                try:
                    files = _written(subject, vocabulary)
                except InputError as error:
                    refused.append(str(error))
                    continue
                looks = [recognise_as(subject.component, own, source.data) for source in files]
                try:
                    once = _read(subject, files)
                except InputError as error:
                    expect(False, f"{what}, written and read", str(error), ALL_BACK)
            # A format of merges holds no other tokens than theirs.
            lost = [
                vocabulary.show(token) for token in vocabulary.products if token not in once.ids
            ]
            edge, right_edge = once.marks.told_edge, vocabulary.marks.told_edge
            got = f"{edge} in place of {right_edge}"
            expect(edge == right_edge, f"the marks of {what}, written and read", got, ALL_BACK)
            expect(not lost, f"{what}, written and read", f"no {lost}", ALL_BACK)
            with checking(f"{what}, as it was read"):
                twice = _read(subject, _written(subject, once))
            got = "another vocabulary than the first time"
            expect(twice == once, f"{what}, written and read twice", got, ALL_BACK)
            right = f"None, or something with {own!r} among its formats"
            for look in looks:
                recognised = look is None or own in look.formats
                expect(recognised, f"{what}, written and recognised", look, right)
    if len(refused) == len(samples):
        raise PromiseError(Failure("the learners on offer", f"all refused ({refused[:1]})"))


def _written(subject: Subject[VocabularyFormat], vocabulary: Vocabulary) -> list[SourceFile]:
    # What text decodes to is another question than whether the vocabulary comes back.
    export = ExportInput(patterns=PATTERNS, force=True)
    files = export_files(subject.component, subject.offer.name, vocabulary, export).files
    return [SourceFile(name, text.encode()) for name, text in files.items()]


def _read(subject: Subject[VocabularyFormat], files: list[SourceFile]) -> Vocabulary:
    return read_files(subject.component, subject.offer.name, files).vocabulary


def shows(subject: Subject[View]) -> None:
    """Check that a run is shown alike from memory and from its folder, and one without results."""
    run, loaded, empty = _runs()
    for form in subject.component.formats:
        with checking(f"a run as {form}"):
            text, of_folder = (subject.component.text(same, form) for same in (run, loaded))
        for shown in (text, of_folder):
            expect(isinstance(shown, str), f"a run as {form}", shown, "a text")
        pairs = enumerate(zip_longest(text, of_folder))
        at = max(0, next((i for i, (a, b) in pairs if a != b), 0) - SHOWN_BEFORE)
        expect_same(f"the run of its folder as {form}", of_folder[at:], text[at:], ALIKE)
        with checking(f"a run without results as {form}"):
            subject.component.text(empty, form)


def adds(plugin: Plugin, registry: Registry) -> None:
    """Check that what hooks add to a run is the same from memory and from its folder."""
    run, loaded, empty = _runs()
    for addition in registry.additions:
        if addition.plugin == plugin:
            with checking(f"a run to {addition.hook}"):
                added, of_folder = addition.to(run), addition.to(loaded)
            what = f"the run of its folder to {addition.hook}"
            expect_same(what, of_folder, added, ALIKE)
            with checking(f"a run without results to {addition.hook}"):
                addition.to(empty)


def _runs() -> tuple[Run, Run, Run]:
    """Return a run from memory, the same from its folder, and one without results."""
    with TemporaryDirectory() as created:
        folder = Path(created)
        (folder / "text.txt").write_text("\n".join(WORDS), "utf-8")
        (folder / "gold.tsv").write_text("lower\tlow er\n", "utf-8")
        (folder / "config.yaml").write_text(CONFIG, "utf-8")
        run = run_config(folder / "config.yaml", ())
        write_run(folder / "run", run)
        loaded = Run.load(folder / "run")
        for mapping in (loaded.learned, loaded.texts, loaded.states):
            dict(mapping)  # read while the folder is there
    record = replace(run.record, outcomes=())
    return run, loaded, replace(run, record=record, rows=(), coverage=(), advice=(), sizes=())
