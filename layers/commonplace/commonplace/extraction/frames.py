"""The same sentence with another end: "I work with Ann on the library now", after "I work with Ann on the survey"."""

import re

from commonplace.extraction.stems import names_of, stems_of

_NOW = re.compile(
    r",?\s*\b(?:now|these days|instead|from now on|jetzt|nun|ab jetzt|maintenant|désormais|ahora|agora|adesso|ora|nu)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_][\w'’-]*")
_USER = re.compile(r"\W*(?:i|we|ich|wir|yo|je|nous|ik)\b", re.IGNORECASE)
_MAY_BE_MANY = re.compile(
    r"\W*(?:i|we|ich|wir|yo|je|nous|ik)(?:'ve| have| got| 've got| habe?n?| ai| avons|'ai| heb)?\W+"
    r"(?:a|an|some|ein\w*|une?|een)\b",
    re.IGNORECASE,
)
_SMALL = frozenset(
    "on in at to for from with by of about near as und and or in im am an auf bei mit zu von für um bis seit en a de con para"
    " por à au chez avec pour dans sur".split()
)
_LEAST, _LONGEST_END = 2, 6


def has_another_end(new: str, old: str) -> bool:
    """Whether `new` says that now something else stands where `old` ends; what they share tells of what."""
    if not (_NOW.search(new) and _USER.match(new)) or _MAY_BE_MANY.match(new):
        return False
    ours, theirs = _WORD.findall(_NOW.sub("", new)), _WORD.findall(_NOW.sub("", old))
    same = next(
        (at for at, (one, other) in enumerate(zip(ours, theirs, strict=False)) if one.casefold() != other.casefold()), 0
    )
    ends = ours[same:], theirs[same:]
    if any(end[0].casefold() in _SMALL or len(end) > _LONGEST_END for end in ends if end) or not all(ends):
        return False
    in_a_name = same > 1 and ours[same - 1][0].isupper() and all(end[0][0].isupper() for end in ends)
    shared = " ".join(ours[:same])
    return not in_a_name and (len(stems_of(shared)) >= _LEAST or bool(names_of(shared)))
