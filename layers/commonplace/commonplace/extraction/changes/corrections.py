"""Read corrections to find the thing that has ended, the new value, and the corrected version of the old sentence."""

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
    """Return the text that replaces the sentence `old`.

    The replacement is `new`, or `old` with the new value if `new` is nothing but a value. If `new` cancels a day in `old` and
    says more, the replacement is the changed `old` followed by `new`.
    """
    pair = replaced_value(new)
    if pair is not None and lacks_subject(new) and pair[0].casefold() in old.casefold():
        return re.sub(re.escape(pair[0]), lambda _: pair[1], old, flags=re.IGNORECASE)
    renewed = next(filter(None, (with_new_figures(old, new, gone) for gone in denied_days(new))), None)
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
    """Return whether a text says that something earlier was wrong, has changed or has ended."""
    return has_wording("correction", text) or bool(ended_matter(text))


def replaced_value(text: str) -> tuple[str, str] | None:
    """Return the old and the new value if a text gives both ("not X but Y"), else None."""
    plain = straight(text)
    match = next(filter(None, (pattern.search(plain) for pattern in _compile_replacements())), None)
    return (match["old"].strip(), match["new"].strip()) if match else None


def bare_value(text: str) -> str | None:
    """Return the new value from a correction that mentions no subject ("I was wrong, it's the 14th"), else None."""
    if not lacks_subject(text) or not has_wording("correction", text):
        return None
    match = compiled("corrections.pronoun_is").search(straight(text))
    return match[1].strip(" .!") if match else None


def lacks_subject(text: str) -> bool:
    """Return whether a correction doesn't mention its subject ("actually it's Munich, not Berlin")."""
    return attribute_of(text) is None and compiled("corrections.pronoun_is").search(straight(text)) is not None


@functools.lru_cache(maxsize=1024)
def ended_matter(text: str, kind: str = "ended") -> str:
    """Return a sentence's words for a thing that has ended ("I don't eat pork anymore"), or "" if nothing has ended."""
    plain = straight(text)
    match = next(filter(None, (pattern.search(plain) for pattern in _compile_endings(kind))), None)
    return " ".join(filter(None, match.groupdict().values())) if match else ""


@functools.lru_cache(maxsize=1024)
def denied_days(text: str) -> tuple[str, ...]:
    """Return the days that no longer apply according to a text ("14th" in "the 21st, not the 14th")."""
    plain = straight(text)
    return tuple(match["gone"] for pattern in _compile_denials() for match in pattern.finditer(plain))


@functools.cache
def _compile_endings(kind: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(line, re.IGNORECASE) for line in alternatives(kind))


@functools.cache
def _compile_denials() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(line.replace("{month}", months()), re.IGNORECASE) for line in alternatives("denied"))


@functools.cache
def _compile_replacements() -> tuple[re.Pattern[str], ...]:
    """Return the patterns for replaced values. A value at the end of a pattern extends to the end of its phrase."""
    patterns = []
    for line in alternatives("replacement"):
        for name in ("old", "new"):
            tail = expression("corrections.tail") if line.endswith(f"{{{name}}}") else ""
            line = line.replace(f"{{{name}}}", f"(?P<{name}>{_WORDS}){tail}")
        patterns.append(re.compile(line, re.IGNORECASE))
    return tuple(patterns)
