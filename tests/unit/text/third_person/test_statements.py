import csv
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.text.third_person import to_third_person

TABLE = Path(__file__).parent / "cases" / "third_person.tsv"


def read_table() -> list[tuple[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [(row["text"].replace("\\n", "\n"), row["expected"].replace("\\n", "\n")) for row in rows]


CASES = read_table()
ENGLISH = [text for text, expected in CASES if text.isascii()]
TURNED = [(text, expected) for text, expected in CASES if text != expected and expected.isascii()]
FIRST_PERSON = re.compile(
    r"(?<![\w'’/&@#.-])(i|i'm|i've|i'd|i'll|me|my|mine|myself|we|our|ours|ourselves)(?![\w'’/-])", re.IGNORECASE
)
QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|„[^“”]*[“”]|(?<!\w)'[^']*'(?!\w)|`[^`]*`|https?://\S+|\S+@\S+|\bi\.e\.")
NOT_PRONOUNS = re.compile(
    r"World War I|Elizabeth I|Part I|(?:Type|bipolar|Calculus|Avenue|Level|an) I\b|My Chemical Romance|I Am Legend"
    r"|[Oo]h my god|they mine nothing|(?:coal|copper) mine"
)
SPANS = [
    "https://example.org/me?i=my&we=us",
    "“I will never leave my home”",
    '"I quit, and my boss knows it"',
    "«je t'aime, dit-il»",
    "„Ich gehe, my dear“",
    "`i = my_list[me]`",
    "me.and.my@mail.org",
    "@me_and_my_dog",
    "#my_life_and_me",
    "I-95",
    "World War I",
]


def test_the_table_is_large_and_has_no_row_twice() -> None:
    texts = [text for text, _ in CASES]
    assert len(texts) >= 150
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_a_statement_is_turned_as_the_table_says(text: str, expected: str) -> None:
    assert to_third_person(text) == expected


@pytest.mark.parametrize(("text", "expected"), TURNED)
def test_no_first_person_is_left_in_a_turned_sentence(text: str, expected: str) -> None:
    left_alone = {sentence for sentence in re.split(r"(?<=[.!?])\s", text) if sentence in expected}
    for sentence in left_alone:
        expected = expected.replace(sentence, "")
    assert FIRST_PERSON.search(NOT_PRONOUNS.sub("", QUOTED.sub("", expected))) is None


def test_both_facts_of_the_issue_survive() -> None:
    result = to_third_person("I'm 43 and I love concept albums and triathlons.")
    for piece in ("The user is 43", "loves concept albums", "triathlons"):
        assert piece in result


@given(st.text(max_size=400))
def test_no_text_makes_it_raise(text: str) -> None:
    assert isinstance(to_third_person(text), str)


WORDS = "I me my we our i'm I'd ive and but or , . ? ! ; : ( ) \" ' “ „ « ` wife the to do not am have like remember that"
TATTERS = st.lists(
    st.sampled_from([*WORDS.split(), "my wife and I", "\n", "as", "better", "mine", "so do", "love"]), max_size=25
)


@pytest.mark.parametrize("text", ["I and my", "I and the", "Do I and our", "Me and her", "I and a."])
def test_a_sentence_may_end_before_its_noun(text: str) -> None:
    assert to_third_person(text)


@given(TATTERS)
def test_no_heap_of_english_words_makes_it_raise_or_lose_its_end(words: list[str]) -> None:
    text = " ".join(words)
    result = to_third_person(text)
    assert bool(result.strip()) == bool(text.strip())


@given(st.lists(st.sampled_from(ENGLISH), min_size=1, max_size=4))
def test_its_own_output_stays_as_it_is(texts: list[str]) -> None:
    once = to_third_person("\n".join(texts))
    assert to_third_person(once) == once


@given(
    st.sampled_from(["I like", "my brother and I saw", "we wrote", "i dont get", "Remember that I said", "Moved to"]),
    st.sampled_from(SPANS),
    st.sampled_from(["", " and I told my wife", ", because we like it", ". I am sure of it."]),
)
def test_links_and_quotations_survive_byte_for_byte(before: str, span: str, after: str) -> None:
    assert span in to_third_person(f"{before} {span}{after}")


@given(st.sampled_from([text for text, expected in CASES if text != expected and expected.endswith(("»", "”", "“", "」"))]))
def test_a_framed_text_is_not_framed_again(text: str) -> None:
    framed = to_third_person(text)
    assert text in framed
    assert to_third_person(framed) == framed


@pytest.mark.parametrize("text", ["", "  ", "...", "?!", "\n", "🙂", "do not", "Do not"])
def test_a_text_without_letters_comes_back_as_it_is(text: str) -> None:
    assert to_third_person(text) == text


@pytest.mark.parametrize(
    "piece",
    [
        "I and my wife, ",
        "a.",
        "'I ",
        '"',
        "“ ",
        "my ",
        "I ",
        "((",
        "i'd ",
        "remember that ",
        "a@",
        "/a",
        "x" * 50,
        "well, ",
        "he said 'I",
        "no-",
    ],
)
def test_time_grows_with_the_length_and_not_with_its_square(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * length)[:length]
        begun = time.process_time()
        to_third_person(text)
        return time.process_time() - begun

    # Quadratic would be sixteen times as long. The first of three tries may load a library.
    most = 0.05 + 8 * min(seconds(2_000) for _ in range(3))
    assert any(seconds(8_000) < most for _ in range(3))


def test_the_inflection_library_is_loaded_only_on_use() -> None:
    code = "import sys, commonplace.text.third_person as t; assert 'lemminflect' not in sys.modules; t.to_third_person('私は猫が好き')"
    subprocess.run([sys.executable, "-c", code + "; assert 'lemminflect' not in sys.modules"], check=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved to Lisbon and my cat came too.", "Caroline moved to Lisbon and their cat came too."),
        ("My brother plays chess.", "Caroline's brother plays chess."),
        ("Me gusta el té", "Caroline: Me gusta el té"),
        ("Where is it?", "Where is it?"),
    ],
)
def test_somebody_else_is_called_by_their_name(text: str, expected: str) -> None:
    assert to_third_person(text, "Caroline") == expected
