"""The accounts of a storm over the whole chain, and whom they serve."""

from collections.abc import Sequence
from random import Random

from tests.stories.host import GPT, SONNET

__all__ = ["ACCOUNTS", "CLAUDE", "CODEX", "MORTAL", "SHAKY", "accounts_of", "model_of", "offer"]

# Accounts whose sessions must never move, accounts that get into trouble, and accounts whose logins die. The
# last ones are reset first, so that newcomers go to them.
STEADY = (*(f"steady-{number}" for number in range(6)), "codex-steady-0", "codex-steady-1")
SHAKY = (*(f"shaky-{number}" for number in range(4)), "codex-shaky-0")
MORTAL = ("mortal-0", "codex-mortal-0")
ACCOUNTS = (*MORTAL, *STEADY, *SHAKY)
CODEX = tuple(name for name in ACCOUNTS if name.startswith("codex-"))
CLAUDE = tuple(name for name in ACCOUNTS if name not in CODEX)

# Of so many sessions of an agent one is Codex's.
CODEX_EVERY = 4

# How often some accounts are left out of an offer, as when a request has tried them already.
LEFT_OUT = 0.15


def accounts_of(session: str) -> Sequence[str]:
    """Those that can serve it."""
    return CLAUDE if int(session.rpartition("-")[2]) % CODEX_EVERY else CODEX


def model_of(accounts: Sequence[str]) -> str:
    """One that they serve."""
    return GPT if accounts[0] in CODEX else SONNET


def offer(chance: Random, names: Sequence[str]) -> Sequence[str]:
    """What the host offers of them."""
    return names if chance.random() >= LEFT_OUT else chance.sample(names, chance.randint(1, len(names)))
