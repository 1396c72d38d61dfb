"""Which tags mean the same: by name, spelling, initials and typing errors; and which only look so."""

import pytest

from commonplace.adapters.word_averages import WordAverages
from commonplace.text.tagging.synonyms import Likeness, OwnTags, likeness, scale_of, winner

SCALE = (0.2, 0.8)
WORDS = WordAverages()


def own(uses: dict[str, int], abbreviates: bool = False) -> OwnTags:
    return OwnTags(uses, WORDS.has_word, lambda _short, _long: abbreviates)


def judged(one: str, other: str, cosine: float | None = None, uses: int = 1, abbreviates: bool = False) -> Likeness:
    return likeness(one, other, own({one: uses, other: uses}, abbreviates), cosine, SCALE)


@pytest.mark.parametrize(
    ("one", "other", "name"),
    [
        ("js", "javascript", "javascript"), ("k8s", "kubernetes", "kubernetes"), ("cook-book", "cookbook", "cookbook"),
        ("recipes", "recipe", "recipe"), ("colour", "color", "color"), ("counselling", "counseling", "counseling"),
        ("dialogue", "dialog", "dialog"), ("münchen", "munchen", "munchen"), ("café", "cafe", "cafe"),
        ("kubernets", "kubernetes", "kubernetes"), ("managment", "management", "management"),
        ("team-meetings", "team-meeting", "team-meeting"),
    ],
)  # fmt: skip
def test_other_names_and_spellings_are_the_same(one: str, other: str, name: str) -> None:
    for first, second in ((one, other), (other, one)):
        assert (judged(first, second).similarity, judged(first, second).difference) == (1.0, None)
        assert winner(first, second, own({})) == name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2023", "2024"), ("python2", "python3"), ("java", "javascript"), ("version-3.5", "version-35"), ("q1-2023", "q1-2024"),
        ("mother", "father"), ("red", "blue"), ("import", "export"), ("legal", "illegal"), ("tea", "green-tea"),
        ("react", "react-native"), ("glass", "glasses"), ("custom", "customs"), ("wood", "woods"), ("physics", "physical"),
        ("bank", "banking"), ("house", "housing"), ("daniel", "daniela"), ("anna", "hanna"),
        ("planting", "planning"), ("db", "dark-blue"), ("room-101", "room-102"), ("desert", "dessert"),
        ("filling", "filing"), ("tilling", "tiling"), ("polling", "poling"), ("prologue", "prolog"), ("windows", "window"),
        ("sales", "sale"), ("jeans", "jean"), ("skiing", "skis"), ("gardening", "gardens"), ("re-sign", "resign"),
        ("co-op", "coop"), ("bär", "bar"), ("año", "ano"), ("über", "uber"), ("martina", "marina"), ("walters", "waters"),
        ("fischer", "fisher"),
    ],
)  # fmt: skip
def test_what_only_looks_alike_stays_two_however_near_the_vectors_are(one: str, other: str) -> None:
    for first, second in ((one, other), (other, one)):
        found = judged(first, second, 0.7)
        assert found.difference is not None or found.similarity < 0.8


def test_forms_of_a_word_are_as_alike_as_their_vectors() -> None:
    assert judged("negotiating", "negotiation", 0.74).similarity == 0.9
    assert judged("negotiating", "negotiation", 0.74).difference is None
    assert judged("investing", "savings", 0.9).difference is not None
    assert judged("negotiating", "negotiation", None).similarity == 0.0
    assert likeness("negotiating", "negotiation", own({}), 0.9, None).similarity == 0.0


def test_another_letter_in_the_place_of_one_is_a_typing_error_only_where_the_meaning_is_the_same() -> None:
    assert judged("hamburg", "homburg", 0.6).similarity < 0.8
    assert judged("calender", "calendar", 0.8).similarity == 1.0


def test_of_two_that_are_both_frequent_neither_is_a_typing_error() -> None:
    assert judged("managment", "management", uses=2).similarity == 1.0
    assert judged("managment", "management", uses=3).similarity < 1.0


@pytest.mark.parametrize(
    ("short", "long"), [("npv", "net-present-value"), ("rfp", "request-for-proposal"), ("kc", "kitchen-cabinets")]
)
def test_an_abbreviation_is_one_only_where_a_memory_shows_it(short: str, long: str) -> None:
    for first, second in ((short, long), (long, short)):
        assert judged(first, second).similarity < 0.8
        assert judged(first, second, abbreviates=True).similarity == 1.0
        assert winner(first, second, own({short: 9})) == long


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("go", "garden-outdoors"), ("it", "italy-trip"), ("us", "ukulele-songs"), ("la", "late-arrivals"),
        ("an", "aunt-nora"), ("cat", "career-at-tesla"), ("pc", "picnic-chairs"), ("des", "desk-evening-setup"),
    ],
)  # fmt: skip
def test_a_word_of_its_own_is_no_abbreviation(short: str, long: str) -> None:
    for first, second in ((short, long), (long, short)):
        assert judged(first, second, abbreviates=True).similarity < 0.8


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("managment", "management"), ("kubernets", "kubernetes"), ("resturant", "restaurant"), ("enviroment", "environment"),
        ("icecream", "ice-cream"), ("web-stie", "website"), ("recieved", "received"), ("accomodation", "accommodation"),
    ],
)  # fmt: skip
def test_the_correct_spelling_stays_however_rare_it_is(wrong: str, right: str) -> None:
    for first, second in ((wrong, right), (right, wrong)):
        assert winner(first, second, own({wrong: 50, right: 1})) == right


def test_else_the_most_used_name_stays() -> None:
    assert winner("cook-book", "cookbook", own({"cook-book": 5, "cookbook": 1})) == "cook-book"
    assert winner("web-site", "website", own({"web-site": 1, "website": 2})) == "website"
    assert winner("colour", "color", own({"colour": 2, "color": 1})) == "colour"
    assert winner("js", "javascript", own({"js": 500, "javascript": 1})) == "javascript"


def test_only_models_that_were_measured_have_a_scale() -> None:
    assert scale_of("another-model") is None
    assert scale_of("use-e5-256") is not None
