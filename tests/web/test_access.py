"""The token and the cookie: made once, kept privately, compared without telling anything."""

import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qr.settings import Settings
from qr.web.access import COOKIE_LIFE, TOKEN_FILE, Access, open_access

NOW = 1_790_000_000.0
ACCESS = Access("a-token-of-some-length")


def test_a_token_is_made_at_the_first_start_and_kept(tmp_path):
    first = open_access(Settings(state_dir=tmp_path / "state"))
    assert len(first.token) >= 43
    assert open_access(Settings(state_dir=tmp_path / "state")).token == first.token
    assert first.problem is None


def test_the_file_and_its_directory_are_for_the_owner_alone(tmp_path):
    open_access(Settings(state_dir=tmp_path / "state"))
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "state" / TOKEN_FILE).stat().st_mode) == 0o600


def test_a_file_that_others_could_read_is_closed_again(tmp_path):
    path = tmp_path / TOKEN_FILE
    path.write_text("written-by-the-operator\n")
    path.chmod(0o644)
    assert open_access(Settings(state_dir=tmp_path)).token == "written-by-the-operator"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "short\n", "has a blank in it which is odd\n", "x" * 999])
def test_a_file_without_a_token_in_it_is_replaced(tmp_path, content):
    path = tmp_path / TOKEN_FILE
    path.write_text(content)
    access = open_access(Settings(state_dir=tmp_path))
    assert access.token == path.read_text().strip() != content.strip()


@pytest.mark.parametrize("obstacle", ["directory", "link", "large"])
def test_a_place_that_cannot_be_used_costs_persistence_only(tmp_path, obstacle):
    path = tmp_path / TOKEN_FILE
    if obstacle == "directory":
        path.mkdir()
    elif obstacle == "link":
        path.symlink_to(tmp_path / "elsewhere")
    else:
        path.write_bytes(b"x" * 5000)
    access = open_access(Settings(state_dir=tmp_path))
    assert access.token
    assert TOKEN_FILE in access.problem
    assert not (tmp_path / "elsewhere").exists()


def test_the_operators_own_token_is_taken_and_not_written(tmp_path):
    access = open_access(Settings(state_dir=tmp_path, token="my-own-token-of-mine"))
    assert (access.token, access.own) == ("my-own-token-of-mine", True)
    assert list(tmp_path.iterdir()) == []


def test_no_repr_shows_the_token():
    assert ACCESS.token not in repr(ACCESS)


@given(st.text())
def test_only_the_token_opens(given_text):
    assert ACCESS.opens(given_text) == (given_text == ACCESS.token)


@pytest.mark.parametrize(
    "wrong", ["", "A-TOKEN-OF-SOME-LENGTH", "a-token-of-some-lengt", "\ud800", "é" * 20, "\0"]
)
def test_near_misses_do_not_open(wrong):
    assert not ACCESS.opens(wrong)


def test_a_cookie_opens_until_it_ends():
    cookie = ACCESS.cookie(NOW)
    assert ACCESS.opens_with_cookie(cookie, NOW)
    assert ACCESS.opens_with_cookie(cookie, NOW + COOKIE_LIFE - 1)
    assert not ACCESS.opens_with_cookie(cookie, NOW + COOKIE_LIFE)


def test_a_cookie_ends_with_its_token():
    assert not Access("another-token-of-ours").opens_with_cookie(ACCESS.cookie(NOW), NOW)


def test_a_cookie_cannot_be_prolonged():
    expires, _, signature = ACCESS.cookie(NOW).partition(".")
    assert not ACCESS.opens_with_cookie(f"{int(expires) + 1}.{signature}", NOW)


def test_a_cookie_does_not_contain_the_token():
    assert ACCESS.token not in ACCESS.cookie(NOW)


@given(st.text())
def test_no_text_is_a_cookie(text):
    assert not ACCESS.opens_with_cookie(text, NOW)
