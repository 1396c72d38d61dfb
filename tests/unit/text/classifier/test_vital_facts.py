"""Allergies, health and names are rated .7 or higher, so that every context has them; what only sounds like it is not."""

import pytest

from commonplace.adapters.word_averages import WordAverages
from commonplace.domain.memory import importance_of
from commonplace.domain.taxonomy import Section, memory_type, section_of
from commonplace.text.classifier.classification import classify

VITAL = (
    "I'm allergic to penicillin.",
    "My daughter Mia is allergic to peanuts.",
    "I have a severe nut allergy.",
    "The user is allergic to shellfish.",
    "Lactose intolerant, by the way.",
    "The user is lactose intolerant.",
    "I can't eat gluten because of coeliac disease.",
    "I have celiac disease.",
    "I was diagnosed with type 2 diabetes last year.",
    "The user has type 1 diabetes.",
    "I take insulin twice a day.",
    "I have asthma.",
    "The user has asthma and carries an inhaler.",
    "My son has epilepsy.",
    "I'm pregnant, due in March.",
    "The user is pregnant.",
    "I have high blood pressure and take lisinopril.",
    "I've got a heart condition.",
    "I wear a pacemaker.",
    "I suffer from migraines.",
    "I have ADHD.",
    "I've been dealing with depression since 2020.",
    "The user is in a wheelchair.",
    "I'm deaf in my left ear.",
    "I'm colour-blind.",
    "My wife can't have dairy.",
    "Bee stings could kill me.",
    "I carry an EpiPen.",
    "I broke my hip in May and still need crutches.",
    "My blood type is O negative.",
    "My name is Ana Torres.",
    "I'm Jonas, nice to meet you.",
    "The user's name is Ana.",
    "The user is called Bernd.",
    "My wife's name is Lena.",
    "My kids are Mia and Tom.",
    "Our dog is called Rufus.",
    "My boss is Karin Vogel.",
    "My partner's name is Sam.",
    "I go by Alex.",
    "Ich bin allergisch gegen Nüsse.",
    "Ich habe eine Penicillinallergie.",
    "Meine Tochter verträgt keine Laktose.",
    "Ich habe Diabetes Typ 1.",
    "Ich heiße Bernd Schröder.",
    "Mein Name ist Jutta.",
    "Meine Frau heißt Lena.",
    "Je suis allergique aux arachides.",
    "Je suis diabétique.",
    "Je m'appelle Camille.",
    "Ma fille s'appelle Zoé.",
    "J'ai de l'asthme.",
    "Soy alérgica a la penicilina.",
    "Tengo diabetes.",
    "Me llamo Lucía Fernández.",
    "Mi hijo es celíaco.",
    "Mi marido se llama Pablo.",
    "私はピーナッツアレルギーです。",
    "私の名前は田中です。",
    "娘は喘息です。",
    "糖尿病です。",
    "我对花生过敏。",
    "我叫王伟。",
    "Sono allergico alle noci.",
    "Mi chiamo Giulia.",
    "Sou alérgico a amendoim.",
    "Meu nome é João.",
    "Ik ben allergisch voor noten.",
    "Ik heet Sanne.",
    "저는 땅콩 알레르기가 있어요.",
    "제 이름은 민수예요.",
)
NOT_VITAL = (
    "I read an article about allergies in children.",
    "I like peanuts.",
    "My favourite band is called Muse.",
    "What's the name of that restaurant again?",
    "The project is called Falcon.",
    "I had pizza for lunch.",
    "I named the variable foo.",
    "My meeting is at ten.",
    "Health insurance costs too much these days.",
    "I'm cold right now.",
    "I want to lose weight.",
    "The API is called payments-v2.",
    "I'm looking forward to the weekend.",
    "I'm Jonas's biggest fan.",
    "Doctors say sleep matters.",
    "He is sick of meetings.",
    "My sourdough starter is doing great.",
    "A healthy breakfast is good for everyone.",
)


def rated(text: str) -> tuple[float, Section]:
    found = classify(text, WordAverages().embed(text))
    return importance_of(found.level), section_of(memory_type(found.statement_type, found.category), found.category)


@pytest.mark.parametrize("text", VITAL)
def test_what_must_not_be_forgotten_always_matters(text: str) -> None:
    importance, section = rated(text)
    assert importance >= 0.7
    assert section == "personal_context"


@pytest.mark.parametrize("text", ["Call me Kit, nobody calls me Christopher.", "You can call me Dr. Patel."])
def test_how_to_address_the_user_is_a_standing_wish(text: str) -> None:
    found = classify(text, WordAverages().embed(text))
    assert (found.category, found.level) == ("system", 5)


@pytest.mark.parametrize("text", NOT_VITAL)
def test_what_only_sounds_like_it_does_not(text: str) -> None:
    assert rated(text)[0] < 0.7
