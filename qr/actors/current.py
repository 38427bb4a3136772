"""The settings in force, and what is wrong with the ones that were offered since."""

from collections.abc import Sequence

from qr.settings import Settings

__all__ = ["Current"]


class Current:
    """
    Written by whoever may change settings (the host's reconfigure, the dashboard, the command line).

    Readers look at the generation when they are woken: a change is seen even when its notice was lost.
    """

    def __init__(self, settings: Settings, generation: int = 0) -> None:
        self.settings = settings
        self.generation = generation
        self.problems: Sequence[str] = ()
        """Of the settings that were refused last; empty when the last ones were taken."""

    def take(self, settings: Settings) -> bool:
        """Put *settings* into force; says whether they differ from those before."""
        self.problems = ()
        if settings == self.settings:
            return False
        self.settings = settings
        self.generation += 1
        return True

    def refuse(self, problems: Sequence[str]) -> None:
        """What was offered is not valid; the settings in force stay in force."""
        self.problems = tuple(problems)
