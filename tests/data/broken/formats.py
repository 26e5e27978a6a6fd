"""Formats that break one promise each."""

from ast import literal_eval

from tokbench.api import Exported, Imported, Recognised, Vocabulary, VocabularyFormat, hookimpl


class LosesMarks(VocabularyFormat):
    """Write tokens as people see them, and read no marks."""

    def write(self, vocabulary, given):
        tokens = {repr(vocabulary.show(token)) for token in vocabulary.tokens}
        return Exported({"tokens.txt": "\n".join(sorted(tokens))})

    def read(self, sources):
        lines = sources[0].data.decode().splitlines()
        return Imported(Vocabulary(tuple(line[1:-1] for line in lines)))


class ForgetsMarks(LosesMarks):
    """Write tokens with the characters of their marks, but not what these mean."""

    def write(self, vocabulary, given):
        return Exported({"tokens.txt": "\n".join(map(repr, vocabulary.tokens))})

    def read(self, sources):
        lines = sources[0].data.decode().splitlines()
        return Imported(Vocabulary(tuple(map(literal_eval, lines))))


class WrongLook(LosesMarks):
    """Recognise files with a text where a tuple is expected."""

    def recognise(self, data):
        return Recognised("a list", "wrong-look")


@hookimpl
def tokbench_formats():
    return {"loses-marks": LosesMarks, "forgets-marks": ForgetsMarks, "wrong-look": WrongLook}
