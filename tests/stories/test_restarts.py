"""What is known of accounts and sessions outlives the service, however it ends."""

from pathlib import Path

from tests.abi.host import eventually
from tests.stories.host import Host
from tests.stories.service import Inside, Outside, Watch
from tests.stories.signals import DAY, HOUR


def knows(host: Host, name: str) -> None:
    """Asked again until the service answers for *name*; a request without a session binds nothing."""
    eventually(lambda: host.session(None).asks(offered=name) == name)


def two(host: Host) -> None:
    host.serves("ann", five=10, week=20, week_resets=DAY)
    host.serves("bob", five=10, week=20, week_resets=3 * DAY)
    knows(host, "ann")
    knows(host, "bob")


def test_a_restarted_service_knows_its_sessions_and_its_accounts(host: Host, service: Inside) -> None:
    host.has("ann", "bob")
    two(host)
    assert host.session("S1").asks() == "ann"
    host.serves("bob", five=10, week=20, week_resets=6 * HOUR)
    service.stop()
    assert host.session("S1").asks() is None
    service.start()
    assert host.session("S1").asks() == "ann"
    assert service.reason == "affinity"
    assert host.session("S2").asks() == "bob"


def test_what_was_told_long_before_a_restart_is_no_basis_for_a_new_session(
    host: Host, service: Inside, watch: Watch
) -> None:
    """A restart makes nothing fresher: a session that is bound stays, a new one is the host's to place."""
    host.has("ann", "bob")
    two(host)
    assert host.session("S1").asks() == "ann"
    service.stop()
    watch.passes(HOUR)
    service.start()
    assert host.session("S1").asks() == "ann"
    assert host.session("S2").asks() is None


def test_a_clock_that_was_set_back_while_the_service_was_down_blinds_it_to_nothing(
    host: Host, service: Inside, watch: Watch
) -> None:
    """What it remembers lies in the future then; what is told now counts all the same."""
    host.has("ann", "bob")
    two(host)
    assert host.session("S1").asks() == "ann"
    service.stop()
    watch.passes(-3 * HOUR)
    service.start()
    assert host.session("S1").asks() == "ann"
    assert host.session("S2").asks() is None
    host.serves("bob", five=10, week=20, week_resets=3 * DAY)
    assert host.session("S2").asks() == "bob"


def test_a_spent_account_is_still_spent_after_a_restart(host: Host, service: Inside) -> None:
    host.has("ann", "bob")
    two(host)
    assert host.session("S1").asks() == "ann"
    host.serves("ann", five=100, five_status="rejected", week=20, week_resets=DAY)
    assert host.session("S1").asks() == "bob"
    service.stop()
    service.start()
    assert host.session("S1").asks() == "bob"
    assert service.reason == "failover:exhausted"
    host.serves("ann", five=5, week=20, week_resets=DAY)
    assert host.session("S1").asks() == "ann"


def test_a_service_that_ends_in_order_forgets_nothing(process: Outside, lonely: Host) -> None:
    process.start()
    two(lonely)
    assert lonely.session("S1").asks() == "ann"
    process.stop()
    process.start()
    assert lonely.session("S1").asks() == "ann"


def test_a_service_that_is_killed_loses_no_session_that_was_written(
    process: Outside, lonely: Host, place: Path
) -> None:
    """It writes within a second; what the file holds is the observable event."""
    process.start()
    two(lonely)
    assert lonely.session("S1").asks() == "ann"
    lonely.serves("bob", five=10, week=20, week_resets=6 * HOUR)
    eventually(lambda: lonely.session(None).asks() == "bob")
    written = place / "state" / "state.json"
    eventually(lambda: written.exists() and '"account":"ann"' in written.read_text())
    process.kill()
    assert lonely.session("S1").asks() is None
    process.start()
    assert lonely.session("S1").asks() == "ann"


def test_nothing_private_is_in_the_state(host: Host, service: Inside, place: Path) -> None:
    host.has("ann", "bob")
    two(host)
    assert host.session("very-private-session").asks() == "ann"
    service.stop()
    state = place / "state"
    assert {path.stat().st_mode & 0o777 for path in state.iterdir()} == {0o600}
    assert state.stat().st_mode & 0o777 == 0o700
    assert "very-private-session" not in (state / "state.json").read_text()
    service.start()
