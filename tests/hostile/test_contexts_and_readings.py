"""Whole lines, words, lists and pipes in combinations that do not go together, or do."""

import textwrap

from tests.hostile.places import HF, LINES, Place


def test_in_context_with_lists_and_gold_alone(place: Place) -> None:
    place.write("novel.tsv", "cat\n")
    place.write("gold.tsv", "newest\tnew est\nlower\tlow er\n")
    corpora = "{train: train.txt, lists: {novel: novel.tsv}, gold: {parts: gold.tsv}}"
    systems = f"[{HF[:-1]}, context: in-context}}]"
    done = place.run(systems, corpora=corpora, metrics="[oov-words-distinct]")
    assert (done.code, done.failed) == (0, {})
    contexts = {(row["corpus"], row["context"]) for row in place.results()}
    assert contexts == {("novel", "isolated"), ("parts", "isolated")}


def test_both_contexts_and_several_sizes_of_a_reader_of_lines(place: Place) -> None:
    done = place.run(f"[{LINES[0]}]", sizes="[20, 30, 60]")
    assert (done.code, done.failed) == (0, {})
    found = {(row["size"], row["context"]) for row in place.results()}
    assert found == {(n, c) for n in ("20", "30", "60") for c in ("in-context", "isolated")}


def test_a_split_of_its_own_leaves_a_text_segmenter_words(place: Place) -> None:
    done = place.run(f"[{HF[:-1]}, split: gpt2}}, char]")
    assert (done.code, done.failed) == (0, {})
    assert {row["context"] for row in place.results()} == {"isolated"}
    done = place.check(f"[{HF[:-1]}, split: gpt2, context: both}}, char]")
    assert done.code == 2
    assert "systems[0].context: `both` asks for whole lines, but `split` cuts words: " in done.err


def test_parity_with_gold_words_is_refused(place: Place) -> None:
    place.write("gold.tsv", "newest\tnew est\n")
    corpora = "{train: train.txt, test: {held-out: test.txt}, gold: {parts: gold.tsv}}"
    done = place.run(f"[{HF}]", corpora=corpora, metrics="[{use: parity, reference: parts}]")
    assert done.code == 2
    assert "no test text is called 'parts'; there are: held-out" in done.err


def test_a_trainer_that_is_run_once_has_no_spread(place: Place) -> None:
    done = place.run("[hf-wordpiece, char]", sizes="[40]", repeats="1")
    assert done.code == 0
    assert (
        "system hf-wordpiece: its learner is not deterministic, and was run once "
        "(`repeats: 1`): the spread of its values is not known\n"
    ) in done.err
    rows = [row for row in place.results() if row["system"] == "hf-wordpiece"]
    assert {row["repeat-sd"] for row in rows} == {""}


def test_readers_of_lines_take_words_and_no_counts(place: Place) -> None:
    place.write("counts.tsv", "low\t5\nlower\t3\n")
    systems = f"[char, {LINES[0]}]"
    corpora = "{{train: {{path: {}, format: {}}}, test: {{held-out: test.txt}}}}"
    done = place.run(systems, corpora=corpora.format("counts.tsv", "counts"))
    assert done.code == 2
    assert "sentencepiece-bpe reads whole lines, which a training file of counts has not" in (
        done.err
    )
    place.write("words.txt", "low\nlower\nthe\n")
    done = place.run(systems, corpora=corpora.format("words.txt", "words"), sizes="[12]")
    assert (done.code, done.sizes) == (0, {"char": 7, "bpe-lines": 12})


def test_learn_and_segment_name_file_and_look(place: Place) -> None:
    hf = ["learn", "--learner", "hf", "-O", "kind=tokenizer-json", "-O"]
    done = place.do(*hf, "path=my.model")
    assert done.code == 4
    assert done.err == textwrap.dedent("""\
        error: my.model:9: not valid UTF-8: found byte 0x80; this looks like a binary \
model of SentencePiece, which `{use: sentencepiece, path: ...}` reads
        """)
    done = place.do(*hf, "path=none.json")
    message = "learner hf: path: none.json: no such file ($TOKBENCH_MODELS is not set)"
    assert (done.code, done.err) == (4, f"error: {message}\n")
    done = place.do("segment", "my.model", "test.txt")
    assert (done.code, done.err) == (0, ""), "it finds the learner that reads such a file"
    done = place.do("segment", "my.model", "test.txt", "-O", "pattern=cl100k")
    assert done.code == 2
    assert "unknown key `pattern`" in done.err
