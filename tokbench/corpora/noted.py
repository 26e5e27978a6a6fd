"""Things that a corpus may hold and the reader should hear of: how many, and where first."""

from dataclasses import dataclass


@dataclass
class Noted:
    """How often one kind of thing was met, and the place of the first."""

    count: int = 0
    first: str = ""

    def add(self, place: str) -> None:
        """Count one more."""
        self.count += 1
        self.first = self.first or place

    def warnings(self, what: str, done: str) -> list[str]:
        """Say what was met and what was done about it; nothing if there was none."""
        if not self.count:
            return []
        return [f"{what}: {self.count:,} (first: {self.first}); {done}"]
