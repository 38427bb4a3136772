"""The store on a real directory: a life, and everything that may stand in the place of its file."""

import os
import socket
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest

from qr.store import StoreError, open_store
from qr.store.files import sync_directory
from qr.store.state_file import Format
from qr.store.store import MAX_STATE_BYTES
from tests.store import told

# 29 November 2026, 21:33:00 UTC.
NOW = 1795987980.0


@pytest.fixture
def store(tmp_path):
    with closing(open_store(tmp_path / "state", clock=lambda: NOW)) as store:
        yield store


@pytest.fixture
def directory(store):
    return store.path.parent


def names(directory):
    return sorted(entry.name for entry in directory.iterdir())


def image(number):
    return {"schema": 2, "number": number}


def test_a_life(tmp_path):
    """Nothing yet, saved twice, closed, opened again."""
    with closing(open_store(tmp_path / "made" / "for" / "it")) as store:
        assert (store.persistent, store.problem) == (True, None)
        assert told(store.load()) == (None, None)
        store.save(image(1))
        store.save([b'{"schema": 2,', b' "number": 2}'])
        assert names(store.path.parent) == ["state.json", "state.lock"]
    with closing(open_store(tmp_path / "made" / "for" / "it")) as store:
        assert told(store.load()) == (image(2), None)


def test_files_and_new_directories_are_private_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        with closing(open_store(tmp_path / "above" / "state")) as store:
            store.save(image(1))
            modes = {
                path.name: stat.S_IMODE(path.stat().st_mode)
                for path in (tmp_path / "above", *(tmp_path / "above").rglob("*"))
            }
    finally:
        os.umask(before)
    assert modes == {"above": 0o700, "state": 0o700, "state.json": 0o600, "state.lock": 0o600}


def test_a_directory_that_exists_keeps_its_mode_and_the_file_is_private_all_the_same(tmp_path):
    tmp_path.chmod(0o755)
    (tmp_path / "state.json").write_bytes(b'{"schema": 2, "number": 1}')
    (tmp_path / "state.json").chmod(0o644)
    with closing(open_store(tmp_path)) as store:
        store.load()
        store.save(image(2))
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / "state.json").stat().st_mode) == 0o600


def make_pipe(path):
    os.mkfifo(path)


def make_socket(path):
    # Bound by a relative name: an absolute one may be longer than a socket's name can be.
    here = os.open(".", os.O_RDONLY)
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)
    finally:
        os.fchdir(here)
        os.close(here)


def make_directory(path):
    path.mkdir()
    (path / "something").write_text("kept")


def make_link(path):
    target = path.with_name("target.json")
    target.write_bytes(b'{"schema": 2, "number": 9}')
    path.symlink_to(target)


def make_huge(path):
    path.touch()
    os.truncate(path, MAX_STATE_BYTES + 1)


UNREADABLE = {
    "torn": lambda path: path.write_bytes(b'{"schema": 2, "bindings": [{"ke'),
    "empty": lambda path: path.touch(),
    "foreign": lambda path: path.write_bytes(b'{"name": "something else"}'),
    "text": lambda path: path.write_bytes(b"# notes"),
    "directory": make_directory,
    "link": make_link,
    "dangling link": lambda path: path.symlink_to("nowhere"),
    "pipe": make_pipe,
    "socket": make_socket,
    "huge": make_huge,
}


@pytest.mark.parametrize("make", UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_is_moved_aside_as_it_is_and_said(store, directory, make):
    make(store.path)
    before = store.path.lstat()
    loaded = store.load()
    assert loaded.text is None
    assert str(store.path) in loaded.notice
    aside = directory / "state.json.unreadable-20261129T213300Z"
    assert aside.name in loaded.notice
    assert os.path.samestat(before, aside.lstat())
    store.save(image(1))
    assert told(store.load()) == (image(1), None)
    assert store.problem is None


def test_a_link_is_not_followed(store, directory):
    """Its target stays as it is, with its name."""
    make_link(store.path)
    assert "is a symbolic link" in store.load().notice
    store.save(image(1))
    assert (directory / "target.json").read_bytes() == b'{"schema": 2, "number": 9}'


def test_a_newer_file_is_kept_under_its_schema(store, directory):
    store.path.write_bytes(b'{"schema": 7, "bindings": []}')
    assert "written by a newer version (schema 7, this one knows 2)" in store.load().notice
    assert (
        directory / "state.json.schema-7-20261129T213300Z"
    ).read_bytes() == b'{"schema": 7, "bindings": []}'


def test_in_the_same_second_nothing_moved_aside_is_overwritten(store, directory):
    for content in (b"first", b"second", b"third"):
        store.path.write_bytes(content)
        store.load()
    dated = "state.json.unreadable-20261129T213300Z"
    assert [(directory / name).read_bytes() for name in (dated, f"{dated}-2", f"{dated}-3")] == [
        b"first",
        b"second",
        b"third",
    ]


def test_a_reader_that_finds_the_content_wrong_has_it_moved_aside(store, directory):
    store.save(image(1))
    notice = store.set_aside("has bindings that are no list")
    assert "state.json has bindings that are no list" in notice
    assert (directory / "state.json.unreadable-20261129T213300Z").exists()
    assert told(store.load()) == (None, None)


def test_an_older_file_is_migrated_and_written_in_the_new_schema(tmp_path):
    (tmp_path / "state.json").write_bytes(b'{"schema": 1, "bindings": [7]}')
    form = Format(2, {1: lambda image: {"sessions": image["bindings"]}})
    with closing(open_store(tmp_path, form=form)) as store:
        loaded = store.load()
        assert told(loaded) == ({"schema": 2, "sessions": [7]}, None)
        store.save([loaded.text])
        assert store.load() == loaded


def test_a_file_that_was_never_read_is_kept_not_overwritten(store, directory):
    """It came from elsewhere: a restored copy, a volume that was mounted late."""
    store.load()
    store.path.write_bytes(b'{"schema": 2, "number": 5}')
    store.save(image(1))
    assert (directory / "state.json.unread-20261129T213300Z").read_bytes() == b'{"schema": 2, "number": 5}'
    assert told(store.load()) == (image(1), None)


def test_what_a_killed_writer_left_is_cleared_away(tmp_path):
    (tmp_path / "state.json.tmp").write_bytes(b'{"schema": 2, "numb')
    with closing(open_store(tmp_path)) as store:
        assert names(tmp_path) == ["state.lock"]
        (tmp_path / "state.json.tmp").write_bytes(b"again, while it runs")
        store.save(image(1))
    assert names(tmp_path) == ["state.json", "state.lock"]


def test_a_temporary_file_is_never_written_through_a_link(store, directory):
    (directory / "victim").write_bytes(b"precious")
    (directory / "state.json.tmp").symlink_to(directory / "victim")
    store.save(image(1))
    assert (directory / "victim").read_bytes() == b"precious"


def test_a_directory_that_vanishes_is_made_anew_and_locked_anew(store, directory):
    store.save(image(1))
    for name in names(directory):
        (directory / name).unlink()
    directory.rmdir()
    store.save(image(2))
    assert told(store.load()) == (image(2), None)
    with closing(open_store(directory)) as other:
        assert not other.persistent


def test_who_lost_the_lock_to_another_process_stops_writing(store, directory):
    """Someone deleted the lock file, and a second process took the directory."""
    (directory / "state.lock").unlink()
    with closing(open_store(directory)) as other:
        other.save(image(2))
        with pytest.raises(StoreError, match="in use by"):
            store.save(image(1))
        assert not store.persistent
        assert told(other.load()) == (image(2), None)


def test_a_write_that_is_stuck_is_told_and_not_waited_for(tmp_path):
    """The clock is read within a write, to name a file that was never read: there this one gets stuck."""
    reached, go_on = threading.Event(), threading.Event()

    def clock():
        reached.set()
        return float(go_on.wait(30))

    (tmp_path / "state.json").write_bytes(b"unread")
    with closing(open_store(tmp_path, clock=clock)) as store:
        stuck = threading.Thread(target=store.save, args=(image(1),))
        stuck.start()
        assert reached.wait(30)
        with pytest.raises(StoreError, match="an earlier write has not ended yet"):
            store.save(image(2))
        go_on.set()
        stuck.join(30)
        assert told(store.load())[0] == image(1)
        store.save(image(3))


def test_without_a_free_name_the_file_stays_and_is_not_overwritten(store, directory):
    dated = "state.json.unreadable-20261129T213300Z"
    for name in (dated, *(f"{dated}-{number}" for number in range(2, 1000))):
        (directory / name).touch()
    store.path.write_bytes(b"torn")
    assert "could not be moved aside: no free name" in store.load().notice
    assert store.path.read_bytes() == b"torn"


def test_a_file_system_that_cannot_flush_names_is_no_failure():
    sync_directory(Path("/proc"))


@pytest.mark.parametrize("odd", [object(), "\ud800", {1j: 2}], ids=repr)
def test_what_json_cannot_hold_is_an_error_and_leaves_the_state(store, odd):
    store.save(image(1))
    with pytest.raises(StoreError, match="cannot be written as JSON"):
        store.save({"schema": 2, "odd": odd})
    assert store.problem
    assert told(store.load())[0] == image(1)
    store.save(image(2))
    assert store.problem is None


def test_no_more_is_written_than_would_be_read_back(store):
    with pytest.raises(StoreError, match="more than the"):
        store.save(b" " * 1024 for _ in range(MAX_STATE_BYTES // 1024 + 1))
    assert told(store.load()) == (None, None)


def test_a_closed_store_saves_nothing(store):
    store.close()
    with pytest.raises(StoreError, match="is closed"):
        store.save(image(1))
    assert not store.persistent
