"""`qr simulate` as a user runs it."""

import json

from tests.cli.test_commands import qr

SMALL = ("--days", "0.05", "--accounts", "3", "--sessions", "4")


def test_policies_side_by_side_on_the_same_traffic():
    done = qr("simulate", *SMALL, "--compare", "reset_first,host_default", "--json")
    assert done.returncode == 0, done.stderr
    ours, hosts = map(json.loads, done.stdout.splitlines())
    assert (ours["policy"], hosts["policy"]) == ("reset_first", "host_default")
    assert ours["requests"] == hosts["requests"] > 0


def test_a_person_can_read_it():
    done = qr("simulate", *SMALL)
    assert done.returncode == 0, done.stderr
    assert "quota wasted at resets" in done.stdout


def test_an_unknown_policy_is_wrong_usage():
    done = qr("simulate", "--compare", "best")
    assert done.returncode == 2
    assert "no such policy: best" in done.stderr
