"""Secrets told in rows, in halves, in look-alike letters, and in the languages whose wishes are read."""

import pytest

from commonplace.extraction.patterns import LANGUAGES as WISHES
from commonplace.text.redaction import LANGUAGES, redact

FOUND = [
    ("Recovery codes:\nk3vn-ppq8\n9xwr-2mzt\nhh4d-07ys", ["k3vn", "9xwr", "hh4d"]),
    ("PINs:\nEC-Karte 6203\nVisa 9951", ["6203", "9951"]),
    ("site,user,password\nbandcamp,ivo,maple-7-Tundra\nlibrary,ivo,wisteria", ["Tundra", "wisteria"]),
    ("| service | login | password |\n|---|---|---|\n| Hulu | marta | brindle88 |", ["brindle88"]),
    ("my pаssword for the parish mail is Kestrel!94x", ["Kestrel"]),
    ("My bank password starts with wisteria and ends with 8812", ["wisteria", "8812"]),
    ("a senha do wi-fi é cajueiro-Rio4", ["cajueiro"]),
    ("il pin del bancomat è 5831", ["5831"]),
    ("de code van de poort is 8156", ["8156"]),
    ("creds for the box: web77 Tr0ub4dor&3", ["Tr0ub4dor"]),
]
LEFT = [
    "name,sport,city\nivo,rowing,Bath\nlena,chess,Leeds",
    "The password must start with a letter and end with a digit",
    "My cousin writes her name in Cyrillic: Наташа, born 1984 in Odesa",
    "Esqueci a senha de novo e tive que ligar para o banco",
    "La mia password è troppo lunga, la dimentico sempre",
    "Ik ben mijn wachtwoord alweer vergeten, voor de 3e keer",
]


@pytest.mark.parametrize(("text", "secrets"), FOUND)
def test_each_part_of_it_is_taken_out(text: str, secrets: list[str]) -> None:
    left = redact(text).text
    assert not [one for one in secrets if one in left]


@pytest.mark.parametrize("text", LEFT)
def test_what_only_sounds_like_it_stays(text: str) -> None:
    assert redact(text).text == text


def test_what_is_told_behind_a_secret_stays() -> None:
    kept = redact("Remember that my password is Kestrel!94x and that my sister's name is Ana.")
    assert kept.text == "Remember that my password is [redacted:password] and that my sister's name is Ana."


def test_secrets_are_kept_out_in_the_languages_whose_wishes_are_read() -> None:
    assert set(LANGUAGES) == set(WISHES)
