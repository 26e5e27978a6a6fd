"""Failures: whatever is raised becomes one line, told once with its first place."""

import pytest

from tokbench.errors import InputError, SizeError, TokbenchError
from tokbench.failures import described, place_of
from tokbench.runner.failures import Failures, stranger


class Panic(BaseException):
    """What a library written in another language may raise."""


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("no idea"), "ValueError: no idea"),
        (ValueError("two\n  lines"), "ValueError: two lines"),
        (ValueError(), "ValueError"),
        (SystemExit(0), "SystemExit: 0"),
        (SystemExit(), "SystemExit"),
        (Panic("rust"), "Panic: rust"),
        (InputError("a.txt:1: found no words"), "a.txt:1: found no words"),
    ],
)
def test_anything_raised_is_described_on_one_line(error: BaseException, text: str) -> None:
    assert described(error) == text


@pytest.mark.parametrize("error", [ValueError("no idea"), SystemExit(0), Panic("rust")])
def test_what_a_stranger_raises_becomes_an_error_of_ours(error: BaseException) -> None:
    with pytest.raises(TokbenchError) as caught, stranger("learner mine"):
        raise error
    assert str(caught.value) == f"learner mine: {described(error)}"
    assert (caught.value.exit_code, caught.value.__cause__) == (1, error)


@pytest.mark.parametrize(
    "error", [InputError("a.txt:1: found no words"), KeyboardInterrupt(), MemoryError()]
)
def test_errors_of_ours_ctrl_c_and_a_lack_of_memory_pass(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught, stranger("learner mine"):
        raise error
    assert caught.value is error


@pytest.mark.parametrize(
    "error", [ValueError("no idea"), SystemExit(0), Panic("rust"), TokbenchError("wrong")]
)
def test_a_guard_keeps_what_failed(error: BaseException) -> None:
    failures = Failures()
    with failures.guard("system mine"):
        raise error
    assert failures.failures == [f"system mine: {described(error)}"]
    assert not failures.notes


def test_what_a_stranger_prints_does_not_mix_with_data(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with stranger("learner mine"):
        print("one")
    with Failures().guard("system mine"):
        print("two")
    print("three")
    assert capsys.readouterr() == ("three\n", "one\ntwo\n")


def test_a_guard_lets_ctrl_c_pass() -> None:
    failures = Failures()
    with pytest.raises(KeyboardInterrupt), failures.guard("system mine"):
        raise KeyboardInterrupt
    assert not failures.failures


def test_a_size_that_does_not_exist_is_a_note() -> None:
    failures = Failures()
    with failures.guard("system bpe at size 5"):
        raise SizeError("size 5 is below the alphabet of 20", 20)
    assert not failures.failures
    assert list(failures.notes) == [
        "system bpe at size 5: left out: size 5 is below the alphabet of 20"
    ]


def fail(message: str) -> None:
    raise ValueError(message)


def test_a_failure_that_comes_up_again_is_counted_with_the_first() -> None:
    failures = Failures()
    path, _, number = place_of(fail).rpartition(":")
    line = f"{path}:{int(number) + 1}"
    for place in ("system char, corpus a", "system char, corpus b", "system bpe, corpus a"):
        with failures.guard("metric mine", place):
            fail("no idea")
    with failures.guard("metric mine", "system char, corpus a"):
        fail("another")
    with failures.guard("system bpe"):
        fail("no idea")
    assert failures.failures == [
        f"metric mine: ValueError: no idea ({line}) (system char, corpus a, and 2 more times)",
        f"metric mine: ValueError: another ({line}) (system char, corpus a)",
        f"system bpe: ValueError: no idea ({line})",
    ]


def test_a_note_is_kept_once_in_its_place() -> None:
    failures = Failures()
    for text in ("b", "a", "b"):
        failures.note(text)
    assert list(failures.notes) == ["b", "a"]
