"""report.html in a real browser: charts, legend, table, slider, typing, screens, odd texts."""

import csv
import io
import json
import random
import re
import unicodedata
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tokbench_page.page import page as page_of
from tokbench_views.by_text import by_text, in_a_model

from tests.conftest import ROOT
from tests.page.conftest import Open
from tests.run_cli import tokbench_here
from tests.shipped import ShippedRun
from tests.views.markdown import tables
from tests.views.test_by_text import run_of
from tokbench.run_folder import Run

pytestmark = pytest.mark.ci

POINTS = "#{id} .view svg .mark-symbol path"
FIRST_CHART = "#size .view svg .mark-symbol.layer_2_marks path"
SYSTEMS = """
  - bpe
  - {name: no-mark, learner: {use: bpe, eow: absent}}
  - {name: both-marks, learner: {use: bpe, bow: fused, eow: separate}}
  - {name: fused, learner: {use: bpe, eow: fenced, continuation: fused}}
  - {name: display, learner: {use: bpe, eow: absent, continuation: display}}
  - {name: longest, learner: bpe, segmenter: longest-match}
  - byte-bpe
  - {name: byte-longest, learner: byte-bpe, segmenter: longest-match}
  - wordpiece
  - {name: rest, learner: wordpiece, segmenter: {use: wordpiece, whole-word-unknown: false}}
  - unigram
  - char
  - word
"""
CUT = """async words => {
  const { vocabularies, playable } = JSON.parse(await unpacked("data"));
  const cuts = {};
  const loaded = vocabularies.map(Segmenters.load);
  for (const [system, { use, options, sizes }] of Object.entries(playable)) {
    for (const [size, [which, kept]] of Object.entries(sizes)) {
      const vocabulary = { ...loaded[which], use, options };
      cuts[system + "@" + size] = words.map(word =>
        Segmenters.cut(vocabulary, word, kept).map(token => [token.shown, token.id]));
    }
  }
  return cuts;
}"""


@pytest.fixture(scope="module")
def english(shipped_run: ShippedRun) -> Path:
    """The run folder of a config on the shipped English."""
    return shipped_run("oov")


def rows(folder: Path, **columns: str) -> list[dict[str, str]]:
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        return [
            row
            for row in csv.DictReader(file)
            if all(row[name.replace("_", "-")] == value for name, value in columns.items())
        ]


def test_charts_have_a_mark_for_each_number(english: Path, opened: Open) -> None:
    page = opened(english / "report.html")
    wanted = {"metric": "fertility", "corpus": "held-out", "training_share": "1", "gated": ""}
    compared = ("bpe", "wordpiece", "unigram")
    sized = [row for row in rows(english, subset="all", **wanted) if row["system"] in compared]
    expect(page.locator(FIRST_CHART)).to_have_count(len(sized))
    apart = page.locator("#size .apart li").all_inner_texts()
    assert apart == [
        "byte-bpe, char: ‡ tokens do not tell where words end",
        "word: † cannot write 18 % of the words",
    ]
    bands = [
        row
        for row in rows(english, **wanted)
        if row["subset"].startswith(("unseen", "band:")) and row["size"] in ("", "4000")
    ]
    expect(page.locator(POINTS.format(id="bands"))).to_have_count(len(bands))
    for id in (
        "size",
        "kinds",
        "bands",
        "tradeoff",
        "any",
        "categories",
        "noise",
        "growth",
        "ranks",
    ):
        expect(page.locator(f"#{id} .view svg")).to_have_count(1)
    assert page.locator(".note:visible", has_text="Nothing to show").count() == 0


def test_the_legend_takes_systems_out_and_back(english: Path, opened: Open) -> None:
    page = opened(english / "report.html")
    before = page.locator(FIRST_CHART).count()
    button = page.locator("#legend button", has_text="wordpiece")
    button.click()
    expect(page.locator(FIRST_CHART)).to_have_count(before - 2)
    expect(button).to_have_attribute("aria-pressed", "false")
    assert "wordpiece" not in page.locator("#numbers").inner_text()
    button.click()
    expect(page.locator(FIRST_CHART)).to_have_count(before)
    assert page.locator("#legend button").all_inner_texts() == [
        "bpe", "byte-bpe ‡", "wordpiece ⚠", "unigram", "char ‡", "word †",
    ]  # fmt: skip
    drawn = page.locator("#legend svg").evaluate_all("all => all.map(svg => svg.innerHTML)")
    assert len({re.sub('(stroke|fill)="#[^"]*"', "", drawing) for drawing in drawn}) == len(drawn)


def test_an_outlier_stands_at_the_edge_with_its_value(english: Path, opened: Open) -> None:
    page = opened(english / "report.html")
    row = rows(
        english, system="wordpiece", size="4000", metric="fertility", corpus="held-out",
        subset="all", training_share="1",
    )[0]  # fmt: skip
    text = f"wordpiece {float(row['value']):.3f} ↑"
    expect(page.locator("#size .view svg text", has_text=text)).to_have_count(1)
    ticks = page.locator("#size .view .role-axis-label text").all_text_contents()
    assert max(float(tick) for tick in ticks if "," not in tick) < float(row["value"]) - 0.5
    points = page.locator(POINTS.format(id="any"))
    place = "(point, name) => point.getBoundingClientRect().x"
    x = {
        name: points.and_(page.locator(f"[aria-label*='system: {name};']")).first.evaluate(place)
        for name in ("char", "bpe")
    }
    assert 0 < x["bpe"] - x["char"] < 40, "125 tokens of char fill no axis from 1,000 to 4,000"
    page.locator("#legend button", has_text="unigram").click()
    expect(page.locator("#size .view svg text", has_text=text)).to_have_count(0)


def test_hovering_shows_the_number(english: Path, opened: Open) -> None:
    page = opened(english / "report.html")
    row = rows(
        english, system="bpe", size="4000", metric="fertility", corpus="held-out",
        subset="all", training_share="1",
    )[0]  # fmt: skip
    place = page.evaluate(
        """chart => {
          const places = [...document.querySelectorAll(chart)].map(path => {
            const box = path.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
          });
          const right = Math.max(...places.map(([x]) => x));
          return places.filter(([x]) => x > right - 3).sort((a, b) => b[1] - a[1])[0];
        }""",
        FIRST_CHART,
    )
    page.mouse.move(*place)
    tip = page.locator("#vg-tooltip-element")
    expect(tip).to_contain_text(f"{float(row['value']):.3f}")
    expect(tip).to_contain_text("vocabulary size 4,000")


def test_subsets_are_chosen_by_what_people_call_them(english: Path, opened: Open) -> None:
    page = opened(english / "report.html")
    options = page.get_by_label("Subset").first.locator("option").all_inner_texts()
    assert options[:2] == ["all words", "unseen words"]
    assert {"words seen once", "known words in other capitals"} <= {*options}


def test_the_choice_above_a_chart(english: Path, opened: Open) -> None:
    page = opened(english / "report.html")
    label = "#size .view svg .role-axis-title text"
    before = page.locator(FIRST_CHART).first.get_attribute("transform")
    page.get_by_role("button", name="unseen words").first.click()
    expect(page.locator(FIRST_CHART).first).not_to_have_attribute("transform", before)
    page.get_by_label("Metric", exact=True).select_option("oov-words-running")
    expect(page.locator(label.replace("#size", "#any")).nth(1)).to_contain_text(
        "words it cannot write"
    )


def test_texts_stand_beside_each_other(tmp_path: Path, opened: Open) -> None:
    """In charts and tables, with the numbers of the report; the gate marks the first text."""
    run = run_of(tmp_path, gate="0.1", model="{width: 1000, context: 12}")
    (tmp_path / "report.html").write_text(page_of(run), encoding="utf-8")
    page = opened(tmp_path / "report.html")

    def cells(id: str) -> list[list[str]]:
        rows = page.locator(f"#{id} tr").all()
        return [row.locator("th, td").all_inner_texts() for row in rows]

    wanted = tables(by_text(run))
    measures = page.get_by_label("Measure", exact=True)
    for measure, table in zip(measures.locator("option").all(), wanted, strict=True):
        measures.select_option(measure.get_attribute("value"))
        expect(page.locator("#texts-title")).to_contain_text("by text")
        points = page.locator(POINTS.format(id="texts"))
        expect(points).to_have_count(sum("†" not in row[1] for row in table[1:3]))
        assert cells("texts") == table
    page.get_by_label("Reference of parity").select_option("other")
    expect(page.locator("#texts td").first).to_have_text("2.000†")
    assert [cells("model")] == tables(in_a_model(run))
    page.locator("#legend button").click()
    expect(page.locator("#texts td, #model td")).to_have_count(0)


def test_the_table_sorts_filters_and_downloads(english: Path, opened: Open) -> None:
    page = opened(english / "report.html")
    names = page.locator("#numbers tbody th")
    by_length = page.get_by_role("button", name="Sort by tokens per word")
    for order in (
        ["bpe", "unigram", "wordpiece ⚠", "byte-bpe ‡", "char ‡", "word †"],
        ["wordpiece ⚠", "unigram", "bpe", "char ‡", "byte-bpe ‡", "word †"],
    ):
        by_length.click()
        assert names.all_inner_texts() == order, "what is not compared stands last"
    page.get_by_label("Filter systems").fill("bpe")
    assert sorted(names.all_inner_texts()) == ["bpe", "byte-bpe ‡"]
    lost = page.locator("#numbers tbody tr", has_text="byte-bpe").locator("td:nth-child(3)")
    expect(lost).to_contain_text("‡")
    notes, is_narrow = page.locator("#numbers > p"), "~: it may be too narrow: the text is short."
    expect(notes).to_contain_text(["‡: word ends lost", is_narrow])
    page.get_by_label("Filter systems").fill("unigram")
    expect(notes).to_have_text([is_narrow])
    expect(page.locator("#numbers tbody small").first).to_contain_text("~")
    page.get_by_label("Filter systems").fill("bpe")
    for words, beginning in (
        ("CSV", "system,|V|,fertility"),
        ("Markdown", "| system | vocabulary size | tokens per word"),
        ("LaTeX", "\\begin{table}"),
    ):
        with page.expect_download() as download:
            page.get_by_role("button", name=words, exact=True).click()
        text = download.value.path().read_text("utf-8")
        assert text.replace("\\|", "|").startswith(beginning)
        if words == "LaTeX":
            assert "METRIC" not in text
        if words == "CSV":
            listed = {row["system"]: row for row in csv.DictReader(io.StringIO(text))}
            value = rows(
                english, system="bpe", size="4000", metric="fertility", corpus="held-out",
                subset="all", training_share="1",
            )[0]["value"]  # fmt: skip
            assert float(listed["bpe"]["fertility"]) == pytest.approx(float(value), rel=1e-4)
    page.get_by_role("button", name="About tokens per word").click()
    expect(page.locator("#metric")).to_contain_text("Formula")


def test_charts_can_be_downloaded(english: Path, opened: Open) -> None:
    page = opened(english / "report.html")
    for kind, begin in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as download:
            page.locator("#size").get_by_role("button", name=kind).click()
        assert download.value.path().read_bytes().startswith(begin)


def test_typing_and_the_slider(english: Path, opened: Open) -> None:
    page = opened(english / "report.html")
    page.locator("#typed").fill("The lowest unhurriedly")
    line = page.locator(".cutline", has_text="byte-bpe@4000")
    spelled = tokbench_here(
        "segment",
        english / "data/vocabularies" / "byte-bpe.json",
        stdin=b"The lowest unhurriedly\n",
    ).stdout.split()
    assert line.locator(".token").all_inner_texts() == spelled
    count = int(line.locator("> :last-child").inner_text())
    assert count == len(spelled)
    page.locator("#slider").fill("0")
    smaller = page.locator(".cutline", has_text="byte-bpe@1000")
    assert int(smaller.locator("> :last-child").inner_text()) > count
    page.locator("#ids").check()
    assert smaller.locator("sub").count() > 0
    page.locator("#ids").uncheck()
    page.locator("#typed").fill("國😀")
    assert smaller.locator(".token").all_inner_texts() == ["國 (3 bytes)", "😀 (4 bytes)"]
    assert page.locator(".cutline .token", has_text="\\u").count() == 0
    page.locator("#typed").fill("كتاب")  # reads from right to left, and so do its tokens
    places = "tokens => tokens.map(token => token.getBoundingClientRect().x)"
    across = smaller.locator(".token").evaluate_all(places)
    assert len(across) > 1
    assert across == sorted(across, reverse=True)


def test_sentences_of_the_run_in_every_system(english: Path, opened: Open) -> None:
    """Also in those that the page cannot cut with; own text only in the others."""
    page = opened(english / "report.html")
    texts = page.get_by_role("group", name="Texts of the run").get_by_role("button")
    assert texts.all_inner_texts() == ["sentence 1", "sentence 2", "sentence 3", "unseen words"]
    expect(texts.first).to_have_attribute("aria-pressed", "true")
    every = page.locator(".cutline").count()
    texts.nth(1).click()
    expect(texts.nth(1)).to_have_attribute("aria-pressed", "true")
    lines = (ROOT / "corpora" / "english.test.txt").read_text("utf-8").splitlines()
    line = page.locator("#typed").input_value()
    assert line in lines, "spaces and punctuation as they were"
    assert page.locator(".cutline").count() == every
    assert 6 <= page.locator(".cutline").first.locator(".word").count() <= 14
    spaced = page.locator(".cutline").first.locator(".word.spaced").count()
    assert spaced == len(line.split()) - 1
    assert page.locator(".cutline").first.locator(".token.other").count() == 0
    assert page.locator(".cutline .token.other").count() > 0
    page.locator("#typed").fill("own text")
    expect(texts.nth(1)).to_have_attribute("aria-pressed", "false")
    assert page.locator(".cutline").count() <= every


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_it_fits_the_screen(english: Path, opened: Open, width: int, scheme: str) -> None:
    page = opened(english / "report.html", width, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    assert page.locator("#legend").evaluate("node => node.open") == (width == 1280)
    low = page.locator("a, button, select, input, summary").evaluate_all(
        """all => all.map(node => [node.outerHTML, node.getBoundingClientRect().height])
          .filter(([html, height]) => height && height < 24 && !html.includes("skip"))"""
    )
    assert low == [], "what is touched is at least 24 pixels high"
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before


def test_on_paper_the_first_page_is_a_summary_and_nothing_is_cut_off(
    english: Path, opened: Open
) -> None:
    page = opened(english / "report.html", 1280, "dark")
    page.emulate_media(media="print")
    width, height = (round((side - 28) / 25.4 * 96) for side in (210, 297))
    page.set_viewport_size({"width": width, "height": height})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for table in page.locator(".scroll table").all():
        assert table.evaluate("node => node.scrollWidth") <= width
    bottom = page.locator("#size").evaluate("node => node.getBoundingClientRect().bottom + scrollY")
    assert bottom <= height
    assert page.locator("#facts").evaluate("node => getComputedStyle(node).breakBefore") == "page"
    body = page.locator("body").evaluate("node => getComputedStyle(node).backgroundColor")
    assert body == "rgb(255, 255, 255)", "paper is light"
    token = page.locator("#words .token:not(.unknown)").first
    assert token.evaluate("node => getComputedStyle(node).printColorAdjust") == "exact"


def test_the_keyboard_reaches_all_and_shows_where_it_is(english: Path, opened: Open) -> None:
    page = opened(english / "report.html")
    reached = []
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                """() => { const node = document.activeElement;
                  return [node.textContent || node.id, getComputedStyle(node).outlineStyle]; }"""
            )
        )
    assert [name for name, _ in reached][:5] == [
        "To the answer", "◐", "more", "more", "all words",
    ]  # fmt: skip
    assert {outline for _, outline in reached} == {"solid"}


def test_labels_do_not_collide(english: Path, opened: Open) -> None:
    page = opened(english / "report.html")
    boxes: list[dict[str, float]] = page.evaluate(
        """[...document.querySelectorAll("#size .mark-text.role-mark text")].map(text => {
          const box = text.getBoundingClientRect();
          return {top: box.top, bottom: box.bottom, right: box.right};
        })"""
    )
    assert len(boxes) >= 3
    boxes.sort(key=lambda box: box["top"])
    for above, below in pairwise(boxes):
        assert above["bottom"] <= below["top"] + 3


def test_hostile_texts_stay_texts(tmp_path: Path, opened: Open) -> None:
    hostile = [
        "</script><script>alert(1)</script>", "<img/src=x/onerror=alert(1)>", "{{constructor}}",
        "\u202eabc", "a\u0000b", "x" * 10_000, "=1+1", "`${alert(1)}`", "\u2066\u200b\ufeff",
    ]  # fmt: skip
    (tmp_path / "train.txt").write_text("low lower lowest\n" * 30, "utf-8")
    (tmp_path / "test.txt").write_text("\n".join(hostile * 3) + "\n", "utf-8")
    (tmp_path / "c.yaml").write_text(
        "corpora: {train: {path: train.txt, words: whitespace}, test: {odd: {path: test.txt, words:"
        " whitespace}}}\nsystems: [byte-bpe, bpe, word]\nsizes: [300]\nresamples: 99\n"
    )
    done = tokbench_here("run", "-q", "-o", tmp_path / "run", tmp_path / "c.yaml")
    assert done.returncode == 0, done.stderr
    page = opened(tmp_path / "run" / "report.html")
    page.locator("#typed").fill(" ".join(hostile))
    assert "</script><script>alert(1)</script>" in page.locator("#typed").input_value()
    tokens = page.locator("#cuts .token").all_inner_texts()
    assert not any(unicodedata.category(char) in ("Cc", "Cf") for text in tokens for char in text)
    assert page.evaluate("document.images.length") == 0


def test_without_results_only_what_failed_is_shown(tmp_path: Path, opened: Open) -> None:
    (tmp_path / "train.txt").write_text("low lower lowest\n" * 30, "utf-8")
    (tmp_path / "c.yaml").write_text(
        "corpora: {train: train.txt, test: train.txt}\nsystems: [bpe]\nsizes: [2]\n"
    )
    tokbench_here("run", "-q", "-o", tmp_path / "run", tmp_path / "c.yaml")
    page = opened(tmp_path / "run" / "report.html")
    expect(page.locator("#facts")).to_contain_text("Nothing was scored: every system failed.")
    assert page.locator("#answer").count() == 0
    expect(page.locator("#charts")).to_be_hidden()


def generated(count: int) -> list[str]:
    """Words of all kinds of characters, long ones too, the same on each run."""
    random_ = random.Random(12)
    kinds = [
        "abcdefghij", "ABCéßſİıøœ", "가나다라한국어", "日本語漢字", "अआक्षत्र", "اللغةالعربية",
        "🙂👍🏽👨‍👩‍👧🇰🇷",
        "0123456789", ".,;:!?-_'\"()", "\u0301\u0308\u200d", "\ufb01\ufeff\u00ad", "𐍈𝔘𝕟",
    ]  # fmt: skip
    words: dict[str, None] = {}
    while len(words) < count:
        letters = "".join(random_.sample(kinds, random_.choice((1, 1, 2, 3))))
        length = random_.choice((1, 2, 3, 5, 8, 13, 40, 150))
        words["".join(random_.choices(letters, k=length))] = None
    return [*words]


@pytest.mark.parametrize("language", ["english", pytest.param("korean", marks=pytest.mark.nightly)])
def test_the_page_cuts_words_as_the_engine_does(
    tmp_path: Path, opened: Open, language: str
) -> None:
    """Words of the shipped texts, up to 4,000, and 1,000 generated ones, at two sizes."""
    texts = [ROOT / "corpora" / f"{language}.{part}.txt" for part in ("train", "test")]
    seen = dict.fromkeys(word for path in texts for word in path.read_text("utf-8").split())
    words = [*dict.fromkeys([*[*seen][:4_000], *generated(1_000)])]
    (tmp_path / "words.txt").write_text("\n".join(words) + "\n", "utf-8")
    sizes = "[600, 2000]" if language == "english" else "[2500, 3500]"
    (tmp_path / "c.yaml").write_text(
        f"corpora: {{train: '{texts[0]}', test: '{texts[1]}', lists: {{all: words.txt}}}}\n"
        f"systems:{SYSTEMS}sizes: {sizes}\nmetrics: [fertility]\nresamples: 99\n"
    )
    done = tokbench_here("run", "-q", "-o", tmp_path / "run", tmp_path / "c.yaml")
    assert done.returncode == 0, done.stderr
    run = Run.load(tmp_path / "run")
    page = opened(tmp_path / "run" / "report.html")
    listed = run.words("all").text
    cut = cut_by(page, [*listed])
    assert {key.partition("@")[0] for key in cut} >= {
        "bpe",
        "byte-bpe",
        "wordpiece",
        "char",
        "word",
    }
    for outcome in run.record.outcomes:
        key = f"{outcome.system}@{outcome.size}"
        if key not in cut:
            continue
        segmentation = run.segmentation(outcome.system, "all", outcome.size)
        known = segmentation.known
        for state, word in enumerate(segmentation.word.tolist()):
            span = range(segmentation.row[state], segmentation.row[state + 1])
            ids = [int(segmentation.ids[i]) if known[i] else -1 for i in span]
            engine = [list(pair) for pair in zip(segmentation.pieces(state), ids, strict=True)]
            assert cut[key][word] == engine, (key, listed[word])


def cut_by(page: Page, words: list[str]) -> dict[str, Any]:
    """Cut words with all vocabularies of a page, by system and size."""
    cuts: dict[str, Any] = json.loads(
        page.evaluate(f"async words => JSON.stringify(await ({CUT})(words))", words)
    )
    return cuts
