"""A cursor leads on to its place; changed in whatever way, or given to another, it is refused by its name."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.use_cases.cursors import cursor_of, place_of
from tests.conftest import refusal

USER, QUESTION = "issuer|ana", '{"topic":"tea"}'


@given(st.text(), st.text().filter(lambda text: text.isprintable()), st.text())
def test_a_cursor_is_its_place_again(place: str, user: str, question: str) -> None:
    try:
        place.encode()
        question.encode()
    except UnicodeError:
        return
    assert place_of(cursor_of(place, user, question), user, question) == place


@given(st.integers(0, 35), st.sampled_from("ABCxyz019-_=+/ é\n"))
def test_a_changed_cursor_is_refused(at: int, sign: str) -> None:
    cursor = cursor_of("2026-05-01", USER, QUESTION)
    changed = cursor[:at] + sign + cursor[at + 1 :]
    if changed == cursor:
        return
    with pytest.raises(CommonplaceError) as caught:
        place_of(changed, USER, QUESTION)
    assert (caught.value.code, caught.value.field) == (ErrorCode.INVALID_ARGUMENT, "cursor")


@pytest.mark.parametrize("cursor", ["x", "2026-05-01", "AAAA" * 9, "é" * 20, "=" * 8, " "])
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    assert refusal(lambda: place_of(cursor, USER, QUESTION)).field == "cursor"


def test_a_cursor_is_of_its_user_and_of_its_question_and_names_neither() -> None:
    cursor = cursor_of("2026-05-01", USER, QUESTION)
    assert refusal(lambda: place_of(cursor, "issuer|ben", QUESTION)).field == "cursor"
    assert refusal(lambda: place_of(cursor, USER, '{"topic":"milk"}')).field == "cursor"
    kept = base64.urlsafe_b64decode(cursor)
    assert kept[15:] == b"2026-05-01"
    assert b"ana" not in kept[15:]
