"""A warned account yields before it refuses; when all are warned, they serve as usual."""

from tests.stories.host import Host
from tests.stories.service import Inside
from tests.stories.signals import DAY


def warns(host: Host, name: str, **told: float) -> None:
    host.serves(name, five=50, week=80, week_status="allowed_warning", **told)


def test_new_sessions_go_elsewhere_before_a_warned_account_refuses(host: Host) -> None:
    host.has("ann", "bob")
    host.serves("ann", five=50, week=70, week_resets=DAY)
    host.serves("bob", five=50, week=20, week_resets=3 * DAY)
    thread = host.session("S1")
    assert thread.asks() == "ann"
    warns(host, "ann", week_resets=DAY)
    assert host.session("S2").asks() == "bob"
    assert thread.asks() == "ann"


def test_a_warned_account_of_a_higher_tier_yields_to_one_of_a_lower(host: Host) -> None:
    host.has("ann", priority=10)
    host.has("bob")
    warns(host, "ann", week_resets=DAY)
    host.serves("bob", five=50, week=20, week_resets=3 * DAY)
    assert host.session("S1").asks() == "bob"
    host.configures("warning_preference: within_priority\n")
    assert host.session("S2").asks() == "ann"


def test_nobody_starves_when_all_are_warned(host: Host, service: Inside) -> None:
    host.has("ann", "bob")
    warns(host, "ann", week_resets=DAY)
    warns(host, "bob", week_resets=3 * DAY)
    assert host.session("S1").asks() == "ann"
    assert service.reason == "policy:reset_first"


def test_a_mark_ends_when_the_provider_says_so(host: Host) -> None:
    host.has("ann", "bob")
    warns(host, "ann", week_resets=DAY)
    host.serves("bob", five=50, week=20, week_resets=3 * DAY)
    assert host.session("S1").asks() == "bob"
    host.serves("ann", five=50, week=80, week_resets=DAY)
    assert host.session("S2").asks() == "ann"
