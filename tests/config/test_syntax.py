"""Refuse a config that is not one YAML mapping; each case has its whole message."""

from pathlib import Path

import pytest

from tokbench.config import load_experiment
from tokbench.errors import InputError
from tokbench.plugins import Registry

ONE_PROBLEM = [
    (
        b"",
        "config.yaml:1:1: the config is empty, "
        "expected a mapping with the keys `corpora` and `systems`, as `tokbench init TEXT` writes "
        "it",
    ),
    (
        b" \n# later\n",
        "config.yaml:1:1: the config is empty, "
        "expected a mapping with the keys `corpora` and `systems`, as `tokbench init TEXT` writes "
        "it",
    ),
    (
        b"---\n",
        "config.yaml:1:1: the config is empty, "
        "expected a mapping with the keys `corpora` and `systems`, as `tokbench init TEXT` writes "
        "it"
        "\n    ---\n    ^",
    ),
    (
        b"- bpe\n",
        "config.yaml:1:1: found a list, "
        "expected a mapping with the keys `corpora` and `systems`, as `tokbench init TEXT` writes "
        "it"
        "\n    - bpe\n    ^",
    ),
    (
        b"Once upon a time\nthere was a corpus.\n",
        "config.yaml:1:1: found a single value, "
        "expected a mapping with the keys `corpora` and `systems`, as `tokbench init TEXT` writes "
        "it"
        "\n    Once upon a time\n    ^",
    ),
    (
        b"\x7fELF\x00\x01",
        "config.yaml:1:1: found the control character U+007F, expected text\n"
        "    \\x7fELF\\x00\\x01\n    ^",
    ),
    (
        b"seed: 0\x00\n",
        "config.yaml:1:8: found the control character U+0000, expected text\n"
        "    seed: 0\\x00\n           ^",
    ),
    (
        "seed: 0\nbaseline: é\n".encode("latin-1"),
        "config.yaml:2:11: byte 0xe9 is not UTF-8, expected a YAML text\n"
        "    baseline: \n              ^",
    ),
    (
        "seed: 0\n".encode("utf-16"),
        "config.yaml:1:1: found UTF-16, expected UTF-8: convert it, as "
        "`iconv -f UTF-16 -t UTF-8 OLD > NEW` does",
    ),
    (
        b"seed: " + b"1" * 1_000_000,
        "config.yaml:1:1: more than 1000000 bytes, too many for a config: is it a corpus?",
    ),
    (
        b"corpora:\n\ttrain: a\n",
        "config.yaml:2:1: a tab cannot stand here: indent with spaces\n    \\ttrain: a\n    ^",
    ),
    (
        b"corpora:\n    train: a\n  test: b\n",
        "config.yaml:3:3: this line does not fit what is above it: check its indentation\n"
        "      test: b\n      ^",
    ),
    (
        b"baseline: bpe: 2\n",
        "config.yaml:1:14: a second `:` in one value: put the value in quotes, or begin a new "
        "line for the key\n    baseline: bpe: 2\n                 ^",
    ),
    (
        b"sizes: [1, 2\nseed: 0\n",
        "config.yaml:2:5: expected ',' or ']': a bracket above is not closed\n"
        "    seed: 0\n        ^",
    ),
    (
        b"seed: 0\nbaseline: 'bpe\n",
        "config.yaml:2:11: a quote is opened here and never closed\n"
        "    baseline: 'bpe\n              ^",
    ),
    (
        b'remove: "[^a-z\\s]"\n',
        "config.yaml:1:16: in double quotes a backslash begins an escape: use single quotes\n"
        '    remove: "[^a-z\\s]"\n                   ^',
    ),
    (
        b'name: "\\UFFFFFFFF"\n',
        "config.yaml:1:10: this escape is no Unicode character\n"
        '    name: "\\UFFFFFFFF"\n             ^',
    ),
    (
        b"baseline: @bpe\n",
        "config.yaml:1:11: text cannot begin with '@': put it in quotes\n"
        "    baseline: @bpe\n              ^",
    ),
    (
        b"baseline: *bpe\n",
        "config.yaml:1:11: no anchor 'bpe' stands above: text that begins with * needs quotes\n"
        "    baseline: *bpe\n              ^",
    ),
    (
        b"seed: 0\n---\nseed: 1\n",
        "config.yaml:2:1: a second document begins here: a config is one document, "
        "write another file\n    ---\n    ^",
    ),
    (
        b"%YAML 2.0\n---\nseed: 0\n",
        "config.yaml:1:1: not YAML: found incompatible YAML document (version 1.* is required)\n"
        "    %YAML 2.0\n    ^",
    ),
    (
        b"sizes: &sizes [*sizes]\n",
        "config.yaml:1:8: an alias refers to a part of the file that holds it\n"
        "    sizes: &sizes [*sizes]\n           ^",
    ),
    (
        b"sizes: " + b"[" * 50 + b"]" * 50,
        "config.yaml:1:57: nested more than 50 deep, too deep for a config\n"
        f"    sizes: {'[' * 50}{']' * 43}…\n    {' ' * 56}^",
    ),
]


@pytest.mark.parametrize(("text", "message"), ONE_PROBLEM)
def test_what_is_not_a_yaml_mapping_gets_one_message(refused, text, message):
    assert refused(text) == (message, 2)


def test_a_bom_and_crlf_are_no_part_of_the_config(refused):
    text = b"\xef\xbb\xbfsystems: [char]\r\ncorpora: 1\r\n"
    message = "config.yaml:2:10: corpora: found 1, expected a mapping (`key: value`)"
    assert refused(text) == (message + "\n    corpora: 1\n             ^", 2)


def test_lines_are_counted_as_editors_do(refused):
    text = "baseline: 'a\u2028b\x85c'\nseed: é: 1\n".encode()
    assert refused(text)[0].startswith("config.yaml:2:8: a second `:` in one value")


def test_an_alias_bomb_is_refused(refused):
    """Made whole, it would fill the memory."""
    lines = ["a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    for new, old in zip("bcdefghij", "abcdefghi", strict=True):
        lines.append(f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]")
    message, code = refused("\n".join(lines))
    assert message.split(": ", 1)[1].startswith("aliases give more than 20000 values")
    assert code == 2


def test_a_config_of_very_many_values_is_refused(refused):
    message, code = refused(f"sizes: [{'1, ' * 100_000}1]")
    assert "more than 20000 values, too many for a config" in message
    assert code == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing.yaml", r"missing\.yaml: no such config"),
        (".", r"\.: is a folder, expected a config \(a YAML file\)"),
        ("a\0b", r"a\\x00b: cannot be read: (stat: )?embedded null (byte|character in path)"),
    ],
)
def test_a_config_that_cannot_be_read_is_an_input_error(tmp_path, monkeypatch, name, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=f"^{message}$"):
        load_experiment(Path(name), Registry())
