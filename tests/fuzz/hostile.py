"""Texts, dates and arguments that nobody sends but who wants to break something, and what they should look like."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from tests.fuzz.owed import MARK

Drawn = st.SearchStrategy[Any]

SAYINGS = (
    f"My neighbour {MARK} moved to Berlin in 2019.", f"Remember that I am allergic to peanuts, says {MARK}.",
    f"Ich trinke seit letztem Jahr keinen Kaffee mehr, {MARK}.", f"Mi hermana {MARK} vive en Sevilla desde marzo.",
    f"J'ai arrêté de fumer hier, {MARK}.", f"私は{MARK}さんと毎週テニスをします。", f"The password of {MARK} is hunter2-Xk91!",
    f"No, I meant {MARK}: forget what I said about the garden.", f"What did {MARK} tell me last week?",
    f"Every Tuesday at 18:30 {MARK} takes the train, except on 24.12.2026.",
)  # fmt: skip
_REFUSED = ("\x00", "\x1b[31m", "\x7f", "\x85", "\ud800", "\udfff")  # in any text, and so drawn now and then only
_PIECES = (
    "\u2028", "\u202e", "\u2066", "\U000e0041", "\ufeff", "\u200d", "\u0301", "\U0010ffff", "👩‍👩‍👧", "ﷺ", "İ", "ß", "١٢٣", "１２",
    " ", "\t", "\n", "\r\n", "<!--", "-->", "```", "~~~", "## ", "- ", "> ", "[[", "](", "{{", "}}", "{0}", "%s", "%n", "\\", "\"",
    "'", "';--", "\" OR *", "NEAR(", "^", "*", "(", ")", "../", "$(id)", "<script>", "]]>", "&#0;", "\\u0000", "null", "NaN", "-0",
    "1e999", "=1+1", "user:", "password:", "code ", "4471 ", "9", "in 99999999 years ", "on 31.02.0000 ", "0001-01-01 ", "last ",
    "not ", "no, ", "I ", "forget ", "remember ", ". ", "? ", "a", "ab ",
)  # fmt: skip
_DATES = (
    "0001-01-01T00:00:00+14:00", "0001-01-01", "9999-12-31", "9999-12-31T23:59:59.999999-12:00", "9000-01-01T00:00:00Z", "1970-01-01",
    "2026-02-30", "2026-05-20T24:00:00", "2026-03-29T02:30:00", "2026-05-20T12:00:00+99:99", "-0001-01-01", "10000-01-01",
    "2026-05-20T12:00:00Z", "2026-05-20", "1e10", "99999999999999999999", "", "now", "2026-W21-3", "２０２６-05-20",
)  # fmt: skip
_NUMBERS = (
    *(0, -1, 1, 2**31, 2**63, -(2**63), 10**400, 0.5, -0.0, 5e-324, 1e308, float("inf"), float("nan")),
    *(True, "5", "9" * 5_000),
)
_ANY: Drawn = st.one_of(
    st.sampled_from([None, True, [], {}, [[]], {"a": 1}, [None], "", " ", "\ud800", *_NUMBERS]), st.text(max_size=5)
)
_NAMES = ("tea", "garden.plan", "chat-1", "user", "global")
_IDS = ("id", "memory_id", "memory_ids", "supersedes", "superseded_by", "cursor", "key", "run_id", "upload_id")
_SELDOM = 13  # one number of many
_MARKED_FROM = 2_000  # characters; what may be as long says what users say, what is shorter may be a name


def texts(longest: int = 8_000, marked: bool = True) -> st.SearchStrategy[str]:
    """Sayings with hostile pieces in them, pieces that are repeated to the end, and any characters."""
    spoken = st.sampled_from(SAYINGS if marked else _NAMES)
    odd = st.text(st.characters(categories=["Cf", "Co", "Mn", "Lo", "So", "Zs"]), min_size=1, max_size=6)
    piece = st.one_of(st.sampled_from(_PIECES), st.sampled_from(_PIECES), odd)
    parts = st.lists(st.one_of(spoken, piece), min_size=1, max_size=6).map("".join)
    repeated = st.tuples(piece, st.integers(1, longest)).map(lambda drawn: (drawn[0] * drawn[1])[:longest])
    good = st.one_of(spoken, parts, parts, repeated).map(lambda text: text[:longest])
    refused = st.tuples(good, st.sampled_from(_REFUSED), good).map("".join)
    return st.integers(0, 14).flatmap(lambda number: refused if number == _SELDOM else good)


def dates() -> Drawn:
    """Dates at the edges, and any."""
    return st.one_of(st.sampled_from(_DATES), st.datetimes().map(lambda at: at.isoformat()))


def anything() -> Drawn:
    """A JSON value of the wrong kind, most likely."""
    return _ANY


def arguments(schema: Mapping[str, Any], ids: Drawn) -> Drawn:
    """What a schema asks for, with hostile leaves; now and then a part that it does not allow. `ids`: for fields that take one."""
    return _value(schema, "", ids)


def _value(schema: Mapping[str, Any], name: str, ids: Drawn) -> Drawn:
    if "anyOf" in schema or "oneOf" in schema:
        return st.one_of([_value(one, name, ids) for one in (*schema.get("anyOf", ()), *schema.get("oneOf", ()))])
    return _mostly(_allowed(schema, name, ids))


def _mostly(allowed: Drawn) -> Drawn:
    return st.integers(0, 49).flatmap(lambda number: _ANY if number == _SELDOM else allowed)


def _allowed(schema: Mapping[str, Any], name: str, ids: Drawn) -> Drawn:
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum", [schema.get("const")]))
    match schema.get("type"):
        case "object":
            return _object(schema, ids)
        case "array":
            most = min(schema.get("maxItems", 40) + 1, 40)
            items = _value(schema.get("items", {}), name, ids)
            return st.one_of(
                st.lists(items, max_size=3), st.lists(items, min_size=1, max_size=2).map(lambda some: (some * most)[:most])
            )
        case "string":
            return _string(schema, name, ids)
        case "integer" | "number" as kind:
            return _number(schema, kind)
        case "boolean":
            return st.booleans()
    return _ANY


def _object(schema: Mapping[str, Any], ids: Drawn) -> Drawn:
    fields = {name: _value(one, name, ids) for name, one in schema.get("properties", {}).items()}
    needed = {name: fields[name] for name in schema.get("required", ())}
    whole = st.fixed_dictionaries(needed, optional={name: one for name, one in fields.items() if name not in needed})
    more = st.dictionaries(texts(8, marked=False), _ANY, max_size=1)
    changed = st.tuples(whole, more).map(lambda both: both[0] | both[1])
    return st.integers(0, 39).flatmap(lambda number: changed if number == _SELDOM else whole)


def _string(schema: Mapping[str, Any], name: str, ids: Drawn) -> Drawn:
    if schema.get("format") == "date-time":
        return dates()
    if name in _IDS:
        return st.one_of(ids, ids, texts(64, marked=False))
    longest = schema.get("maxLength", 8_000)
    drawn = texts(longest, marked=longest >= _MARKED_FROM)
    return st.one_of(*[st.from_regex(schema["pattern"], fullmatch=True)] * 3, drawn) if "pattern" in schema else drawn


def _number(schema: Mapping[str, Any], kind: str) -> Drawn:
    least, most = schema.get("minimum", 0), schema.get("maximum", 9_999)
    inside: Drawn = st.integers(int(least), int(most)) if kind == "integer" else st.floats(least, most)
    return st.integers(0, 14).flatmap(lambda number: st.sampled_from(_NUMBERS) if number == _SELDOM else inside)
