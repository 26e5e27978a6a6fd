"""Rank files that are damaged or foreign, and patterns that are not known."""

import base64
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError
from tokbench_tiktoken.learners import Tiktoken

from tokbench.api import InputError

ROWS = [f"{base64.b64encode(bytes([byte])).decode()} {byte}" for byte in range(256)] + [
    "dGg= 256",
    "dGhl 257",
]


def load(folder: Path, content: str | bytes, **options: object) -> None:
    path = folder / "my.tiktoken"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    Tiktoken.configure(**{"path": str(path), "pattern": "r50k", **options}).load()


def changed(number: int, row: str | None) -> str:
    """Write the rows, one of them (from 1) changed, or left out."""
    rows = [*ROWS[: number - 1], *([] if row is None else [row]), *ROWS[number:]]
    return "\n".join(rows) + "\n"


def test_a_whole_file(tmp_path: Path) -> None:
    load(tmp_path, changed(258, ROWS[257]))
    load(tmp_path, changed(258, ROWS[257]).replace("\n", "\r\n"))
    load(tmp_path, "\n".join(reversed(ROWS)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"my.tiktoken: holds no ranks"),
        (changed(257, "dGg 256"), r":257: the token 'dGg' is no base64"),
        (changed(257, "dGg="), r":257: expected a token in base64, .* found 'dGg='"),
        (changed(257, "dGg= -256"), r":257: expected a token in base64"),
        (changed(257, "dGg= 2\u0665"), r":257: expected a token in base64"),
        (changed(257, "dGg= 255"), r":257: rank 255 stands in line 256 already"),
        (changed(258, "dGg= 257"), r":258: its token stands in line 257 already"),
        (changed(257, None), r":257: rank 257 comes after 255 in order of rank, expected 256"),
        (changed(258, "dGhl 999999999999"), r":258: rank 999999999999 comes after 256"),
        ("\n".join(ROWS[:100]), r"156 of the 256 single bytes have no rank, 0x64 for one"),
        ('{"version": "1.0"}', r":1: expected a token in base64, .* found '\{\"version"),
        (b"\n\x0e\n\x05<unk>\x15\x00", r":2: expected a token in base64"),
        (b"\xff\xfe\x00 1", r":1: the token '.*' is no base64"),
    ],
)
def test_damaged_and_foreign_files(tmp_path: Path, content: str | bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load(tmp_path, content)


@pytest.mark.parametrize("cut", [1, 4, 6, 12, 100, 2000])
def test_a_file_cut_short_anywhere_but_between_merges(tmp_path: Path, cut: int) -> None:
    text = "\n".join(ROWS)
    with pytest.raises(InputError, match=r"my\.tiktoken"):
        load(tmp_path, text[:-cut])


def refused(configure: Callable[[], object]) -> str:
    with pytest.raises(ValidationError) as refusal:
        configure()
    return refusal.value.errors()[0]["msg"]


def test_an_unknown_file_needs_a_pattern(tmp_path: Path) -> None:
    path = tmp_path / "my.tiktoken"
    path.write_text("\n".join(ROWS))
    message = refused(lambda: Tiktoken.configure(path=str(path)))
    assert "my.tiktoken is none of the published rank files" in message
    assert "`pattern: r50k | p50k | cl100k | o200k`, or give it, `pattern: {regex: ...}`" in message


def test_wrong_patterns(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="'r50k', 'p50k', 'cl100k' or 'o200k'"):
        load(tmp_path, "\n".join(ROWS), pattern="gpt2")
    with pytest.raises(InputError, match=r"tiktoken cannot read the pattern '\(': .*parenthesis"):
        load(tmp_path, "\n".join(ROWS), pattern={"regex": "("})
    with pytest.raises(ValidationError, match="at least 1 character"):
        load(tmp_path, "\n".join(ROWS), pattern={"regex": ""})


def test_a_special_token_may_stand_between_ranks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in p50k_base, whose ranks go on after <|endoftext|>.
    from tokbench_tiktoken import learners
    from tokbench_tiktoken.published import Published

    path = tmp_path / "my.tiktoken"
    path.write_text("\n".join([*ROWS[:256], "dGg= 257"]))
    digest = Tiktoken.configure(path=str(path), pattern="r50k").path.digest
    monkeypatch.setattr(learners, "FILES", {digest: Published("p50k", {"<|end|>": 256})})
    vocabulary = Tiktoken.configure(path=str(path)).load()
    assert vocabulary.special == (256,)
    assert (vocabulary.size, vocabulary.declared) == (257, 258)
    assert vocabulary.tokens[256:] == ("<|end|>", "th")
