"""Words for a secret that mean something else: the pincode of an Indian address, the safe word of a game."""

import re

_NUMBER = re.compile(r"[1-9]\d{2}[ -]?\d{3}(?![\d-])")
_BESIDE = re.compile(
    r"(?:(?:'s)?\s(?:is|was|(?:of|for|in)(?:\s[a-z]{3,20}){1,2}\??)|\s?[:=-]|\scode|\snumber|\sno\.?){0,3}\s{0,2}"
)
_CITIES = (
    r"(?:mumbai|bombay|navi mumbai|new delhi|delhi|bengaluru|bangalore|chennai|madras|kolkata|calcutta|hyderabad|pune|ahmedabad"
    r"|jaipur|lucknow|kochi|noida|gurgaon|gurugram|chandigarh|indore|bhopal|patna|nagpur|surat|kerala|karnataka|maharashtra"
    r"|gujarat|punjab|haryana|bihar|tamil nadu|telangana|goa|india)(?![a-z])"
)
_OF_PLACES = re.compile(
    rf"(?<![a-z])(?:{_CITIES}|pin ?codes? of (?!(?:the|my|our|his|her|a)\s)[a-z]|(?:address|deliver\w*|ship\w*|courier|postal"
    r"|post office|district|dist|taluka?|tehsil|village|state|area|locality|nagar|marg|road|colony|sector|layout|chowk"
    r"|apartments?|society)(?![a-z]))"
)
_OF_THINGS = re.compile(
    r"(?<![a-z])(?:cards?|sim|phones?|iphone|tablets?|ipad|laptop|app|bank\w*|atm|unlock\w*|log ?in|door|gate|safe|lock\w*|alarm"
    r"|upi|my pincode|secret|karte|tarjeta|carte|handy|movil)(?![a-z])"
)
_ASKED = re.compile(rf"\s(?:of|for|in)\s{_CITIES}")
_BEFORE, _AFTER, _NEAR = 70, 50, 80
_SAFE_WORD = re.compile(r"safe[\s_-]?words?")
# Who has a safe word to hide (stems): a family, an alarm company.
_GUARDS = re.compile(
    r"(?<![a-z])(?:kid|child|school|pick(?:s|ing)?[ -]?up|stranger|famil|grand|daughter|(?:my|our) son|nanny|sitter|nursery"
    r"|daycare|alarm|monitoring|bank|scam|emergenc|phone|calls)"
)


def is_postal(text: str, start: int, end: int) -> bool:
    """Whether the word for a PIN from `start` to `end` of the folded `text` means a postal code."""
    beside = _BESIDE.match(text, end)
    number = _NUMBER.match(text, beside.end() if beside else end)
    if not number:
        return _ASKED.match(text, end) is not None
    near = text[max(0, start - _BEFORE) : number.end() + _AFTER]
    if _OF_THINGS.search(near):
        return False
    return text.startswith("pincode", start) or _OF_PLACES.search(near) is not None


def is_played(text: str, start: int, end: int) -> bool:
    """Whether the noun from `start` to `end` of the folded `text` is the safe word of a game or a joke."""
    if not _SAFE_WORD.fullmatch(text, start, end):
        return False
    return not _GUARDS.search(text, max(0, start - _NEAR), end + _NEAR)
