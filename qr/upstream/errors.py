"""Why an account could not be asked, or its answer not be used.

    UpstreamError
    ├── CredentialError          where credentials come from
    │   ├── HostUnreachableError     the host did not answer, or nothing that could be read
    │   ├── HostNotReadyError        too early in the host's life: ask again later
    │   ├── HostRefusedError         the host answered with an error
    │   ├── DirectoryUnreadableError the auth directory cannot be listed
    │   └── CredentialUnusableError  the credential is missing, unreadable or must not be used
    ├── ProxyMalformedError      a proxy that is no proxy: the poll fails, and never goes direct
    ├── EndpointMalformedError   a base URL that no request can be sent to
    └── AnswerUnusableError      an answer that is not what was asked for

Messages are short, say what happened and what to do, and hold nothing that a log must not hold: no token, no
password, no e-mail address, no path of a file, nothing that the other end wrote.
"""

__all__ = [
    "AnswerUnusableError",
    "CredentialError",
    "CredentialUnusableError",
    "DirectoryUnreadableError",
    "EndpointMalformedError",
    "HostNotReadyError",
    "HostRefusedError",
    "HostUnreachableError",
    "ProxyMalformedError",
    "UpstreamError",
]


class UpstreamError(Exception):
    """Something expected went wrong; the message may be shown to anyone."""


class CredentialError(UpstreamError):
    """The accounts, or the credential of one, cannot be had."""


class HostUnreachableError(CredentialError):
    """The host did not answer a callback; the bridge raises it when its link to the host is down."""


class HostNotReadyError(CredentialError):
    """The host has not loaded its accounts yet."""


class HostRefusedError(CredentialError):
    """The host answered a callback with an error."""


class DirectoryUnreadableError(CredentialError):
    """The auth directory is missing, is no directory, or may not be read."""


class CredentialUnusableError(CredentialError):
    """There is no credential to poll with: unreadable, incomplete, an API key."""


class ProxyMalformedError(UpstreamError):
    """A proxy URL of no known form."""


class EndpointMalformedError(UpstreamError):
    """A base URL that is no plain http or https URL."""


class AnswerUnusableError(UpstreamError):
    """An answer that is too large, cut off, not JSON, or tells no usage."""
