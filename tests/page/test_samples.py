"""Sentences and unseen words, with the tokens of systems that the page cannot cut with."""

from pathlib import Path
from typing import Any

from tokbench_page.page import page
from tokbench_page.playground import playground

from tests.page_data import data_of
from tests.tiny import BPE, tiny_run
from tokbench.run_folder import Run

TRAIN = "the cat sat on a mat 12 345\n" * 3
LINES = [
    "the cat sat on a mat",
    "the unkindest  cat sat, on a mat",
    "short unkindest line",
    "a strange unkindest thing sat on the unseemly mat",
    "A THE CAT SAT ON MAT 1234 12345 the-mat",
]


def samples_of(run: Run) -> Any:
    return data_of(page(run))["samples"]


def test_sentences_are_lines_of_some_length_with_unseen_words(tmp_path: Path) -> None:
    """Three words are too few; words in capitals, numbers and punctuation do not count."""
    texts = {"train": TRAIN, "test": "\n".join(LINES) + "\n"}
    run = tiny_run(tmp_path, texts=texts, systems=f"[{BPE}]", sizes="[30]")
    samples = samples_of(run)
    assert [sample["title"] for sample in samples] == [
        "sentence 1", "sentence 2", "sentence 3", "unseen words",
    ]  # fmt: skip
    assert [sample["text"] for sample in samples[:3]] == [LINES[0], LINES[1], LINES[3]]
    assert samples[1]["words"] == LINES[1].replace(",", " ,").split()
    assert {"unkindest", "unseemly", "strange"} < {*samples[3]["words"]}
    assert [sample["cuts"] for sample in samples] == [{}] * 4, "the page cuts with bpe itself"


def test_what_the_page_cannot_cut_stands_there_at_each_size(tmp_path: Path) -> None:
    """The tokens of a system with a splitter of its own are those of the run."""
    texts = {"train": TRAIN, "test": "\n".join(LINES) + "\n"}
    systems = f"[{BPE}, {{name: own, learner: bpe, split: words}}]"
    run = tiny_run(tmp_path, texts=texts, systems=systems, sizes="[30, 34]")
    assert playground(run).missing == ["own"]
    sentence = samples_of(run)[1]
    assert [*sentence["cuts"]] == ["own"]
    assert [*sentence["cuts"]["own"]] == ["30", "34"]
    for size, tokens in sentence["cuts"]["own"].items():
        cut = run.segmentation("own", "held-out", size)
        for word, word_tokens in zip(sentence["words"], tokens, strict=True):
            state = cut.word.tolist().index(cut.words.text.index(word))
            assert [shown for shown, _, _ in word_tokens] == list(cut.pieces(state))
            assert sum(length for _, _, length in word_tokens) == len(word.encode())


def test_tokens_in_context_are_those_of_their_place(tmp_path: Path) -> None:
    """At the beginning of a line a word has another token than after a space."""
    texts = {"train": "the the the the\n" * 9, "test": "the the the the the the\n"}
    systems = "[{name: bytes, learner: {use: byte-bpe, read: lines}, context: in-context}]"
    run = tiny_run(tmp_path, texts=texts, systems=systems, sizes="[270]")
    first_word, *rest = samples_of(run)[0]["cuts"]["bytes"]["270"]
    assert [shown for shown, _, _ in first_word] == ["the"]
    assert rest == [[["Ġthe", rest[0][0][1], 3]]] * 5
    assert rest[0][0][1] != first_word[0][1]


def test_equal_vocabularies_stand_once_and_unigram_comes_last(tmp_path: Path) -> None:
    longest = "{name: longest, learner: {use: bpe, eow: absent}, segmenter: longest-match}"
    systems = f"[unigram, {BPE}, {longest}, word]"
    shown = playground(tiny_run(tmp_path, systems=systems, sizes="[4, 5]"))
    assert [*shown.systems] == ["bpe", "longest", "word", "unigram"]
    assert shown.systems["bpe"]["sizes"] == shown.systems["longest"]["sizes"]
    assert shown.missing == []
    used = {n for system in shown.systems.values() for n, _ in system["sizes"].values()}
    assert used == {*range(len(shown.vocabularies))}


def test_what_does_not_fit_is_left_out(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("tokbench_page.playground.BUDGET", 0)
    shown = playground(tiny_run(tmp_path))
    assert (shown.vocabularies, shown.systems, shown.missing) == ([], {}, ["bpe", "char", "word"])
