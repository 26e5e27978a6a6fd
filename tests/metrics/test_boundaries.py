"""Boundary scores against gold: by hand, and equal to Morfessor's evaluation."""

import math
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from morfessor.evaluation import EvaluationConfig, MorfessorEvaluation

from tokbench.api.text import EOW

MICRO = ("boundary-precision-micro", "boundary-recall-micro", "boundary-f1-micro")
BPR = ("boundary-precision-bpr", "boundary-recall-bpr", "boundary-f1-bpr")
GOLD = {"walked": ["walk ed"], "cat": ["cat"], "unbreakable": ["un break able"]}


def all_of(names, value, cut):
    return [float(value(name, cut)) for name in names]


def test_one_segmentation_has_several_f1s(segment, value):
    tokens = {"walked": ["walk", "ed"], "cat": ["cat"], "unbreakable": ["un", "breakable"]}
    cut = segment(tokens, gold=GOLD)
    assert all_of(MICRO, value, cut) == pytest.approx([1, 2 / 3, 0.8])
    assert all_of(BPR, value, cut) == pytest.approx([1, 5 / 6, 0.909], abs=5e-4)
    assert value("exact-match", cut) == pytest.approx(2 / 3)
    assert value("morpheme-f1-surface", cut) == pytest.approx(0.727, abs=5e-4)


def test_never_splitting_is_worth_nothing_to_micro_and_half_to_bpr(segment, value):
    cut = segment({word: [word] for word in GOLD}, gold=GOLD)
    precision, recall, f1 = all_of(MICRO, value, cut)
    assert math.isnan(precision)
    assert (recall, f1) == (0, 0)
    assert all_of(BPR, value, cut) == pytest.approx([1, 1 / 3, 0.5])


def test_each_distinct_word_counts_once(segment, value):
    tokens = {"walked": ["walk", "ed"], "cat": ["c", "at"]}
    cut = segment(tokens, ["cat cat cat cat", "walked"], gold=GOLD)
    assert value("exact-match", cut) == pytest.approx(1 / 2)
    assert value("boundary-precision-micro", cut) == pytest.approx(1 / 2)


def test_micro_takes_the_alternative_of_highest_f1(segment, value):
    # Against ab|cd the F1 is 2/3, against a|b|c|d 4/5: the latter's FN is what counts.
    cut = segment({"abcd": ["a", "b", "cd"]}, gold={"abcd": ["ab cd", "a b c d"]})
    assert all_of(MICRO, value, cut) == pytest.approx([1, 2 / 3, 4 / 5])


def test_micro_takes_the_first_alternative_on_ties(segment, value):
    # Nothing is hit in either: the misses are those of the first, one or two.
    tokens = {"abcd": ["abc", "d"]}
    assert value("boundary-recall-micro", segment(tokens, gold={"abcd": ["a bcd"]})) == 0
    for alternatives, misses in ((["a bcd", "a b cd"], 1), (["a b cd", "a bcd"], 2)):
        cut = segment({**tokens, "xy": ["x", "y"]}, gold={"abcd": alternatives, "xy": ["x y"]})
        assert value("boundary-recall-micro", cut) == pytest.approx(1 / (1 + misses))


def test_micro_prefers_an_alternative_without_boundaries_to_one_that_is_missed(segment, value):
    cut = segment({"abcd": ["abcd"]}, gold={"abcd": ["ab cd", "abcd"]})
    assert math.isnan(value("boundary-f1-micro", cut))
    assert value("exact-match", cut) == 1


def test_bpr_takes_its_own_best_for_precision_and_for_recall(segment, value):
    # Precision is best against a|b|c|d (2/2), recall against ab|cd (1/1).
    cut = segment({"abcd": ["a", "b", "cd"]}, gold={"abcd": ["ab cd", "a b c d"]})
    assert all_of(BPR, value, cut) == [1, 1, 1]
    assert value("exact-match", cut) == 0


def test_bpr_skips_words_under_two_characters(segment, value, sums):
    cut = segment({"ab": ["a", "b"], "c": ["c"]}, gold={"ab": ["ab"], "c": ["c"]})
    assert all_of(BPR, value, cut) == pytest.approx([0, 1, 0])
    assert sums("boundary-f1-bpr", cut)["words"] == 1
    assert math.isnan(value("boundary-f1-bpr", segment({"c": ["c"]}, gold={"c": ["c"]})))


def test_bpr_f1_is_0_where_precision_and_recall_are(segment, value):
    cut = segment({"abc": ["a", "bc"]}, gold={"abc": ["ab c"]})
    assert all_of(BPR, value, cut) == [0, 0, 0]


def test_words_without_gold_count_nowhere(segment, value, sums):
    gold = {"walked": ["walk ed"]}
    alone = segment({"walked": ["walk", "ed"]}, gold=gold)
    beside = segment({"cat": ["c", "a", "t"], "walked": ["walk", "ed"]}, gold=gold)
    for name in (*MICRO, *BPR, "exact-match"):
        assert value(name, beside) == value(name, alone) == 1
        counted, expected = sums(name, beside), sums(name, alone)
        assert counted == expected
        assert {n for name, n in counted.items() if name not in ("gaps", "opposed")} == {1}
    none = segment({"cat": ["cat"]}, gold={})
    assert all(math.isnan(value(name, none)) for name in (*MICRO, *BPR, "exact-match"))


def test_bare_marks_are_no_boundaries(segment, value):
    cut = segment({"cat": ["cat", EOW], "walked": ["walk", "ed", EOW]}, gold=GOLD)
    assert value("exact-match", cut) == 1
    assert value("boundary-precision-micro", cut) == 1
    inside = segment({"abc": ["a", (EOW, 0), "bc"]}, gold={"abc": ["a bc"]})
    assert value("exact-match", inside) == 1


def test_boundaries_are_offsets_not_token_texts(segment, value):
    # Lower-casing leaves the boundaries where they are.
    cut = segment({"Walked": [("walk", 4), "ed"]}, gold={"Walked": ["Walk ed"]})
    assert value("exact-match", cut) == 1


@pytest.mark.parametrize(
    "walked",
    [[("<unk>", 6)], [(None, 6)], ["walk", ("<unk>", 2)], ["walk", (None, 1), "d"]],
    ids=["unknown", "dropped", "partly unknown", "partly dropped"],
)
def test_a_word_that_cannot_be_written_is_missed(segment, value, walked):
    """Gold of `walked` and `cat` is missed; of 17 gaps, the 10 of `unbreakable` agree."""
    tokens = {"walked": walked, "cat": [("<unk>", 3)], "unbreakable": ["un", "break", "able"]}
    cut = segment(tokens, gold=GOLD, vocabulary=["un", "break", "able", "walk", "d"])
    assert all_of(MICRO, value, cut) == pytest.approx([1, 2 / 3, 4 / 5])
    assert all_of(BPR, value, cut) == pytest.approx([1, 1 / 3, 1 / 2])
    assert value("exact-match", cut) == pytest.approx(1 / 3)
    expected = (3 * 8 + 14 * 9) / 17**2
    kappa = (10 / 17 - expected) / (1 - expected)
    assert value("boundary-kappa", cut) == pytest.approx(kappa)
    for name, right in (("precision", 1), ("recall", 3 / 6), ("f1", 2 * 3 / (3 + 6))):
        assert value(f"morpheme-{name}-surface", cut) == pytest.approx(right)


def test_a_vocabulary_that_knows_no_word_matches_none(segment, value):
    cut = segment({word: [("<unk>", len(word))] for word in GOLD}, gold=GOLD, vocabulary=["x"])
    precision, recall, f1 = all_of(MICRO, value, cut)
    assert math.isnan(precision)
    assert (recall, f1, value("exact-match", cut)) == (0, 0, 0)
    assert value("boundary-kappa", cut) < 0
    assert value("morpheme-f1-surface", cut) == 0


def test_a_cut_inside_a_character_is_no_boundary(segment, value):
    cut = segment({"안녕": [("<EC>", 1), ("<9588>", 2), "녕"]}, gold={"안녕": ["안 녕"]})
    assert all_of(MICRO, value, cut) == [1, 1, 1]
    assert all_of(BPR, value, cut) == [1, 1, 1]
    assert value("exact-match", cut) == 1
    crossing = segment(
        {"안녕": [("<EC>", 1), ("<9588EB>", 3), ("<8595>", 2)]}, gold={"안녕": ["안 녕"]}
    )
    assert all_of(MICRO, value, crossing)[1:] == [0, 0]


def pieces(word, cuts):
    """Cut a word after the characters with those numbers."""
    edges = [0, *sorted(cuts), len(word)]
    return [word[a:b] for a, b in pairwise(edges)]


@st.composite
def judged_words(draw):
    """Draw words with a predicted segmentation and one to three gold alternatives."""
    words = draw(st.lists(st.text("ab안é😀", min_size=1, max_size=6), min_size=1, unique=True))
    inner = {word: range(1, len(word)) for word in words}
    cuts = {word: st.frozensets(st.sampled_from(inner[word] or [0])) for word in words}
    cuts |= {word: st.just(frozenset()) for word in words if len(word) == 1}
    predicted = {word: pieces(word, draw(cuts[word])) for word in words}
    alternatives = {
        word: [pieces(word, c) for c in draw(st.lists(cuts[word], min_size=1, max_size=3))]
        for word in words
    }
    return predicted, alternatives


@given(judged_words())
def test_bpr_equals_morfessors(segment, value, judged):
    """Morfessor skips words of one character in its sums, but divides by all words."""
    predicted, alternatives = judged
    gold = {word: [" ".join(parts) for parts in splits] for word, splits in alternatives.items()}
    precision, recall, f1 = all_of(BPR, value, segment(predicted, gold=gold))
    # Morfessor divides by zero where either is 0.
    assume(precision > 0 and recall > 0)
    reference = MorfessorEvaluation(alternatives)
    config = EvaluationConfig(num_samples=1, sample_size=len(predicted))
    theirs = reference.evaluate_segmentation([(1, p) for p in predicted.values()], config)
    counted = len(predicted) / sum(len(word) >= 2 for word in predicted)
    expected = [theirs[f"{name}_avg"] * counted for name in ("precision", "recall", "fscore")]
    assert [precision, recall, f1] == pytest.approx(expected, abs=1e-12)


@given(judged_words())
def test_micro_equals_its_definition(segment, value, judged):
    predicted, alternatives = judged
    gold = {word: [" ".join(parts) for parts in splits] for word, splits in alternatives.items()}
    tp = fp = fn = 0
    for word, parts in predicted.items():
        ours = boundaries(parts)
        golds = [boundaries(alternative) for alternative in alternatives[word]]
        best = max(golds, key=lambda theirs: f1(ours, theirs))
        tp += len(ours & best)
        fp += len(ours - best)
        fn += len(best - ours)
    expected = [
        tp / (tp + fp) if tp + fp else math.nan,
        tp / (tp + fn) if tp + fn else math.nan,
        2 * tp / (2 * tp + fp + fn) if tp + fp + fn else math.nan,
    ]
    scores = all_of(MICRO, value, segment(predicted, gold=gold))
    assert scores == pytest.approx(expected, nan_ok=True)


def boundaries(parts):
    return {sum(map(len, parts[:i])) for i in range(1, len(parts))}


def f1(ours, theirs):
    both = len(ours) + len(theirs)
    return 2 * len(ours & theirs) / both if both else 1


@pytest.mark.parametrize("name", [*MICRO, *BPR, "exact-match"])
def test_boundary_metrics_need_gold_and_weigh_words_alike(metrics, name):
    assert metrics[name].needs == {"gold"}
    assert metrics[name].unit == "word"


CHANCE = ("boundary-kappa", "boundary-f1-chance", "boundary-f1-micro")


def test_cutting_everywhere_or_nowhere_agrees_no_more_than_chance(segment, value):
    """Of six gaps in `walked` and `cat`, gold cuts one."""
    letters = segment({word: [*word] for word in GOLD}, gold=GOLD)
    kappa, chance, f1 = (value(name, letters) for name in CHANCE)
    assert kappa == 0
    assert f1 == chance
    whole_words = segment({word: [word] for word in GOLD}, gold=GOLD)
    kappa, chance, f1 = (value(name, whole_words) for name in CHANCE)
    assert (kappa, chance, f1) == (0, 0, 0)


def test_kappa_is_cohens(segment, value):
    """The example of Cohen's kappa in Wikipedia: 20 both yes, 15 both no, 5 and 10 apart: 0.4.

    Here it is a word of 51 letters with 50 gaps, of which gold cuts 25 and the tokenizer 30.
    """
    gaps = ["yes-yes"] * 20 + ["yes-no"] * 5 + ["no-yes"] * 10 + ["no-no"] * 15
    word = "".join(chr(0x100 + i) for i in range(51))
    gold = pieces(word, [i + 1 for i, gap in enumerate(gaps) if gap.startswith("yes")])
    tokens = pieces(word, [i + 1 for i, gap in enumerate(gaps) if gap.endswith("yes")])
    cut = segment({word: tokens}, gold={word: [" ".join(gold)]})
    assert value("boundary-kappa", cut) == pytest.approx(0.4)
    assert value("boundary-f1-chance", cut) == pytest.approx(2 * 0.5 * 0.6 / (0.5 + 0.6))


def test_full_agreement_is_1_and_no_gap_or_no_choice_is_undefined(segment, value):
    gold = {"walked": ["walk ed"]}
    assert value("boundary-kappa", segment({"walked": ["walk", "ed"]}, gold=gold)) == 1
    for tokens, alternatives in (({"c": ["c"]}, ["c"]), ({"cat": ["cat"]}, ["cat"])):
        cut = segment(tokens, gold={next(iter(tokens)): alternatives})
        assert math.isnan(value("boundary-kappa", cut))
        assert math.isnan(value("boundary-f1-chance", cut))
    both = segment({"ab": ["a", "b"]}, gold={"ab": ["a b"]})
    assert math.isnan(value("boundary-kappa", both)), "chance alone agrees fully"


@given(judged_words())
def test_kappa_and_chance_equal_their_definitions(segment, value, judged):
    predicted, alternatives = judged
    gold = {word: [" ".join(parts) for parts in splits] for word, splits in alternatives.items()}
    pairs = []
    for word, parts in predicted.items():
        ours = boundaries(parts)
        best = max(map(boundaries, alternatives[word]), key=lambda theirs: f1(ours, theirs))
        pairs += [(gap in best, gap in ours) for gap in range(1, len(word))]
    kappa, chance, _ = (value(name, segment(predicted, gold=gold)) for name in CHANCE)
    g, q = ([pair[i] for pair in pairs].count(True) / (len(pairs) or math.nan) for i in (0, 1))
    agreed = sum(a == b for a, b in pairs) / (len(pairs) or math.nan)
    expected = g * q + (1 - g) * (1 - q)
    right = (agreed - expected) / (1 - expected) if expected != 1 else math.nan
    assert kappa == pytest.approx(right, nan_ok=True)
    assert chance == pytest.approx(2 * g * q / (g + q) if g + q else math.nan, nan_ok=True)
