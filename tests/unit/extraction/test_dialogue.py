"""Role-play without a wording that begins it: heard, kept up until it ends, and nobody's facts are taken for a role."""

import pytest

from commonplace.adapters.word_averages import WordAverages
from commonplace.extraction.days import Day, Utterance
from commonplace.extraction.dialogue import RolePlay
from commonplace.extraction.rules import RulesReader
from tests.unit.extraction.memory_view import InMemoryView
from tests.unit.extraction.test_rules import MORNING

OPENINGS = [
    "ok your turn. you are the sheriff of Dustwater. I'm One-Eyed Nell and I got the mayor's gold in my saddlebags",
    "*the old knight kneels before the dragon* I am Sir Aldous of the Hollow Keep and I have slain nine of thy kin",
]
FACTS = [
    "I'm a nurse on the night shift in Leeds and my daughter Ava starts school in September",
    "We sold the boat, so the mooring in Poole is free from May",
    "I work as a captain on a cargo ship and sail the northern sea",
    "I keep my blue toolbox in the cellar.",
    "Ich bin Lehrerin in Oldenburg und singe im Kirchenchor",
]


def said(text: str, talk: str = "talk") -> Utterance:
    return Utterance(talk, 0, "user", text, MORNING, ((0, len(text)),))


@pytest.mark.parametrize("opening", OPENINGS)
def test_a_role_is_heard_and_goes_on_in_its_talk_until_it_ends(opening: str) -> None:
    stage = RolePlay(WordAverages())
    assert stage.without_roles(said(opening)).own == ()
    assert stage.without_roles(said("I was born in a tower and I own half the kingdom")).own == ()
    ended = stage.without_roles(said("haha ok game over. my sister Ines lives in Porto"))
    assert ended.own_words.strip(" .") == "my sister Ines lives in Porto"
    assert stage.without_roles(said("I play the cello in an orchestra")).own_words == "I play the cello in an orchestra"


@pytest.mark.parametrize("fact", FACTS)
def test_facts_are_no_role(fact: str) -> None:
    assert RolePlay(WordAverages()).without_roles(said(fact)).own_words == fact


def test_another_talk_is_not_on_stage() -> None:
    stage = RolePlay(WordAverages())
    stage.without_roles(said(OPENINGS[0]))
    assert stage.without_roles(said(FACTS[0], talk="another")).own_words == FACTS[0]


@pytest.mark.parametrize("wish", ["Remember that I'm allergic to penicillin.", "Please forget that I live in Leeds."])
def test_what_the_memory_is_asked_is_heard_in_the_middle_of_a_play(wish: str) -> None:
    stage = RolePlay(WordAverages())
    stage.without_roles(said(OPENINGS[0]))
    assert stage.without_roles(said(f"Aye, hoist the sails! {wish}")).own_words == wish
    explicit = Utterance("talk", 4, "user", "I live in York", MORNING, ((0, 14),), explicit=True)
    assert stage.without_roles(explicit) == explicit


def test_a_run_tells_what_it_took_for_a_role() -> None:
    day = Day(MORNING.date(), (said(OPENINGS[0]),))
    reading = RulesReader(WordAverages()).read(day, InMemoryView())
    assert [one.why for one in reading.dropped] == ["role-play"]
    assert not reading.decisions
