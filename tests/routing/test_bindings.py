"""The table of bindings: least recently used first out, idle ones dropped."""

from qr.routing.bindings import Binding, Bindings

NOW = 1_788_280_000.0


def table(limit=3, ttl=100.0):
    return Bindings(limit=limit, ttl=ttl)


def keys(bindings):
    return [key for _, key, _ in bindings]


def test_the_least_recently_used_goes_first():
    bindings = table()
    for key in "abc":
        bindings.put("claude", key, Binding("x", used_at=NOW))
    bindings.put("claude", "a", Binding("x", used_at=NOW))
    bindings.put("claude", "d", Binding("x", used_at=NOW))
    assert bindings.expire(NOW) == [("claude", "b")]
    assert keys(bindings) == ["c", "a", "d"]
    assert len(bindings) == 3


def test_idle_bindings_are_dropped():
    bindings = table()
    bindings.put("claude", "old", Binding("x", used_at=NOW - 101))
    bindings.put("claude", "new", Binding("x", used_at=NOW - 100))
    assert bindings.expire(NOW) == [("claude", "old")]
    assert bindings.expire(NOW) == []
    assert table().expire(NOW) == []


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
