"""Who comes first: the layers of the ranking, from the outside in (specification, section 4)."""

from collections.abc import Callable, Iterator, Sequence

from attrs import frozen

from qr.routing.policies import Policy
from qr.routing.rules import Rules
from qr.routing.standing import Contender, Standing

__all__ = ["Layer", "choose", "last_resort", "layers", "losses", "rankable"]


Pool = Sequence[Contender]


@frozen
class Layer:
    """One layer keeps some of a pool, never nobody; who drops out is given its word."""

    word: str
    keep: Callable[[Pool], Pool]


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


def choose(pool: Pool, policy: Policy, rules: Rules, now: float) -> Contender | None:
    """The first of *pool* by all layers; None when it is empty."""
    for layer in layers(policy, rules, now) if pool else ():
        if len(pool) == 1:
            break
        pool = layer.keep(pool)
    return pool[0] if pool else None


def losses(pool: Pool, policy: Policy, rules: Rules, now: float) -> Iterator[tuple[Contender, str]]:
    """Each loser of *pool* with the word of the layer in which it lost to the chosen one."""
    for layer in layers(policy, rules, now) if len(pool) > 1 else ():
        kept = layer.keep(pool)
        stay = {one.id for one in kept}
        yield from ((one, layer.word) for one in pool if one.id not in stay)
        pool = kept


def layers(policy: Policy, rules: Rules, now: float) -> Iterator[Layer]:
    """The layers in the order in which they are asked."""
    warning = Layer("warned", _unwarned)
    yield Layer("low_headroom", lambda pool: _with_headroom(pool, rules.new_session_min_remaining))
    if rules.warning_preference == "above_priority":
        yield warning
    yield Layer("outranked", _highest(lambda one: one.candidate.priority))
    if rules.warning_preference == "within_priority":
        yield warning
    if rules.manual_priority:
        yield Layer("outranked", _highest(lambda one: rules.manual_priority.get(one.id, 0)))
    yield Layer("outranked", lambda pool: _first_by(policy, pool, rules, now))
    yield Layer("outranked", _highest(lambda one: _left(one.standing)))
    yield Layer("outranked", _first_id)


def _with_headroom(pool: Pool, least: float) -> Pool:
    return [one for one in pool if one.standing.headroom >= least] or pool


def _unwarned(pool: Pool) -> Pool:
    return [one for one in pool if not one.standing.warned] or pool


def _highest(value: Callable[[Contender], float]) -> Callable[[Pool], Pool]:
    def keep(pool: Pool) -> Pool:
        values = [value(one) for one in pool]
        top = max(values)
        return [one for one, own in zip(pool, values, strict=True) if own == top]

    return keep


def _first_by(policy: Policy, pool: Pool, rules: Rules, now: float) -> Pool:
    places = [policy.place(one.standing, rules, now) for one in pool]
    group, value = min(places)
    limit = value + policy.tolerance(rules)
    return [
        one
        for one, place in zip(pool, places, strict=True)
        if place == (group, value) or (place[0] == group and place[1] < limit)
    ]


def _left(standing: Standing) -> float:
    """More remaining goes first; what is not known cannot be promised."""
    return -1.0 if standing.long_remaining is None else standing.long_remaining


def _first_id(pool: Pool) -> Pool:
    # Text compares by code points, which is the order of its UTF-8 bytes.
    return [min(pool, key=lambda one: one.id)]
