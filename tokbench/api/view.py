"""Views: what people see of a run."""

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from tokbench.api.component import Component

if TYPE_CHECKING:
    from tokbench.run_folder import Run


class View(Component):
    """Shows a run to people. Define `text`.

    It is a function of the run alone, the same at the end of the run and from its folder, and
    computes no metric. `tokbench show RUN NAME` prints it.
    """

    formats: ClassVar[tuple[str, ...]] = ("md",)
    """What `text` can write: `md`, `html`, `table` (aligned columns), `csv`, `json`."""

    file_name: ClassVar[str] = ""
    """The file in each run folder that holds it, in the format in which its name ends: `report.md`.

    A view without has none. It may be md, html or json.
    """

    @abstractmethod
    def text(self, run: "Run", form: str) -> str:
        """Return the run as one of the `formats` shows it."""
