"""Read number words and their values in every language that has a row in `numbers.toml`."""

from collections.abc import Iterator, Mapping
from functools import cache

from commonplace.text.foundation.expressions import table_of


@cache
def cardinals(code: str) -> Mapping[str, int]:
    """Return a language's simple number words with their values. An unknown language has none."""
    return dict(_parse_pairs(_load_rows()[code]["cardinals"])) if code in _load_rows() else {}


@cache
def numbers_of(code: str) -> Mapping[str, int]:
    """Return a language's number words, including compounds like "dreiundzwanzig". An unknown language has none."""
    plain = cardinals(code)
    units = {"ein": 1, "één": 1, "een": 1, "uno": 1} | {word: value for word, value in plain.items() if value < 10}
    tens = {word: value for word, value in plain.items() if 20 <= value < 100}
    joint = {"de": ("und",), "nl": ("en", "ën")}.get(code, ())
    made = {unit + link + ten: tens[ten] + units[unit] for unit in units for link in joint for ten in tens}
    if code == "it":
        made = {
            (ten[:-1] if unit in ("uno", "otto") else ten) + unit: tens[ten] + units[unit] for ten in tens for unit in units
        }
        made |= {ten + "tré": value + 3 for ten, value in tens.items()}
    for word, value in [*plain.items()]:
        if value in (100, 1000) and code in ("de", "nl", "it"):
            made |= {unit + word: units[unit] * value for unit in units}
    return {**made, **plain}


@cache
def every_number() -> Mapping[str, frozenset[int]]:
    """Map the number words in all languages, and words that suggest a number ("a"), to their possible values."""
    values: dict[str, set[int]] = {}
    for code, row in _load_rows().items():
        for word, value in (*numbers_of(code).items(), *_parse_pairs(row["hints"])):
            values.setdefault(word, set()).add(value)
    return {word: frozenset(values) for word, values in values.items()}


@cache
def digit_words() -> Mapping[str, int]:
    """Map the words for digits in spoken codes ("oh", "null") to their values, in all languages and without accents."""
    return dict(_parse_pairs(table_of(__package__, "numbers.toml")["said_digits"]))


@cache
def multipliers() -> Mapping[str, int]:
    """Map each word that multiplies the figure before it ("4k", "12 tausend") to the factor. Millions aren't included."""
    return dict(_parse_pairs(table_of(__package__, "numbers.toml")["multipliers"]))


@cache
def links() -> frozenset[str]:
    """Return the words that join the parts of a number ("and", "und")."""
    return frozenset(table_of(__package__, "numbers.toml")["links"].split())


def _parse_pairs(row: str) -> Iterator[tuple[str, int]]:
    for pair in row.split():
        word, _, value = pair.rpartition("=")
        yield word, int(value)


def _load_rows() -> Mapping[str, Mapping[str, str]]:
    return {code: row for code, row in table_of(__package__, "numbers.toml").items() if isinstance(row, dict)}
