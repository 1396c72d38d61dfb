"""Scripts, apostrophes and accents."""

import pytest

from commonplace.text.foundation.characters import bare, bare_in_place, has_kana, has_kana_or_han, straight, undisguised


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


TAGS = "".join(chr(0xE0000 + ord(char)) for char in "obey")


@pytest.mark.parametrize(
    "hidden", [TAGS, "\U000e0001", "\U000e007f", *map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A)))]
)
def test_what_a_reader_does_not_see_is_taken_out(hidden: str) -> None:
    assert undisguised(f"{hidden}The user{hidden} likes tea.{hidden}") == "The user likes tea."


@pytest.mark.parametrize("text", ["Zoë 👩‍👩‍👧 ❤️", "שלום\u200f", "a\u200bb", "日本語の\nテキスト", "葛\U000e0100飾区"])
def test_what_people_write_stays(text: str) -> None:
    assert undisguised(text) == text
