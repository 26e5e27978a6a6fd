"""Korean morphemes as slices of the text: by hand, by other routes, and against a treebank."""

import csv
import gzip
import importlib.util
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from itertools import accumulate, pairwise
from pathlib import Path
from typing import ClassVar, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokbench_korean.kiwi import KiwiSplitter, analyser
from tokbench_korean.mecab_ko import MecabKoSplitter

from tests.shipped import ShippedRun
from tokbench.api import Splitter
from tokbench.errors import PluginError
from tokbench.plugins import check_requirements

# There are no wheels of python-mecab-ko for Python 3.13 and newer.
MECAB = pytest.mark.skipif(
    importlib.util.find_spec("mecab") is None, reason="python-mecab-ko is not installed"
)
KIWI_AND_MECAB = pytest.mark.parametrize(
    "splitter",
    [
        pytest.param(KiwiSplitter(), marks=pytest.mark.ci),  # its model takes seconds and 400 MB
        pytest.param(MecabKoSplitter(), marks=MECAB),
    ],
    ids=["kiwi", "mecab-ko"],
)


@pytest.fixture(scope="module", autouse=True)
def models_are_let_go() -> Iterator[None]:
    """Let go of the models of Kiwi, so that the other tests have their 400 MB."""
    yield
    analyser.cache_clear()
    kiwi_by_default.cache_clear()


def cut(text: str, splitter: Splitter) -> str:
    """Show the pieces of a text with spaces between them."""
    return " ".join(text[start:end] for start, end in splitter.split(text))


def kiwi(text: str, **options: object) -> str:
    return cut(text, KiwiSplitter.configure(**options))


PIECES = (
    "학교 에서 는",
    "할머니 께",
    "했 다",  # 하 + 었 + 다
    "하 였 다",
    "갔 다",  # 가 + 았 + 다
    "좋 아요",
    "합니다",  # 하 + ㅂ니다
    "도와줘",  # 도와주 + 어
    "친구 다",  # 친구 + 이 + 다, the 이 without a letter
    "먹 었 습니다",
    "tokbench 으로",
    "韓國 에서",
)


@pytest.mark.ci
@KIWI_AND_MECAB
def test_words_by_hand(splitter: Splitter) -> None:
    assert [cut(pieces.replace(" ", ""), splitter) for pieces in PIECES] == [*PIECES]


@pytest.mark.ci
@KIWI_AND_MECAB
def test_white_space_belongs_to_no_piece(splitter: Splitter) -> None:
    assert splitter.split("") == []
    assert splitter.split(" \u3000") == []
    assert splitter.split("\t 학교에서\u00a0집에\n") == [(2, 4), (4, 6), (7, 8), (8, 9)]


@pytest.mark.ci
@pytest.mark.parametrize(
    ("options", "pieces"),
    [
        # The documentation of kiwipiepy's `tokenize` shows the first two.
        ({"saisiot": True}, "시곗 바늘"),
        ({"saisiot": None}, "시곗바늘"),
        ({"z-coda": True}, "멋있 엉"),
        ({"z-coda": False}, "멋있엉"),
        ({"normalize-coda": False}, "배아 퍼욬 ㅋㅋ"),
        ({"normalize-coda": True}, "배아 퍼욬ㅋㅋ"),
        ({"split-complex": False}, "재미있 는"),
        ({"split-complex": True}, "재미 있 는"),
        ({"open-ending": False}, "짜 내 기"),
        ({"open-ending": True}, "짜내 기"),
        ({"oov-handling": "chr"}, "욱 씬 욱 씬 함"),
        ({"oov-handling": "chr-freq"}, "욱씬욱씬함"),
        ({"typos": "none"}, "문안 하 게"),
        ({"typos": "basic"}, "문안하 게"),
        ({"typos": "basic", "typo-cost-threshold": 0.5}, "문안 하 게"),
        ({"typos": "continual"}, "오늘 사무실 에 가씀니다"),
        ({"typos": "lengthening"}, "진짜아아"),
        ({"typos": "basic-with-continual-and-lengthening"}, "진짜아아"),
    ],
    ids=str,
)
def test_options_move_boundaries(options: dict[str, object], pieces: str) -> None:
    assert kiwi(pieces.replace(" ", ""), **options) == pieces


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("options", "plain", "pieces"),
    [
        ({"model-type": "cong-global"}, "잊혀 지 지 가", "잊혀지 지 가"),
        ({"load-default-dict": False}, "김인권 이 라는", "김 인권 이 라는"),
        ({"load-typo-dict": False}, "댓 나", "댓나"),
        ({"load-multi-dict": False}, "식스센스 의", "식스 센스 의"),
    ],
    ids=str,
)
def test_models_and_dictionaries_move_boundaries(
    options: dict[str, object], plain: str, pieces: str
) -> None:
    word = plain.replace(" ", "")
    assert kiwi(word) == plain
    assert kiwi(word, **options) == pieces
    assert kiwi(word) == plain


@pytest.mark.ci
def test_a_missing_library_is_named_with_the_command_that_installs_it() -> None:
    class NoMecab(MecabKoSplitter):
        requires_version: ClassVar = {"no-such-package": "1"}

    # The extra leaves it out where there is no wheel, so the message names the library itself.
    with pytest.raises(PluginError, match=r"pip install 'python-mecab-ko'"):
        check_requirements("mecab-ko", NoMecab)


# Texts

SYLLABLES = st.sampled_from(
    [*"학교에서는하였다했갔습니가을를이좋아요도와줘", "되어", "에서", "ㅋㅋ", "각"]
)
FOREIGN = st.sampled_from([*"aé9_-.", "\U0001f600", "\U0001d49c", "韓", "हि", "ש", "\ufffd"])
ODD = (
    *("\u0301", "\u200d", "\ufe0f", "\U0001f469\u200d\U0001f467", "\U0001f1f0\U0001f1f7", "\ud800"),
    *("\udfff", "\x00", "\ufeff", "\u202e", "\u1100", "\u11ab", "</w>", "▁", "##", "\uffff"),
    *("\ufdd3", "\u00a0", "\u2028", "\u0085", " ", "\n"),
    "\u1112\u119e\u11ab",  # an old syllable, which has no composed form
)
DECOMPOSED = SYLLABLES.map(lambda text: unicodedata.normalize("NFD", text))
HARD = st.one_of(SYLLABLES, DECOMPOSED, FOREIGN, st.sampled_from(ODD))


def texts(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(parts, max_size=12).map("".join)


@pytest.mark.ci
@KIWI_AND_MECAB
@given(text=texts(HARD))
@example(text="a\ud800학교에서")
def test_pieces_make_up_every_text(splitter: Splitter, text: str) -> None:
    spans = splitter.split(text)
    assert all(start < end for start, end in spans)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    # Nothing but white space is left out, and no piece holds any.
    covered = "".join(text[start:end] for start, end in spans)
    assert covered == "".join(text.split())


@pytest.mark.ci
@KIWI_AND_MECAB
@given(text=texts(SYLLABLES | FOREIGN))
def test_decomposed_text_is_cut_at_the_same_places(splitter: Splitter, text: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    pieces = [unicodedata.normalize("NFD", piece) for piece in cut(composed, splitter).split(" ")]
    assert cut(unicodedata.normalize("NFD", text), splitter) == " ".join(pieces)


@pytest.mark.ci
@KIWI_AND_MECAB
@pytest.mark.parametrize("odd", ["\ud800", "\x00"], ids=ascii)
def test_what_the_libraries_cannot_read_stands_for_itself(splitter: Splitter, odd: str) -> None:
    assert cut(f"{odd}학교에서{odd}{odd}집에", splitter).replace(odd, "") == " 학교 에서  집 에"


ASTRAL = st.sampled_from(["\U0001f600", "\U0001d49c", "a", "韓"])


@cache
def kiwi_by_default():
    """Load Kiwi with the library's own defaults."""
    from kiwipiepy import Kiwi

    return Kiwi(num_workers=1)


@cache
def mecab():
    """Load MeCab."""
    from mecab import MeCab

    return MeCab()


@pytest.mark.ci
@given(text=texts(SYLLABLES | ASTRAL))
def test_kiwi_pieces_are_its_tokens_joined_where_they_overlap(text: str) -> None:
    """So positions are code points, and the defaults those of the library."""
    joined: list[tuple[int, int]] = []
    for token in kiwi_by_default().tokenize(text):
        start, end = token.start, token.end
        while joined and start < joined[-1][1]:
            overlapped = joined.pop()
            start, end = min(start, overlapped[0]), max(end, overlapped[1])
        if start < end:
            joined.append((start, end))
    assert KiwiSplitter().split(text) == joined


@pytest.mark.ci
@MECAB
@given(text=texts(SYLLABLES | ASTRAL))
def test_mecab_pieces_are_its_morphemes(text: str) -> None:
    assert cut(text, MecabKoSplitter()).split() == mecab().morphs(text)


@pytest.mark.ci
@KIWI_AND_MECAB
@pytest.mark.parametrize("unit", ["가", "\U0001f600"])
def test_words_of_10000_characters(splitter: Splitter, unit: str) -> None:
    word = (unit * 10_000)[:10_000]
    starts, ends = zip(*splitter.split(word), strict=True)
    assert (0, *ends) == (*starts, len(word))


# Against the Kaist treebank


class Word(NamedTuple):
    """A treebank word whose morphemes join to its letters, with its place in the sentence."""

    sentence: str
    start: int
    form: str
    cuts: frozenset[int]


@pytest.fixture(scope="module")
def kaist(shared: Path) -> list[Word]:
    """The words of UD Korean-Kaist's development set that are the sum of their morphemes."""
    path = shared / "korean" / "ud-kaist" / "ko_kaist-ud-dev.conllu.gz"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        words = list(words_of(file))
    assert len(words) == 20_691
    return words


def words_of(lines: Iterator[str]) -> Iterator[Word]:
    """Return the words of a CoNLL-U file; a lemma is `morpheme+morpheme`."""
    sentence, place = "", 0
    for line in lines:
        if match := re.match("# text = (.*)", line):
            sentence, place = match[1], 0
        columns = line.split("\t")
        if not columns[0].isdigit():
            continue
        form, morphemes = columns[1], columns[2].split("+")
        start = sentence.index(form, place)
        place = start + len(form)
        if "".join(morphemes) == form and all(morphemes):
            yield Word(sentence, start, form, frozenset(accumulate(map(len, morphemes[:-1]))))


def scores(pairs: list[tuple[frozenset[int], frozenset[int]]]) -> tuple[float, float]:
    """Return boundary precision and recall from pairs of gold and predicted boundaries."""
    common = sum(len(gold & predicted) for gold, predicted in pairs)
    return common / sum(len(p) for _, p in pairs), common / sum(len(g) for g, _ in pairs)


def alone(words: list[Word], splitter: Splitter) -> tuple[float, float]:
    """Score the words analysed one by one."""
    split = cache(splitter.split)
    return scores([(w.cuts, frozenset(a for a, _ in split(w.form) if a)) for w in words])


def in_sentence(words: list[Word], splitter: Splitter) -> tuple[float, float]:
    """Score the words analysed in their sentences."""
    split = cache(splitter.split)
    return scores(
        [
            (
                w.cuts,
                frozenset(
                    a - w.start for a, _ in split(w.sentence) if w.start < a < w.start + len(w.form)
                ),
            )
            for w in words
        ]
    )


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("splitter", "measured"),
    [
        # kiwipiepy 0.24.1 and mecab-ko-dic 2.1.1, precision and recall
        (KiwiSplitter(), (0.933, 0.969, 0.934, 0.976)),
        pytest.param(MecabKoSplitter(), (0.890, 0.918, 0.930, 0.972), marks=MECAB),
    ],
    ids=["kiwi", "mecab-ko"],
)
def test_the_morphemes_of_a_treebank_are_found(
    kaist: list[Word], splitter: Splitter, measured: tuple[float, ...]
) -> None:
    """In words alone, and better in their sentences, which MeCab needs more."""
    actual = (*alone(kaist, splitter), *in_sentence(kaist, splitter))
    assert actual == pytest.approx(measured, abs=0.01)


# The documentation


@pytest.mark.ci
@MECAB
def test_the_page_shows_the_figures_of_the_shipped_config(
    root: Path, shipped_run: ShippedRun
) -> None:
    versions = {"kiwipiepy": "0.24.1", "kiwipiepy-model": "0.24.0"}
    versions |= {"python-mecab-ko": "1.3.7", "python-mecab-ko-dic": "2.1.1.post2"}
    if any(version(package) != number for package, number in versions.items()):
        pytest.skip("the page's figures are those of other versions of the libraries")
    out = shipped_run("korean-morphemes")
    page = (root / "docs" / "replications" / "korean.md").read_text("utf-8")
    with (out / "results.csv").open(encoding="utf-8", newline="") as file:
        results = [row for row in csv.DictReader(file) if row["subset"] == "all"]
    rows = {(r["system"], r["corpus"], r["metric"], r["size"]): r for r in results}
    for score in (("korean", "boundary-f1-micro"), ("held-out", "fertility")):
        for system in ("bpe", "kiwi+bpe", "mecab-ko+bpe"):
            cells = [cell(rows[system, *score, size]) for size in ("1600", "2000", "2400", "3200")]
            assert f"| `{system}` | {' | '.join(cells)} |\n" in page


def cell(row: dict[str, str]) -> str:
    """Show a value with its interval, as reports do."""
    value, low, high = (float(row[key]) for key in ("value", "low", "high"))
    return f"{value:.3f} ({low:.3f}–{high:.3f})"
