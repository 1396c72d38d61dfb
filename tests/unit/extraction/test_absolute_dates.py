"""Relative dates become absolute, and only those of which it is sure which day they mean."""

from datetime import UTC, datetime

import pytest

from commonplace.extraction.absolute_dates import with_dates
from commonplace.extraction.changes.figure_replacement import figures_of, with_new_date
from commonplace.extraction.grounding.evidence import unsupported

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
        ("I've got the dentist on Friday", "on Friday (2026-03-13)"),
        ("she's got an exam on Friday", "on Friday (2026-03-13)"),
        ("I got the parcel on Friday", "on Friday (2026-03-06)"),
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
        ("The inspection got moved from Friday to Monday", "to Monday (2026-03-16)"),
        ("La reunión se ha cambiado del lunes al viernes", "al viernes (2026-03-13)"),
        ("La visite a été décalée de jeudi à samedi", "à samedi (2026-03-14)"),
        ("Die Probe wurde von Freitag auf Samstag verlegt", "auf Samstag (2026-03-14)"),
        ("面接が木曜日から金曜日に変更になりました。", "金曜日 (2026-03-13)"),
        ("Plumber on Friday at half past nine", "on Friday (2026-03-13) at half past nine"),
        ("I won't be at practice on Friday", "on Friday (2026-03-13)"),
        ("We can't hand in the keys on Monday", "on Monday (2026-03-16)"),
        ("The tiler didn't show up on Monday", "on Monday (2026-03-09)"),
        ("I wasn't at choir on Friday", "on Friday (2026-03-06)"),
        ("Our team won on Saturday", "on Saturday (2026-03-07)"),
        ("I met him on Friday, we talked", "on Friday (2026-03-06)"),
        ("the grant is due by Friday", "by Friday (2026-03-13)"),
        ("I bought a suit because my wedding is on Saturday at 2 pm", "on Saturday at 2 pm (2026-03-14)"),
        ("I asked for a day off because I fly on Friday", "on Friday (2026-03-13)"),
        ("I'm tired because I worked on Sunday", "on Sunday (2026-03-08)"),
        ("The boss told me on Monday that I will get a raise", "on Monday (2026-03-09)"),
        ("The neighbour slipped on Sunday evening", "on Sunday evening (2026-03-08)"),
        ("My exam is scheduled for Friday", "for Friday (2026-03-13)"),
        ("I've booked a table for Friday evening", "for Friday evening (2026-03-13)"),
        ("My exam is next Tuesday at 9", "next Tuesday at 9 (2026-03-17)"),
        ("I have had a cold since Monday", "since Monday (2026-03-09)"),
        ("Ich habe ein Kleid gekauft, weil sie am Samstag heiratet", "am Samstag (2026-03-14)"),
        ("Ich habe am Freitag gegen 8 Uhr einen Termin", "am Freitag gegen 8 Uhr (2026-03-13)"),
        ("Am Freitag sind wir nach Ulm gefahren", "Am Freitag (2026-03-06)"),
        ("Am Freitag kündigte er den Vertrag", "Am Freitag (2026-03-06)"),
        ("Seit Montag habe ich Husten", "Seit Montag (2026-03-09)"),
        ("Ab Montag arbeite ich in Köln", "Ab Montag (2026-03-16)"),
        ("Mi vuelo sale el sábado a las 6 de la mañana", "el sábado a las 6 de la mañana (2026-03-14)"),
        ("El viernes compraré un coche", "El viernes (2026-03-13)"),
        ("El sábado fuimos a la playa", "El sábado (2026-03-07)"),
        ("Pedí permiso porque mi hermana se casa el sábado", "el sábado (2026-03-14)"),
        ("Vendredi soir, nous sommes allés à l'opéra", "Vendredi soir (2026-03-06)"),
        ("Vendredi, je me suis fait mal au dos", "Vendredi (2026-03-06)"),
        ("J'ai rendez-vous chez le dentiste jeudi à 14 h 30", "jeudi à 14 h 30 (2026-03-12)"),
        ("Mon vol est vendredi à 20 h", "vendredi à 20 h (2026-03-13)"),
        ("J'ai acheté une valise parce que je pars samedi", "samedi (2026-03-14)"),
        ("月曜の朝から新しい会社で働きます。", "月曜の朝から (2026-03-16)"),
        ("水曜日から熱が続いています。", "水曜日から (2026-03-04)"),
        ("木曜日の午後2時に歯医者の予約があります。", "木曜日の午後2時 (2026-03-12)"),
        ("土曜日に結婚式があるので、スーツを買いました。", "土曜日 (2026-03-14)"),
        ("金曜日に転んだので、歩けません。", "金曜日 (2026-03-06)"),
        ("ich bin gestern umgezogen", "gestern (2026-03-10)"),
        ("el viernes tengo dentista", "el viernes (2026-03-13)"),
        ("je déménage le mois prochain", "le mois prochain (2026-04)"),
        ("来月引っ越します", "来月 (2026-04)"),
        ("The dentist is Thursday at half past nine", "is Thursday (2026-03-12) at half past nine"),
        ("The plumber is coming Saturday between nine and eleven", "Saturday between nine and eleven (2026-03-14)"),
        ("The report is due Friday", "due Friday (2026-03-13)"),
        ("The deadline is Friday", "is Friday (2026-03-13)"),
        ("My flight leaves Saturday at 6 am", "leaves Saturday at 6 am (2026-03-14)"),
        ("The meeting got moved to Friday", "to Friday (2026-03-13)"),
        ("They moved it to thursday this week", "to thursday this week (2026-03-12)"),
        ("The slides must be there by Friday noon", "by Friday noon (2026-03-13)"),
        ("The costume must be washed by Friday night", "by Friday night (2026-03-13)"),
        ("Der Termin ist Donnerstag um halb zehn", "ist Donnerstag (2026-03-12) um halb zehn"),
        ("Tisch für Sonntag 19 Uhr reserviert", "für Sonntag 19 Uhr (2026-03-15)"),
        ("Wir haben Karten für Samstag gekauft", "für Samstag (2026-03-14)"),
        ("Das Treffen wurde auf Freitag verschoben", "auf Freitag (2026-03-13)"),
        ("Entregar el informe el jueves antes de las doce", "el jueves (2026-03-12) antes de las doce"),
        ("La reunión se pasó al viernes", "al viernes (2026-03-13)"),
        ("La réunion a été décalée à vendredi", "à vendredi (2026-03-13)"),
        ("金曜の19時から会議です", "金曜の19時から (2026-03-13)"),
        ("会議は金曜に変更になりました", "金曜 (2026-03-13)に変更"),
        ("The call is tomorrow at nine thirty in the evening", "at nine thirty in the evening (2026-03-12)"),
        ("We meet tomorrow at 7.30", "tomorrow at 7.30 (2026-03-12)"),
        ("Das Treffen ist morgen um Viertel nach neun", "um Viertel nach neun (2026-03-12)"),
        ("La cita es el jueves a las nueve y media de la noche", "y media de la noche (2026-03-12)"),
        ("Le rendez-vous est jeudi à neuf heures et demie", "et demie (2026-03-12)"),
        ("木曜の9時半に歯医者です", "木曜の9時半 (2026-03-12)に"),
        ("The plumber will come on Friday at half past seven", "on Friday (2026-03-13) at half past seven"),
        ("The contract has to be signed by Friday noon", "by Friday noon (2026-03-13)"),
        ("The boat must be booked by noon on Friday", "by noon on Friday (2026-03-13)"),
        ("The order can be cancelled before Friday noon", "before Friday noon (2026-03-13)"),
        ("I want the shed painted by Saturday evening", "by Saturday evening (2026-03-14)"),
        ("My thesis will have been printed by Friday noon", "by Friday noon (2026-03-13)"),
        ("She needs her essay sent by Friday noon", "by Friday noon (2026-03-13)"),
        ("We must leave before Saturday", "before Saturday (2026-03-14)"),
        ("The bike must be returned before Saturday morning", "before Saturday morning (2026-03-14)"),
        ("The parcel must arrive by Friday at 4 am", "by Friday (2026-03-13) at 4 am"),
        ("I'm free after Friday", "after Friday (2026-03-13)"),
        ("I leave before next Friday", "before next Friday (2026-03-13)"),
        ("She called before Saturday", "before Saturday (2026-03-07)"),
        ("Der Vertrag muss bis Freitag Mittag unterschrieben sein", "bis Freitag Mittag (2026-03-13)"),
        ("Sie sagt, dass der Brief bis Freitag Mittag verschickt sein muss", "bis Freitag Mittag (2026-03-13)"),
        ("Ich will die Wohnung bis Sonntag Abend geputzt haben", "bis Sonntag Abend (2026-03-15)"),
        ("Der Vertrag musste bis Freitag Mittag unterschrieben werden", "bis Freitag Mittag (2026-03-06)"),
        ("Der Bericht hätte bis Freitag Mittag abgegeben werden müssen", "bis Freitag Mittag (2026-03-06)"),
        ("Der Brief muss vor Samstag früh raus", "vor Samstag früh (2026-03-14)"),
        ("El contrato tiene que firmarse antes del viernes a mediodía", "antes del viernes (2026-03-13) a mediodía"),
        ("Tenía que firmarlo antes del viernes a mediodía", "antes del viernes (2026-03-06) a mediodía"),
        ("Hay que pagar antes del lunes por la mañana", "antes del lunes por la mañana (2026-03-16)"),
        ("Le contrat doit être signé avant lundi matin", "avant lundi matin (2026-03-16)"),
        ("金曜の正午までに契約書に署名しなければなりません", "金曜の正午までに (2026-03-13)"),
        ("金曜の夜は出かけませんでした", "金曜の夜 (2026-03-06)"),
        ("金曜の正午までに支払わなければなりませんでした", "金曜の正午までに (2026-03-06)"),
    ],
)
def test_the_date_stands_behind_the_word(said: str, told: str) -> None:
    assert told in with_dates(said, MORNING)
    assert unsupported(with_dates(said, MORNING), said, (), MORNING.date()) is None  # else a night would refuse the memory


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
    assert unsupported(with_dates(said, MORNING), said, (), MORNING.date()) is None


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
        "I'm moving in on the 28th at 9 am",
        "no time at all",
        "The cleaner has a standing slot with us on Friday",
        "My favourite day of the week is Friday",
        "My bin day is Friday",
        "The working week starts Monday",
        "The shop is open Monday 9 am to 5 pm",
        "I work Monday to Friday",
        "Mein Lieblingstag ist Freitag",
        "My nickname is Friday",
        "The parrot in the novel is Friday",
        "A good time for calls is Friday",
        "Der beste Tag für Anrufe ist Mittwoch",
        "Ich freue mich auf Freitag",
        "Le tengo miedo al lunes",
        "I'm off on Monday the 8th",
        "La cena pasa al sábado 18",
    ],
)
def test_a_text_that_tells_its_date_or_may_mean_another_year_stays(said: str) -> None:
    assert with_dates(said, MORNING) == said


@pytest.mark.parametrize(
    "said",
    [
        "My flight on Friday at 8 pm has been cancelled.",
        "My appointment on Thursday at 3 pm was moved.",
        "I booked our tickets on Saturday evening.",
        "I had to cancel my class on Friday morning.",
        "Ich habe mich auf Freitag gefreut.",
        "Mein Termin am Donnerstag wurde verschoben.",
        "Ich habe am Samstag einen Tisch reserviert.",
        "El sábado reservé una mesa.",
        "Me han dado la cita el viernes a las once.",
        "Nos dieron hora el lunes.",
        "El viernes cenamos con Ana.",
        "Samedi soir, j'ai réservé une table.",
        "Le médecin a annulé ma consultation jeudi matin.",
        "土曜の夜にホテルを予約しました。",
        "金曜日に先週買った本を読みます。",
        "金曜の正午までに署名する必要がありました。",
        "金曜までに終わらせる予定でした。",
        "I was going to be there by Friday noon.",
        "Ramen with Noor and the twins on Sunday",
        "土曜日、川沿いでいとことバーベキュー。",
    ],
)
def test_a_weekday_whose_verb_leaves_the_week_open_gets_no_date(said: str) -> None:
    assert with_dates(said, MORNING) == said


def test_a_written_date_is_no_figure_of_what_was_said() -> None:
    assert figures_of("we moved last week (2026-03-02 – 2026-03-08)") == frozenset()
    assert figures_of("twice a week, on the 3rd of May") == {"twice", "3rd", "may"}


def test_a_sentence_takes_another_date_in_the_place_of_its_own() -> None:
    assert with_new_date("The party is on 14 March at noon", "it's the 21 March") == "The party is on 21 March at noon"
    assert with_new_date("The party is on 14 March", "it's later") is None
