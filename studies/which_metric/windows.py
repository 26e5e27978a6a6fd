"""Windows of whole lines for the transformer, and the bytes of the text that each holds."""

from collections.abc import Sequence

WINDOW, BATCH = 512, 16
"""Bytes of a window, at most, and windows a step."""


def windows_of(sizes: Sequence[int]) -> list[range]:
    """Put neighbouring lines into windows of at most 512 bytes; a longer line is a window.

    Returns the lines of each window. `sizes` are the bytes of the lines with their ends.
    """
    windows: list[range] = []
    room = 0
    for line, size in enumerate(sizes):
        if size > room or not windows:
            windows.append(range(line, line))
            room = WINDOW
        windows[-1] = range(windows[-1].start, line + 1)
        room -= size
    return windows
