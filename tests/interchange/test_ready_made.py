"""The learner `vocabulary`: files of ours as systems of a run."""

from pathlib import Path

import pytest
from tokbench_ready_made.vocabulary import VocabularyFile

from tests.interchange.samples import LOW, bpe, export, imported, splits_of, uncounted
from tokbench.api import InputError


def write(folder: Path, text: str) -> Path:
    path = folder / "v.json"
    path.write_text(text, encoding="utf-8")
    return path


def test_json_is_loaded_as_it_was_learned(tmp_path: Path) -> None:
    vocabulary = bpe(LOW, 4)
    learner = VocabularyFile.configure(tmp_path, path=write(tmp_path, vocabulary.to_json()).name)
    assert (learner.reads, learner.sized) == ("nothing", False)
    assert learner.load() == vocabulary


def test_word_splits_are_loaded_too(tmp_path: Path) -> None:
    vocabulary = bpe(LOW, 4)
    (text,) = export(vocabulary, "word-splits", splits=splits_of(vocabulary, LOW)).values()
    assert VocabularyFile.configure(path=write(tmp_path, text)).load() == uncounted(vocabulary)
    assert imported("word-splits", text).vocabulary == uncounted(vocabulary)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("low\n", "not JSON: Expecting value: line 1 column 1 (char 0)"),
        (
            '{"a": 0, "b": 1}',
            "not a vocabulary of format 1: found None; this looks like a table of token: id: "
            "import it with its merges --from gpt2",
        ),
        (
            "#version: 0.2\na b\n",
            "not JSON: Expecting value: line 1 column 1 (char 0); this looks like the merges of "
            "subword-nmt: import it --from subword-nmt",
        ),
        (
            '{"format": 1, "tokens": ["a", "a"]}',
            "damaged vocabulary: no 'alphabet'",
        ),
    ],
)
def test_anything_else_is_refused_with_what_it_looks_like(
    tmp_path: Path, text: str, message: str
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        VocabularyFile.configure(path=path).load()
    assert str(caught.value) == f"{path}: {message}"


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.model"
    path.write_bytes(b"\n\x0e\n\x05<unk>\xff")
    with pytest.raises(InputError) as caught:
        VocabularyFile.configure(path=path).load()
    assert str(caught.value) == (
        f"{path}: not UTF-8 at byte 9: not a vocabulary; this looks like a binary model of "
        "SentencePiece: the learner `sentencepiece` reads it"
    )
