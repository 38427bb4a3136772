"""An auth directory as people really have them."""

import json
import os

import pytest
import trio

from qr.upstream.credentials import AuthEntry
from qr.upstream.directory import ENTRIES_MAX, FILE_MAX, AuthDirectory
from qr.upstream.errors import CredentialUnusableError, DirectoryUnreadableError

CLAUDE = {"type": "claude", "email": "ann@example.com", "access_token": "at-1", "priority": "5"}


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


async def ids(directory):
    with trio.fail_after(5):
        return [entry.id for entry in await directory.list()]


def whys(directory):
    return {skipped.where: skipped.why for skipped in directory.skipped}


async def test_every_json_file_below_it_is_an_account_by_its_relative_path(tmp_path):
    write(tmp_path / "claude-ann@example.com.json", CLAUDE)
    write(
        tmp_path / "team" / "deep" / "bob mit ü.JSON",
        {"type": "Codex", "access_token": "at", "disabled": True},
    )
    write(tmp_path / "gemini.json", {"type": "gemini"})
    write(tmp_path / "notes.txt", "no account")
    directory = AuthDirectory(tmp_path)
    ann, gemini, bob = await directory.list()
    assert (ann.id, ann.provider, ann.label, ann.priority) == (
        "claude-ann@example.com.json",
        "claude",
        "ann@example.com",
        5,
    )
    assert gemini.provider == "gemini"
    assert (bob.id, bob.provider, bob.disabled) == ("team/deep/bob mit ü.JSON", "codex", True)
    assert directory.skipped == []


async def test_the_file_does_not_name_itself(tmp_path):
    write(tmp_path / "a.json", {**CLAUDE, "id": "other", "auth_index": "x", "runtime_only": True})
    (entry,) = await AuthDirectory(tmp_path).list()
    assert (entry.id, entry.auth_index, entry.runtime_only) == ("a.json", "", False)


async def test_an_account_changes_when_its_file_is_written(tmp_path):
    write(tmp_path / "a.json", {**CLAUDE, "modtime": "2030-01-01T00:00:00Z"})
    os.utime(tmp_path / "a.json", (1788270000, 1788270000))
    (entry,) = await AuthDirectory(tmp_path).list()
    assert entry.changed_at == 1788270000


async def test_what_is_no_auth_file_is_skipped_and_told(tmp_path):
    write(tmp_path / "good.json", CLAUDE)
    write(tmp_path / "empty.json", "")
    write(tmp_path / "list.json", "[]")
    write(tmp_path / "half.json", '{"type": "cl')
    write(tmp_path / "deep.json", '{"a":' * 9999)
    write(tmp_path / "untyped.json", {"access_token": "at"})
    write(tmp_path / "huge.json", " " * (FILE_MAX + 1))
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "dangling.json").symlink_to(tmp_path / "nowhere")
    (tmp_path / "loop.json").symlink_to(tmp_path / "loop.json")
    (tmp_path / "folder.json").symlink_to(tmp_path)
    directory = AuthDirectory(tmp_path)
    assert await ids(directory) == ["good.json"]
    assert whys(directory) == {
        "empty.json": "no JSON object",
        "list.json": "no JSON object",
        "half.json": "no JSON object",
        "deep.json": "no JSON object",
        "untyped.json": "JSON without a `type`: no auth file",
        "huge.json": "larger than 256 KiB",
        "pipe.json": "no regular file",
        "dangling.json": "No such file or directory",
        "loop.json": "Too many levels of symbolic links",
        "folder.json": "Is a directory",
    }


async def test_a_link_to_a_file_is_followed_and_a_link_to_a_directory_is_not(tmp_path):
    write(tmp_path / "elsewhere" / "ann.json", CLAUDE)
    auths = tmp_path / "auths"
    auths.mkdir()
    (auths / "ann.json").symlink_to(tmp_path / "elsewhere" / "ann.json")
    (auths / "again").symlink_to(auths)
    assert await ids(AuthDirectory(auths)) == ["ann.json"]


async def test_a_name_that_is_no_utf_8_cannot_be_an_id(tmp_path):
    (tmp_path / os.fsdecode(b"\xff.json")).write_text(json.dumps(CLAUDE))
    directory = AuthDirectory(tmp_path)
    assert await ids(directory) == []
    assert [skipped.why for skipped in directory.skipped] == ["a file whose name is no UTF-8"]


async def test_a_directory_with_too_many_entries_is_read_so_far(tmp_path):
    for number in range(ENTRIES_MAX + 2):
        os.close(os.open(tmp_path / f"{number}.txt", os.O_CREAT))
    write(tmp_path / "below" / "a.json", CLAUDE)
    directory = AuthDirectory(tmp_path)
    assert await ids(directory) == []
    assert "10000" in directory.skipped[-1].why


@pytest.mark.parametrize("name", ["missing", "file.txt"])
async def test_a_directory_that_is_none(tmp_path, name):
    (tmp_path / "file.txt").touch()
    with pytest.raises(DirectoryUnreadableError) as raised:
        await AuthDirectory(tmp_path / name).list()
    assert "cannot be listed" in str(raised.value)
    assert str(tmp_path) not in str(raised.value)


async def test_a_credential_is_read_anew_each_time(tmp_path):
    write(tmp_path / "ann.json", CLAUDE)
    directory = AuthDirectory(tmp_path)
    (entry,) = await directory.list()
    assert (await directory.fetch(entry)).access_token == "at-1"
    write(tmp_path / "ann.json", {**CLAUDE, "access_token": "at-2"})
    assert (await directory.fetch(entry)).access_token == "at-2"


@pytest.mark.parametrize(
    "identifier", ["/etc/passwd", "../a.json", "x/../../a.json", "nul\0.json", "gone.json", ""]
)
async def test_an_id_names_a_file_inside_or_nothing(tmp_path, identifier):
    write(tmp_path / "a.json", CLAUDE)
    (tmp_path / "auths").mkdir()
    with pytest.raises(CredentialUnusableError):
        await AuthDirectory(tmp_path / "auths").fetch(AuthEntry(identifier, "claude"))
