"""Subscriptions for a simulation, drawn by lot: plans, tiers, and where their windows stand at the start."""

from random import Random

from qr.lab.chance import chance
from qr.lab.plans import PLANS, Plan
from qr.lab.subscription import Account

__all__ = ["fleet"]

# How often each plan is bought, of each provider's; three accounts of five are Claude's.
PLANS_BOUGHT = {
    "claude": {"pro": 4, "max_5x": 4, "max_20x": 2},
    "codex": {"plus": 4, "team": 2, "pro": 3, "go": 1},
}
CLAUDE_OF_FIVE = 3

# Most accounts are in the host's default tier, a few above or below.
TIERS = (0, 0, 0, 0, 0, 0, 0, 1, -1, -1)


def fleet(accounts: int, seed: int) -> list[Account]:
    """As many accounts, the same for the same seed."""
    return [_account(number, chance(seed, "account", number)) for number in range(accounts)]


def _account(number: int, drawn: Random) -> Account:
    provider = "claude" if number % 5 < CLAUDE_OF_FIVE else "codex"
    bought = PLANS_BOUGHT[provider]
    plan = PLANS[provider, drawn.choices(list(bought), list(bought.values()))[0]]
    email = f"account{number:03}@example.com"
    return Account(
        f"{provider}-{email}.json",
        plan,
        email,
        drawn.choice(TIERS),
        dict(_standing(plan, drawn)),
    )


def _standing(plan: Plan, drawn: Random) -> list[tuple[str, float]]:
    """Long windows are under way when the simulation begins; nobody has worked in the last five hours."""
    return [(limit.window, drawn.uniform(1, 60)) for limit in plan.limits if limit.kind != "five_hour"]
