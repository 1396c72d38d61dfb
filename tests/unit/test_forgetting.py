"""Which texts tell what is to be forgotten."""

import pytest

from commonplace.extraction.forgetting import tells
from commonplace.extraction.wishes import to_forget

# A wish, and what is remembered that says it.
SAID = [
    ("Vergiss, dass ich eine Katze habe.", "Ich habe eine Katze namens Minka."),
    ("Vergiss, dass ich dir von meiner Katze erzählt habe.", "Meine Katze heißt Minka."),
    ("Vergiss meinen Hund.", "Mein Hund heißt Bo."),
    ("Vergiss, dass ich Vegetarier bin.", "Ich bin Vegetarier."),
    ("Vergiss, was ich über meine Tochter gesagt habe.", "Meine Tochter Mia geht in die 3. Klasse."),
    ("Oublie que j'ai un chien.", "J'ai un chien qui s'appelle Rex."),
    ("Oublie ma femme.", "Ma femme Claire est infirmière."),
    ("Olvida lo que dije sobre mi hija.", "Mi hija Lucía toca el piano."),
    ("Dimentica il mio cane.", "Il mio cane si chiama Fido."),
    ("Esquece a minha filha.", "A minha filha chama-se Rita."),
    ("Vergeet mijn hond.", "Mijn hond heet Bo."),
    ("Vergeet dat ik vegetariër ben.", "Ik ben vegetariër."),
    ("Forget that I have a cat.", "I have a cat named Minka."),
]


@pytest.mark.parametrize(("wish", "text"), SAID, ids=[wish for wish, _ in SAID])
def test_what_is_to_be_forgotten_is_found_in_every_language(wish: str, text: str) -> None:
    what = to_forget(wish)
    assert tells(what or "", text)
