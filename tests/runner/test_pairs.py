"""Pairs of words, from files and from generators, and the metrics of how their tokens change.

The vocabulary is that of the worked example: a, b, c, ab, abc.
"""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.tiny import TinyRun, offering, row, tiny_run, value
from tokbench.api import PairGenerator
from tokbench.errors import InputError, PluginError

METRICS = ("token-edit-distance", "boundary-flips", "fertility-change", "lost-whole",
           "new-unknown-characters")  # fmt: skip
SYSTEMS = "[{name: bpe, learner: {use: bpe, eow: absent}}, char, word]"


def run_file(folder: Path, pairs: str, **keys: str | None) -> TinyRun:
    keys = {"systems": SYSTEMS, "sizes": "[5]", "metrics": None, **keys}
    keys.setdefault("corpora", "{train: train.txt, pairs: {typos: pairs.txt}}")
    return tiny_run(folder, texts={"pairs": pairs}, **keys)


def values(run: TinyRun, system: str, subset: str = "all") -> tuple[float | None, ...]:
    return tuple(value(run, system, name, corpus="typos", subset=subset) for name in METRICS)


def test_the_metrics_of_pairs_on_a_worked_example(tmp_path: Path) -> None:
    """Tokens: abc is [abc], [a b c], unknown; abd [ab d], [a b d]; cabc [c abc]; acb [a c b].

    abd keeps the gap a-b; cabc keeps a-b and b-c as its suffix; acb keeps no gap of abc.
    """
    run = run_file(tmp_path, "abd\tabc\tother\ncabc\tabc\tmore\nacb\tabc\tother\n")
    assert values(run, "bpe") == pytest.approx((6 / 7, 0 / 3, 7 / 3, 1, 1 / 10))
    assert values(run, "bpe", "perturbed:other") == pytest.approx((5 / 5, 0, 5 / 2, 1, 1 / 6))
    assert values(run, "bpe", "perturbed:more") == pytest.approx((1 / 2, 0, 2, 1, 0))
    assert values(run, "char") == pytest.approx((4 / 10, 0, 10 / 9, 0, 1 / 10))
    assert values(run, "word") == pytest.approx((1, 0, 1, 1, 10 / 10))
    assert row(run, "bpe", "token-edit-distance", corpus="typos", subset="all").n == 7


def test_a_gap_flips_where_one_word_alone_is_cut(tmp_path: Path) -> None:
    """abc is [abc], aabc [a abc]: beside the common a, the end bc of both is cut in neither.

    abcb is [abc b], acbcb [a c b c b].

    The end of both is bcb: its b-c is cut in the changed one alone, its c-b in both.
    """
    run = run_file(tmp_path, "aabc\tabc\tk\nabcb\tacbcb\tk\n")
    assert values(run, "bpe", "perturbed:k")[1] == pytest.approx(1 / 3)
    assert values(run, "char", "perturbed:k")[1] == 0


def edit_distance(a: Sequence[str], b: Sequence[str]) -> int:
    """Fill the table of Wagner and Fischer 1974 cell by cell."""
    line = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, line = line, [i]
        for j, y in enumerate(b, 1):
            line.append(min(above[j] + 1, line[-1] + 1, above[j - 1] + (x != y)))
    return line[-1]


def test_distances_are_those_of_the_textbook(tmp_path: Path) -> None:
    """By letters the tokens are the characters."""
    draw = random.Random(0)
    words = [
        "".join(draw.choices("abcd", k=draw.choice([1, 2, 3, 5, 8, 16, 33]))) for _ in "x" * 400
    ]
    pairs = [(a, b) for a, b in zip(words[::2], words[1::2], strict=True) if a != b]
    file = "".join(f"{b}\t{a}\tk\n" for a, b in pairs)
    run = run_file(tmp_path, file, systems="[char]", sizes=None)
    expected = sum(edit_distance(a, b) for a, b in pairs) / sum(max(map(len, p)) for p in pairs)
    assert values(run, "char", "perturbed:k")[0] == pytest.approx(expected)


def test_unknown_tokens_are_compared_by_their_text(tmp_path: Path) -> None:
    run = run_file(tmp_path, "xyd\txyz\tk\nxé\txè\tk\n", systems="[char]", sizes=None)
    assert values(run, "char", "perturbed:k") == pytest.approx((2 / 5, 0, 1, 0, 0))


def test_few_pairs_have_values_without_intervals_said_once(tmp_path: Path) -> None:
    corpora = "{train: train.txt, pairs: {one: one.txt, two: two.txt, many: many.txt}}"
    many = "".join(f"ab{'c' * n}\tabd{'c' * n}\tk\n" for n in range(1, 21))
    again = "abc\tabd\tk\n" * 25  # one word, however often it stands
    run = tiny_run(
        tmp_path, texts={"one": again, "two": "ab\tba\tk\nac\tca\tl\n", "many": many},
        corpora=corpora, systems="[char]", sizes=None, metrics=None,
    )  # fmt: skip
    change = row(run, "char", "fertility-change", corpus="one", subset="perturbed:k")
    assert (change.value, change.low, change.n) == (1, None, 75)
    assert (
        row(run, "char", "token-edit-distance", corpus="many", subset="perturbed:k").low is not None
    )
    notes = [note for note in run.notes if "fewer than 20" in note]
    assert notes == [
        "corpora: no intervals and no p-values where there are fewer than 20 units: one: "
        "perturbed:k (1 line); two: all (2 lines), perturbed:k (1 line), perturbed:l (1 line)"
    ]


class Shout(PairGenerator):
    """Add an a at the end of a word that has no d, or what `draw` says."""

    draw: bool = False

    def change(self, word, random):  # type: ignore[no-untyped-def]  # as many plugins are written
        if "d" in word:
            return None
        return word + (random.choice("xyz") if self.draw else "a")


class Tail(PairGenerator):
    """Add a b at the end of a word that begins with a."""

    def change(self, word, random):  # type: ignore[no-untyped-def]  # as many plugins are written
        return word + "b" if word.startswith("a") else None


GENERATED = """
  train: train.txt
  test: {held-out: test.txt}
  pairs:
    shouted: {generate: shout, of: held-out}
    tailed: {generate: tail, of: held-out}
    drawn: {generate: {use: shout, draw: true}, of: held-out}"""
# Of three words of four letters or more, abcc stands twice and bbbb in the second line.
TEST = "abcc abc abcd abcc\nab\nbbbb\n"


def run_generated(folder: Path, **keys: str | None) -> TinyRun:
    keys = {"systems": "[char]", "sizes": None, "metrics": None, "corpora": GENERATED, **keys}
    return tiny_run(folder, offering(shout=Shout, tail=Tail), texts={"test": TEST}, **keys)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> TinyRun:
    return run_generated(tmp_path_factory.mktemp("generated"))


def test_generators_change_words_of_four_letters_by_their_running_counts(
    generated: TinyRun,
) -> None:
    run = generated
    words = run.words("shouted")
    assert words.pairs is not None
    named = [
        (words.text[a], words.text[b])
        for a, b in zip(words.pairs.original, words.pairs.changed, strict=True)
    ]
    assert named == [("abcc", "abcca"), ("bbbb", "bbbba")]
    assert words.pairs.order.tolist() == [0] * 10 + [1] * 5
    # abcc counts twice: 2 x 5 tokens for 4, and 5 for 4.
    change = row(run, "char", "fertility-change", corpus="shouted", subset="perturbed:shout")
    assert (change.value, change.n) == (pytest.approx(15 / 12), 5 * 12)
    assert change.context == "isolated"
    assert [run.words("tailed").text[0]] == ["abcc"]
    assert len({*run.words("drawn").text}) > 3, "draws differ"


def test_kinds_are_compared_on_words_that_all_of_them_change(generated: TinyRun) -> None:
    subsets = {(r.corpus, r.subset): r.n for r in generated.rows if r.metric == "lost-whole"}
    assert subsets["shouted", "common:shout"] == 2 * 5
    assert subsets["shouted", "perturbed:shout"] == 3 * 5
    assert subsets["tailed", "common:tail"] == 2 * 5
    assert subsets["tailed", "perturbed:tail"] == 3 * 5, "abcc twice, and abcd"
    assert ("shouted", "all") not in subsets, "it would be that of its only kind"


class Mark(PairGenerator):
    """Write 100 random bits behind a word, so that equal words are drawn from equal seeds."""

    loud: bool = False

    def change(self, word, random):  # type: ignore[no-untyped-def]  # as many plugins are written
        return f"{word}{random.getrandbits(100)}{'!' * self.loud}"


def drawn(folder: Path, name: str = "p", use: str = "mark", **changes: str) -> dict[str, str]:
    """Return the first changed word of each original."""
    pairs = f"{{{name}: {{generate: {use}, of: h}}}}"
    corpora = f"{{train: train.txt, test: {{h: test.txt}}, pairs: {pairs}}}"
    registry = offering(mark=Mark, stamp=type("Stamp", (Mark,), {"__doc__": "Mark again."}))
    keys = {"systems": "[char]", "sizes": None, "metrics": None, "corpora": corpora, **changes}
    words = tiny_run(folder, registry, texts={"test": TEST}, **keys).words(name)
    assert words.pairs is not None
    places = zip(words.pairs.original[::-1], words.pairs.changed[::-1], strict=True)
    return {words.text[a]: words.text[b].rstrip("!") for a, b in places}


def test_draws_depend_on_seed_corpus_generator_and_word_alone(tmp_path: Path) -> None:
    drawn_words = drawn(tmp_path)
    assert drawn(tmp_path) == drawn_words
    assert len({text.lstrip("abcd") for text in drawn_words.values()}) == len(drawn_words) == 3
    for redrawn_words in (
        drawn(tmp_path, name="q"),
        drawn(tmp_path, use="stamp"),
        drawn(tmp_path, use="{use: mark, loud: true}"),
        drawn(tmp_path, seed="1"),
    ):
        assert not {*redrawn_words.values()} & {*drawn_words.values()}


def test_words_that_are_too_long_to_change_or_too_short(tmp_path: Path) -> None:
    """Letters are counted apart from their accents, and Hangul by jamo: of 안녕, two and four."""
    words = ["abc", "abcd", "a1b2c3", "a1b2c3d", "e\u0301e\u0301", "éééé", "안녕", "아이", "아"]
    words += ["x" * 5_000, "y" * 5_001]
    text = " ".join(words)
    corpora = (
        "{train: train.txt, test: {h: {path: test.txt, words: whitespace}}, "
        "pairs: {p: {generate: mark, of: h}}}"
    )
    run = tiny_run(
        tmp_path, offering(mark=Mark), texts={"test": text}, systems="[char]", sizes=None,
        metrics=None, corpora=corpora,
    )  # fmt: skip
    pairs = run.words("p").pairs
    assert pairs is not None
    changed = {run.words("p").text[i] for i in pairs.original.tolist()}
    assert changed == {"abcd", "a1b2c3d", "éééé", "안녕", "아이", "x" * 5_000}


class Upper(PairGenerator):
    """Write a Z at the end, or all of a word that begins with b in capitals."""

    def change(self, word, random):  # type: ignore[no-untyped-def]  # as many plugins are written
        return word.upper() if word.startswith("b") else f"{word}Z"


def test_changed_words_are_normalised_as_their_text_is(tmp_path: Path) -> None:
    """Of capitals nothing is left, so such a word is not changed."""
    corpora = (
        "{train: train.txt, test: {h: {path: test.txt, normalise: [lowercase]}}, "
        "pairs: {p: {generate: upper, of: h}}}"
    )
    keys = {"systems": "[char]", "sizes": None, "metrics": None, "corpora": corpora}
    run = tiny_run(tmp_path, offering(upper=Upper), texts={"test": TEST}, **keys)
    assert run.words("p").text == ("abcc", "abccz", "abcd", "abcdz")
    with pytest.raises(InputError, match="p: upper can change no word of h that has 4 letters"):
        tiny_run(tmp_path, offering(upper=Upper), texts={"test": "bbbb\n"}, **keys)


BAD = {
    "return word": "'abcc' is changed into itself",
    "return ''": "'abcc' is changed into nothing",
    "return word + ' '": "which holds U+0020",
    "return word + '\\ufdd1'": "which holds U+FDD1",
    "return 7": "it changed 'abcc' into 7, expected a text",
    "return word * 9000": "is changed into 36,000 characters, at most 10,000",
    "raise SystemExit(3)": "it failed on 'abcc': SystemExit: 3",
    "return word[99]": "it failed on 'abcc': IndexError",
}


@pytest.mark.parametrize("body", BAD)
def test_a_generator_that_gives_no_word_is_named(tmp_path: Path, body: str) -> None:
    plugin = (
        "from tokbench.api import PairGenerator, hookimpl\n\n\nclass Bad(PairGenerator):\n"
        f"    def change(self, word, random):\n        {body}\n\n\n"
        'tokbench_pair_generators = hookimpl(lambda: {"bad": Bad})\n'
    )
    corpora = "{train: train.txt, test: {h: test.txt}, pairs: {p: {generate: bad, of: h}}}"
    with pytest.raises(PluginError) as caught:
        tiny_run(tmp_path, plugin, texts={"test": TEST}, corpora=corpora, metrics=None)
    assert str(caught.value).startswith("the pair generator 'bad': ")
    assert BAD[body] in str(caught.value)
