"""How long a call in a worker may take, and how much it may use."""

import os

from pydantic import Field, field_validator

from tokbench.api import Options

LEAST_MEMORY = 512
"""The MB that a worker itself needs, with room for little more."""

_SHARE = 0.8


def machine_memory() -> int:
    """Return the memory of this machine, in MB (10^6 bytes)."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 1_000_000


class Limits(Options):
    """What one call of a plugin in a worker may take; beyond that, it is ended and has failed."""

    seconds: float = Field(
        14_400, gt=0, le=31_536_000, description="how long one call may take, in seconds"
    )
    idle_seconds: float = Field(
        600,
        gt=0,
        le=31_536_000,
        description="how long a call may neither compute nor print, in seconds (on Linux)",
    )
    memory: int | None = Field(
        None,
        ge=LEAST_MEMORY,
        description="the memory of one process, in MB; by default four fifths of the machine's",
    )
    output: int = Field(
        10_000,
        ge=1,
        le=1_000_000_000,
        description="what one call may print, and how large a file it may write, in MB",
    )

    @field_validator("memory")
    @classmethod
    def _there_is_so_much(cls, memory: int | None) -> int | None:
        if memory is not None and memory > (there := machine_memory()):
            raise ValueError(f"found {memory} MB, this machine has {there}")
        return memory

    @property
    def memory_bytes(self) -> int:
        """The memory of one process in bytes."""
        return 1_000_000 * (self.memory or int(machine_memory() * _SHARE))

    @property
    def output_bytes(self) -> int:
        """What may be printed or written, in bytes."""
        return 1_000_000 * self.output
