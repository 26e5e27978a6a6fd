"""The promise of formats: a vocabulary survives the way to files and back."""

from tokbench.api import ExportInput, InputError, SourceFile, Vocabulary, VocabularyFormat
from tokbench.corpora.splitters import PATTERNS
from tokbench.interchange import export_files, read_files, recognise_as
from tokbench.testing.promise import checking, expect
from tokbench.testing.subject import NoVocabularyError, Subject, Vocabularies


def there_and_back(subject: Subject[VocabularyFormat], vocabularies: Vocabularies) -> None:
    """Check that files are recognised and read, and that what is read survives the way once more.

    All learned tokens must come back, whatever else of a vocabulary a format does not hold. A
    vocabulary that the format cannot express may be refused with an InputError, but not all.
    """
    refused, own = [], subject.offer.name
    for name, vocabulary in vocabularies.items():
        what = f"the vocabulary of {name}"
        with checking(what):
            try:
                files = _written(subject, vocabulary)
            except InputError as error:
                refused.append(str(error))
                continue
            looks = [recognise_as(subject.component, own, source.data) for source in files]
            once = _read(subject, files)
        # A format of merges holds no other tokens than theirs.
        lost = [vocabulary.show(token) for token in vocabulary.products if token not in once.ids]
        expect(not lost, f"{what}, written and read", f"no {lost}", "each token that was learned")
        with checking(f"{what}, as it was read"):
            again = _read(subject, _written(subject, once))
        expect(again == once, f"{what}, written and read twice", again, f"{once} as before")
        right = f"None, or something with {own!r} among its formats"
        for look in looks:
            known = look is None or own in look.formats
            expect(known, f"{what}, written and recognised", look, right)
    if len(refused) == len(vocabularies):
        raise NoVocabularyError(f"given the learners on offer: all refused ({refused[:1]})")


def _written(subject: Subject[VocabularyFormat], vocabulary: Vocabulary) -> list[SourceFile]:
    # What text decodes to is another question than whether the vocabulary comes back.
    given = ExportInput(patterns=PATTERNS, force=True)
    files = export_files(subject.component, subject.offer.name, vocabulary, given).files
    return [SourceFile(name, text.encode()) for name, text in files.items()]


def _read(subject: Subject[VocabularyFormat], files: list[SourceFile]) -> Vocabulary:
    return read_files(subject.component, subject.offer.name, files).vocabulary
