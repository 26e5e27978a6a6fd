"""Messages tell a failure on one line: the cause first, then the plugin's own line."""

import json
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tokbench.errors import (
    BrokenPluginError,
    ClashError,
    EncodingError,
    InputError,
    MissingExtraError,
    SizeError,
    TokbenchError,
)
from tokbench.failures import described, place_of, reported, short_path, tracebacks

PLUGIN = """
import json
from statistics import mean

def own():
    raise RuntimeError("no idea")

def in_a_library():
    mean([])

def in_numpy():
    import numpy
    return numpy.concatenate([])

def by_another(other):
    other()

def syntax():
    compile("def x(:", "<text>", "exec")
"""


@pytest.fixture
def plugin(tmp_path: Path) -> ModuleType:
    """A plugin, imported from a folder."""
    path = tmp_path / "env" / "my_plugin" / "core.py"
    path.parent.mkdir(parents=True)
    path.write_text(PLUGIN)
    module = ModuleType("my_plugin.core")
    exec(compile(PLUGIN, str(path), "exec"), module.__dict__)
    return module


def inside(error: BaseException) -> BaseException:
    """Take the outermost function off the traceback."""
    return error.with_traceback(error.__traceback__ and error.__traceback__.tb_next)


def raised(action: Callable[[], object]) -> BaseException:
    try:
        action()
    except BaseException as error:
        # A test is no part of tokbench, so its own line would be taken for the plugin's.
        return inside(error)
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ("own", "RuntimeError: no idea (my_plugin/core.py:6)"),
        (
            "in_a_library",
            "StatisticsError: mean requires at least one data point (my_plugin/core.py:9)",
        ),
        (
            "in_numpy",
            "ValueError: need at least one array to concatenate (my_plugin/core.py:13)",
        ),
        ("syntax", "SyntaxError: invalid syntax (my_plugin/core.py:19)"),
    ],
)
def test_the_place_is_the_last_line_of_the_plugin_s_own(
    plugin: ModuleType, action: str, message: str
) -> None:
    assert described(raised(getattr(plugin, action))) == message


def test_a_plugin_that_calls_another_is_where_it_comes_from(plugin: ModuleType) -> None:
    other_plugin = ModuleType("other_plugin")
    exec(compile(PLUGIN, "/env/other_plugin.py", "exec"), other_plugin.__dict__)
    error = inside(raised(lambda: plugin.by_another(other_plugin.own)))
    assert described(error) == "RuntimeError: no idea (my_plugin/core.py:16)"


def test_an_error_outside_of_plugins_and_one_of_ours_have_no_place() -> None:
    assert described(ValueError("two\n  lines")) == "ValueError: two lines"
    assert described(InputError("a.txt:1: found no words")) == "a.txt:1: found no words"
    error = inside(raised(lambda: json.loads("{")))
    assert error.__traceback__ is not None
    assert described(error).startswith("JSONDecodeError: Expecting property name")
    assert ".py" not in described(error)


def test_a_message_that_cannot_be_made_is_no_second_failure() -> None:
    class OddError(Exception):
        def __str__(self) -> str:
            raise KeyError("odd")

    assert described(OddError()) == "OddError: (its message cannot be shown: KeyError)"


def test_files_are_named_from_their_package_on() -> None:
    assert short_path("/env/tokbench_hf/__init__.py", "tokbench_hf") == "tokbench_hf/__init__.py"
    assert short_path("/home/me/mine.py", "tokbench_file_mine") == "mine.py"
    assert place_of(place_of).startswith("tokbench/failures.py:")
    assert (place_of(sys.getsizeof), place_of(3)) == ("", "")


def test_tracebacks_are_shown_once_and_only_where_asked(
    plugin: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    error = raised(plugin.own)
    message = "RuntimeError: no idea (my_plugin/core.py:6)"
    assert reported(error) == message
    assert not capsys.readouterr().err
    with tracebacks():
        assert [reported(error), reported(error)] == [message, message]
        first = capsys.readouterr().err.strip()
        try:
            raise TokbenchError("above") from error
        except TokbenchError as above:
            reported(above)
    reported(error)
    second = capsys.readouterr().err.strip()
    assert first.startswith("Traceback (most recent call last):\n")
    assert first.endswith("\nRuntimeError: no idea")
    assert first in second
    assert second.endswith("\ntokbench.errors.TokbenchError: above")


@pytest.mark.parametrize(
    "error",
    [
        InputError("odd"),
        SizeError("too small", 3),
        ClashError("two of them"),
        MissingExtraError("bpe", "rust 2", "pip install rust"),
        BrokenPluginError(("a", "b"), "no c"),
        EncodingError("a.txt:1: not valid"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_can_be_copied_to_another_process(error: TokbenchError) -> None:
    copied = pickle.loads(pickle.dumps(error))
    assert (type(copied), str(copied), vars(copied)) == (type(error), str(error), vars(error))
