"""Pairs of what is remembered and what is said next, in ten voices: what closes, what stays, and what is never lost."""

from pathlib import Path
from typing import NamedTuple

import pytest

from commonplace.extraction.candidate import Decision
from commonplace.extraction.changes.contradictions import has_another_end
from commonplace.extraction.changes.statements import statements, true_details, without_statements
from commonplace.extraction.decisions import decide
from tests.unit.extraction.memory_view import InMemoryView, memory
from tests.unit.extraction.test_decisions import NOW, said

_ROWS = (Path(__file__).parent / "cases" / "changes.tsv").read_text("utf-8").splitlines()


class Pair(NamedTuple):
    """What is remembered, what is said next, and the words that must be remembered after it."""

    half: str
    kind: str
    old: str
    new: str
    words: tuple[str, ...]

    @classmethod
    def of(cls, line: str) -> "Pair":
        half, kind, old, new, words = (f"{line}\t".split("\t"))[:5]
        return cls(half, kind, old, new, tuple(filter(None, words.split("|"))))


PAIRS = [Pair.of(line) for line in _ROWS if not line.startswith("#")]


def decided(pair: Pair) -> Decision:
    (decision,) = decide(
        [said(pair.new)], InMemoryView([memory(pair.old), memory("The bread is in the oven of my aunt")]), NOW
    )
    return decision


def closes(pair: Pair) -> bool:
    return memory(pair.old).memory_id in decided(pair).targets


@pytest.mark.parametrize("pair", [one for one in PAIRS if one.kind == "keep"], ids=lambda one: f"{one.old} / {one.new}"[:90])
def test_a_look_alike_closes_nothing(pair: Pair) -> None:
    assert not decided(pair).targets


@pytest.mark.parametrize("pair", [one for one in PAIRS if one.words], ids=lambda one: f"{one.old} / {one.new}"[:90])
def test_no_name_of_what_is_remembered_is_lost(pair: Pair) -> None:
    decision = decided(pair)
    told = decision.content or (decision.candidate.content if decision.operation != "NOOP" else "")
    after = told if decision.targets else f"{pair.old} {told}"
    assert not [word for word in pair.words if word.casefold() not in after.casefold()]


def test_a_sentence_is_parted_where_the_user_states_something_else() -> None:
    assert [*statements("I'm vegan and I love Thai food. My cat is Tom.")] == [
        "I'm vegan",
        "I love Thai food.",
        "My cat is Tom.",
    ]
    assert [*statements("My wife and I live in Bonn.")] == ["My wife and I live in Bonn."]
    assert [*statements("ich wohne in Ulm, mein Bruder in Kiel")] == ["ich wohne in Ulm", "mein Bruder in Kiel"]


@pytest.mark.parametrize(
    ("sentence", "stated"),
    [
        ("I live in Leeds, have a cat and play tennis.", ["I live in Leeds", "I have a cat", "I play tennis."]),
        ("I'm vegan but love the smell of bacon.", ["I'm vegan", "I love the smell of bacon."]),
        ("My sister Mia lives in Oslo and works at the port.", ["My sister Mia lives in Oslo", "My sister Mia works at the port."]),
        ("My wife and I live in Bonn and have two cats.", ["My wife and I live in Bonn", "My wife and I have two cats."]),
        ("I live in Leeds and Anna lives in Bath.", ["I live in Leeds", "Anna lives in Bath."]),
        ("my mother is 70 and her birthday is on 9 May", ["my mother is 70", "my mother's birthday is on 9 May"]),
        ("Meine Schwester wohnt in Ulm und hat zwei Kinder.", ["Meine Schwester wohnt in Ulm", "Meine Schwester hat zwei Kinder."]),
        ("J'habite à Lyon et travaille à la poste.", ["J'habite à Lyon", "Je travaille à la poste."]),
        ("Ik woon in Gent en heb een kat.", ["Ik woon in Gent", "Ik heb een kat."]),
        ("母は札幌に住んでいて、猫を飼っています。", ["母は札幌に住んでいます。", "母は猫を飼っています。"]),
        ("I live and work in Leeds.", ["I live and work in Leeds."]),
        ("I want to live in Leeds and have a cat.", ["I want to live in Leeds and have a cat."]),
        ("I don't smoke and drink much.", ["I don't smoke and drink much."]),
        ("I know people who live here and have a cat.", ["I know people who live here and have a cat."]),
        ("I like tea and coffee.", ["I like tea and coffee."]),
        ("I use a ThinkPad, work gave it to me", ["I use a ThinkPad, work gave it to me"]),
        ("Mum has been in our granny annexe and she likes it", ["Mum has been in our granny annexe and she likes it"]),
        ("Me gusta la música en vivo y el cine.", ["Me gusta la música en vivo y el cine."]),
        ("私はデザイナーで、札幌に住んでいます。", ["私はデザイナーです。", "私は札幌に住んでいます。"]),
        ("私は京都で、銀行に勤めています。", ["私は京都で、銀行に勤めています。"]),
        ("銀行で、5年働いています。", ["銀行で、5年働いています。"]),
    ],
)  # fmt: skip
def test_what_goes_on_about_the_same_one_is_stated_of_them(sentence: str, stated: list[str]) -> None:
    assert [*statements(sentence)] == stated


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        ("Ich wohne in Kassel und habe eine Katze namens Mimi.", "Ich wohne jetzt in Göttingen.", "Ich habe eine Katze namens Mimi."),
        ("I live in Leeds and have a cat called Mimi.", "I live in York now.", "I have a cat called Mimi."),
        ("J'habite à Lyon et j'ai un chat.", "J'ai déménagé à Nantes.", "j'ai un chat."),
        ("Vivo en Madrid y tengo una gata.", "Me he mudado a Granada.", "tengo una gata."),
        ("Moro em Porto e tenho um gato.", "Mudamos para Lisboa.", "tenho um gato."),
        ("Abito a Torino e ho un gatto.", "Mi sono trasferita a Milano.", "ho un gatto."),
        (
            "Me llamo Inés y soy enfermera en Valencia.",
            "Ya no trabajo en Valencia, ahora estoy en Alicante.",
            "Me llamo Inés. Soy enfermera.",
        ),
        (
            "my mother's birthday is on 9 May and she collects thimbles",
            "My mother collects thimbles no more, she gave them away.",
            "my mother's birthday is on 9 May.",
        ),
        (
            "I work at Siemens in Erlangen and play badminton on Thursdays.",
            "I don't work at Siemens any more, I'm at Bosch now.",
            "I play badminton on Thursdays.",
        ),
        (
            "We'll fly to Bergen on 12 June and take the Hurtigruten north.",
            "Correction: the flight to Bergen is on 14 June, not 12 June.",
            "We'll take the Hurtigruten north. We'll fly to Bergen on 14 June.",
        ),
        (
            "I work at Stripe as a backend engineer, and my stack is Go and PostgreSQL.",
            "no longer at Stripe, I joined Datadog.",
            "my stack is Go and PostgreSQL.",
        ),
        (
            "The user works at Stripe and prefers Python with FastAPI.",
            "Not at Stripe any more, I switched to Bosch.",
            "The user prefers Python with FastAPI.",
        ),
        ("I work at Monzo and I love climbing.", "I've left Monzo and joined Wise.", "I love climbing."),
        ("I work at Zalando and play chess.", "I've left Zalando for Personio.", "I play chess."),
        ("Ich arbeite bei SAP und spiele Tennis.", "Nicht mehr bei SAP, ich bin jetzt bei Celonis.", "Ich spiele Tennis."),
        ("私は看護師で、札幌に住んでいます。", "仙台に引っ越しました。", "私は看護師です。"),
        ("札幌に住んでいて、猫を飼っています。", "仙台に引っ越しました。", "猫を飼っています。"),
    ],
)  # fmt: skip
def test_a_change_leaves_what_the_same_sentence_told_beside_it(old: str, new: str, left: str) -> None:
    decision = decided(Pair("", "change", old, new, ()))
    assert (decision.operation, decision.content) == ("UPDATE", f"{left} {new}")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My sister works at Stripe.", "no longer at Stripe, I joined Datadog"),
        ("My brother is vegan.", "no longer vegan, I eat fish now"),
        ("I live in Berlin.", "I left Berlin this morning and I'm at the airport"),
    ],
)
def test_what_is_over_for_the_user_closes_nothing_else(old: str, new: str) -> None:
    assert decided(Pair("", "keep", old, new, ())).operation == "ADD"


def test_what_the_user_is_stays_only_where_nothing_else_is_told() -> None:
    assert true_details("I'm a nurse in Leeds.", "I don't work in Leeds any more") == ["I'm a nurse"]
    assert true_details("I'm a nurse in Leeds.", "I'm a teacher in York now") == []


def test_what_is_not_true_any_more_takes_nothing_with_it() -> None:
    assert without_statements("I'm vegan and I love Thai food. My cat is Tom.", {"I'm vegan"}) == [
        "I love Thai food.",
        "My cat is Tom.",
    ]
    assert true_details("I live in Berlin with my dog Bo", "I moved to Munich") == ["With my dog Bo"]
    assert true_details("I live in Berlin with my dog Bo", "I moved to Munich without my dog") == []


def test_all_memories_that_one_word_changes_keep_the_rest() -> None:
    known = [memory("I live in Berlin. My cat is Tom."), memory("I'm living in Berlin. I work at Bosch.")]
    (decision,) = decide([said("We moved to Munich.")], InMemoryView(known), NOW)
    assert decision.content == "My cat is Tom. I work at Bosch. We moved to Munich."


@pytest.mark.parametrize(
    ("old", "new", "another"),
    [
        ("I work with Ann on the survey", "I work with Ann on the library now", True),
        ("I work with Ann on the survey", "I work with Ann on the library", False),
        ("I work with Nils Brandt", "I work with Nils Fontaine now", False),
        ("I have a dog named Rex", "I have a dog named Bo now", False),
        ("I run with Ann on Mondays", "I run with Ann in the park now", False),
    ],
)
def test_another_end_of_the_same_sentence_counts_only_where_it_says_now(old: str, new: str, another: bool) -> None:
    assert has_another_end(new, old) is another
