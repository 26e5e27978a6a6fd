"""Damaged, foreign and missing model files cost one system, and the message says what is right."""

import json
import shutil

import pytest

from tests.hostile.places import KINDS, LINES, READY, Place, damaged, system

pytestmark = pytest.mark.ci  # loads a library of some hundred MB, or its large files


def test_the_files_themselves_are_good(place: Place) -> None:
    done = place.run(f"[char, {', '.join(READY)}]")
    assert done.code == 0, done.err
    assert len(done.sizes) == 1 + len(KINDS)


LOOKS = {
    "page": "; this looks like a web page: download the file itself",
    "pointer": "; this looks like a pointer of Git LFS: fetch the file that it stands for (git lfs"
    " pull)",
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_costs_only_its_system(
    place: Place, models: dict[str, bytes], kind: str
) -> None:
    """Tests of the readers have the messages."""
    files = damaged(models[kind])
    if kind != "vocab.txt":  # of lines, half is a smaller vocabulary
        files["half"] = models[kind][: len(models[kind]) // 2]
    for name, content in files.items():
        place.write(f"{name}.file", content)
    bad = [system(name, kind, f"{name}.file") for name in files]
    done = place.run(f"[char, {', '.join(bad)}, word]")
    assert done.code == 1
    assert list(done.failed) == list(files)
    assert done.sizes == {"char": 14, "word": 14}
    for name, message in done.failed.items():
        assert message.startswith(f"{name}.file:"), message
        assert message.endswith(LOOKS.get(name, "")), message
    with_results = {row["system"] for row in place.results() if row["status"] == "ok"}
    assert with_results == {"char", "word"}


LOOK = {
    "tokenizer.json": ("a tokenizer.json", "{use: hf, kind: tokenizer-json, path: ...}"),
    "vocab.txt": ("the vocab.txt of BERT", "{use: hf, kind: bert-vocab, vocab: ...}"),
    "encoder.json": ("a table of token: id", "{use: hf, kind: gpt2, vocab: ...}"),
    "my.model": ("a binary model of SentencePiece", "{use: sentencepiece, path: ...}"),
    "ranks.tiktoken": ("ranks of tiktoken", "{use: tiktoken, path: ...}"),
    "ours.json": ("a vocabulary of tokbench", "{use: vocabulary, path: ...}"),
}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "ours.json"])
def test_a_file_of_another_kind_is_recognised_by_its_look(place: Place, kind: str) -> None:
    others = {f"as-{n}": file for n, file in enumerate(LOOK) if file != kind}
    bad = [system(name, kind, file) for name, file in others.items()]
    done = place.run(f"[char, {', '.join(bad)}]")
    assert done.code == 1
    assert done.sizes == {"char": 14}
    for name, file in others.items():
        what, reader = LOOK[file]
        assert done.failed[name].startswith(f"{file}:")
        assert done.failed[name].endswith(f"; this looks like {what}, which `{reader}` reads")


def test_files_that_changed_places_are_distinguished(place: Place) -> None:
    swapped = "{name: swapped, learner: {use: hf, kind: gpt2, vocab: vocab.bpe, merges: train.txt}}"
    place.write("vocab.bpe", "#version: 0.2\n" + "Ġ t\n" * 30)
    done = place.run(f"[char, {swapped}]")
    assert done.failed["swapped"].startswith("vocab.bpe:1: not JSON: ")
    assert done.failed["swapped"].endswith(
        "this looks like the merges of GPT-2 (vocab.bpe, merges.txt), which "
        "`{use: hf, kind: gpt2, merges: ...}` reads"
    )


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({}, "tokenizers refuses it: Exception: data did not"),  # of the pre-tokenizer
        ({"a": 2**31}, "has the id 2,147,483,648 among 280 tokens, expected ids that follow each"),
        ({"a": -1}, "tokenizers refuses it: Exception: invalid value: integer `-1`"),
        ({"\ud800x": 900}, "tokenizers refuses it: Exception: unexpected end of hex escape"),
    ],
    ids=["sideways", "huge", "negative", "surrogate"],
)
def test_what_no_tokenizer_has(
    place: Place, models: dict[str, bytes], changed: dict[str, int], message: str
) -> None:
    """A tokenizer.json that the library refuses is still one, so its look is not reported."""
    document = json.loads(models["tokenizer.json"])
    document["model"]["vocab"] |= changed
    if not changed:
        document["pre_tokenizer"] = {"type": "Sideways"}
    place.write("odd.json", json.dumps(document))
    done = place.run(f"[char, {system('odd', 'tokenizer.json', 'odd.json')}]")
    assert done.code == 1
    assert done.failed["odd"].startswith(f"odd.json: {message}")
    assert "looks like" not in done.err
    assert done.sizes == {"char": 14}


def test_lone_surrogates_in_a_vocabulary_are_tokens_like_others(place: Place, models) -> None:
    document = json.loads(models["ours.json"])
    document["tokens"] += ["\ud800", "\udc00a"]
    place.write("odd.json", json.dumps(document))
    done = place.run(f"[char, {system('odd', 'ours.json', 'odd.json')}]")
    assert done.code == 0
    assert done.sizes == {"char": 14, "odd": 16}
    assert place.do("segment", "odd.json", "test.txt").out.startswith("t h e n e w e s t c a t\n")


def test_paths_with_spaces_and_other_letters(place: Place, models: dict[str, bytes]) -> None:
    folder = "ein Ordner ä 안"
    (place.folder / folder).mkdir()
    for kind in (*KINDS, "train.txt"):
        shutil.copy(place.folder / kind, place.folder / folder / f"möd el.{kind}")
    systems = [system(f"s{n}", kind, f"'{folder}/möd el.{kind}'") for n, kind in enumerate(KINDS)]
    train = f"{{train: '{folder}/möd el.train.txt', test: test.txt}}"
    done = place.run(f"[{', '.join([*systems, LINES[0]])}]", corpora=train)
    assert done.code == 0, done.err
    assert len(done.sizes) == len(KINDS) + 1
