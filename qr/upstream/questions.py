"""What a poll asks: one GET of a provider's usage endpoint (evidence, sections 2 and 4)."""

from collections.abc import Mapping

import httpx
from attrs import frozen

from qr.upstream.credentials import Credential
from qr.upstream.errors import CredentialUnusableError, EndpointMalformedError

__all__ = ["Endpoints", "usage_request", "usage_url"]

# The beta under which this endpoint answers to OAuth tokens.
CLAUDE_BETA = "oauth-2025-04-20"


@frozen
class Endpoints:
    """Where the providers are: the settings `claude_base_url` and `codex_base_url`."""

    claude: str
    codex: str


def usage_url(provider: str, endpoints: Endpoints) -> str:
    """
    The usage endpoint of *provider*.

    Raises:
        CredentialUnusableError: it has none.
        EndpointMalformedError: its base URL is no plain http or https URL.
    """
    if provider == "claude":
        return _url(endpoints.claude, "/api/oauth/usage", "claude_base_url")
    if provider == "codex":
        # ChatGPT's gateway has a path of its own; other bases serve the API's.
        gateway = endpoints.codex.rstrip("/").endswith("/backend-api")
        return _url(endpoints.codex, "/wham/usage" if gateway else "/api/codex/usage", "codex_base_url")
    raise CredentialUnusableError("this provider has no usage endpoint to poll")


def usage_request(credential: Credential, endpoints: Endpoints, user_agent: str) -> httpx.Request:
    """
    The request, with these headers and no others but `Host`.

    Raises:
        CredentialUnusableError, EndpointMalformedError: as `usage_url`.
    """
    headers = {
        "Authorization": f"Bearer {credential.access_token}",
        **_special(credential),
        "Accept": "application/json",
        # An answer in any other encoding is refused undecoded: what was not asked for cannot be a bomb.
        "Accept-Encoding": "gzip",
        "User-Agent": user_agent,
    }
    return httpx.Request("GET", usage_url(credential.provider, endpoints), headers=headers)


def _special(credential: Credential) -> Mapping[str, str]:
    """Claude wants a beta named; a team's ChatGPT account tells no limits unless its id is."""
    if credential.provider == "claude":
        return {"anthropic-beta": CLAUDE_BETA}
    return {"ChatGPT-Account-Id": credential.account_id} if credential.account_id else {}


def _url(base: str, path: str, setting: str) -> str:
    try:
        url = httpx.URL(base.rstrip("/") + path)
        plain = (
            url.scheme in ("http", "https") and url.host and not (url.userinfo or url.query or url.fragment)
        )
    except (ValueError, httpx.InvalidURL):
        plain = False
    if not plain:
        raise EndpointMalformedError(
            f"the setting {setting} is malformed:"
            " it must be http:// or https:// with a host, and without user, query and fragment"
        )
    return str(url)
