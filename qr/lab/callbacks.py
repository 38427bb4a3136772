"""The host's callbacks, answered from the simulation (contract, section 6)."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import msgspec

from qr.lab.host import Host
from qr.lab.records import auth_index
from qr.lab.subscription import Subscription
from qr.quota.fields import item

__all__ = ["Callbacks", "token_of"]

Result = Mapping[str, object]

UNSET = "0001-01-01T00:00:00Z"


def token_of(known: Subscription) -> str:
    """The account's access token: it changes with each login."""
    return f"lab-{auth_index(known.account)}-{known.changed_at:.0f}"


class Callbacks:
    """What the plugin may ask of the host; on any thread."""

    def __init__(self, host: Host, now: Callable[[], float]) -> None:
        self._host = host
        self._now = now
        self._methods: dict[str, Callable[[object], Result]] = {
            "host.auth.list": self._list,
            "host.auth.get": self._get,
            "host.routing.reset_cooldown": self._reset_cooldown,
            "host.log": lambda _: {},
        }

    def call(self, method: str, body: bytes) -> bytes:
        """The envelope that answers *method*."""
        known = self._methods.get(method)
        if known is None:
            return _refusal(f"unsupported host callback {method}")
        try:
            return msgspec.json.encode({"ok": True, "result": known(msgspec.json.decode(body or b"{}"))})
        except KeyError:
            return _refusal("auth_index is unknown")

    def _list(self, _: object) -> Result:
        return {"files": [self._file(known) for known in self._host.provider.subscriptions.values()]}

    def _file(self, known: Subscription) -> Result:
        account, cooling = known.account, self._host.cooldowns.end(known.account.id)
        written = _time(known.changed_at)
        return {
            "id": account.id,
            "auth_index": auth_index(account),
            "name": account.id,
            "type": account.provider,
            "provider": account.provider,
            "label": account.label,
            "status": "active",
            "source": "file",
            "path": f"/data/auths/{account.id}",
            "modtime": written,
            "updated_at": written,
            "created_at": written,
            "last_refresh": written,
            "next_retry_after": _time(cooling) if cooling is not None and cooling > self._now() else UNSET,
            "email": account.label,
            "account_type": "oauth",
            "account": account.label,
            "priority": account.priority,
        }

    def _get(self, request: object) -> Result:
        known = self._named(request)
        stored = {
            "type": known.account.provider,
            "email": known.account.label,
            "access_token": token_of(known),
            "refresh_token": "lab-refresh",
            "account_id": auth_index(known.account),
        }
        return {"auth_index": auth_index(known.account), "name": known.account.id, "json": stored}

    def _reset_cooldown(self, request: object) -> Result:
        known = self._named(request)
        models = self._host.cooldowns.reset(known.account.id)
        return {"auth_index": auth_index(known.account), "models": models}

    def _named(self, request: object) -> Subscription:
        asked = item(request, "auth_index")
        known = {auth_index(one.account): one for one in self._host.provider.subscriptions.values()}
        return known[str(asked)]


def _refusal(message: str) -> bytes:
    return msgspec.json.encode({"ok": False, "error": {"code": "host_call_failed", "message": message}})


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
