"""Measure peers in turns, so that other work of the machine slows all of them alike."""

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from measure import measure
from setting import Setting
from tasks import Task

Measurement = dict[str, Any]


def turns(peers: Sequence[str], rounds: int) -> Iterator[tuple[int, str]]:
    """Yield (round, peer): every peer once a round, each round beginning with the next peer."""
    for number in range(rounds):
        start = number % len(peers)
        for peer in (*peers[start:], *peers[:start]):
            yield number, peer


def measure_task(task: Task, setting: Setting, scale: int, rounds: int) -> list[Measurement]:
    """Measure a task at a scale; a peer that fails is reported once and then left out."""
    commands = task.commands(setting, scale)
    if not commands:
        report(f"{task.name}: left out, the files that it needs are not there")
        return []
    measurements: list[Measurement] = []
    failed: set[str] = set()
    for number, peer in turns(tuple(commands), rounds):
        if peer in failed:
            continue
        measured = measure(commands[peer])
        seconds = measured.seconds
        if task.inside and not measured.error:
            seconds = measured.answer["seconds"]
        measurements.append({
            "task": task.name,
            "scale": scale,
            "round": number,
            "peer": peer,
            "process-seconds": measured.seconds,
            "seconds": seconds,
            "peak-mb": measured.peak_mb,
            "answer": measured.answer,
            "error": measured.error,
        })  # fmt: skip
        outcome = measured.error or f"{seconds:.3f} s, {measured.peak_mb:.0f} MB"
        report(f"{task.name} x{scale}, round {number + 1}, {peer}: {outcome}")
        if measured.error:
            failed.add(peer)
    return measurements


def report(message: str) -> None:
    """Print a line of progress on stderr."""
    print(message, file=sys.stderr, flush=True)
