"""The headers that every answer carries: what the page may do, who may frame it, who may keep a copy."""

from collections.abc import Mapping

from qr.web.entrances import Entrance

__all__ = ["security_headers"]

# No script but our own files, no inline code, no markup from text (Trusted Types), nothing from elsewhere.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors {ancestors}; require-trusted-types-for 'script'; trusted-types 'none'"
)

COMMON: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}

# The host's panel shows a plugin's page in a frame of its own origin; nobody else frames anything.
ALONE: Mapping[str, str] = {
    "Content-Security-Policy": POLICY.format(ancestors="'none'"),
    "X-Frame-Options": "DENY",
}
FRAMED: Mapping[str, str] = {
    "Content-Security-Policy": POLICY.format(ancestors="'self'"),
    "X-Frame-Options": "SAMEORIGIN",
}


def security_headers(entrance: Entrance) -> Mapping[str, str]:
    """What an answer to a request by *entrance* carries, whatever it is."""
    return {**COMMON, **(FRAMED if entrance == "host_page" else ALONE)}
