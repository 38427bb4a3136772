"""Settings from a request to settings in force: checked as a whole, taken as a whole."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import evolve, frozen

from qr.actors.messages import Apply
from qr.settings import KEYS, Changes, Problem, Settings, SettingsError, as_dict, changed, settings_from
from qr.web.desk import Desk
from qr.web.problems import ProblemError
from qr.web.shapes.service import SettingProblem

__all__ = ["Proposal", "propose", "put_in_force"]

# A request has at most half a megabyte; whoever gets everything wrong in it reads the first of it.
SHOWN = 50

SOURCE = "the request"


@frozen
class Proposal:
    """What a request would make of the settings."""

    settings: Settings
    changes: Changes
    problems: list[SettingProblem]
    """Empty: it can be put into force."""


def propose(desk: Desk, values: Mapping[str, Any], *, whole: bool = False) -> Proposal:
    """
    What *values* make of the settings in force.

    Args:
        desk: the desk.
        values: by key; null takes a key back to what the service was started with.
        whole: keys that are not named go back too.

    """
    current, base = desk.settings, desk.house.base
    given = {key: value for key, value in values.items() if not _as_it_is(key, value, current)}
    named = {key: value for key, value in given.items() if value is not None}
    back = [key for key in KEYS if (key not in values if whole else key in given and given[key] is None)]
    unknown = {key: value for key, value in given.items() if value is None and key not in KEYS}
    try:
        settings = settings_from({**named, **unknown}, source=SOURCE, base=_taken_back(current, base, back))
    except SettingsError as refusal:
        return Proposal(current, Changes(), [_shape(problem) for problem in refusal.problems[:SHOWN]])
    overridden = [_overridden(key) for key in named if os.environ.get(KEYS[key].environment)]
    return Proposal(settings, changed(current, settings), overridden)


def _as_it_is(key: str, value: object, current: Settings) -> bool:
    """A form sends a secret back as it was shown, hidden: then it stays as it is."""
    return key in KEYS and KEYS[key].secret and value is not None and value == as_dict(current)[key]


def _taken_back(current: Settings, base: Settings, keys: list[str]) -> Settings:
    own = {key: getattr(base, key) for key in keys if hasattr(base, key)}
    rules = {key: getattr(base.rules, key) for key in keys if not hasattr(base, key)}
    return evolve(current, rules=evolve(current.rules, **rules), **own)


def _shape(problem: Problem) -> SettingProblem:
    return SettingProblem(problem.key, problem.message)


def _overridden(key: str) -> SettingProblem:
    return SettingProblem(key, f"is set by the environment variable {KEYS[key].environment}")


def put_in_force(desk: Desk, proposal: Proposal) -> None:
    """
    Take the settings of *proposal*; they hold from the next message of each actor on.

    Raises:
        ProblemError: there are problems; nothing has changed.
    """
    problems = proposal.problems or list(_only_at_start(proposal.changes))
    if problems:
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        raise ProblemError("invalid_settings", f"{count}; the settings in force stay in force.", problems)
    if desk.house.current.take(proposal.settings):
        desk.house.door.tell(Apply(proposal.settings))
        desk.status.forget()


def _only_at_start(changes: Changes) -> Iterator[SettingProblem]:
    """What a running service cannot change; put into force here it would be forgotten before it counts."""
    for change in changes.keys:
        if change.restart:
            yield SettingProblem(
                change.key, "takes effect at the start only: set it in the settings file and restart"
            )
