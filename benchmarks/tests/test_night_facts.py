"""The user of the simulated years: what holds was told last, what was changed holds no more, and a seed is a life."""

from datetime import date

import pytest

from benchmarks.night_facts import Life, facts
from benchmarks.night_stories import HALVES, Half

NIGHTS = 200


def lived(half: Half) -> tuple[Life, list[str]]:
    life = Life(facts(half), date(2025, 1, 1))
    days = list(life.days(NIGHTS))
    said = [message["content"] for day in days for message in day.interactions[0]["messages"] if message["role"] == "user"]
    return life, said


@pytest.mark.parametrize("half", HALVES)
def test_each_fact_that_holds_was_told(half: Half) -> None:
    life, said = lived(half)
    assert len(life.now) > NIGHTS
    for told in life.now.values():
        wordings = {told.said(wording) for wording in (told.kind.said, told.kind.changed) if wording}
        assert wordings & set(said), told


@pytest.mark.parametrize("half", HALVES)
def test_a_changed_fact_holds_no_more(half: Half) -> None:
    life, _ = lived(half)
    assert life.before
    holding = [(told.kind.asked, told.subject, told.value) for told in life.now.values()]
    changed = [old for old in life.before if (old.kind.asked, old.subject, old.value) not in holding]
    assert len(changed) > 0.9 * len(life.before), "a few were changed back"
    assert all((old.kind.asked, old.subject) in life.now for old in life.before)


@pytest.mark.parametrize("half", HALVES)
def test_a_fact_is_told_again_in_words_that_tell_it(half: Half) -> None:
    life, _ = lived(half)
    for told in life.now.values():
        assert told.worded.told_by(told.said(told.kind.again)), told


@pytest.mark.parametrize("half", HALVES)
def test_titles_are_told_apart(half: Half) -> None:
    life, _ = lived(half)
    titles = list(life.saved)
    assert len(titles) > NIGHTS / 5
    assert not any(one != other and one in other for one in titles for other in titles)


@pytest.mark.parametrize("half", HALVES)
def test_a_seed_gives_the_same_life(half: Half) -> None:
    assert lived(half)[1] == lived(half)[1]
