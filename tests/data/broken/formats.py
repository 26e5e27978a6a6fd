"""A format that breaks a promise."""

from tokbench.api import Exported, Imported, Recognised, Vocabulary, VocabularyFormat, hookimpl


class WrongLook(VocabularyFormat):
    """Recognise files with a text where a tuple is expected; keep no marks."""

    def write(self, vocabulary, inputs):
        tokens = {repr(vocabulary.show(token)) for token in vocabulary.tokens}
        return Exported({"tokens.txt": "\n".join(sorted(tokens))})

    def read(self, sources):
        lines = sources[0].data.decode().splitlines()
        return Imported(Vocabulary(tuple(line[1:-1] for line in lines)))

    def recognise(self, data):
        return Recognised("a list", "wrong-look")


@hookimpl
def tokbench_formats():
    return {"wrong-look": WrongLook}
