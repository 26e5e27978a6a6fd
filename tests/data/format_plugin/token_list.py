from tokbench.api import Exported, Imported, InputError, Marks, Recognised
from tokbench.api import Vocabulary, VocabularyFormat, hookimpl


class TokenList(VocabularyFormat):
    """A title, and one token a line."""

    def write(self, vocabulary, inputs):
        if vocabulary.marks != Marks():
            raise InputError("token-list cannot carry marks")
        if vocabulary.units == "bytes" or vocabulary.bytes:
            raise InputError("token-list cannot carry bytes")
        if vocabulary.unproduced:
            raise InputError("token-list cannot carry special and unknown tokens")
        if any(token.splitlines() != [token] for token in vocabulary.tokens):
            raise InputError("token-list cannot carry a token with the end of a line")
        return Exported({"tokens.txt": "\n".join(["# tokens", *vocabulary.tokens]) + "\n"})

    def read(self, sources):
        (source,) = sources
        lines = source.data.decode().splitlines()
        if lines[:1] != ["# tokens"]:
            raise InputError(f"{source.where}:1: expected the title '# tokens'")
        return Imported(Vocabulary(tuple(lines[1:]), segmenter={"use": "longest-match"}))

    def recognise(self, data):
        if data.startswith(b"# tokens\n"):
            return Recognised("a list of tokens", formats=("token-list",))


@hookimpl
def tokbench_formats():
    return {"token-list": TokenList}
