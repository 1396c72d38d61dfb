"""How much is drawn, and what came of it: a little and always the same in the tests, much and anew in `make fuzz`."""

import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, Phase, settings

from commonplace import CommonplaceError
from tests.examples import TIMES
from tests.fuzz.owed import check_refusal

LONG = TIMES > 0
_MOST = 2.0  # seconds of process time of a call, held by the long run only: 1 on an idle machine, and beside other work twice
_Told = TypeVar("_Told")

MARKS = [
    pytest.mark.integration,
    pytest.mark.timeout(1_800 if LONG else 120),
    pytest.mark.filterwarnings("ignore:Generating overly large repr"),  # of Hypothesis, where a long text fails
]


def examples(count: int) -> settings:
    """So many examples in the tests, the same each time; a multiple of them by a seed in the long run."""
    return settings(
        max_examples=count * (TIMES or 1), derandomize=not LONG, database=None, deadline=None, report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck), phases=(Phase.explicit, Phase.generate, Phase.shrink),
    )  # fmt: skip


@dataclass
class Count:
    """What came of the calls of one kind."""

    answered: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0

    def add(self, refused: str | None, seconds: float = 0.0) -> None:
        """One more call: the code of its refusal, None for an answer, and its process time."""
        self.slowest = max(self.slowest, seconds)
        if refused is None:
            self.answered += 1
        else:
            self.refused[refused] += 1


COUNTS: defaultdict[str, Count] = defaultdict(Count)
"""By what was called."""


def attempt(what: str, call: Callable[[], _Told], most: float = _MOST) -> _Told | CommonplaceError:
    """Makes a call, counts it, and gives its answer or its refusal. What it raises otherwise is a finding."""
    begun = time.process_time()
    told: _Told | CommonplaceError
    try:
        told = call()
    except CommonplaceError as error:
        check_refusal(error)
        told = error
    except Exception:
        COUNTS[what].add("internal")
        raise
    spent = time.process_time() - begun
    COUNTS[what].add(told.code.label if isinstance(told, CommonplaceError) else None, spent)
    assert not LONG or spent <= most, f"{what}: {spent:.2f} s"
    return told


def write_counts(file: Path) -> None:
    """Leaves the counts to the program that started these tests."""
    counts = {
        what: {"answered": one.answered, "refused": one.refused, "slowest": one.slowest} for what, one in COUNTS.items()
    }
    file.write_text(json.dumps(counts), "utf-8")
