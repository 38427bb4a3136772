"""Who comes first: one key for each contender, its layers from the outside in (specification, section 4)."""

from collections.abc import Iterator, Mapping, Sequence

from qr.routing.policies import POLICIES, Policy
from qr.routing.request import Candidate
from qr.routing.rules import Rules, WarningPreference
from qr.routing.standing import Contender, Key, Standing

__all__ = ["choose", "last_resort", "losses", "rankable", "ready_key"]

Pool = Sequence[Contender]

# What the first parts of a key are called when they decide; all that follow are `outranked`.
WORDS: Mapping[WarningPreference, Sequence[str]] = {
    "above_priority": ("low_headroom", "warned"),
    "within_priority": ("low_headroom", "outranked", "warned"),
    "off": ("low_headroom",),
}


def rankable(pool: Pool, policy: Policy) -> Pool:
    """The contenders that may be ranked: usable, and trusted unless the policy works unpolled."""
    if not policy.works_unpolled:
        return [one for one in pool if one.standing.rankable]
    known = [one for one in pool if one.standing.reported or not one.candidate.api_key]
    return [one for one in known if one.standing.usable]


def last_resort(pool: Pool, policy: Policy) -> Pool:
    """Whom a policy that works unpolled ranks when exhaustion alone leaves nobody: the exhausted."""
    return [one for one in pool if policy.works_unpolled and _only_exhausted(one.standing)]


def _only_exhausted(standing: Standing) -> bool:
    others = standing.gone or standing.paid or standing.circuit_open or standing.paused
    return standing.exhausted is not None and not others


def choose(pool: Pool, rules: Rules, now: float) -> Contender | None:
    """The first of *pool*; None when it is empty."""
    if not pool:
        return None
    keys = _keys(pool, rules, now)
    best = min(keys)
    # Places that differ by less than the policy's tolerance are the same place.
    limit = (*best[:-1], best[-1] + POLICIES[rules.policy].tolerance(rules))
    tied = [one for one, key in zip(pool, keys, strict=True) if key < limit or key == best]
    return tied[0] if len(tied) == 1 else min(tied, key=_tie)


def losses(pool: Pool, rules: Rules, now: float) -> Iterator[tuple[Contender, str]]:
    """Each loser of *pool*, the last one first, with the word of the layer in which it lost to the chosen."""
    chosen = choose(pool, rules, now)
    if chosen is None:
        return
    words = WORDS[rules.warning_preference]
    keys = _keys(pool, rules, now)
    first = keys[pool.index(chosen)]
    losers = [(key, *_tie(one), one) for one, key in zip(pool, keys, strict=True) if one is not chosen]
    for key, _, _, loser in sorted(losers, key=lambda lost: lost[:3], reverse=True):
        layers = zip(words, key, first, strict=False)
        yield loser, next((word for word, own, top in layers if own != top), "outranked")


def ready_key(candidate: Candidate, standing: Standing, rules: Rules) -> Key | None:
    """The key of *candidate* as long as it stands where it does; None: it changes with the time."""
    policy = POLICIES[rules.policy]
    return _key(candidate, standing, policy, rules, 0.0) if policy.steady else None


def _keys(pool: Pool, rules: Rules, now: float) -> Sequence[Key]:
    policy = POLICIES[rules.policy]
    return [one.key or _key(one.candidate, one.standing, policy, rules, now) for one in pool]


def _key(candidate: Candidate, standing: Standing, policy: Policy, rules: Rules, now: float) -> Key:
    return (
        standing.headroom < rules.new_session_min_remaining,
        *_tier(-candidate.priority, standing.warned, rules.warning_preference),
        -rules.manual_priority.get(candidate.id, 0),
        *policy.place(standing, rules, now),
    )


def _tier(lower: int, warned: bool, preference: WarningPreference) -> tuple[int, int]:
    if preference == "above_priority":
        return warned, lower
    return lower, warned if preference == "within_priority" else 0


def _tie(one: Contender) -> tuple[float, str]:
    """
    More remaining first, and what is not known cannot be promised; then the account id.

    Text compares by code points, which is the order of its UTF-8 bytes.
    """
    left = one.standing.long_remaining
    return (1.0 if left is None else -left), one.id
