"""Interactions become days of the user's calendar, oldest first, with own words and titles."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest

from commonplace.domain.interactions import INTERACTION, Interaction
from commonplace.extraction.days import days_of

BERLIN = ZoneInfo("Europe/Berlin")


def made(**fields: object) -> Interaction:
    return INTERACTION.validate_python({"id": "i1", "time": "2026-03-02T09:00:00+01:00", **fields})


def talk(*contents: str, **fields: object) -> Interaction:
    messages = [{"role": role, "content": content} for role, content in (one.split(": ", 1) for one in contents)]
    return made(type="discussion", messages=messages, **fields)


def own(interaction: Interaction) -> list[str]:
    return [said.own_words for said in days_of([interaction], BERLIN)[0].utterances]


def test_the_oldest_day_comes_first_by_the_users_calendar() -> None:
    late = talk("user: it is late", id="a", time="2026-03-02T23:30:00Z")  # half past midnight in Berlin
    early = talk("user: it is early", id="b", time="2026-03-02T08:00:00Z")
    naive = talk("user: no offset", id="c", time="2026-03-02T23:59:00")
    days = days_of([late, early, naive], BERLIN)
    assert [day.date for day in days] == [date(2026, 3, 2), date(2026, 3, 3)]
    assert [[said.interaction_id for said in day.utterances] for day in days] == [["b", "c"], ["a"]]
    assert days[0].utterances[1].time == datetime(2026, 3, 2, 23, 59, tzinfo=BERLIN)


def test_positions_number_the_messages_and_only_users_have_own_words() -> None:
    said = days_of([talk("user: I live in Rome.", "assistant: Nice, I love Rome!", "user: me too")], BERLIN)[0].utterances
    assert [(one.position, one.role, one.own_words) for one in said] == [
        (0, "user", "I live in Rome."),
        (1, "assistant", ""),
        (2, "user", "me too"),
    ]


def test_an_explicit_wish_is_one_utterance() -> None:
    (said,) = days_of([made(type="explicit", text="Remember that I am a vegan")], BERLIN)[0].utterances
    assert (said.explicit, said.position, said.role, said.own_words) == (True, 0, "user", "Remember that I am a vegan")


def test_role_play_lasts_over_messages_until_it_ends_and_no_longer_than_its_talk() -> None:
    played = talk(
        "user: Let's play: I am a vampire from Prague.",
        "assistant: Good evening, count!",
        "user: I sleep in a coffin.",
        "user: OK, stop. I have a dentist appointment on Friday.",
        "user: I live in Graz.",
    )
    assert own(played) == ["", "", "", "I have a dentist appointment on Friday.", "I live in Graz."]
    both = days_of([played, talk("user: I sleep badly.", id="i2", time="2026-03-02T10:00:00+01:00")], BERLIN)[0]
    assert both.utterances[-1].own_words == "I sleep badly."


def test_a_fence_reaches_over_the_pieces_of_a_message_that_was_cut() -> None:
    first = "I wrote this:\n```\n" + "x = 1  # I live in Oslo\n" * 350
    pieces = [first[:8_000], first[8_000:] + "```\nI am proud of it."]
    assert own(talk(f"user: {pieces[0]}", f"user: {pieces[1]}")) == ["I wrote this:", "I am proud of it."]


def test_a_short_unclosed_fence_stays_in_its_message() -> None:
    assert own(talk("user: look: ```\nx = 1", "user: I am proud of it.")) == ["look:", "I am proud of it."]


@pytest.mark.parametrize(
    ("fields", "met"),
    [
        ({"type": "save", "post_title": "Bread"}, [("Bread", "saved")]),
        ({"type": "reaction", "post_id": "p", "reaction": "like", "title": "Bread"}, [("Bread", "liked")]),
        ({"type": "reaction", "post_id": "p", "reaction": "❤️", "title": "Bread"}, [("Bread", "liked")]),
        ({"type": "reaction", "post_id": "p", "reaction": "sad", "title": "Bread"}, [("Bread", "read")]),
        ({"type": "reaction", "post_id": "p", "reaction": "Thumbs Down", "title": "Bread"}, []),
        ({"type": "reaction", "post_id": "p", "reaction": "👎", "title": "Bread"}, []),
    ],
)
def test_titles_tell_how_they_were_met(fields: dict[str, object], met: list[tuple[str, str]]) -> None:
    day = days_of([made(**fields)], BERLIN)[0]
    assert [(title.title, title.how) for title in day.titles] == met
    assert not day.utterances


def test_the_article_of_a_talk_is_a_title() -> None:
    (title,) = days_of([talk("user: hm", article_title="Why bread rises")], BERLIN)[0].titles
    assert (title.title, title.how, title.interaction_id) == ("Why bread rises", "discussed", "i1")


def test_a_conversation_that_grew_is_one_talk() -> None:
    first = talk("user: Let's play: I am a vampire from Prague.", "assistant: Good evening, count!", id="t")
    part = talk("user: I sleep in a coffin.", "assistant: And now?", id="t/1", part_of="t")
    last = talk("user: OK, stop. I live in Graz.", id="t/2", part_of="t")
    (day,) = days_of([first, talk("user: I sleep badly.", id="other"), part, last], BERLIN)
    assert [one.own_words for one in day.utterances if one.conversation_id == "t"] == ["", "", "", "", "I live in Graz."]
    said = day.utterance_at("t/2", 0)
    assert said
    assert [one.text for one in day.earlier(said)][-2:] == ["I sleep in a coffin.", "And now?"]
    assert (before := day.before(said))
    assert (before.interaction_id, before.position) == ("t/1", 1)
    assert (other := day.utterance_at("other", 0))
    assert day.before(other) is None
