"""What is only imagined: a dream and a story tell nothing of the user, a dream of one's life does. And what only greets."""

import pytest

from commonplace.extraction.worthiness import imagined_or_reported, only_greets

IMAGINED = [
    "I dreamed that I was allergic to cats.",
    "had the weirdest dream last night, i owned a castle in Tuscany",
    "In my dream I live in Paris and own a bakery.",
    "In my novel, I live in Paris with my wife Claire.",
    "In the game I am a level 40 paladin called Torvin.",
    "Ich habe geträumt, dass ich in Oslo wohne.",
    "j'ai rêvé que j'habitais à Dakar",
    "Soñé que trabajaba de piloto en Lima.",
    "Ho sognato di essere un pilota.",
    "東京に住んでいる夢を見ました",
]
SO = [
    "I've always dreamed of living in Japan.",
    "I work from my dream house in Devon.",
    "In my dream job I write code all day.",
    "In my novel I use the first person, I decided that yesterday.",
    "Ich habe immer davon geträumt, in Oslo zu wohnen.",
    "Siempre soñé con vivir en Lima.",
]


@pytest.mark.parametrize("text", IMAGINED)
def test_a_dream_and_a_story_are_imagined(text: str) -> None:
    assert imagined_or_reported(text) == "a hypothetical"


@pytest.mark.parametrize("text", SO)
def test_what_one_dreams_of_and_how_one_writes_is_so(text: str) -> None:
    assert imagined_or_reported(text) is None


GREETINGS = [
    "Hi! A friend said I should try talking to you in the evenings.",
    "Merry Christmas and a happy new year!",
    "Good evening, nice to see you again.",
    "Good morning everyone, hope you slept well",
    "Thank you, Sam!",
    "Later!",
    "Cheers mate",
    "Vielen Dank, das hat mir sehr geholfen.",
    "Grüß Gott",
    "Freut mich, dich kennenzulernen",
    "Liebe Grüße",
    "Guten Morgen zusammen",
    "Danke für deine Hilfe!",
    "Schönen Feierabend",
    "Hey, na?",
    "À bientôt",
    "Re-bonjour, c'est encore moi.",
    "Joyeux Noël",
    "Salut tout le monde",
    "Merci pour ton aide",
    "Bonne soirée, à demain",
    "Bonne année !",
    "Hasta mañana",
    "Encantado de conocerte",
    "Feliz Navidad",
    "Buenos días a todos",
    "Gracias por tu ayuda",
    "Hasta la próxima",
    "Feliz año nuevo",
    "Até amanhã",
    "Prazer em conhecer você",
    "Feliz Natal",
    "Bom dia a todos",
    "Obrigado pela ajuda",
    "Abraços",
    "Até a próxima",
    "A domani",
    "Piacere di conoscerti",
    "Buon compleanno",
    "Prego",
    "Buongiorno a tutti",
    "Grazie per l'aiuto",
    "Un abbraccio",
    "Alla prossima",
    "Heel erg bedankt, dat heeft me geholpen.",
    "Tot ziens",
    "Welterusten, slaap lekker",
    "Groetjes",
    "Goedemorgen allemaal",
    "Bedankt voor je hulp",
    "Tot de volgende keer",
    "Gelukkig nieuwjaar",
    "はじめまして",
    "良い週末を",
    "こんにちは、また来ました。",
    "おはよう",
    "ありがとうございました、またね",
    "どうもありがとう",
    "良いお年を",
]
NO_GREETINGS = [
    "Hi, I'm Marta",
    "Thanks, my new number is 0405550",
    "Happy birthday to my daughter Mia",
    "I like talking to you about my cat Tom",
    "Hallo, ich bin Vegetarier",
    "Danke, ich habe am 3. Mai Geburtstag",
    "Merci, je suis allergique aux noix",
    "Hola, soy vegetariana",
    "Oi, sou vegetariana",
    "Ciao, sono allergica alle noci",
    "Hoi, ik ben allergisch voor noten",
    "こんにちは、猫の名前はミケです。",
    "Mia",
    "I sleep well",
    "Peanuts",
]


@pytest.mark.parametrize("text", GREETINGS)
def test_greetings_thanks_and_good_wishes_are_told_from_statements(text: str) -> None:
    assert only_greets(text)


@pytest.mark.parametrize("text", NO_GREETINGS)
def test_what_follows_a_greeting_counts(text: str) -> None:
    assert not only_greets(text)
