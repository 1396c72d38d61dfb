"""What a user wants forgotten is nowhere any more, however often and wherever it was said; what stood beside it stays."""

from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.extraction.candidate import MemoryView, Reading
from commonplace.extraction.days import Day
from commonplace.extraction.rules import RulesReader
from tests.scripted_nights import current

pytestmark = pytest.mark.integration


def talk(day: int, *said: str, name: str = "") -> dict[str, Any]:
    messages = [
        message
        for text in said
        for message in ({"role": "user", "content": text}, {"role": "assistant", "content": "Noted."})
    ]
    time = f"2026-05-{day}T09:00:00+02:00"
    return {"type": "discussion", "id": f"talk-{day}{name}", "time": time, "messages": messages}


def nights(memory: Commonplace, *days: list[dict[str, Any]]) -> None:
    """One night after each of the days."""
    for said in days:
        memory.record_interactions(said)
        memory.nightly(mode="rules")


def places(file: Path, word: str) -> list[str]:
    """The files beside the memory file that hold a word."""
    return [
        one.name for one in file.parent.glob(f"{file.name}*") if word in one.read_bytes().decode("utf-8", "ignore").casefold()
    ]


def test_said_on_two_days_and_corrected_once_it_is_gone_from_every_byte(memory: Commonplace, memory_file: Path) -> None:
    nights(
        memory,
        [talk(11, "I play the bassoon in the Ottakring orchestra.")],
        [talk(12, "By the way, the bassoon lesson was fun.", "I play the bassoon with my brother in Graz.")],
        [talk(13, "I was wrong, I play the bassoon in the Hernals orchestra, not in the Ottakring orchestra.")],
        [
            talk(14, "I live in Vienna."),
            talk(14, "My bassoon is from 1962.", name="-b"),
            talk(14, "Forget my bassoon.", name="-c"),
        ],
    )
    assert not any("bassoon" in text for text in current(memory))
    assert any("Vienna" in text for text in current(memory))
    memory.close()
    assert places(memory_file, "bassoon") == []


def test_a_wish_reaches_what_no_memory_was_made_of(memory: Commonplace, memory_file: Path) -> None:
    nights(memory, [talk(11, "lol the karaoke night, never again")])
    assert places(memory_file, "karaoke")
    nights(memory, [talk(13, "Forget the karaoke night.")])
    memory.close()
    assert places(memory_file, "karaoke") == []


def test_what_was_replaced_before_is_forgotten_too(memory: Commonplace, memory_file: Path) -> None:
    nights(
        memory,
        [talk(11, "I live in Leipzig.")],
        [talk(12, "I moved to Vienna.")],
        [talk(13, "Forget that I lived in Leipzig.")],
    )
    assert current(memory) == ["I moved to Vienna."]
    memory.close()
    assert places(memory_file, "leipzig") == []


def test_what_was_replaced_before_goes_too_where_a_day_is_read_one_by_one(
    memory: Commonplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(reader: RulesReader, day: Day, view: MemoryView) -> Reading:
        if any("poison" in said.text for said in day.utterances):
            raise ValueError
        return reads(reader, day, view)

    reads = RulesReader.read
    monkeypatch.setattr(RulesReader, "read", read)
    nights(memory, [talk(11, "I live in Leipzig.")])
    said = ["I moved to Vienna. I live in Vienna now.", "poison", "Forget where I live. Forget that I live in Vienna."]
    nights(memory, [{**talk(12, text, name=f"-{at}"), "time": f"2026-05-12T0{at}:00:00Z"} for at, text in enumerate(said)])
    assert {one["raw_text"] for one in memory.export()} == {""}


def test_what_stood_beside_it_stays(memory: Commonplace, memory_file: Path) -> None:
    nights(memory, [talk(11, "I'm allergic to walnuts. I see a therapist on Mondays.")], [talk(13, "Forget the therapist.")])
    assert current(memory) == ["I'm allergic to walnuts."]
    (kept,) = [one for one in memory.export() if one["status"] == "active"]
    assert kept["session_id"] == "talk-11"
    memory.undo_run("last")
    assert current(memory) == ["I'm allergic to walnuts."]
    memory.close()
    assert places(memory_file, "therapist") == []


@pytest.mark.parametrize("more", [0, 4], ids=["few", "more than a day erases at once"])
def test_what_stood_beside_it_and_is_remembered_already_holds_up_no_wish(memory: Commonplace, more: int) -> None:
    said = ["I live in Bonn. I see a therapist on Mondays.", "I live in Bonn.", *(f"My therapist {n}" for n in range(more))]
    for number, value in enumerate(said):
        given = {"key": f"k{number}", "value": value, "category": "personal_context", "durability": "durable"}
        memory.call("write_memory", {**given, "allow_similar": True})
    later = {**talk(13, "Forget the therapist."), "time": "2030-01-01T09:00:00+02:00"}
    nights(memory, [later])
    assert current(memory) == ["I live in Bonn."]
    memory.approve_run("last")
    assert not any("therapist" in one["raw_text"] for one in memory.export())


def test_what_was_left_of_what_was_erased_with_approval_stays_when_the_run_is_undone(memory: Commonplace) -> None:
    said = ["I live in Bonn. I see a therapist on Mondays.", *(f"My therapist {n}" for n in range(4))]
    for number, value in enumerate(said):
        given = {"key": f"k{number}", "value": value, "category": "personal_context", "durability": "durable"}
        memory.call("write_memory", {**given, "allow_similar": True})
    nights(memory, [{**talk(13, "Forget the therapist."), "time": "2030-01-01T09:00:00+02:00"}])
    run = memory.approve_run("last")
    memory.undo(run.operations[0].operation_id)
    memory.undo_run(run.run_id)
    assert current(memory) == ["I live in Bonn."]


@pytest.mark.parametrize("more", [0, 9], ids=["one memory", "more than an operation takes"])
def test_a_second_wish_goes_on_from_what_the_first_left(memory: Commonplace, more: int) -> None:
    said = [
        *(f"My therapist is number {n}" for n in range(more)),
        "I see a therapist on Mondays. I have a cat. I live in Bonn.",
    ]
    for number, value in enumerate(said):
        given = {"key": f"k{number}", "value": value, "category": "personal_context", "durability": "durable"}
        memory.call("write_memory", {**given, "allow_similar": True})
    wishes = [talk(13, "Forget the therapist."), talk(13, "Forget my cat.", name="-b")]
    nights(memory, [{**one, "time": f"2030-01-01T0{at}:00:00Z"} for at, one in enumerate(wishes)])
    assert current(memory) == ["I live in Bonn."]


def test_what_was_said_after_the_wish_is_remembered(memory: Commonplace) -> None:
    nights(memory, [talk(11, "I have a cat named Tom.")], [talk(13, "Forget my cat.")], [talk(15, "I have a cat named Mia.")])
    assert current(memory) == ["I have a cat named Mia."]


def test_what_a_recipe_shall_do_without_is_nothing_to_forget(memory: Commonplace) -> None:
    recipe = talk(13, "How do I make pad thai?", "Remove the peanuts, please.")
    recipe["messages"][1]["content"] = "Noodles, tofu, lime and peanuts. Shall I list the steps?"
    nights(memory, [talk(11, "My daughter Mia is allergic to peanuts.")], [recipe])
    assert current(memory) == ["My daughter Mia is allergic to peanuts."]
    assert memory.run("last").operations == ()
    assert [one.interaction_id for one in memory.run("last").dropped] == ["talk-13"]


def test_what_else_a_message_with_a_wish_says_is_remembered(memory: Commonplace) -> None:
    nights(
        memory,
        [talk(11, "My ex is called Daniel.")],
        [
            talk(
                13,
                "I work as a vet in Ely since Monday. I'm allergic to latex. Oh and please forget what I said about Daniel.",
            )
        ],
    )
    told = " ".join(current(memory))
    assert "vet" in told
    assert "latex" in told
    assert "Daniel" not in told


def explicit(day: int, text: str) -> dict[str, Any]:
    return {"type": "explicit", "id": f"wish-{day}", "time": f"2026-05-{day}T10:00:00+02:00", "text": text}


@pytest.mark.parametrize(
    "text",
    [
        "Forget everything",
        "Forget everything you know about me.",
        "Vergiss alles über mich",
        "Olvida todo lo que sabes de mí",
    ],
)
def test_a_wish_that_does_not_tell_what_is_listed_and_is_no_memory(memory: Commonplace, text: str) -> None:
    nights(memory, [talk(11, "I live in Leeds.")], [explicit(13, text)])
    assert current(memory) == ["I live in Leeds."]
    (told,) = memory.run("last").dropped
    assert "doesn't tell what" in told.why


@pytest.mark.parametrize("order", [1, -1], ids=["changed, then forgotten", "forgotten, then changed"])
def test_a_change_of_the_same_day_goes_on_from_what_a_wish_leaves(memory: Commonplace, memory_file: Path, order: int) -> None:
    said = [talk(13, "I live in York now."), talk(13, "Forget my wife Rosa Winterbottom.", name="-b")]
    if order < 0:
        said = [talk(13, "Forget my wife Rosa Winterbottom."), talk(13, "I live in York now.", name="-b")]
    nights(memory, [talk(11, "I live in Leeds. My wife is Rosa Winterbottom.")], said)
    assert current(memory) == ["I live in York now."]
    memory.close()
    assert places(memory_file, "winterbottom") == []


def test_a_correction_stands_though_what_it_told_is_to_be_forgotten(memory: Commonplace, memory_file: Path) -> None:
    nights(
        memory,
        [talk(11, "I live in Graz. I love tea.")],
        [talk(13, "I live in Linz now, not in Graz."), explicit(13, "Forget that I live in Linz")],
    )
    assert current(memory) == ["I love tea."]
    memory.close()
    assert places(memory_file, "linz") == []


TITLES = {
    10: "Tomatoes with Quillfeather",
    12: "Tomatoes under a greenhouseling",
    14: "When to water tomatoes, by Wimblebrook",
}


def saves() -> list[list[dict[str, Any]]]:
    return [
        [{"type": "save", "id": f"s{day}", "time": f"2026-05-{day}T09:00:00+02:00", "post_title": title}]
        for day, title in TITLES.items()
    ]


def test_an_interest_tells_the_three_interactions_that_it_rests_on(memory: Commonplace) -> None:
    nights(memory, *saves())
    (interest,) = (one for one in memory.export() if one["durability"] == "durable")
    assert interest["evidence"] == " · ".join(TITLES.values())
    (told,) = (one for one in memory.run_report("last").operations if one.operation.memory_id == interest["memory_id"])
    assert told.operation.rests_on == ("s10", "s12", "s14")
    assert told.rests_on == interest["evidence"]


def test_with_an_interest_all_texts_go_that_it_rests_on(memory: Commonplace) -> None:
    nights(memory, *saves(), [talk(19, "I live in Vienna."), talk(19, "Forget that I'm interested in tomatoes.", name="-b")])
    assert not any("interested" in text for text in current(memory))
    kept = memory._local.night().ledger.entries(memory._user_id, ["s10", "s12", "s14", "talk-19", "talk-19-b"])
    assert [one.interaction_id for one in kept if one.interaction is not None] == ["talk-19"]


def test_a_wish_that_no_memory_says_tells_so(memory: Commonplace) -> None:
    nights(memory, [talk(11, "I live in Leeds.")], [talk(13, "Delete what you know about my divorce.")])
    (told,) = memory.run("last").operations
    assert (told.kind, told.closed, told.why) == ("FORGET", (), "the user wanted it forgotten; no memory says it")


@pytest.mark.parametrize(
    "text",
    [
        "Забудь, что я живу в Москве.",
        "Zapomnij, że mieszkam w Krakowie.",
        "请忘记我住在北京。",
        "제가 서울에 산다는 것을 잊어 주세요.",
        "Glöm att jag bor i Lund.",
        "Berlin'de yaşadığımı unut.",
        "Glöm att jag inte äter kött.",
        "忘记我住在北京。",
        "忘了我说的话。",
        "제 주소를 잊어버려.",
        "मैं दिल्ली में रहता हूँ, यह भूल जाओ।",
        "โปรดลืมว่าฉันอยู่กรุงเทพ",
    ],
)
def test_a_wish_in_a_language_whose_wishes_are_not_read_is_listed_and_is_no_memory(memory: Commonplace, text: str) -> None:
    nights(memory, [explicit(13, text)])
    assert current(memory) == []
    (told,) = memory.run("last").dropped
    assert "not read" in told.why


@pytest.mark.parametrize(
    "text",
    [
        "Не забудь, что я живу в Москве.",
        "Glöm inte att jag bor i Lund.",
        "Glöm för all del inte att jag är allergisk mot nötter.",
        "Glem nu ikke, at jeg er allergisk over for nødder.",
        "别忘了我住在北京。",
        "忘记我的密码了,我的账号是小明。",
        "나는 약속을 자주 잊어.",
        "저는 이름을 자주 잊어버려.",
        "मैं दिल्ली में रहता हूँ, यह मत भूल जाना।",
        "Uită-te la filmul meu preferat, Filantropica.",
        "ลืมว่าวางกุญแจไว้ที่บ้านในกรุงเทพ",
    ],
)
def test_what_is_not_to_be_forgotten_is_remembered_there(memory: Commonplace, text: str) -> None:
    nights(memory, [explicit(13, text)])
    assert len(current(memory)) == 1
