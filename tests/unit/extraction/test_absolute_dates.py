"""Relative dates become absolute, and only those of which it is sure which day they mean."""

from datetime import UTC, datetime

import pytest

from commonplace.extraction.absolute_dates import with_dates
from commonplace.extraction.changes.figure_replacement import figures_of, with_new_date

MORNING = datetime(2026, 3, 11, 9, 0, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I had surgery yesterday", "yesterday (2026-03-10)"),
        ("my flight leaves tomorrow", "tomorrow (2026-03-12)"),
        ("We moved last week", "last week (2026-03-02 – 2026-03-08)"),
        ("I quit smoking last year", "last year (2025)"),
        ("next month I start at Siemens", "next month (2026-04)"),
        ("I started running three weeks ago", "three weeks ago (2026-02-16 – 2026-02-22)"),
        ("the dentist is on Friday at nine", "on Friday (2026-03-13)"),
        ("my train leaves on Friday at 8 pm", "on Friday at 8 pm (2026-03-13)"),
        ("the recital is on Saturday afternoon", "on Saturday afternoon (2026-03-14)"),
        ("the plumber comes on Wednesday morning", "on Wednesday morning (2026-03-11)"),
        ("I met her on Friday evening", "on Friday evening (2026-03-06)"),
        ("am Freitag um 20 Uhr fliege ich", "am Freitag um 20 Uhr (2026-03-13)"),
        ("am Samstagabend habe ich ein Konzert", "am Samstagabend (2026-03-14)"),
        ("am Samstagabend war ich im Kino", "am Samstagabend (2026-03-07)"),
        ("el viernes por la tarde tengo cita", "el viernes por la tarde (2026-03-13)"),
        ("el viernes por la noche cené con Ana", "el viernes por la noche (2026-03-06)"),
        ("vendredi soir je vais au théâtre", "vendredi soir (2026-03-13)"),
        ("vendredi soir j'ai vu un film", "vendredi soir (2026-03-06)"),
        ("金曜の夜に友達と食事します", "金曜の夜 (2026-03-13)"),
        ("金曜の夜に映画を見ました", "金曜の夜 (2026-03-06)"),
        ("I was away from Monday to Thursday", "from Monday to Thursday (2026-03-02 – 2026-03-05)"),
        ("I met him on Friday, we talked", "on Friday (2026-03-06)"),
        ("the grant is due by Friday", "by Friday (2026-03-13)"),
        ("ich bin gestern umgezogen", "gestern (2026-03-10)"),
        ("el viernes tengo dentista", "el viernes (2026-03-13)"),
        ("je déménage le mois prochain", "le mois prochain (2026-04)"),
        ("来月引っ越します", "来月 (2026-04)"),
    ],
)
def test_the_date_stands_behind_the_word(said: str, told: str) -> None:
    assert told in with_dates(said, MORNING)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "I have the dentist today at 5 pm and my sister visits me tomorrow.",
            "I have the dentist today at 5 pm (2026-03-11) and my sister visits me tomorrow (2026-03-12).",
        ),
        (
            "I was born in 1990. I fly to Rome tomorrow. We moved last week.",
            "I was born in 1990. I fly to Rome tomorrow (2026-03-12). We moved last week (2026-03-02 – 2026-03-08).",
        ),
        ("I fly tomorrow. My sister flies tomorrow.", "I fly tomorrow (2026-03-12). My sister flies tomorrow (2026-03-12)."),
        ("Ich fliege morgen. Gestern war ich krank.", "Ich fliege morgen (2026-03-12). Gestern (2026-03-10) war ich krank."),
        ("When do you fly? Tomorrow", "When do you fly? Tomorrow (2026-03-12)"),
        (
            "I was born on Monday 5 May 1990. I fly to Rome on Monday.",
            "I was born on Monday 5 May 1990. I fly to Rome on Monday (2026-03-16).",
        ),
        (
            "In 2020 I started on a Friday, which I’ll never forget. On Friday I fly.",
            "In 2020 I started on a Friday, which I’ll never forget. On Friday (2026-03-13) I fly.",
        ),
        (
            "I swim every Monday and I rest on Friday. On Friday I fly.",
            "I swim every Monday and I rest on Friday. On Friday (2026-03-13) I fly.",
        ),
        (
            "I live in Leeds, have the dentist tomorrow and play tennis next week.",
            "I live in Leeds, have the dentist tomorrow (2026-03-12) and play tennis next week (2026-03-16 – 2026-03-22).",
        ),
    ],
)
def test_each_statement_has_its_own_date(said: str, told: str) -> None:
    assert with_dates(said, MORNING) == told


@pytest.mark.parametrize(
    "said",
    [
        "I go running on Fridays",
        "my birthday is on 5 May",
        "we've lived here since 2019",
        "she goes to Utrecht from February on",
        "I'm moving in on the 28th",
        "I want to run under 2:15 this September",
        "I work from Monday to Friday",
        "no time at all",
    ],
)
def test_a_text_that_tells_its_date_or_may_mean_another_year_stays(said: str) -> None:
    assert with_dates(said, MORNING) == said


def test_a_written_date_is_no_figure_of_what_was_said() -> None:
    assert figures_of("we moved last week (2026-03-02 – 2026-03-08)") == frozenset()
    assert figures_of("twice a week, on the 3rd of May") == {"twice", "3rd", "may"}


def test_a_sentence_takes_another_date_in_the_place_of_its_own() -> None:
    assert with_new_date("The party is on 14 March at noon", "it's the 21 March") == "The party is on 21 March at noon"
    assert with_new_date("The party is on 14 March", "it's later") is None
