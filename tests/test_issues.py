"""Issues of a run: joined notes and failures, their places, and why a size has no results."""

from tokbench.api import Size
from tokbench.issues import Issue, Location, failures_of, notes_of, reasons_of

FIVE, SIX, FORTY = Size(total=5), Size(total=6), Size(learned=40)


def texts(*issues: Issue) -> list[str]:
    return [issue.text for issue in notes_of(issues)]


def test_a_place_is_spelled_as_messages_begin() -> None:
    assert str(Location("bpe")) == "system bpe"
    assert str(Location.of("bpe", FORTY, "metric m")) == "system bpe at size merges:40: metric m"
    assert str(Location("bpe", (FIVE, SIX), "training-share 0.1")) == (
        "system bpe, training-share 0.1: sizes 5, 6"
    )
    assert str(Location(part="corpora")) == "corpora"


def test_sizes_with_one_cause_share_a_note() -> None:
    notes = [Issue("note", "odd", Location.of("bpe", size)) for size in (FIVE, SIX, FIVE)]
    of_word = Issue("note", "odd", Location.of("word", FIVE))
    assert texts(*notes, of_word) == ["system bpe: sizes 5, 6: odd", "system word at size 5: odd"]


def test_why_sizes_are_left_out_is_told_in_the_words_of_check_size() -> None:
    left_out = [Issue("left out", "no such", Location.of("bpe", size)) for size in (FIVE, SIX)]
    refused = Issue("refused", "6 is below 20", Location("bpe", (FIVE, SIX)))
    not_reached = Issue("not reached", "only 4", Location.of("bpe", FIVE))
    on_share = Issue("left out", "only 3", Location("bpe", (FIVE,), "training-share 0.5"))
    assert texts(*left_out, not_reached, on_share, refused) == [
        "system bpe at size 5: only 4",
        "system bpe at size 5, training-share 0.5: left out: only 3",
        "system bpe: sizes 5, 6: left out: 6 is below 20",
    ]
    assert texts(*left_out) == ["system bpe: sizes 5, 6: left out: no such"]


def test_a_failure_of_a_metric_is_told_once_with_its_first_place() -> None:
    where = Location.of("bpe", FIVE, "metric m")
    curve = Location("bpe", run="curve", part="metric m")
    failures = [Issue("failed", "bad", where, "a"), Issue("failed", "bad", curve, "b")]
    alone = Issue("failed", "bad", Location("char"))
    assert failures_of([*failures, alone]) == [
        "metric m: bad (system bpe at size 5, corpus a, and 1 more times)", "system char: bad",
    ]  # fmt: skip


def test_a_size_without_results_has_the_reason_of_its_own_learning() -> None:
    issues = [
        Issue("left out", "no such", Location.of("bpe", FIVE)),
        Issue("refused", "6 is below 20", Location("bpe", (FIVE, SIX))),
        Issue("failed", "oops", Location("bpe", part="check_size")),
        Issue("failed", "bad", Location.of("bpe", SIX, "metric m"), "a"),
        Issue("not reached", "only 4", Location.of("bpe", FORTY)),
        Issue("left out", "no more", Location.of("char")),
        Issue("failed", "crash", Location.of("char")),
    ]
    assert reasons_of(issues) == {("char", None): "crash", ("bpe", FIVE): "left out: no such"}
