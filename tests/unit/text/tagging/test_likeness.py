"""Which tags mean the same: by name, spelling, initials and typing errors; and which only look so."""

import pytest

from commonplace.text.tagging.likeness import Likeness, likeness, scale_of, winner

SCALE = (0.2, 0.8)


def judged(one: str, other: str, cosine: float | None = None, uses: int = 1) -> Likeness:
    return likeness(one, other, {one: uses, other: uses}, cosine, SCALE)


@pytest.mark.parametrize(
    ("one", "other", "name"),
    [
        ("js", "javascript", "javascript"), ("k8s", "kubernetes", "kubernetes"), ("cook-book", "cookbook", "cookbook"),
        ("recipes", "recipe", "recipe"), ("colour", "color", "color"), ("npv", "net-present-value", "net-present-value"),
        ("kubernets", "kubernetes", "kubernetes"), ("managment", "management", "management"),
        ("team-meetings", "team-meeting", "team-meeting"),
    ],
)  # fmt: skip
def test_other_names_and_spellings_are_the_same(one: str, other: str, name: str) -> None:
    for first, second in ((one, other), (other, one)):
        assert (judged(first, second).similarity, judged(first, second).apart) == (1.0, None)
        assert winner(first, second, {}) == name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2023", "2024"), ("python2", "python3"), ("java", "javascript"), ("version-3.5", "version-35"), ("q1-2023", "q1-2024"),
        ("mother", "father"), ("red", "blue"), ("import", "export"), ("legal", "illegal"), ("tea", "green-tea"),
        ("react", "react-native"), ("glass", "glasses"), ("custom", "customs"), ("wood", "woods"), ("physics", "physical"),
        ("bank", "banking"), ("house", "housing"), ("daniel", "daniela"), ("anna", "hanna"),
        ("planting", "planning"), ("db", "dark-blue"), ("room-101", "room-102"), ("desert", "dessert"),
    ],
)  # fmt: skip
def test_what_only_looks_alike_stays_two_however_near_the_vectors_are(one: str, other: str) -> None:
    for first, second in ((one, other), (other, one)):
        found = judged(first, second, 0.7)
        assert found.apart is not None or found.similarity < 0.8


def test_forms_of_a_word_are_as_alike_as_their_vectors() -> None:
    assert judged("negotiating", "negotiation", 0.74).similarity == 0.9
    assert judged("negotiating", "negotiation", 0.74).apart is None
    assert judged("investing", "savings", 0.9).apart is not None
    assert judged("negotiating", "negotiation", None).similarity == 0.0
    assert likeness("negotiating", "negotiation", {}, 0.9, None).similarity == 0.0


def test_another_letter_in_the_place_of_one_is_a_typing_error_only_where_the_meaning_is_the_same() -> None:
    assert judged("hamburg", "homburg", 0.6).similarity < 0.8
    assert judged("calender", "calendar", 0.8).similarity == 1.0


def test_of_two_that_are_both_frequent_neither_is_a_typing_error() -> None:
    assert judged("managment", "management", uses=2).similarity == 1.0
    assert judged("managment", "management", uses=3).similarity < 1.0


def test_else_the_most_used_name_stays() -> None:
    assert winner("cook-book", "cookbook", {"cook-book": 5, "cookbook": 1}) == "cook-book"
    assert winner("js", "javascript", {"js": 500, "javascript": 1}) == "javascript"


def test_only_models_that_were_measured_have_a_scale() -> None:
    assert scale_of("amazon.titan-embed-text-v2:0") is None
    assert scale_of("minilm-e5-small-256") is not None
