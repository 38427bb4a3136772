"""What an operator is told when something is not as it should be, and what to do about it."""

from collections.abc import Mapping

from qr.web.shapes.service import Level, Note

__all__ = ["note"]

# Characters of a note: what it repeats may come from a file or from the host.
LONGEST = 500

# Level, text, advice.
NOTES: Mapping[str, tuple[Level, str, str]] = {
    "no_supervisor": (
        "error",
        "Nobody decides at present: the host picks by itself.",
        "The supervisor restarts by itself; if this stays, look into the log.",
    ),
    "mode_shadow": (
        "info",
        "Shadow mode: every pick is decided, none is answered.",
        "Set the mode to active when the decisions look right.",
    ),
    "mode_off": (
        "info",
        "The mode is off: the host picks by itself.",
        "Set the mode to shadow or active.",
    ),
    "no_persistence": (
        "warning",
        "{problem}",
        "Stop the other process, or set state_dir to a directory of its own.",
    ),
    "write_failed": ("warning", "{problem}", "It is tried again every few seconds."),
    "start_notice": ("info", "{notice}", ""),
    "no_host": (
        "warning",
        "No host is attached: nobody asks for picks, and no account can be listed.",
        "Start the host with the plugin in its directory and enabled; `qr plugin check` tells more.",
    ),
    "host_too_old": (
        "info",
        "The host speaks RPC schema {schema}: it offers its top tier only, and its results name no session.",
        "Update the host to 7.3.7 or later.",
    ),
    "no_feedback": (
        "warning",
        "The host reports no results: refusals and failures are not seen.",
        "Hosts up to 7.2.140 can lose them; update the host.",
    ),
    "census_failed": (
        "warning",
        "The accounts cannot be listed: {problem}",
        "Those that were known stay known; it is tried again.",
    ),
    "settings_refused": (
        "error",
        "The newest settings were refused: {problem}",
        "Correct them; those from before stay in force until then.",
    ),
    "no_accounts": (
        "warning",
        "No Claude or Codex account is known yet.",
        "Log in with the host, or set auth_dir; accounts appear within half a minute.",
    ),
    "nobody_left": (
        "error",
        "No {provider} account can take a new session.",
        "The accounts say why; until then the host picks by itself.",
    ),
    "login_dead": (
        "warning",
        "{dead} of {accounts} {provider} logins are dead.",
        "Log in again with the host.",
    ),
    "actor_dying": (
        "warning",
        "{who} died ({cause}), and was restarted.",
        "Once is no trouble; if it goes on, look into the log.",
    ),
    "picks_unanswered": (
        "warning",
        "{unanswered} picks were left to the host undecided.",
        "Too many at once, too short a pick_deadline, or restarts: the mailboxes tell more.",
    ),
    "loop_lag": (
        "warning",
        "The service was held up for {seconds} s within the last minute.",
        "The machine is busy, or was asleep; picks wait as long.",
    ),
}


def note(name: str, **told: object) -> Note:
    """The note *name*, with what is told of it put into its text."""
    level, text, advice = NOTES[name]
    return Note(name, level, text.format(**told)[:LONGEST], advice)
