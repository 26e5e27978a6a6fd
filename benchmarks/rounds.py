"""Measure peers in turns, so that what else the machine does falls on all of them alike."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from measure import Command, measure
from setting import Setting
from tasks import Task

Measurement = dict[str, Any]
Say = Callable[[str], None]


def turns(peers: Sequence[str], rounds: int) -> Iterator[tuple[int, str]]:
    """Yield (round, peer): every peer once a round, each round beginning with the next peer."""
    for number in range(rounds):
        first = number % len(peers)
        for peer in (*peers[first:], *peers[:first]):
            yield number, peer


def measure_task(
    task: Task, setting: Setting, scale: int, rounds: int, say: Say
) -> list[Measurement]:
    """Measure a task at a scale; a peer that fails is reported once and then left out."""
    commands = task.commands(setting, scale)
    if not commands:
        say(f"{task.name}: left out, the files that it needs are not there")
        return []
    found: list[Measurement] = []
    failed: set[str] = set()
    for number, peer in turns(tuple(commands), rounds):
        if peer not in failed:
            one = measurement(task, scale, number, peer, commands[peer])
            found.append(one)
            say(f"{task.name} x{scale}, round {number + 1}, {peer}: {summary_of(one)}")
            if one["error"]:
                failed.add(peer)
    return found


def measurement(task: Task, scale: int, number: int, peer: str, command: Command) -> Measurement:
    """Measure one peer once."""
    measured = measure(command)
    answer = measured.answer or {}
    return {
        "task": task.name,
        "scale": scale,
        "round": number,
        "peer": peer,
        "process-seconds": measured.seconds,
        "seconds": answer.get("seconds") if task.inside else measured.seconds,
        "peak-mb": measured.peak_mb,
        "answer": measured.answer,
        "error": measured.error,
    }


def summary_of(one: Measurement) -> str:
    """Say what came out, for people who wait."""
    return one["error"] or f"{one['seconds']:.3f} s, {one['peak-mb']:.0f} MB"
