"""What is declared to work in a language does."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks import language_table
from commonplace.extraction import patterns
from commonplace.extraction.days import Utterance
from commonplace.extraction.forgetting.requests import forget_requests
from commonplace.extraction.grounding import evidence, polarity
from commonplace.extraction.own_words.masking import cues
from commonplace.text import redaction, third_person
from commonplace.text.foundation import intent_cues
from commonplace.text.foundation.calendar import calendars
from commonplace.text.foundation.languages import UNKNOWN, languages
from commonplace.text.tagging import tables
from commonplace.text.time_ranges.language import LANGUAGES as IN_TIMES
from commonplace.text.time_ranges.reader import read_time_range

NOW = datetime(2026, 3, 11, 9, 0, tzinfo=UTC)
ROOMS = {
    "third person": {*third_person.frames()} - {UNKNOWN},
    "redaction": {*redaction.LANGUAGES},
    "time ranges": {*IN_TIMES},
    "calendar": {*calendars()},
    "own words": {*cues()} - {"any"},
    "patterns": {*patterns.LANGUAGES, *patterns.FORGETTING_ONLY_REPORTED},
    "evidence": {*polarity.tables(), *evidence.LANGUAGES_WITHOUT_CAPITALS},
    "tags": {*tables.LANGUAGES},
    "intent": {*intent_cues.LANGUAGES},
}
FORGET = {
    "en": "Forget my cat.", "de": "Vergiss meine Katze.", "fr": "Oublie mon chat.", "es": "Olvida mi gato.",
    "pt": "Esquece o meu gato.", "it": "Dimentica il mio gatto.", "nl": "Vergeet mijn kat.", "ja": "猫のことは忘れて",
}  # fmt: skip
ONLY_REPORTED = {
    "zh": "忘掉我的猫", "ko": "고양이는 잊어 주세요", "ru": "Забудь мою кошку", "uk": "Забудь мого кота",
    "pl": "Zapomnij o moim kocie", "cs": "Zapomeň na mou kočku", "ro": "Uită de pisica mea", "sv": "Glöm min katt",
    "nb": "Glem katten min", "da": "Glem min kat", "fi": "Unohda kissani", "tr": "Kedimi unut", "id": "Lupakan kucing saya",
    "vi": "Hãy quên con mèo của tôi", "el": "Ξέχνα τη γάτα μου", "ar": "انس قطتي", "hi": "मेरी बिल्ली को भूल जाओ",
    "th": "ลืมเรื่องแมวของฉัน",
}  # fmt: skip
SECRET = {
    "en": "the door code is 4471", "de": "der Türcode ist 4471", "fr": "le code de la porte est 4471",
    "es": "el código de la puerta es 4471", "ja": "ドアの暗証番号は4471です",
    "pt": "o código da porta é 4471", "it": "il codice della porta è 4471", "nl": "de code van de deur is 4471",
}  # fmt: skip
ALWAYS = {
    "en": "Always answer briefly", "de": "Bitte immer kurz antworten", "fr": "Toujours répondre en bref",
    "es": "Siempre responde en breve", "ja": "これからは短く答えて",
}  # fmt: skip
YESTERDAY = {"en": "yesterday", "de": "gestern", "fr": "hier", "es": "ayer", "ja": "昨日"}


def said(text: str) -> Utterance:
    return Utterance("talk", 0, "user", text, NOW, ((0, len(text)),))


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_speaks_of_languages_that_are_known(room: str) -> None:
    assert ROOMS[room] <= languages().keys()


def test_each_declared_language_has_a_sentence_here() -> None:
    assert FORGET.keys() == {*patterns.LANGUAGES}
    assert ONLY_REPORTED.keys() == {*patterns.FORGETTING_ONLY_REPORTED}
    assert SECRET.keys() == {*redaction.LANGUAGES}
    assert ALWAYS.keys() == {*intent_cues.LANGUAGES}
    assert YESTERDAY.keys() == {*IN_TIMES}


@pytest.mark.parametrize("code", FORGET)
def test_what_is_to_be_forgotten_is_read(code: str) -> None:
    (wish,) = forget_requests(said(FORGET[code]), None)
    assert wish.target


@pytest.mark.parametrize("code", ONLY_REPORTED)
def test_a_request_that_is_only_reported_tells_nothing(code: str) -> None:
    (wish,) = forget_requests(said(ONLY_REPORTED[code]), None)
    assert not wish.target


@pytest.mark.parametrize("code", SECRET)
def test_a_secret_is_announced(code: str) -> None:
    assert "4471" not in redaction.redact(SECRET[code]).text


@pytest.mark.parametrize("code", ALWAYS)
def test_an_instruction_is_heard(code: str) -> None:
    assert intent_cues.is_instruction(ALWAYS[code])


@pytest.mark.parametrize("code", YESTERDAY)
def test_a_time_is_read(code: str) -> None:
    assert read_time_range(YESTERDAY[code], NOW) is not None


def test_the_page_has_a_row_for_each_language() -> None:
    rows = [line for line in language_table.page().splitlines() if line.startswith("| ")][1:]
    names = [name for row in rows for name in row.split(" | ")[0][2:].split(", ")]
    assert names == [language.name for language in languages().values()]


def test_the_page_is_what_the_tables_give() -> None:
    assert (Path(__file__).parents[2] / "docs" / "internals" / "languages.md").read_text("utf-8") == language_table.page()
