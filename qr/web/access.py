"""Who may see data: the token, the cookie that stands for it in a browser, and the file that keeps it.

The cookie is an expiry signed with a key that is made of the token: nothing is stored for a login, it
survives a restart, and a new token ends all logins.
"""

import hmac
import os
import re
import secrets
from hashlib import sha256
from pathlib import Path

from attrs import field, frozen

from qr.settings import Settings
from qr.store.errors import UnreadableError
from qr.store.files import make_private, read_plain

__all__ = ["COOKIE_LIFE", "TOKEN_FILE", "Access", "open_access"]

TOKEN_FILE = "web.token"  # noqa: S105 - the name of a file

# Bytes of chance in a token: it cannot be guessed however long somebody tries.
TOKEN_BYTES = 32

# What a token of one's own may look like (as in the settings); a file with anything else holds none.
TOKEN = re.compile(rb"[A-Za-z0-9._~-]{16,256}\n?")

# A month: a page that an operator opens every morning asks for the token once.
COOKIE_LIFE = 30 * 86400.0


@frozen
class Access:
    """The token of this service, and what is accepted instead of it."""

    token: str = field(repr=False)
    own: bool = False
    """Set by the operator, who knows it: it need not be printed."""
    problem: str | None = None
    """Why a made token is not kept for the next start."""

    def opens(self, given: str) -> bool:
        """Whether *given* is the token; takes the same time whatever is wrong with it."""
        return hmac.compare_digest(_digest(given), _digest(self.token))

    def cookie(self, now: float) -> str:
        """A cookie's value that opens until a month from *now* (epoch seconds)."""
        expires = str(int(now + COOKIE_LIFE))
        return f"{expires}.{self._signature(expires)}"

    def opens_with_cookie(self, value: str, now: float) -> bool:
        """Whether a cookie with *value* was made for this token, and has not ended."""
        expires, _, signature = value.partition(".")
        genuine = hmac.compare_digest(_digest(signature), _digest(self._signature(expires)))
        return genuine and float(expires) > now

    def _signature(self, expires: str) -> str:
        key = sha256(b"quota-router login\0" + self.token.encode()).digest()
        return hmac.new(key, expires.encode(errors="replace"), sha256).hexdigest()


def _digest(text: str) -> bytes:
    """Of equal length for all texts, so that a comparison tells nothing of the length either."""
    return sha256(text.encode(errors="replace")).digest()


def open_access(settings: Settings) -> Access:
    """
    The token of the settings, else the one of the state directory, else a new one that is kept there. Blocks.

    A directory that cannot be used keeps nobody out: the token then ends with the service, and the problem
    says so.
    """
    if settings.token:
        return Access(settings.token, own=True)
    path = settings.state_dir / TOKEN_FILE
    try:
        return Access(_read(path) or _make(path))
    except (OSError, UnreadableError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        problem = f"{path} cannot be used ({why}): the token of the dashboard changes with each start."
        return Access(secrets.token_urlsafe(TOKEN_BYTES), problem=problem)


def _read(path: Path) -> str | None:
    """The token that is kept; None: there is none, or it is none."""
    try:
        content, _ = read_plain(path, 1024)
    except FileNotFoundError:
        return None
    if not TOKEN.fullmatch(content):
        return None
    path.chmod(0o600)
    return content.decode().strip()


def _make(path: Path) -> str:
    token = secrets.token_urlsafe(TOKEN_BYTES)
    make_private(path.parent)
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(f"{token}\n")
    return token
