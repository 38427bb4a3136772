"""Sessions and their parents: the contract's own cases, a table for each rule, and what always holds."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qr.routing.sessions import binding_key, fingerprint, session_keys

EVIDENCE = Path(__file__).parents[1] / "evidence"
CONTRACT = json.loads((EVIDENCE / "sessions.json").read_text())
CAPTURES = [json.loads(path.read_text()) for path in sorted((EVIDENCE / "cases").glob("sh-*.json"))]

CLAUDE, AGENT, PARENT_AGENT = (
    "X-Claude-Code-Session-Id",
    "X-Claude-Code-Agent-Id",
    "X-Claude-Code-Parent-Agent-Id",
)
TURN = "X-Codex-Turn-Metadata"

# Every header that may name a session or a parent, in the order in which they count.
SESSION_HEADERS = {
    CLAUDE: "claude",
    "Session-Id": "codex",
    "Session_id": "codex",
    "Thread-Id": "codex",
    "Thread_id": "codex",
    "X-Http-Session-Id": "agy",
    "X-Session-Id": "header",
    "X-Session-Affinity": "affinity",
    "X-Slot-Session-Id": "slot",
    "X-Task-Id": "task",
    "X-Task_id": "task",
    "X-Conversation-Id": "conv",
    "X-Thread-Id": "thread",
    "X-Opencode-Session": "opencode",
}

PARENTS = {
    "X-Http-Session-Id": ["X-Parent-Session-Id", "X-Parent-Id"],
    "X-Session-Id": ["X-Parent-Session-Id", "X-Parent-Id"],
    "X-Session-Affinity": ["X-Parent-Session-Affinity", "X-Parent-Session-Id", "X-Parent-Id"],
    "X-Slot-Session-Id": ["X-Parent-Slot-Session-Id", "X-Parent-Session-Id", "X-Parent-Id"],
    "X-Task-Id": ["X-Parent-Task-Id", "X-Parent-Session-Id", "X-Parent-Id"],
    "X-Task_id": ["X-Parent-Task-Id", "X-Parent-Session-Id", "X-Parent-Id"],
    "X-Conversation-Id": ["X-Parent-Conversation-Id", "X-Parent-Id"],
    "X-Thread-Id": ["X-Parent-Thread-Id", "X-Parent-Id"],
    "X-Opencode-Session": ["X-Parent-Session-Affinity", "X-Parent-Session-Id", "X-Parent-Id"],
}

OTHERS = [AGENT, PARENT_AGENT, TURN, "X-Codex-Parent-Thread-Id", "X-Openai-Subagent", "X-Client-Request-Id"]
ALL_HEADERS = [*SESSION_HEADERS, *OTHERS, *{name for names in PARENTS.values() for name in names}]


def turn(**said):
    """A Codex header with the given metadata."""
    return {TURN: [json.dumps(said)]}


@pytest.mark.parametrize("case", CONTRACT, ids=lambda case: f"case {case['n']}")
def test_the_cases_of_the_contract_come_out(case):
    assert (case["session"], case["parent"]) == session_keys(case["headers"], case["metadata"])


@pytest.mark.parametrize("case", CAPTURES, ids=lambda case: case["id"])
def test_the_captured_requests_come_out(case):
    expected = case["expect"]
    assert (expected["session_key"], expected["parent_key"]) == session_keys(case["input"]["headers"], {})


A183, E91 = "claude:" + "a" * 183, "é" * 91
HASH_A250 = "#8a9d854c5de25ce2088c58c87b5523323b8dccbf84ef0554c9ac26a351ce82b7"
HASH_AGENT = "#02c6e6c3cfd9e66163773288ca52db66b8c18ea2ceb08894161eb5f59756c724"
HASH_E125 = "#e018e6003710d3e22c1998149121817ac1599f554f39e28c7a6d0dda87140202"
HASH_XE127 = "#634a22110bce1d65ce876f4ceef66ad88b58d3220b5ef55cb22dbd5c44cefd35"
HASH_HEADER_A250 = "#a7c824cb3b5aec0bdcafad566cc749decfa3f5c53f86959dd3a951c64db7f21c"
HASH_HEADER_B256 = "#568bb99b6aa1c4338b6ccc2e3fcf67da031563d69f05cec09feaa95615bfeb3c"

BOUNDS = {
    "B1": ({CLAUDE: "a" * 249}, "claude:" + "a" * 249, None),
    "B2": ({CLAUDE: "a" * 250}, A183 + HASH_A250, None),
    "B3": ({"X-Session-Id": "a" * 250}, "header:" + "a" * 183 + HASH_HEADER_A250, None),
    "B4": ({"X-Session-Id": "b" * 256}, "header:" + "b" * 183 + HASH_HEADER_B256, None),
    "B5": ({"X-Session-Id": "b" * 257}, None, None),
    "B6": ({CLAUDE: "a" * 250, AGENT: "ag7"}, A183 + HASH_AGENT, A183 + HASH_A250),
    "B7": ({CLAUDE: "é" * 125}, "claude:" + E91 + HASH_E125, None),
    "B8": ({CLAUDE: "x" + "é" * 127}, "claude:x" + E91 + HASH_XE127, None),
    "B9": ({"X-Session-Id": "\u00a0g1\u3000"}, "header:g1", None),
    "B10": ({"X-Session-Id": "g\u00851"}, None, None),
    "B11": ({"X-Session-Id": "g\u200b1"}, "header:g\u200b1", None),
}


@pytest.mark.parametrize(("headers", "session", "parent"), BOUNDS.values(), ids=BOUNDS)
def test_names_are_trimmed_and_bounded(headers, session, parent):
    assert (session, parent) == session_keys(headers, {})


NO_IDS = ["", " ", "\u3000\t", "a\tb", "\x1ca", "a\x7f", "\x9fa", "é" * 129, "b" * 257]


@pytest.mark.parametrize("value", NO_IDS)
def test_what_is_no_id_counts_as_missing(value):
    assert session_keys({CLAUDE: [value], "X-Session-Id": ["g1"]}, {}) == ("header:g1", None)
    assert session_keys({}, {"execution_session_id": value, "lcp_affinity_session_id": "lcp:a"}) == (
        "lcp:a",
        None,
    )


ODD_VALUES = [None, 5, b"s1", [], [None], [5], {"s1": 1}, [["s1"]]]


@pytest.mark.parametrize("values", ODD_VALUES, ids=repr)
def test_values_that_are_no_text_are_ignored(values):
    assert session_keys({"X-Session-Id": values}, {}) == (None, None)
    assert session_keys({"X-Codex-Turn-Metadata": values}, {}) == (None, None)


@pytest.mark.parametrize("values", ["g1", ["g1"], ("g1",), ["", "g1"], [None, "\n", "g1", "g2"]], ids=repr)
def test_a_header_gives_its_first_value_that_counts(values):
    assert session_keys({"X-Session-Id": values}, {}) == ("header:g1", None)


def test_a_header_spelled_twice_gives_the_first_spelling_that_counts():
    assert session_keys({"x-session-id": [" "], "X-SESSION-ID": ["g1"]}, {}) == ("header:g1", None)


def test_hyphen_and_underscore_are_different_headers():
    assert session_keys({"X_Session_Id": "g1", "X-Session_Id": "g2"}, {}) == (None, None)


@pytest.mark.parametrize("position", range(len(SESSION_HEADERS)))
def test_headers_count_in_their_order(position):
    names = list(SESSION_HEADERS)[position:]
    if SESSION_HEADERS[names[0]] == "codex":
        names = [names[0], *(name for name in names if SESSION_HEADERS[name] != "codex")]
    session, _ = session_keys({name: [f"of {name}"] for name in reversed(names)}, {})
    assert session == f"{SESSION_HEADERS[names[0]]}:of {names[0]}"


@pytest.mark.parametrize(
    ("header", "position"), [(header, at) for header, names in PARENTS.items() for at in range(len(names))]
)
def test_the_first_parent_header_with_a_value_counts(header, position):
    headers = {header: "g1"} | {name: f"of {name}" for name in PARENTS[header][position:]}
    prefix = SESSION_HEADERS[header]
    assert session_keys(headers, {}) == (f"{prefix}:g1", f"{prefix}:of {PARENTS[header][position]}")


@pytest.mark.parametrize("header", PARENTS)
def test_a_parent_equal_to_the_session_is_none_and_later_headers_are_not_tried(header):
    headers = {header: "g1", PARENTS[header][0]: "g1"} | dict.fromkeys(PARENTS[header][1:], "other")
    assert session_keys(headers, {})[1] is None


def test_a_request_id_names_no_session_even_with_a_parent():
    headers = {"X-Client-Request-Id": "r1", "X-Request-Id": "r2", "X-Parent-Session-Id": "p1"}
    assert session_keys(headers, {}) == (None, None)


def test_an_opencode_session_goes_before_the_metadata_and_behind_all_other_headers():
    headers = {"X-Opencode-Session": "o1", "X-Parent-Session-Affinity": "o0"}
    assert session_keys(headers, {"execution_session_id": "e1"}) == ("opencode:o1", "opencode:o0")
    assert session_keys(headers | {"X-Thread-Id": "w1"}, {}) == ("thread:w1", None)


METADATA = [
    ({"execution_session_id": "e1", "parent_session_id": "p1"}, "execution:e1", None),
    ({"execution_session_id": " e1 "}, "execution:e1", None),
    ({"execution_session_id": 5}, None, None),
    ({"execution_session_id": ["e1"]}, None, None),
    ({"lcp_affinity_session_id": "a1"}, "a1", None),
    ({"lcp_affinity_session_id": "a1", "parent_session_id": "p1"}, "a1", "p1"),
    ({"lcp_affinity_session_id": "a1", "parent_session_id": "a1 "}, "a1", None),
    ({"lcp_affinity_session_id": "a1", "parent_session_id": 7}, "a1", None),
    ({"parent_session_id": "p1"}, None, None),
    ({"derived_session_id": "ctx:v1:d", "canonical_session_id": "c", "caller_scope": "s"}, None, None),
]


@pytest.mark.parametrize(("metadata", "session", "parent"), METADATA)
def test_metadata_names_a_session_where_no_header_does(metadata, session, parent):
    assert (session, parent) == session_keys({}, metadata)
    assert session_keys({"X-Session-Id": "g1"}, metadata) == ("header:g1", None)


CODEX = [
    # Where the ids stand: headers first, each from wherever it is.
    ({"Session-Id": "c1", **turn(session_id="m1", thread_id="t1")}, "codex:t1", "codex:c1"),
    ({"Thread-Id": "t1", **turn(session_id="c1", thread_id="m1")}, "codex:t1", "codex:c1"),
    ({"Session-Id": "a\tb", **turn(session_id="c1")}, "codex:c1", None),
    ({TURN: ["", '{"session_id":"c1"}']}, None, None),
    ({TURN: ["  " + '{"session_id":" c1 "}' + "\n"]}, "codex:c1", None),
    ({TURN: '{"session_id":"' + "x" * 257 + '","thread_id":"t1"}'}, "codex:t1", None),
    # Forks.
    (turn(session_id="c1", forked_from_thread_id=" ", forked_from_id="f1"), "codex:c1", "codex:f1"),
    (turn(session_id="c1", forked_from_thread_id="f1", forked_from_id="f2"), "codex:c1", "codex:f1"),
    (turn(thread_id="f1", forked_from_id="f1"), "codex:f1", None),
    (turn(session_id="f1", thread_id="t1", forked_from_id="f1"), "codex:t1", "codex:f1"),
    # Subagents: a signal, two different ids, or a parent that is neither.
    ({"Session-Id": "c1", "X-Openai-Subagent": "false", **turn(agent_name="x")}, "codex:c1", None),
    ({"Session-Id": "c1", "X-Openai-Subagent": "1", **turn(agent_name="x")}, "codex:c1:agent:x", "codex:c1"),
    ({"Session-Id": "c1", "X-Openai-Subagent": " ", **turn(agent_name="x")}, "codex:c1", None),
    ({"Session-Id": "c1", **turn(agent_name="x", subagent_kind=" thread_spawn")}, "codex:c1", None),
    ({"Session-Id": "c1", **turn(agent_name="x", parent_thread_id="p1")}, "codex:c1:agent:x", "codex:p1"),
    ({"Session-Id": "c1", **turn(agent_name="x", parent_thread_id="c1")}, "codex:c1", None),
    ({"Session-Id": "c1", "Thread-Id": "t1", "X-Codex-Parent-Thread-Id": "t1"}, "codex:t1", None),
    ({"Session-Id": "c1", "Thread-Id": "c1", "X-Codex-Parent-Thread-Id": "c1"}, "codex:c1", None),
    ({"Thread-Id": "t1", **turn(agent_name="x", parent_thread_id="p1")}, "codex:t1", "codex:p1"),
    ({"Session-Id": "c1", "Thread-Id": "t1", **turn(agent_name="x", parent_thread_id="c1:agent:x")},
     "codex:c1:agent:x", None),
]  # fmt: skip


@pytest.mark.parametrize(("headers", "session", "parent"), CODEX)
def test_codex_threads_forks_and_subagents_are_told_apart(headers, session, parent):
    assert (session, parent) == session_keys(headers, {})


AGENT_NAMES = [
    ("scout", "scout"),
    ("/root/scout", "scout"),
    ("/scout", "scout"),
    ("/root/root/x", "root/x"),
    ("/root//scout", "scout"),
    ("//scout", "/scout"),
    (" /root/scout", "/root/scout"),
    ("/root/\tscout\n", "scout"),
    ("/root/a\tb", None),
    ("\x1cscout", None),
    ("/root", None),
    ("/root/main", None),
    ("main", None),
    ("Main", "Main"),
    ("x" * 257, None),
]


@pytest.mark.parametrize(("path", "name"), AGENT_NAMES)
def test_an_agent_is_named_by_its_path_without_the_root(path, name):
    expected = f"codex:c1:agent:{name}" if name else "codex:c1"
    session, _ = session_keys(turn(session_id="c1", agent_name=path, subagent_kind="thread_spawn"), {})
    assert session == expected


def test_a_binding_key_is_the_hash_of_caller_and_session():
    assert binding_key("ab12", "claude:S1").startswith("e87558176aef")
    assert binding_key("ab12", "claude:S1") != binding_key("ab1", "2claude:S1")
    assert binding_key("", "\ud800") != binding_key("\ud800", "")


def test_a_fingerprint_is_eight_hex_digits():
    assert fingerprint("claude:S1") == fingerprint("claude:S1") != fingerprint("claude:S2")
    assert int(fingerprint("\udcff"), 16) < 16**8


TEXTS = st.text() | st.sampled_from(["s1", "s2", "main", "root", "0", "x" * 250, "é" * 128, "{}"])
TURNS = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        ["session_id", "thread_id", "parent_thread_id", "forked_from_id", "agent_name"], TEXTS | st.integers()
    ),
).map(json.dumps)
VALUES = TEXTS | TURNS | st.none() | st.lists(TEXTS | TURNS | st.none() | st.integers(), max_size=3)
HEADERS = st.dictionaries(st.sampled_from(ALL_HEADERS) | st.text(max_size=5), VALUES, max_size=8)
METADATA_KEYS = st.sampled_from(["execution_session_id", "lcp_affinity_session_id", "parent_session_id"])


@given(HEADERS, st.dictionaries(METADATA_KEYS, TEXTS | st.integers() | st.none()))
def test_any_request_has_bounded_names_and_no_session_is_its_own_parent(headers, metadata):
    session, parent = session_keys(headers, metadata)
    for name in (session, parent):
        assert name is None or 0 < len(name.encode("utf-8", "surrogatepass")) <= 256
    assert parent is None or (session is not None and parent != session)
    assert len(binding_key("", session or "")) == 64


@given(HEADERS.filter(lambda headers: len({name.lower() for name in headers}) == len(headers)))
def test_the_case_of_a_header_never_matters(headers):
    expected = session_keys(headers, {})
    assert expected == session_keys({name.lower(): values for name, values in headers.items()}, {})
    assert expected == session_keys({_swapped(name): values for name, values in headers.items()}, {})


def _swapped(name):
    return name.swapcase() if name.isascii() else name
