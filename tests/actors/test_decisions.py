"""The newest decisions: a ring, found by number and by session."""

from hypothesis import given
from hypothesis import strategies as st

from qr.actors import decisions
from qr.actors.decisions import Decisions
from qr.routing.decision import Decision
from qr.routing.question import Question

SESSIONS = st.lists(st.sampled_from([None, "a", "b", "c", "d"]), max_size=40)


@given(SESSIONS, st.integers(1, 6))
def test_the_last_one_of_each_session_is_told_as_long_as_it_is_kept(sessions, kept):
    before, decisions.KEPT = decisions.KEPT, kept
    try:
        ring = Decisions()
        for session in sessions:
            ring.add(Decision(Question(session=session), "affinity"))
    finally:
        decisions.KEPT = before
    there = list(ring)
    assert [one.number for one in there] == list(range(len(sessions), 0, -1))[:kept]
    assert all(ring.get(one.number) is one for one in there)
    last = {one.decision.question.session: one.number for one in reversed(there)}
    last.pop(None, None)
    assert ring.last == last
