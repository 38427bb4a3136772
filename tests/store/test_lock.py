"""One directory, one owner: across processes, and whatever way the owner ends."""

import os
import signal
from contextlib import closing

import pytest

from qr.store import StoreError, open_store
from tests.store import told


@pytest.fixture
def owner(saving, tmp_path):
    return saving(tmp_path)


def test_a_second_process_runs_without_persistence_and_says_whose_it_is(owner, tmp_path):
    with closing(open_store(tmp_path)) as second:
        assert not second.persistent
        assert f"{tmp_path} is in use by process {owner.pid}" in second.problem
        assert "stop the other process or set state_dir" in second.problem
        with pytest.raises(StoreError, match="is in use by"):
            second.save({"schema": 2, "number": -1})
    os.kill(owner.pid, 0)


def test_a_second_process_reads_what_the_first_saved_and_moves_nothing(owner, tmp_path):
    with closing(open_store(tmp_path)) as second:
        assert told(second.load())[0]["number"] >= 1
    owner.stop()
    (tmp_path / "state.json").write_bytes(b"torn")
    with closing(open_store(tmp_path)), closing(open_store(tmp_path)) as second:
        assert "left where it is" in second.load().notice
    assert (tmp_path / "state.json").read_bytes() == b"torn"


def test_it_does_not_take_over_when_the_first_ends(owner, tmp_path):
    """What it knows is not what the first one saved last: to write it would lose bindings."""
    with closing(open_store(tmp_path)) as second:
        owner.stop()
        last = told(second.load())[0]["number"]
        with pytest.raises(StoreError, match="is in use by"):
            second.save({"schema": 2, "number": -1})
        assert told(second.load())[0]["number"] == last


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_the_lock_ends_with_its_process_however_that_ends(owner, tmp_path, end):
    owner.stop(end)
    with closing(open_store(tmp_path)) as store:
        assert (store.persistent, store.problem) == (True, None)


@pytest.mark.parametrize("content", [b"", b"4711\n", b"\xff\0 no number", b"1" * 100])
def test_a_lock_file_without_an_owner_locks_nothing(tmp_path, content):
    (tmp_path / "state.lock").write_bytes(content)
    with closing(open_store(tmp_path)) as store:
        assert store.persistent
        assert (tmp_path / "state.lock").read_bytes() == b"%d\n" % os.getpid()


def test_an_owner_that_left_no_name_is_another_process(tmp_path):
    with closing(open_store(tmp_path)):
        (tmp_path / "state.lock").write_bytes(b"")
        with closing(open_store(tmp_path)) as second:
            assert "is in use by another process" in second.problem


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: path.symlink_to("elsewhere")])
def test_what_is_no_lock_file_is_a_problem_until_it_is_gone(tmp_path, make):
    make(tmp_path / "state.lock")
    with closing(open_store(tmp_path)) as store:
        assert store.persistent
        assert str(tmp_path) in store.problem
        assert told(store.load()) == (None, None)
        (tmp_path / "state.lock").rename(tmp_path / "away")
        store.save({"schema": 2})
        assert (store.persistent, store.problem) == (True, None)


def test_a_closed_store_leaves_the_directory_to_the_next_one(tmp_path):
    with closing(open_store(tmp_path)) as first:
        first.close()
        with closing(open_store(tmp_path)) as second:
            assert second.persistent
