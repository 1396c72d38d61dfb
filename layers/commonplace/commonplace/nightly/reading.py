"""How a run has its days read: by the mode it takes, with rules for what no model reads."""

from commonplace.extraction.candidate import Reading, Shelf
from commonplace.extraction.day import Day
from commonplace.extraction.rules import LEAST_WORTH, RulesReader
from commonplace.models.runs import Mode
from commonplace.nightly.budget import Answers
from commonplace.nightly.day_plans import ReadDay
from commonplace.nightly.desk import Desk
from commonplace.nightly.modes import Modes


def reader_at(desk: Desk) -> ReadDay:
    """Reads days with the models of a desk, on the account of its user."""
    least = desk.night.least_worth
    rules = RulesReader(desk.ports.words, LEAST_WORTH if least is None else least)

    def read(mode: Mode, day: Day, shelf: Shelf, answers: Answers, tired: frozenset[str]) -> Reading:
        return Modes(rules, desk.night, desk.user_id, desk.clock()).read_day(mode, day, shelf, answers, tired)

    return read
