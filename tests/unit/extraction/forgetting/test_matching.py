"""Which texts tell what is to be forgotten."""

import pytest

from commonplace.extraction.forgetting.matching import is_about, text_without
from commonplace.extraction.forgetting.requests import forget_target

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
    what = forget_target(wish)
    assert is_about(what or "", text)


# A wish about the user or somebody of theirs, and what is remembered of the other.
OF_OTHERS = [
    ("Forget that I love tea.", "My son loves tea."),
    ("Forget that my son loves tea.", "I love tea."),
    ("Forget that I have asthma.", "My daughter has asthma."),
    ("Vergiss, dass ich Asthma habe.", "Meine Tochter hat Asthma."),
    ("Olvida que tengo asma.", "Mi hija tiene asma."),
    ("Oublie que j'ai un chien.", "Mon frère a un chien."),
    ("Please forget that I work at Siemens.", "My wife works at Siemens."),
    ("Forget that I drink coffee every morning.", "My husband drinks coffee every morning."),
    ("Forget that I love tea.", "My daughter and my son love tea."),
    ("Dimentica che ho l'asma.", "La mia sorella ha l'asma, ma sta bene."),
]
# What somebody else is in, and what still says it.
OF_BOTH = [
    ("Forget that I have a sister.", "My sister lives in Rome."),
    ("Forget that I love tea.", "My husband and I love tea."),
    ("Forget that I am pregnant.", "My mother knows that I'm pregnant."),
    ("Forget that I had a heart attack.", "My wife drove me to the hospital after my heart attack."),
    ("Forget that I have a nut allergy.", "My kids share my nut allergy."),
    ("Forget that I have asthma.", "My son has asthma like me."),
    ("Vergiss, dass ich Asthma habe.", "Meine Tochter hat das Asthma von mir."),
    ("Oublie que je suis diabétique.", "Ma mère m'a rendue diabétique."),
    ("Olvida que tengo asma.", "Mi hija heredó mi asma."),
    ("Forget that my brother drinks.", "I found out that my brother drinks."),
    ("Forget that my brother drinks.", "My sister says my brother drinks."),
    ("Forget what I said about my divorce.", "My husband wants a divorce."),
    ("Olvida que tengo asma.", "Mi hija y yo tenemos asma."),
    ("Vergiss, dass meine Tochter Asthma hat.", "Ich weiß, dass meine Tochter Asthma hat."),
    ("Forget that we are broke.", "My wife lost it all, so we are broke."),
]


@pytest.mark.parametrize(("wish", "text"), OF_OTHERS, ids=[f"{wish} {text}" for wish, text in OF_OTHERS])
def test_what_is_so_of_somebody_else_is_not_forgotten(wish: str, text: str) -> None:
    what = forget_target(wish) or ""
    assert not is_about(what, text)
    assert not is_about(what, f"{text} I live in Graz.")
    assert text_without(what, text) == text


@pytest.mark.parametrize(("wish", "text"), OF_BOTH, ids=[f"{wish} {text}" for wish, text in OF_BOTH])
def test_what_tells_it_of_several_is_forgotten(wish: str, text: str) -> None:
    assert is_about(forget_target(wish) or "", text)
