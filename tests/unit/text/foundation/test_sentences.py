"""The one sentence splitter."""

import pytest

from commonplace.text.foundation.sentences import STRAIGHT_QUOTES, abbreviations, sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I live in Bonn. I work in Köln!", ["I live in Bonn.", "I work in Köln!"]),
        ("Dr. Weiss called. See no. 4.", ["Dr. Weiss called.", "See no. 4."]),
        ("Wir ziehen am 3. März um. Sie ist in der 3. Klasse.", ["Wir ziehen am 3. März um.", "Sie ist in der 3. Klasse."]),
        ("No. 5 of us said no. We left.", ["No. 5 of us said no.", "We left."]),
        ("東京に住んでいます。猫がいる", ["東京に住んでいます。", "猫がいる"]),
        ("To buy: - milk - bread", ["To buy:", "- milk", "- bread"]),
        ("one\n\ntwo", ["one", "two"]),
        ("", []),
    ],
)
def test_a_text_is_cut_into_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_what_closes_behind_a_stop_belongs_to_neither() -> None:
    text = "He said “I quit.” She left."
    assert sentences(text) == ["He said “I quit.", "She left."]
    assert len([*sentence_spans(text, closing=STRAIGHT_QUOTES)]) == 1


def test_lists_and_abbreviations_may_be_left_alone() -> None:
    text = "I saw Dr. Weiss - twice"
    assert len([*sentence_spans(text)]) == 2
    assert len([*sentence_spans(text, lists=False)]) == 1
    assert len([*sentence_spans(text, lists=False, words=False)]) == 2


def test_places_are_those_of_the_whole_text() -> None:
    text = "Hello there. I am Ana. Bye."
    assert [text[start:end] for start, end in sentence_spans(text, 13, 22)] == ["I am Ana."]


def test_abbreviations_are_asked_for_by_kind() -> None:
    assert abbreviations("titles") < abbreviations("titles", "ranks")
    assert "may" not in abbreviations("months")
    with pytest.raises(KeyError):
        abbreviations("nonsense")
