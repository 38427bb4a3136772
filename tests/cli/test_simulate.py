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


def test_policies_side_by_side_fit_a_terminal():
    names = "reset_first,quota_pressure,host_default"
    done = qr("simulate", *SMALL, "--compare", names)
    assert done.returncode == 0, done.stderr
    traffic, _, head, *lines = done.stdout.splitlines()
    assert "sessions in 0.05 days, 3 accounts, faults: some, seed 7" in traffic
    assert head.split()[:4] == ["policy", "unserved", "refused", "avoidable"]
    assert [line.split()[0] for line in lines[:3]] == names.split(",")
    assert all(len(line.split()) >= 9 and "…" not in line for line in lines[:3])
    assert all(len(line.rstrip()) <= 80 for line in done.stdout.splitlines())
    assert all(f"\n{word} " in done.stdout for word in head.split()[1:] if word != "avoidable")


def test_a_person_can_read_it():
    done = qr("simulate", *SMALL)
    assert done.returncode == 0, done.stderr
    assert "quota wasted at resets" in done.stdout


def test_an_unknown_policy_is_wrong_usage():
    done = qr("simulate", "--compare", "best")
    assert done.returncode == 2
    assert "no such policy: best" in done.stderr
