"""A library as a plugin: the files, the ids and the offsets of Hugging Face's `tokenizers`."""

from pydantic import Field

from tokbench.api import InputFile, Learner, TextSegmenter, Vocabulary, hookimpl


class Wrapped(Learner):
    """Load a tokenizer.json; nothing is learned."""

    requires = "tokenizers"  # what `pip install` needs, where the package is missing
    requires_version = {"tokenizers": "0"}  # any
    path: InputFile = Field(description="the file")
    reads = property(lambda self: "nothing")

    def load(self):
        """Name the tokens by id; the file goes into the vocabulary, so that it is whole."""
        from tokenizers import Tokenizer  # libraries are imported late

        text = self.path.read_bytes().decode()
        ids = Tokenizer.from_str(text).get_vocab(with_added_tokens=False)
        tokens = tuple(sorted(ids, key=ids.get))
        return Vocabulary(tokens, segmenter={"use": "wrapped"}, extra={"tokenizer": text})


class WrappedLines(TextSegmenter):
    """Cut lines as the library does."""

    def prepare(self, vocabulary):
        from tokenizers import Tokenizer

        return Tokenizer.from_str(vocabulary.extra["tokenizer"])

    def segment_lines(self, lines, prepared):
        from tokbench.api.arrays import LineTokens
        from tokbench.api.text import encodable

        encodings = prepared.encode_batch([*map(encodable, lines)], add_special_tokens=False)
        row = [0]
        for encoding in encodings:
            row.append(row[-1] + len(encoding.ids))
        ids = [i for encoding in encodings for i in encoding.ids]
        places = [place for encoding in encodings for place in encoding.offsets]
        starts, ends = zip(*places) if places else ((), ())
        return LineTokens.from_characters(lines, row, ids, starts, ends)


@hookimpl
def tokbench_learners():
    return {"wrapped": Wrapped}


@hookimpl
def tokbench_segmenters():
    return {"wrapped": WrappedLines}
