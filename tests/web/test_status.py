"""The notes at a glance: each trouble has one, and nothing is said when all is well."""

import pytest
from attrs import evolve
from msgspec.structs import replace

from qr.web.render.notes import NOTES
from qr.web.render.status import Facts, Readiness, status_shape
from qr.web.shapes.service import (
    AccountActors,
    Actor,
    Host,
    Loop,
    Persistence,
    Picks,
    SettingsHealth,
)

HOST = Host(
    attached=True, library={}, schema=6, schema_enough=True, feedback=50, unreadable=0, connections=1,
    turned_away=0, census_problem=None, alone=False,
)  # fmt: skip
KEPT = Persistence(persistent=True, path="p", problem=None, notices=[], writes=1, last_write_at=None)
WELL = Facts(
    deciding=True,
    mode="active",
    persistence=KEPT,
    host=HOST,
    picks=Picks(100, 0, {}),
    settings=SettingsHealth(1, []),
    actors=[Actor("supervisor", alive=True, restarts=0, last_death=None, died_seconds_ago=None)],
    account_actors=AccountActors(2, 0, []),
    loop=Loop(0.001, 0.01, 60),
    providers=[Readiness("claude", 2, 1, 0), Readiness("codex", 0, 0, 0)],
)
DEAD = Actor("web", alive=True, restarts=1, last_death="killed", died_seconds_ago=3.0)


def test_when_all_is_well_nothing_is_said():
    status = status_shape(WELL)
    assert (status.level, status.text, status.notes) == ("ok", "all is well", [])


TROUBLES = {
    "no_supervisor": evolve(WELL, deciding=False),
    "mode_shadow": evolve(WELL, mode="shadow"),
    "mode_off": evolve(WELL, mode="off"),
    "no_persistence": evolve(WELL, persistence=replace(KEPT, persistent=False, problem="in use")),
    "write_failed": evolve(WELL, persistence=replace(KEPT, problem="disk full")),
    "start_notice": evolve(WELL, persistence=replace(KEPT, notices=["moved aside"])),
    "no_host": evolve(WELL, host=replace(HOST, attached=False)),
    "host_too_old": evolve(WELL, host=replace(HOST, schema=3, schema_enough=False)),
    "no_feedback": evolve(WELL, host=replace(HOST, feedback=0)),
    "census_failed": evolve(WELL, host=replace(HOST, census_problem="no answer")),
    "settings_refused": evolve(WELL, settings=SettingsHealth(1, ["line 3: {mode}"])),
    "no_accounts": evolve(WELL, providers=[]),
    "nobody_left": evolve(WELL, providers=[Readiness("codex", 2, 0, 0)]),
    "login_dead": evolve(WELL, providers=[Readiness("codex", 2, 1, 1)]),
    "actor_dying": evolve(WELL, actors=[DEAD]),
    "picks_unanswered": evolve(WELL, picks=Picks(10, 5, {})),
    "loop_lag": evolve(WELL, loop=Loop(0.0, 1.5, 60)),
}


def test_every_note_is_tested():
    assert set(TROUBLES) == set(NOTES)


@pytest.mark.parametrize("name", TROUBLES)
def test_each_trouble_has_its_note_and_no_other(name):
    status = status_shape(TROUBLES[name])
    (note,) = status.notes
    assert note.name == name
    assert status.level == note.level
    assert "{" not in note.text.replace("{mode}", "")


def test_alone_no_host_is_missed():
    status = status_shape(evolve(WELL, host=replace(HOST, attached=False, alone=True, feedback=0)))
    assert status.notes == []


def test_an_old_death_is_no_news():
    assert status_shape(evolve(WELL, actors=[replace(DEAD, died_seconds_ago=999.0)])).notes == []


def test_the_worst_comes_first_and_gives_the_level():
    status = status_shape(evolve(WELL, mode="shadow", deciding=False, host=replace(HOST, attached=False)))
    assert [note.name for note in status.notes] == ["no_supervisor", "no_host", "mode_shadow"]
    assert (status.level, status.text) == ("error", "2 things want attention")


def test_a_single_hint_says_itself():
    assert status_shape(TROUBLES["mode_shadow"]).text.startswith("Shadow mode")


def test_a_note_stays_short_whatever_it_repeats():
    status = status_shape(evolve(WELL, settings=SettingsHealth(1, ["x" * 9999])))
    assert len(status.notes[0].text) <= 500
