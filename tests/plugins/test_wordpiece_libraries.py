"""WordPiece beside the library `tokenizers`: its BERT segmentation, and what its trainer does."""

import gzip
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from tokbench_wordpiece.segmenter import WordPieceMatch
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from tokbench.api import Marks, Vocabulary
from tokbench.api.text import CONTINUATION

pytestmark = pytest.mark.ci

MARKS = Marks.model_validate({"continuation": "fused"})
HOSTILE = [
    *("#", "##", "#ing", "a##ing", "[UNK", "\0", "e\u0301", "\uffff", "▁"),
    *("a" * 100, "a" * 101),
]


def their_ids(model: models.WordPiece, words: Iterable[str]) -> list[list[int]]:
    encodings = Tokenizer(model).encode_batch(list(words), add_special_tokens=False)
    return [encoding.ids for encoding in encodings]


def our_ids(vocabulary: Vocabulary, words: Iterable[str]) -> list[list[int]]:
    """Return the ids of words, both as they come one by one and from the timeline."""
    segmenter = WordPieceMatch()
    listed, prepared = list(words), segmenter.prepare(vocabulary)
    one_by_one = [
        [vocabulary.ids[t if isinstance(t, str) else str(t[0])] for t in tokens]
        for tokens in segmenter.segment_many(listed, prepared)
    ]
    states = segmenter.timeline(listed, prepared, len(vocabulary.learned))
    rows = states.row.tolist()
    at_once = [states.ids[a:b].tolist() for a, b in pairwise(rows)]
    assert at_once == one_by_one
    return one_by_one


def bert(path: Path) -> tuple[models.WordPiece, Vocabulary]:
    pieces = path.read_text("utf-8").removesuffix("\n").split("\n")
    tokens = tuple(CONTINUATION + p[2:] if p[:2] == "##" and p != "##" else p for p in pieces)
    special = [i for i, p in enumerate(pieces) if p in ("[PAD]", "[CLS]", "[SEP]", "[MASK]")]
    theirs = models.WordPiece({p: i for i, p in enumerate(pieces)}, unk_token="[UNK]")
    ours = Vocabulary(tokens, marks=MARKS, special=tuple(special), unknown=pieces.index("[UNK]"))
    return theirs, ours


def test_bert_cuts_as_the_library_does(shared: Path) -> None:
    theirs, ours = bert(shared / "tokenizers" / "bert-base-uncased" / "vocab.txt")
    assert len(ours.tokens) == 30_522
    text = gzip.decompress((shared / "english" / "dickens_pg.txt.gz").read_bytes())
    words = set(text.decode("utf-8-sig").split())
    for language in ("kor_Hang", "hin_Deva", "zho_Hans"):
        lines = gzip.decompress((shared / "parallel" / f"{language}.dev.gz").read_bytes())
        words.update(lines.decode("utf-8").split())
    words.update(word.lower() for word in list(words))
    # Where text spells a token with its mark, or a special one, the library finds that token;
    # here it is text.
    ordered = [*sorted(words)[::8], *HOSTILE]
    assert len(ordered) > 5_000
    assert our_ids(ours, ordered) == their_ids(theirs, ordered)
    assert our_ids(ours, ["[CLS]", "embeddings"]) == [[100], [7861, 8270, 4667, 2015]]
    assert their_ids(theirs, ["##ing"]) == [[2075]]
    assert our_ids(ours, ["##ing"]) == [[1001, 29614, 2075]]


def their_vocabulary(words: Mapping[str, int], size: int) -> set[str]:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.WordPieceTrainer(vocab_size=size, show_progress=False)
    lines = (" ".join([word] * count) for word, count in words.items())
    tokenizer.train_from_iterator(lines, trainer)
    return set(tokenizer.get_vocab())


def test_the_librarys_trainer_merges_by_count() -> None:
    # By score the first would be ##gs; see the course's example in test_wordpiece.
    words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    alphabet = {*"bghnpsu", "##g", "##n", "##s", "##u"}
    assert their_vocabulary(words, 13) == alphabet | {"##ug", "##un"}
