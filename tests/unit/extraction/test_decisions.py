"""What rules do about candidates: only a correction, an end or a changed value closes a memory, never a look-alike."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from commonplace.extraction.candidate import Candidate, Decision
from commonplace.extraction.changes.contradictions import contradicts
from commonplace.extraction.changes.corrections import corrected_sentence, is_correction
from commonplace.extraction.changes.figure_replacement import with_new_figures
from commonplace.extraction.decisions import decide
from tests.unit.extraction.memory_view import EARLIER, InMemoryView, memory

NOW = datetime(2026, 3, 11, 23, 0, tzinfo=UTC)

# What is remembered, and what leaves it untrue.
CHANGES = [
    ("I live in Berlin", "We moved to Munich"),
    ("I live in Berlin", "I'm living in Munich now"),
    ("i live in berlin", "i moved to munich"),
    ("I live in Berlin", "I moved to Munich in June"),
    ("I live in Berlin", "I'm moving to Munich"),
    ("I live in Berlin", "We moved to Munich this month"),
    ("I work at Siemens", "I have worked at Bosch for three months"),
    ("Ich wohne in Köln", "Wir sind im Mai nach Hamburg gezogen"),
    ("I work at Siemens", "I've worked at Bosch since May"),
    ("My name is Robert", "Call me Bob"),
    ("I live in Berlin", "I moved to Munich with my friend Will"),
    ("I live in Berlin", "I moved to Munich because I wanted to be near my sister"),
    ("I live in Berlin", "I've been living in Munich for almost a year"),
    ("I live in Berlin", "I'm living in Munich for two months now"),
    ("I live in Boston", "I moved to Atlanta, GA"),
    ("I live in Berlin", "I moved to Munich as planned"),
    ("I live in Berlin", "I wanted to tell you I live in Munich now"),
    ("I live in Berlin", "I should mention that I moved to Munich"),
    ("I work at Bosch", "Maybe you remember, I work at Siemens now"),
    ("Ich wohne in Köln", "Ich bin nach Hamburg gezogen, bis Mai habe ich in Köln gewohnt"),
    ("Ich wohne in Köln", "Wir sind nach Hamburg umgezogen, weil ich näher bei meiner Schwester sein will"),
    ("Ich wohne in Köln", "Ich wohne jetzt in Wil"),
    ("Ich arbeite bei Siemens", "Ich arbeite seit Mai bei Bosch und werde dort gut bezahlt"),
    ("Je travaille chez Renault", "Je travaille chez Peugeot depuis mai"),
    ("Je travaille chez Renault", "Je travaille maintenant chez Free"),
    ("Vivo en Madrid", "Vivo ahora en Valencia, hasta mayo vivía en Madrid"),
    ("Abito a Torino", "Mi sono trasferita a Milano, fino a maggio abitavo a Torino"),
    ("Ik woon in Gent", "Ik ben naar Antwerpen verhuisd omdat ik dichter bij zee wil zijn"),
    ("Moro no Porto", "Me mudei para Lisboa e vou de metrô para o trabalho"),
    ("I work at Bosch", "I work at Home Depot now"),
    ("I work at Bosch", "I work at Siemens since last week and might stay forever"),
    ("I work as a nurse", "I work as a teacher as of this week"),
    ("I work as a nurse", "I work as a teacher now, maybe not the best paid job"),
    ("My boss is Karen", "My boss is Trish now"),
    ("My boss is Karen", "My manager is Therese"),
    ("My boss is Karen", "My boss is German Lopez now"),
    ("I'm 43", "I just turned 44"),
    ("I work at Bosch", "I started at Siemens in May"),
    ("I work at Siemens as an engineer", "I quit my job at Siemens"),
    ("My boss is Karen", "My boss is now Peter"),
    ("The deadline for the grant is March 3", "The deadline for the grant got pushed to March 10"),
    ("The grant deadline is March 10", "Actually the deadline is now March 20"),
    ("My favourite colour is green", "My favorite color is blue"),
    ("My salary is 4000", "I earn 5000 now"),
    ("I'm vegetarian", "I'm vegan now"),
    ("I'm vegetarian", "I'm not vegetarian anymore"),
    ("I eat pork every Sunday", "I don't eat pork anymore"),
    ("I smoke a pack a day", "I quit smoking"),
    ("I run marathons", "I used to run marathons but now I swim"),
    ("I go to the gym on Mondays", "I stopped going to the gym"),
    ("We use Jira for all our tickets", "We switched from Jira to Linear"),
    ("I play piano", "I play the violin instead of piano now"),
    ("I drink coffee", "I don't drink coffee"),
    ("I drink coffee", "I never drink coffee"),
    ("I drink coffee", "I just don't drink coffee"),
    ("I drink coffee", "I have to say I don't drink coffee"),
    ("Je bois du café", "Je ne bois pas du tout de café"),
    ("I drink coffee", "I don't drink coffee at all"),
    ("I'm allergic to penicillin", "It turned out that I'm not allergic to penicillin after all"),
    ("I always drink coffee", "I don't always drink coffee"),
    ("I drink coffee every day", "I don't drink coffee every day"),
    ("I learn Welsh for 20 minutes a day", "I've packed in the Welsh"),
    ("I take metformin twice a day", "They are taking me off the metformin altogether"),
    ("I have decided to use Excel for my festival project.", "I use Airtable for my festival project now."),
    ("I keep my purple drill in the kitchen.", "I keep my purple drill in the hallway now."),
    ("I go sailing on Sundays.", "I go sailing on Tuesdays now."),
    ("The deadline of my thesis project is May 8.", "The deadline of my thesis project has moved to June 1."),
    ("Ich wohne in Köln", "Wir sind nach Hamburg gezogen"),
    ("Ich esse Fleisch", "Ich esse kein Fleisch mehr"),
    ("Vivo en Madrid", "Ya no vivo en Madrid"),
    ("J'habite à Lyon", "J'ai déménagé à Nantes"),
    ("Moro em Porto Alegre", "Mudamos para Lisboa"),
    ("Abito a Torino", "Mi sono trasferita a Milano"),
    ("Ik woon in Gent", "We zijn naar Brussel verhuisd"),
    ("東京に住んでいます", "大阪に引っ越しました"),
    ("締め切りは3月3日です", "締め切りは3月10日になりました"),
]
# What is remembered, and what only looks as if it changed it.
LOOK_ALIKES = [
    ("I have a dog named Rex", "I have a cat named Tom"),
    ("I have a dog named Rex", "We got a second dog, Bello"),
    ("My sister lives in Oslo", "I moved to Bergen"),
    ("My friend Ana lives in Faro", "I now live in Lisbon"),
    ("I live in Lisbon", "My friend Ana moved to Porto"),
    ("The grant deadline is March 10", "The exam is on March 20 now"),
    ("My dog is 4", "My cat is 5"),
    ("I like tea", "I like coffee"),
    ("I love tea", "I don't drink coffee anymore"),
    ("The wedding is on June 5", "The marathon is on June 8"),
    ("I work on the billing project", "I also work on the search project"),
    ("My daughter is allergic to nuts", "My son is allergic to eggs"),
    ("The refunds API is due on June 24", "The settlement service goes live on September 15 now"),
    ("I play piano", "I also play the violin now"),
    ("Meine Schwester wohnt in Köln", "Ich wohne jetzt in Bonn"),
    (
        "The deadline of my harbour inventory project is September 21.",
        "The deadline of my bakery inventory project has moved to September 8.",
    ),
    ("I work with Nils Brandt on the harbour rehearsal.", "I work with Nils Fontaine on the harbour rehearsal now."),
    ("I owe Anna 50 euros", "Anna owes me 50 euros"),
    ("I live in Berlin", "I might move to Munich"),
    ("I live in Berlin", "I want to move to Munich"),
    ("I live in Berlin", "I'm moving to Munich in June"),
    ("I live in Berlin", "We will move to Munich next year"),
    ("I live in Berlin", "I never lived in Munich"),
    ("I live in Berlin", "I'm living in a hotel in Rome this week"),
    ("I live in Berlin", "We moved to weekly sprints"),
    ("I live in Berlin", "I live in constant fear of deadlines"),
    ("Ich wohne in Köln", "Wir ziehen im Juni nach Hamburg"),
    ("Ich wohne in Köln", "Ich ziehe vielleicht nach Hamburg"),
    ("Vivo en Madrid", "Me mudo a Valencia en junio"),
    ("J'habite à Lyon", "Je vais peut-être déménager à Nantes"),
    ("I work at Siemens", "I worked at Bosch from 2010 to 2014"),
    ("I work at Siemens", "I'm starting at Bosch next month"),
    ("I work at Siemens", "I work at the food bank on Saturdays"),
    ("I work as a nurse", "I worked as a waiter in college"),
    ("Ich arbeite bei Siemens", "Ich arbeitete bei Bosch"),
    ("I drink coffee", "I don't drink coffee at work"),
    ("I drink coffee", "I don't always drink coffee"),
    ("I drink coffee", "I didn't drink coffee today"),
    ("I drink coffee", "I don't drink coffee every day"),
    ("I drink coffee", "I don't just drink coffee"),
    ("I drink coffee", "I don't need to drink coffee"),
    ("Ich trinke Kaffee", "Ich trinke heute keinen Kaffee"),
    ("Ich trinke Kaffee", "Ich trinke nicht immer Kaffee"),
    ("Je bois du café", "Je ne bois pas de café aujourd'hui"),
    ("Tomo café", "Hoy no tomo café"),
    ("My sister lives in Oslo", "My sister is moving to Bergen next year"),
    ("I work at Google", "I work at home"),
    ("I work at Google", "I work at night"),
    ("I work for Google", "I work for a living"),
    ("I work as a nurse", "I work as hard as I can"),
    ("My name is Robert", "My name is on the list"),
    ("My name is Robert", "Call me tomorrow"),
    ("I live in Berlin", "I'm moving to Munich, hopefully next year"),
    ("I live in Berlin", "I told you that I might move to Munich"),
    ("I live in Berlin", "I almost moved to Munich because of my job"),
    ("I live in Berlin", "I will move to Munich and work at BMW"),
    ("Vivo en Madrid", "Me mudo a Valencia en junio y estoy feliz"),
    ("Moro no Porto", "Vou me mudar para Lisboa em maio"),
    ("Abito a Torino", "Non abito mai a Milano"),
    ("Ik woon in Gent", "Ik wil naar Antwerpen verhuizen omdat het daar mooi is"),
    ("My boss is Karen", "My boss is Czech"),
    ("I take piano lessons on Fridays", "I cancelled my piano lesson today"),
]


def said(content: str, **more: Any) -> Candidate:
    fields: dict[str, Any] = {"confidence": 0.9, "event_time": NOW, "corrects": is_correction(content), "evidence": content}
    return Candidate(content, "talk", 0, **{**fields, **more})


def decided(content: str, *known: str, **more: Any) -> Decision:
    (decision,) = decide([said(content, **more)], InMemoryView([memory(text) for text in known]), NOW)
    return decision


@pytest.mark.parametrize(
    ("known", "content", "restated", "corrects", "operation"),
    [
        ("I am a vegetarian", "No meat comes on my plate", True, False, "NOOP"),
        ("I am a vegetarian", "No meat comes on my plate", False, False, "ADD"),
        ("I am a vegetarian", "No meat comes on my plate", True, True, "ADD"),
        ("I live in Utrecht", "I moved to Ghent", True, False, "UPDATE"),
    ],
)
def test_what_vectors_find_said_already_is_known_unless_it_changes_or_corrects(
    known: str, content: str, restated: bool, corrects: bool, operation: str
) -> None:
    old = memory(known)
    view = InMemoryView([old], restated=[old.memory_id] if restated else [])
    (decision,) = decide([said(content, corrects=corrects)], view, NOW)
    assert decision.operation == operation


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_a_changed_or_ended_fact_is_closed(old: str, new: str) -> None:
    decision = decided(new, old, "The bread is in the oven of my aunt")
    assert (decision.operation, decision.targets) == ("UPDATE", (memory(old).memory_id,))


@pytest.mark.parametrize(("old", "new"), LOOK_ALIKES)
def test_a_look_alike_stays(old: str, new: str) -> None:
    assert decided(new, old).operation == "ADD"


def test_what_is_known_is_not_added_again() -> None:
    assert decided("I live in Berlin", "I live in Berlin").operation == "NOOP"
    assert decided("I live in Berlin. I love tea.", "I live in Berlin", "I love tea").operation == "NOOP"


@pytest.mark.parametrize(
    ("known", "repeated"),
    [
        ("I keep my grey rain-jacket in the kitchen.", "My grey rain-jacket is kept in the kitchen."),
        ("The deadline of my thesis redesign project is May 8.", "My thesis redesign project is due on May 8."),
        ("I really hate rhubarb.", "Rhubarb is something that I hate."),
        ("I have decided to use Excel for my festival project.", "For my festival project I chose Excel."),
        ("I work with Viktor Castelli on the website review.", "Viktor Castelli and I work together on the website review."),
        ("I go sailing on Sundays.", "On Sundays I always go sailing."),
    ],
)
def test_the_same_in_other_words_is_not_added_again(known: str, repeated: str) -> None:
    assert decided(repeated, known).operation == "NOOP"


def test_a_weak_guess_beside_a_confident_memory_is_not_added() -> None:
    assert decided("the user may like green tea", "I like green tea a lot", confidence=0.4).operation == "NOOP"
    assert decided("the user may like green tea", "I like green tea a lot", confidence=0.6).operation == "ADD"


def test_only_the_sentence_that_changed_is_replaced() -> None:
    decision = decided("We moved to Munich.", "I live in Berlin. My cat is called Tom.")
    assert decision.content == "My cat is called Tom. We moved to Munich."


def test_a_second_change_of_the_same_memory_does_not_undo_the_first() -> None:
    view = InMemoryView([memory("I live in Berlin. I work at Bosch.")])
    _, second = decide([said("We moved to Munich."), said("I started at Siemens.")], view, NOW)
    assert second.content == "We moved to Munich. I started at Siemens."


def test_an_older_value_closes_nothing_and_is_kept_as_what_it_was() -> None:
    decision = decided("I live in Munich", "I live in Berlin", event_time=EARLIER - timedelta(days=1))
    assert (decision.operation, decision.targets) == ("ADD", ())
    assert decision.outdated_by is not None
    assert decision.outdated_by.content == "I live in Berlin"


def test_an_older_end_of_what_is_remembered_is_nothing_at_all() -> None:
    assert decided("I quit smoking", "I smoke a pack a day", event_time=EARLIER - timedelta(days=1)).operation == "NOOP"


def test_what_is_corrected_on_the_same_day_is_not_added_as_it_was() -> None:
    first, second = decide([said("I live in Berlin"), said("Wait, I live in Munich now")], InMemoryView(), NOW)
    assert (first.operation, second.operation) == ("NOOP", "ADD")


def test_what_is_to_be_forgotten_later_that_day_is_not_added() -> None:
    first, second = decide([said("I have a cat named Tom"), said("my cat", forgets=True)], InMemoryView(), NOW)
    assert (first.operation, second.operation) == ("NOOP", "NOOP")


def test_a_wish_to_forget_closes_everything_that_says_it() -> None:
    decision = decided("the divorce", "I went through a divorce", "My divorce is final", "I love tea", forgets=True)
    assert (decision.operation, len(decision.targets)) == ("FORGET", 2)


def test_without_a_correction_only_a_changed_value_counts() -> None:
    assert contradicts("We use Linear, not Jira", "We use Jira for tickets", corrects=True)
    assert not contradicts("We use Linear, not Jira", "We use Jira for tickets", corrects=False)


@pytest.mark.parametrize(
    ("old", "new", "gone", "becomes"),
    [
        ("I fly on 18 April, one bag", "It's the 11th of April, not the 18th, back on the 22nd", "18th", "I fly on 11th April, one bag"),
        ("The choir is on Mondays", "the choir is on Wednesdays, not Mondays", "Mondays", "The choir is on Wednesdays"),
        ("I fly on 18 April", "not the 18th, the 11th or the 12th", "18th", None),
        ("We meet at 3 on the 14th", "It's the 21st at 4, not the 14th", "14th", "We meet at 3 on the 21st"),
        ("I fly on 18 April", "not the 18th", "18th", None),
        ("I fly on 18 April", "the flight is on 11 April, not 18 April", "18 April", "I fly on 11 April"),
    ],
)  # fmt: skip
def test_a_day_takes_the_place_of_the_one_that_is_named_as_gone(old: str, new: str, gone: str, becomes: str | None) -> None:
    assert with_new_figures(old, new, gone) == becomes


def test_a_corrected_value_may_hold_any_character() -> None:
    assert corrected_sentence(r"It's D:\Users, not C:\temp", r"The folder is C:\temp") == r"The folder is D:\Users"


def test_a_value_that_the_old_sentence_lacks_is_not_lost() -> None:
    new = "It's the second of May for the party, not the first"
    assert "second" in corrected_sentence(new, "The party is on Friday")


def test_what_a_wish_leaves_of_the_same_day_rests_on_no_word_of_it() -> None:
    text = "I live in Vienna. I have a cat named Tom. I love tea."
    vienna, tea, wish = decide([said(text, evidence=text), said("my cat", forgets=True)], InMemoryView(), NOW)
    assert [(one.operation, one.says, one.candidate.evidence) for one in (vienna, tea)] == [
        ("ADD", "I live in Vienna.", "I live in Vienna."),
        ("ADD", "I love tea.", "I love tea."),
    ]
    assert wish.operation == "NOOP"


def test_what_a_change_left_untrue_goes_though_the_new_value_is_to_be_forgotten() -> None:
    change = said("I live in Linz now, not in Graz", corrects=True)
    first, wish = decide([change, said("I live in Linz", forgets=True)], InMemoryView([memory("I live in Graz")]), NOW)
    assert (first.operation, wish.operation, wish.targets) == ("NOOP", "FORGET", ("mem_I live in Graz",))
