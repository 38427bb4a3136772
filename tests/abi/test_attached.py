"""Real libraries, loaded side by side and attached to the real bridge."""

from functools import partial

import pytest
import trio

from qr.abi.install import install
from tests.abi.host import Host
from tests.abi.test_bridge import bridged, until


@pytest.fixture
def loaded(place, compiled):
    """A host that has loaded a copy of the library of its own, and answers with the copy's name."""

    def load(name):
        library = install(place / name, place / "router.sock", library=compiled).library
        return Host(library, {"host.auth.list": lambda _body: name.encode()}, watch_descriptors=False)

    return load


async def registered(host, link, config=""):
    """The host has registered the plugin, and one more library is attached."""
    before = len(link.lines)
    await trio.to_thread.run_sync(partial(host.register, config=config))
    await until(lambda: len(link.lines) > before)


async def test_the_newer_of_two_libraries_is_asked_and_after_it_the_older(place, loaded):
    async with bridged(place) as (bridge, _):
        link = bridge._link
        with loaded("old") as old:
            await registered(old, link)
            assert await link.call("host.auth.list", b"{}") == b"old"
            with loaded("new") as new:
                await registered(new, link)
                assert await link.call("host.auth.list", b"{}") == b"new"
                assert await link.call("host.auth.list", b"{}") == b"new", "neither comes back and takes over"
                assert [len(host.called) for host in (old, new)] == [1, 2]
                await trio.to_thread.run_sync(new.unload)
                await until(lambda: len(link.lines) == 1)
            assert await link.call("host.auth.list", b"{}") == b"old"


async def test_the_settings_of_the_newer_library_stay_in_force(place, loaded):
    async with bridged(place) as (bridge, _):
        link, rules = bridge._link, lambda: bridge._current.settings.rules
        with loaded("old") as old:
            await registered(old, link, "mode: shadow\n")
            with loaded("new") as new:
                await registered(new, link, "mode: off\n")
                await until(lambda: rules().mode == "off")
                await trio.to_thread.run_sync(new.unload)
                await until(lambda: len(link.lines) == 1)
                assert rules().mode == "off"
