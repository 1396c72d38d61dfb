"""Dates and months written out ("5 March 2023", "5.3.2023", "Mai"), read by dateparser, loaded on first use."""

from datetime import date, datetime
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dateparser.date import DateDataParser

# Stands in for a year that is not given; a leap year, so that 29 February is a day.
NO_YEAR = 2000


@cache
def _parser(language: str) -> "DateDataParser":
    from dateparser.date import DateDataParser

    # The settings never change: dateparser keeps a copy of each it ever saw, so the caller's clock must not be in them.
    # 05/03/2023 is the day first in every language (03/15/2023 still is 15 March).
    settings = {
        "RELATIVE_BASE": datetime(NO_YEAR, 1, 1),
        "DATE_ORDER": "YMD" if language == "ja" else "DMY",
        "PREFER_DAY_OF_MONTH": "first",
        "PARSERS": ["absolute-time"],
    }
    return DateDataParser(languages=[language], settings=settings)


@lru_cache(maxsize=1024)
def read_written(text: str, language: str) -> date | None:
    """The date that a text names, in `NO_YEAR` if it names no year; of a month the first day; None if there is none."""
    found = _parser(language).get_date_data(text).date_obj
    return found.date() if found else None
