"""The board between accounts and their supervisor."""

from qr.actors.account_state import AccountState, Entry, view_of
from qr.actors.noticeboard import Noticeboard
from tests.actors.house import NOW

ANN, BOB = (AccountState(Entry(name, "claude")) for name in ("ann", "bob"))


def board(*answers):
    """One whose reader hears of it, or does not, in this order; and how often it was told."""
    left = list(answers)
    told = []

    def wake():
        told.append(left.pop(0))
        return told[-1]

    return Noticeboard(wake), told


def pin(noticeboard, state):
    noticeboard.pin(view_of(state, {}, NOW), state)


def test_the_reader_is_woken_once_for_all_that_it_finds():
    noticeboard, told = board(True, True)
    for state in (ANN, BOB, ANN):
        pin(noticeboard, state)
    assert told == [True]
    assert [state for _, state in noticeboard.take()] == [ANN, BOB]
    pin(noticeboard, BOB)
    assert told == [True, True]


def test_a_reader_whose_mailbox_was_full_is_woken_with_the_next_notice():
    noticeboard, told = board(False, False, True)
    for state in (ANN, BOB, ANN, BOB):
        pin(noticeboard, state)
    assert told == [False, False, True]
