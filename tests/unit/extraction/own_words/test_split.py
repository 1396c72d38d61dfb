"""What a user pastes, quotes or plays is told apart from their own words, and an ordinary message is own words whole."""

import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from commonplace.extraction.own_words import own_spans

CASES = (Path(__file__).parent / "cases" / "own_words.txt").read_text("utf-8").rstrip("\n").split("\n=====\n")


def said(text: str, role_play: bool = False) -> str:
    return " | ".join(text[start:end] for start, end in own_spans(text, role_play)[0])


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def expected(case: str) -> tuple[str, str]:
    """The message of a case, and the letters in it that are own: those outside the brackets."""
    own = "".join(part.rpartition("⟧")[2] for part in case.split("⟦"))
    return case.replace("⟦", "").replace("⟧", ""), letters(own)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[:40].encode("ascii", "ignore").decode())
def test_own_words_are_told_from_foreign_ones(case: str) -> None:
    text, own = expected(case)
    assert letters(said(text)) == own


def test_an_ordinary_message_is_one_span() -> None:
    text = "  I live in Berlin, with two cats.\n\nAnd I work at night.  "
    assert own_spans(text) == (((2, len(text) - 2),), False)


@pytest.mark.parametrize(
    "text",
    [
        "Let's play: I am a vampire from Prague.",
        "Pretend you are a pirate.",
        "Lass uns ein Rollenspiel machen: ich bin ein Ritter.",
        "Imagina que eres un dragón.",
        "ロールプレイをしよう。",
    ],
)
def test_role_play_goes_on_in_the_next_message(text: str) -> None:
    assert own_spans(text) == ((), True)
    assert own_spans("I have three ships and no wife.", role_play=True) == ((), True)


@pytest.mark.parametrize(
    ("end", "own"),
    [
        ("OK, stop. My train leaves at 9.", "My train leaves at 9."),
        ("End of role-play! I need to call my mum.", "I need to call my mum."),
        ("back to reality, my flight is at 9", "my flight is at 9"),
        ("haha thanks, that was fun! I have to work tomorrow", "I have to work tomorrow"),
        ("stop", ""),
        ("pirates over. hes off to his dads in the morning", "hes off to his dads in the morning"),
        ("Ende des Rollenspiels. Ich muss morgen arbeiten.", "Ich muss morgen arbeiten."),
        ("Fin del juego. Mañana trabajo.", "Mañana trabajo."),
        ("ロールプレイはここまで。明日は仕事です。", "明日は仕事です。"),
    ],
)
def test_role_play_ends_where_they_say_so(end: str, own: str) -> None:
    assert own_spans(end, role_play=True)[1] is False
    assert said(end, role_play=True) == own


def test_a_stop_that_a_character_cries_ends_nothing() -> None:
    assert own_spans("Stop, thief! I am the sheriff.", role_play=True) == ((), True)


MARKS = st.sampled_from(
    ["```", "`", '"', "“", "”", "「", "」", ">", "<!--", "-->", "<a>", "</a>", "\n", "\n\n", "{", '"a":', "}", "|", ": ", "From: x\n",
     "Alice: hi\n", "def f():\n", "let's play: ", "ok stop. ", "here's the article: ", "my friend wrote: ", "I live in Rome", " ", "\ue000"]
)  # fmt: skip


@given(st.lists(MARKS | st.text(max_size=8), max_size=30).map("".join), st.booleans())
@example("ok stop. \x1f0", True)
def test_spans_are_in_order_apart_and_inside_the_text(text: str, role_play: bool) -> None:
    spans, _ = own_spans(text, role_play)
    places = [place for span in spans for place in span]
    assert places == sorted(places)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(text[start:end].strip() == text[start:end] for start, end in spans)


@pytest.mark.parametrize(
    "piece",
    ["\n", " ", "a ", "> \n", "Alice: hi\n", '"', "“", "'", "<a ", "<a>", "`", "```", '{"a":', "{", "1,2,3\n", "a: b\n", "here is ",
     "let's play ", "ok stop. ", "the ", "a.b", "x;", "は", "def f(x):\n", "my friend said ", "i am ", "[web ", "(web ", "tool output ", "tool output:\n", "web_", "from the ", "[e-mail]\n-- end\n"],
)  # fmt: skip
def test_the_time_is_linear_in_the_length(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * length)[:length]
        begun = time.process_time()
        own_spans(text)
        return time.process_time() - begun

    own_spans("warm")
    # Quadratic would be sixteen times as long. One of three has to be so quick: the machine may be at something else.
    most = 0.05 + 8 * min(seconds(2_000) for _ in range(3))
    assert any(seconds(8_000) < most for _ in range(3))
