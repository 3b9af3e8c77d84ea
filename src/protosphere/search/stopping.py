"""When a search that nobody asked to go on may end: what leads is unlikely to be beaten, or nothing better comes."""

import math

from protosphere.search.bandit import BanditSearch
from protosphere.search.pool import ScreenedCode

HOPE = 0.35
"""How much of the way from where the race ends to what nothing is below a whole descent may still go: .15 to .25 of it
from random starts, up to .4 from a code of about the size."""

SAME_CODE = 0.01
"""What a race ends so little above the best code, relatively to 1 - cosine, has fallen back to it."""

HASTY = 0.1
"""Share of the budget below which a race says nothing: there is time enough to look."""

PATIENCE = 0.25
"""Share of the budget that may pass without anything better, beside twice what had passed by the last time."""

FINISHING_GAIN = 0.5
"""How much lower a screened code may come out once it is finished, in log K over the last temperature of screening."""


def is_hopeless(search: BanditSearch, floor: float) -> bool:
    """Whether a code that was given leads the race, and nothing came near enough to pass it after a whole descent."""
    best = search.pool.best
    if not best.finished or search.budget.share < HASTY:
        return False
    same = best.value + SAME_CODE * (1 - best.value)
    others = [arm.value for arm in search.arms if same < arm.value < math.inf]
    return all(value - HOPE * (value - floor) >= best.value for value in others)


def is_stale(search: BanditSearch) -> bool:
    """Whether nothing better has come for long."""
    return search.budget.spent > 2 * search.pool.noticed_at + PATIENCE * search.budget.iterations


def may_lead(search: BanditSearch, candidate: ScreenedCode) -> bool:
    """Whether a screened code may be the best one once it is finished."""
    gain = FINISHING_GAIN * math.log(search.num_points) / search.backend.last
    return candidate.value <= search.pool.best.value + gain
