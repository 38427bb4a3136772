"""The house as a whole: what a restart keeps, with a real state directory."""

import json

import trio
from attrs import evolve

from qr.routing.bindings import Binding
from qr.routing.rules import Rules
from qr.settings import Settings
from qr.system import House, build


def settings(tmp_path, **more):
    return Settings(state_dir=tmp_path / "state", **more)


async def lived(house: House, *deeds):
    """The house after a life in which *deeds* were done."""
    async with trio.open_nursery() as nursery:
        await nursery.start(house.run)
        for deed in deeds:
            deed(house)
        nursery.cancel_scope.cancel()
    house.store.close()
    return house


async def test_what_was_bound_is_bound_after_a_restart(tmp_path):
    await lived(build(settings(tmp_path)), lambda house: house.journal.binding("claude", "s", Binding("a")))
    assert build(settings(tmp_path)).journal.bindings == {("claude", "s"): Binding("a")}


async def test_the_last_word_is_written_though_the_recorder_is_between_two_lives(tmp_path):
    house = build(settings(tmp_path))
    async with trio.open_nursery() as nursery:
        await nursery.start(house.run)
        recorder = house.lives["recorder"]
        for deaths in (1, 2, 3, 4):
            while not recorder.alive:
                await trio.lowlevel.checkpoint()
            recorder.kill()
            while recorder.restarts < deaths:
                await trio.lowlevel.checkpoint()
        house.journal.binding("claude", "s", Binding("a"))
        nursery.cancel_scope.cancel()
    house.store.close()
    assert build(settings(tmp_path)).journal.bindings == {("claude", "s"): Binding("a")}


async def test_a_host_that_said_shadow_finds_shadow_after_a_restart(tmp_path):
    """Until it has told its settings again, nothing is answered that it did not want answered."""
    await lived(build(settings(tmp_path)), lambda house: house.journal.owned_by_host(Rules(mode="shadow")))
    again = build(settings(tmp_path))
    assert again.current.settings == evolve(settings(tmp_path), rules=Rules(mode="shadow"))
    assert again.base.rules.mode == "active"
    again.store.close()
    assert build(settings(tmp_path, auth_dir=tmp_path)).current.settings.rules.mode == "active"


async def test_entries_that_cannot_be_read_are_said(tmp_path):
    directory = tmp_path / "state"
    directory.mkdir(mode=0o700)
    (directory / "state.json").write_text(
        json.dumps({"schema": 1, "bindings": [7], "host_rules": {"mode": 7}})
    )
    house = build(settings(tmp_path))
    assert any("1 entries" in notice for notice in house.notices)
    assert house.current.settings.rules == Rules()


async def test_a_second_house_on_one_directory_remembers_nothing_and_says_so(tmp_path):
    first, second = build(settings(tmp_path)), build(settings(tmp_path))
    assert (first.store.persistent, second.store.persistent) == (True, False)
    assert second.notices
