"""Disks that refuse: full, read-only, forbidden. The store says so, and saves again as soon as it can."""

import os
import resource
import subprocess
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from qr.store import StoreError, open_store
from tests.store import told

SMALL = {"schema": 2, "number": 1}
LARGE = {"schema": 2, "ballast": "x" * 200_000}


def test_on_a_full_disk_the_last_state_stands_and_room_is_enough_to_go_on(mounted):
    directory = mounted("size=256k", "mode=700")
    with closing(open_store(directory)) as store:
        store.save(SMALL)
        filler = directory / "filler"
        filler.write_bytes(b"x" * 100_000)
        with pytest.raises(StoreError, match="the disk is full; free some space"):
            store.save(LARGE)
        assert str(store.path) in store.problem
        assert store.persistent
        assert told(store.load()) == (SMALL, None)
        assert sorted(path.name for path in directory.iterdir()) == ["filler", "state.json", "state.lock"]
        filler.unlink()
        store.save(LARGE)
        assert store.problem is None
        assert told(store.load()) == (LARGE, None)


def test_on_a_disk_without_any_room_it_still_opens_and_reads(mounted):
    directory = mounted("size=64k", "mode=700")
    (directory / "state.json").write_bytes(b'{"schema": 2, "number": 1}')
    with pytest.raises(OSError, match="No space"):
        (directory / "filler").write_bytes(b"x" * 100_000)
    with closing(open_store(directory)) as store:
        assert told(store.load()) == (SMALL, None)
        with pytest.raises(StoreError, match="the disk is full"):
            store.save(LARGE)


def test_a_read_only_disk_is_read_and_written_as_soon_as_it_can_be(mounted):
    directory = mounted("size=256k", "mode=700")
    (directory / "state.json").write_bytes(b'{"schema": 2, "number": 1}')
    subprocess.run(["mount", "-o", "remount,ro", str(directory)], check=True)
    with closing(open_store(directory)) as store:
        assert store.persistent
        assert "read-only; mount it for writing, or set state_dir" in store.problem
        assert told(store.load()) == (SMALL, None)
        with pytest.raises(StoreError, match="read-only"):
            store.save(SMALL)
        subprocess.run(["mount", "-o", "remount,rw", str(directory)], check=True)
        store.save({"schema": 2, "number": 2})
        assert (store.persistent, store.problem) == (True, None)


def test_an_unreadable_file_on_a_read_only_disk_is_named_and_never_overwritten(mounted):
    directory = mounted("size=256k", "mode=700")
    (directory / "state.json").write_bytes(b"torn")
    subprocess.run(["mount", "-o", "remount,ro", str(directory)], check=True)
    with closing(open_store(directory, clock=lambda: 0.0)) as store:
        assert "left where it is" in store.load().notice
        subprocess.run(["mount", "-o", "remount,rw", str(directory)], check=True)
        store.save(SMALL)
        assert (directory / "state.json.unread-19700101T000000Z").read_bytes() == b"torn"


def test_a_limit_on_the_size_of_files_is_told_like_a_full_disk(tmp_path):
    with closing(open_store(tmp_path)) as store:
        store.save(SMALL)
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
        try:
            with pytest.raises(StoreError, match="ulimit -f"):
                store.save(LARGE)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert told(store.load()) == (SMALL, None)
        store.save(LARGE)


@pytest.fixture
def place(powerless):
    """A directory of a user without rights."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)
        Path(name).chmod(0o700)


def test_a_forbidden_directory_is_a_problem_until_it_is_allowed(place):
    place.chmod(0o500)
    with closing(open_store(place / "state")) as store:
        assert store.persistent
        assert f"permission denied; let user {os.geteuid()} write to {place / 'state'}" in store.problem
        assert told(store.load()) == (None, None)
        with pytest.raises(StoreError, match="permission denied"):
            store.save(SMALL)
        place.chmod(0o700)
        store.save(SMALL)
        assert (store.persistent, store.problem, told(store.load())[0]) == (True, None, SMALL)


def test_a_directory_that_may_not_be_entered_is_a_problem_too(place):
    (place / "state").mkdir(mode=0o000)
    with closing(open_store(place / "state")) as store:
        assert "permission denied" in store.problem
        assert "cannot be read: Permission denied" in store.load().notice


def test_a_file_that_may_not_be_read_is_moved_aside(place):
    (place / "state.json").write_bytes(b'{"schema": 2, "number": 1}')
    (place / "state.json").chmod(0o000)
    with closing(open_store(place, clock=lambda: 0.0)) as store:
        assert "cannot be read: Permission denied" in store.load().notice
        store.save(SMALL)
    assert (place / "state.json.unreadable-19700101T000000Z").stat().st_size == 26


def test_a_file_that_may_not_be_moved_is_named_and_never_overwritten(place):
    """The lock file is there and open to us, the directory is not."""
    (place / "state.lock").touch()
    (place / "state.json").write_bytes(b"torn")
    place.chmod(0o500)
    with closing(open_store(place)) as store:
        assert store.persistent
        assert "could not be moved aside: Permission denied" in store.load().notice
        with pytest.raises(StoreError, match="permission denied"):
            store.save(SMALL)
        assert (place / "state.json").read_bytes() == b"torn"


def test_a_file_in_place_of_the_directory_is_named(tmp_path):
    (tmp_path / "state").write_text("a file")
    for directory in (tmp_path / "state", tmp_path / "state" / "below"):
        with closing(open_store(directory)) as store:
            assert "is a file; remove it, or set another state_dir" in store.problem
            assert told(store.load()) == (None, None)
