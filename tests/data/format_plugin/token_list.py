from tokbench.api import Exported, Imported, InputError, Recognised
from tokbench.api import Vocabulary, VocabularyFormat, hookimpl


class TokenList(VocabularyFormat):
    """A title, and one token a line."""

    def write(self, vocabulary, given):
        tokens = [vocabulary.show(token) for token in vocabulary.tokens]
        if any(token.splitlines() != [token] for token in tokens):
            raise InputError("token-list cannot carry a token with the end of a line")
        return Exported({"tokens.txt": "\n".join(["# tokens", *tokens]) + "\n"})

    def read(self, sources):
        title, *tokens = sources[0].data.decode().splitlines()
        return Imported(Vocabulary(tuple(tokens), segmenter={"use": "longest-match"}))

    def recognise(self, data):
        if data.startswith(b"# tokens\n"):
            return Recognised("a list of tokens", formats=("token-list",))


@hookimpl
def tokbench_formats():
    return {"token-list": TokenList}
