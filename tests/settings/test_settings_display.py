"""What is shown of settings, and what a change of them amounts to."""

import json
from pathlib import Path

import pytest
from attrs import evolve

from qr.settings import KEYS, Settings, as_dict, changed, dump, parse_settings

SECRET = parse_settings(
    "token: very-s3cret-token\nproxy_url: http://user:s3cret@proxy:3128", source="test", environ={}
)


@pytest.mark.parametrize("show", [as_dict, dump, repr, lambda settings: changed(Settings(), settings)])
def test_no_secret_is_shown(show):
    shown = str(show(SECRET))
    assert "s3cret" not in shown
    assert "user" not in shown.replace("user_agent", "")


def test_that_a_secret_is_set_is_shown():
    assert as_dict(SECRET)["token"] == "***"
    assert as_dict(SECRET)["proxy_url"] == "http://***@proxy:3128"
    assert as_dict(Settings())["token"] is None


def test_every_key_is_shown_ready_for_json():
    shown = as_dict(Settings(state_dir=Path("/s")))
    assert list(shown) == list(KEYS)
    assert json.loads(json.dumps(shown)) == shown
    assert shown["failover_max"] == "off"
    assert shown["poll_interval"] == 300
    assert shown["socket"] == "/s/quota-router.sock"


def test_what_is_dumped_can_be_read_again():
    settings = parse_settings(
        "mode: off\nfailover_max: 60.5\nmanual_priority: {'a b.json': -1, 'true': 2}",
        source="test",
        environ={},
    )
    assert parse_settings(dump(settings), source="test", environ={}) == settings


def test_a_change_says_what_and_whether_it_waits_for_a_restart():
    old = Settings(state_dir=Path("/s"))
    new = parse_settings(
        "mode: shadow\nlisten: 127.0.0.1:1\nmax_age: 60", source="test", base=old, environ={}
    )
    changes = changed(old, new)
    assert [(change.key, change.old, change.new, change.restart) for change in changes.keys] == [
        ("mode", "active", "shadow", False),
        ("max_age", 900, 60, False),
        ("listen", "127.0.0.1:8318", "127.0.0.1:1", True),
    ]
    assert changes.restart == ("listen",)
    assert changes


def test_no_change_is_false():
    changes = changed(Settings(), Settings())
    assert not changes
    assert changes.restart == ()


def test_a_changed_secret_is_named_and_not_shown():
    [change] = changed(SECRET, evolve(SECRET, token="another-s3cret-token")).keys
    assert (change.key, change.old, change.new, change.restart) == ("token", "***", "***", True)
