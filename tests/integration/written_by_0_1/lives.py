"""The users of the fixtures live through their story. As `make.py`, it runs at the commit of 0.1 only, 615575f."""

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from commonplace import entrypoint
from commonplace.conversation import import_turns
from commonplace.nightly.desk import Desk
from commonplace.nightly.nights import Nights
from commonplace.nightly.reading import reader_at
from commonplace.ports import Caller
from commonplace.wiring import Opened
from tests.conftest import NOON
from tests.integration.written_by_0_1 import seen
from tests.integration.written_by_0_1.doors import Door
from tests.integration.written_by_0_1.story import GONE, LIFE, MOVES, TALK, TURNS, WISHES, day_of, explicit, talk

STORED, NIGHT = NOON.replace(day=18), NOON.replace(hour=23)


class Died(BaseException):
    """The process is no more."""


class Mortal:
    """A port that is at its end before the n-th operation, and gives no lease back."""

    def __init__(self, port: Any, lives: int = 0) -> None:
        self._port, self._lives = port, lives

    def __getattr__(self, name: str) -> Any:
        return getattr(self._port, name)

    def apply(self, *given: Any) -> Any:
        if self._lives == 0:
            raise Died
        self._lives -= 1
        return self._port.apply(*given)

    def release(self, *_: Any) -> None:
        """A process that died releases nothing."""


@dataclass(frozen=True)
class User:
    """One who lives through the story."""

    opened: Opened
    user_id: str

    def call(self, tool: str, now: datetime = STORED, **arguments: Any) -> None:
        entrypoint.call(tool, arguments, Caller(self.user_id, now), self.opened.ports)

    def nights(self, now: datetime = NIGHT) -> Nights:
        desk = Desk(Caller(self.user_id, now), self.opened.ports, self.opened.night(), lambda: now)
        return Nights(desk, reader_at(desk))

    def read(self, *interactions: Any, nights: Nights | None = None) -> None:
        self.nights(NOON).record(interactions)
        list((nights or self.nights()).nightly("rules"))

    def dying(self, after: int, now: datetime = NIGHT) -> Nights:
        """Nights that end in the middle."""
        nights = self.nights(now)
        ports: Any = replace(nights.desk.ports, operations=Mortal(nights.desk.ports.operations, after))
        night: Any = replace(nights.desk.night, runs=Mortal(nights.desk.night.runs))
        return replace(nights, desk=replace(nights.desk, ports=ports, night=night))


def lived_through(opened: Opened, backend: str, door: Door) -> dict[str, Any]:
    """The story of all users; gives what two of them remembered before their nights."""
    ana, bea, carl, cleo, dora, eva = (User(opened, f"{backend}|{name}") for name in seen.USERS)
    for number, (tool, arguments) in enumerate(LIFE):
        ana.call(tool, STORED + timedelta(minutes=number), **arguments)
    import_turns(TURNS, "all", Caller(ana.user_id, STORED), opened.ports)
    before = {"ana": door.records("ana")}
    ana.read(*day_of())
    ana.nights().record([explicit("pending", "Remember that my nephew Tim plays the harp.")])
    for number, thing in enumerate(GONE):
        for user in (bea, dora) if number < 4 else (bea,):
            user.call("store_memory", content=thing)
    bea.read(talk("gone", *(one.replace("I play", "I no longer play") for one in GONE), "My sister Eva lives in Oslo."))
    dora.read(
        talk("wishes", *(one.replace("I play", "Forget that I play") for one in GONE[:4]), "My brother Jan lives in Bergen.")
    )
    for user, nights in ((carl, carl.nights()), (cleo, cleo.dying(after=2))):
        for said in MOVES:
            user.call("store_memory", content=said)
        with suppress(Died):
            user.read(*TALK, nights=nights)
    for said in MOVES:
        eva.call("store_memory", content=said)
    before["eva"] = door.records("eva")
    eva.read(talk("moved", *WISHES))
    with suppress(Died):
        eva.dying(1, NIGHT.replace(minute=30)).undo_run("last")
    return before
