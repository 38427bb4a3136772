"""Bindings as the supervisor keeps them: what has ended counts no more, however much has ended at once."""

from qr.actors.feed import Feed
from qr.actors.journal import Journal
from qr.actors.sessions import Sessions
from qr.routing.bindings import EXPIRED_AT_ONCE, Binding
from qr.routing.question import Question
from qr.settings import Settings

MANY = 3 * EXPIRED_AT_ONCE
TTL = Settings().binding_ttl


def idle_since(moment):
    journal = Journal()
    sessions = Sessions(Settings(), journal, Feed())
    for number in range(MANY):
        sessions.restore("claude", str(number), Binding("a", used_at=moment))
    return sessions, journal


def test_who_comes_back_too_late_is_bound_to_nothing():
    sessions, journal = idle_since(0.0)
    question = Question(("claude",), session="100", parent="101")
    sessions.end(question, TTL)
    assert len(sessions.bound) == MANY
    sessions.end(question, TTL + 1)
    assert sessions.bound.get("claude", "100") is sessions.bound.get("claude", "101") is None
    assert len(sessions.bound) == len(journal.bindings) == MANY - 2


def test_those_who_do_not_come_back_leave_some_at_a_time():
    sessions, journal = idle_since(0.0)
    left = []
    while len(sessions.bound):
        sessions.expire(TTL + 1)
        left.append(len(journal.bindings))
    assert left == [2 * EXPIRED_AT_ONCE, EXPIRED_AT_ONCE, 0]
