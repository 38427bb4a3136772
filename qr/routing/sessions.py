"""Which agent thread a request belongs to, and which thread that one came from (specification, section 3).

At pick time only headers and metadata are known. The names must equal the host's own for the same request
(contract, section 7), since its usage records carry them. Two differences are meant: `X-Client-Request-Id`
names no session, as most clients send a new one with every request, and `X-Opencode-Session` names one where
no other header does.

Session names are private: what is stored, logged or shown is `binding_key` or `fingerprint`.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256

import msgspec

from qr.routing.lenient_json import read_object

__all__ = ["binding_key", "fingerprint", "session_keys"]

HeaderValues = Sequence[str] | str | None

# An id of more bytes counts as missing; a longer name, made of several ids, is shortened.
MAX_BYTES = 256

# What a shortened name keeps of its beginning: with `#` and 64 hex digits that makes 255 bytes.
KEPT_BYTES = 190

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")

# The host's white space; `str.strip` alone would take U+001C to U+001F for some, too.
SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))

TURN_METADATA = "x-codex-turn-metadata"

ANY_PARENT = ("x-parent-session-id", "x-parent-id")


class Family(msgspec.Struct, frozen=True, gc=False):
    """A header that names a session, and where its parent may stand: the first that is there counts."""

    header: str
    prefix: str
    parents: tuple[str, ...]


GENERIC = (
    Family("x-http-session-id", "agy", ANY_PARENT),
    Family("x-session-id", "header", ANY_PARENT),
    Family("x-session-affinity", "affinity", ("x-parent-session-affinity", *ANY_PARENT)),
    Family("x-slot-session-id", "slot", ("x-parent-slot-session-id", *ANY_PARENT)),
    Family("x-task-id", "task", ("x-parent-task-id", *ANY_PARENT)),
    Family("x-task_id", "task", ("x-parent-task-id", *ANY_PARENT)),
    Family("x-conversation-id", "conv", ("x-parent-conversation-id", "x-parent-id")),
    Family("x-thread-id", "thread", ("x-parent-thread-id", "x-parent-id")),
    Family("x-opencode-session", "opencode", ("x-parent-session-affinity", *ANY_PARENT)),
)

NAMES = frozenset(
    {
        "x-claude-code-session-id",
        "x-claude-code-agent-id",
        "x-claude-code-parent-agent-id",
        "session-id",
        "session_id",
        "thread-id",
        "thread_id",
        "x-codex-parent-thread-id",
        "x-openai-subagent",
        TURN_METADATA,
    }.union(*((family.header, *family.parents) for family in GENERIC))
)

Headers = Mapping[str, str]
Names = tuple[str, str]


def session_keys(
    headers: Mapping[str, HeaderValues], metadata: Mapping[str, object]
) -> tuple[str | None, str | None]:
    """
    The names of the session and of its parent, each None where there is none. Never raises.

    Names have at most 256 bytes, and the two are never equal.

    >>> session_keys({"X-Claude-Code-Session-Id": ["s1"], "X-Claude-Code-Agent-Id": ["ag7"]}, {})
    ('claude:s1:agent:ag7', 'claude:s1')
    """
    named = _named(headers)
    found = (named and _in_headers(named)) or _in_metadata(metadata)
    if not found:
        return None, None
    session, parent = map(_bounded, found)
    return session, parent if parent and parent != session else None


def binding_key(caller_scope: str, session: str) -> str:
    """The hex name of a binding; equal sessions of two callers have two (specification, section 3)."""
    return sha256(_bytes(caller_scope) + b"\0" + _bytes(session)).hexdigest()


def fingerprint(text: str) -> str:
    """8 hex digits that stand for *text* in a log line."""
    return sha256(_bytes(text)).hexdigest()[:8]


def _in_headers(named: Headers) -> Names | None:
    return _claude(named) or _codex(named) or _generic(named)


def _claude(named: Headers) -> Names | None:
    session = named.get("x-claude-code-session-id")
    if session is None:
        return None
    agent = named.get("x-claude-code-agent-id", "main")
    if agent == "main":
        return f"claude:{session}", ""
    parent = named.get("x-claude-code-parent-agent-id", "main")
    if parent in ("main", agent):
        return f"claude:{session}:agent:{agent}", f"claude:{session}"
    return f"claude:{session}:agent:{agent}", f"claude:{session}:agent:{parent}"


class CodexTurn(msgspec.Struct, frozen=True, gc=False):
    """What a Codex client says of a turn; what it does not say is empty. Session or thread is there."""

    session: str
    """Recent clients send the root's with every thread of the tree."""
    thread: str
    parent: str
    fork: str
    agent: str
    spawned: bool
    """The client calls itself a subagent."""

    def names(self) -> Names:
        if self.fork:
            return f"codex:{self._forked()}", f"codex:{self.fork}"
        if not self._subagent():
            return f"codex:{self.session or self.thread}", _prefixed("codex", self.parent)
        parent = _prefixed("codex", self.parent or self.session)
        if self.agent and self.session:
            return f"codex:{self.session}:agent:{self.agent}", parent
        return f"codex:{self.thread or self.session}", parent

    def _forked(self) -> str:
        """The fork's own thread; its session where the thread is missing, or is still the origin's."""
        return self.session if self.session and self.thread in ("", self.fork) else self.thread

    def _subagent(self) -> bool:
        apart = self.session != "" and self.thread not in ("", self.session)
        return self.spawned or apart or self.parent not in ("", self.thread, self.session)


def _codex(named: Headers) -> Names | None:
    said = read_object(named.get(TURN_METADATA, ""))
    session = named.get("session-id") or named.get("session_id") or _id(said.get("session_id"))
    thread = named.get("thread-id") or named.get("thread_id") or _id(said.get("thread_id"))
    if not (session or thread):
        return None
    return CodexTurn(
        session=session,
        thread=thread,
        parent=named.get("x-codex-parent-thread-id") or _id(said.get("parent_thread_id")),
        fork=_id(said.get("forked_from_thread_id")) or _id(said.get("forked_from_id")),
        agent=_agent(said.get("agent_name", "")),
        spawned=_is_on(named.get("x-openai-subagent", "0")) or said.get("subagent_kind") == "thread_spawn",
    ).names()


def _is_on(flag: str) -> bool:
    return flag.casefold() not in ("false", "0")


def _agent(path: str) -> str:
    """The name in an agent's path such as `/root/scout`; the main agent has none."""
    name = _id(path.removeprefix("/root/").removeprefix("/").strip(SPACE))
    return "" if name in ("root", "main") else name


def _generic(named: Headers) -> Names | None:
    family = next((family for family in GENERIC if family.header in named), None)
    if family is None:
        return None
    parent = next((named[name] for name in family.parents if name in named), "")
    return f"{family.prefix}:{named[family.header]}", _prefixed(family.prefix, parent)


def _in_metadata(metadata: Mapping[str, object]) -> Names | None:
    if execution := _id(metadata.get("execution_session_id")):
        return f"execution:{execution}", ""
    if affinity := _id(metadata.get("lcp_affinity_session_id")):
        return affinity, _id(metadata.get("parent_session_id"))
    return None


def _named(headers: Mapping[str, HeaderValues]) -> Headers:
    """The headers that matter here, in lower case, each with its first value that counts."""
    named: dict[str, str] = {}
    for header, name in _relevant(tuple(headers)):
        if name not in named and (value := _first(name, headers[header])):
            named[name] = value
    return named


# A client sends the same headers with every request. A host takes at most a megabyte of them.
@lru_cache(maxsize=16)
def _relevant(headers: tuple[str, ...]) -> Sequence[tuple[str, str]]:
    """Those that matter here as they were sent, and in lower case."""
    return [(header, name) for header in headers if (name := header.lower()) in NAMES]


def _first(name: str, values: HeaderValues) -> str:
    several = (values,) if isinstance(values, str) else values if isinstance(values, list | tuple) else ()
    if name == TURN_METADATA:
        return next((value.strip(SPACE) for value in several if isinstance(value, str)), "")
    return next(filter(None, map(_id, several)), "")


def _id(value: object) -> str:
    """*value* trimmed, or empty when it cannot be an id: no text, too long, or with a control character."""
    if not isinstance(value, str) or CONTROL.search(value):
        return ""
    trimmed = value.strip(SPACE)
    return trimmed if len(_bytes(trimmed)) <= MAX_BYTES else ""


def _prefixed(prefix: str, value: str) -> str:
    return f"{prefix}:{value}" if value else ""


def _bounded(name: str) -> str:
    """A name of several ids may be too long: then its beginning, and the hash of all of it."""
    whole = _bytes(name)
    if len(whole) <= MAX_BYTES:
        return name
    return f"{whole[:KEPT_BYTES].decode('utf-8', 'ignore')}#{sha256(whole).hexdigest()}"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
