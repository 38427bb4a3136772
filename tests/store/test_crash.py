"""Killed at any moment of heavy writing, the file parses and is no older than the last save called safe."""

import os
import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from shutil import which

import pytest

import qr
from qr.store import open_store
from tests.store import told

ROOT = Path(qr.__file__).parent.parent

ROUNDS = 10

# Looks for the moment in a busy loop: a child writes many times a second, so it comes soon or not at all.
LOOKS = 1_000_000


def at_once(child, directory):
    """Right after a save was called safe: while the next one is encoded."""


def while_writing(child, directory):
    """As soon as a temporary file is there."""
    await_change((directory / "state.json.tmp").exists)


def half_written(child, directory):
    """As soon as a good part of the next content is there."""

    def size():
        try:
            return (directory / "state.json.tmp").stat().st_size
        except FileNotFoundError:
            return 0

    await_change(lambda: size() > 1_000_000)


def just_replaced(child, directory):
    """As soon as another file is in place, before it is called safe."""
    before = (directory / "state.json").stat().st_ino
    await_change(lambda: (directory / "state.json").stat().st_ino != before)


def await_change(seen):
    assert any(seen() for _ in range(LOOKS))


@pytest.mark.parametrize(
    "moment", [at_once, while_writing, half_written, just_replaced], ids=lambda f: f.__name__
)
def test_killed_again_and_again_it_never_tears_and_never_forgets(saving, tmp_path, moment):
    reached = 0
    for _ in range(ROUNDS):
        child = saving(tmp_path)
        moment(child, tmp_path)
        safe = child.stop()
        with closing(open_store(tmp_path)) as store:
            loaded = store.load()
        assert loaded.notice is None
        assert told(loaded)[0]["number"] >= safe > reached
        reached = safe
    assert not list(tmp_path.glob("*unread*"))


@pytest.mark.skipif(not which("strace"), reason="needs strace: the order of fsync and rename was NOT tested")
def test_the_content_is_on_the_disk_before_the_name_and_the_name_before_the_answer(tmp_path):
    """What a kill cannot show: after a loss of power nothing is there that was not flushed."""
    script = (
        "import sys; from pathlib import Path; from qr.store import open_store;"
        " open_store(Path(sys.argv[1])).save({'schema': 2}); print('safe', flush=True)"
    )
    strace = ("strace", "-y", "-e", "trace=fsync,rename,renameat,renameat2,write")
    traced = subprocess.run(
        [*strace, sys.executable, "-c", script, str(tmp_path)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    name = re.escape(str(tmp_path))
    steps = (
        rf"write\(\d+<{name}/state.json.tmp>",
        rf"fsync\(\d+<{name}/state.json.tmp>\) += 0",
        rf"rename\w*\(.*{name}/state.json",
        rf"fsync\(\d+<{name}>\) += 0",
        "safe",
    )
    assert re.search(".*".join(steps), traced.stderr, re.DOTALL), traced.stderr
