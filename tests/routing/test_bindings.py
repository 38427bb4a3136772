"""The table of bindings: least recently used first out, idle ones dropped, all of them counted."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from qr.routing.bindings import EXPIRED_AT_ONCE, Binding, Bindings

NOW = 1_788_280_000.0


def table(limit=3, ttl=100.0):
    return Bindings(limit=limit, ttl=ttl)


def test_the_least_recently_used_goes_first():
    bindings = table()
    for key in "abc":
        bindings.put("claude", key, Binding("x", used_at=NOW))
    bindings.put("claude", "a", Binding("x", used_at=NOW))
    bindings.put("claude", "d", Binding("x", used_at=NOW))
    assert bindings.expire(NOW) == [("claude", "b")]
    assert len(bindings) == 3
    bindings.bound_to(limit=0, ttl=100.0)
    assert bindings.expire(NOW) == [("claude", key) for key in "cad"]


def test_idle_bindings_are_dropped():
    bindings = table()
    bindings.put("claude", "old", Binding("x", used_at=NOW - 101))
    bindings.put("claude", "new", Binding("x", used_at=NOW - 100))
    assert bindings.expire(NOW) == [("claude", "old")]
    assert bindings.expire(NOW) == []
    assert table().expire(NOW) == []


def test_one_that_is_asked_for_too_late_has_ended():
    bindings = table()
    bindings.put("claude", "s", Binding("x", used_at=NOW - 100))
    assert not bindings.end("claude", "s", NOW)
    assert not bindings.end("claude", "another", NOW + 1)
    assert bindings.end("claude", "s", NOW + 1)
    assert bindings.get("claude", "s") is None


def test_few_go_at_a_time_and_in_the_end_all():
    bindings = table(limit=1000)
    for number in range(200):
        bindings.put("claude", str(number), Binding("x", used_at=NOW - 101))
    gone = [bindings.expire(NOW) for _ in range(5)]
    assert max(map(len, gone)) <= EXPIRED_AT_ONCE
    assert [key for few in gone for _, key in few] == [str(number) for number in range(200)]
    assert len(bindings) == 0


def test_bindings_are_per_provider():
    bindings = table()
    bindings.put("claude", "s", Binding("x"))
    assert bindings.get("codex", "s") is None
    assert bindings.get("claude", "s") == Binding("x")
    assert bindings.remove("claude", "s") == Binding("x")
    assert bindings.remove("claude", "s") is None


def test_new_bounds_take_effect():
    bindings = table()
    for key in "abc":
        bindings.put("claude", key, Binding("x", used_at=NOW))
    bindings.bound_to(limit=1, ttl=100.0)
    assert bindings.expire(NOW) == [("claude", "a"), ("claude", "b")]


STEPS = st.lists(
    st.tuples(st.sampled_from(["put", "remove", "end", "expire"]), st.integers(0, 5), st.sampled_from("ab")),
    max_size=40,
)


@given(STEPS, st.dictionaries(st.integers(6, 9), st.sampled_from("ab")))
def test_the_sessions_of_each_account_are_counted_whatever_happens(steps, before):
    known = {("claude", str(number)): Binding(account, used_at=NOW) for number, account in before.items()}
    bindings = Bindings(limit=4, ttl=100.0, known=known)
    for second, (what, number, account) in enumerate(steps):
        if what == "put":
            bindings.put("claude", str(number), Binding(account, used_at=NOW + second))
        elif what == "remove":
            bindings.remove("claude", str(number))
        elif what == "end":
            bindings.end("claude", str(number), NOW + 110)
        else:
            bindings.expire(NOW + second)
        assert bindings.sessions == Counter(bindings.get(*name).account for name in bindings.names())
        assert all(bindings.sessions.values())
