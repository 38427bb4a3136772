"""Settings from text, form and environment: each key, each way it can be wrong, and all problems at once."""

from pathlib import Path

import pytest
from attrs import fields
from hypothesis import given
from hypothesis import strategies as st

from qr.routing.policies import POLICIES
from qr.routing.rules import Rules
from qr.settings import KEYS, Settings, SettingsError, load_settings, parse_settings, settings_from

TOKEN = "a-token-of-my-own"


def parse(text, **more):
    return parse_settings(text, source="config.yaml", **({"environ": {}} | more))


def problems(text, **more):
    with pytest.raises(SettingsError) as caught:
        parse(text, **more)
    return [str(problem) for problem in caught.value.problems]


def test_nothing_said_is_the_specification():
    settings = parse("")
    assert settings == Settings()
    assert settings.rules == Rules()
    assert (settings.rules.mode, settings.rules.policy) == ("active", "reset_first")
    assert (settings.poll_interval, settings.reset_probe, settings.max_passive_skips) == (300, 30, 6)
    assert (settings.breaker_failures, settings.breaker_window, settings.breaker_open) == (5, 60, 30)
    assert (settings.binding_ttl, settings.max_bindings, settings.pick_deadline) == (604_800, 20_000, 0.25)
    assert (settings.listen, settings.host, settings.port) == ("127.0.0.1:8318", "127.0.0.1", 8318)
    assert settings.socket == settings.state_dir / "quota-router.sock"


def test_what_the_host_sends_is_read():
    """Its own keys stand among ours (contract, section 1.6)."""
    text = b"enabled: true\npriority: 100\nstore: {version: 1.2.0}\nmode: shadow\nmanual_priority: {a: 5}\n"
    assert parse(text).rules == Rules(mode="shadow", manual_priority={"a": 5})


def test_every_problem_is_named_at_once_with_line_and_key():
    text = """\
enabled: true
mode: activ
poll-interval: 300
new_session_min_remaining: 101
manual_priority:
  claude-a.json: 1
  claude-b.json: high
  claude-c.json: 1.5
max_age: yes
max_age: 900
inherit_parent: 1
listen: localhost
token: *mine
breaker_failures: [5]
"""
    assert problems(text) == [
        'line 2: mode: expected one of active, shadow, off, got "activ"',
        "line 3: poll-interval: unknown key, did you mean poll_interval?",
        "line 4: new_session_min_remaining: must be 0 to 100, got 101",
        'line 7: manual_priority.claude-b.json: expected an integer, got "high"',
        "line 8: manual_priority.claude-c.json: expected an integer, got 1.5",
        'line 9: max_age: expected a number, got "yes"',
        "line 10: max_age: given twice, first on line 9",
        "line 11: inherit_parent: expected true or false, got 1",
        "line 12: listen: expected host:port, such as 127.0.0.1:8318 or [::1]:8318",
        "line 13: token: aliases (*mine) are not read: write the value out",
        "line 14: breaker_failures: expected an integer, got a list",
    ]


def test_the_error_names_its_source_and_stays_readable():
    with pytest.raises(SettingsError) as caught:
        parse("".join(f"key{number}: 1\n" for number in range(500)))
    lines = str(caught.value).splitlines()
    assert lines[0] == "config.yaml:"
    assert lines[1] == "  line 1: key0: unknown key"
    assert lines[-1] == "  … and 450 more"
    assert len(caught.value.problems) == 500


NUMBERS = [name for name, key in KEYS.items() if key.kind.type in ("number", "integer")]


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_is_a_number_within_its_range(name):
    kind = KEYS[name].kind
    for value in (kind.low, kind.high):
        assert name in KEYS
        parse(f"{name}: {value}")
    for wrong in ("true", "'5'", "nothing", "[1]", "{a: 1}", ".nan", ".inf", "-1e9", "1e30", "9" * 200):
        assert problems(f"{name}: {wrong}")[0].startswith(f"line 1: {name}: ")


@pytest.mark.parametrize("name", [name for name in NUMBERS if KEYS[name].kind.type == "integer"])
def test_an_integer_may_be_spelled_as_hosts_spell_it_but_must_be_whole(name):
    """JSON has one type of number: a form's 5 can arrive as 5.0 or 5e+00."""
    assert getattr(parse(f"{name}: 5e+00"), name) == 5
    assert type(getattr(parse(f"{name}: 5.0"), name)) is int
    assert problems(f"{name}: 5.5") == [f"line 1: {name}: expected an integer, got 5.5"]


@pytest.mark.parametrize("off", ["off", "false", "'off'", '"off"', "False"])
def test_off_is_off_also_after_a_reader_took_it_for_false(off):
    rules = parse(f"mode: {off}\nwarning_preference: {off}\nfailover_max: {off}").rules
    assert (rules.mode, rules.warning_preference, rules.failover_max) == ("off", "off", None)


def test_off_is_taken_only_where_it_means_something():
    assert problems("policy: off\npaid_usage: false\nmax_age: off\nmanual_priority: off") == [
        'line 1: policy: expected one of reset_first, quota_pressure, balanced, soonest_reset, got "off"',
        "line 2: paid_usage: expected one of avoid, allow, got false",
        'line 3: max_age: expected a number, got "off"',
        'line 4: manual_priority: expected a mapping of names to values, got "off"',
    ]


@pytest.mark.parametrize(
    ("word", "value"), [("true", True), ("on", True), ("Yes", True), ("off", False), ("no", False)]
)
def test_a_switch_takes_the_words_of_every_reader(word, value):
    assert parse(f"inherit_parent: {word}").rules.inherit_parent is value


def test_the_policies_are_those_of_the_registry():
    for name in POLICIES:
        assert parse(f"policy: {name}").rules.policy == name


def test_failover_max_is_seconds_or_nothing():
    assert parse("failover_max: 3600").rules.failover_max == 3600
    assert parse("failover_max:").rules.failover_max is None
    assert problems("failover_max: 0") == ["line 1: failover_max: must be 1 to 5184000 or off, got 0"]


def test_an_empty_table_and_names_of_any_kind():
    assert parse("manual_priority:").rules.manual_priority == {}
    ids = {"team/a b.json": 1, "007": -2, "true": 3, "claude:apikey:0123456789ab": 4}
    text = "manual_priority:\n" + "".join(f"  '{name}': {value}\n" for name, value in ids.items())
    assert parse(text).rules.manual_priority == ids


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("http://proxy:3128", "http://proxy:3128"),
        ("socks5h://user:p%40ss@[::1]:1080/", "socks5h://user:p%40ss@[::1]:1080/"),
        ("Direct", "direct"),
        ("none", "direct"),
        ("", None),
        ("''", None),
    ],
)
def test_a_proxy(value, kept):
    assert parse(f"proxy_url: {value}").proxy_url == kept


MALFORMED_PROXIES = (
    "proxy:3128",
    "ftp://u:s3cret@proxy",
    "http://",
    "http://u:s3cret@p:0",
    "http://u:s3 cret@p",
    "http://u:s3cret@p:x",
    "http://[x",
    "http://p/s3cret",
    "[s3cret]",
    "5",
)


@pytest.mark.parametrize("value", MALFORMED_PROXIES)
def test_a_malformed_proxy_is_refused_and_never_repeated(value):
    [problem] = problems(f"proxy_url: {value}")
    assert problem.startswith("line 1: proxy_url: ")
    assert "s3" not in problem


@pytest.mark.parametrize(
    "value", ["short-s3cret", "s3cret with blanks", "s3cret/and+more==", "[s3cret]", "'s3crét-long-enough'"]
)
def test_a_malformed_token_is_refused_and_never_repeated(value):
    [problem] = problems(f"token: {value}")
    assert "s3cr" not in problem


def test_endpoints_are_https_or_near():
    settings = parse("claude_base_url: https://gateway.example/claude/\ncodex_base_url: http://127.0.0.1:9/x")
    assert settings.claude_base_url == "https://gateway.example/claude"
    assert settings.codex_base_url == "http://127.0.0.1:9/x"
    assert parse("claude_base_url: http://lab:8080").claude_base_url == "http://lab:8080"
    said = "line 1: claude_base_url: http:// would send the credentials in clear text: use https://"
    assert problems("claude_base_url: http://gateway.example") == [said]


@pytest.mark.parametrize(
    "value", ["ftp://x", "https://u:p@x", "https://x?q", "https://x#f", "https://", "x", "5", "''"]
)
def test_a_malformed_endpoint_is_refused(value):
    assert problems(f"codex_base_url: {value}")[0].startswith("line 1: codex_base_url: expected ")


def test_a_user_agent_is_what_a_header_can_hold():
    assert parse("poll_user_agent: ' my-agent/1.0 (x) '").poll_user_agent == "my-agent/1.0 (x)"
    assert parse("poll_user_agent:").poll_user_agent is None
    for wrong in ('"a\\r\\nX: y"', "agént", "a" * 257):
        assert problems(f"poll_user_agent: {wrong}") == [
            "line 1: poll_user_agent: expected printable ASCII, at most 256 characters"
        ]


@pytest.mark.parametrize(
    ("listen", "host", "port"),
    [("127.0.0.1:0", "127.0.0.1", 0), ("localhost:80", "localhost", 80), ("'[::1]:8318'", "::1", 8318)],
)
def test_an_address_to_listen_on(listen, host, port):
    settings = parse(f"listen: {listen}")
    assert (settings.host, settings.port) == (host, port)


@pytest.mark.parametrize(
    "value",
    [
        "8318",
        ":8318",
        "localhost",
        "'127.0.0.1:'",
        "127.0.0.1:65536",
        "::1:80",
        "'[::g]:80'",
        "'[1:2]:80'",
        "a b:80",
        "'a:٣'",
    ],
)
def test_a_malformed_address_is_refused(value):
    assert problems(f"listen: {value}")[0].startswith("line 1: listen: expected host:port")


@pytest.mark.parametrize("listen", ["0.0.0.0:8318", "'[::]:8318'", "192.168.1.5:8318", "router.example:8318"])
def test_beyond_loopback_a_token_must_be_set(listen):
    [problem] = problems(f"mode: off\nlisten: {listen}")
    assert problem.startswith("line 2: listen: other machines can reach ")
    assert "token or QUOTA_ROUTER_TOKEN" in problem
    assert parse(f"listen: {listen}\ntoken: {TOKEN}").token == TOKEN
    assert parse(f"listen: {listen}", environ={"QUOTA_ROUTER_TOKEN": TOKEN}).token == TOKEN


def test_paths_are_absolute_and_know_the_home_directory(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    settings = parse("state_dir: ~/state\nauth_dir: auths")
    assert settings.state_dir == tmp_path / "state"
    assert settings.auth_dir == tmp_path / "auths"
    assert problems('state_dir: ~no-such-user/x\nauth_dir: "a\\0b"') == [
        "line 1: state_dir: ~ names no home directory here: write the path out",
        "line 2: auth_dir: a path cannot hold a null character",
    ]


def test_a_home_that_is_not_there_is_a_problem_and_no_relative_path():
    """A container without a user: the platform's default would start with a bare `~`."""
    with pytest.raises(SettingsError, match="state_dir: no home directory to put it in"):
        parse("", base=Settings(state_dir=Path("~/.local/state/quota-router")))


def test_the_socket_lies_in_the_state_directory_unless_it_is_put_elsewhere():
    assert parse("state_dir: /s").socket == Path("/s/quota-router.sock")
    assert parse("socket: /run/qr.sock\nstate_dir: /s").socket == Path("/run/qr.sock")
    base = parse("state_dir: /s")
    assert parse("state_dir: /t", base=base).socket == Path("/t/quota-router.sock")
    assert parse("state_dir: /t", base=parse("socket: /run/qr.sock")).socket == Path("/run/qr.sock")


def test_a_socket_path_that_no_system_takes_is_a_problem_with_its_length():
    fits = "/" + "s" * (107 - len("/quota-router.sock") - 1)
    assert len(str(parse(f"state_dir: {fits}").socket)) == 107
    said = "socket: its path has 108 bytes, a Unix socket's has at most 107: set a shorter one"
    assert problems(f"mode: off\nstate_dir: {fits}s") == [f"line 2: {said}"]
    assert problems("socket: /" + "ü" * 54) == ["line 1: " + said.replace("108", "109")]
    assert problems("", environ={"QUOTA_ROUTER_STATE_DIR": f"{fits}s"}) == [said]


def test_the_environment_overrides_the_text():
    environ = {
        "QUOTA_ROUTER_STATE_DIR": "/state",
        "QUOTA_ROUTER_SOCKET": "/run/qr.sock",
        "QUOTA_ROUTER_LISTEN": "0.0.0.0:80",
        "QUOTA_ROUTER_TOKEN": TOKEN,
    }
    settings = parse("state_dir: /other\nlisten: 127.0.0.1:1\nmode: shadow", environ=environ)
    assert (settings.state_dir, settings.socket) == (Path("/state"), Path("/run/qr.sock"))
    assert (settings.listen, settings.token, settings.rules.mode) == ("0.0.0.0:80", TOKEN, "shadow")


def test_an_empty_variable_says_nothing_and_a_wrong_one_is_named():
    assert parse("", environ={"QUOTA_ROUTER_LISTEN": "", "QUOTA_ROUTER_OTHER": "x"}) == Settings()
    assert problems("mod: off", environ={"QUOTA_ROUTER_TOKEN": "s3cret"}) == [
        "token (QUOTA_ROUTER_TOKEN): expected 16 to 256 letters, digits, or any of - . _ ~",
        "line 1: mod: unknown key, did you mean mode?",
    ]


def test_a_key_that_disappears_falls_back_to_the_base():
    base = parse("listen: 127.0.0.1:9000\nmode: shadow\nmanual_priority: {a: 1}")
    first = parse("mode: off\npoll_interval: 60", base=base)
    assert (first.rules.mode, first.poll_interval, first.listen) == ("off", 60, "127.0.0.1:9000")
    assert parse("priority: 1", base=base) == base


@pytest.mark.parametrize("text", ["- a", "mode", "5", "[]", "'mode: off'"])
def test_a_document_that_is_no_mapping_is_refused(text):
    assert problems(text) == ["line 1: expected keys and values, such as `mode: shadow`"]


def test_what_a_problem_shows_fits_one_line_of_a_terminal():
    [unknown] = problems('"\\e[31m\\n' + "x" * 500 + '": 1')
    assert unknown.isprintable()
    assert len(unknown) < 200
    [wrong] = problems('mode: "\\e]0;\\a' + "y" * 500 + '"')
    assert wrong.isprintable()
    assert len(wrong) < 200


def test_a_form_is_checked_like_a_text_but_has_no_lines():
    settings = settings_from({"mode": "off", "manual_priority": {"a": 2.0}}, source="form", environ={})
    assert (settings.rules.mode, settings.rules.manual_priority) == ("off", {"a": 2})
    with pytest.raises(SettingsError) as caught:
        settings_from(
            {"max_age": 10**5000, "manual_priority": {"a": {"b": 1}}, "mod": 1, "listen": [1]},
            source="form",
            environ={},
        )
    assert [str(problem) for problem in caught.value.problems] == [
        "max_age: must be 30 to 2592000, got a number out of any range",
        "manual_priority.a: expected an integer, got a mapping",
        "mod: unknown key, did you mean mode?",
        "listen: expected host:port, got a list",
    ]


def test_a_file_is_loaded_and_what_keeps_it_from_being_read_is_said(tmp_path):
    file = tmp_path / "settings.yaml"
    file.write_text("mode: shadow\n", encoding="utf-8")
    assert load_settings(file, environ={}).rules.mode == "shadow"
    assert load_settings(None, environ={"QUOTA_ROUTER_STATE_DIR": "/s"}).state_dir == Path("/s")
    file.write_bytes(b"# " + b"x" * 40_000)
    for path, said in ((file, "too large"), (tmp_path, "Is a directory"), (tmp_path / "no", "No such file")):
        with pytest.raises(SettingsError, match=said) as caught:
            load_settings(path, environ={})
        assert caught.value.source == str(path)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)


@given(st.dictionaries(st.sampled_from([*KEYS, "enabled", "other"]), json_values, max_size=6))
def test_whatever_a_form_holds_it_is_settings_or_problems(values):
    problems = []
    try:
        settings_from(values, source="form", environ={})
    except SettingsError as error:
        problems = error.problems
    assert problems or set(values) <= {*KEYS, "enabled"}


def test_every_key_is_described_once():
    rules = {field.name for field in fields(Rules)}
    own = {field.name for field in fields(Settings)} - {"rules"}
    assert set(KEYS) == rules | own
    assert not rules & own
    for name, key in KEYS.items():
        assert key.name == name
        assert key.text.endswith(".")
        assert "\n" not in key.text
        assert key.kind.type in {"string", "number", "integer", "boolean", "enum", "array", "object"}
        assert key.kind.range
        assert key.unit or key.kind.type not in ("number", "integer")


@pytest.mark.parametrize("name", [name for name, key in KEYS.items() if not str(key.default).startswith("(")])
def test_every_fixed_default_fits_its_own_kind(name):
    key = KEYS[name]
    value = key.kind.fit(key.default)
    settings = Settings()
    assert value == getattr(settings if hasattr(settings, name) else settings.rules, name)
