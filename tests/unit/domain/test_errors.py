"""What an error quotes of what somebody gave is seen as it is: nothing in it moves a cursor, turns a line round or hides."""

import pytest

from commonplace.domain.errors import CommonplaceError, ErrorCode, escaped, time_zone


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\r\nb", "a\\r\\nb"),
        ("\u202eabc", "\\u202eabc"),
        ("\U000e0041", "\\U000e0041"),
        ("\ud800", "\\ud800"),
        ("\x9b2J", "\\x9b2J"),
        ("Zoë trinkt 日本茶 🍵 \\", "Zoë trinkt 日本茶 🍵 \\"),
    ],
)
def test_what_would_not_be_seen_stands_as_its_escape(given: str, shown: str) -> None:
    assert escaped(given) == shown
    error = CommonplaceError(ErrorCode.UNKNOWN_TOOL, f"there is no {given}", f"options.{given}")
    assert (error.message, error.field) == (f"there is no {shown}", f"options.{shown}")
    assert str(error).isprintable()
    str(error.body()).encode()


@pytest.mark.parametrize(
    ("given", "like"),
    [("CEST", "Europe/Berlin"), ("UTCC", "UTC"), ("Europe/Berln", "Europe/Berlin"), ("America/New York", "America/New_York")],
)
def test_a_time_zone_that_is_suggested_has_a_region_or_is_utc(given: str, like: str) -> None:
    with pytest.raises(CommonplaceError, match=f"give an IANA name such as {like}$"):
        time_zone(given, "timezone")
