"""What a demo says of itself: counted from the decisions that were made and from what its host met."""

from collections import Counter

from attrs import define, field
from rich.table import Table
from rich.text import Text

from qr.system import House

__all__ = ["Tally"]


@define(eq=False)
class Tally:
    """Follows the decisions of a house, each once."""

    house: House
    driver: Counter[str] = field(factory=Counter)
    """What the host counted."""
    reasons: Counter[str] = field(factory=Counter)
    homecomings: int = 0
    marks: int = 0
    """Warning marks that were set."""
    missed: int = 0
    """Decisions that had been let go before they were looked at."""
    _seen: int = 0
    _marked: set[tuple[str, str]] = field(factory=set)

    def look(self) -> None:
        """Count what is new; to be called several times a second."""
        while self._seen < self.house.decisions.count:
            self._seen += 1
            numbered = self.house.decisions.get(self._seen)
            if numbered is None:
                self.missed += 1
                continue
            self.reasons[numbered.decision.reason] += 1
            self.homecomings += numbered.decision.change == "home"
        marked = self._warned()
        self.marks += len(marked - self._marked)
        self._marked = marked

    def _warned(self) -> set[tuple[str, str]]:
        now = self.house.clock.now()
        return {
            (view.id, name)
            for view in self.house.supervisor.fleet
            for name, window in view.windows.items()
            if window.warned(now)
        }

    @property
    def picks(self) -> int:
        return self.reasons.total() + self.missed

    @property
    def failovers(self) -> int:
        return sum(count for reason, count in self.reasons.items() if reason.startswith("failover:"))

    @property
    def not_handled(self) -> int:
        return self.driver["picks"] - self.driver["handled"]

    @property
    def errors(self) -> int:
        """Requests that failed by the plugin, messages that failed in the service, actors that died."""
        lives = self.house.lives.values()
        return self.driver["errors"] + self.reasons["error"] + sum(life.restarts for life in lives)

    def line(self) -> Text:
        """One line for the terminal."""
        return Text(" · ").join(
            Text.assemble(f"{name} ", (str(value), style)) for name, value, style in self._figures()
        )

    def table(self) -> Table:
        """The same, at the end."""
        table = Table(show_header=False, box=None)
        for name, value, style in self._figures():
            table.add_row(Text(str(value), style, justify="right"), name)
        return table

    def _figures(self) -> list[tuple[str, int, str]]:
        return [
            ("picks", self.driver["picks"], "bold"),
            ("kept", self.reasons["affinity"], "green"),
            ("failovers", self.failovers, "yellow"),
            ("came home", self.homecomings, "green"),
            ("warned", self.marks, "yellow"),
            ("refused", self.driver["refused"], "yellow"),
            ("not handled", self.not_handled, "dim"),
            ("errors", self.errors, "bold red" if self.errors else "dim"),
        ]
