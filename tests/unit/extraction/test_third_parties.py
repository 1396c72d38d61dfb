"""Others are kept as far as they bear on the user, never their health, relations, money or secrets."""

import pytest

from commonplace.extraction.third_parties import household_names, private_reason


@pytest.mark.parametrize(
    "text",
    [
        "My colleague Anna is getting divorced.",
        "Tom from accounting has cancer",
        "one of my patients tried to kill himself",
        "My student Leo was diagnosed with ADHD",
        "a friend of mine owes the bank 20k, he is broke",
        "our neighbour drinks too much and lost her job",
        "had lunch with a coworker, she's pregnant and nobody knows",
        "Karen has an affair with her boss",
        "rahul from infra is getting divorced",
        "shreya's in debt up to here",
        "Meine Kollegin Sabine ist wegen Burnout krankgeschrieben.",
        "Mein Schüler Tim wird gemobbt.",
        "Ma collègue est enceinte.",
        "Un paziente mi ha detto che beve.",
        "Mi vecina tiene muchas deudas.",
        "Minha chefe está se divorciando.",
        "Mijn leerling is zwanger.",
        "同僚の田中さんは離婚しました。",
    ],
)
def test_what_is_nobodys_to_keep(text: str) -> None:
    assert private_reason(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "I was diagnosed with ADHD last year",
        "Diagnosed with celiac disease at 30.",
        "My mother has diabetes, so I cook without sugar.",
        "My wife Clara is pregnant",
        "Our dog had surgery in May",
        "I'm in debt since the renovation",
        "I broke up with my boyfriend",
        "My boss is Karen and she moved my review to May.",
        "My friend Ana lives in Lisbon",
        "My colleague Tom and I run the infra team",
        "Lea is vegan, so I cook without eggs when she visits",
        "I work as a nurse at the children's hospital.",
        "I teach 28 students in two classes",
        "The user has been diagnosed with ADHD.",
        "Ich bin seit Mai krankgeschrieben.",
        "Mi hijo tiene diabetes.",
        "母は糖尿病です。",
    ],
)
def test_what_is_of_the_user_and_their_own(text: str) -> None:
    assert private_reason(text) is None


def test_a_name_of_the_household_is_known_from_elsewhere() -> None:
    family = household_names(["My wife Clara sings.", "unsere Femke, also meine Tochter"])
    assert family >= {"clara", "femke"}
    assert private_reason("Clara had surgery on her knee", family) is None
    assert private_reason("Clara had surgery on her knee") is not None
