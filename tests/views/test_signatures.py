"""One signature for each system and size, shown as code."""

from pathlib import Path

from tokbench_views.report import signatures

from tests.tiny import tiny_run


def test_they_are_those_of_the_results(tmp_path: Path) -> None:
    run = tiny_run(tmp_path)
    text = signatures(run)
    found = {run.signature(row).replace(f"|{row.metric}|", "|METRIC|") for row in run.rows}
    assert len(found) == 5
    assert all(f"- `{signature}`\n" in text for signature in found)


def test_backticks_in_an_option_stay_inside_the_code(tmp_path: Path) -> None:
    ticked = "{name: b, learner: {use: bpe, eow: {kind: fused, text: '``'}}}"
    (line,) = (
        line
        for line in signatures(tiny_run(tmp_path, systems=f"[{ticked}]", sizes="[100]")).split("\n")
        if line.startswith("- ")
    )
    assert line.startswith("- ```bpe(eow={kind:fused,text:``})|size=100|")
    assert line.endswith("```")
