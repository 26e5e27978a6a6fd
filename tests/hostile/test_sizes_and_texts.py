"""Sizes that do not exist and texts that libraries misread, through the command line."""

import pytest

from tests.hostile.places import ALL, KINDS, LINES, READY, TEST, TRAIN, TRAINED, Place

SMALLEST = {
    "hf-bpe": 14, "hf-byte-bpe": 256, "hf-wordpiece": 25, "hf-unigram": 16,
    "sentencepiece-bpe": 15, "sentencepiece-unigram": 15, "morfessor": 15, "subword-nmt": 18,
    "byte-bpe": 256, "wordpiece": 28, "unigram": 15,
}  # fmt: skip


@pytest.mark.nightly
def test_a_size_that_is_too_small_is_left_out_with_the_smallest(place: Place) -> None:
    done = place.run(f"[char, {', '.join(TRAINED)}]", sizes="[1]")
    assert done.code == 0
    for name, least in SMALLEST.items():
        cause = f"its smallest vocabulary has {least} tokens\n"
        if name in ("wordpiece", "unigram"):
            cause = f"size 1 is below the alphabet of {least} symbols"
        if name == "byte-bpe":
            cause = "size 1 is below the 256 bytes\n"
        assert f"warning: system {name} at size 1: left out: {cause}" in done.err
    assert "is not deterministic" not in done.err  # of nothing there is no spread


@pytest.mark.nightly
@pytest.mark.parametrize("asked", ["sizes", "merges"])
def test_a_size_that_is_too_large_gives_all_that_there_is(place: Place, asked: str) -> None:
    done = place.run(f"[{', '.join(TRAINED)}]", **{"sizes": "", asked: "[1000000]"})
    assert done.code == 0, done.err
    assert list(done.sizes) == [*TRAINED]
    for name, size in done.sizes.items():
        assert SMALLEST[name] <= size < 400
    # How many merges there were, only those tell that have any.
    assert "(0 learned)" not in done.err


SPECIAL = [
    "<|endoftext|>", "[SEP]", "[UNK]", "[CLS]", "<s>", "</s>", "<unk>", "<pad>", "▁", "▁▁the",
    "##", "##s", "@@", "lo@@", "</w>", "low</w>", "<0x41>", "<0xEC>", "\u2585", "Ġthe",
]  # fmt: skip
NO_UNICODE_LINES = "the\u2028cat\u2029sat\x85on\x0bmat\x0ca\x1cb\x1dc\x1ed\n\u2028\n\x85\nthe\n"
TEXTS = {
    "special": "".join(f"{text} low {text}\n" for text in SPECIAL),
    "nul": "a\0b \0 the\0\n\0\0\0\nthe\n\0",
    "line-ends": "\ufeffthe cat\r\nsat on\r\n\ufeffx\r\nlone\rreturn\n",
    "separators": NO_UNICODE_LINES,
    "one letter": "a",
    "digits": "123 456 7890 123 1 2 3\n" * 3,
    "ignorable": "e\u0301\u0323 \U0001f468\u200d\U0001f469 \u202eabc\u202c \xad \u200b \ufffe\n",
}


@pytest.mark.nightly
@pytest.mark.parametrize("text", TEXTS)
def test_any_text_can_be_learned_from_and_cut(place: Place, text: str) -> None:
    place.write("train.txt", f"{TEXTS[text]}\n" * 3)
    place.write("test.txt", TEXTS[text] + "\nunseen x\n")
    metrics = "[fertility, tokens, round-trip, unknown-characters, outside-tokens]"
    done = place.run(ALL, sizes="[400]", metrics=metrics)
    assert (done.code, done.failed) == (0, {})
    assert len(done.sizes) == 1 + len(TRAINED) + len(LINES) + len(READY)
    assert all(row["value"] for row in place.results() if row["subset"] == "all")


@pytest.mark.nightly
@pytest.mark.parametrize(("splitter", "module"), [("kiwi", "kiwipiepy"), ("mecab-ko", "mecab")])
def test_any_text_can_be_cut_into_morphemes(place: Place, splitter: str, module: str) -> None:
    pytest.importorskip(module)
    syllables = "".join(chr(0xAC00 + n * 7919 % 2000) for n in range(100_000))
    text = "\n".join([*TEXTS.values(), "아버지가방에들어가신다 하였습니다.", syllables])
    place.write("train.txt", text)
    place.write("test.txt", text)
    metrics = "[fertility, round-trip]"
    systems = f"[char, {{name: morphemes, learner: char, split: {splitter}}}]"
    done = place.run(systems, sizes="[9000]", metrics=metrics)
    assert (done.code, done.failed) == (0, {})
    assert place.values("round-trip") == {"char": "1", "morphemes": "1"}
    # The pieces of a word cover it, and characters stay what they are.
    assert len(set(place.values("fertility").values())) == 1
    assert len(set(done.sizes.values())) == 1


@pytest.mark.parametrize("kind", ["tokenizer.json", "encoder.json", "ranks.tiktoken"])
def test_text_that_spells_a_special_token_is_ordinary_text(place: Place, kind: str) -> None:
    place.write("special.txt", "".join(f"{text}\n" for text in SPECIAL))
    learner = {"encoder.json": "hf", "tokenizer.json": "hf", "ranks.tiktoken": "tiktoken"}[kind]
    options = KINDS[kind].replace("FILE", kind).strip("{}").split(", ")[1:]
    arguments = [part for option in options for part in ("-O", option.replace(": ", "="))]
    place.write("v.json", place.do("learn", "--learner", learner, *arguments, "train.txt").out)
    done = place.do("segment", "v.json", "special.txt")
    lines = done.out.splitlines()
    assert lines[0] == "< | e n d o f t e x t | >"
    assert lines[1:7] == ["[ S E P ]", "[ U N K ]", "[ C L S ]", "< s >", "< / s >", "< u n k >"]
    assert len(lines) == len(SPECIAL)


LONG = "words over 10,000 characters: 1 (first: {}:1, 400,000 characters); cut into pieces"


@pytest.mark.nightly
@pytest.mark.parametrize(
    "letters", ["a" * 400_000, "".join(chr(0x4E00 + n % 2500) for n in range(400_000))],
    ids=["one letter", "many letters"],
)  # fmt: skip
def test_a_word_of_400_000_letters_is_cut_before_anyone_learns_it(
    place: Place, letters: str
) -> None:
    """The time of trainers, and of programs that cut, grows with the square of the length."""
    place.write("train.txt", f"{letters}\n{TRAIN}")
    place.write("test.txt", f"{letters}\n{TEST}")
    done = place.run(ALL, sizes="[6000]", metrics="[fertility, tokens]")
    assert (done.code, done.failed) == (0, {})
    assert len(done.sizes) == 1 + len(TRAINED) + len(LINES) + len(READY)
    assert LONG.format("train.txt") in done.err
    assert LONG.format("test.txt") in done.err


@pytest.mark.ci
def test_a_long_word_is_cut_in_every_context(place: Place) -> None:
    place.write("test.txt", "the cat " + "a" * 400_000 + " sat\n")
    both = [f"{text[:-1]}, context: both}}" for text in READY[:2] + READY[4:6]]
    done = place.run(f"[{', '.join(both)}, char]", metrics="[fertility, tokens]")
    assert (done.code, done.failed) == (0, {})
    assert "words over 10,000 characters: 1 (first: test.txt:1" in done.err
    # BERT knows no word above 100 letters; all others write as many tokens as letters.
    letters = {name: float(value) > 400_000 for name, value in place.values("tokens").items()}
    assert letters == {"ready0": True, "ready1": False, "ready4": True, "ready5": True,
                       "char": True}  # fmt: skip


@pytest.mark.nightly
def test_a_single_line_of_ten_megabytes_in_context(place: Place) -> None:
    line = "the cat sat on the mat lower newest "
    place.write("test.txt", line * (10_000_000 // len(line)) + "\n")
    done = place.run(f"[{READY[0]}, {READY[4]}, char]", metrics="[fertility, tokens]")
    assert (done.code, done.failed) == (0, {})
    count = 10_000_000 // len(line)
    assert float(place.values("tokens")["char"]) == count * len(line.replace(" ", ""))
