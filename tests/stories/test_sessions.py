"""An agent thread stays on its account, leaves it for a cause, and comes home."""

from tests.stories.host import FABLE, GPT, SONNET, Host
from tests.stories.service import Inside, Watch
from tests.stories.signals import DAY, HOUR

SPENT = {
    "error": {"type": "rate_limit_error", "message": "This request would exceed your account's rate limit."}
}


def two(host: Host) -> None:
    """Two accounts: *ann*, whose week resets first, and *bob*."""
    host.has("ann", "bob")
    host.serves("ann", five=10, week=20, week_resets=DAY)
    host.serves("bob", five=10, week=20, week_resets=3 * DAY)


def test_a_session_stays_where_it_is_while_another_account_would_rank_better(
    host: Host, service: Inside
) -> None:
    two(host)
    thread = host.session("S1")
    assert thread.asks() == "ann"
    host.serves("bob", five=10, week=20, week_resets=6 * HOUR)
    assert host.session("S2").asks() == "bob"
    assert thread.asks() == "ann"
    assert service.reason == "affinity"


def test_a_session_leaves_a_spent_account_and_comes_home_when_it_is_not(host: Host, service: Inside) -> None:
    two(host)
    thread = host.session("S1")
    assert thread.asks() == "ann"
    host.refuses(
        "ann", 429, SPENT, five=100, five_status="rejected", five_resets=HOUR, week=25, week_resets=DAY
    )
    assert thread.asks() == "bob"
    assert service.reason == "failover:exhausted"
    assert thread.asks() == "bob"
    host.serves("ann", five=1, week=25, week_resets=DAY)
    assert thread.asks() == "ann"
    assert service.reason == "affinity"


def test_a_session_comes_home_at_the_reset_without_anybody_telling(
    host: Host, service: Inside, watch: Watch
) -> None:
    two(host)
    thread = host.session("S1")
    assert thread.asks() == "ann"
    host.refuses(
        "ann", 429, SPENT, five=100, five_status="rejected", five_resets=HOUR, week=25, week_resets=DAY
    )
    assert thread.asks() == "bob"
    watch.passes(HOUR + 1)
    assert thread.asks() == "ann"


def test_a_stand_in_is_kept_so_that_the_thread_does_not_wander(host: Host) -> None:
    two(host)
    host.has("cat")
    thread = host.session("S1")
    assert thread.asks() == "ann"
    host.refuses(
        "ann", 429, SPENT, five=100, five_status="rejected", five_resets=HOUR, week=25, week_resets=DAY
    )
    assert thread.asks() == "bob"
    host.serves("cat", five=0, week=0, week_resets=2 * HOUR)
    assert host.session("S2").asks() == "cat"
    assert thread.asks() == "bob"


def test_a_subagent_follows_its_parent(host: Host, service: Inside) -> None:
    two(host)
    assert host.session("S1").asks() == "ann"
    host.serves("bob", five=0, week=0, week_resets=2 * HOUR)
    assert host.session("scout", parent="S1").asks() == "ann"
    assert service.reason == "inherit"
    assert host.session("S2").asks() == "bob"


def test_a_spent_fable_week_moves_no_sonnet_session(host: Host, service: Inside) -> None:
    two(host)
    thread, artist = host.session("S1"), host.session("S2")
    assert thread.asks(SONNET) == "ann"
    assert artist.asks(FABLE) == "ann"
    host.refuses(
        "ann",
        429,
        SPENT,
        model=FABLE,
        five=20,
        week=30,
        week_resets=DAY,
        fable=100,
        fable_status="rejected",
        fable_resets=DAY,
    )
    assert artist.asks(FABLE) == "bob"
    assert service.reason == "failover:exhausted"
    assert thread.asks(SONNET) == "ann"
    assert service.reason == "affinity"


def test_two_providers_have_a_binding_each(host: Host) -> None:
    two(host)
    host.has("cox", provider="codex")
    host.serves("cox", model=GPT, five=10, week=20)
    thread = host.session("S1")
    assert (thread.asks(SONNET), thread.asks(GPT), thread.asks(SONNET)) == ("ann", "cox", "ann")


def test_a_session_whose_account_is_not_offered_for_once_comes_back_to_it(
    host: Host, service: Inside
) -> None:
    two(host)
    thread = host.session("S1")
    assert thread.asks() == "ann"
    assert thread.asks(offered="bob") == "bob"
    assert service.reason == "failover:not_offered"
    assert thread.asks() == "ann"


def test_a_session_leaves_a_dead_login_for_good(host: Host, service: Inside) -> None:
    two(host)
    thread = host.session("S1")
    assert thread.asks() == "ann"
    revoked = {"error": {"type": "permission_error", "message": "OAuth token has been revoked."}}
    host.refuses("ann", 403, revoked)
    assert thread.asks() == "bob"
    assert service.reason == "rebind:auth_failed"
    host.serves("ann", five=10, week=20, week_resets=DAY)
    assert thread.asks() == "bob"


def test_a_pin_of_the_host_is_kept_and_makes_no_binding(host: Host, service: Inside) -> None:
    two(host)
    thread = host.session("S1")
    assert thread.asks(offered="bob", pinned="bob") == "bob"
    assert service.reason == "pinned"
    assert thread.asks() == "ann"
    assert thread.asks(offered="bob", pinned="bob") == "bob"
    assert thread.asks() == "ann"


def test_an_account_that_the_host_deleted_is_gone_for_good(host: Host, service: Inside) -> None:
    two(host)
    service.counts_accounts_again()
    assert service.view("ann").label
    thread = host.session("S1")
    assert thread.asks() == "ann"
    host.deletes("ann")
    assert thread.asks() == "bob"
    assert service.reason == "failover:not_offered"
    service.counts_accounts_again()
    assert service.view("ann") is None
    assert thread.asks() == "bob"
    assert service.reason == "rebind:removed"


def test_a_request_without_a_session_is_served_by_quota_and_leaves_no_binding(
    host: Host, service: Inside
) -> None:
    two(host)
    nobody = host.session(None)
    assert nobody.asks() == "ann"
    host.serves("bob", five=0, week=0, week_resets=2 * HOUR)
    assert nobody.asks() == "bob"
    assert service.house.journal.bindings == {}


def test_five_failures_open_the_circuit_and_one_success_closes_it(
    host: Host, service: Inside, watch: Watch
) -> None:
    two(host)
    thread = host.session("S1")
    assert thread.asks() == "ann"
    for _ in range(5):
        watch.passes(1)
        host.refuses("ann", 529, {"error": {"type": "overloaded_error"}})
    assert thread.asks() == "bob"
    assert service.reason == "failover:circuit_open"
    watch.passes(40)
    assert thread.asks() == "ann"
    host.serves("ann")
    assert thread.asks() == "ann"
    assert service.view("ann").circuit == "closed"
