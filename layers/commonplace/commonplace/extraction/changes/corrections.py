"""Reads corrections: what is over, which value replaces which, and the corrected old sentence."""

import functools
import re

from commonplace.extraction.changes.attributes import attribute_of
from commonplace.extraction.changes.figure_replacement import figures_of, months, with_new_date, with_new_figures
from commonplace.extraction.content_words import stems_of
from commonplace.extraction.patterns import alternatives, compiled, expression, has_wording
from commonplace.text.foundation.characters import straight

_LITTLE = 2
_WORDS = r"(?:[^\W_][^,.;!?…、。]{0,50}?)"


def corrected_sentence(new: str, old: str) -> str:
    """What takes the place of the sentence `old`: `new`; `old` with the new value where `new` has only that; or both, where
    `new` names a day of `old` as gone and tells more beside."""
    pair = replaced_value(new)
    if pair is not None and lacks_subject(new) and pair[0].casefold() in old.casefold():
        return re.sub(re.escape(pair[0]), lambda _: pair[1], old, flags=re.IGNORECASE)
    renewed = next((one for one in (with_new_figures(old, new, gone) for gone in denied_days(new)) if one), None)
    if renewed is not None:
        return f"{renewed.rstrip('.')}. {new}"
    value, theirs = bare_value(new), attribute_of(old)
    if value is not None and theirs is not None:
        return old.replace(theirs.value, value)
    more = stems_of(old) - stems_of(new) - figures_of(old)
    dated = with_new_date(old, new) if more or lacks_subject(new) else None
    if dated is None or len(stems_of(new) - stems_of(old) - figures_of(new)) <= _LITTLE:
        return dated or new
    return f"{dated.rstrip('.')}. {new}"


@functools.lru_cache(maxsize=1024)
def is_correction(text: str) -> bool:
    """Whether a text says that something earlier was wrong, has changed or is over."""
    return has_wording("correction", text) or bool(ended_matter(text))


def replaced_value(text: str) -> tuple[str, str] | None:
    """The old and the new value, if a text names both ("not X but Y")."""
    plain = straight(text)
    for pattern in _replacements():
        found = pattern.search(plain)
        if found:
            return found["old"].strip(), found["new"].strip()
    return None


def bare_value(text: str) -> str | None:
    """The value, if a correction consists of it alone ("I was wrong, it's the 14th")."""
    if not lacks_subject(text) or not has_wording("correction", text):
        return None
    found = compiled("corrections.pronoun_is").search(straight(text))
    return found[1].strip(" .!") if found else None


def lacks_subject(text: str) -> bool:
    """Whether a correction doesn't say what it is about: "actually it's Munich, not Berlin"."""
    return attribute_of(text) is None and compiled("corrections.pronoun_is").search(straight(text)) is not None


@functools.lru_cache(maxsize=1024)
def ended_matter(text: str, kind: str = "ended") -> str:
    """What a sentence says is over ("I don't eat pork anymore"), "" without a wording of that kind."""
    for pattern in _endings(kind):
        found = pattern.search(straight(text))
        if found:
            return " ".join(part for part in found.groupdict().values() if part)
    return ""


@functools.lru_cache(maxsize=1024)
def denied_days(text: str) -> tuple[str, ...]:
    """The days that a text names as no longer valid ("the 21st, not the 14th")."""
    plain = straight(text)
    return tuple(found["gone"] for line in _denials() for found in line.finditer(plain))


@functools.cache
def _endings(kind: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(line, re.IGNORECASE) for line in alternatives(kind))


@functools.cache
def _denials() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(line.replace("{month}", months()), re.IGNORECASE) for line in alternatives("denied"))


@functools.cache
def _replacements() -> tuple[re.Pattern[str], ...]:
    """The patterns of replaced values, in which a value at the end reaches to the end of its phrase."""
    found = []
    for line in alternatives("replacement"):
        for name in ("old", "new"):
            tail = expression("corrections.tail") if line.endswith(f"{{{name}}}") else ""
            line = line.replace(f"{{{name}}}", f"(?P<{name}>{_WORDS}){tail}")
        found.append(re.compile(line, re.IGNORECASE))
    return tuple(found)
