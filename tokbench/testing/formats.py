"""The promise of formats: a vocabulary survives the way to files and back."""

from tokbench.api import ExportInput, InputError, SourceFile, Vocabulary, VocabularyFormat
from tokbench.corpora.splitters import PATTERNS
from tokbench.testing.promise import checking, expect
from tokbench.testing.subject import NoVocabularyError, Subject, Vocabularies


def there_and_back(subject: Subject[VocabularyFormat], vocabularies: Vocabularies) -> None:
    """Check that files are recognised and read, and that what is read survives the way once more.

    A vocabulary that the format cannot express may be refused with an InputError, but not all.
    """
    refused = []
    for name, vocabulary in vocabularies.items():
        what = f"the vocabulary of {name}"
        with checking(what):
            try:
                files = _written(subject, vocabulary)
            except InputError as error:
                refused.append(str(error))
                continue
            looks = [subject.component.recognise(source.data) for source in files]
            once = subject.component.read(files).vocabulary
        with checking(f"{what}, as it was read"):
            again = subject.component.read(_written(subject, once)).vocabulary
        expect(again == once, f"{what}, written and read twice", again, f"{once} as before")
        right = f"None, or something with {subject.offer.name!r} among its formats"
        for look in looks:
            known = look is None or subject.offer.name in look.formats
            expect(known, f"{what}, written and recognised", look, right)
    if len(refused) == len(vocabularies):
        raise NoVocabularyError(f"given the learners on offer: all refused ({refused[:1]})")


def _written(subject: Subject[VocabularyFormat], vocabulary: Vocabulary) -> list[SourceFile]:
    files = subject.component.write(vocabulary, ExportInput(patterns=PATTERNS)).files
    return [SourceFile(name, text.encode()) for name, text in files.items()]
