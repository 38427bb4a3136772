"""The board between accounts and their supervisor."""

from qr.actors.noticeboard import Noticeboard
from qr.routing.account import AccountView

ANN, BOB = AccountView("ann", "claude"), AccountView("bob", "claude")


def board(*answers):
    """One whose reader hears of it, or does not, in this order; and how often it was told."""
    left = list(answers)
    told = []

    def wake():
        told.append(left.pop(0))
        return told[-1]

    return Noticeboard(wake), told


def test_the_reader_is_woken_once_for_all_that_it_finds():
    noticeboard, told = board(True, True)
    for view in (ANN, BOB, ANN):
        noticeboard.pin(view)
    assert told == [True]
    assert noticeboard.take() == [ANN, BOB]
    noticeboard.pin(BOB)
    assert told == [True, True]


def test_a_reader_whose_mailbox_was_full_is_woken_with_the_next_notice():
    noticeboard, told = board(False, False, True)
    for view in (ANN, BOB, ANN, BOB):
        noticeboard.pin(view)
    assert told == [False, False, True]
