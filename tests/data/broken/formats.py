"""Formats that break one promise each."""

from tokbench.api import Exported, Imported, Recognised, Vocabulary, VocabularyFormat, hookimpl


class LosesMarks(VocabularyFormat):
    """Write tokens as people see them, and read no marks."""

    def write(self, vocabulary, given):
        tokens = {repr(vocabulary.show(token)) for token in vocabulary.tokens}
        return Exported({"tokens.txt": "\n".join(sorted(tokens))})

    def read(self, sources):
        lines = sources[0].data.decode().splitlines()
        return Imported(Vocabulary(tuple(line[1:-1] for line in lines)))


class WrongLook(LosesMarks):
    """Recognise files with a text where a tuple is expected."""

    def recognise(self, data):
        return Recognised("a list", "wrong-look")


@hookimpl
def tokbench_formats():
    return {"loses-marks": LosesMarks, "wrong-look": WrongLook}
