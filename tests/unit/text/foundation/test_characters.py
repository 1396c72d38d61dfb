"""Scripts, apostrophes and accents."""

import pytest

from commonplace.text.foundation.characters import bare, bare_in_place, has_kana, has_kana_or_han, straight


@pytest.mark.parametrize(
    ("text", "kana", "unspaced"),
    [("コーヒーが好き", True, True), ("我住在柏林", False, True), ("김치", False, False), ("Ångström", False, False)],
)
def test_japanese_and_chinese_are_told_by_their_characters(text: str, kana: bool, unspaced: bool) -> None:
    assert (has_kana(text), has_kana_or_han(text)) == (kana, unspaced)


def test_an_apostrophe_is_made_straight_in_its_place() -> None:
    assert straight("I’m from Val d’Isère") == "I'm from Val d'Isère"


@pytest.mark.parametrize(
    ("text", "loose", "in_place"),
    [
        ("Straße", "strasse", "straße"),
        ("ÉCLAIR à l’Île", "eclair a l’ile", "eclair a l'ile"),
        ("Ёлка", "елка", "ёлка"),
        ("Ölmüş ığdır", "olmus igdir", "olmus ıgdır"),
        ("がぎ", "がぎ", "がぎ"),
    ],
)
def test_accents_go_and_a_text_to_be_cut_keeps_its_length(text: str, loose: str, in_place: str) -> None:
    assert bare(text) == loose
    assert bare_in_place(text) == in_place
    assert len(in_place) == len(text)
