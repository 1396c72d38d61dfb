"""How many examples a property test draws: a few in each run of the tests, all of them in `make fuzz`."""

import os

from hypothesis import HealthCheck, settings

TIMES = int(os.environ.get("COMMONPLACE_FUZZ_TIMES", "0"))
"""How many times the examples of a test `make fuzz` draws; 0 in an ordinary run."""
_SHARE, _FEWEST = 5, 10  # an ordinary run draws a fifth, and at least ten


def count(whole: int) -> int:
    """The number of examples in this run, for a test that draws `whole` of them in `make fuzz`."""
    return whole * TIMES if TIMES else min(whole, max(_FEWEST, whole // _SHARE))


def examples(whole: int, *unhealthy: HealthCheck) -> settings:
    """Settings for a property test that draws `whole` examples in `make fuzz`; `unhealthy`: health checks to leave out."""
    return settings(max_examples=count(whole), suppress_health_check=[HealthCheck.too_slow, *unhealthy])
