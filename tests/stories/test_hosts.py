"""Hosts of two generations: what the old one does not tell costs comfort, and never a request."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from qr.abi.install import install
from tests.stories.host import OLD, Host
from tests.stories.service import Inside, Watch
from tests.stories.signals import DAY


@pytest.fixture
def old(library: Path, service: Inside, watch: Watch) -> Iterator[Host]:
    """It knows no sessions in usage records, and offers its top tier only."""
    with Host(library, watch.now, schema=OLD, delivering=service.taking_in) as host:
        yield host


def test_each_is_answered_in_the_schema_that_it_speaks(old: Host) -> None:
    assert old.configures()["schema_version"] == OLD
    assert old.loaded.register(6)["schema_version"] == 6
    assert old.loaded.register(99)["schema_version"] == 6
    assert old.loaded.register(None)["schema_version"] == 1


def test_an_old_host_gets_affinity_and_order_as_well(old: Host, service: Inside) -> None:
    old.has("ann", "bob")
    old.has("low", priority=-1)
    old.serves("ann", five=10, week=20, week_resets=DAY)
    old.serves("bob", five=10, week=20, week_resets=3 * DAY)
    assert old.session("S1").asks() == "ann"
    old.serves("bob", five=10, week=20, week_resets=DAY / 2)
    assert old.session("S1").asks() == "ann"
    assert old.session("S2").asks() == "bob"


def test_without_any_feedback_the_host_decides(old: Host, service: Inside) -> None:
    old.reports = False
    old.has("ann", "bob")
    old.serves("ann", five=10, week=20, week_resets=DAY)
    assert old.session("S1").asks() is None
    assert service.reason == "no_trusted_quota"
    assert service.house.calls.feedback == 0


def test_without_feedback_and_polls_one_policy_decides_all_the_same(old: Host) -> None:
    old.reports = False
    old.has("ann", "bob")
    old.configures("policy: soonest_reset\n")
    first = old.session("S1").asks()
    assert first in {"ann", "bob"}
    assert old.session("S1").asks() == first


def test_a_new_host_offers_all_tiers_and_the_highest_wins(host: Host) -> None:
    host.has("ann", priority=10)
    host.has("bob")
    host.serves("ann", five=10, week=20, week_resets=3 * DAY)
    host.serves("bob", five=10, week=20, week_resets=DAY)
    assert host.session("S1").asks() == "ann"
    host.serves("ann", five=100, five_status="rejected", week=20, week_resets=3 * DAY)
    assert host.session("S1").asks() == "bob"


def test_a_record_that_names_the_session_in_the_host_s_words_moves_no_binding(host: Host) -> None:
    host.has("ann", "bob")
    host.serves("ann", five=10, week=20, week_resets=DAY)
    host.serves("bob", five=10, week=20, week_resets=3 * DAY)
    assert host.session("S1").asks() == "ann"
    host.serves("bob", session="S1", five=10, week=20, week_resets=3 * DAY)
    assert host.session("S1").asks() == "ann"


def test_two_copies_of_the_library_share_the_service(
    host: Host, library: Path, place: Path, watch: Watch
) -> None:
    """A hot reload: the new copy is loaded before the old one rests."""
    host.has("ann")
    host.serves("ann", five=10, week=20)
    copy = install(place / "newer", place / "qr.sock", library=library).library
    with Host(copy, watch.now) as newer:
        newer.has("ann")
        assert host.loaded.call("plugin.quiesce")["ok"]
        assert newer.session("S1").asks() == "ann"
        assert host.session("S1").asks() == "ann"
