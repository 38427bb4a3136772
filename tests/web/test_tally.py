"""Bound sessions, counted with the feed: always the same as counting them all."""

from collections import Counter

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from qr.actors.feed import Feed
from qr.actors.journal import Journal
from qr.actors.sessions import Sessions
from qr.routing.bindings import Binding
from qr.settings import Settings
from qr.web.tally import Tally


class House:
    """A supervisor's sessions, and nothing else of it."""

    def __init__(self):
        self.feed = Feed()
        self.sessions = Sessions(Settings(), Journal(), self.feed)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["bind", "unbind", "count", "shadow", "active"]),
        st.integers(0, 5),
        st.sampled_from("ab"),
    ),
    max_size=40,
)


@given(STEPS)
def test_it_is_exact_whatever_happens_in_between(steps):
    house = House()
    tally = Tally(house.feed)
    for what, number, account in steps:
        if what == "bind":
            house.sessions.unbind("claude", str(number))
            house.sessions.restore("claude", str(number), Binding(account))
        elif what == "unbind":
            house.sessions.unbind("claude", str(number))
        elif what in ("shadow", "active"):
            settings = Settings()
            house.sessions.apply(evolve(settings, rules=evolve(settings.rules, mode=what)))
        else:
            agree(tally, house)
    agree(tally, house)


def agree(tally, house):
    counted = Counter(binding.account for _, _, binding in house.sessions.in_force)
    assert +tally.sessions(house) == counted


def test_it_catches_up_when_more_has_happened_than_the_feed_keeps():
    house = House()
    tally = Tally(house.feed)
    agree(tally, house)
    for number in range(5000):
        house.sessions.restore("claude", str(number), Binding("a"))
    agree(tally, house)
