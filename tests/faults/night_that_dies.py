"""One night over a memory file, in a process that kills itself (-9) before the n-th thing that it would write.

    python -m tests.faults.night_that_dies FILE N MINUTES

N 0: it lives. MINUTES: how late it is. FILE.paid counts the answers that were paid for.
"""

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest import mock

from commonplace import Commonplace
from commonplace.domain.runs import Mode
from commonplace.extraction.candidate import Decision, MemoryView, Reading
from commonplace.extraction.days import Day
from commonplace.nightly import operations_planner
from commonplace.nightly.budget import Answers
from commonplace.nightly.service import Nights
from commonplace.settings import Settings
from tests.conftest import NOON
from tests.scripted_nights import heard

_WRITES = {
    "lease", "renew", "release", "save", "save_part", "drop_parts", "close", "apply", "drop_texts", "erase_texts",
}  # fmt: skip
_TARGETS = {"I live in Munich.": "UPDATE", "The dog is gone.": "DELETE", "Forget that I eat turnips.": "FORGET"}


class Mortal:
    """A port that counts its writes, and dies before one of them."""

    def __init__(self, port: Any, about_to_write: Callable[[], None]) -> None:
        self._port, self._about_to_write = port, about_to_write

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._port, name)
        if name not in _WRITES:
            return method

        def write(*given: Any, **more: Any) -> Any:
            self._about_to_write()
            return method(*given, **more)

        return write


class Reader:
    """Reads by an answer that costs something: it is asked for once, and then there."""

    def __init__(self, paid: Path) -> None:
        self._paid = paid

    def read(self, _mode: Mode, day: Day, view: MemoryView, answers: Answers, *_: object) -> Reading:
        name = f"{day.date}/extract/0"
        if answers.get(name) is None:
            with self._paid.open("a", encoding="utf-8") as file:
                file.write(f"{name}\n")
            answers.save(name, "an answer")
        return Reading(tuple(_decision(day, view, one.text) for one in day.utterances), calls=1, input_tokens=10)


def _decision(day: Day, view: MemoryView, text: str) -> Decision:
    operation: Any = _TARGETS.get(text, "ADD")
    if operation == "ADD":
        return Decision(heard(day, text), operation, why="new")
    about = {"UPDATE": "I live in Berlin.", "DELETE": "My dog is Bo.", "FORGET": "I eat nothing but turnips."}[operation]
    targets = tuple(one.memory_id for one in view.similar(about) if one.content == about)
    content = "" if operation == "DELETE" else text
    return Decision(heard(day, text, content=content, forgets=operation == "FORGET"), operation, targets, why="said so")


def mortal(nights: Nights, dies_before: int) -> tuple[Nights, list[int]]:
    """The same nights, and a counter of what they wrote."""
    written = [0]

    def about_to_write() -> None:
        written[0] += 1
        if written[0] == dies_before:
            os.kill(os.getpid(), signal.SIGKILL)

    context, kept = nights.context, ("ledger", "leases", "runs", "parts")
    mortals: dict[str, Any] = {name: Mortal(getattr(context.night, name), about_to_write) for name in kept}
    night: Any = replace(context.night, **mortals)
    ports: Any = replace(context.ports, operations=Mortal(context.ports.operations, about_to_write))
    return replace(nights, context=replace(context, night=night, ports=ports)), written


def night(file: Path, dies_before: int = 0, minutes: int = 0) -> int:
    """Opens the file and reads its nights; how much was written."""
    at = NOON + timedelta(minutes=minutes)
    with (
        mock.patch.object(operations_planner, "refusal_reason", return_value=None),
        Commonplace(file, user_id="ana", now=lambda: at, settings=Settings(db=file)) as memory,
    ):
        reader = Reader(file.with_suffix(".paid"))
        nights, written = mortal(replace(memory.nights(), read=reader.read), dies_before)
        list(nights.nightly())
    return written[0]


if __name__ == "__main__":
    night(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
