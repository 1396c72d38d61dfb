"""How the user wants to be answered is a standing wish, though it is told in the third person; a task is none."""

import pytest

from commonplace.adapters.word_averages import WordAverages
from commonplace.text.classifier.classification import classify, is_standing_wish

STANDING = [
    "The user always wants answers in French",
    "The user wants all answers in French",
    "The user expects replies in German",
    "The user always wants SQL in lower case",
    "I always want answers in French",
    "Always answer the user in French.",
    "The user wants short answers.",
    "The user prefers concise, direct answers without emojis.",
    "The user prefers to be called Sam",
    "The user wants to be addressed as Sam",
    "The user prefers answers in bullet points",
    "The user wants code examples in Python",
    "The user does not want emojis in answers",
    "The user wants the assistant to always answer in French.",
    "The user wants the assistant to reply in Spanish.",
    "The user always wants measurements in metric units.",
    "Der Nutzer möchte immer Antworten auf Deutsch.",
    "Der Nutzer möchte alle Antworten auf Französisch haben.",
    "Die Nutzerin möchte geduzt werden.",
    "Der Nutzer bevorzugt kurze Antworten.",
    "L'utilisateur veut toutes les réponses en français.",
    "L'utilisatrice préfère des réponses courtes.",
    "L'utilisateur souhaite être tutoyé.",
    "El usuario quiere siempre respuestas en español.",
    "El usuario quiere todas las respuestas en inglés.",
    "La usuaria prefiere respuestas breves.",
    "O usuário quer todas as respostas em português.",
    "O usuário prefere respostas curtas.",
    "L'utente vuole tutte le risposte in italiano.",
    "L'utente preferisce risposte brevi.",
    "ユーザーは回答を常に日本語で希望している。",
    "ユーザーは英語での回答を希望している。",
    "ユーザーは簡潔な回答を好む。",
]
NONE = [
    "The user wants answers from the council",
    "The user wants answers.",
    "He wants the code in Python by Friday",
    "The user wants the report in French by Friday.",
    "The user wants an answer in writing.",
    "The user wants a reply in two weeks.",
    "The user wants answers in time for the trial.",
    "The user expects replies in German courts to take months.",
    "The user expects replies from three landlords.",
    "The user always wants coffee in the morning.",
    "The user always wants tables in the shade.",
    "The user wants to be called back tomorrow.",
    "The user asked the assistant to write an email in French.",
    "The user wants to answer in French at the exam.",
    "The user's boss wants replies in German.",
    "The user likes simple explanations of physics in books.",
    "Der Nutzer will Antworten von der Stadt.",
    "Der Nutzer möchte bis Freitag eine Antwort auf Deutsch.",
    "L'utilisateur veut des réponses de la mairie.",
    "El usuario quiere respuestas del ayuntamiento.",
    "O usuário quer respostas da prefeitura.",
    "L'utente vuole risposte dal comune.",
    "ユーザーは市役所からの回答を待っている。",
    "ユーザーは日本語で小説を書いている。",
]


@pytest.fixture(scope="module")
def words() -> WordAverages:
    return WordAverages()


@pytest.mark.parametrize("text", STANDING)
def test_how_to_answer_is_a_standing_wish(text: str, words: WordAverages) -> None:
    found = classify(text, words.embed(text))
    assert (found.category, found.worthy) == ("system", True)
    assert found.level >= 4


@pytest.mark.parametrize("text", NONE)
def test_what_is_wanted_once_or_of_others_is_none(text: str) -> None:
    assert not is_standing_wish(text)


@pytest.mark.parametrize("text", NONE[:1] + NONE[2:3])
def test_nor_does_the_model_take_it_for_one(text: str, words: WordAverages) -> None:
    assert classify(text, words.embed(text)).category != "system"
