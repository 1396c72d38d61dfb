"""What is only imagined: a dream and a story tell nothing of the user, a dream of one's life does."""

import pytest

from commonplace.extraction.worthiness import imagined_or_reported

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
