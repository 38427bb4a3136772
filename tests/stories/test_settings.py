"""The host's configuration rules, at once and without a restart."""

import json

from tests.abi.host import eventually
from tests.stories.host import Host
from tests.stories.service import Inside
from tests.stories.signals import DAY


def two(host: Host) -> None:
    """*ann* resets first; *bob* has far more left for each hour until his reset."""
    host.has("ann", "bob")
    host.serves("ann", five=10, week=93, week_resets=2 * DAY)
    host.serves("bob", five=10, week=0, week_resets=3 * DAY)


def test_a_policy_holds_from_the_next_pick_on(host: Host, service: Inside) -> None:
    two(host)
    assert host.session("S1").asks() == "ann"
    host.configures("policy: quota_pressure\n")
    assert host.session("S2").asks() == "bob"
    assert service.reason == "policy:quota_pressure"
    host.configures("")
    assert host.session("S3").asks() == "ann"


def test_off_leaves_everything_to_the_host(host: Host, service: Inside) -> None:
    two(host)
    host.configures("mode: off\n")
    assert host.session("S1").asks() is None
    assert service.reason == "off"
    host.configures("mode: active\n")
    assert host.session("S1").asks() == "ann"


def test_shadow_records_whom_it_would_choose_and_leaves_the_choice_to_the_host(
    host: Host, service: Inside
) -> None:
    two(host)
    host.configures("mode: shadow\n")
    assert host.session("S1").asks() is None
    assert (service.reason, service.would) == ("shadow", "ann")
    host.serves("bob", five=10, week=0, week_resets=DAY)
    assert host.session("S1").asks() is None
    assert service.would == "ann"
    host.configures("mode: active\n")
    assert host.session("S1").asks() == "bob"


def test_wrong_settings_stay_out_of_force_and_the_plugin_stays_registered(
    host: Host, service: Inside
) -> None:
    two(host)
    host.configures("policy: quota_pressure\n")
    registered = host.configures("policy: quickest\nmax_age: yesterday\n")
    assert registered["capabilities"]["scheduler"] is True
    assert host.session("S1").asks() == "bob"
    problems = " ".join(service.house.current.problems)
    assert "policy" in problems
    assert "max_age" in problems


def test_what_the_operator_prefers_comes_before_the_policy(host: Host) -> None:
    two(host)
    host.configures("manual_priority: {bob: 1}\n")
    assert host.session("S1").asks() == "bob"


def test_a_restarted_service_learns_the_host_s_settings_by_itself(host: Host, service: Inside) -> None:
    two(host)
    host.configures("policy: quota_pressure\n")
    service.stop()
    service.start()
    eventually(lambda: host.session(None).asks() == "bob")
    assert service.reason == "policy:quota_pressure"


def test_settings_change_while_picks_are_made(host: Host) -> None:
    """No pick ever fails for it, and the last settings hold."""
    two(host)

    def one(number: int) -> str | None:
        if number % 10 == 0:
            host.configures("mode: off\n" if number % 20 else "policy: quota_pressure\n")
            return None
        return host.session(None).asks()

    assert set(host.loaded.many(40, one)) <= {"ann", "bob", None}
    host.configures("policy: quota_pressure\n")
    assert host.session("last").asks() == "bob"


def test_the_registration_promises_what_the_plugin_does(host: Host) -> None:
    assert host.configures()["capabilities"] == {
        "scheduler": True,
        "scheduler_across_priorities": True,
        "usage_plugin": True,
        "management_api": True,
    }
    assert json.dumps(host.configures()) == json.dumps(host.loaded.register(6))
